//! Products of some columns with others, a rectangle of them, in 32 bits: what a search over codes is made of.

use super::blocked::{Part, SQUARE, STEPS, add_square};
use super::panel::{Panel, Vectors, WIDTH};
use super::{Columns, Kernel, Tile};

/// Columns that [`Laid::products`] takes at a time.
pub const BAND: usize = WIDTH;

/// Columns longer than this are not laid out: sums of their products might not fit 32 bits.
pub const LONGEST: usize = 8192;

const _: () = assert!(LONGEST * 255 * 255 <= i32::MAX as usize);

/// n columns laid out once, to be multiplied by many others.
pub struct Laid {
    panels: Vec<Panel>,
    count: usize,
    length: usize,
    tile: Tile,
}

/// Memory that one thread multiplies in, again and again.
pub struct Bench {
    panel: Panel,
    sums: Vec<i32>,
}

impl Default for Bench {
    fn default() -> Self {
        Self {
            panel: Panel::new(),
            sums: vec![0; SQUARE],
        }
    }
}

impl Laid {
    /// Lays out columns; `None` where they are longer than [`LONGEST`].
    pub fn new(columns: Columns<'_>, kernel: Kernel) -> Option<Self> {
        let (count, length, tile) = (columns.count, columns.length, kernel.tile());
        let lay_out = |first| {
            let mut panel = Panel::new();
            panel.fill(Vectors::Columns(columns), first, 0..length, tile.layout);
            panel
        };
        (length <= LONGEST).then(|| Self {
            panels: (0..count).step_by(WIDTH).map(lay_out).collect(),
            count,
            length,
            tile,
        })
    }

    /// The products with the columns `first..first + 48` of others, or as many as there are:
    /// `into[i * 48 + j] = Σₚ self[p, i] others[p, first + j]`.
    ///
    /// # Panics
    /// If the others are of another length, or `into` does not hold n x 48 sums.
    pub fn products(&self, others: Columns<'_>, first: usize, bench: &mut Bench, into: &mut [i32]) {
        assert!(others.length == self.length && into.len() == self.count * BAND);
        let (tile, Bench { panel, sums }) = (self.tile, bench);
        let stretch = 0..self.length;
        panel.fill(Vectors::Columns(others), first, stretch, tile.layout);
        for (rows, into) in self.panels.iter().zip(into.chunks_mut(WIDTH * BAND)) {
            sums.fill(0);
            let steps = rows.steps.chunks(STEPS).zip(panel.steps.chunks(STEPS));
            for (a, b) in steps {
                add_square((a, WIDTH), (b, WIDTH), Part::Whole, tile, sums);
            }
            unfold(sums, rows, tile, into);
        }
    }
}

/// Sums stored tile after tile, row after row; with what the tile's bias left out.
fn unfold(sums: &[i32], rows: &Panel, tile: Tile, into: &mut [i32]) {
    let tiles_down = WIDTH / tile.rows;
    for (i, row) in into.chunks_exact_mut(BAND).enumerate() {
        // Of at most `LONGEST` bytes.
        let missing = (tile.bias * rows.sums[i]) as i32;
        for (across, part) in row.chunks_exact_mut(tile.columns).enumerate() {
            let line = (across * tiles_down + i / tile.rows) * tile.rows + i % tile.rows;
            let line = &sums[line * tile.columns..][..tile.columns];
            for (to, &sum) in part.iter_mut().zip(line) {
                *to = sum + missing;
            }
        }
    }
}
