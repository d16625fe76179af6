//! Pictures that `identify` writes beside its answers: copies of the photos with what was found drawn in
//! (`--annotate`), and the faces by themselves (`--save-faces`).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use eigenfaces::dataset::{PhotoFile, is_standard_input};
use eigenfaces::decision::Decision;
use eigenfaces::preparation::portrait;
use eigenfaces::recognizer::Identification;
use eigenfaces::store::{Destination, Outputs, Privacy, fitting, numbered};

use super::annotate::{annotated, caption_sheet};
use super::args::Pictures;
use super::output_dir::OutputDir;
use super::{Result, files};

/// The pictures that are to be written, photo by photo.
pub struct Copies {
    annotated: Option<Annotated>,
    faces: Option<Faces>,
}

impl Copies {
    /// As the user wants it; `None` where no pictures are wanted. Makes the folders.
    /// Errors: a copy that would replace a file which must stay; a folder that cannot be made. Of the former nothing is done at all.
    pub fn plan(args: &Pictures, photos: &[PathBuf], outputs: &Outputs) -> Result<Option<Self>> {
        if args.annotate.is_none() && args.save_faces.is_none() {
            return Ok(None);
        }
        let annotated = args.annotate.as_ref();
        let annotated = annotated.map(|folder| Annotated::plan(folder, photos, outputs));
        let annotated = annotated.transpose()?;
        let faces = args.save_faces.as_ref();
        let faces = faces.map(|folder| Faces::plan(folder, photos, outputs));
        let faces = faces.transpose()?;
        Ok(Some(Self { annotated, faces }))
    }

    /// Writes the pictures of a photo, whose file is read again unless it was kept. One that cannot be decoded has none.
    pub fn write(
        &self,
        photo: &Path,
        kept: Option<&PhotoFile>,
        found: &[Identification],
    ) -> Result<()> {
        let file = match kept {
            Some(file) => Ok(Cow::Borrowed(file)),
            None => PhotoFile::read(photo).map(Cow::Owned),
        };
        let Ok(file) = &file else { return Ok(()) };
        if let Some(annotated) = &self.annotated {
            annotated.write(photo, file, found)?;
        }
        match &self.faces {
            Some(faces) => faces.write(photo, file, found),
            None => Ok(()),
        }
    }
}

struct Annotated {
    folder: OutputDir,
    /// The name of each photo's copy, and the right to write it.
    targets: HashMap<PathBuf, (PathBuf, Destination)>,
}

impl Annotated {
    /// Below `folder` the copies lie as the photos do below the folder that holds them all.
    fn plan(folder: &Path, photos: &[PathBuf], outputs: &Outputs) -> Result<Self> {
        let names = names(photos);
        let folder = OutputDir::new(folder, outputs.clone());
        folder.check(&names)?;
        let mut targets = HashMap::new();
        for (photo, name) in photos.iter().zip(&names) {
            targets.insert(photo.clone(), (name.clone(), folder.claim(name)?));
        }
        Ok(Self { folder, targets })
    }

    fn write(&self, photo: &Path, file: &PhotoFile, found: &[Identification]) -> Result<()> {
        if found.iter().all(|face| face.decision == Decision::NotAFace) {
            return Ok(());
        }
        let (Some((name, target)), Ok(picture)) = (self.targets.get(photo), file.decode_color())
        else {
            return Ok(());
        };
        let title = name.to_string_lossy();
        if let Some(sheet) = caption_sheet(&title, picture.dimensions(), found) {
            let name = fitting(name.with_extension("names.svg"));
            self.folder
                .claim(name)?
                .write(Privacy::Personal, sheet.into_bytes())?;
        }
        let bytes = annotated(picture, found, target.path())?;
        target.write(Privacy::Personal, bytes)
    }
}

struct Faces {
    folder: OutputDir,
    /// The beginning of the names of a photo's faces.
    names: HashMap<PathBuf, String>,
}

impl Faces {
    fn plan(folder: &Path, photos: &[PathBuf], outputs: &Outputs) -> Result<Self> {
        let flat = |name: &PathBuf| {
            let parts = name.with_extension("");
            let parts = parts
                .components()
                .map(|part| part.as_os_str().to_string_lossy());
            parts.collect::<Vec<_>>().join("-")
        };
        // Photos of one name and different formats.
        let mut taken = HashSet::new();
        let names = names(photos);
        let names = photos.iter().zip(&names).map(|(photo, name)| {
            let name = flat(name);
            let free = (1..)
                .map(|number| match number {
                    1 => name.clone(),
                    _ => format!("{name} ({number})"),
                })
                .find(|name| taken.insert(name.to_lowercase()));
            (photo.clone(), free.unwrap_or(name))
        });
        Ok(Self {
            folder: OutputDir::new(folder, outputs.clone()),
            names: names.collect(),
        })
    }

    fn write(&self, photo: &Path, file: &PhotoFile, found: &[Identification]) -> Result<()> {
        let (Some(name), Ok(picture)) = (self.names.get(photo), file.decode_color()) else {
            return Ok(());
        };
        for (number, face) in (1..).zip(found) {
            if face.decision == Decision::NotAFace {
                continue;
            }
            let target = fitting(format!("{name}-{number}.png").into());
            let picture = match face.location {
                Some(location) => portrait(&picture, location),
                None => picture.clone(),
            };
            let to = self.folder.claim(target)?;
            to.write_face(files::encoded(&picture.into(), to.path())?)?;
        }
        Ok(())
    }
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
            if !files::has_extension(&path, &["jpg", "jpeg", "png"]) {
                path.as_mut_os_string().push(".png");
            }
            let free = (1..)
                .map(|number| fitting(numbered(&path, number)))
                .find(|path| taken.insert(path.to_string_lossy().to_lowercase()));
            free.unwrap_or(path)
        })
        .collect()
}

/// The folders down to a photo, and its name, without detours.
fn parts(photo: &Path) -> Vec<OsString> {
    if is_standard_input(photo) {
        return vec!["standard-input".into()];
    }
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

/// Number of leading folders that all photos have in common.
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
}
