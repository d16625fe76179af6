//! Training samples of the steps: faces with disturbed eye positions.

use eigenfaces::locate::descent::{Eyes, Step};
use eigenfaces::locate::eyes::{Portrait, disturbed};
use image::imageops;
use rayon::prelude::*;

use crate::photos::MarkedFace;

/// A face and its mirror image are in the same of so many parts.
pub const FOLDS: usize = 5;

/// One walk under way. All coordinates are portrait pixels.
pub struct Sample {
    pub portrait: usize,
    pub now: Eyes,
    pub truth: Eyes,
}

pub struct Samples {
    pub portraits: Vec<Portrait>,
    pub samples: Vec<Sample>,
}

impl Samples {
    /// Every face and its mirror image, each from `starts` disturbed starts.
    pub fn new(faces: &[MarkedFace], start: Eyes, starts: usize) -> Self {
        let pairs: Vec<[(Portrait, Eyes); 2]> = faces.par_iter().map(with_mirror).collect();
        let (mut portraits, mut samples) = (Vec::new(), Vec::new());
        let mut random = Random(20_131_123);
        for (portrait, truth) in pairs.into_iter().flatten() {
            for _ in 0..starts {
                let shift = [random.normal() * 0.13, random.normal() * 0.13];
                let by = [shift[0], shift[1], random.normal() * 0.15, libm::expf(random.normal() * 0.12)];
                let now = disturbed(start, by).map(Portrait::from_box);
                samples.push(Sample { portrait: portraits.len(), now, truth });
            }
            portraits.push(portrait);
        }
        Self { portraits, samples }
    }

    pub fn fold(&self, sample: &Sample) -> usize {
        sample.portrait / 2 % FOLDS
    }

    /// Takes a step with every sample: the one learned without the sample's fold.
    pub fn advance(&mut self, by_fold: &[Step]) {
        let portraits = &self.portraits;
        self.samples.par_iter_mut().for_each(|sample| {
            let step = &by_fold[sample.portrait / 2 % FOLDS];
            sample.now = step.take(portraits[sample.portrait].picture(), sample.now);
        });
    }

    /// Mean error of the worse eye, in distances between the eyes.
    pub fn mean_error(&self) -> f32 {
        let sum: f32 = self.samples.iter().map(|sample| error(sample.now, sample.truth)).sum();
        sum / self.samples.len() as f32
    }
}

/// The larger error of the two eyes, in (true) distances between the eyes.
pub fn error(found: Eyes, truth: Eyes) -> f32 {
    let distance = |one: [f32; 2], other: [f32; 2]| libm::hypotf(one[0] - other[0], one[1] - other[1]);
    distance(found[0], truth[0]).max(distance(found[1], truth[1])) / distance(truth[0], truth[1])
}

/// The mean position of the eyes, in boxes from the box's middle; made symmetric.
pub fn mean_eyes(faces: &[MarkedFace]) -> Eyes {
    let mut sums = [0.0f64; 2];
    for face in faces {
        let [left, right] = face.eyes.map(|eye| {
            let [x, y, w, h] = face.bounds;
            let side = w.max(h);
            [(eye[0] + 0.5 - x - w / 2.0) / side, (eye[1] + 0.5 - y - h / 2.0) / side]
        });
        sums[0] += f64::from(right[0] - left[0]) / 2.0;
        sums[1] += f64::from(right[1] + left[1]) / 2.0;
    }
    let [x, y] = sums.map(|sum| (sum / faces.len() as f64) as f32);
    [[-x, y], [x, y]]
}

fn with_mirror(face: &MarkedFace) -> [(Portrait, Eyes); 2] {
    let portrait = Portrait::new(&face.photo, face.bounds);
    let truth = face.eyes.map(|eye| portrait.from_photo(eye));

    let width = face.photo.width() as f32;
    let [x, y, w, h] = face.bounds;
    let mirror = Portrait::new(&imageops::flip_horizontal(&face.photo), [width - x - w, y, w, h]);
    let [left, right] = face.eyes.map(|[x, y]| mirror.from_photo([width - 1.0 - x, y]));
    [(portrait, truth), (mirror, [right, left])]
}

/// SplitMix64 (Steele, Lea & Flood 2014): a few lines, the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// From 0 up to 1.
    fn uniform(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Nearly normal with variance 1, never beyond 3.5: the scaled sum of four uniform numbers.
    fn normal(&mut self) -> f32 {
        ((0..4).map(|_| self.uniform()).sum::<f32>() - 2.0) * 3.0f32.sqrt()
    }
}
