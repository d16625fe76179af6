//! The background model, by the crate `face-likelihood`, and what is decided about it here.

mod own;
mod trained_on;

pub use face_likelihood::background::*;
pub use own::{OwnBackground, Provenance};
#[doc(hidden)]
pub use trained_on::{name_hashes, people_trained_on};

use crate::error::Result;
use crate::locate::framing::Framing;

/// Knowledge of how faces differ before anybody is enrolled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prior {
    /// The background model that comes with the program.
    #[default]
    Bundled,
    /// One that somebody learned of other people.
    Own(OwnBackground),
    /// Nothing: all is learned from the gallery alone, as eigenfaces theory has it.
    None,
}

impl Prior {
    /// Its description for users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bundled => "bundled",
            Self::Own(_) => "own",
            Self::None => "none",
        }
    }

    /// The background model, if there is one.
    ///
    /// # Errors
    /// When the program itself is damaged.
    pub fn background(self) -> Result<Option<&'static Background>> {
        Ok(match self {
            Self::Bundled => Some(Background::bundled()?),
            Self::Own(own) => Some(own.background()),
            Self::None => None,
        })
    }
}

impl From<Framing> for Alignment {
    fn from(framing: Framing) -> Self {
        if framing == Framing::Detect { Self::ByEyes } else { Self::AsIs }
    }
}
