//! Preparation of a photo's pixels before they are compared: size, and light.

pub mod resize;
pub(crate) mod summed_area;
