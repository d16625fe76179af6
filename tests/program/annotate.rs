//! `identify --annotate`: copies with what was found drawn in.

use std::fs;

use image::GenericImageView;

use crate::support::{bundled_faces, group_photo, photo_of_ada, scratch};
use crate::{picture, run, text};

/// A folder with a model of the bundled crops.
fn enrolled() -> tempfile::TempDir {
    let folder = scratch();
    run(folder.path(), ["enroll", text(bundled_faces())]).done();
    folder
}

#[test]
fn copies_are_upright_in_colour_and_where_the_photos_are() {
    let folder = enrolled();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("b")).unwrap();
    fs::create_dir_all(at("a")).unwrap();
    let mut photo = image::RgbImage::from_fn(300, 250, |x, y| image::Rgb([(x / 2) as u8, y as u8, 40]));
    let ada = image::open(photo_of_ada()).unwrap().into_rgb8();
    image::imageops::replace(&mut photo, &ada, 160, 20);
    photo.save(at("a/x.jpg")).unwrap();
    photo.save(at("b/x.jpg")).unwrap();
    fs::copy(photo_of_ada(), at("b/ada.bmp.png")).unwrap();
    fs::write(at("b/notes.jpg"), "no photo").unwrap();

    picture(&at("b/wall.png"), 200, 160, 5);
    let args = ["identify", "a/x.jpg", "b", "--annotate", "out"];
    let said = run(folder.path(), args);
    said.ended(3, &["notes.jpg"]);
    let plain = run(folder.path(), ["identify", "a/x.jpg", "b"]);
    assert_eq!(said.stdout, plain.stdout, "what is printed stays");
    let (a, b) = (at("out/a/x.jpg"), at("out/b/x.jpg"));
    assert_eq!(fs::read(a).unwrap(), fs::read(&b).unwrap());
    let copy = image::open(b).unwrap();
    assert_eq!(copy.dimensions(), (300, 250));
    let [red, green, blue, _] = copy.get_pixel(100, 200).0;
    assert!(red.abs_diff(50) < 12 && green.abs_diff(200) < 12 && blue.abs_diff(40) < 12);
    assert!(at("out/b/ada.bmp.png").is_file() && !at("out/b/notes.jpg").exists());
    let copies = fs::read_dir(at("out/b")).unwrap().count();
    assert_eq!(copies, 2, "none of a photo without a face, and no temporary file");
}

#[test]
fn photos_are_never_replaced() {
    let folder = enrolled();
    let photo = folder.path().join("photos/ada.png");
    picture(&photo, 92, 112, 1);
    let before = fs::read(&photo).unwrap();
    for target in ["photos", "photos/../photos", "./photos"] {
        run(folder.path(), ["identify", "photos/ada.png", "--annotate", target]).failed_saying(&[
            "ada.png",
            "is read by this command",
            "another file or folder",
        ]);
    }
    assert_eq!(fs::read(&photo).unwrap(), before);
    run(folder.path(), ["identify", "photos/ada.png", "--annotate", "photos/ada.png"])
        .failed_saying(&["photos/ada.png"]);
}

#[test]
fn every_face_of_a_group_has_its_frame() {
    let folder = scratch();
    let args = ["identify", text(group_photo()), "--annotate", "out", "--faces", text(bundled_faces())];
    run(folder.path(), args).done();
    let copy = image::open(folder.path().join("out/group.png")).unwrap().into_rgb8();
    let photo = image::open(group_photo()).unwrap().into_rgb8();
    let zoom = copy.width() / photo.width();
    assert_eq!(copy.dimensions(), (photo.width() * zoom, photo.height() * zoom));
    // Ada and Farid in green, left and right of the stranger in orange.
    let third = copy.width() / 3;
    let count = |from: u32, color: [u8; 3]| {
        let columns = from..from + third;
        columns.map(|x| (0..copy.height()).filter(|&y| copy.get_pixel(x, y).0 == color).count()).sum::<usize>()
    };
    let (green, orange) = ([0, 158, 115], [230, 159, 0]);
    assert!(count(0, green) > 200 && count(2 * third, green) > 200);
    assert!(count(third, orange) > 200);
}
