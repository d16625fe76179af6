//! A face map holds at every position what the naive loop finds there.

use crate::support::drawn::drawn_faces;
use eigenfaces::face_map::{FLAT, FaceMap, FaceMaps, Measure, scaled};
use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::face_space::FaceSpace;
use eigenfaces::pca::{ComponentCount, Pca, Solver};
use image::{GrayImage, Luma, imageops};
use nalgebra::DVector;
use proptest::prelude::*;

fn space(size: FaceSize, components: usize, seed: u64) -> FaceSpace {
    let pca = Pca { components: ComponentCount::Count(components), solver: Solver::Auto };
    FaceSpace::new(size, &pca.fit(&drawn_faces(size, 24, seed)).unwrap())
}

fn noise(width: u32, height: u32, seed: u64) -> GrayImage {
    let mut state = seed | 1;
    GrayImage::from_fn(width, height, |x, y| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        Luma([((state >> 58) + u64::from(x * 3 + y) % 190) as u8])
    })
}

/// The distance from face space of each window, cut out and projected like any face.
fn naive(space: &FaceSpace, picture: &GrayImage, measure: Measure) -> Vec<f64> {
    let size = space.size();
    let mut values = Vec::new();
    for y in 0..=picture.height() - size.height() {
        for x in 0..=picture.width() - size.width() {
            let window = imageops::crop_imm(picture, x, y, size.width(), size.height()).to_image();
            let face = FaceMatrix::from_faces(size, [&window]).unwrap();
            let weights = space.project(&face);
            let residual = space.residual(face.face(0), weights.as_slice());
            let level = face.face(0).iter().map(|&p| f64::from(p)).sum::<f64>() / size.pixels() as f64;
            let squares = face.face(0).iter().map(|&p| (f64::from(p) - level).powi(2));
            let contrast = squares.sum::<f64>().sqrt();
            values.push(match measure {
                Measure::Distance => residual.distance / (size.pixels() as f64).sqrt(),
                Measure::Likelihood if contrast > 0.0 => unlike(space, face.face(0)).min(FLAT),
                Measure::Likelihood => FLAT,
            });
        }
    }
    values
}

/// How unlike a face (d pixels) is, its light evened out: as the definition says.
fn unlike(space: &FaceSpace, face: &[u8]) -> f64 {
    let d = face.len() as f64;
    let about = |values: &DVector<f64>| values.add_scalar(-values.mean());
    let mean = space.mean();
    let x = DVector::from_iterator(face.len(), face.iter().map(|&p| f64::from(p)));
    let own = about(&x);
    let evened = own.clone() * (about(mean).norm() / own.norm());
    let apart = evened.add_scalar(mean.mean()) - mean;
    let weights = space.basis().map(f64::from).tr_mul(&apart);
    let inside: f64 = weights.iter().zip(space.eigenvalues()).map(|(w, l)| w * w / l).sum();
    let left_out = space.total_variance() - space.eigenvalues().iter().sum::<f64>();
    let left_out = left_out.max(1e-6 * space.total_variance());
    let outside = left_out / (d - space.components() as f64);
    let squared = apart.norm_squared() - weights.norm_squared();
    ((inside + squared / outside) / d).max(0.0).sqrt()
}

fn agree(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() < tolerance, "position {at}: {found} instead of {expected}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn it_is_the_naive_loop(
        width in 8_u32..14, height in 8_u32..14, right in 0_u32..60, below in 0_u32..40,
        components in 1_usize..9, which in 0_usize..2, seed: u64,
    ) {
        let size = FaceSize::new(width, height).unwrap();
        let space = space(size, components, seed);
        let picture = noise(width + right, height + below, seed);
        let measure = [Measure::Distance, Measure::Likelihood][which];
        let map = FaceMap::new(&space, space.components(), &picture, measure).unwrap();
        prop_assert_eq!(map.positions(), (right as usize + 1, below as usize + 1));
        // Faces are projected in single precision, the map is not.
        agree(map.values(), &naive(&space, &picture, measure), 2e-3);
    }

    #[test]
    fn a_face_that_was_learned_is_found_where_it_stands(x in 0_u32..50, y in 0_u32..30, which in 0_usize..24, seed: u64) {
        let size = FaceSize::new(12, 14).unwrap();
        let faces = drawn_faces(size, 24, seed);
        let space = space(size, 23, seed);
        let mut picture = noise(64, 48, seed);
        imageops::replace(&mut picture, &faces.image(which).unwrap(), x.into(), y.into());
        let map = FaceMap::new(&space, space.components(), &picture, Measure::Distance).unwrap();
        let lowest = map.minima(1)[0];
        prop_assert_eq!((lowest.x, lowest.y), (x, y));
        prop_assert!(lowest.value < 0.05, "{}", lowest.value);
    }
}

#[test]
fn a_face_of_any_size_is_found_at_its_scale() {
    let size = FaceSize::new(20, 24).unwrap();
    let faces = drawn_faces(size, 30, 9);
    let space = space(size, 12, 9);
    let (width, height) = (50, 60);
    let large = imageops::resize(&faces.image(3).unwrap(), width, height, imageops::FilterType::Triangle);
    let mut photo = GrayImage::from_fn(240, 180, |x, y| Luma([(x / 2 + y / 3) as u8]));
    imageops::replace(&mut photo, &large, 100, 70);
    let maps = FaceMaps::new(&space, 12, &photo, Measure::Likelihood).unwrap();
    assert!(maps.scales().count() > 5);
    let place = maps.places(1)[0];
    let [x, y, w, h] = place.part;
    assert!((x + w / 2.0 - 125.0).abs() < 6.0 && (y + h / 2.0 - 100.0).abs() < 6.0, "{place:?}");
    assert!(libm::log(w / 50.0).abs() < 0.2, "{place:?}");
    let map = maps.shaded().0;
    assert_eq!(map.dimensions(), photo.dimensions());
    assert!(map.get_pixel(125, 100)[0] < 40 && map.get_pixel(30, 150)[0] > 100);
}

#[test]
fn tiles_join_without_a_seam() {
    let size = FaceSize::new(9, 8).unwrap();
    let space = space(size, 3, 5);
    let picture = noise(700, 300, 5);
    let map = FaceMap::new(&space, space.components(), &picture, Measure::Distance).unwrap();
    agree(map.values(), &naive(&space, &picture, Measure::Distance), 2e-3);
}

#[test]
fn threads_change_no_bit() {
    let size = FaceSize::new(9, 8).unwrap();
    let space = space(size, 6, 5);
    let picture = noise(600, 290, 6);
    let run = |threads| {
        crate::support::on_threads(threads, || {
            FaceMap::new(&space, space.components(), &picture, Measure::Distance).unwrap()
        })
    };
    assert!(run(1) == run(3));
}

#[test]
fn minima_are_apart_and_in_order() {
    let size = FaceSize::new(10, 10).unwrap();
    let space = space(size, 5, 2);
    let picture = noise(90, 70, 3);
    let map = FaceMap::new(&space, space.components(), &picture, Measure::Distance).unwrap();
    let minima = map.minima(1000);
    assert!(minima.len() > 3);
    assert!(minima.windows(2).all(|pair| pair[0].value <= pair[1].value));
    for (at, a) in minima.iter().enumerate() {
        for b in &minima[at + 1..] {
            assert!(a.x.abs_diff(b.x) > 5 || a.y.abs_diff(b.y) > 5, "{a:?} {b:?}");
        }
    }
    let lowest = map.values().iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(minima[0].value, lowest);
}

#[test]
fn a_flat_wall_is_no_likely_face() {
    let size = FaceSize::new(10, 12).unwrap();
    let space = space(size, 8, 2);
    let wall = GrayImage::from_pixel(30, 30, Luma([120]));
    let map = FaceMap::new(&space, space.components(), &wall, Measure::Likelihood).unwrap();
    assert!(map.values().iter().all(|&value| value == FLAT));
    let too_small = GrayImage::new(9, 30);
    let error = FaceMap::new(&space, space.components(), &too_small, Measure::Distance).unwrap_err().to_string();
    assert!(error.contains("9x30") && error.contains("scale it up"), "{error}");
}

#[test]
fn scaling_keeps_the_shape_and_one_pixel_at_least() {
    let picture = noise(60, 40, 1);
    assert_eq!(scaled(&picture, 0.5).dimensions(), (30, 20));
    assert_eq!(scaled(&picture, 1.0), picture);
    assert_eq!(scaled(&picture, 0.01).dimensions(), (1, 1));
}
