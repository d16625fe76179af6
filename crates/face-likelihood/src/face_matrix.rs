//! Faces as columns: the only place where images and matrices meet.

use std::fmt;
use std::str::FromStr;

use exact_pca::Columns;
use image::GrayImage;
use nalgebra::DMatrix;

use crate::error::{Error, Result};

/// Width and height of a face in pixels, each from 8 to 1000. As text `92x112`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FaceSize {
    width: u32,
    height: u32,
}

impl FaceSize {
    /// The shortest side: below it there is nothing of a face to see.
    pub const MIN_SIDE: u32 = 8;
    /// The longest side.
    pub const MAX_SIDE: u32 = 1000;

    /// Faces aligned by the eyes, unless the user asks for another size.
    pub const ALIGNED: Self = Self { width: 64, height: 74 };

    /// Checks both sides.
    ///
    /// # Errors
    /// [`Error::FaceSize`] if one is out of bounds.
    pub fn new(width: u32, height: u32) -> Result<Self> {
        Self::of(width, height).ok_or_else(|| Error::FaceSize { given: format!("{width}x{height}") })
    }

    /// The size, if both sides are within bounds.
    pub const fn of(width: u32, height: u32) -> Option<Self> {
        let (least, most) = (Self::MIN_SIDE, Self::MAX_SIDE);
        if width >= least && width <= most && height >= least && height <= most {
            Some(Self { width, height })
        } else {
            None
        }
    }

    /// Pixels from left to right.
    pub const fn width(self) -> u32 {
        self.width
    }

    /// Pixels from top to bottom.
    pub const fn height(self) -> u32 {
        self.height
    }

    /// The number of pixels d = width x height: the length of a face as a vector.
    pub fn pixels(self) -> usize {
        // At most 1000 x 1000.
        (self.width * self.height) as usize
    }
}

impl fmt::Display for FaceSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for FaceSize {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let side = |digits: &str| digits.trim().parse().ok();
        text.split_once(['x', 'X', '×'])
            .and_then(|(width, height)| Self::new(side(width)?, side(height)?).ok())
            .ok_or_else(|| Error::FaceSize { given: text.into() })
    }
}

/// The matrix X of faces, d pixels x n faces of 8 bits: one face a column, its pixels row by row
/// from the top left. Columns are contiguous in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaceMatrix {
    size: FaceSize,
    /// d x n.
    pixels: DMatrix<u8>,
}

impl FaceMatrix {
    /// A matrix without faces, d x 0.
    pub fn new(size: FaceSize) -> Self {
        Self { size, pixels: DMatrix::zeros(size.pixels(), 0) }
    }

    /// Puts faces side by side, in their order.
    ///
    /// # Errors
    /// [`Error::FaceShape`] if one has another size.
    pub fn from_faces<'a>(size: FaceSize, faces: impl IntoIterator<Item = &'a GrayImage>) -> Result<Self> {
        let mut pixels = Vec::new();
        for face in faces {
            if face.dimensions() != (size.width, size.height) {
                let given = format!("{}x{}", face.width(), face.height());
                return Err(Error::FaceShape { given, expected: "a face".into(), size: size.to_string() });
            }
            pixels.extend_from_slice(face.as_raw());
        }
        Self::from_pixels(size, pixels)
    }

    /// Takes n faces laid end to end, each d pixels row by row: the memory as it stands.
    ///
    /// # Errors
    /// [`Error::FaceShape`] if the last face is not whole.
    pub fn from_pixels(size: FaceSize, pixels: Vec<u8>) -> Result<Self> {
        let d = size.pixels();
        if !pixels.len().is_multiple_of(d) {
            let given = pixels.len().to_string();
            return Err(Error::FaceShape { given, expected: "whole faces".into(), size: size.to_string() });
        }
        Ok(Self { size, pixels: DMatrix::from_vec(d, pixels.len() / d, pixels) })
    }

    /// The size of every face.
    pub fn size(&self) -> FaceSize {
        self.size
    }

    /// The number of faces n.
    pub fn len(&self) -> usize {
        self.pixels.ncols()
    }

    /// Whether there is no face.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// X itself, d x n.
    pub fn matrix(&self) -> &DMatrix<u8> {
        &self.pixels
    }

    /// All pixels, face after face.
    pub fn as_slice(&self) -> &[u8] {
        self.pixels.as_slice()
    }

    /// The faces in order, each d pixels row by row.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = &[u8]> + Clone {
        self.as_slice().chunks_exact(self.size.pixels())
    }

    /// The pixels of face `j`, row by row; `None` past the end.
    pub fn get(&self, j: usize) -> Option<&[u8]> {
        let d = self.size.pixels();
        let start = j.checked_mul(d)?;
        self.as_slice().get(start..start.checked_add(d)?)
    }

    /// The pixels of face `j`, row by row.
    ///
    /// # Panics
    /// If `j` is not below [`len`](Self::len), as a slice does. For an index from outside use [`get`](Self::get).
    pub fn face(&self, j: usize) -> &[u8] {
        &self.as_slice()[j * self.size.pixels()..][..self.size.pixels()]
    }

    /// Face `j` as an image; `None` past the end.
    pub fn image(&self, j: usize) -> Option<GrayImage> {
        let FaceSize { width, height } = self.size;
        GrayImage::from_raw(width, height, self.get(j)?.to_vec())
    }

    /// The faces, and behind them their mirror images: d x 2n.
    pub fn with_mirror_images(&self) -> Self {
        let mut pixels = self.as_slice().repeat(2);
        let rows = pixels.split_at_mut(self.as_slice().len()).1.chunks_exact_mut(self.size().width() as usize);
        rows.for_each(<[u8]>::reverse);
        Self::from_pixels(self.size(), pixels).expect("whole faces of this size")
    }

    /// The faces of the given columns, in that order; a column may come twice.
    ///
    /// # Errors
    /// [`Error::NoSuchFace`].
    pub fn select(&self, columns: &[usize]) -> Result<Self> {
        let mut pixels = Vec::with_capacity(columns.len().saturating_mul(self.size.pixels()));
        for &index in columns {
            let face = self.get(index).ok_or(Error::NoSuchFace { index, count: self.len() })?;
            pixels.extend_from_slice(face);
        }
        Self::from_pixels(self.size, pixels)
    }
}

/// Faces are columns, d pixels x n faces.
impl<'a> From<&'a FaceMatrix> for Columns<'a> {
    fn from(faces: &'a FaceMatrix) -> Self {
        faces.matrix().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;

    fn size() -> FaceSize {
        FaceSize::new(8, 9).unwrap()
    }

    fn face(value: u8) -> GrayImage {
        GrayImage::from_fn(8, 9, |x, y| Luma([value + (x + 8 * y) as u8]))
    }

    #[test]
    fn sizes_as_text() {
        assert_eq!("92x112".parse::<FaceSize>().unwrap(), FaceSize::new(92, 112).unwrap());
        assert_eq!(FaceSize::new(92, 112).unwrap().to_string(), "92x112");
        for bad in ["", "x", "92", "92x", "7x8", "8x1001", "-8x8", "8x8x8", "9 9", "99999999999x8"] {
            let error = bad.parse::<FaceSize>().unwrap_err().to_string();
            assert!(error.contains(bad) && error.contains("92x112"), "{error}");
        }
    }

    #[test]
    fn a_face_is_a_column_read_row_by_row() {
        let faces = FaceMatrix::from_faces(size(), &[face(0), face(100)]).unwrap();
        assert_eq!(faces.matrix().shape(), (72, 2));
        assert_eq!(faces.matrix()[(8, 1)], 108, "second row, first pixel");
        assert_eq!(faces.face(1), face(100).as_raw().as_slice());
        assert_eq!(faces.image(1), Some(face(100)));
        assert_eq!((faces.image(2), faces.get(usize::MAX)), (None, None));
        assert!(faces.faces().eq([faces.face(0), faces.face(1)]));
    }

    #[test]
    fn faces_are_chosen_by_column() {
        let built = FaceMatrix::from_faces(size(), &[face(3), face(1), face(2)]).unwrap();
        let chosen = built.select(&[2, 0, 2]).unwrap();
        assert_eq!(chosen.faces().map(|f| f[0]).collect::<Vec<_>>(), [2, 3, 2]);
        assert!(built.select(&[3]).is_err());
        assert!(built.select(&[]).unwrap().is_empty());
    }

    #[test]
    fn other_sizes_are_refused_even_transposed() {
        let other = FaceMatrix::from_faces(size(), &[GrayImage::new(9, 8)]);
        let error = other.unwrap_err().to_string();
        assert!(error.contains("9x8") && error.contains("8x9"), "{error}");
        assert!(FaceMatrix::from_pixels(size(), vec![0; 73]).is_err());
        assert!(FaceMatrix::new(size()).is_empty());
    }
}
