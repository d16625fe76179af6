//! Figures of verification: whether somebody is who they say they are.

use serde::Serialize;

/// Is it who they say they are? Every probe claims in turn to be every enrolled person: genuine where it is
/// true, an impostor where not. The score is the distance to the claimed person.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// True claims.
    pub genuine: usize,
    /// False claims.
    pub impostors: usize,
    /// The rate at which as many false claims are accepted as true ones are rejected (on the line between
    /// the two points of the curve next to it).
    pub equal_error_rate: f64,
    /// Its 95 % interval, as of so many tries as there are true claims.
    pub equal_error_interval: [f64; 2],
    /// Area under the ROC curve: how often a true claim is nearer than a false one, ties counting half.
    pub area: f64,
    /// The ROC curve from (0, 0) to (1, 1), both coordinates never decreasing; at most a few hundred points,
    /// straight between.
    pub roc: Vec<RocPoint>,
}

/// A point of a ROC curve: at some threshold...
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RocPoint {
    /// ...the share of false claims accepted...
    pub false_accepts: f64,
    /// ...and the share of true claims accepted.
    pub true_accepts: f64,
}
