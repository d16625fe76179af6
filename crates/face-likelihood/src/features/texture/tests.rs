use proptest::prelude::*;

use super::cells::beside;
use super::*;

fn size(width: u32, height: u32) -> FaceSize {
    FaceSize::new(width, height).unwrap()
}

fn mirrored(face: &[u8], size: FaceSize) -> Vec<u8> {
    face.chunks_exact(size.width() as usize)
        .flat_map(|row| row.iter().rev().copied())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_face_and_its_mirror_image_have_one_folded_texture(
        (width, height) in (8_u32..70, 8_u32..80),
        seed in any::<u32>(),
        levels in prop_oneof![Just(2_u32), Just(7), Just(256)],
    ) {
        let size = size(width, height);
        let mut state = seed | 1;
        let face: Vec<u8> = (0..size.pixels())
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ((state >> 16) % levels) as u8
            })
            .collect();
        let folded = |face: &[u8]| describe_folded(&Picture::new(face, size), GRID);
        prop_assert_eq!(folded(&mirrored(&face, size)), folded(&face));
    }
}

#[test]
fn a_flat_face_has_one_pattern_and_no_gradient() {
    let size = size(60, 72);
    let texture = describe(&[99; 60 * 72], size);
    let brightest = usize::from(labels()[255]);
    for cell in texture.chunks_exact(CELL) {
        assert!((0..CELL).all(|at| cell[at] == if at == brightest { 255 } else { 0 }));
    }
}

#[test]
fn a_slope_points_its_way() {
    let size = size(60, 72);
    let right: Vec<u8> = (0..60 * 72).map(|at| (at % 60) as u8).collect();
    let down: Vec<u8> = (0..60 * 72).map(|at| (at / 60) as u8).collect();
    for (face, direction) in [(right, 0), (down, 2)] {
        let texture = describe(&face, size);
        let cell = &texture[(3 * COLUMNS + 3) * CELL + PATTERNS..][..DIRECTIONS];
        assert!((0..DIRECTIONS).all(|at| cell[at] == if at == direction { 255 } else { 0 }));
    }
}

#[test]
fn brightness_and_contrast_hardly_matter() {
    let size = size(60, 72);
    let face: Vec<u8> = (0..60 * 72_u32)
        .map(|at| ((at * at / 7 + at / 60 * 13) % 100) as u8)
        .collect();
    let brighter: Vec<u8> = face.iter().map(|level| 50 + 2 * level).collect();
    let (dark, bright) = (describe(&face, size), describe(&brighter, size));
    for (dark, bright) in dark.chunks(CELL).zip(bright.chunks(CELL)) {
        assert_eq!(dark[..PATTERNS], bright[..PATTERNS]);
        let apart = dark.iter().zip(bright).map(|(a, b)| a.abs_diff(*b));
        assert!(apart.max() <= Some(1), "but for the rounding of magnitudes");
    }
}

#[test]
fn every_pattern_has_a_place_and_uniform_ones_their_own() {
    let uniform = labels().iter().filter(|&&label| label < 58).count();
    assert_eq!((uniform, labels().iter().max()), (58, Some(&58)));
}

#[test]
fn pixels_are_shared_out_wholly_and_evenly() {
    for side in [8, 9, 46, 60, 73, 1000] {
        for cells in [COLUMNS, ROWS] {
            let mut of_cells = vec![0; cells];
            for place in cell_weights(side, cells) {
                assert_eq!(place.before + place.after, 2 * side);
                let [before, after] = beside(place.gap, cells);
                of_cells[before] += place.before;
                of_cells[after] += place.after;
            }
            assert!(
                of_cells.iter().all(|&share| share > 0),
                "{side} {of_cells:?}"
            );
            let mut reversed = of_cells.clone();
            reversed.reverse();
            assert_eq!(of_cells, reversed);
        }
    }
}
