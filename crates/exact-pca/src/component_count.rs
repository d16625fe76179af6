//! The number of components to keep: given, by a share of the variance, or by a rule.

use super::{Columns, PcaError, Rule};

/// Number of components to keep.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum ComponentCount {
    /// As many as carry [`AUTO_SHARE`] of the variance, but at most [`AUTO_LIMIT`].
    #[default]
    Auto,
    /// This many (at least 1), or the rank where that is less.
    Count(usize),
    /// The fewest whose eigenvalues sum to this share of the total variance, in (0, 1].
    Share(f64),
    /// As many as a rule says, by the whole spectrum.
    Rule(Rule),
}

/// Share of the variance that [`ComponentCount::Auto`] asks for: what recognises faces best.
pub const AUTO_SHARE: f64 = 0.99;
/// The most components that [`ComponentCount::Auto`] keeps: more recognise faces no better.
pub const AUTO_LIMIT: usize = 300;

/// Number of eigenpairs asked for at first where a share decides: all of a matrix up to this side, and
/// so many of a larger one, doubled while too few.
const FIRST_GUESS: usize = 512;

impl std::str::FromStr for ComponentCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || "expected `auto`, a count such as 40, a share of variance such as 0.95, profile or parallel".to_string();
        if text == "auto" {
            return Ok(Self::Auto);
        }
        if let Some(rule) = Rule::ALL.into_iter().find(|rule| rule.name() == text) {
            return Ok(Self::Rule(rule));
        }
        if let Ok(count) = text.parse::<usize>() {
            return if count > 0 { Ok(Self::Count(count)) } else { Err(wrong()) };
        }
        match text.parse::<f64>() {
            Ok(share) if share > 0.0 && share <= 1.0 => Ok(Self::Share(share)),
            _ => Err(wrong()),
        }
    }
}

impl std::fmt::Display for ComponentCount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Share(share) => write!(f, "{share:?}"),
            Self::Rule(rule) => write!(f, "{}", rule.name()),
        }
    }
}

impl ComponentCount {
    /// The count that is left to be settled by a spectrum once the faces have been seen: parallel analysis has become a number.
    pub(super) fn with_faces(self, faces: Columns<'_>) -> Result<Self, PcaError> {
        match self {
            Self::Rule(Rule::Parallel) => Rule::Parallel.count(faces).map(Self::Count),
            other => Ok(other),
        }
    }

    /// Whether the count depends on the faces themselves, not on the spectrum alone.
    pub fn needs_faces(self) -> bool {
        self == Self::Rule(Rule::Parallel)
    }

    /// Number of the leading eigenvalues to keep, or `None` while more of them must be known.
    ///
    /// `eigenvalues` are the leading ones in decreasing order, `total` is the sum over all of them.
    pub(super) fn count(self, eigenvalues: &[f64], total: f64, all_known: bool) -> Option<usize> {
        let (share, limit) = match self {
            Self::Auto => (AUTO_SHARE, AUTO_LIMIT),
            Self::Count(count) => (f64::INFINITY, count),
            Self::Share(share) => (share, usize::MAX),
            // All, for the rule to choose from: see `Spectrum::apply`.
            Self::Rule(_) => (1.0, usize::MAX),
        };
        let mut sum = 0.0;
        for (index, value) in eigenvalues.iter().enumerate() {
            sum += value;
            // The tolerance lets a share of 1 stop at the rank although the sum is rounded.
            if index + 1 >= limit || sum >= share * total * (1.0 - 1e-12) {
                return Some(index + 1);
            }
        }
        all_known.then_some(eigenvalues.len())
    }

    /// Whether the first guess may turn out too small.
    pub(super) fn may_need_more(self) -> bool {
        matches!(self, Self::Share(_) | Self::Rule(_))
    }

    pub(super) fn first_guess(self, side: usize) -> usize {
        match self {
            Self::Auto => AUTO_LIMIT,
            Self::Count(count) => count.max(1),
            Self::Share(_) | Self::Rule(_) => FIRST_GUESS,
        }
        .min(side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_parse_as_documented() {
        assert_eq!("auto".parse(), Ok(ComponentCount::Auto));
        assert_eq!("40".parse(), Ok(ComponentCount::Count(40)));
        assert_eq!("0.95".parse(), Ok(ComponentCount::Share(0.95)));
        assert_eq!("1.0".parse(), Ok(ComponentCount::Share(1.0)));
        for wrong in ["0", "-3", "1.5", "0.0", "nan", "inf", "many", ""] {
            assert!(wrong.parse::<ComponentCount>().is_err(), "{wrong} was accepted");
        }
    }

    #[test]
    fn counts_print_as_they_parse() {
        for text in ["auto", "7", "0.9", "1.0", "profile", "parallel"] {
            assert_eq!(text.parse::<ComponentCount>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_share_is_of_the_total_and_not_of_the_known_part() {
        let known = [6.0, 3.0];
        assert_eq!(ComponentCount::Share(0.5).count(&known, 10.0, false), Some(1));
        assert_eq!(ComponentCount::Share(0.9).count(&known, 10.0, false), Some(2));
        assert_eq!(ComponentCount::Share(0.95).count(&known, 10.0, false), None);
        assert_eq!(ComponentCount::Share(0.95).count(&known, 10.0, true), Some(2));
        assert_eq!(ComponentCount::Count(1).count(&known, 10.0, false), Some(1));
    }
}
