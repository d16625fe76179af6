//! (stub: the founder's)
pub mod resize;
