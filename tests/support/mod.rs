//! What several test programs need: where real data is, and folders that vanish.

#![allow(dead_code)]

pub mod drawn;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, OnceLock};

use eigenfaces::dataset::LabelRule;
use eigenfaces::enrollment::{self, Base};
use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::gallery::{Gallery, LabeledFace};
use eigenfaces::preparation::Preparation;

/// The project's folder.
pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder of real face data under $EIGENFACES_DATA or ../shared/data; `None`, said in a line, where it is
/// absent.
pub fn real_data(name: &str) -> Option<PathBuf> {
    let data = std::env::var_os("EIGENFACES_DATA").map_or_else(|| project().join("../shared/data"), PathBuf::from);
    let folder = data.join(name);
    if folder.is_dir() {
        Some(folder)
    } else {
        eprintln!("skipped: no real data at {}", folder.display());
        None
    }
}

/// The faces of a folder's labelled photos, those of a person side by side; photos that cannot be used are left out. A folder
/// is read once for all tests of a process that want it prepared alike.
pub fn labeled_faces(folder: &Path, preparation: &Preparation) -> Vec<LabeledFace> {
    type Faces = Arc<OnceLock<Vec<LabeledFace>>>;
    static READ: Mutex<BTreeMap<String, Faces>> = Mutex::new(BTreeMap::new());
    let wanted = format!("{preparation:?} {}", folder.display());
    let mut read = READ.lock().expect("no test fails while it holds this");
    let faces = Arc::clone(read.entry(wanted).or_default());
    drop(read);
    let read = || {
        let nobody = Gallery::empty(preparation.size());
        let base = Base::Gallery(preparation, &nobody);
        let read = enrollment::read_folders(&[folder.to_owned()], &LabelRule::Folder, base, &());
        let mut faces = read.expect("the folder has photos").folder.new;
        faces.retain(|face| !face.origin.is_without_face());
        faces
    };
    faces.get_or_init(read).clone()
}

/// What is in a folder, in order.
pub fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().expect("the folder can be read");
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.expect("so can its entries").path()).collect();
    all.sort();
    all
}

/// A folder that is removed with the value.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

/// The bundled gallery.
pub fn bundled_faces() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/faces"))
}

/// The folder of bundled probes.
pub fn probes() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/probes"))
}

/// The bundled new photo of Ada.
pub fn photo_of_ada() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/probes/ada.png"))
}

/// The bundled group photo: Ada, a stranger and Farid.
pub fn group_photo() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/scenes/group.png"))
}

/// The numbers of a file in tests/reference/, by the name at the beginning of their line.
pub fn reference<T: FromStr<Err: Debug>>(file: &str) -> HashMap<String, Vec<T>> {
    let path = project().join("tests/reference").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let mut words = line.split_whitespace();
            let name = words.next().unwrap().to_owned();
            (name, words.map(|word| word.parse().unwrap()).collect())
        })
        .collect()
}

/// The AT&T faces as they are, person after person, photo after photo: d = 10,304.
pub fn att_faces() -> Option<FaceMatrix> {
    let folder = real_data("att")?;
    let photos = (1..=40).flat_map(|person| (1..=10).map(move |photo| (person, photo)));
    let faces: Vec<_> = photos
        .map(|(person, photo)| folder.join(format!("s{person}/{photo}.pgm")))
        .map(|path| image::open(path).unwrap().into_luma8())
        .collect();
    Some(FaceMatrix::from_faces(FaceSize::new(92, 112).unwrap(), &faces).unwrap())
}

/// What comes of some work on so many threads.
pub fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().expect("a small pool").install(work)
}

/// A PNG with a text more: the same pixels in another file.
pub fn with_text(png: &[u8]) -> Vec<u8> {
    let mut bytes = png.to_vec();
    let end = bytes.len() - 12;
    // The checksum is that of "tEXt" and its content.
    bytes.splice(end..end, *b"\0\0\0\x04tEXta\0bc\xb7\x6e\x7f\xe9");
    bytes
}

/// A photo as JPEG, of a quality in which the stranger of [`group_photo`] stays one.
pub fn jpeg(photo: &image::DynamicImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, 95);
    photo.to_rgb8().write_with_encoder(encoder).unwrap();
    bytes
}

/// A TIFF with a photo on each page.
pub fn tiff_of(pages: &[image::GrayImage]) -> Vec<u8> {
    let mut file = std::io::Cursor::new(Vec::new());
    let mut tiff = tiff::encoder::TiffEncoder::new(&mut file).unwrap();
    for page in pages {
        let (width, height) = page.dimensions();
        tiff.write_image::<tiff::encoder::colortype::Gray8>(width, height, page).unwrap();
    }
    file.into_inner()
}
