//! Decisions about a face: known, unknown, or not a face; the condition for giving a name, and the face score that a picture
//! needs. Probabilities are calibrated where faces are compared: `matcher` and `background`.
//!
//! Source of the three outcomes: Turk & Pentland 1991, "Using eigenfaces to classify a face image".

pub use face_likelihood::acceptance::{Acceptance, FALSE_ACCEPT_TARGET, STRANGER_PRIOR};
pub(crate) use face_likelihood::quantile::{student_quantile, upper_normal_quantile};

/// The decision about one face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The nearest person, near enough.
    Known,
    /// A face, but of nobody enrolled as far as can be told.
    Unknown,
    /// Too little like a face.
    NotAFace,
}

named!(Decision {
    Known = "known",
    Unknown = "unknown",
    NotAFace = "not-a-face",
});

/// A probability as a reader wants it: whole per cent, and never a false 0 % or 100 %.
pub fn percent(share: f64) -> String {
    let rounded = (share * 100.0).round();
    if rounded >= 100.0 && share < 1.0 {
        "> 99 %".to_owned()
    } else if rounded <= 0.0 && share > 0.0 {
        "< 1 %".to_owned()
    } else {
        // Minus nothing is nothing.
        format!("{} %", rounded + 0.0)
    }
}

/// A share in per cent with one decimal; what rounds to nothing has no sign.
pub fn share(share: f64) -> String {
    let text = format!("{:.1} %", share * 100.0);
    text.strip_prefix("-0.0").map_or_else(|| text.clone(), |unit| format!("0.0{unit}"))
}

/// With fewer people than this, strangers cannot be simulated, and in a space of so few people everybody looks
/// alike: measured on AT&T and LFW, any fixed threshold named half of all strangers. No name is given then; the
/// background model, which does not learn from the gallery alone, knows no such limit.
pub const ENOUGH_PEOPLE: usize = 5;

/// Face scores of held-out faces that are assumed: their spread, and the number of faces that this is worth.
const FACE_SCORE_SPREAD: f64 = 0.06;
const FACE_SCORE_WORTH: f64 = 20.0;

/// A face is refused when its face score is this many spreads below the mean of held-out faces.
const FACE_SCORE_SPREADS: f64 = 3.0;

/// Below this face score nothing is a face, however mixed the gallery: flat gray has 0, noise about as much. Also the limit
/// where faces of one person at most could be held out, for they do not tell how other people's faces score: by one person of
/// AT&T with one to five photos, 0.1 to 0.4 of other people's faces lie below it (below 0.3 it is 0.3 to 0.6), and 0.94
/// to 0.96 of pictures without people.
const LEAST_FACE_SCORE: f64 = 0.2;

/// The face score below which something is not a face, from that of faces of so many people that were left out.
pub fn face_score_limit(face_scores: &[f64], people: usize) -> f64 {
    let Some((mean, spread)) = mean_and_spread(face_scores).filter(|_| people > 1) else { return LEAST_FACE_SCORE };
    let n = face_scores.len() as f64;
    let variance =
        (n * spread * spread + FACE_SCORE_WORTH * FACE_SCORE_SPREAD * FACE_SCORE_SPREAD) / (n + FACE_SCORE_WORTH);
    (mean - FACE_SCORE_SPREADS * variance.sqrt()).clamp(LEAST_FACE_SCORE, 1.0)
}

/// Mean and sample standard deviation; `None` for fewer than two values.
pub(crate) fn mean_and_spread(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    Some((mean, (squares / (n - 1.0)).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_face_score_limit_never_vanishes() {
        let mixed: Vec<f64> = (0..200).map(|at| f64::from(at % 2)).collect();
        assert_eq!(face_score_limit(&mixed, 5), LEAST_FACE_SCORE);
    }

    /// Photos of one person that are all alike do not make other people's faces no faces.
    #[test]
    fn one_person_alone_sets_no_high_face_score_limit() {
        let alike = [0.9, 0.91, 0.89];
        assert_eq!(face_score_limit(&alike, 1), LEAST_FACE_SCORE);
        assert!(face_score_limit(&alike, 2) > 0.7);
    }

    #[test]
    fn certainty_is_never_claimed_by_rounding() {
        assert_eq!(percent(0.9999), "> 99 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.0001), "< 1 %");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.876), "88 %");
    }
}
