//! The constants of adapting, calibrating and deciding: everything that is neither learned with a background model nor from the gallery.
//!
//! Scores are in σ: standard deviations of a stranger's score above its mean, as the model expects them ([`Standard`]). Offsets are squared
//! lengths in terms of the variance between people. Pairs (a, b) stand for a + b / n, n the photos of a person. "Chosen" is: on AT&T, Yale, LFW and
//! CFP together, by cross-validation; docs/notebook/recognition.md has the tables. A background model of one's own is
//! calibrated by the same numbers but for strangers' scores, which are measured when it is learned.
//!
//! [`Standard`]: super::likelihood::Standard

// Domain shift: how far the gallery's kind of photos is from the background's.

/// Offset from which the domain has shifted entirely. Chosen.
pub const DOMAIN_SHIFT_AT: f64 = 0.12;

/// Offset assumed with nobody enrolled. Of pairs of strangers in AT&T, whose photos are of another kind, 0.6 to 2.8 % pass with .06 and .03
/// where 1 % is asked for, in LFW less than 0.1 %.
pub const UNKNOWN_OFFSET: f64 = 0.05;

/// Squared length of the mean of people of the background's own kind, in terms of what the model expects. Below 1, as lengths are
/// normalised. Measured on people of the background left out.
pub const FAMILIAR_OFFSET: (f64, f64) = (0.68, 0.18);

/// Offset from which photos count as distant, as unaligned crops are; and the most by which they do. Chosen.
pub const DISTANT_AT: f64 = 0.6;
/// See [`DISTANT_AT`].
pub const MAX_DISTANT: f64 = 2.0;

/// Offsets between which the mean of strangers' scores becomes [`DISTANT_LOCATION`]. Chosen.
pub const DISTANT_MEAN: (f64, f64) = (1.0, 1.5);

/// Mean of strangers' scores in distant photos, σ: what is common to them looks like a person. Chosen.
pub const DISTANT_LOCATION: f64 = 1.5;

/// Prior weight of the assumptions about distant photos, in people besides one, where faces are aligned by the eyes. Chosen.
pub const DISTANT_PRIOR_PEOPLE: f64 = 4.0;

/// Prior weight of the background's covariance of photos of one person, in photos (degrees of freedom). Chosen; 300 to 3,000 do alike.
pub const COVARIANCE_PRIOR_PHOTOS: f64 = 1_000.0;

// Strangers' scores.

/// Correction of the maximum of N dependent scores against that of N independent normal ones, σ: before a domain shift and after. Chosen.
pub const MAXIMUM_CORRECTION: (f64, f64) = (0.45, 0.15);

/// The same of the score of a pair of photos, σ. Chosen.
pub const PAIR_CORRECTION: f64 = 0.3;

/// Share of the expected mean of strangers' scores (below 0, as few people make up the domain's mean) that is left after a domain shift,
/// (a, b): the mean of shifted photos also contains what is common to their kind. Chosen.
pub const SHIFTED_LOCATION_SHARE: (f64, f64) = (0.7, 0.18);

/// Standard error of the mean of strangers' scores, as a share of it. Chosen.
pub const LOCATION_ERROR: f64 = 0.15;

/// Standard deviation of strangers' scores, σ: the background's own kind, where none was measured with the model; more after a domain shift; more in distant photos. Chosen.
pub const STRANGER_DEVIATION: f64 = 1.40;
/// See [`STRANGER_DEVIATION`].
pub const SHIFTED_DEVIATION: f64 = 0.45;
/// See [`STRANGER_DEVIATION`].
pub const DISTANT_DEVIATION: f64 = 0.70;

/// Prior weight of these deviations, in people, and people of a gallery that count against it at most. Chosen.
pub const DEVIATION_PRIOR_PEOPLE: f64 = 6.0;
/// See [`DEVIATION_PRIOR_PEOPLE`].
pub const MAX_PEOPLE_COUNTED: usize = 60;

/// Mean and standard deviation of a stranger's score against one person in hard light, σ, in galleries of any kind. Measured on Extended
/// Yale B (docs/notebook/recognition.md, "Light from the side").
pub const HARD_LIGHT_STRANGERS: (f64, f64) = (0.3, 1.0);

// Genuine scores: of another photo of an enrolled person.

/// Mean above strangers' in terms of what the model expects, (a, b), and its prior weight in photos. Measured on people left out.
pub const GENUINE: (f64, f64) = (0.85, -0.06);
/// See [`GENUINE`].
pub const GENUINE_PRIOR_PHOTOS: f64 = 10.0;

/// Standard deviation, σ, (a, b), and its prior weight in photos. Measured on people left out.
pub const GENUINE_DEVIATION: (f64, f64) = (1.9, 0.4);
/// See [`GENUINE_DEVIATION`].
pub const GENUINE_DEVIATION_PRIOR_PHOTOS: f64 = 20.0;

// Thresholds and probabilities.

/// z of the quantile of genuine scores (1 %) halfway to which a threshold is raised: photos enrolled in one sitting say too little of others
/// (docs/notebook/recognition.md, "Light from the side").
pub const GENUINE_QUANTILE: f64 = 2.33;

/// Factor by which raising a threshold lowers the share of strangers at most. Chosen.
pub const MAX_RAISE: f64 = 40.0;

/// Shift of the score of even odds above the crossing of both normal densities, in deviations of strangers' scores, for
/// their longer tail. Chosen.
pub const CROSSING_SHIFT: f64 = 0.3;

/// Factor of the slope of log-odds at the crossing: both densities have thinner shoulders than normal ones. Chosen.
pub const SLOPE_FACTOR: f64 = 1.2;

/// The highest probability told: the densities can be wrong by one in a thousand.
pub const MAX_CONFIDENCE: f64 = 0.999;

// Damage and hard light.

/// Log prior odds of a clean photo against each kind of damage. Chosen; 0 to 4 do alike.
pub const CLEAN_LOG_ODDS: f64 = 1.0;

/// Log prior odds of even light against hard light. Chosen on Extended Yale B and LFW.
pub const EVEN_LIGHT_LOG_ODDS: f64 = 5.0;

/// Posterior probability of damage or hard light below which it is 0, and nothing is taken off: coordinates keep every bit.
pub const NEGLIGIBLE: f64 = 1e-3;
