//! Face regions in sidecars: read, written, and mutated.

mod mutations;
mod read;
mod write;
