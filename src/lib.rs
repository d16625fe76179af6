#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
#![deny(unsafe_code)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

// The order of these lines is the layering: a module imports only from those above it (tests/library/layers.rs).
// What is hidden from the documentation, here and below, is for the program, the tests and the benchmarks: it changes as they
// need it.
#[macro_use]
mod named;

pub use exact_pca as pca;
pub use exact_pca::kernel_pca;
pub use face_regions as xmp;

pub(crate) use vectorised as vectors;

pub mod error;

pub mod face_matrix;

#[doc(hidden)]
pub mod features;

pub mod dataset;

pub mod normalize;

pub mod locate;

pub mod preparation;

pub mod face_space;

#[doc(hidden)]
pub mod faceness;

pub mod decision;

pub mod background;

pub mod grouping;

#[doc(hidden)]
pub mod scaled_space;

pub mod face_map;

pub mod metric;

pub mod gallery;

#[doc(hidden)]
pub mod enrollment;

#[doc(hidden)]
pub mod face_index;

pub mod matcher;

pub mod compare;

pub mod reconstruction;

pub mod recognizer;

pub mod evaluate;

pub mod store;

pub mod model;

#[cfg(feature = "postgres")]
pub mod database;

pub mod render;

pub use dataset::{Person, Photo};
pub use decision::{Acceptance, Decision};
pub use error::{Error, Result};
pub use model::{Model, Options};
pub use preparation::FaceChoice;
pub use recognizer::{Candidate, Identification, QueryOptions, Settings, Verdict, Verification};
