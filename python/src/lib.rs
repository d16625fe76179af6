//! What the Python package calls: the library's principal component analysis, its front door, and the rendered faces.
//!
//! Nothing is computed here. Arguments come from NumPy without a copy where they are bytes or doubles in C order, the
//! work is done without Python's global lock, and results go back as arrays.

mod faces;
mod pca;
mod photo;
mod recognizer;

use std::sync::{Arc, Mutex, PoisonError};

use eigenfaces::error::{Error, ModelProblem};
use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

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

/// Does work without Python's global lock, by threads of this process: after a fork those of the parent are gone.
fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let process = std::process::id();
    let mut own = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if own.as_ref().is_none_or(|(of, _)| *of != process) {
        // That of the parent is never ended: its threads cannot be waited for.
        std::mem::forget(own.take());
        *own = ThreadPoolBuilder::new().build().ok().map(|pool| (process, Arc::new(pool)));
    }
    let pool = own.as_ref().map(|(_, pool)| Arc::clone(pool));
    drop(own);
    py.detach(|| match pool {
        Some(pool) => pool.install(work),
        None => work(),
    })
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
