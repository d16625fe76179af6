//! Preparation of a photo's pixels before they are compared: size, and light.

pub(crate) mod elementary;
pub mod resize;
pub(crate) mod summed_area;
pub(crate) mod tan_triggs;
