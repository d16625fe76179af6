//! What the Python package calls: the library's principal component analysis, its front door, and the rendered faces.
//!
//! Nothing is computed here. Arguments come from NumPy without a copy where they are bytes or doubles in C order, the
//! work is done without Python's global lock, and results go back as arrays.

mod faces;
mod pca;
mod photo;
mod recognizer;

use eigenfaces::error::{Error, ModelProblem};
use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::prelude::*;

/// The engine of the package `eigenfaces`; not to be used directly.
#[pymodule]
mod _engine {
    #[pymodule_export]
    use super::faces::bundled_faces;
    #[pymodule_export]
    use super::pca::{Sums, fit_bytes, fit_numbers, rebuild, weights_of_bytes, weights_of_numbers};
    #[pymodule_export]
    use super::recognizer::{Recognizer, describe};
}

/// An error of the library as the exception that Python programs expect.
fn exception(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::NoSuchPath { .. } | Error::Model { problem: ModelProblem::Missing, .. } => {
            PyFileNotFoundError::new_err(message)
        }
        Error::Read { .. } | Error::Write { .. } | Error::UnreadablePath { .. } => PyOSError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

fn wrong(problem: impl ToString) -> PyErr {
    PyValueError::new_err(problem.to_string())
}
