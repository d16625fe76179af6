//! Face maps: how unlike a face every part of a larger picture is. Faces are where it is low.
//!
//! With the window x at one position, the mean face m and the eigenfaces u_i, the map holds
//! ε² = ‖x - m‖² - Σ (u_iᵀ(x - m))². Every term is a sum over the window, found for all positions at once: Σx² by
//! an integral image in exact integers, mᵀx and u_iᵀx as correlations by the fast Fourier transform, which takes
//! log(pixels) steps a pixel where the naive loop takes one for every pixel of a face.
//!
//! Source: M. Turk and A. Pentland, "Eigenfaces for recognition", 1991, section "Using eigenfaces to detect faces". As they note,
//! the distance alone judges by contrast as well: a flat wall lies near every face space. A likelihood is fairer: see [`Measure`].

mod likelihood;
mod scales;

use image::{GrayImage, imageops};

use crate::error::PhotoProblem;
use crate::face_matrix::FaceSize;
use crate::face_space::FaceSpace;
use crate::normalize::summed_area::SummedArea;
use correlation::Tiling;
pub use scales::{FaceMaps, LocalMinimum};

/// The measure of a window in a face map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Measure {
    /// ε over √d: the distance from face space in gray levels a pixel (Turk & Pentland).
    #[default]
    Distance,
    /// Unlikeness to a face once the window's level and contrast are those of the mean face: with the weights w and the distance ε
    /// of the window so evened out, the root of (Σ w_i² / λ_i + ε² / ρ) / d, where ρ is the mean of the eigenvalues left out.
    /// Values compare parts of one photo: half to all of 1 for faces learned from, and no fixed limit tells them from other
    /// pictures. It is minus the logarithm of the likelihood of B. Moghaddam & A. Pentland (IEEE Trans. PAMI 19(7), 1997): flat
    /// walls and plain gradients, near face space though they are, are no likely faces. A flat window counts as [`FLAT`].
    Likelihood,
}

/// The value of a window without contrast, and the largest value of any.
pub const FLAT: f64 = 10.0;

/// Distance from face space of a window of face size, for every position in a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct FaceMap {
    size: FaceSize,
    /// Positions from left to right and from top to bottom.
    positions: (usize, usize),
    /// Row after row, by the upper left corner of the window.
    values: Vec<f64>,
}

/// A place where the map is lower than all around.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Minimum {
    /// Left edge of the window, in pixels of the picture.
    pub x: u32,
    /// Upper edge.
    pub y: u32,
    /// The value of the map there.
    pub value: f64,
}

impl FaceMap {
    /// The map of a picture, by the `leading` eigenfaces (or all): many of them rebuild anything, and nothing stands out.
    ///
    /// # Errors
    /// A picture smaller than a face.
    pub fn new(space: &FaceSpace, leading: usize, picture: &GrayImage, measure: Measure) -> Result<Self, PhotoProblem> {
        let size = space.size();
        let (width, height) = picture.dimensions();
        if width < size.width() || height < size.height() {
            return Err(PhotoProblem::Unmapped {
                reason: format!(
                    "{width}x{height} pixels are less than a face of {size}; take a larger photo, or scale it up"
                ),
            });
        }
        let positions = ((width - size.width()) as usize + 1, (height - size.height()) as usize + 1);
        let d = size.pixels() as f64;
        let sums = WindowSums::of(picture, size);
        let mut values = match measure {
            Measure::Likelihood => likelihood::unlikeliness(space, leading, picture, &sums),
            Measure::Distance => squared_distances(space, leading, picture, &sums),
        };
        for (at, value) in values.iter_mut().enumerate() {
            // Rounding may leave a little less than nothing.
            let root = (value.max(0.0) / d).sqrt();
            *value = match measure {
                Measure::Distance => root,
                Measure::Likelihood => match sums.contrast(at % positions.0, at / positions.0) {
                    contrast if contrast > 0.0 => root.min(FLAT),
                    _ => FLAT,
                },
            };
        }
        Ok(Self { size, positions, values })
    }

    /// Number of positions, from left to right and from top to bottom.
    pub fn positions(&self) -> (usize, usize) {
        self.positions
    }

    /// The values, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// At most `count` lowest places, lowest first, no two within half a face of each other; of equals the upper left.
    pub fn minima(&self, count: usize) -> Vec<Minimum> {
        let (columns, rows) = self.positions;
        let reach = ((self.size.width() / 2).max(1) as usize, (self.size.height() / 2).max(1) as usize);
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        order.sort_by(|&a, &b| self.values[a].total_cmp(&self.values[b]).then(a.cmp(&b)));
        let mut taken = vec![false; self.values.len()];
        let mut found = Vec::new();
        for at in order {
            if found.len() == count {
                break;
            }
            let (x, y) = (at % columns, at / columns);
            if taken[at] || !self.is_lowest_around(x, y) {
                continue;
            }
            found.push(Minimum { x: x as u32, y: y as u32, value: self.values[at] });
            for row in y.saturating_sub(reach.1)..(y + reach.1 + 1).min(rows) {
                let (left, right) = (x.saturating_sub(reach.0), (x + reach.0 + 1).min(columns));
                taken[row * columns + left..row * columns + right].fill(true);
            }
        }
        found
    }

    /// Whether none of the up to eight positions around is lower.
    fn is_lowest_around(&self, x: usize, y: usize) -> bool {
        let (columns, rows) = self.positions;
        let value = self.values[y * columns + x];
        (y.saturating_sub(1)..(y + 2).min(rows)).all(|row| {
            let from = row * columns;
            self.values[from + x.saturating_sub(1)..from + (x + 2).min(columns)].iter().all(|&other| other >= value)
        })
    }

    /// The value of the window whose middle is nearest to a place of the picture; `None` where no window fits.
    fn value_at(&self, x: f64, y: f64) -> Option<f64> {
        let (left, top) = (x - f64::from(self.size.width()) / 2.0, y - f64::from(self.size.height()) / 2.0);
        let (column, row) = (left.round(), top.round());
        let inside =
            column >= 0.0 && row >= 0.0 && (column as usize) < self.positions.0 && (row as usize) < self.positions.1;
        inside.then(|| self.values[row as usize * self.positions.0 + column as usize])
    }
}

/// A picture scaled by a factor, averaged where it becomes smaller; at least one pixel remains.
pub fn scaled(picture: &GrayImage, scale: f64) -> GrayImage {
    let side = |length: u32| ((f64::from(length) * scale).round() as u32).max(1);
    let (width, height) = (side(picture.width()), side(picture.height()));
    if (width, height) == picture.dimensions() {
        return picture.clone();
    }
    imageops::resize(picture, width, height, imageops::FilterType::Triangle)
}

/// The leading eigenfaces, d numbers each.
fn leading_eigenfaces(space: &FaceSpace, leading: usize) -> Vec<Vec<f64>> {
    let eigenfaces = space.basis().column_iter().take(leading);
    eigenfaces.map(|face| face.iter().map(|&value| f64::from(value)).collect()).collect()
}

/// ε² at every position, row after row.
fn squared_distances(space: &FaceSpace, leading: usize, picture: &GrayImage, sums: &WindowSums) -> Vec<f64> {
    let size = space.size();
    let (width, height) = (size.width() as usize, size.height() as usize);
    let mean = space.mean().as_slice();
    let mean_squared: f64 = mean.iter().map(|level| level * level).sum();
    let eigenfaces = leading_eigenfaces(space, leading);
    // u_iᵀ m, which the window's u_iᵀ x is less by.
    let offsets: Vec<f64> = eigenfaces.iter().map(|face| face.iter().zip(mean).map(|(u, m)| u * m).sum()).collect();
    let templates: Vec<&[f64]> = std::iter::once(mean).chain(eigenfaces.iter().map(Vec::as_slice)).collect();

    let columns = picture.width() as usize - width + 1;
    let mut squared: Vec<f64> = (0..columns * (picture.height() as usize - height + 1))
        .map(|at| sums.over(at % columns, at / columns)[1] as f64 + mean_squared)
        .collect();
    let term = |_: usize, template: usize, correlation: f64| match template.checked_sub(1) {
        None => -2.0 * correlation,
        Some(eigenface) => -(correlation - offsets[eigenface]).powi(2),
    };
    Tiling::new(picture, (width, height)).correlate(&templates, &mut squared, term);
    squared
}

struct WindowSums {
    size: (usize, usize),
    sums: SummedArea,
}

impl WindowSums {
    fn of(picture: &GrayImage, size: FaceSize) -> Self {
        Self {
            size: (size.width() as usize, size.height() as usize),
            sums: SummedArea::new(picture.as_raw(), picture.width() as usize),
        }
    }

    /// Σx and Σx² of the window with this upper left corner.
    fn over(&self, x: usize, y: usize) -> [i64; 2] {
        self.sums.within(x, y, x + self.size.0, y + self.size.1)
    }

    /// Σ(x - its mean)² of the window.
    fn contrast(&self, x: usize, y: usize) -> f64 {
        let d = (self.size.0 * self.size.1) as i128;
        let [levels, squares] = self.over(x, y).map(i128::from);
        // By the inequality of Cauchy and Schwarz this is not negative.
        (d * squares - levels * levels) as f64 / d as f64
    }
}
