//! The face detector: a funnel-structured cascade that slides a window over a pyramid of ever smaller copies.
//!
//! S. Wu, M. Kan, Z. He, S. Shan, X. Chen: Funnel-structured cascade for multi-view face detection with
//! alignment-awareness, Neurocomputing 221 (2017); its trained model was published as SeetaFace.
//!
//! 1. Every level of the pyramid is covered with windows of 40 x 40 pixels. Three boosted classifiers over locally
//!    assembled binary features ([`lab`]), one for frontal faces and one for each side, reject nearly all of them after
//!    a few table lookups.
//! 2. What is left, merged where windows overlap ([`suppression`]), goes through three ever larger neural networks
//!    over SURF features ([`surf`], [`network`]). Each rejects windows and moves and resizes those that it keeps.
//!
//! Boxes are those of the reference implementation, scores to seven digits: a test compares them with the crate `rustface`.
//! They do not depend on the number of threads: work is shared out in pieces whose results are put together in order.

use std::collections::HashMap;

use image::GrayImage;
use rayon::prelude::*;

mod lab;
mod model;
mod network;
mod resample;
mod suppression;
mod surf;
#[cfg(test)]
mod tests;

use lab::Boosted;
use network::TOGETHER;
use resample::{Region, Resampler};
pub(super) use suppression::merge;
use surf::Refinement;

/// Width and height of the window, in pixels: the smallest face that is found.
pub(super) const WINDOW: u32 = 40;

/// Each level of the pyramid is smaller than the one before by this factor.
pub(super) const LEVEL_SCALE: f32 = 0.8;

/// Windows of the first stage that share more than this part of their union are one find.
const OVERLAP_OF_WINDOWS: f32 = 0.8;

/// A square that may show a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    /// Its left edge, in pixels of the picture.
    pub left: i32,
    /// Its upper edge.
    pub top: i32,
    /// Its width and height.
    pub size: i32,
    /// The score of the last stage, summed over the candidates merged into it.
    pub score: f64,
}

impl Candidate {
    fn square(&self) -> Square {
        Square { top: self.top, left: self.left, size: self.size }
    }
}

/// The place of a candidate: row by row, each from left to right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Square {
    top: i32,
    left: i32,
    size: i32,
}

/// Which windows of a level of the pyramid are looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Windows<'a> {
    /// They are so many pixels apart.
    pub step: u32,
    /// None whose middle lies in one of these boxes: left, top, width and height in pixels of the picture.
    pub outside: &'a [[f32; 4]],
}

impl Windows<'_> {
    fn all(step: u32) -> Self {
        Self { step, outside: &[] }
    }
}

/// The windows accepted on one level of the pyramid: for each view, row by row.
type Level = Vec<Vec<Candidate>>;

/// Conditions on which a face fills a picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filling {
    /// At least so many pixels wide and high.
    pub size: f32,
    /// With at least this score.
    pub score: f64,
}

impl Filling {
    fn by_size(self, candidate: &Candidate) -> bool {
        candidate.size as f32 >= self.size
    }

    fn by(self, face: &Candidate) -> bool {
        self.by_size(face) && face.score >= self.score
    }
}

/// The trained cascade.
#[derive(Debug)]
pub(super) struct Detector {
    /// The first stage: a classifier for each view of a face.
    views: Vec<Boosted>,
    /// The later stages.
    refinements: Vec<Refinement>,
}

impl Detector {
    /// Reads the published model file; `None` where it is not the whole file.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        model::read(bytes)
    }

    /// All faces of a picture, the surest first. Windows looked at are `step` pixels apart on every level.
    pub fn detect(&self, picture: &GrayImage, step: u32) -> Vec<Candidate> {
        let levels = self.scan_levels(picture, &scales(picture), Windows::all(step));
        self.judge(picture, &levels, &mut RefinementCache::default())
    }

    /// As [`detect`](Self::detect), of the smallest faces only: those of so many levels of the pyramid.
    pub fn detect_finest(
        &self,
        picture: &GrayImage,
        windows: Windows<'_>,
        levels: usize,
        cache: &mut RefinementCache,
    ) -> Vec<Candidate> {
        let scales = scales(picture);
        let levels = self.scan_levels(picture, &scales[..levels.min(scales.len())], windows);
        self.judge(picture, &levels, cache)
    }

    /// As [`detect`](Self::detect), of the large faces only: those of levels for faces of so many pixels and more.
    pub fn detect_large(&self, picture: &GrayImage, step: u32, large: f32) -> Vec<Candidate> {
        let levels = self.scan_levels(picture, split_at(&scales(picture), large).1, Windows::all(step));
        self.judge(picture, &levels, &mut RefinementCache::default())
    }

    /// As [`detect`](Self::detect), but levels for faces smaller than `large` pixels are only looked through where the
    /// others show no face that fills the picture. It is the small faces that take the time.
    pub fn detect_large_first(&self, picture: &GrayImage, step: u32, large: f32, fills: Filling) -> Vec<Candidate> {
        let scales = scales(picture);
        let (fine, coarse) = split_at(&scales, large);
        let coarse = self.scan_levels(picture, coarse, Windows::all(step));
        let mut cache = RefinementCache::default();
        // Networks look at windows only where one is large enough already: they move and resize it a little.
        if coarse.iter().flatten().flatten().any(|window| fills.by_size(window)) {
            let found = self.judge(picture, &coarse, &mut cache);
            if found.iter().any(|face| fills.by(face)) {
                return found;
            }
        }
        let mut levels = self.scan_levels(picture, fine, Windows::all(step));
        levels.extend(coarse);
        self.judge(picture, &levels, &mut cache)
    }

    /// The windows that the first stage accepts.
    fn scan_levels(&self, picture: &GrayImage, scales: &[f32], windows: Windows<'_>) -> Vec<Level> {
        scales.par_iter().map(|&scale| self.scan(picture, scale, windows)).collect()
    }

    /// The faces among the windows that the first stage accepted on these levels.
    fn judge(&self, picture: &GrayImage, levels: &[Level], cache: &mut RefinementCache) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for view in 0..self.views.len() {
            let found: Vec<Candidate> = levels.iter().filter_map(|level| level.get(view)).flatten().copied().collect();
            candidates.extend(suppression::merge(found, OVERLAP_OF_WINDOWS));
        }
        for (number, stage) in self.refinements.iter().enumerate() {
            candidates = refine(picture, (number, stage), &candidates, cache);
            if let Some(overlap) = stage.overlap {
                candidates = suppression::merge(candidates, overlap);
            }
        }
        candidates
    }

    /// Looks through one level of the pyramid.
    fn scan(&self, picture: &GrayImage, scale: f32, windows: Windows<'_>) -> Level {
        let scaled = |length: u32| (length as f32 * scale) as u32;
        let (width, height) = (scaled(picture.width()), scaled(picture.height()));
        if width.min(height) < WINDOW {
            return Vec::new();
        }
        let size = (width as usize, height as usize);
        let mut resampled = Vec::new();
        let pixels: &[u8] = match (width, height) == picture.dimensions() {
            true => picture,
            false => {
                resampled.resize(size.0 * size.1, 0);
                Resampler::default().resample(picture, Region::whole(picture), size, &mut resampled);
                &resampled
            }
        };
        let codes = lab::Codes::of(pixels, size.0, size.1);
        let outside: Vec<[f32; 4]> = windows.outside.iter().map(|edges| edges.map(|edge| edge * scale)).collect();
        let grid = lab::Grid::new(windows.step as usize, size, &outside);

        let in_picture = |at: usize| (at as f32 / scale + 0.5) as i32;
        let candidate = |window: lab::Window| Candidate {
            left: in_picture(window.left),
            top: in_picture(window.top),
            size: in_picture(WINDOW as usize),
            score: f64::from(window.score),
        };
        let scan = |view: &Boosted| view.scan(&codes, pixels, &grid).into_iter().map(candidate).collect();
        self.views.par_iter().map(scan).collect()
    }
}

/// The scales of the pyramid's levels, from 1 down to where the window no longer fits.
fn scales(picture: &GrayImage) -> Vec<f32> {
    let shortest = picture.width().min(picture.height());
    let smallest = WINDOW as f32 / shortest as f32;
    std::iter::successors(Some(1.0), |scale| Some(scale * LEVEL_SCALE)).take_while(|&scale| scale >= smallest).collect()
}

/// The scales of levels for faces smaller than so many pixels, and the others.
fn split_at(scales: &[f32], large: f32) -> (&[f32], &[f32]) {
    scales.split_at(scales.partition_point(|scale| (WINDOW as f32) < large * scale))
}

/// What networks said of the squares of one picture, by the number of the stage: another look at it takes less time.
#[derive(Debug, Default)]
pub(super) struct RefinementCache(HashMap<(usize, Square), Option<Candidate>>);

/// Lets a network look at every candidate; keeps those that it accepts, moved to where it sees the face.
fn refine(
    picture: &GrayImage,
    (number, stage): (usize, &Refinement),
    candidates: &[Candidate],
    RefinementCache(cache): &mut RefinementCache,
) -> Vec<Candidate> {
    // Views share squares. Neighbours, which share pixels, come one after the other.
    let squares = candidates.iter().map(Candidate::square);
    let mut new: Vec<Square> = squares.filter(|&square| !cache.contains_key(&(number, square))).collect();
    new.sort_unstable();
    new.dedup();
    let looked: Vec<[Option<Candidate>; TOGETHER]> = new
        .par_chunks(TOGETHER)
        .map_init(surf::Looker::default, |looker, squares| looker.look(picture, stage, squares))
        .collect();
    let new = new.into_iter().map(|square| (number, square));
    cache.extend(new.zip(looked.into_iter().flatten()));
    candidates.iter().filter_map(|candidate| cache[&(number, candidate.square())]).collect()
}
