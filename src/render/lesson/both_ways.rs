//! The large matrix and the small one: the same basis faces by both, and what each takes.

use std::time::Instant;

use image::{GrayImage, Luma};
use minijinja::{Value, context};

use super::{Lesson, grouped, picture, signed, tile};
use crate::error::Result;
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::pca::{ComponentCount, Components, InnerProducts, Pca, Solver};

/// Both ways are gone with at most so many pixels: the large matrix of more takes gigabytes.
const MOST_PIXELS: usize = 6_000;

/// Faces whose inner products are pictured, and the side of one of their squares where they are few.
const MOST_PICTURED: usize = 200;
const LARGEST_SQUARE: usize = 16;

/// Basis faces that are compared, and shown by both ways.
const COMPARED: usize = 8;
const SHOWN: usize = 3;

impl Lesson<'_> {
    /// The two ways, measured; `None` of a single picture, which no direction leads from.
    pub(super) fn both_ways(&self) -> Result<Option<Value>> {
        let faces = small_enough(self.gallery.faces())?;
        let size = faces.size();
        let (d, n) = (size.pixels(), faces.len());
        let wanted = COMPARED.min(self.space.components()).min(n.saturating_sub(1)).max(1);
        let timed = |solver: Solver| -> Option<(Components, f64)> {
            let started = Instant::now();
            let found = Pca { components: ComponentCount::Count(wanted), solver }.fit(&faces).ok()?;
            Some((found, started.elapsed().as_secs_f64() * 1e3))
        };
        let Some((small, small_time)) = timed(Solver::Gram) else { return Ok(None) };
        let Some((large, large_time)) = timed(Solver::Covariance) else { return Ok(None) };
        let compared = small.count().min(large.count());
        let cosine = |at: usize| large.basis.column(at).dot(&small.basis.column(at)).abs();
        let agreement = (0..compared).map(cosine).fold(1.0, f64::min);
        let face = |found: &Components, at: usize, how: &str| {
            let values: Vec<f32> = found.basis.column(at).iter().map(|&value| value as f32).collect();
            tile(signed(size, &values), format!("basis face {}", at + 1), how)
        };
        let pairs = (0..compared.min(SHOWN))
            .map(|at| [face(&large, at, "by the large table"), face(&small, at, "by the small one")]);
        let numbers = |side: usize| grouped((side as f64).powi(2));
        let bytes = |side: usize| bytes((side as f64).powi(2) * 8.0);
        let (gram, pictured) = gram(&faces);
        Ok(Some(context! {
            size => format!("{} x {}", size.width(), size.height()),
            is_smaller => size != self.gallery.faces().size(),
            pixels => grouped(d as f64),
            faces => n,
            // Of the large matrix (d x d) and of the small one (n x n).
            large_numbers => numbers(d),
            large_bytes => bytes(d),
            small_numbers => numbers(n),
            small_bytes => bytes(n),
            large_time => milliseconds(large_time),
            small_time => milliseconds(small_time),
            gram => picture(gram.into()),
            pictured,
            pairs => pairs.collect::<Value>(),
            agreement => format!("{agreement:.6}"),
            compared,
        }))
    }
}

/// The faces, of every second or third pixel in both directions where they have too many.
fn small_enough(faces: &FaceMatrix) -> Result<FaceMatrix> {
    let size = faces.size();
    let (width, height) = (size.width() as usize, size.height() as usize);
    let step = (1..).find(|step| width.div_ceil(*step) * height.div_ceil(*step) <= MOST_PIXELS).unwrap_or(1);
    if step == 1 {
        return Ok(faces.clone());
    }
    let rows = || (0..height).step_by(step);
    let columns = || (0..width).step_by(step);
    let smaller = FaceSize::new(columns().count() as u32, rows().count() as u32)?;
    let pixels = faces.faces().flat_map(|face| rows().flat_map(move |y| columns().map(move |x| face[y * width + x])));
    Ok(FaceMatrix::from_pixels(smaller, pixels.collect())?)
}

/// The small matrix of the first faces as a picture: the cosine between centred faces, white for 1, gray for 0.
fn gram(faces: &FaceMatrix) -> (GrayImage, usize) {
    let count = faces.len().min(MOST_PICTURED);
    let chosen: Vec<usize> = (0..count).collect();
    let products = InnerProducts::of(faces);
    let weights = products.fit(&chosen, ComponentCount::Share(1.0)).map(|space| space.training_weights());
    let side = (MOST_PICTURED * 2 / count.max(1)).clamp(1, LARGEST_SQUARE) as u32;
    let cosine = |a: usize, b: usize| match &weights {
        Ok(weights) => {
            let (a, b) = (weights.column(a), weights.column(b));
            a.dot(&b) / (a.norm() * b.norm()).max(f32::MIN_POSITIVE)
        }
        Err(_) => 1.0,
    };
    let mut image = GrayImage::new(count as u32 * side, count as u32 * side);
    for a in 0..count {
        for b in 0..count {
            let level = (128.0 + 127.0 * cosine(a, b)).round().clamp(0.0, 255.0) as u8;
            for (x, y) in (0..side).flat_map(|x| (0..side).map(move |y| (x, y))) {
                image.put_pixel(b as u32 * side + x, a as u32 * side + y, Luma([level]));
            }
        }
    }
    (image, count)
}

fn milliseconds(time: f64) -> String {
    match time {
        0.0..10.0 => format!("{time:.2} ms"),
        _ => format!("{} ms", grouped(time)),
    }
}

fn bytes(count: f64) -> String {
    match count {
        0.0..1e6 => format!("{:.0} KB", count / 1e3),
        1e6..1e9 => format!("{:.0} MB", count / 1e6),
        _ => format!("{:.1} GB", count / 1e9),
    }
}
