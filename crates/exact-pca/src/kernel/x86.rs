//! The tile for the vector registers of x86-64: written once, made for each instruction set by [`x86_tile`].

/// Defines `TILE`: rows of words, each spread over a register, times a few registers of columns.
///
/// | | |
/// |---|---|
/// | `features` | the instructions, as the compiler calls them |
/// | `register`, `lanes` | its type, and how many 32-bit numbers it holds |
/// | `rows`, `registers` | the tile's rows, and its columns in registers |
/// | `layout`, `bias` | see [`Tile`](super::Tile) |
/// | `load`, `store`, `spread` | to and from memory wherever it is aligned; one word to all lanes |
/// | `prepare` | what becomes of the columns before they are multiplied |
/// | `multiply_add` | sums, row word, column words: the new sums |
macro_rules! x86_tile {
    (
        features: $features:literal, register: $register:ty, lanes: $lanes:literal,
        rows: $rows:literal, registers: $registers:literal,
        layout: $layout:expr, bias: $bias:literal,
        load: $load:ident, store: $store:ident, spread: $spread:ident,
        prepare: |$columns:ident| $prepare:expr,
        multiply_add: |$sum:ident, $a:ident, $b:ident| $multiply_add:expr $(,)?
    ) => {
        use std::arch::x86_64::*;

        use super::Tile;
        use super::panel::{Layout, Step, WIDTH};

        const ROWS: usize = $rows;
        const REGISTERS: usize = $registers;
        const LANES: usize = $lanes;
        const COLUMNS: usize = LANES * REGISTERS;

        pub(super) const TILE: Tile = Tile { rows: ROWS, columns: COLUMNS, layout: $layout, bias: $bias, add, widen };

        /// See [`Tile::add`].
        #[target_feature(enable = $features)]
        fn add(a: &[Step], row: usize, b: &[Step], column: usize, sums: &mut [i32]) {
            // The caller promises this; said here, the compiler leaves out the checks further down.
            assert!(row + ROWS <= WIDTH && column + COLUMNS <= WIDTH && sums.len() == ROWS * COLUMNS);
            let mut tile: [[$register; REGISTERS]; ROWS] =
                std::array::from_fn(|i| std::array::from_fn(|r| load(&sums[i * COLUMNS + r * LANES..])));
            for (a, b) in a.iter().zip(b) {
                let b: [$register; REGISTERS] = std::array::from_fn(|r| {
                    let $columns = load(&b.0[column + r * LANES..]);
                    $prepare
                });
                for (line, &a) in tile.iter_mut().zip(&a.0[row..row + ROWS]) {
                    let $a = $spread(a.cast_signed());
                    for (sum, $b) in line.iter_mut().zip(b) {
                        let $sum = *sum;
                        *sum = $multiply_add;
                    }
                }
            }
            let (lanes, _) = sums.as_chunks_mut::<LANES>();
            for (sums, &new) in lanes.iter_mut().zip(tile.as_flattened()) {
                // SAFETY: `sums` is as many 32-bit numbers as the register holds; alignment is not asked for.
                unsafe { $store(sums.as_mut_ptr().cast(), new) }
            }
        }

        /// As many 32-bit numbers as a register holds.
        #[target_feature(enable = $features)]
        #[inline]
        fn load<T: bytemuck::Pod>(numbers: &[T]) -> $register {
            assert!(size_of::<T>() == 4 && numbers.len() >= LANES);
            // SAFETY: there are as many 32-bit numbers as the register holds; alignment is not asked for.
            unsafe { $load(numbers.as_ptr().cast()) }
        }

        const _: () = assert!(size_of::<$register>() == 4 * LANES);

        /// See [`Tile::widen`].
        #[target_feature(enable = $features)]
        fn widen(sums: &[i32], missing: i64, into: &mut [i64]) {
            super::widen(sums, missing, into);
        }
    };
}

pub(super) use x86_tile;
