//! Outcomes of commands.

/// The outcome of a command that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// Done, but some inputs could not be used; each was named.
    SomeUnusable,
    /// Not one of several inputs could be used; each was named.
    NoneUsable,
    /// `verify`: the same person.
    Same,
    /// `verify`: not the same person.
    Different,
}

impl Outcome {
    /// From how many inputs could be used and how many could not.
    pub fn of_inputs(used: usize, unusable: usize) -> Self {
        match (used, unusable) {
            (_, 0) => Self::Done,
            (0, _) => Self::NoneUsable,
            _ => Self::SomeUnusable,
        }
    }

    pub fn code(self) -> u8 {
        match self {
            Self::Done | Self::Same => 0,
            Self::NoneUsable | Self::Different => 1,
            Self::SomeUnusable => 3,
        }
    }
}
