//! Names that people gave in photo managers, wherever these put them, and this program's own beside them.

use std::fs;
use std::path::Path;

use image::{DynamicImage, ImageFormat};

use crate::support::{bundled_faces, group_photo, jpeg};
use crate::{enrolled, run, text};

const XMP_OF_JPEG: &[u8] = b"http://ns.adobe.com/xap/1.0/\0";

/// A packet that names Ada's face in the group photo Rose; `size` is that which it was named in.
fn packet((width, height): (u32, u32)) -> String {
    let (x, y, w, h) = ((28.0 + 63.5 / 2.0) / 360.0, (36.5 + 63.5 / 2.0) / 150.0, 63.5 / 360.0, 63.5 / 150.0);
    format!(
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\
         <rdf:Description rdf:about='' xmlns:mwg-rs='http://www.metadataworkinggroup.com/schemas/regions/' \
         xmlns:stDim='http://ns.adobe.com/xap/1.0/sType/Dimensions#' xmlns:stArea='http://ns.adobe.com/xmp/sType/Area#'>\
         <mwg-rs:Regions rdf:parseType='Resource'><mwg-rs:AppliedToDimensions stDim:w='{width}' stDim:h='{height}' \
         stDim:unit='pixel'/><mwg-rs:RegionList><rdf:Bag><rdf:li><rdf:Description mwg-rs:Name='Rose' mwg-rs:Type='Face'>\
         <mwg-rs:Area stArea:x='{x}' stArea:y='{y}' stArea:w='{w}' stArea:h='{h}' stArea:unit='normalized'/>\
         </rdf:Description></rdf:li></rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions></rdf:Description></rdf:RDF></x:xmpmeta>"
    )
}

fn encoded(photo: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let photo = DynamicImage::from(photo.to_rgb8());
    if format == ImageFormat::Jpeg {
        return jpeg(&photo);
    }
    photo.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn app1(signature: &[u8], content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(2 + signature.len() + content.len()).unwrap();
    [&[0xFF, 0xE1], length.to_be_bytes().as_slice(), signature, content].concat()
}

fn into_jpeg(jpeg: &[u8], segments: &[Vec<u8>]) -> Vec<u8> {
    [&jpeg[..2], &segments.concat(), &jpeg[2..]].concat()
}

/// Behind the image data, where the decoder does not look.
fn into_png(png: &[u8], packet: &[u8]) -> Vec<u8> {
    let chunk = [b"iTXtXML:com.adobe.xmp\0\0\0\0\0".as_slice(), packet].concat();
    let length = (chunk.len() - 4) as u32;
    let (image, end) = png.split_at(png.len() - 12);
    [image, &length.to_be_bytes(), &chunk, &crc32fast::hash(&chunk).to_be_bytes(), end].concat()
}

/// An extended file: a header that says so, the picture, and the packet.
fn into_webp(webp: &[u8], (width, height): (u32, u32), packet: &[u8]) -> Vec<u8> {
    let mut padded = packet.to_vec();
    padded.resize(packet.len().next_multiple_of(2), b' ');
    let mut chunks = b"WEBPVP8X\x0A\0\0\0\x04\0\0\0".to_vec();
    chunks.extend(&(width - 1).to_le_bytes()[..3]);
    chunks.extend(&(height - 1).to_le_bytes()[..3]);
    chunks.extend(&webp[12..]);
    chunks.extend(b"XMP ");
    chunks.extend((padded.len() as u32).to_le_bytes());
    chunks.extend(padded);
    [b"RIFF".as_slice(), &(chunks.len() as u32).to_le_bytes(), &chunks].concat()
}

/// A new directory at the end, with one tag more.
fn into_tiff(tiff: &[u8], packet: &[u8]) -> Vec<u8> {
    assert!(tiff.starts_with(b"II*\0"));
    let at = u32::from_le_bytes(tiff[4..8].try_into().unwrap()) as usize;
    let count = u16::from_le_bytes(tiff[at..at + 2].try_into().unwrap());
    let entries = &tiff[at + 2..][..usize::from(count) * 12];
    let mut file = tiff.to_vec();
    file.resize(file.len().next_multiple_of(2), 0);
    let place = file.len() as u32;
    file.extend(packet);
    file.resize(file.len().next_multiple_of(2), 0);
    let directory = file.len() as u32;
    file.extend((count + 1).to_le_bytes());
    file.extend(entries);
    file.extend([700_u16.to_le_bytes(), 1_u16.to_le_bytes()].concat());
    file.extend([(packet.len() as u32).to_le_bytes(), place.to_le_bytes()].concat());
    file.extend([0; 4]);
    file[4..8].copy_from_slice(&directory.to_le_bytes());
    file
}

fn into_gif(gif: &[u8], packet: &[u8]) -> Vec<u8> {
    let mut trailer = vec![1];
    trailer.extend((0..=u8::MAX).rev());
    trailer.push(0);
    let (image, end) = gif.split_at(gif.len() - 1);
    [image, b"\x21\xFF\x0BXMP DataXMP", packet, &trailer, end].concat()
}

/// The part of a packet that does not fit into one segment.
fn extended(packet: &[u8]) -> Vec<Vec<u8>> {
    let digest = "0123456789ABCDEF0123456789ABCDEF";
    let note = format!(
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\
         <rdf:Description rdf:about='' xmlns:xmpNote='http://ns.adobe.com/xmp/note/' xmpNote:HasExtendedXMP='{digest}'/>\
         </rdf:RDF></x:xmpmeta>"
    );
    let part = |offset: usize, content: &[u8]| {
        let head = [digest.as_bytes(), &(packet.len() as u32).to_be_bytes(), &(offset as u32).to_be_bytes()];
        let content = [&head.concat(), content].concat();
        app1(b"http://ns.adobe.com/xmp/extension/\0", &content)
    };
    vec![app1(XMP_OF_JPEG, note.as_bytes()), part(300, &packet[300..]), part(0, &packet[..300])]
}

/// The names in a sidecar, in its order.
fn names(sidecar: &Path) -> Vec<String> {
    let bytes = fs::read(sidecar).unwrap_or_default();
    let regions = eigenfaces::xmp::read(&bytes).map(|regions| regions.list);
    let named = regions.unwrap_or_default().into_iter();
    named.filter_map(|region| region.name).collect()
}

#[test]
fn names_inside_photos_of_every_format_are_read_and_stay() {
    let folder = enrolled();
    let at = |name: &str| folder.path().join(name);
    let photo = image::open(group_photo()).unwrap();
    let size = (photo.width(), photo.height());
    let text = packet(size);
    let packet = text.as_bytes();
    let jpeg = encoded(&photo, ImageFormat::Jpeg);
    let files = [
        ("a.jpg", into_jpeg(&jpeg, &[app1(XMP_OF_JPEG, packet)])),
        ("b.jpg", into_jpeg(&jpeg, &extended(packet))),
        ("c.png", into_png(&encoded(&photo, ImageFormat::Png), packet)),
        ("d.webp", into_webp(&encoded(&photo, ImageFormat::WebP), size, packet)),
        ("e.tif", into_tiff(&encoded(&photo, ImageFormat::Tiff), packet)),
        ("f.gif", into_gif(&encoded(&photo, ImageFormat::Gif), packet)),
    ];
    for (name, bytes) in files {
        let photos = at(name).with_extension("");
        fs::create_dir(&photos).unwrap();
        fs::write(photos.join(name), bytes).unwrap();
        let photos = crate::text(&photos);
        run(folder.path(), ["enroll", photos, "--labels", "xmp", "-m", "named.npz"]).done();
        let people = run(folder.path(), ["people", "-m", "named.npz"]).done();
        assert_eq!(people.stdout, "Rose (1 face)\n", "{name}");
        fs::remove_file(at("named.npz")).unwrap();
        let written = run(folder.path(), ["identify", photos, "--write-xmp"]).done();
        assert!(written.stderr.contains("Rose stays"), "{}", written.stderr);
        let sidecar = Path::new(photos).join(format!("{name}.xmp"));
        assert_eq!(names(&sidecar), ["Farid"], "{name}: {}", written.stdout);
    }
}

#[test]
fn names_given_in_a_turned_photo_as_it_is_displayed_stay() {
    let folder = enrolled();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("photos")).unwrap();
    let photo = image::open(group_photo()).unwrap();
    let exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    let turned = into_jpeg(
        &encoded(&photo.rotate270(), ImageFormat::Jpeg),
        &[app1(exif, b""), app1(XMP_OF_JPEG, packet((photo.width(), photo.height())).as_bytes())],
    );
    fs::write(at("photos/turned.jpg"), turned).unwrap();
    run(folder.path(), ["enroll", "photos", "--labels", "xmp", "-m", "named.npz"]).done();
    let written = run(folder.path(), ["identify", "photos", "--write-xmp"]).done();
    assert!(written.stderr.contains("Rose stays"), "{}", written.stderr);
    assert_eq!(names(&at("photos/turned.jpg.xmp")), ["Farid"]);
}

/// A guess is written nowhere where a name that a person gave might be lost by it.
#[test]
fn where_names_cannot_be_read_or_placed_nothing_is_written() {
    let folder = enrolled();
    let at = |name: &str| folder.path().join(name);
    let photo = image::open(group_photo()).unwrap();
    let whole = packet((photo.width(), photo.height()));
    let cut = &whole[..whole.len() - 30];
    let cropped = packet((300, 300));
    let placeless = whole.replace("stArea:w='", "stArea:v='");
    let jpeg = encoded(&photo, ImageFormat::Jpeg);
    let in_photo = |packet: &str| into_jpeg(&jpeg, &[app1(XMP_OF_JPEG, packet.as_bytes())]);
    type Sidecar<'a> = Option<(&'a str, &'a str)>;
    let cases: [(&str, Vec<u8>, Sidecar<'_>); 9] = [
        ("lightroom", jpeg.clone(), Some(("p.xmp", cut))),
        ("empty", jpeg.clone(), Some(("p.xmp", ""))),
        ("letters", jpeg.clone(), Some(("P.XMP", cut))),
        ("own", jpeg.clone(), Some(("p.jpg.xmp", cut))),
        ("own-letters", jpeg.clone(), Some(("p.JPG.Xmp", cut))),
        ("before-cropping", jpeg.clone(), Some(("p.xmp", &cropped))),
        ("no-place", jpeg.clone(), Some(("p.xmp", &placeless))),
        ("damaged-packet", in_photo(cut), None),
        ("cropped-packet", in_photo(&cropped), None),
    ];
    for (name, bytes, sidecar) in cases {
        fs::create_dir(at(name)).unwrap();
        fs::write(at(name).join("p.jpg"), bytes).unwrap();
        if let Some((file, content)) = sidecar {
            fs::write(at(name).join(file), content).unwrap();
        }
        let before = files(&at(name));
        let said = run(folder.path(), ["identify", name, "--write-xmp"]);
        let named = sidecar.map_or("in the photo itself", |(file, _)| file);
        said.ended(3, &["p.jpg", "no name is written", named]);
        assert_eq!(files(&at(name)), before, "{name}");
        run(folder.path(), ["group", name, "-o", "names", "--force"]).done();
        let table = fs::read_to_string(at("names/groups.csv")).unwrap();
        fs::write(at("names.csv"), table.replacen("\n1,,", "\n1,Zoe,", 1)).unwrap();
        let model = format!("{name}.npz");
        let applied = ["group", "--apply", "names.csv", "--write-xmp", "-m", &model];
        run(folder.path(), applied).ended(3, &["no name is written", named]);
        fs::remove_file(at(name).join("eigenfaces.faces")).unwrap();
        assert_eq!(files(&at(name)), before, "{name}");
    }
}

/// The files of a folder and what they hold.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn what_was_written_is_withdrawn_when_it_no_longer_holds() {
    let folder = enrolled();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("photos")).unwrap();
    fs::copy(group_photo(), at("photos/party.png")).unwrap();
    let sidecar = at("photos/party.png.xmp");
    let write =
        |options: &[&str]| run(folder.path(), [&["identify", "photos", "--write-xmp"], options].concat()).done();
    write(&[]);
    run(folder.path(), ["people", "rename", "Ada", "Adelaide"]).done();
    write(&[]);
    let renamed = fs::read_to_string(&sidecar).unwrap();
    assert!(!renamed.contains(">Ada<") && !renamed.contains("People|Ada<"), "{renamed}");
    assert!(renamed.contains(">People|Adelaide<"), "{renamed}");
    run(folder.path(), ["people", "remove", "Adelaide", "--yes"]).done();
    let told = write(&["--dry-run"]);
    assert!(told.stderr.contains("Adelaide would be withdrawn"), "{}", told.stderr);
    assert_eq!(fs::read_to_string(&sidecar).unwrap(), renamed);
    let said = write(&[]);
    assert!(said.stderr.contains("withdrew 1 name written earlier"), "{}", said.stderr);
    let removed = fs::read_to_string(&sidecar).unwrap();
    assert!(!removed.contains("Adelaide"), "{removed}");
    assert_eq!(names(&sidecar), ["Farid"]);
    // A person names the face in the photo itself: the guess goes.
    let photo = fs::read(at("photos/party.png")).unwrap();
    let size = image::image_dimensions(at("photos/party.png")).unwrap();
    run(folder.path(), ["enroll", text(bundled_faces())]).done();
    write(&[]);
    assert_eq!(names(&sidecar), ["Farid", "Ada"]);
    fs::write(at("photos/party.png"), into_png(&photo, packet(size).as_bytes())).unwrap();
    write(&[]);
    assert_eq!(names(&sidecar), ["Farid"]);
    assert!(!fs::read_to_string(&sidecar).unwrap().contains("Ada"));
}

/// Photo managers remove the region and the keywords; that this program wrote them stays.
#[test]
fn a_name_that_a_person_took_off_is_not_written_again() {
    let folder = enrolled();
    fs::copy(group_photo(), folder.path().join("party.png")).unwrap();
    let sidecar = folder.path().join("party.png.xmp");
    let write = || run(folder.path(), ["identify", "party.png", "--write-xmp"]).done();
    write();
    let written = fs::read_to_string(&sidecar).unwrap();
    let region = written.find("     <rdf:li rdf:parseType").unwrap()..written.find("     </rdf:li>").unwrap() + 16;
    assert!(written[region.clone()].contains(">Ada<"), "{written}");
    let mut removed = written.clone();
    removed.replace_range(region, "");
    fs::write(&sidecar, removed.replacen("<rdf:li>Ada</rdf:li>", "", 1)).unwrap();
    for _ in 0..2 {
        let said = write();
        assert!(said.stderr.contains("a name was removed there; Ada is not written"), "{}", said.stderr);
        assert_eq!(names(&sidecar), ["Farid"]);
    }
}

/// A face with two names is nobody's until a person has said whose it is.
#[test]
fn a_face_with_two_names_is_not_enrolled() {
    let folder = enrolled();
    let at = |name: &str| folder.path().join("album").join(name);
    fs::create_dir(at("")).unwrap();
    fs::copy(group_photo(), at("1.png")).unwrap();
    let rose = packet((360, 150));
    fs::write(at("1.png.xmp"), &rose).unwrap();
    fs::write(at("1.xmp"), rose.replace("'Rose'", "'Bob'")).unwrap();
    let enroll = ["enroll", "album", "--labels", "xmp", "-m", "named.npz"];
    let told = run(folder.path(), enroll);
    assert!(told.stderr.contains("is named on a face that is"), "{}", told.stderr);
    assert!(!folder.path().join("named.npz").exists(), "{}", told.stderr);
    // One of the names is taken away.
    fs::remove_file(at("1.xmp")).unwrap();
    run(folder.path(), enroll).done();
    let people = run(folder.path(), ["people", "-m", "named.npz"]).done();
    assert!(people.stdout.starts_with("Rose"), "{}", people.stdout);
}
