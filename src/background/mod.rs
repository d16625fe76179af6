//! The background model, by the crate `face-likelihood`, and what is decided about it here.

mod trained_on;

pub use face_likelihood::background::*;
#[doc(hidden)]
pub use trained_on::{name_hashes, people_trained_on};

use crate::locate::framing::Framing;

/// Knowledge of how faces differ before anybody is enrolled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prior {
    /// The background model that comes with the program.
    #[default]
    Bundled,
    /// Nothing: all is learned from the gallery alone, as eigenfaces theory has it.
    None,
}

named!(Prior {
    Bundled = "bundled",
    None = "none",
});

impl From<Framing> for Alignment {
    fn from(framing: Framing) -> Self {
        match framing {
            Framing::Detect => Self::ByEyes,
            Framing::AsIs => Self::AsIs,
        }
    }
}
