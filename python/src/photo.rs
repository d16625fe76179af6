//! Photos as Python programs have them.

use std::path::PathBuf;

use eigenfaces::Photo;
use eigenfaces::error::Error;
use image::GrayImage;
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::wrong;

/// A photo that has not been decoded yet: that is done without Python's global lock.
pub enum Input {
    Path(PathBuf),
    File(Vec<u8>),
    Gray(GrayImage),
}

impl Input {
    /// A path, the bytes of an image file, or gray values (height x width, `uint8`).
    pub fn from_python(photo: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(array) = photo.extract::<PyReadonlyArray2<'_, u8>>() {
            let side = |axis: usize| u32::try_from(array.shape()[axis]).map_err(wrong);
            let (height, width) = (side(0)?, side(1)?);
            let image = GrayImage::from_raw(width, height, array.as_array().iter().copied().collect());
            return image.map(Self::Gray).ok_or_else(|| wrong("the array does not hold what its shape says"));
        }
        if let Ok(bytes) = photo.cast::<PyBytes>() {
            return Ok(Self::File(bytes.as_bytes().to_vec()));
        }
        photo.extract().map(Self::Path).map_err(|_| {
            wrong("a photo is a path, the bytes of an image file, or an array of gray values (height x width, uint8)")
        })
    }

    /// Decodes it; an error names the photo, by its number where it has no path.
    pub fn open(self, number: usize) -> Result<Photo, Error> {
        let unnamed = |problem| Error::photo(format!("photo {number}"), problem);
        match self {
            Self::Path(path) => Photo::open(path),
            Self::File(bytes) => Photo::from_bytes(bytes).map_err(unnamed),
            Self::Gray(image) => Ok(Photo::from_luma(image)),
        }
    }
}

/// All photos of a sequence.
pub fn given(photos: &Bound<'_, PyAny>) -> PyResult<Vec<Input>> {
    photos.try_iter()?.map(|photo| Input::from_python(&photo?)).collect()
}
