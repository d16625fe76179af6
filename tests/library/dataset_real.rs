//! Listing, decoding and sizing on the real sets of faces (see DATA.md). Skipped where they are absent.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use eigenfaces::dataset::{
    LabelRule, Listing, list_labeled, list_photos, load, load_each, photo_dimensions, photo_sizes,
};
use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::normalize::resize::{Scale, Shape, choose_size, fit};

fn labeled(set: PathBuf) -> Listing {
    list_labeled(&[set], &LabelRule::Folder).unwrap()
}

#[test]
fn att_is_read_pixel_by_pixel() {
    let Some(att) = crate::support::real_data("att") else { return };
    let listing = labeled(att);
    assert_eq!((listing.photos.len(), listing.skipped.len()), (400, 0));
    let order: Vec<_> = listing.photos.iter().map(|p| p.path.clone()).collect();
    assert!(order[9].ends_with("s1/10.pgm") && order[10].ends_with("s2/1.pgm"));

    let chosen = choose_size(&photo_sizes(&listing.photos)).unwrap();
    assert_eq!(chosen, FaceSize::new(54, 66).unwrap(), "shape kept");
    let size = FaceSize::new(92, 112).unwrap();
    let told = AtomicUsize::new(0);
    let faces = load(&listing.photos, |photo, file| Ok((photo.person.clone(), fit(&file.decode()?, size)?)), &|done| {
        told.fetch_max(done, Ordering::Relaxed);
    });
    assert_eq!((faces.items.len(), faces.skipped.len(), told.into_inner()), (400, 0, 400));
    assert!(faces.items.iter().all(|(_, (_, fit))| fit.scale == Scale::Same));
    let matrix = FaceMatrix::from_faces(size, faces.items.iter().map(|(_, (face, _))| face)).unwrap();
    for (j, path) in order.iter().enumerate() {
        let file = std::fs::read(path).unwrap();
        assert!(file.ends_with(matrix.face(j)), "{}", path.display());
        assert_eq!(faces.items[j].0, listing.photos[j].person);
    }
}

#[test]
fn the_gray_of_real_jpegs_is_that_of_their_colours() {
    let Some(lfw) = crate::support::real_data("lfw") else { return };
    let listing = labeled(lfw);
    assert_eq!(listing.photos.len(), 620);
    let some: Vec<_> = listing.photos.into_iter().step_by(31).collect();
    let worst = load_each(
        &some,
        |photo, file| {
            let rgb = image::open(&photo.path).unwrap().into_rgb8();
            let differences = file.decode()?.into_raw().into_iter().zip(rgb.pixels()).map(|(y, p)| {
                let [r, g, b] = p.0.map(f64::from);
                (f64::from(y) - (0.299 * r + 0.587 * g + 0.114 * b)).abs()
            });
            let (mut sum, mut far, mut n) = (0.0, 0, 0);
            for difference in differences {
                sum += difference;
                far += usize::from(difference > 2.0);
                n += 1;
            }
            Ok((sum / n as f64, far as f64 / n as f64))
        },
        &|_| {},
    );
    for result in worst {
        // Colours that were clipped to 0..255 on the way are off by more; they are few.
        let (mean, far) = result.unwrap();
        assert!(mean < 0.6 && far < 0.03, "mean {mean}, beyond two levels {far}");
    }
}

#[test]
fn every_photo_of_every_set_is_read() {
    for set in ["att", "yale", "lfw", "lfw-strangers", "groups", "photos", "not-faces"] {
        let Some(folder) = crate::support::real_data(set) else { return };
        let listing = list_photos(&[folder]).unwrap();
        assert_eq!(listing.skipped, []);
        let sizes = load_each(
            &listing.photos,
            |path, file| {
                let gray = file.decode()?;
                assert_eq!(photo_dimensions(path)?, gray.dimensions());
                Ok(gray.dimensions())
            },
            &|_| {},
        );
        for (path, size) in listing.photos.iter().zip(sizes) {
            assert!(size.is_ok(), "{}: {size:?}", path.display());
        }
    }
}

#[test]
fn sizes_are_chosen_from_the_data() {
    for (set, expected) in [("yale", "68x52"), ("lfw", "60x60")] {
        let Some(folder) = crate::support::real_data(set) else { return };
        let listing = labeled(folder);
        let size = choose_size(&photo_sizes(&listing.photos)).unwrap();
        assert_eq!(size.to_string(), expected, "{set}");
        let fits = load(&listing.photos, |_, file| Ok(fit(&file.decode()?, size)?.1), &|_| {});
        assert!(fits.items.iter().all(|f| (f.shape, f.scale) == (Shape::Whole, Scale::Reduced)));
    }
}

/// `cargo test --release --test library dataset_real:: -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn time_to_load() {
    use std::time::Instant;
    for set in ["att", "yale", "lfw"] {
        let Some(folder) = crate::support::real_data(set) else { return };
        let mut best = [f64::MAX; 4];
        for _ in 0..15 {
            let mut laps = [0.0; 4];
            let start = Instant::now();
            let listing = labeled(folder.clone());
            laps[0] = start.elapsed().as_secs_f64() * 1e3;
            let start = Instant::now();
            let sizes = photo_sizes(&listing.photos);
            laps[1] = start.elapsed().as_secs_f64() * 1e3;
            let size = choose_size(&sizes).unwrap();
            let start = Instant::now();
            let faces = load(&listing.photos, |_, f| Ok(fit(&f.decode()?, size)?.0), &|_| {});
            laps[2] = start.elapsed().as_secs_f64() * 1e3;
            let start = Instant::now();
            let hashes = load(&listing.photos, |_, f| Ok(f.content_hash()), &|_| {});
            laps[3] = start.elapsed().as_secs_f64() * 1e3;
            assert_eq!(hashes.items.len(), faces.items.len());
            best.iter_mut().zip(laps).for_each(|(b, l)| *b = b.min(l));
        }
        let [list, sizes, load, hash] = best;
        println!("{set}: list {list:.1} ms, sizes {sizes:.1}, read+decode+fit {load:.1}, read+hash {hash:.1}");
    }
}
