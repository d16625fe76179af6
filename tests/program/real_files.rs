//! Files as people really have them: rarer kinds of JPEG, huge photos, leftovers of other programs, raw files, folders in
//! which not everything shows a face.

use std::fs;
use std::path::Path;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, GrayImage, Luma, RgbImage};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

use crate::support::{bundled_faces, photo_of_ada, scratch, with_text};
use crate::{enrolled, run, text};

fn ada() -> RgbImage {
    image::open(photo_of_ada()).unwrap().into_rgb8()
}

fn jpeg(path: &Path, image: &RgbImage, set: impl FnOnce(&mut Encoder<fs::File>)) {
    let mut encoder = Encoder::new(fs::File::create(path).unwrap(), 92);
    set(&mut encoder);
    let (width, height) = (image.width() as u16, image.height() as u16);
    encoder.encode(image.as_raw(), width, height, ColorType::Rgb).unwrap();
}

/// Copies some of the bundled photos of a person into `folder/person`.
fn copy_person(folder: &Path, person: &str, photos: std::ops::RangeInclusive<u32>) {
    fs::create_dir_all(folder.join(person)).unwrap();
    for photo in photos {
        let name = format!("{photo}.png");
        fs::copy(bundled_faces().join(person).join(&name), folder.join(person).join(&name)).unwrap();
    }
}

#[test]
fn jpegs_of_every_sampling_and_scan_show_who_is_in_them() {
    let folder = enrolled();
    let image = ada();
    let mut names = Vec::new();
    for sampling in [
        SamplingFactor::F_1_1,
        SamplingFactor::F_2_1,
        SamplingFactor::F_1_2,
        SamplingFactor::F_2_2,
        SamplingFactor::F_4_1,
        SamplingFactor::F_1_4,
    ] {
        for progressive in [false, true] {
            let name = format!("{sampling:?}-{progressive}.jpg");
            jpeg(&folder.path().join(&name), &image, |encoder| {
                encoder.set_sampling_factor(sampling);
                encoder.set_progressive(progressive);
            });
            names.push(name);
        }
    }
    let told = run(folder.path(), ["identify"].into_iter().chain(names.iter().map(String::as_str))).done();
    assert_eq!(told.stdout.lines().count(), names.len());
    for line in told.stdout.lines() {
        assert!(line.contains(": Ada ("), "{line}");
    }
}

#[test]
fn a_jpeg_that_only_lacks_its_end_marker_is_read() {
    let folder = enrolled();
    let path = folder.path().join("open.jpg");
    jpeg(&path, &ada(), |_| {});
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 2]).unwrap();
    let told = run(folder.path(), ["identify", "open.jpg"]).done();
    assert!(told.stdout.contains("Ada"), "{}", told.stdout);
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    run(folder.path(), ["identify", "open.jpg"]).failed_saying(&["open.jpg", "cut short"]);
}

#[test]
fn a_photo_of_108_megapixels_is_looked_at() {
    let folder = enrolled();
    let (width, height) = (12_000, 9_000);
    let face = DynamicImage::from(DynamicImage::from(ada()).into_luma8());
    let face = face.resize_exact(2400, 2800, image::imageops::FilterType::Triangle).into_luma8();
    let mut pixels = vec![128; width * height];
    for (row, line) in pixels.chunks_exact_mut(width).skip(3000).zip(face.chunks_exact(2400)) {
        row[4000..][..2400].copy_from_slice(line);
    }
    let photo = DynamicImage::from(GrayImage::from_raw(width as u32, height as u32, pixels).unwrap());
    photo.save(folder.path().join("phone.jpg")).unwrap();
    let file = fs::File::create(folder.path().join("phone.png")).unwrap();
    let fast = PngEncoder::new_with_quality(file, CompressionType::Fast, FilterType::Up);
    photo.write_with_encoder(fast).unwrap();
    let told = run(folder.path(), ["identify", "phone.jpg", "phone.png"]).done();
    assert_eq!(told.stdout.matches(": Ada (").count(), 2, "{}", told.stdout);
}

#[test]
fn raw_files_and_rare_kinds_are_named_and_nobody_is_told_to_remove_them() {
    let folder = enrolled();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.RAF"), [b"FUJIFILMCCD-RAW 0201FF393101X-T5".as_slice(), &[0; 900]].concat()).unwrap();
    fs::write(at("a.dng"), negative()).unwrap();
    let plain = at("plain.jpg");
    jpeg(&plain, &ada(), |_| {});
    let mut bytes = fs::read(&plain).unwrap();
    let frame = bytes.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
    bytes[frame + 1] = 0xc9;
    fs::write(at("arithmetic.jpg"), &bytes).unwrap();
    let told = run(folder.path(), ["identify", "a.RAF", "a.dng", "arithmetic.jpg", "plain.jpg"]);
    told.ended(3, &["a.RAF: camera raw", "a.dng: camera raw", "keep the original", "arithmetic coding", "convert it"]);
    for word in ["remove", "damaged", "copy it again"] {
        assert!(!told.stderr.contains(word), "{}", told.stderr);
    }
    assert!(told.stdout.contains("plain.jpg: Ada"), "{}", told.stdout);
}

/// A digital negative: a TIFF with a thumbnail in front.
fn negative() -> Vec<u8> {
    let thumbnail = DynamicImage::from(ada()).thumbnail_exact(24, 28).into_luma8();
    let mut bytes = b"II*\0\x08\0\0\0".to_vec();
    let tags: [(u16, u16, u32, u32); 10] = [
        (254, 4, 1, 1),
        (256, 3, 1, 24),
        (257, 3, 1, 28),
        (258, 3, 1, 8),
        (259, 3, 1, 1),
        (262, 3, 1, 1),
        (273, 4, 1, 200),
        (278, 3, 1, 28),
        (279, 4, 1, 24 * 28),
        (50706, 1, 4, 0x0401),
    ];
    bytes.extend((tags.len() as u16).to_le_bytes());
    for (tag, kind, count, value) in tags {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend(value.to_le_bytes());
    }
    bytes.resize(200, 0);
    bytes.extend(thumbnail.as_raw());
    bytes
}

#[test]
fn what_other_programs_leave_beside_photos_is_passed_over() {
    let folder = scratch();
    let gallery = folder.path().join("g");
    for person in ["Ada", "Boris"] {
        copy_person(&gallery, person, 1..=3);
    }
    let stranger = bundled_faces().join("Chiara/1.png");
    for name in ["1.png_original", "1.png.bak", "2.png~", "3.png.part", "yaleB11.pgm.bad", "thumb_1.png", ".hidden.png"]
    {
        fs::copy(&stranger, gallery.join("Ada").join(name)).unwrap();
    }
    let deleted = gallery.join("Boris/@eaDir");
    fs::create_dir(&deleted).unwrap();
    fs::copy(&stranger, deleted.join("1.png")).unwrap();
    let said = run(folder.path(), ["enroll", "g"]).done();
    assert!(said.stderr.contains("enrolled 6 faces of 2 people"), "{}", said.stderr);
    assert!(said.stderr.contains("passed over 6 files whose names say backup"), "{}", said.stderr);
    // Named by itself, a file is what its user says.
    let told = run(folder.path(), ["identify", "g/Ada/1.png.bak"]).done();
    assert!(told.stdout.contains("1.png.bak: "), "{}", told.stdout);
    let only = folder.path().join("only/Ada");
    fs::create_dir_all(&only).unwrap();
    fs::copy(&stranger, only.join("1.png.bak")).unwrap();
    let alone = run(folder.path(), ["enroll", "only", "-m", "only.npz"]);
    alone.ended(1, &["1.png.bak", "rename it"]);
}

#[test]
fn the_same_pixels_with_other_metadata_are_the_same_photo() {
    let folder = scratch();
    let gallery = folder.path().join("g");
    for person in ["Ada", "Boris"] {
        copy_person(&gallery, person, 1..=3);
    }
    let said_anew = |from: &str, to: &str| {
        let bytes = fs::read(gallery.join(from)).unwrap();
        fs::write(gallery.join(to), with_text(&bytes)).unwrap();
    };
    said_anew("Ada/1.png", "Ada/9.png");
    let said = run(folder.path(), ["enroll", "g"]).done();
    assert!(said.stderr.contains("enrolled 6 faces of 2 people"), "{}", said.stderr);
    said_anew("Ada/2.png", "Boris/9.png");
    let said = run(folder.path(), ["enroll", "g", "-m", "two.npz"]);
    said.ended(3, &["Boris/9.png", "is the same photo as", "labelled 'Ada'"]);
    assert!(said.stderr.contains("enrolled 5 faces"), "{}", said.stderr);
    let listed = run(folder.path(), ["people", "list", "--photos"]).done().stdout;
    assert!(!listed.contains("9.png"), "{listed}");
    // Where it lay, with a keyword that another program has given it: it is enrolled already.
    said_anew("Boris/1.png", "Boris/1.png");
    let again = run(folder.path(), ["enroll", "g", "--format", "json"]);
    let object: serde_json::Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(object["already_enrolled"], 6, "{object}");
}

#[test]
fn photos_that_show_no_face_do_not_decide_how_the_others_are_read() {
    let folder = scratch();
    let gallery = folder.path().join("g");
    for (seed, person) in (10..).step_by(10).zip(["Ada", "Boris", "Chiara", "Farid"]) {
        copy_person(&gallery, person, 1..=2);
        // Landscapes and icons, more of them than of faces.
        for number in 1..=4 {
            crate::picture(&gallery.join(person).join(format!("holiday-{number}.png")), 300 + seed, 200, number);
            let icon = GrayImage::from_fn(7, 7, |x, y| Luma([(x * y * 5 + seed + number) as u8]));
            icon.save(gallery.join(person).join(format!("icon-{number}.png"))).unwrap();
        }
    }
    let said = run(folder.path(), ["enroll", "g"]);
    said.ended(3, &["no face was found"]);
    assert!(said.stderr.contains("enrolled 8 faces of 4 people"), "{}", said.stderr);
    let told = run(folder.path(), ["identify", text(photo_of_ada())]).done();
    assert!(told.stdout.contains("Ada ("), "{}", told.stdout);
}

#[test]
fn photos_of_poor_quality_are_counted_and_listed() {
    let folder = scratch();
    let gallery = folder.path().join("g");
    for person in ["Ada", "Boris"] {
        copy_person(&gallery, person, 1..=3);
    }
    let sharp = run(folder.path(), ["enroll", "g"]).done();
    assert!(!sharp.stderr.contains("poor quality"), "{}", sharp.stderr);
    let photo = image::open(gallery.join("Ada/1.png")).unwrap();
    photo.blur(4.0).save(gallery.join("Ada/8.png")).unwrap();
    let said = run(folder.path(), ["enroll", "g"]).done();
    let words = "1 photo is of poor quality (1 blurred)";
    assert!(said.stderr.contains(words), "{}", said.stderr);
    let listed = run(folder.path(), ["enroll", "g", "--check", "-m", "none.npz"]).done();
    let line = listed.stdout.lines().find(|line| line.contains("is blurred"));
    let line = line.expect("the blurred photo is listed");
    assert!(line.contains("g/Ada/8.png") && line.contains("sharpness"), "{line}");
}
