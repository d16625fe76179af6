use std::path::Path;

use proptest::prelude::*;

use super::cells::{beside, cell_weights};
use super::patterns::LABELS;
use super::*;

static GRID: Grid = Grid::new(8, 9);
static FINE: Grid = Grid::new(12, 14);

/// The folded texture of a face.
fn texture(face: &[u8]) -> Vec<u8> {
    let face = Picture::new(face);
    let [sums] = directions::sums(&face, [&GRID]);
    describe_folded(&face, &GRID, &sums)
}

fn face(level: impl Fn(usize, usize) -> usize) -> Vec<u8> {
    let place = |at: usize| level(at % WIDTH, at / WIDTH) as u8;
    (0..FACE.pixels()).map(place).collect()
}

/// The reference is of tests/reference/texture.py.
#[test]
fn textures_are_numpys() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(folder.join("tests/reference/texture.txt")).unwrap();
    let mut seen = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap();
        let expected: Vec<u8> = words.map(|word| word.parse().unwrap()).collect();
        let photo = image::open(folder.join("../../faces").join(name)).unwrap();
        let face = photo.crop_imm(16, 19, FACE.width(), FACE.height());
        let face = face.into_luma8();
        let picture = Picture::new(face.as_raw());
        let [sums] = directions::sums(&picture, [&FINE]);
        let fine = directions::described_folded(&sums, &FINE);
        let found = [fine.clone(), texture(face.as_raw())].concat();
        assert_eq!(found.len(), expected.len());
        for (at, (&here, &there)) in found.iter().zip(&expected).enumerate() {
            // Patterns are integers on both sides, but for the last rounding. Angles of gradients are good to half a per cent here.
            let is_pattern = at >= fine.len() && (at - fine.len()) % CELL < PATTERNS;
            let most = if is_pattern { 0 } else { 1 };
            assert!(here.abs_diff(there) <= most, "{name}, byte {at}: {here}, NumPy {there}");
        }
        seen += 1;
    }
    assert_eq!(seen, 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_face_and_its_mirror_image_have_one_folded_texture(
        seed in any::<u32>(),
        levels in prop_oneof![Just(2_u32), Just(7), Just(256)],
    ) {
        let mut state = seed | 1;
        let face: Vec<u8> = (0..FACE.pixels())
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ((state >> 16) % levels) as u8
            })
            .collect();
        let rows = face.chunks_exact(WIDTH);
        let mirrored: Vec<u8> = rows.flat_map(|row| row.iter().rev().copied()).collect();
        prop_assert_eq!(texture(&mirrored), texture(&face));
    }
}

#[test]
fn the_largest_gradients_do_not_overflow() {
    // From black to white across and down at every place.
    let stairs = |x: usize, y: usize| (x + y) / 2 % 2 * 255;
    let [sums] = directions::sums(&Picture::new(&face(stairs)), [&GRID]);
    let weight: u64 = 4 * FACE.pixels() as u64 * FACE.pixels() as u64;
    let mean = sums.iter().sum::<u64>() as f64 / weight as f64 / 16.0 / 256.0;
    // Along a diagonal both differences are 255; at the border they are less.
    let largest = 255.0 * std::f64::consts::SQRT_2;
    assert!((largest * 0.9..largest).contains(&mean), "{mean}");
}

#[test]
fn a_flat_face_has_one_pattern_and_no_gradient() {
    let brightest = usize::from(LABELS[255]);
    for cell in texture(&[99; WIDTH * HEIGHT]).chunks_exact(CELL) {
        assert!((0..CELL).all(|at| cell[at] == if at == brightest { 255 } else { 0 }));
    }
}

#[test]
fn a_slope_points_its_way() {
    // What points to the right points to the left in a mirror: each has half, and the root of a half is 180 / 255.
    let right = (face(|x, _| x), [180, 0, 0, 0, 180, 0, 0, 0]);
    let down = (face(|_, y| y), [0, 0, 255, 0, 0, 0, 0, 0]);
    for (face, expected) in [right, down] {
        let texture = texture(&face);
        let cell = &texture[(3 * GRID.columns / 2 + 3) * CELL + PATTERNS..][..DIRECTIONS];
        assert_eq!(cell, expected);
    }
}

#[test]
fn brightness_and_contrast_hardly_matter() {
    let dark = face(|x, y| ((y * WIDTH + x).pow(2) / 7 + y * 13) % 100);
    let bright: Vec<u8> = dark.iter().map(|level| 50 + 2 * level).collect();
    let (dark, bright) = (texture(&dark), texture(&bright));
    for (dark, bright) in dark.chunks(CELL).zip(bright.chunks(CELL)) {
        assert_eq!(dark[..PATTERNS], bright[..PATTERNS]);
        let apart = dark.iter().zip(bright).map(|(a, b)| a.abs_diff(*b));
        assert!(apart.max() <= Some(1), "but for the rounding of magnitudes");
    }
}

#[test]
fn every_pattern_has_a_place_and_uniform_ones_their_own() {
    let uniform = LABELS.iter().filter(|&&label| label < 58).count();
    assert_eq!((uniform, LABELS.iter().max()), (58, Some(&58)));
}

#[test]
fn pixels_are_shared_out_wholly_and_evenly() {
    fn check<const SIDE: usize>(cells: usize) {
        let mut of_cells = vec![0; cells];
        for place in cell_weights::<SIDE>(cells) {
            assert_eq!(place.before + place.after, 2 * SIDE as u32);
            let [before, after] = beside(place.gap, cells);
            of_cells[before] += place.before;
            of_cells[after] += place.after;
        }
        assert!(of_cells.iter().all(|&share| share > 0), "{of_cells:?}");
        assert!(of_cells.iter().eq(of_cells.iter().rev()), "{of_cells:?}");
    }
    for cells in [7, 8, 9, 12, 14] {
        check::<8>(cells.min(8));
        check::<64>(cells);
        check::<73>(cells);
        check::<74>(cells);
        check::<1000>(cells);
    }
}
