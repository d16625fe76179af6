//! Location of the faces of a photo, by the crate `face-locator`, and what is decided from it for a gallery.

pub use face_locator::{LocateError, Location, Locator, Turn, main_face};
#[doc(hidden)]
pub use face_locator::{align, bilinear, crop, descent, detect, eyes};

pub mod framing;
