//! The pixels of a face that may be one of many.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::face_matrix::FaceMatrix;

/// The d pixels of a face: its own, or those of a face of a gallery, which are not copied.
#[derive(Clone)]
pub struct Pixels(Storage);

#[derive(Clone)]
enum Storage {
    Own(Vec<u8>),
    Among(Arc<FaceMatrix>, usize),
}

impl Pixels {
    pub(crate) fn of_all(faces: &Arc<FaceMatrix>) -> impl Iterator<Item = Self> {
        let places = 0..faces.len();
        places.map(|at| Self(Storage::Among(Arc::clone(faces), at)))
    }

    /// The faces that have these pixels, one after the other; `None` where no matrix holds just them.
    pub(super) fn common<'a>(all: impl Iterator<Item = &'a Self>) -> Option<&'a Arc<FaceMatrix>> {
        let mut matrix = None;
        let mut count = 0;
        for pixels in all {
            let Storage::Among(faces, at) = &pixels.0 else { return None };
            if *at != count || !Arc::ptr_eq(matrix.get_or_insert(faces), faces) {
                return None;
            }
            count += 1;
        }
        matrix.filter(|faces| faces.len() == count)
    }
}

impl Deref for Pixels {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Storage::Own(pixels) => pixels,
            Storage::Among(faces, at) => faces.face(*at),
        }
    }
}

impl From<Vec<u8>> for Pixels {
    fn from(pixels: Vec<u8>) -> Self {
        Self(Storage::Own(pixels))
    }
}

impl PartialEq for Pixels {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Pixels {}

impl fmt::Debug for Pixels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
