//! Pictures are as they were when somebody last looked at them.
//!
//! After a change that is meant: `EIGENFACES_BLESS=1 cargo test --test library golden::`, then look at tests/golden/.
//! A picture that differs is saved in target/golden/ beside its difference.

use std::path::{Path, PathBuf};

use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::pca::{ComponentCount, Pca, Solver};
use eigenfaces::render::scree;
use eigenfaces::render::sheet::{Tile, sheet};
use eigenfaces::render::{gray, signed};
use image::{GrayImage, imageops};

/// Gray levels by which a pixel may differ: instruction sets round differently.
const LEVELS: u8 = 3;
/// Share of pixels that may differ by more.
const SHARE: f64 = 0.001;

fn golden(name: &str) -> PathBuf {
    crate::support::project().join("tests/golden").join(name)
}

/// Whether what is drawn now shall count from now on.
fn blessing() -> bool {
    let blessing = std::env::var_os("EIGENFACES_BLESS").is_some();
    if blessing {
        std::fs::create_dir_all(golden("")).unwrap();
    }
    blessing
}

fn save_failed(name: &str, image: &GrayImage, difference: &GrayImage) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("golden");
    std::fs::create_dir_all(&folder).unwrap();
    image.save(folder.join(name)).unwrap();
    difference.save(folder.join(format!("difference-{name}"))).unwrap();
    folder
}

fn same_picture(name: &str, image: &GrayImage) {
    if blessing() {
        image.save(golden(name)).unwrap();
        return;
    }
    let expected = image::open(golden(name)).unwrap().into_luma8();
    assert_eq!(image.dimensions(), expected.dimensions(), "{name}");
    let difference = GrayImage::from_fn(image.width(), image.height(), |x, y| {
        image::Luma([image.get_pixel(x, y)[0].abs_diff(expected.get_pixel(x, y)[0])])
    });
    let far = difference.pixels().filter(|pixel| pixel[0] > LEVELS).count();
    if far as f64 > SHARE * f64::from(image.width() * image.height()) {
        let folder = save_failed(name, image, &difference);
        panic!("{name}: {far} pixels differ; see {}", folder.display());
    }
}

/// Two photos of each bundled person, small.
fn faces() -> FaceMatrix {
    let size = FaceSize::new(48, 56).unwrap();
    let mut faces = Vec::new();
    let mut people: Vec<_> = std::fs::read_dir(crate::support::bundled_faces())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    people.sort();
    for person in people {
        for photo in ["1.png", "5.png"] {
            let image = image::open(person.join(photo)).unwrap().into_luma8();
            // 96 x 112 halved exactly: each pixel is the mean of four.
            let halved = imageops::resize(&image, 48, 56, imageops::FilterType::Triangle);
            faces.push(halved);
        }
    }
    FaceMatrix::from_faces(size, &faces).unwrap()
}

#[test]
fn a_contact_sheet_of_basis_faces() {
    let faces = faces();
    let pca = Pca { components: ComponentCount::Count(8), solver: Solver::Gram };
    let components = pca.fit(&faces).unwrap();
    let picture = |values: &[f64], draw: fn(FaceSize, &[f32]) -> GrayImage| {
        draw(faces.size(), &values.iter().map(|&value| value as f32).collect::<Vec<_>>())
    };
    let mut tiles = vec![Tile { image: picture(components.mean.as_slice(), gray), label: "mean face".to_owned() }];
    tiles.extend(components.basis.column_iter().enumerate().map(|(at, eigenface)| Tile {
        image: picture(eigenface.as_slice(), signed),
        label: format!("{}: a basis face with a long label", at + 1),
    }));
    same_picture("sheet.png", &sheet(&tiles, ""));
}

#[test]
fn a_scree_plot() {
    let ratios: Vec<f64> = (1..=60).map(|i| 0.35 * libm::pow(f64::from(i), -1.5)).collect();
    let svg = scree("basis face", &ratios, 40);
    if blessing() {
        std::fs::write(golden("scree.svg"), &svg).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(golden("scree.svg")).unwrap();
    assert_eq!(svg, expected.replace("\r\n", "\n"));
}
