//! The condition for giving a name.

/// Probability assumed, before looking, that a probe is somebody who was never enrolled.
pub const STRANGER_PRIOR: f64 = 0.5;

/// Share of strangers that may be given a name, unless the user says otherwise.
pub const FALSE_ACCEPT_TARGET: f64 = 0.01;

/// The condition for giving a name, and for accepting two photos as one person's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Acceptance {
    /// So that about this share of strangers (of false pairs) passes, and never where it is more likely wrong.
    FalseAccepts(f64),
    /// From this confidence on, whatever that lets in.
    Confidence(f64),
}

impl Acceptance {
    /// Whether a claim of this confidence is accepted; `is_beyond` tells whether its score lies beyond that which such a
    /// share of false claims passes.
    pub fn accepts(self, confidence: f64, is_beyond: impl FnOnce(f64) -> bool) -> bool {
        match self {
            Self::FalseAccepts(far) => confidence > 0.5 && is_beyond(far),
            Self::Confidence(least) => confidence >= least,
        }
    }

    /// The confidence that is needed; `at_limit` is that of the score which such a share of false claims passes.
    pub fn threshold(self, at_limit: impl FnOnce(f64) -> f64) -> f64 {
        match self {
            Self::FalseAccepts(far) => at_limit(far).max(0.5),
            Self::Confidence(least) => least,
        }
    }
}

impl Default for Acceptance {
    fn default() -> Self {
        Self::FalseAccepts(FALSE_ACCEPT_TARGET)
    }
}
