//! The rendered faces of the repository: fourteen people who do not exist.

use eigenfaces::Photo;
use numpy::{IntoPyArray, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

use crate::wrong;

include!(concat!(env!("OUT_DIR"), "/faces.rs"));

/// All faces (n x height x width) and the name of each.
#[pyfunction]
pub fn bundled_faces(py: Python<'_>) -> PyResult<(Bound<'_, PyArray3<u8>>, Vec<&'static str>)> {
    let mut pixels = Vec::new();
    let mut names = Vec::with_capacity(FACES.len());
    let mut shape = None;
    for (name, file) in FACES {
        let photo = Photo::from_bytes(*file).map_err(wrong)?;
        let (width, height) = photo.luma().dimensions();
        if *shape.get_or_insert((width, height)) != (width, height) {
            return Err(wrong("the bundled faces are not of one size"));
        }
        pixels.extend_from_slice(photo.luma().as_raw());
        names.push(*name);
    }
    let (width, height) = shape.unwrap_or_default();
    let shape = [names.len(), height as usize, width as usize];
    Ok((pixels.into_pyarray(py).reshape(shape)?, names))
}
