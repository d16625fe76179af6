//! Protocols: which faces are learned from, and which are probes.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use crate::compare::Fold;
use crate::error::{Error, Result};
use crate::gallery::Gallery;
use symmetric_eigen::Noise;

/// The split of faces into those to learn from and those to try.
///
/// A face is never tried against its own twin: photos of the same person with the same pixels as a tried
/// face are not learned from. (Yale holds nine such pairs; they would flatter.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protocol {
    /// Each face in turn is tried, all others are learned from.
    #[default]
    LeaveOneOut,
    /// The photos of every person are dealt into so many parts by the seed; each part in turn is tried.
    KFold(NonZeroUsize),
    /// The first so many photos of every person, in natural order, are learned from; the others are tried.
    First(NonZeroUsize),
    /// Number of random photos of every person that are learned from; the others are tried; repeated.
    Random {
        /// Photos a person to learn from.
        learned: NonZeroUsize,
        /// Number of repeats.
        repeats: NonZeroUsize,
    },
}

const MOST_FOLDS: usize = 1000;

impl std::str::FromStr for Protocol {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "expected `leave-one-out`, `k-fold:K` such as k-fold:10, `first:N` such as first:5, or \
             `random:NxR` such as random:5x10 (5 photos a person to learn from, 10 repeats)"
                .to_owned()
        };
        let count = |digits: &str, least: usize| {
            digits
                .parse::<NonZeroUsize>()
                .ok()
                .filter(|count| (least..=MOST_FOLDS).contains(&count.get()))
                .ok_or_else(wrong)
        };
        if text == "leave-one-out" {
            return Ok(Self::LeaveOneOut);
        }
        match text.split_once(':') {
            Some(("k-fold", folds)) => Ok(Self::KFold(count(folds, 2)?)),
            Some(("first", learned)) => Ok(Self::First(count(learned, 1)?)),
            Some(("random", both)) => {
                let (learned, repeats) = both.split_once('x').ok_or_else(wrong)?;
                Ok(Self::Random { learned: count(learned, 1)?, repeats: count(repeats, 1)? })
            }
            _ => Err(wrong()),
        }
    }
}

impl std::fmt::Display for Protocol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::LeaveOneOut => write!(f, "leave-one-out"),
            Self::KFold(folds) => write!(f, "k-fold:{folds}"),
            Self::First(learned) => write!(f, "first:{learned}"),
            Self::Random { learned, repeats } => write!(f, "random:{learned}x{repeats}"),
        }
    }
}

impl Protocol {
    /// Instead of leaving one out, where each fold is much work.
    pub(super) const TEN_PARTS: Self = Self::KFold(NonZeroUsize::new(10).expect("not zero"));

    /// The folds of this protocol over a gallery. The seed decides where chance is asked for.
    ///
    /// A face whose person would have nothing left to learn from is not tried.
    ///
    /// # Errors
    /// Fewer than two people, or nothing to try.
    pub fn folds(self, gallery: &Gallery, seed: u64) -> Result<Vec<Fold>> {
        let people = gallery.people().len();
        if people < 2 {
            return Err(Error::TooFewToEvaluate { people });
        }
        let photos = Photos::of(gallery);
        let folds: Vec<Fold> = match self {
            Self::LeaveOneOut => (0..gallery.len()).map(|tried| photos.fold(0, |face| face == tried)).collect(),
            Self::KFold(parts) => {
                let ranks = photos.shuffled_ranks(&mut Noise::seeded(seed));
                // Dealing goes on from person to person, so that parts are of one size.
                let part = |face: usize| (photos.starts[photos.persons[face]] + ranks[face]) % parts.get();
                (0..parts.get()).map(|tried| photos.fold(0, |face| part(face) == tried)).collect()
            }
            Self::First(learned) => {
                let rank = |face: usize| face - photos.starts[photos.persons[face]];
                vec![photos.fold(0, |face| rank(face) >= learned.get())]
            }
            Self::Random { learned, repeats } => {
                let mut noise = Noise::seeded(seed);
                (0..repeats.get())
                    .map(|repeat| {
                        let ranks = photos.shuffled_ranks(&mut noise);
                        photos.fold(repeat, |face| ranks[face] >= learned.get())
                    })
                    .collect()
            }
        };
        let folds: Vec<Fold> = folds.into_iter().filter(|fold| !fold.probes.is_empty()).collect();
        if folds.is_empty() {
            let different =
                |own: &[usize]| (own[0]..own[1]).map(|face| gallery.faces().face(face)).collect::<BTreeSet<_>>().len();
            let most = photos.starts.windows(2).map(different).max().unwrap_or(0);
            return Err(Error::NothingToTry { protocol: self.to_string(), most });
        }
        Ok(folds)
    }
}

/// Enrolled people and strangers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenFold {
    /// Faces of enrolled people to learn from.
    pub learned: Vec<usize>,
    /// Other faces of enrolled people.
    pub genuine: Vec<usize>,
    /// All faces of the other people; those of strangers that were given count from the gallery's number of faces.
    pub strangers: Vec<usize>,
}

/// Parts the people are split into for the open set; each part in turn plays the strangers.
const STRANGER_PARTS: usize = 4;

/// Number of times that people are dealt into parts anew.
const DEALS: usize = 2;

/// Splits of people into enrolled and strangers: dealt at random into four parts, each of which plays the strangers
/// once, twice over. Of enrolled people half of the photos (chosen at random, the odd one included) are learned
/// from. Twins of probes are not learned from. Empty where fewer than `least` people would be enrolled.
pub fn open_folds(gallery: &Gallery, least: usize, seed: u64) -> Vec<OpenFold> {
    let people = gallery.people().len();
    if people < least + people.div_ceil(STRANGER_PARTS) {
        return Vec::new();
    }
    let photos = Photos::of(gallery);
    let mut noise = Noise::seeded(seed);
    let mut folds = Vec::new();
    for _ in 0..DEALS {
        let mut order: Vec<usize> = (0..people).collect();
        shuffle(&mut order, &mut noise);
        let ranks = photos.shuffled_ranks(&mut noise);
        for part in 0..STRANGER_PARTS {
            let (strangers, enrolled): (Vec<usize>, Vec<usize>) =
                (0..gallery.len()).partition(|&face| order[photos.persons[face]] % STRANGER_PARTS == part);
            let (learned, genuine) = photos.halves(enrolled, &ranks);
            folds.push(OpenFold { learned, genuine, strangers });
        }
    }
    folds
}

/// As many splits where everybody is enrolled, and the strangers are so many others.
pub fn folds_with_strangers(gallery: &Gallery, strangers: usize, seed: u64) -> Vec<OpenFold> {
    let photos = Photos::of(gallery);
    let mut noise = Noise::seeded(seed);
    let splits = 0..DEALS * STRANGER_PARTS;
    let split = |_| {
        let ranks = photos.shuffled_ranks(&mut noise);
        let (learned, genuine) = photos.halves((0..gallery.len()).collect(), &ranks);
        OpenFold { learned, genuine, strangers: (gallery.len()..gallery.len() + strangers).collect() }
    };
    splits.map(split).collect()
}

/// Shuffles (Fisher & Yates).
pub(super) fn shuffle(items: &mut [usize], noise: &mut Noise) {
    for last in (1..items.len()).rev() {
        items.swap(last, noise.below(last + 1));
    }
}

/// Positions of each person's photos in the gallery.
pub(super) struct Photos<'a> {
    gallery: &'a Gallery,
    /// The person of each face.
    pub persons: Vec<usize>,
    /// The photos of person p are `starts[p]..starts[p + 1]`.
    pub starts: Vec<usize>,
}

impl<'a> Photos<'a> {
    pub fn of(gallery: &'a Gallery) -> Self {
        let mut starts = vec![0];
        for count in gallery.counts() {
            starts.push(starts[starts.len() - 1] + count);
        }
        Self { gallery, persons: gallery.persons(), starts }
    }

    /// Each photo's place in a random order of its person's photos.
    pub fn shuffled_ranks(&self, noise: &mut Noise) -> Vec<usize> {
        let mut ranks = Vec::with_capacity(self.persons.len());
        for bounds in self.starts.windows(2) {
            let mut own: Vec<usize> = (0..bounds[1] - bounds[0]).collect();
            shuffle(&mut own, noise);
            ranks.extend(own);
        }
        ranks
    }

    /// The faces of some people, half of each person's to learn from, the odd one included, and the others to try.
    fn halves(&self, faces: Vec<usize>, ranks: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let is_learned = |&face: &usize| {
            let person = self.persons[face];
            ranks[face] < (self.starts[person + 1] - self.starts[person]).div_ceil(2)
        };
        let (mut learned, mut probes) = faces.into_iter().partition(is_learned);
        self.drop_twins(&mut learned, &mut probes);
        (learned, probes)
    }

    /// The fold whose probes are chosen, and which learns from the others.
    fn fold(&self, repeat: usize, is_probe: impl Fn(usize) -> bool) -> Fold {
        let (mut probes, mut learned): (Vec<_>, Vec<_>) = (0..self.persons.len()).partition(|&face| is_probe(face));
        self.drop_twins(&mut learned, &mut probes);
        Fold { learned, probes, repeat }
    }

    /// Drops twins of probes from the faces to learn from, and probes of whoever has nothing left there.
    fn drop_twins(&self, learned: &mut Vec<usize>, probes: &mut Vec<usize>) {
        learned.retain(|&face| !self.has_twin(face, probes));
        let mut left = vec![false; self.starts.len()];
        for &face in &*learned {
            left[self.persons[face]] = true;
        }
        probes.retain(|&face| left[self.persons[face]]);
    }

    /// Whether another photo of the same person with the same pixels is among these (increasing).
    fn has_twin(&self, face: usize, among: &[usize]) -> bool {
        let person = self.persons[face];
        let from = among.partition_point(|&other| other < self.starts[person]);
        let to = among.partition_point(|&other| other < self.starts[person + 1]);
        let faces = self.gallery.faces();
        among[from..to].iter().any(|&other| faces.face(other) == faces.face(face))
    }
}
