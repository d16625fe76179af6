//! Face recognition by eigenfaces: learn from a folder of labelled faces, say who is in a photo, look at the basis faces.
//!
//! ```no_run
//! use eigenfaces::{Model, Options};
//!
//! # fn main() -> eigenfaces::Result<()> {
//! let model = Model::enroll("faces", &Options::default())?;
//! for face in model.identify_file("party.jpg")? {
//!     println!("{face}"); // Ada (> 99 %)
//! }
//! model.save("eigenfaces.npz")?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Model`] is the front door: it enrols, identifies, verifies, explains, and changes who is enrolled. What lies behind it,
//! from pixels to names:
//!
//! | module | has |
//! |---|---|
//! | [`dataset`] | photos in folders: found, decoded within limits, labelled |
//! | [`preparation`], [`locate`] | a photo as faces of d 8-bit pixels: found, aligned |
//! | [`pca`], [`kernel_pca`] | exact principal components of 8-bit columns, and their kernel form |
//! | [`face_space`], [`reconstruction`], [`face_map`] | mean face, eigenfaces, weights; faces rebuilt; distance from face space |
//! | [`compare`], [`background`], [`training`] | coordinates of faces, people ranked by them, and the learning of how people differ |
//! | [`recognizer`] | learning a gallery, and the decision: known, unknown, not a face |
//! | [`gallery`], [`grouping`], [`evaluate`] | people and their faces; faces put into groups; figures by stated protocols |
//! | [`store`], [`render`] | model files; pictures and pages |
//!
//! Shapes: d pixels, n faces, k components; faces and eigenfaces are columns. With `default-features = false` the
//! program is left out, with what only it needs: options, progress bars, the server. The program's own guide is README.md.
#![warn(missing_docs)]
#![deny(unsafe_code)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

/// The examples of README and guide are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../docs/GUIDE.md")]
struct Examples;

// The order of these lines is the layering: a module imports only from those above it (tests/library/layers.rs). What is hidden
// from the documentation, here and below, is for the program, the tests and the benchmarks: it changes as they need it.
#[macro_use]
mod named;

// The program's modules name the library as everybody else does.
#[cfg(feature = "cli")]
extern crate self as eigenfaces;

pub use exact_pca as pca;
pub use exact_pca::kernel_pca;
pub use face_likelihood::face_matrix;
#[doc(hidden)]
pub use face_likelihood::features;
pub use face_regions as xmp;

pub(crate) use vectorised as vectors;

pub mod error;

#[doc(hidden)]
pub mod text;

pub mod dataset;

pub mod normalize;

pub mod locate;

pub mod preparation;

pub mod face_space;

#[doc(hidden)]
pub mod face_score;

pub mod decision;

pub mod background;

pub mod grouping;

#[doc(hidden)]
pub mod scaled_space;

pub mod face_map;

pub mod gallery;

#[doc(hidden)]
pub mod enrollment;

pub mod training;

#[doc(hidden)]
pub mod face_index;

pub mod matcher;

pub mod compare;

pub mod reconstruction;

pub mod recognizer;

#[doc(hidden)]
pub mod records;

pub mod evaluate;

pub mod store;

pub mod model;

#[doc(hidden)]
pub mod albums;

#[cfg(feature = "postgres")]
pub mod database;

pub mod render;

#[cfg(feature = "serve")]
mod server;

#[cfg(feature = "cli")]
mod cli;

pub use dataset::{Person, Photo};
pub use decision::{Acceptance, Decision};
pub use error::{Error, Result};
pub use model::{Model, Options};
pub use preparation::FaceChoice;
pub use recognizer::{Candidate, Identification, QueryOptions, Settings, Verdict, Verification};

/// Parses the command line, runs the command, and returns the exit code.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub fn program() -> std::process::ExitCode {
    cli::main(&cli::parsed())
}
