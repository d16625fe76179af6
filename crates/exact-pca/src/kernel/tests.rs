//! Every kernel against sums written out plainly.

use proptest::prelude::*;

use super::*;

/// Bytes that look random (a xorshift generator), the same for the same seed.
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

fn columns(data: &[u8], length: usize, count: usize) -> Columns<'_> {
    Columns::new(data, length, count).expect("the data was made for these sizes")
}

fn inner(a: impl Iterator<Item = u8>, b: impl Iterator<Item = u8>) -> i64 {
    a.zip(b).map(|(a, b)| i64::from(a) * i64::from(b)).sum()
}

/// The upper triangle of XᵀX, zeros below it.
fn plain_gram(x: Columns<'_>) -> Vec<i64> {
    let n = x.count();
    let column = |j| x.column(j).unwrap_or_default().iter().copied();
    (0..n * n).map(|at| (at / n, at % n)).map(|(i, j)| if i <= j { inner(column(i), column(j)) } else { 0 }).collect()
}

/// The upper triangle of XXᵀ, zeros below it.
fn plain_covariance(x: Columns<'_>) -> Vec<i64> {
    let d = x.length();
    let row = |p: usize| x.iter().map(move |column| column[p]);
    (0..d * d).map(|at| (at / d, at % d)).map(|(p, q)| if p <= q { inner(row(p), row(q)) } else { 0 }).collect()
}

fn gram(x: Columns<'_>, kernel: Kernel) -> Vec<i64> {
    let mut table = vec![0; x.count() * x.count()];
    accumulate_gram(x, kernel, &mut table).expect("the table fits");
    table
}

fn covariance(x: Columns<'_>, kernel: Kernel) -> Vec<i64> {
    let mut table = vec![0; x.length() * x.length()];
    accumulate_covariance(x, kernel, &mut table).expect("the table fits");
    table
}

/// Every kernel gives `plain` for both products.
fn check_all(data: &[u8], length: usize, count: usize) {
    let x = columns(data, length, count);
    let (plain_gram, plain_covariance) = (plain_gram(x), plain_covariance(x));
    for kernel in Kernel::available() {
        assert!(gram(x, kernel) == plain_gram, "{} Gram of {length} x {count}", kernel.name());
        assert!(covariance(x, kernel) == plain_covariance, "{} covariance of {length} x {count}", kernel.name());
    }
}

/// Sizes around the edges of words, groups, tiles, panels and blocks.
fn size() -> impl Strategy<Value = usize> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(2),
        Just(47),
        Just(48),
        Just(49),
        Just(63),
        Just(64),
        Just(65),
        0..30usize,
        80..210usize
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 64 }))]

    #[test]
    fn every_kernel_gives_the_plain_sums(length in size(), count in size(), seed: u64) {
        check_all(&noise(length * count, seed), length, count);
    }

    #[test]
    fn chunks_add_up_to_the_whole(length in size(), count in size(), cut in 0.0..=1.0f64, seed: u64) {
        let data = noise(length * count, seed);
        let first = (cut * count as f64) as usize;
        let (head, tail) = data.split_at(first * length);
        let chunks = [columns(tail, length, count - first), columns(head, length, first)];
        let whole = columns(&data, length, count);
        for kernel in Kernel::available() {
            let mut table = vec![0; length * length];
            for chunk in chunks {
                accumulate_covariance(chunk, kernel, &mut table).expect("the table fits");
            }
            prop_assert!(table == covariance(whole, kernel), "{}", kernel.name());
        }
        let (mut sums, mut expected) = (vec![0; length], vec![0; length]);
        for chunk in chunks {
            accumulate_row_sums(chunk, &mut sums).expect("the table fits");
        }
        accumulate_row_sums(whole, &mut expected).expect("the table fits");
        prop_assert_eq!(sums, expected);
    }

    #[test]
    fn sums_of_rows(length in size(), count in size(), seed: u64) {
        let data = noise(length * count, seed);
        let x = columns(&data, length, count);
        let mut by_row = vec![0; length];
        accumulate_row_sums(x, &mut by_row).expect("the table fits");
        let ones = vec![1u8; count];
        let one = || ones.iter().copied();
        prop_assert_eq!(by_row, (0..length).map(|p| inner(x.iter().map(|c| c[p]), one())).collect::<Vec<_>>());
    }
}

/// Black and white: the largest sums there are, and the smallest after the bias.
#[test]
fn extremes_are_exact() {
    for (length, count) in [(130, 50), (4096, 3), (3, 700)] {
        check_all(&vec![0; length * count], length, count);
        check_all(&vec![255; length * count], length, count);
        let half: Vec<u8> = (0..length * count).map(|at| if at / length % 2 == 0 { 255 } else { 0 }).collect();
        check_all(&half, length, count);
    }
}

/// 33,025 products of 255 x 255 are the most that 32 signed bits hold, 65,793 of 255 x 128; both are passed.
#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn sums_beyond_32_bits_are_exact() {
    for length in [16_383, 16_384, 16_385, 33_024, 33_025, 33_026, 33_030, 65_793, 65_794, 140_000] {
        let white = vec![255; length * 3];
        let square = length as i64 * 255 * 255;
        let black_and_white = [vec![255; length], vec![0; length]].concat();
        for kernel in Kernel::available() {
            let expected = [square, square, square, 0, square, square, 0, 0, square];
            assert_eq!(gram(columns(&white, length, 3), kernel), expected, "{} {length}", kernel.name());
            assert_eq!(covariance(columns(&white, 3, length), kernel), expected, "{} {length}", kernel.name());
            assert_eq!(gram(columns(&black_and_white, length, 2), kernel), [square, 0, 0, 0]);
        }
        let random = noise(length * 2, 7);
        let expected = plain_gram(columns(&random, length, 2));
        for kernel in Kernel::available() {
            assert_eq!(gram(columns(&random, length, 2), kernel), expected, "{} {length}", kernel.name());
        }
    }
}

/// Many panels: blocks of every size, cut off at the right and at the bottom.
#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn large_results_are_exact() {
    for count in [760, 1000, 2000] {
        let data = noise(70 * count, count as u64);
        let x = columns(&data, 70, count);
        let expected = plain_gram(x);
        for kernel in Kernel::available() {
            assert!(gram(x, kernel) == expected, "{} {count}", kernel.name());
        }
    }
}

/// The covariance is the Gram of the faces' transpose.
#[test]
fn covariance_is_the_gram_of_the_transpose() {
    let (length, count) = (101, 77);
    let data = noise(length * count, 3);
    let transposed: Vec<u8> = (0..length * count).map(|at| data[at % count * length + at / count]).collect();
    for kernel in Kernel::available() {
        let covariance = covariance(columns(&data, length, count), kernel);
        assert!(covariance == gram(columns(&transposed, count, length), kernel), "{}", kernel.name());
    }
}

#[test]
fn accumulating_twice_gives_twice() {
    let data = noise(90 * 70, 5);
    let x = columns(&data, 90, 70);
    for kernel in Kernel::available() {
        let mut table = gram(x, kernel);
        let twice: Vec<i64> = table.iter().map(|sum| 2 * sum).collect();
        accumulate_gram(x, kernel, &mut table).expect("the table fits");
        assert!(table == twice, "{}", kernel.name());
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let data = noise(300 * 500, 11);
    let x = columns(&data, 300, 500);
    let expected = plain_gram(x);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        for kernel in Kernel::available() {
            assert!(pool.install(|| gram(x, kernel)) == expected, "{} on {threads} threads", kernel.name());
        }
    }
}

/// A kernel this processor lacks still gives the right sums: the portable one steps in.
#[test]
fn a_kernel_out_of_reach_is_replaced() {
    let data = noise(65 * 50, 13);
    let x = columns(&data, 65, 50);
    for kernel in Kernel::ALL {
        assert!(gram(x, kernel) == plain_gram(x), "{}", kernel.name());
    }
    assert_eq!(Kernel::available().first(), Some(&Kernel::Portable));
    assert_eq!(Kernel::available().last(), Some(&Kernel::best()));
}

#[test]
fn below_the_diagonal_nothing_is_touched_until_mirrored() {
    let (length, count) = (40, 150);
    let data = noise(length * count, 17);
    let mut table = vec![-1; count * count];
    accumulate_gram(columns(&data, length, count), Kernel::best(), &mut table).expect("the table fits");
    for (at, &sum) in table.iter().enumerate() {
        assert_eq!(at / count > at % count, sum == -1, "row {}, column {}", at / count, at % count);
    }
    mirror_upper(&mut table, count);
    for (at, &sum) in table.iter().enumerate() {
        assert_eq!(sum, table[at % count * count + at / count]);
        assert_ne!(sum, -1);
    }
}

#[test]
fn wrong_sizes_are_errors() {
    assert!(Columns::new(&[1, 2, 3], 2, 2).is_none());
    assert!(Columns::<u8>::new(&[], usize::MAX, 2).is_none());
    let x = columns(&[1, 2, 3, 4, 5, 6], 2, 3);
    assert_eq!(x.column(1), Some(&[3, 4][..]));
    assert_eq!(x.column(3), None);
    let mut table = [0; 4];
    assert_eq!(accumulate_gram(x, Kernel::Portable, &mut table), Err(WrongTable { needed: 9, given: 4 }));
    assert_eq!(accumulate_covariance(x, Kernel::Portable, &mut table), Ok(()));
    assert_eq!(accumulate_row_sums(x, &mut table), Err(WrongTable { needed: 2, given: 4 }));
}
