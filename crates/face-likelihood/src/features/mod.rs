//! Features of a face besides its pixels.

pub mod texture;
