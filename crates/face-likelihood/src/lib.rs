#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
#![forbid(unsafe_code)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

// The order of these lines is the layering: a module imports only from those above it. What is hidden from the documentation
// is for the program `eigenfaces`: it changes as that needs it.
mod error;

pub mod face_matrix;

#[doc(hidden)]
pub mod resize;

#[doc(hidden)]
pub mod elementary;

mod tan_triggs;

#[doc(hidden)]
pub mod detail;

#[doc(hidden)]
pub mod features;

#[doc(hidden)]
pub mod quantile;

pub mod acceptance;

pub mod background;

pub use error::{BackgroundProblem, Error, Result};
