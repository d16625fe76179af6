//! `identify --annotate DIR`: copies of the photos with what was found drawn in.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::io::Cursor;
use std::path::{Component, Path, PathBuf};

use eigenfaces::dataset::PhotoFile;
use eigenfaces::decision::Decision;
use eigenfaces::error::{Error, Result};
use eigenfaces::recognizer::Identification;
use eigenfaces::render::annotate::{Mark, Verdict, annotate};
use eigenfaces::render::lettering;
use eigenfaces::store::{Destination, FileKind, Outputs, Privacy};
use image::codecs::jpeg::JpegEncoder;
use image::{ImageFormat, RgbImage};

use super::output::percent;

/// Of 100: what is drawn has sharp edges.
const JPEG_QUALITY: u8 = 92;

/// Where the copy of each photo goes.
pub struct Copies {
    targets: HashMap<PathBuf, Destination>,
}

impl Copies {
    /// Makes the folders. Below `folder` the copies lie as the photos do below the folder that holds them all.
    ///
    /// # Errors
    /// A copy that would replace a photo or what this program did not write; a folder that cannot be made. Of the
    /// former nothing is done at all.
    pub fn plan(folder: &Path, photos: &[PathBuf], outputs: &mut Outputs) -> Result<Self> {
        let names = names(photos);
        for name in &names {
            outputs.check_below(folder, name, FileKind::Derived)?;
        }
        let mut targets = HashMap::new();
        for (photo, name) in photos.iter().zip(&names) {
            let target = folder.join(name);
            let parent = target.parent().unwrap_or(folder);
            fs::create_dir_all(parent).map_err(|source| Error::MakeFolder {
                path: parent.to_owned(),
                source,
            })?;
            targets.insert(photo.clone(), outputs.claim(&target, FileKind::Derived)?);
        }
        Ok(Self { targets })
    }

    /// Writes the copy of a photo. One that cannot be decoded has none.
    pub fn write(&self, photo: &Path, file: &PhotoFile, found: &[Identification]) -> Result<()> {
        let (Some(target), Ok(picture)) = (self.targets.get(photo), file.decode_color()) else {
            return Ok(());
        };
        let marks: Vec<Mark> = (1..).zip(found).map(|(at, face)| mark(at, face)).collect();
        let bytes = encoded(&annotate(picture, &marks), target.path())?;
        target.write(Privacy::Personal, bytes)
    }
}

/// What is drawn for a face, counted from 1 as in the lines printed.
fn mark(number: usize, found: &Identification) -> Mark {
    let (verdict, name, addition) = match (found.decision, found.closest()) {
        (Decision::Known, Some(closest)) => (
            Verdict::Known,
            label(number, closest.person.as_str()),
            format!(" {}", percent(closest.confidence)),
        ),
        (Decision::NotAFace, _) => (Verdict::NotAFace, "not a face".to_owned(), String::new()),
        _ => (Verdict::Unknown, "unknown".to_owned(), String::new()),
    };
    Mark {
        location: found.location,
        verdict,
        name,
        addition,
    }
}

/// The name, or the face's number where the program has no letters for it.
fn label(number: usize, name: &str) -> String {
    match lettering::can_write(name) {
        true => name.to_owned(),
        false => format!("face {number}"),
    }
}

fn encoded(picture: &RgbImage, target: &Path) -> Result<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    let written = if is_jpeg(target) {
        picture.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY))
    } else {
        picture.write_to(&mut bytes, ImageFormat::Png)
    };
    written.map_err(|error| Error::Encode {
        path: target.to_owned(),
        reason: error.to_string(),
    })?;
    Ok(bytes.into_inner())
}

fn has_extension(path: &Path, among: &[&str]) -> bool {
    path.extension().is_some_and(|own| {
        among
            .iter()
            .any(|extension| own.eq_ignore_ascii_case(extension))
    })
}

fn is_jpeg(path: &Path) -> bool {
    has_extension(path, &["jpg", "jpeg"])
}

/// A name for each photo's copy, relative, each another one even where case does not count. JPEG and PNG keep
/// their names; all else becomes PNG, and has that added.
fn names(photos: &[PathBuf]) -> Vec<PathBuf> {
    let parts: Vec<Vec<OsString>> = photos.iter().map(|photo| parts(photo)).collect();
    let shared = shared_folders(&parts);
    let mut taken = HashSet::new();
    parts
        .iter()
        .map(|parts| {
            let mut path: PathBuf = parts[shared.min(parts.len())..].iter().collect();
            if !has_extension(&path, &["jpg", "jpeg", "png"]) {
                path.as_mut_os_string().push(".png");
            }
            let free = (1..)
                .map(|number| numbered(&path, number))
                .find(|path| taken.insert(path.to_string_lossy().to_lowercase()));
            free.unwrap_or(path)
        })
        .collect()
}

/// `photo.jpg`, `photo (2).jpg` and so on.
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(" ({number})."));
    name.push(path.extension().unwrap_or_default());
    path.with_file_name(name)
}

/// The folders down to a photo, and its name, without detours.
fn parts(photo: &Path) -> Vec<OsString> {
    let whole = std::path::absolute(photo).unwrap_or_else(|_| photo.to_owned());
    let mut parts = Vec::new();
    for component in whole.components() {
        match component {
            Component::Normal(part) => parts.push(part.to_owned()),
            Component::ParentDir => {
                parts.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    parts
}

/// How many leading folders all photos have in common.
fn shared_folders(parts: &[Vec<OsString>]) -> usize {
    let Some((first, others)) = parts.split_first() else {
        return 0;
    };
    let folders = first.len().saturating_sub(1);
    others.iter().fold(folders, |shared, other| {
        let most = shared.min(other.len().saturating_sub(1));
        first
            .iter()
            .zip(other)
            .take(most)
            .take_while(|(a, b)| a == b)
            .count()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(photos: &[&str]) -> Vec<String> {
        let photos: Vec<PathBuf> = photos.iter().map(PathBuf::from).collect();
        let names = names(&photos);
        names
            .iter()
            .map(|name| name.display().to_string())
            .collect()
    }

    #[test]
    fn copies_lie_as_the_photos_do() {
        assert_eq!(named(&["a/x.jpg"]), ["x.jpg"]);
        assert_eq!(named(&["a/x.jpg", "b/x.jpg"]), ["a/x.jpg", "b/x.jpg"]);
        assert_eq!(named(&["p/q/1.png", "p/q/r/1.png"]), ["1.png", "r/1.png"]);
        assert_eq!(
            named(&["p/x.jpg", "p/../p/./x.jpg"]),
            ["x.jpg", "x (2).jpg"]
        );
        assert_eq!(named(&["../../x.png", "y.png"]).len(), 2);
    }

    #[test]
    fn no_two_copies_have_one_name_and_none_leaves_the_folder() {
        assert_eq!(
            named(&["x.gif", "x.GIF.png", "x", "X.PNG", "x (2).png"]),
            [
                "x.gif.png",
                "x.GIF (2).png",
                "x.png",
                "X (2).PNG",
                "x (2) (2).png"
            ]
        );
        for name in named(&["/etc/x.png", "../../../../../../../y.png", "z.webp"]) {
            let path = Path::new(&name);
            assert!(
                path.components()
                    .all(|part| matches!(part, Component::Normal(_))),
                "{name}"
            );
        }
    }

    #[test]
    fn names_without_letters_are_numbered() {
        assert_eq!(
            (label(2, "Zoë"), label(2, "顔")),
            ("Zoë".into(), "face 2".into())
        );
    }
}
