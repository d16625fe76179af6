//! The figures that an evaluation finds, each defined where it stands.

use serde::Serialize;

use super::split::Protocol;
use crate::decision::FALSE_ACCEPT_TARGET;
#[cfg(doc)]
use crate::gallery::Gallery;
use crate::recognizer::Settings;

/// Everything that was measured. Faces are named by their position in the
/// [`Gallery`] that was evaluated, people by their position in its
/// [`people`](crate::gallery::Gallery::people). Shares are from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The split of the faces.
    pub protocol: Protocol,
    /// The seed of everything random.
    pub seed: u64,
    /// Number of people.
    pub people: usize,
    /// Number of faces.
    pub faces: usize,
    /// Number of probes tried, over all folds and repeats.
    pub probes: usize,
    /// Faces that were never tried, because their person has no other photo to learn from, or because the
    /// protocol always learns from them.
    pub never_tried: usize,
    /// Number of times that was learned anew.
    pub folds: usize,
    /// Identification where everybody is enrolled.
    pub identification: Identification,
    /// Is it who they say they are?
    pub verification: Verification,
    /// Rank-1 of the nearest face by the plain distance between pixels: what eigenfaces must justify
    /// themselves against.
    pub raw_pixels_rank1: Rate,
    /// Rank-1 of the methods of the textbooks beside that of this evaluation, all on the same folds: those of
    /// [`k_curve_protocol`](Self::k_curve_protocol).
    pub baselines: Vec<Baseline>,
    /// Every probe with every person, where scores were asked for.
    pub scores: Vec<Score>,
    /// Recognition and reconstruction by the first K eigenfaces; K increasing.
    pub k_curve: Vec<KPoint>,
    /// The protocol of the curve: that of the evaluation, but ten parts instead of leaving one out, for the
    /// many K cost more than the many folds.
    pub k_curve_protocol: Protocol,
    /// The size of faces as weights.
    pub compression: Compression,
    /// Answers to strangers and to pictures of no face; `None` where too few people are there to play
    /// strangers.
    pub open_set: Option<OpenSet>,
    /// Probes that were taken for another person, the most mistaken first: at most
    /// [`MOST_WORST_PAIRS`], one for each pair of people.
    pub worst_pairs: Vec<WorstPair>,
    /// Photos that are probably wrong: duplicates, wrong labels, no face.
    pub suspects: Suspects,
    /// Settings of the comparison.
    pub settings: Settings,
    /// The confidence beyond which the default decision gives a name, by the calibration of the whole gallery.
    pub confidence_limit: Option<f64>,
    /// Time of each step.
    pub times: Times,
}

/// [`Evaluation::worst_pairs`] has at most so many.
pub const MOST_WORST_PAIRS: usize = 12;

/// A share of probes; with its spread where the protocol has repeats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rate {
    /// The mean over repeats.
    pub mean: f64,
    /// Its 95 % interval (Wilson 1927), as of so many tries as one repeat has, or as there are different faces: trying
    /// a face again tells little more.
    pub interval: [f64; 2],
    /// The sample standard deviation over repeats; `None` where there is one only.
    pub standard_deviation: Option<f64>,
}

/// Rank-1 of one method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Baseline {
    /// Which.
    pub method: BaselineMethod,
    /// Share of probes whose own person is the nearest; `None` where the method has nothing to learn from.
    pub rank1: Option<Rate>,
}

/// A way to recognise faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaselineMethod {
    /// The one that is evaluated, with the settings asked for.
    Asked,
    /// The nearest face by the plain distance between pixels.
    Pixels,
    /// The nearest face by the plain distance between weights (Turk & Pentland 1991).
    Eigenfaces,
    /// The nearest face by linear discriminants of the weights (Belhumeur, Hespanha & Kriegman 1997).
    Fisherfaces,
    /// The nearest face by histograms of local binary patterns, cell by cell (Ahonen, Hadid & Pietikäinen 2004).
    PatternHistograms,
}

impl OpenSet {
    /// Whether more strangers got a name than was aimed at, beyond what chance does with so many of them.
    pub fn misses_aim(&self) -> bool {
        self.strangers_named.interval[0] > FALSE_ACCEPT_TARGET
    }
}

impl BaselineMethod {
    /// The name that the field has for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Asked => "as asked",
            Self::Pixels => "plain pixels",
            Self::Eigenfaces => "eigenfaces",
            Self::Fisherfaces => "Fisherfaces",
            Self::PatternHistograms => "LBP histograms",
        }
    }
}

/// The distance of one person from one probe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The face that was tried.
    pub face: usize,
    /// In which repeat, from 0.
    pub repeat: usize,
    /// The person it was compared with.
    pub person: usize,
    /// The place of that person among all, from 1.
    pub rank: usize,
    /// The distance, by the metric and the cluster rule.
    pub distance: f64,
}

/// Figures of identification where everybody is enrolled (closed set): rank-1, CMC, confusions.
#[derive(Debug, Clone, PartialEq)]
pub struct Identification {
    /// Share of probes whose own person is the nearest.
    pub rank1: Rate,
    /// Cumulative match characteristic: at position r - 1 the share of probes whose own person is among
    /// the r nearest, r = 1 to 10 (fewer where there are fewer people).
    pub cmc: Vec<Rate>,
    /// Counts of the people that probes of each person were taken for: only those that occurred, right answers included,
    /// in the order of people.
    pub confusion: Vec<Confusion>,
    /// Every person of whom a photo was tried, in order.
    pub per_person: Vec<PersonAccuracy>,
    /// Every probe, fold after fold.
    pub trials: Vec<ProbeOutcome>,
}

/// One probe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeOutcome {
    /// The face that was tried.
    pub face: usize,
    /// The person.
    pub person: usize,
    /// In which repeat, from 0.
    pub repeat: usize,
    /// The person found nearest.
    pub named: usize,
    /// The place of its own person among all, from 1.
    pub rank: usize,
    /// Distance to its own person, by the metric and the cluster rule.
    pub own_distance: f64,
    /// Distance to the nearest other person.
    pub other_distance: f64,
    /// The nearest other person.
    pub other: usize,
    /// Probability that `named` is right, by the calibration of the whole gallery: a hint only, for that
    /// has seen the probe.
    pub confidence: f64,
}

/// The count of one person's probes that were taken for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Confusion {
    /// The person whose photos were tried.
    pub person: usize,
    /// The person who was found nearest; may be the same.
    pub named: usize,
    /// Number of times.
    pub count: usize,
}

/// One person's probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PersonAccuracy {
    /// The person.
    pub person: usize,
    /// Probes.
    pub probes: usize,
    /// Probes whose nearest person was right.
    pub right: usize,
}

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

/// Recognition by the first K eigenfaces: eigenfaces proper, whatever features were asked for, that is the weights of
/// the faces' pixels without copies, with the metric and the clusters asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct KPoint {
    /// K; in a fold with fewer, all of them.
    pub components: usize,
    /// Their share of the variance of the faces learned from; mean over folds.
    pub variance: f64,
    /// Rank-1 of the probes.
    pub rank1: f64,
    /// Its 95 % interval.
    pub rank1_interval: [f64; 2],
    /// J, the average squared error of the reconstruction over the total variation about the mean face, of
    /// the faces learned from: 1 - `variance`.
    pub error_learned: f64,
    /// J of the probes, which were never seen: always larger.
    pub error_unseen: f64,
    /// Peak signal-to-noise ratio of the reconstructed probes in decibels: 10 log10(255² / mean squared
    /// error of a pixel).
    pub psnr_unseen: f64,
}

/// The size of faces as weights, in the face space of all faces.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Compression {
    /// d, the number of pixels of a face: as many bytes.
    pub pixels: usize,
    /// K chosen from all faces.
    pub components: usize,
    /// K / d.
    pub share: f64,
    /// Bytes of a face's weights (4 each).
    pub bytes_a_face: usize,
    /// Share of the variance kept.
    pub variance: f64,
    /// The fewest and the most components chosen inside the folds of the curve.
    pub components_in_folds: (usize, usize),
}

/// Strangers and what is no face: people are split into enrolled and strangers, a few times over, so that
/// everybody is a stranger equally often. Of those enrolled, half of the photos are learned from, the
/// others are genuine probes. Everything is learned and calibrated from what is enrolled.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenSet {
    /// Number of splits of the people.
    pub splits: usize,
    /// People enrolled in each split (the fewest).
    pub enrolled: usize,
    /// Genuine probes, over all splits.
    pub genuine: usize,
    /// Probes of strangers, over all splits.
    pub strangers: usize,
    /// Share of genuine probes whose nearest person is right and which pass the threshold that 1 % of the
    /// strangers of the split pass at most: mean over splits, and the spread.
    pub identification_at_1_percent: Rate,
    /// The identification rate at 10 %.
    pub identification_at_10_percent: Rate,
    /// The identification rate at 1 % and 10 % for the nearest face by the plain distance between pixels.
    pub raw_pixels_at_1_percent: Rate,
    /// See above.
    pub raw_pixels_at_10_percent: Rate,
    /// Share of strangers that got a name by the default decision (aim: 1 %).
    pub strangers_named: Rate,
    /// Share of genuine probes that got their name by the default decision.
    pub named_rightly: Rate,
    /// Share of genuine probes that got another's name by the default decision.
    pub named_wrongly: Rate,
    /// Whether confidence means what it says.
    pub confidence: Reliability,
    /// Faces against what is no face.
    pub not_a_face: NotAFace,
}

/// Confidence against how often it is right, over all probes of the open set; strangers and genuine probes
/// weigh half each, as the confidence assumes.
#[derive(Debug, Clone, PartialEq)]
pub struct Reliability {
    /// Expected calibration error: the mean of |accuracy - confidence| over 10 bins of equal width, each
    /// counting by its weight.
    pub calibration_error: f64,
    /// Calibration error over 10 bins of equal weight (adaptive).
    pub adaptive_calibration_error: f64,
    /// The bins of equal width that are not empty.
    pub bins: Vec<ReliabilityBin>,
}

/// Probes of similar confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ReliabilityBin {
    /// Their mean confidence.
    pub confidence: f64,
    /// Share of names that were right.
    pub accuracy: f64,
    /// Their share of all.
    pub weight: f64,
}

/// Held-out faces against what is no face, by face score. Areas under the ROC curve: how often a face looks
/// more like a face than something else does.
#[derive(Debug, Clone, PartialEq)]
pub struct NotAFace {
    /// Share of held-out faces refused by the default decision.
    pub faces_refused: f64,
    /// Noise, every pixel on its own.
    pub noise: Apart,
    /// Noise, blurred.
    pub blurred_noise: Apart,
    /// Held-out faces upside down: the hardest, and a matter of taste.
    pub upside_down: Apart,
    /// Pictures without a face that were given.
    pub pictures: Option<Apart>,
}

/// Separation of faces from one kind of other pictures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Apart {
    /// Number of pictures, over all splits.
    pub count: usize,
    /// Area under the ROC curve.
    pub area: f64,
    /// The area by nothing but the distance from face space, all basis faces used.
    pub area_by_distance: f64,
    /// The ROC curve: `true_accepts` of faces against `false_accepts` of these pictures.
    pub roc: Vec<RocPoint>,
    /// The curve by the distance from face space.
    pub roc_by_distance: Vec<RocPoint>,
    /// Share refused by the default decision.
    pub refused: f64,
}

/// A probe that was taken for another person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorstPair {
    /// The probe.
    pub face: usize,
    /// The person it was taken for.
    pub named: usize,
    /// That person's face nearest to the probe by pixels.
    pub named_face: usize,
    /// Its own person's other face nearest to the probe by pixels.
    pub own_face: usize,
    /// Distance to its own person.
    pub own_distance: f64,
    /// Distance to the person it was taken for.
    pub named_distance: f64,
    /// Number of probes of this person that were taken for that one.
    pub count: usize,
}

/// Photos of the folder that a person should look at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Suspects {
    /// Pairs of photos that are nearly or exactly the same picture, under different people; the most alike
    /// first.
    pub duplicates: Vec<Duplicate>,
    /// Photos that are probably of another person, the surest first.
    pub mislabelled: Vec<Mislabelled>,
    /// Photos that are nearest to another person, the probably mislabelled ones among them.
    pub nearest_to_another: usize,
    /// Photos that do not look like a face, the least face-like first.
    pub not_faces: Vec<NotAFaceSuspect>,
}

/// Two photos that are nearly the same picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duplicate {
    /// One face, of the lower position.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// Correlation of their pixels: 1 is the same picture up to brightness and contrast.
    pub correlation: f64,
}

/// A photo that looks like another person's: left out, it is named as another with a confidence of more
/// than one half (or, with too few people for a confidence, is nearest to another).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mislabelled {
    /// The face.
    pub face: usize,
    /// The person it looks like.
    pub nearest: usize,
    /// Distance to its own person's other photos.
    pub own_distance: f64,
    /// Distance to the person it looks like.
    pub nearest_distance: f64,
    /// Probability that it is that person.
    pub confidence: f64,
}

/// A photo that does not look like a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NotAFaceSuspect {
    /// The face.
    pub face: usize,
    /// The face score, -1 to 1.
    pub face_score: f64,
    /// The face score that is asked for.
    pub limit: f64,
}

/// Wall-clock seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Times {
    /// Learning from all faces once, calibration included.
    pub learning: f64,
    /// Identifying one face that is ready, by that.
    pub identifying_a_face: f64,
    /// Learning and trying all folds, without calibration.
    pub folds: f64,
    /// The curve over K.
    pub k_curve: f64,
    /// The part with strangers, calibration included.
    pub open_set: f64,
}
