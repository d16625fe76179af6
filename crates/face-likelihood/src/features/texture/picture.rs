//! The local binary pattern and the gradient of each pixel of a face.

use vectorised::whole;

use super::directions::Row;
use super::{DIRECTIONS, FACE, HEIGHT, WIDTH};

/// Gradients are measured in sixteenths of a gray level and shared in 256ths.
pub const MAGNITUDE_STEPS: f32 = 16.0;
pub const SHARE_STEPS: u32 = 256;

/// No gradient is larger than from black to white both ways.
pub const MOST_MAGNITUDE: u64 = (1.4143 * 255.0 * MAGNITUDE_STEPS) as u64 * SHARE_STEPS as u64;

fn bits(answers: [bool; 8]) -> u8 {
    (0..8).fold(0, |bits, bit| bits | u8::from(answers[bit]) << bit)
}

/// Number of pixels by which the border is repeated outside: the reach of a pattern.
const MARGIN: usize = 2;

const WITH_MARGINS: usize = WIDTH + 2 * MARGIN;

/// A face of the size [`FACE`] whose border is repeated outside.
pub struct Picture {
    levels: Vec<[i32; WITH_MARGINS]>,
}

impl Picture {
    /// # Panics
    /// If the face is not of this size.
    pub fn new(face: &[u8]) -> Self {
        assert_eq!(face.len(), FACE.pixels(), "a face of another size");
        let (rows, _) = face.as_chunks::<WIDTH>();
        let row = |y: usize| {
            let row = &rows[y.saturating_sub(MARGIN).min(HEIGHT - 1)];
            let level = |x: usize| i32::from(row[x.saturating_sub(MARGIN).min(WIDTH - 1)]);
            std::array::from_fn(level)
        };
        Self { levels: (0..HEIGHT + 2 * MARGIN).map(row).collect() }
    }

    /// The pattern of each pixel of a row: bit i says that the point two pixels away at i eighths of a turn is not darker.
    #[inline(always)]
    pub fn patterns(&self, y: usize, patterns: &mut [u8; WIDTH]) {
        /// The diagonal points lie at √2 = 1 + 106/256.
        const FAR: i32 = 106;
        const NEAR: i32 = 256 - FAR;
        const ONE: i32 = (NEAR + FAR) * (NEAR + FAR);

        let [top, above, middle, below, bottom] = self.rows(y);
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
    }

    /// The gradient of each pixel of a row: its part in the nearer axis and that in the diagonal beside it.
    #[inline(always)]
    pub fn gradients(&self, y: usize) -> Row {
        let [_, above, middle, below, _] = self.rows(y);
        // A list for each, as vector registers write them.
        let [mut axes, mut diagonals] = [[0_u32; WIDTH]; 2];
        let [mut along_axes, mut along_diagonals] = [[0; WIDTH]; 2];
        for x in 0..WIDTH {
            let across = middle[3][x] - middle[1][x];
            let gradient = Gradient::of(across, below[2][x] - above[2][x]);
            axes[x] = gradient.axis;
            along_axes[x] = gradient.along_axis;
            diagonals[x] = gradient.diagonal;
            along_diagonals[x] = gradient.along_diagonal;
        }
        let mut row = [[0; DIRECTIONS]; WIDTH];
        for x in 0..WIDTH {
            row[x][axes[x] as usize % DIRECTIONS] = along_axes[x];
            row[x][diagonals[x] as usize % DIRECTIONS] = along_diagonals[x];
        }
        row
    }

    /// Surroundings of the pixels of a row: of the five rows about it, from two above on, five slices, from two to the left on.
    /// To be called where the loop is: there the compiler sees that all are of one length, and uses vector registers.
    #[inline(always)]
    fn rows(&self, y: usize) -> [[&[i32]; 5]; 5] {
        std::array::from_fn(|down| {
            let row = &self.levels[y + down];
            std::array::from_fn(|across| &row[across..][..WIDTH])
        })
    }
}

/// The gradient of one pixel: the axis and the diagonal between which it points, each with its part of the magnitude.
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
        Self { axis, diagonal, along_axis: magnitude * (SHARE_STEPS - share), along_diagonal: magnitude * share }
    }
}
