//! A decoded photo.

use std::path::Path;

use image::GrayImage;

use super::{ContentHash, Limits, PhotoFile};
use crate::error::{Error, PhotoProblem, Result};

/// A photo decoded as the gallery's are: upright, by this library's luma. Others' decoding is recognised worse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Photo {
    luma: GrayImage,
    hash: ContentHash,
}

impl Photo {
    /// Reads and decodes a file, within the default [`Limits`]; `-` is standard input.
    ///
    /// # Errors
    /// [`Error::NoSuchPath`]; [`Error::Photo`], with the path and what is wrong with it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::decode(&PhotoFile::open(path)?).map_err(|problem| Error::photo(path, problem))
    }

    /// Decodes the bytes of an image file, within the default [`Limits`].
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<Self, PhotoProblem> {
        Self::decode(&PhotoFile::from_bytes(bytes.into(), &Limits::default()))
    }

    /// A photo of gray values that were made, not read; its hash is that of the size and the values.
    pub fn from_luma(luma: GrayImage) -> Self {
        let (width, height) = luma.dimensions();
        let mut bytes = [width.to_le_bytes(), height.to_le_bytes()].concat();
        bytes.extend_from_slice(luma.as_raw());
        Self { hash: ContentHash::of(&bytes), luma }
    }

    /// Decodes a file that was read.
    pub fn decode(file: &PhotoFile) -> Result<Self, PhotoProblem> {
        Ok(Self { luma: file.decode()?, hash: file.content_hash() })
    }

    /// The gray values, upright.
    pub fn luma(&self) -> &GrayImage {
        &self.luma
    }

    /// Identity of the photo: the hash of its file.
    pub fn content_hash(&self) -> ContentHash {
        self.hash
    }
}
