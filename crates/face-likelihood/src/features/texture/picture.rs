//! The local binary pattern and the gradient of each pixel of a face.

use super::{MAGNITUDE_STEPS, SHARE_STEPS};
use crate::face_matrix::FaceSize;
use vectorised::{vectorised_mut, whole};

/// The pattern whose bit i is the i-th answer.
fn bits(answers: [bool; 8]) -> u8 {
    (0..8).fold(0, |bits, bit| bits | u8::from(answers[bit]) << bit)
}

/// Number of pixels by which the border is repeated outside: the reach of a pattern.
const MARGIN: usize = 2;

/// A face whose border is repeated outside, and the gradients of its pixels.
pub struct Picture {
    levels: Vec<i32>,
    width: usize,
    size: FaceSize,
    gradients: Gradients,
}

impl Picture {
    /// # Panics
    /// If the face is not of this size.
    pub fn new(face: &[u8], size: FaceSize) -> Self {
        assert_eq!(face.len(), size.pixels(), "a face of another size");
        let (across, down) = (size.width() as usize, size.height() as usize);
        let width = across + 2 * MARGIN;
        let mut levels = Vec::with_capacity(width * (down + 2 * MARGIN));
        for y in 0..down + 2 * MARGIN {
            let row = &face[y.saturating_sub(MARGIN).min(down - 1) * across..][..across];
            levels.extend([i32::from(row[0]); MARGIN]);
            levels.extend(row.iter().map(|&level| i32::from(level)));
            levels.extend([i32::from(row[across - 1]); MARGIN]);
        }
        let mut picture = Self {
            levels,
            width,
            size,
            gradients: Gradients::new(size),
        };
        let mut gradients = Gradients::new(size);
        for y in 0..down {
            picture.find_gradients(y, &mut gradients);
        }
        picture.gradients = gradients;
        picture
    }

    /// Of the face.
    pub fn size(&self) -> FaceSize {
        self.size
    }

    /// Those of the pixels, row by row.
    pub fn gradients(&self) -> &Gradients {
        &self.gradients
    }

    /// The pattern of each pixel of a row: bit i says that the point at i eighths of a turn, two pixels
    /// away, is not darker than the pixel.
    pub fn patterns(&self, y: usize, patterns: &mut [u8]) {
        /// The diagonal points lie at √2 = 1 + 106/256.
        const FAR: i32 = 106;
        const NEAR: i32 = 256 - FAR;
        const ONE: i32 = (NEAR + FAR) * (NEAR + FAR);

        vectorised_mut(
            #[inline(always)]
            || {
                let [top, above, middle, below, bottom] = self.rows(y, patterns.len());
                for (x, pattern) in patterns.iter_mut().enumerate() {
                    let centre = middle[2][x];
                    let is_not_darker = |near: i32, beside: i32, far: i32| {
                        near * NEAR * NEAR + beside * NEAR * FAR + far * FAR * FAR >= centre * ONE
                    };
                    *pattern = bits([
                        middle[4][x] >= centre,
                        is_not_darker(below[3][x], below[4][x] + bottom[3][x], bottom[4][x]),
                        bottom[2][x] >= centre,
                        is_not_darker(below[1][x], below[0][x] + bottom[1][x], bottom[0][x]),
                        middle[0][x] >= centre,
                        is_not_darker(above[1][x], above[0][x] + top[1][x], top[0][x]),
                        top[2][x] >= centre,
                        is_not_darker(above[3][x], above[4][x] + top[3][x], top[4][x]),
                    ]);
                }
            },
        );
    }

    /// Surroundings of the first `count` pixels of a row: of the five rows about it, from two above on, five slices,
    /// from two to the left on. To be called where the loop is: there the compiler sees that all are of one length, and
    /// uses vector registers.
    #[inline(always)]
    fn rows(&self, y: usize, count: usize) -> [[&[i32]; 5]; 5] {
        std::array::from_fn(|down| {
            let row = &self.levels[(y + down) * self.width..][..count + 2 * MARGIN];
            std::array::from_fn(|across| &row[across..][..count])
        })
    }

    /// The gradients of a row of pixels.
    fn find_gradients(&self, y: usize, gradients: &mut Gradients) {
        vectorised_mut(
            #[inline(always)]
            || {
                let count = self.width - 2 * MARGIN;
                let [_, above, middle, below, _] = self.rows(y, count);
                let axes = &mut gradients.axes[y * count..][..count];
                let along_axes = &mut gradients.along_axes[y * count..][..count];
                let diagonals = &mut gradients.diagonals[y * count..][..count];
                let along_diagonals = &mut gradients.along_diagonals[y * count..][..count];
                for x in 0..count {
                    let across = middle[3][x] - middle[1][x];
                    let gradient = Gradient::of(across, below[2][x] - above[2][x]);
                    axes[x] = gradient.axis;
                    along_axes[x] = gradient.along_axis;
                    diagonals[x] = gradient.diagonal;
                    along_diagonals[x] = gradient.along_diagonal;
                }
            },
        );
    }
}

/// The two directions between which the gradient of each pixel points, the nearer axis and the diagonal beside
/// it, each with its part of the magnitude. A list for each, as vector registers write them.
pub struct Gradients {
    pub axes: Vec<u32>,
    pub along_axes: Vec<u32>,
    pub diagonals: Vec<u32>,
    pub along_diagonals: Vec<u32>,
}

impl Gradients {
    /// Room for a face of this size.
    fn new(size: FaceSize) -> Self {
        let count = size.pixels();
        Self {
            axes: vec![0; count],
            along_axes: vec![0; count],
            diagonals: vec![0; count],
            along_diagonals: vec![0; count],
        }
    }
}

/// The gradient of one pixel, as in [`Gradients`].
struct Gradient {
    axis: u32,
    diagonal: u32,
    along_axis: u32,
    along_diagonal: u32,
}

impl Gradient {
    #[inline(always)]
    fn of(across: i32, down: i32) -> Self {
        let axis = match across.abs() >= down.abs() {
            true if across >= 0 => 0,
            true => 4,
            false if down >= 0 => 2,
            false => 6,
        };
        let diagonal = match (across >= 0, down >= 0) {
            (true, true) => 1,
            (false, true) => 3,
            (false, false) => 5,
            (true, false) => 7,
        };
        let (across, down) = (across.abs() as f32, down.abs() as f32);
        let (short, long) = (across.min(down), across.max(down));
        // The angle in eighths of a turn: atan(t) / (π/4) within 0.5 %, from operations that every
        // machine rounds alike. Differences of levels are whole: only where there is none is the longer below 1.
        let slope = short / long.max(1.0);
        let angle = slope + 0.3476 * slope * (1.0 - slope);
        let magnitude = whole((short * short + long * long).sqrt() * MAGNITUDE_STEPS + 0.5);
        let share = whole(angle * SHARE_STEPS as f32 + 0.5);
        Self {
            axis,
            diagonal,
            along_axis: magnitude * (SHARE_STEPS - share),
            along_diagonal: magnitude * share,
        }
    }
}
