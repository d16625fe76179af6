//! The mean of photos of one kind, when nobody knows how many people they show.
//!
//! The mean of a folder's faces lies away from the background's for two reasons: its photos are of another kind (other
//! cameras, other light), and it holds few people, whose own faces do not average out. Only the first is to be taken
//! off; taking off the second makes the photos of one person look like strangers. The two are told apart by pairs of
//! faces: strangers' coordinates are on average orthogonal but for what the kind of the photos adds to both.

use nalgebra::DMatrix;

use crate::background::{Background, Channel, inner_product};

/// Strangers' pairs are sought in the least similar quarter of all, as long as about half at most show one person.
const LOW: f64 = 0.25;

/// Offset of the mean of strangers' inner products from that quarter, in units of the variance between people.
/// (.107 on LFW, .180 on AT&T, .290 on CFP, where most of these are strangers' already.)
const ABOVE_LOW: f64 = 0.135;

/// The largest offset that is believed of pairs alone: photos of one person have inner products of .6 to 1.7 too.
const MOST_OF_PAIRS: f64 = 0.8;

/// The largest offset (1.42 was seen: faces that a program draws).
const MOST: f64 = 2.0;

/// The spread of the standardised scores of strangers' faces, and what one unit of offset adds to it.
const SPREAD: f64 = 1.40;
const OFFSET_SPREAD: f64 = 1.5;

/// Faces whose pairs the quarter is read from, at most.
const MOST_PAIRED: usize = 500;

pub(super) struct Domain {
    /// The mean to take off coordinates (2k).
    pub mean: [Vec<f64>; 2],
    /// The squared length of what this kind of photos adds, over the variance between people: 0 for the background's own.
    offset: f64,
}

impl Domain {
    /// From the least similar pairs of faces. `raw` are their coordinates (2k x n).
    pub fn of_pairs(background: &Background, raw: &DMatrix<f32>) -> Self {
        let between = between(background);
        let some: Vec<usize> = (0..raw.ncols()).step_by(raw.ncols().div_ceil(MOST_PAIRED).max(1)).collect();
        let mut products: Vec<f64> = Vec::new();
        for (at, &one) in some.iter().enumerate() {
            let pairs = some[at + 1..].iter();
            products.extend(
                pairs.map(|&other| inner_product(raw.column(one).as_slice(), raw.column(other).as_slice()) / between),
            );
        }
        products.sort_unstable_by(f64::total_cmp);
        let low = products.get((LOW * products.len() as f64) as usize);
        Self::new(raw, between, low.map_or(MOST_OF_PAIRS, |low| (low + ABOVE_LOW).min(MOST_OF_PAIRS)))
    }

    /// From pairs of faces in different groups; `None` if there is only one group.
    pub fn of_groups(background: &Background, raw: &DMatrix<f32>, groups: &[Vec<usize>]) -> Option<Self> {
        let between = between(background);
        let squared = |faces: &mut dyn Iterator<Item = usize>| {
            let mut sum = vec![0.0; raw.nrows()];
            for face in faces {
                add(&mut sum, raw, face);
            }
            sum.iter().map(|value| value * value).sum::<f64>()
        };
        // Of the products of all pairs, those within groups are left out.
        let all = squared(&mut groups.iter().flatten().copied());
        let within: f64 = groups.iter().map(|group| squared(&mut group.iter().copied())).sum();
        let count = |faces: usize| (faces as f64).powi(2);
        let pairs = count(raw.ncols()) - groups.iter().map(|group| count(group.len())).sum::<f64>();
        (pairs > 0.0).then(|| Self::new(raw, between, (all - within) / pairs / between))
    }

    /// The spread of the standardised scores of strangers' faces: the more another kind of photos, the larger.
    pub fn spread(&self) -> f64 {
        SPREAD + OFFSET_SPREAD * self.offset
    }

    /// The mean of all faces, as far as it is due to the kind of photos: the linear estimate with the smallest expected
    /// error (Wiener), given the squared length of what is sought.
    fn new(raw: &DMatrix<f32>, between: f64, offset: f64) -> Self {
        let (count, offset) = (raw.ncols() as f64, offset.clamp(0.0, MOST));
        let mut mean = vec![0.0; raw.nrows()];
        for face in 0..raw.ncols() {
            add(&mut mean, raw, face);
        }
        mean.iter_mut().for_each(|sum| *sum /= count.max(1.0));
        let share = offset / (mean.iter().map(|value| value * value).sum::<f64>() / between).max(f64::MIN_POSITIVE);
        let share = share.clamp(0.0, count / (count + 1.0));
        mean.iter_mut().for_each(|value| *value *= share);
        let (first, second) = mean.split_at(raw.nrows() / 2);
        Self { mean: [first.to_vec(), second.to_vec()], offset }
    }
}

/// The variance between people, of all coordinates together.
fn between(background: &Background) -> f64 {
    Channel::ALL.into_iter().flat_map(|channel| background.between_people(channel)).sum::<f64>().max(f64::MIN_POSITIVE)
}

fn add(sum: &mut [f64], raw: &DMatrix<f32>, face: usize) {
    for (sum, &value) in sum.iter_mut().zip(raw.column(face).iter()) {
        *sum += f64::from(value);
    }
}
