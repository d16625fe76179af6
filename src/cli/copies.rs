//! Copies of the photos with what was found drawn in (`identify --annotate`).

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use eigenfaces::dataset::{PhotoFile, has_extension, is_standard_input};
use eigenfaces::decision::Decision;
use eigenfaces::recognizer::Identification;
use eigenfaces::render::annotate::{Mark, annotate};
use eigenfaces::render::caption::caption;
use eigenfaces::render::lettering;
use eigenfaces::store::{Destination, Outputs, Privacy, fitting, numbered};
use image::RgbImage;

use super::files::{self, OutputDir};
use super::{Result, one_line, percent};

/// The right to write each photo's copy, and beside it who is who where there are several faces.
pub struct Copies {
    folder: OutputDir,
    /// The name of each photo's copy, and the right to write it.
    targets: HashMap<PathBuf, (PathBuf, Destination)>,
}

impl Copies {
    /// Below `folder` the copies lie as the photos do below the folder that holds them all.
    /// Errors: A copy that would replace a file which must stay: nothing is done at all then. A folder that cannot be made.
    pub fn plan(folder: &Path, photos: &[PathBuf], outputs: &Outputs) -> Result<Self> {
        let names = names(photos);
        let folder = OutputDir::new(folder, outputs.clone());
        folder.check(&names)?;
        let mut targets = HashMap::new();
        for (photo, name) in photos.iter().zip(names) {
            let target = folder.claim(&name)?;
            targets.insert(photo.clone(), (name, target));
        }
        Ok(Self { folder, targets })
    }

    /// Writes the copy of a photo, whose file is read again unless it was kept. One that cannot be decoded has none.
    pub fn write(&self, photo: &Path, kept: Option<&PhotoFile>, found: &[Identification]) -> Result<()> {
        if found.iter().all(|face| face.decision == Decision::NotAFace) {
            return Ok(());
        }
        let read_again = || PhotoFile::read(photo).and_then(|file| file.decode_color());
        let picture = kept.map_or_else(read_again, PhotoFile::decode_color);
        let (Some((name, target)), Ok(picture)) = (self.targets.get(photo), picture) else { return Ok(()) };
        if let Some(sheet) = caption_sheet(&name.to_string_lossy(), picture.dimensions(), found) {
            self.folder
                .claim(fitting(name.with_extension("names.svg")))?
                .write(Privacy::Personal, sheet.into_bytes())?;
        }
        target.write(Privacy::Personal, annotated(picture, found, target.path())?)
    }
}

/// A name for each photo's copy, relative, each another one even where case does not count. JPEG and PNG keep
/// their names; all else becomes PNG, and has that added.
fn names(photos: &[PathBuf]) -> Vec<PathBuf> {
    let parts: Vec<Vec<OsString>> = photos.iter().map(|photo| parts(photo)).collect();
    let shared = shared_folders(&parts);
    let mut taken = HashSet::new();
    let name = |parts: &Vec<OsString>| {
        let mut path: PathBuf = parts[shared.min(parts.len())..].iter().collect();
        if !has_extension(&path, &["jpg", "jpeg", "png"]) {
            path.as_mut_os_string().push(".png");
        }
        let mut numbered = (1..).map(|number| fitting(numbered(&path, number)));
        numbered.find(|path| taken.insert(path.to_string_lossy().to_lowercase())).unwrap_or(path)
    };
    parts.iter().map(name).collect()
}

/// The folders down to a photo, and its name, without detours.
fn parts(photo: &Path) -> Vec<OsString> {
    if is_standard_input(photo) {
        return vec!["standard-input".into()];
    }
    let mut parts = Vec::new();
    for component in std::path::absolute(photo).unwrap_or_else(|_| photo.to_owned()).components() {
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

/// Number of leading folders that all photos have in common.
fn shared_folders(parts: &[Vec<OsString>]) -> usize {
    let Some((first, others)) = parts.split_first() else { return 0 };
    others.iter().fold(first.len().saturating_sub(1), |shared, other| {
        first.iter().zip(other).take(shared.min(other.len().saturating_sub(1))).take_while(|(a, b)| a == b).count()
    })
}

/// The photo with its faces framed and named, as the file of that name is to hold it.
pub fn annotated(picture: RgbImage, found: &[Identification], target: &Path) -> Result<Vec<u8>> {
    let marks: Vec<Mark> =
        (1..).zip(found).map(|(number, face)| mark((found.len() > 1).then_some(number), face)).collect();
    files::encoded(&annotate(picture, &marks).into(), target)
}

/// A page to print beside the photo: its outline with the faces' numbers, and who they are. `None` for a single face.
pub fn caption_sheet(title: &str, size: (u32, u32), found: &[Identification]) -> Option<String> {
    let face = |face: &Identification| {
        let who = match (face.decision, face.name()) {
            (_, Some(name)) => name.to_owned(),
            _ if face.is_probable() => one_line(&face.to_string()),
            (Decision::NotAFace, None) => "not a face".to_owned(),
            (_, None) => "unknown".to_owned(),
        };
        Some((face.location?.bounds, who))
    };
    let faces: Vec<_> = found.iter().filter_map(face).collect();
    (faces.len() > 1).then(|| caption(title, size, &faces).to_svg())
}

/// The mark drawn on a face: its number in the lines printed where there are several, and a known or (marked) probable name.
fn mark(number: Option<usize>, found: &Identification) -> Mark {
    let closest = found.closest();
    let sure = closest.map_or_else(String::new, |closest| format!(" {}", percent(closest.confidence)));
    let name = closest.map(|closest| closest.person.as_str());
    let (name, addition) = match (found.decision, name) {
        (Decision::NotAFace, _) => (label(number, "not a face"), String::new()),
        (Decision::Known, Some(name)) => (label(number, name), sure),
        (Decision::Unknown, Some(name)) if found.is_probable() => (label(number, name), format!("?{sure}")),
        (Decision::Known | Decision::Unknown, _) => (label(number, "unknown"), String::new()),
    };
    let number = number.map(|number| number.to_string()).unwrap_or_default();
    Mark { location: found.location, decision: found.decision, name, addition, number }
}

/// The number and the name, or `face` where the program has no letters for the name.
fn label(number: Option<usize>, name: &str) -> String {
    let name = if lettering::can_write(name) { name } else { "face" };
    number.map_or_else(|| name.to_owned(), |number| format!("{number}: {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(photos: &[&str]) -> Vec<String> {
        let photos: Vec<PathBuf> = photos.iter().map(PathBuf::from).collect();
        let names = names(&photos);
        names.iter().map(|name| name.display().to_string()).collect()
    }

    #[test]
    fn copies_lie_as_the_photos_do() {
        assert_eq!(named(&["a/x.jpg"]), ["x.jpg"]);
        assert_eq!(named(&["a/x.jpg", "b/x.jpg"]), ["a/x.jpg", "b/x.jpg"]);
        assert_eq!(named(&["p/q/1.png", "p/q/r/1.png"]), ["1.png", "r/1.png"]);
        assert_eq!(named(&["p/x.jpg", "p/../p/./x.jpg"]), ["x.jpg", "x (2).jpg"]);
        assert_eq!(named(&["../../x.png", "y.png"]).len(), 2);
    }

    #[test]
    fn names_that_are_too_long_are_cut_and_still_differ() {
        let long = |end: &str| format!("{}{end}.gif", "ä".repeat(124));
        let names = named(&[&long("xx"), &long("xy"), &long("")]);
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), 3);
        for name in names {
            assert!(name.len() <= 255 && name.ends_with(".png"), "{name}");
        }
    }

    #[test]
    fn no_two_copies_have_one_name_and_none_leaves_the_folder() {
        assert_eq!(
            named(&["x.gif", "x.GIF.png", "x", "X.PNG", "x (2).png"]),
            ["x.gif.png", "x.GIF (2).png", "x.png", "X (2).PNG", "x (2) (2).png"]
        );
        for name in named(&["/etc/x.png", "../../../../../../../y.png", "z.webp"]) {
            let path = Path::new(&name);
            assert!(path.components().all(|part| matches!(part, Component::Normal(_))), "{name}");
        }
    }

    #[test]
    fn labels_have_the_number_of_the_line_and_a_name_that_can_be_read() {
        assert_eq!(label(Some(3), "Mum"), "3: Mum");
        assert_eq!(label(None, "Zoë"), "Zoë");
        assert_eq!(label(Some(2), "顔"), "2: face");
    }
}
