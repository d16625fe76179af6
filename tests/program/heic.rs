//! HEIC as libheif's own encoder writes it, read with the feature `heic`. Debian: libheif-examples.

use std::fs;
use std::path::Path;
use std::process::Command;

use eigenfaces::Photo;
use eigenfaces::error::PhotoProblem;
use image::{DynamicImage, GrayImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

use crate::support::{group_photo, photo_of_ada, scratch};
use crate::{enrolled, run};

/// What a program prints; `None`, said in a line, where it is absent.
fn said_by(program: &str, folder: &Path, arguments: &[&str]) -> Option<String> {
    let Ok(output) = Command::new(program).current_dir(folder).args(arguments).output() else {
        eprintln!("skipped: {program} is not installed");
        return None;
    };
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
    Some(said)
}

/// Encodes a file of the folder as `photo.heic`; `None` where there is no encoder.
fn encoded(folder: &Path, photo: &str, options: &[&str]) -> Option<Vec<u8>> {
    let arguments = [&["-q", "95", photo, "-o", "photo.heic"], options].concat();
    said_by("heif-enc", folder, &arguments)?;
    Some(fs::read(folder.join("photo.heic")).unwrap())
}

/// A photo of several people in colours, in which no side is like another.
fn photo() -> RgbImage {
    let gray = image::open(group_photo()).unwrap().into_luma8();
    RgbImage::from_fn(gray.width(), gray.height(), |x, y| {
        let gray = u32::from(gray.get_pixel(x, y).0[0]);
        let shade = |share: u32| (gray * share / 100 + x % 90 / 3) as u8;
        Rgb([shade(85), shade(60), shade(40)])
    })
}

/// The mean difference of gray levels.
fn difference(one: &GrayImage, other: &GrayImage) -> f64 {
    assert_eq!(one.dimensions(), other.dimensions());
    let pairs = one.iter().zip(other.iter());
    let total: u64 = pairs.map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    total as f64 / one.len() as f64
}

fn is_decoded_as(heic: &[u8], original: &Path, what: &str) {
    let photo = Photo::from_bytes(heic).unwrap_or_else(|problem| panic!("{what}: {problem}"));
    let off = difference(photo.luma(), Photo::open(original).unwrap().luma());
    assert!(off < 2.0, "{what}: {off} levels off");
}

/// A JPEG that is stored in one of EXIF's eight ways.
fn stored_as(orientation: u8, photo: &RgbImage) -> Vec<u8> {
    let mut jpeg = std::io::Cursor::new(Vec::new());
    photo.write_to(&mut jpeg, ImageFormat::Jpeg).unwrap();
    let jpeg = jpeg.into_inner();
    let entry = [0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0];
    let exif = [b"Exif\0\0II*\0\x08\0\0\0\x01\0".as_slice(), &entry, &[0; 4]].concat();
    let length = (exif.len() as u16 + 2).to_be_bytes();
    [&jpeg[..2], &[0xFF, 0xE1], &length, &exif, &jpeg[2..]].concat()
}

#[test]
fn photos_of_every_orientation_are_upright() {
    let folder = scratch();
    for orientation in 1..=8 {
        let jpeg = stored_as(orientation, &photo());
        fs::write(folder.path().join("photo.jpg"), jpeg).unwrap();
        let Some(heic) = encoded(folder.path(), "photo.jpg", &[]) else { return };
        let original = folder.path().join("photo.jpg");
        is_decoded_as(&heic, &original, &format!("orientation {orientation}"));
        let upright = Photo::open(&original).unwrap().luma().dimensions();
        let path = folder.path().join("photo.heic");
        assert_eq!(eigenfaces::dataset::photo_dimensions(&path), Ok(upright));
    }
}

/// The container has turned the photo, or not: what EXIF says of it besides changes nothing.
#[test]
fn no_photo_is_turned_twice() {
    let folder = scratch();
    let original = folder.path().join("photo.jpg");
    for orientation in [1, 6] {
        fs::write(&original, stored_as(orientation, &photo())).unwrap();
        if encoded(folder.path(), "photo.jpg", &[]).is_none() {
            return;
        }
        for exif in ["3", "6", "8"] {
            let exif = format!("-Orientation={exif}");
            let set = ["-q", "-n", "-overwrite_original", &exif, "photo.heic"];
            if said_by("exiftool", folder.path(), &set).is_none() {
                return;
            }
            let heic = fs::read(folder.path().join("photo.heic")).unwrap();
            is_decoded_as(&heic, &original, &format!("{orientation} and {exif}"));
        }
    }
}

#[test]
fn every_kind_of_samples_is_read() {
    let folder = scratch();
    let original = folder.path().join("photo.png");
    let photo = photo();
    let deep = DynamicImage::from(photo.clone()).into_rgb16();
    let clear = RgbaImage::from_fn(photo.width(), photo.height(), |x, y| {
        let [r, g, b] = photo.get_pixel(x, y).0;
        Rgba([r, g, b, if x % 128 < 64 { 255 } else { 60 }])
    });
    let gray = DynamicImage::from(photo.clone()).into_luma8();
    let kinds: [(&str, DynamicImage, &[&str]); 8] = [
        ("8 bits", photo.clone().into(), &[]),
        ("10 bits", deep.clone().into(), &["-b", "10"]),
        ("12 bits", deep.into(), &["-b", "12"]),
        ("transparent", clear.into(), &[]),
        ("gray", gray.into(), &[]),
        ("4:4:4", photo.clone().into(), &["-p", "chroma=444"]),
        ("Rec. 709", photo.clone().into(), &["--matrix_coefficients", "1"]),
        ("16 to 235", photo.into(), &["--full_range_flag", "0"]),
    ];
    for (kind, image, options) in kinds {
        image.save(&original).unwrap();
        let Some(heic) = encoded(folder.path(), "photo.png", options) else { return };
        is_decoded_as(&heic, &original, kind);
    }
}

/// As phones store all their photos: tiles, of which those at the edge reach beyond it.
#[test]
fn a_photo_of_tiles_is_read() {
    const SIDE: u32 = 128;
    let folder = scratch();
    let original = folder.path().join("photo.png");
    let photo = photo();
    photo.save(&original).unwrap();
    let (width, height) = photo.dimensions();
    for down in 0..height.div_ceil(SIDE) {
        for across in 0..width.div_ceil(SIDE) {
            let tile = RgbImage::from_fn(SIDE, SIDE, |x, y| {
                let (x, y) = (across * SIDE + x, down * SIDE + y);
                *photo.get_pixel(x.min(width - 1), y.min(height - 1))
            });
            let name = format!("tile-{:02}-{:02}.png", down + 1, across + 1);
            tile.save(folder.path().join(name)).unwrap();
        }
    }
    let (width, height) = (width.to_string(), height.to_string());
    let options = ["-T", "--tiled-image-width", &width, "--tiled-image-height", &height];
    let Some(heic) = encoded(folder.path(), "tile-01-01.png", &options) else { return };
    assert!(heic.windows(4).any(|kind| kind == b"grid"));
    is_decoded_as(&heic, &original, "tiles");
}

#[test]
fn people_in_heic_photos_are_named_and_drawn() {
    let folder = enrolled();
    fs::copy(photo_of_ada(), folder.path().join("ada.png")).unwrap();
    if encoded(folder.path(), "ada.png", &[]).is_none() {
        return;
    }
    let told = run(folder.path(), ["identify", "photo.heic", "--annotate", "marked"]);
    assert!(told.done().stdout.contains("Ada ("));
}

#[test]
fn damaged_files_are_refused() {
    let folder = scratch();
    photo().save(folder.path().join("photo.png")).unwrap();
    let Some(heic) = encoded(folder.path(), "photo.png", &[]) else { return };
    let whole = Photo::from_bytes(heic.clone()).unwrap();
    for part in 0..40 {
        let cut = &heic[..heic.len() * part / 40];
        let problem = Photo::from_bytes(cut).expect_err("a cut file");
        assert!(!problem.to_string().contains(char::is_control), "{problem}");
    }
    let sizes: Vec<usize> = (4..heic.len() - 16).filter(|&at| heic[at..].starts_with(b"ispe")).collect();
    assert!(!sizes.is_empty());
    let declared = |width: u32, height: u32| {
        let mut heic = heic.clone();
        for &at in &sizes {
            heic[at + 8..at + 12].copy_from_slice(&width.to_be_bytes());
            heic[at + 12..at + 16].copy_from_slice(&height.to_be_bytes());
        }
        Photo::from_bytes(heic)
    };
    let said = declared(20_000, 20_000).unwrap_err();
    assert!(matches!(said, PhotoProblem::TooManyPixels { width: 20_000, .. }), "{said}");
    // Fewer pixels than the limit, and too much to decode.
    let said = declared(15_000, 15_000).unwrap_err();
    assert!(matches!(said, PhotoProblem::TooMuchMemory { .. }), "{said}");
    for (width, height) in [(0, 0), (1, 1), (16, 4000), (5000, 3000)] {
        if let Ok(photo) = declared(width, height) {
            assert_eq!(photo.luma(), whole.luma(), "{width} x {height}");
        }
    }
}
