//! Figures of verification: whether somebody is who they say they are.

use serde::Serialize;

use super::Rate;

/// Is it who they say they are? Every probe claims in turn to be every enrolled person: genuine where it is
/// true, an impostor where not. The score is the distance to the claimed person.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verification {
    /// True claims.
    #[serde(rename = "genuine_claims")]
    pub genuine: usize,
    /// False claims.
    #[serde(rename = "impostor_claims")]
    pub impostors: usize,
    /// The rate at which as many false claims are accepted as true ones are rejected (on the line between
    /// the two points of the curve next to it).
    #[serde(skip)]
    pub equal_error_rate: Rate,
    /// The false non-match rate at a false match rate of 1 %: of the lowest threshold that no more than 1 % of false claims
    /// pass; `None` with fewer than 100 of these.
    #[serde(skip)]
    pub misses_at_1_percent: Option<Rate>,
    /// The false non-match rate at a false match rate of .1 %; `None` with fewer than 1,000 false claims.
    #[serde(skip)]
    pub misses_at_a_thousandth: Option<Rate>,
    /// Area under the ROC curve: how often a true claim is nearer than a false one, ties counting half.
    #[serde(rename = "verification_area")]
    pub area: f64,
    /// The ROC curve from (0, 0) to (1, 1), both coordinates never decreasing; at most a few hundred points,
    /// straight between.
    pub roc: Vec<RocPoint>,
    /// The detection error trade-off: ten points a decade, from the least rate that one false claim is.
    pub det: Vec<DetPoint>,
}

/// A point of a ROC curve, as JSON `[false_accepts, true_accepts]`: at some threshold...
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RocPoint {
    /// ...the share of false claims accepted...
    pub false_accepts: f64,
    /// ...and the share of true claims accepted.
    pub true_accepts: f64,
}

impl Serialize for RocPoint {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.false_accepts, self.true_accepts].serialize(serializer)
    }
}

/// A point of a detection error trade-off curve (ISO/IEC 19795-1).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DetPoint {
    /// The false match rate that is allowed.
    pub fmr: f64,
    /// The false non-match rate at the lowest threshold that keeps it.
    pub fnmr: f64,
}

/// Error rates at which curves are given: ten a decade (Renard's series R10), from the least that can be seen to 1.
pub(in crate::evaluate) fn error_rates(least: f64) -> Vec<f64> {
    const STEPS: [f64; 10] = [1.0, 1.25, 1.6, 2.0, 2.5, 3.15, 4.0, 5.0, 6.3, 8.0];
    let decades = (1..=9).rev().map(|decade| 10_f64.powi(-decade));
    let rates = decades.flat_map(|decade| STEPS.map(|step| step * decade));
    rates
        .chain([1.0])
        .filter(|&rate| rate >= least * (1.0 - 1e-9))
        .collect()
}
