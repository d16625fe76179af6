//! `--write-xmp=inside` and `=lightroom`: names where Lightroom reads them.

use std::fs;
use std::path::Path;

use eigenfaces::dataset::PhotoFile;
use image::ImageFormat;

use crate::support::photo_of_ada;
use crate::{enrolled, run};

fn write(folder: &Path, photo: &str, into: &str) -> crate::Run {
    let option = format!("--write-xmp={into}");
    run(folder, ["identify", photo, &option])
}

/// The names in a file, read as XMP of whatever kind.
fn names(file: &[u8]) -> Vec<String> {
    let packets = eigenfaces::xmp::embedded(file).unwrap();
    let regions = packets.iter().map(|packet| eigenfaces::xmp::read(packet).unwrap());
    let regions = regions.flat_map(|regions| regions.list);
    let mut names: Vec<String> = regions.filter_map(|region| region.name).collect();
    names.dedup();
    names
}

#[test]
fn names_stand_in_the_photo_and_nothing_else_changes() {
    let folder = enrolled();
    let ada = image::open(photo_of_ada()).unwrap().into_rgb8();
    for (name, format) in [
        ("ada.jpg", ImageFormat::Jpeg),
        ("ada.png", ImageFormat::Png),
        ("ada.tif", ImageFormat::Tiff),
        ("ada.webp", ImageFormat::WebP),
    ] {
        let photo = folder.path().join(name);
        ada.save_with_format(&photo, format).unwrap();
        let before = PhotoFile::read(&photo).unwrap();
        let told = run(folder.path(), ["identify", name, "--write-xmp=inside", "--dry-run"]);
        assert!(told.done().stderr.contains("Ada would be written"));
        assert_eq!(fs::read(&photo).unwrap(), before.bytes());
        let said = write(folder.path(), name, "inside").done().stderr;
        assert!(said.contains("wrote 1 name into 1 photo"), "{said}");
        let after = PhotoFile::read(&photo).unwrap();
        assert_eq!(names(after.bytes()), ["Ada"], "{name}");
        assert_eq!(after.decode().unwrap(), before.decode().unwrap(), "{name}");
        // What is written again is what stands there.
        write(folder.path(), name, "inside").done();
        assert_eq!(fs::read(&photo).unwrap(), after.bytes(), "{name}");
        assert!(!folder.path().join(format!("{name}.xmp")).exists());
    }
    // A name that no longer holds goes, from the bytes too.
    run(folder.path(), ["people", "rename", "Ada", "Zoe"]).done();
    write(folder.path(), "ada.tif", "inside").done();
    let photo = fs::read(folder.path().join("ada.tif")).unwrap();
    assert_eq!(names(&photo), ["Zoe"]);
    assert!(!photo.windows(5).any(|bytes| bytes == b">Ada<"));
    ada.save(folder.path().join("ada.bmp")).unwrap();
    write(folder.path(), "ada.bmp", "inside").ended(3, &["JPEG, PNG, WebP and TIFF only"]);
}

#[test]
fn lightrooms_sidecar_is_that_of_one_photo() {
    let folder = enrolled();
    let at = |name: &str| folder.path().join(name);
    fs::copy(photo_of_ada(), at("ada.png")).unwrap();
    // The raw file beside it shows the same.
    fs::write(at("ada.CR2"), b"II*\0raw!CR\x02").unwrap();
    write(folder.path(), "ada.png", "lightroom").done();
    let sidecar = fs::read(at("ada.xmp")).unwrap();
    let named = eigenfaces::xmp::read(&sidecar).unwrap().list;
    assert_eq!(named[0].name.as_deref(), Some("Ada"));
    assert!(!at("ada.png.xmp").exists());
    fs::copy(photo_of_ada(), at("two.png")).unwrap();
    fs::copy(photo_of_ada(), at("two.jpg")).unwrap();
    let shared = write(folder.path(), "two.png", "lightroom");
    shared.ended(3, &["sidecar of two.jpg too", "--write-xmp=inside"]);
    assert!(!at("two.xmp").exists());
    run(folder.path(), ["identify", "two.png", "--write-xmp=elsewhere"]).ended(2, &["--write-xmp", "lightroom"]);
}

#[cfg(unix)]
#[test]
fn links_and_protected_photos_are_told() {
    use std::os::unix::fs::MetadataExt;
    let folder = enrolled();
    let album = folder.path().join("album");
    fs::create_dir(&album).unwrap();
    fs::copy(photo_of_ada(), album.join("x.png")).unwrap();
    let sort = ["identify", "album", "--sort-into", "sorted", "--link"];
    run(folder.path(), sort.iter().chain(&["--write-xmp=inside"])).done();
    let file = |path: &str| fs::metadata(folder.path().join(path)).unwrap().ino();
    assert_eq!(file("album/x.png"), file("sorted/Ada/x.png"));
    assert_eq!(names(&fs::read(album.join("x.png")).unwrap()), ["Ada"]);
    // A link of a photo whose names are written later is told, for it keeps the photo as it was.
    fs::copy(photo_of_ada(), album.join("y.png")).unwrap();
    fs::hard_link(album.join("y.png"), folder.path().join("link.png")).unwrap();
    let told = write(folder.path(), "album/y.png", "inside").done().stderr;
    assert!(told.contains("has other names (hard links)"), "{told}");
    // Who protects a photo has its bytes left alone; a sidecar beside it is a file of its own.
    fs::copy(photo_of_ada(), album.join("z.png")).unwrap();
    fs::set_permissions(album.join("z.png"), std::os::unix::fs::PermissionsExt::from_mode(0o444)).unwrap();
    write(folder.path(), "album/z.png", "inside").ended(3, &["no name is written for it: album/z.png is read-only"]);
    assert_eq!(fs::read(album.join("z.png")).unwrap(), fs::read(photo_of_ada()).unwrap());
    run(folder.path(), ["identify", "album/z.png", "--write-xmp"]).done();
    assert!(album.join("z.png.xmp").exists());
}
