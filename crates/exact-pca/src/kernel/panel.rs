//! Panels: 48 vectors side by side, interleaved so that one register holds the same few bytes of many vectors.

use std::ops::Range;

use super::Columns;

/// Vectors in a panel. Every tile's rows and columns divide it.
pub(super) const WIDTH: usize = 48;

/// Steps come in groups of this many, the last one padded with zeros.
const GROUP: usize = 16;

/// A few consecutive bytes, at the same place, of each vector of a panel, one 4-byte word for each vector (see [`Layout`]).
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Step(pub(super) [u32; WIDTH]);

/// The content of a word of a [`Step`], in memory order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Four bytes, for instructions that multiply bytes.
    Quads,
    /// Two bytes widened to `i16`.
    Pairs,
    /// One byte as `f32`.
    Singles,
}

impl Layout {
    /// Bytes of a vector that go into a word.
    pub(super) fn bytes_per_step(self) -> usize {
        match self {
            Layout::Quads => 4,
            Layout::Pairs => 2,
            Layout::Singles => 1,
        }
    }

    /// The word of up to four bytes.
    fn word(self, [a, b, c, d]: [u8; 4]) -> u32 {
        match self {
            Layout::Quads => u32::from_ne_bytes([a, b, c, d]),
            Layout::Pairs => bytemuck::cast([i16::from(a), i16::from(b)]),
            Layout::Singles => f32::from(a).to_bits(),
        }
    }

    /// The words of a group of steps of one vector.
    #[inline(always)]
    fn words(self, bytes: &[u8], words: &mut [u32; GROUP]) {
        match self {
            Layout::Quads => {
                for (word, &quad) in words.iter_mut().zip(bytes.as_chunks().0) {
                    *word = self.word(quad);
                }
            }
            Layout::Pairs => {
                for (word, &[a, b]) in words.iter_mut().zip(bytes.as_chunks().0) {
                    *word = self.word([a, b, 0, 0]);
                }
            }
            Layout::Singles => {
                for (word, &a) in words.iter_mut().zip(bytes) {
                    *word = self.word([a, 0, 0, 0]);
                }
            }
        }
    }
}

/// The vectors of which all inner products are wanted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Vectors<'a> {
    /// The columns themselves (Gram).
    Columns(Columns<'a>),
    /// The rows across the columns (covariance).
    Rows(Columns<'a>),
}

impl Vectors<'_> {
    /// Number of vectors: the side of the result.
    pub(super) fn count(self) -> usize {
        match self {
            Vectors::Columns(columns) => columns.count(),
            Vectors::Rows(columns) => columns.length(),
        }
    }

    /// Bytes in each vector: the terms of each sum.
    pub(super) fn length(self) -> usize {
        match self {
            Vectors::Columns(columns) => columns.length(),
            Vectors::Rows(columns) => columns.count(),
        }
    }
}

/// A stretch of 48 vectors, interleaved. Vectors and bytes beyond the end are zeros, which add nothing.
pub(super) struct Panel {
    /// The interleaved bytes.
    pub(super) steps: Vec<Step>,
    /// Sum of each vector over the stretch.
    pub(super) sums: [i64; WIDTH],
}

impl Panel {
    pub(super) fn new() -> Self {
        Panel { steps: Vec::new(), sums: [0; WIDTH] }
    }

    /// Takes in the bytes `stretch` of the vectors `first..first + 48`.
    pub(super) fn fill(&mut self, vectors: Vectors<'_>, first: usize, stretch: Range<usize>, layout: Layout) {
        let steps = stretch.len().div_ceil(layout.bytes_per_step()).next_multiple_of(GROUP);
        // What an earlier stretch left here is written over.
        self.steps.resize(steps, Step([0; WIDTH]));
        self.sums = [0; WIDTH];
        match vectors {
            Vectors::Columns(columns) => self.fill_from_columns(columns, first, stretch, layout),
            Vectors::Rows(columns) => self.fill_from_rows(columns, first, stretch, layout),
        }
    }

    fn fill_from_columns(&mut self, columns: Columns<'_>, first: usize, stretch: Range<usize>, layout: Layout) {
        let sources: [&[u8]; WIDTH] = std::array::from_fn(|place| {
            columns.column(first + place).map_or(&[][..], |column| &column[stretch.clone()])
        });
        self.sums = sources.map(byte_sum);
        let length = GROUP * layout.bytes_per_step();
        let mut words = [[0; GROUP]; WIDTH];
        for (index, group) in self.steps.as_chunks_mut().0.iter_mut().enumerate() {
            for (words, source) in words.iter_mut().zip(sources) {
                let rest = source.get(index * length..).unwrap_or_default();
                match rest.get(..length) {
                    Some(bytes) => layout.words(bytes, words),
                    None => {
                        let mut padded = [0; 4 * GROUP];
                        padded[..rest.len()].copy_from_slice(rest);
                        layout.words(&padded[..length], words);
                    }
                }
            }
            interleave(&words, group);
        }
    }

    fn fill_from_rows(&mut self, columns: Columns<'_>, first: usize, stretch: Range<usize>, layout: Layout) {
        let width = WIDTH.min(columns.length() - first);
        let mut sums = [0u32; WIDTH];
        let mut faces = stretch.map(|j| &columns.data()[j * columns.length() + first..][..width]);
        for step in &mut self.steps {
            let mut rows = [[0u8; WIDTH]; 4];
            for row in &mut rows[..layout.bytes_per_step()] {
                match faces.next() {
                    Some(face) if width == WIDTH => row.copy_from_slice(face),
                    Some(face) => row[..width].copy_from_slice(face),
                    None => break,
                }
            }
            let [a, b, c, d] = &rows;
            for place in 0..WIDTH {
                let bytes = [a[place], b[place], c[place], d[place]];
                step.0[place] = layout.word(bytes);
                sums[place] += bytes.map(u32::from).iter().sum::<u32>();
            }
        }
        self.sums = sums.map(i64::from);
    }
}

/// Turns 48 vectors of 16 words into 16 steps of 48, four by four.
#[inline(always)]
fn interleave(words: &[[u32; GROUP]; WIDTH], steps: &mut [Step; GROUP]) {
    for (band, four) in words.as_chunks::<4>().0.iter().enumerate() {
        for (index, four_steps) in steps.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let square = transpose(four.map(|words| std::array::from_fn(|i| words[4 * index + i])));
            for (step, line) in four_steps.iter_mut().zip(square) {
                step.0[4 * band..4 * band + 4].copy_from_slice(&line);
            }
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn transpose(rows: [[u32; 4]; 4]) -> [[u32; 4]; 4] {
    std::array::from_fn(|i| rows.map(|row| row[i]))
}

/// The compiler does not see by itself that this can stay in registers (SSE2, which every x86-64 has).
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn transpose(rows: [[u32; 4]; 4]) -> [[u32; 4]; 4] {
    use std::arch::x86_64::{_mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi32, _mm_unpacklo_epi64};
    let [a, b, c, d] = rows.map(bytemuck::cast);
    // SAFETY: SSE2 is part of x86-64.
    let columns = unsafe {
        let (ab, cd) = (_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
        let (ab_high, cd_high) = (_mm_unpackhi_epi32(a, b), _mm_unpackhi_epi32(c, d));
        [
            _mm_unpacklo_epi64(ab, cd),
            _mm_unpackhi_epi64(ab, cd),
            _mm_unpacklo_epi64(ab_high, cd_high),
            _mm_unpackhi_epi64(ab_high, cd_high),
        ]
    };
    columns.map(bytemuck::cast)
}

/// Exact sum of bytes.
fn byte_sum(bytes: &[u8]) -> i64 {
    // Sixteen 16-bit lanes, which the compiler keeps in registers; 256 bytes of at most 255 fit a lane.
    let lanes = |block: &[[u8; 16]]| {
        block.iter().fold([0u16; 16], |sums, bytes| std::array::from_fn(|i| sums[i] + u16::from(bytes[i])))
    };
    let total = |lanes: [u16; 16]| lanes.into_iter().map(i64::from).sum::<i64>();
    let (blocks, rest) = bytes.as_chunks::<16>();
    blocks.chunks(256).map(|block| total(lanes(block))).sum::<i64>() + rest.iter().copied().map(i64::from).sum::<i64>()
}
