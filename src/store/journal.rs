//! The journal of a model: faces that were acknowledged one by one and are not learned yet.
//!
//! Programs that add many faces add one photo after the other. Each is on disk before it is acknowledged, and all are
//! learned together. The journal is the hidden file `.NAME.added` beside the model, and part of it: whoever opens the
//! model for changing takes the journal in first (`Model::open`).
//!
//! Each record is a line: the length of a JSON object in bytes, its CRC-32 (both hexadecimal), and the object, which has
//! no line feeds. So a record that was not written to its end is known, and hides none that follows.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::GrayImage;
use serde::{Deserialize, Serialize};

use super::place::Place;
use super::replace::{replace_hidden, sync_folder};
use crate::dataset::Person;
use crate::error::{Error, Result, WriteProblem};
use crate::face_matrix::FaceSize;
use crate::gallery::LabeledFace;
use crate::locate::framing::{Framing, RelativeEyes};
use crate::preparation::{KeptEyes, Origin, Preparation};

/// A face, and how it was prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addition {
    /// The preparation of the model that the face is for.
    pub preparation: Preparation,
    /// The face.
    pub face: LabeledFace,
}

impl Addition {
    /// The record of the face: a line.
    ///
    /// # Errors
    /// None that a face can bring about.
    pub fn to_line(&self) -> io::Result<Vec<u8>> {
        let json = serde_json::to_string(&Record::of(self))?;
        let sum = crc32fast::hash(json.as_bytes());
        Ok(format!("{:x} {sum:08x} {json}\n", json.len()).into_bytes())
    }

    /// The face of a record; `None` for bytes that are none, or not whole.
    pub fn from_line(line: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
        let (length, rest) = text.split_once(' ')?;
        let (sum, json) = rest.split_once(' ')?;
        let is_whole = usize::from_str_radix(length, 16) == Ok(json.len())
            && u32::from_str_radix(sum, 16) == Ok(crc32fast::hash(json.as_bytes()));
        let record: Record = is_whole.then(|| serde_json::from_str(json).ok())??;
        record.addition()
    }
}

#[derive(Serialize, Deserialize)]
struct Record {
    person: String,
    source: String,
    hash: String,
    width: u32,
    height: u32,
    framing: Framing,
    pixels: String,
    /// Width and height of the photo, where it was not taken whole.
    photo: Option<(u32, u32)>,
    /// Where a face was found in it.
    eyes: Option<RelativeEyes>,
    /// Its gray values and eyes, where it is kept.
    kept: Option<(String, KeptEyes)>,
}

impl Record {
    fn of(addition: &Addition) -> Self {
        let Addition { preparation, face } = addition;
        let (photo, eyes, kept) = match &face.origin {
            Origin::Whole => (None, None, None),
            Origin::Found { photo, eyes } => (Some(*photo), Some(*eyes), None),
            Origin::Kept { photo, eyes } => (
                Some(photo.dimensions()),
                None,
                Some((STANDARD.encode(photo.as_raw()), *eyes)),
            ),
        };
        Self {
            person: face.person.to_string(),
            source: face.source.clone(),
            hash: face.hash.to_string(),
            width: preparation.size().width(),
            height: preparation.size().height(),
            framing: preparation.framing(),
            pixels: STANDARD.encode(&*face.pixels),
            photo,
            eyes,
            kept,
        }
    }

    /// The face, if the record makes sense.
    fn addition(self) -> Option<Addition> {
        let size = FaceSize::new(self.width, self.height).ok()?;
        let origin = match (self.photo, self.eyes, self.kept) {
            (Some((width, height)), _, Some((kept, eyes))) => Origin::Kept {
                photo: GrayImage::from_raw(width, height, STANDARD.decode(kept).ok()?)?,
                eyes,
            },
            (Some(photo), Some(eyes), None) => Origin::Found { photo, eyes },
            _ => Origin::Whole,
        };
        let face = LabeledFace {
            person: Person::new(&self.person).ok()?,
            source: self.source,
            hash: self.hash.parse().ok()?,
            pixels: STANDARD.decode(self.pixels).ok()?.into(),
            origin,
        };
        let preparation = Preparation::new(size, self.framing);
        (face.pixels.len() == size.pixels()).then_some(Addition { preparation, face })
    }
}

/// The journal of one model. Only the holder of the model's lock may have one.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    place: Place,
    /// Open for appending since the first addition.
    file: Option<File>,
    /// Bytes of the file that are whole records.
    length: u64,
    additions: Vec<Addition>,
    /// Records that are not whole: those that whole ones follow, and whether the last one is.
    damaged: usize,
    is_torn: bool,
}

impl Journal {
    /// Reads the journal of the model at `model`, which need not be there; empty where there is none.
    ///
    /// # Errors
    /// A journal that cannot be read; a folder that is not there.
    pub fn open(model: &Path) -> Result<Self> {
        let place = Place::find(model)?;
        let path = place.beside("added");
        let content = match fs::symlink_metadata(&path) {
            Ok(found) if !found.is_file() => {
                return Err(Error::write(path, WriteProblem::NotAFile));
            }
            Ok(_) => fs::read(&path).map_err(|error| Error::read(&path, error))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(Error::read(&path, error)),
        };
        let mut journal = Self {
            path,
            place,
            file: None,
            length: 0,
            additions: Vec::new(),
            damaged: 0,
            is_torn: false,
        };
        for line in content.split_inclusive(|&byte| byte == b'\n') {
            let addition = Addition::from_line(line);
            journal.damaged += usize::from(journal.is_torn);
            journal.is_torn = addition.is_none();
            journal.additions.extend(addition);
        }
        Ok(journal)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The faces, in the order in which they were added.
    pub fn additions(&self) -> &[Addition] {
        &self.additions
    }

    /// Number of records that are damaged though others follow them.
    pub fn damaged(&self) -> usize {
        self.damaged
    }

    /// Whether the last record was not written to its end, as when the power fails: it was not acknowledged.
    pub fn is_torn(&self) -> bool {
        self.is_torn
    }

    /// Adds a face. It is on disk when this returns, or the journal is as it was.
    ///
    /// # Errors
    /// A disk that is full.
    pub fn add(&mut self, addition: Addition) -> Result<()> {
        let written = addition.to_line().and_then(|line| self.write(&line));
        written.map_err(|error| self.error(error))?;
        self.additions.push(addition);
        Ok(())
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let mut options = OpenOptions::new();
                // What stands there was read and is taken in before anything is added.
                options.append(true).create_new(true);
                #[cfg(unix)]
                std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
                let file = self.file.insert(options.open(&self.path)?);
                sync_folder(&self.place.folder)?;
                self.length = 0;
                file
            }
        };
        // Of an addition that failed nothing stays, even if it could not be removed at once.
        if file.metadata()?.len() != self.length {
            file.set_len(self.length)?;
        }
        let written = file.write_all(line).and_then(|()| file.sync_data());
        match written {
            Ok(()) => self.length += line.len() as u64,
            Err(_) => file.set_len(self.length)?,
        }
        written
    }

    /// Forgets the first of the faces: they are in the model now. On disk they are gone when this returns.
    ///
    /// # Errors
    /// A file that cannot be removed.
    pub fn forget(&mut self, count: usize) -> Result<()> {
        let count = count.min(self.additions.len());
        let left = &self.additions[count..];
        self.file = None;
        if left.is_empty() {
            match fs::remove_file(&self.path) {
                Ok(()) => sync_folder(&self.place.folder),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                Err(error) => Err(error),
            }
            .map_err(|error| self.error(error))?;
        } else {
            let lines: Vec<Vec<u8>> = left
                .iter()
                .map(Addition::to_line)
                .collect::<io::Result<_>>()
                .map_err(|error| self.error(error))?;
            let lines = lines.concat();
            let replaced = replace_hidden(&self.place, &self.path, &lines);
            replaced.map_err(|error| self.error(error))?;
            let file = OpenOptions::new().append(true).open(&self.path);
            self.file = Some(file.map_err(|error| self.error(error))?);
            self.length = lines.len() as u64;
        }
        self.additions.drain(..count);
        (self.damaged, self.is_torn) = (0, false);
        Ok(())
    }

    fn error(&self, error: io::Error) -> Error {
        match self.place.error(error) {
            Error::Write { problem, .. } => Error::write(&self.path, problem),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::ContentHash;
    use proptest::prelude::*;

    fn addition(number: u8) -> Addition {
        let size = FaceSize::new(8, 8).unwrap();
        Addition {
            preparation: Preparation::new(size, Framing::Detect),
            face: LabeledFace {
                person: Person::new(&format!("Renée {number} 顔")).unwrap(),
                source: format!("{number}\n.jpg"),
                hash: ContentHash::of(&[number]),
                pixels: vec![number; 64].into(),
                origin: match number % 3 {
                    0 => Origin::Whole,
                    1 => Origin::Found {
                        photo: (400, 300),
                        eyes: [[4000, 5000], [6000, 5000]],
                    },
                    _ => Origin::Kept {
                        photo: GrayImage::from_pixel(5, 7, image::Luma([number])),
                        eyes: match number.is_multiple_of(2) {
                            true => KeptEyes::Doubtful([[1, 2], [3, 4]]),
                            false => KeptEyes::None,
                        },
                    },
                },
            },
        }
    }

    /// A journal of three faces: the folder, the model's place, and the file's bytes.
    fn journal() -> (tempfile::TempDir, PathBuf, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("m.npz");
        let mut journal = Journal::open(&model).unwrap();
        for number in 0..3 {
            journal.add(addition(number)).unwrap();
        }
        let bytes = fs::read(folder.path().join(".m.npz.added")).unwrap();
        (folder, model, bytes)
    }

    /// Wherever the file ends, what was whole is there, and what was not is said.
    #[test]
    fn whole_records_are_taken_wherever_the_file_is_cut() {
        let (folder, model, bytes) = journal();
        let path = folder.path().join(".m.npz.added");
        let ends: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] == b'\n').collect();
        assert_eq!(ends.len(), 3);
        for cut in 0..=bytes.len() {
            fs::write(&path, &bytes[..cut]).unwrap();
            let journal = Journal::open(&model).unwrap();
            let whole = ends.iter().filter(|&&end| end < cut).count();
            let expected: Vec<Addition> = (0..whole as u8).map(addition).collect();
            assert_eq!(journal.additions(), expected, "cut at {cut}");
            let is_between = cut == 0 || ends.contains(&(cut - 1));
            assert_eq!(journal.is_torn(), !is_between, "cut at {cut}");
            assert_eq!(journal.damaged(), 0);
        }
    }

    #[test]
    fn what_is_forgotten_is_gone_and_the_others_stay() {
        let (folder, model, _) = journal();
        let path = folder.path().join(".m.npz.added");
        let mut journal = Journal::open(&model).unwrap();
        journal.forget(2).unwrap();
        journal.add(addition(9)).unwrap();
        assert_eq!(journal.additions(), [addition(2), addition(9)]);
        let read = Journal::open(&model).unwrap();
        assert_eq!(read.additions(), journal.additions());
        journal.forget(2).unwrap();
        assert!(!path.exists());
        journal.add(addition(4)).unwrap();
        assert_eq!(Journal::open(&model).unwrap().additions(), [addition(4)]);
    }

    #[cfg(unix)]
    #[test]
    fn it_lies_beside_the_model_itself_is_private_and_no_other_models() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("real")).unwrap();
        let (model, link) = (
            folder.path().join("real/m.npz"),
            folder.path().join("l.npz"),
        );
        fs::write(&model, "").unwrap();
        symlink(&model, &link).unwrap();
        let mut journal = Journal::open(&link).unwrap();
        journal.add(addition(1)).unwrap();
        assert_eq!(Journal::open(&model).unwrap().additions(), [addition(1)]);
        let mode = fs::metadata(journal.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let long = |end: &str| folder.path().join(format!("{}{end}.npz", "ä".repeat(100)));
        let paths = [long("1"), long("2")].map(|path| Journal::open(&path).unwrap().path);
        assert_ne!(paths[0], paths[1]);
        symlink("/etc/passwd", folder.path().join(".n.npz.added")).unwrap();
        assert!(Journal::open(&folder.path().join("n.npz")).is_err());
    }

    proptest! {
        /// Whatever a byte is changed to, no face is taken that was not added, and those of other records are.
        #[test]
        fn a_damaged_record_hides_no_other(at in 0..usize::MAX, byte in any::<u8>()) {
            let (folder, model, mut bytes) = journal();
            let at = at % bytes.len();
            let is_same = std::mem::replace(&mut bytes[at], byte) == byte;
            fs::write(folder.path().join(".m.npz.added"), &bytes).unwrap();
            let journal = Journal::open(&model).unwrap();
            let all: Vec<Addition> = (0..3).map(addition).collect();
            prop_assert!(journal.additions().iter().all(|one| all.contains(one)));
            // A line feed that is gone takes the record before it and the one after it along.
            let least = if is_same { 3 } else { 1 };
            prop_assert!(journal.additions().len() >= least);
            let has_said = journal.is_torn() || journal.damaged() > 0;
            prop_assert_eq!(has_said, journal.additions().len() < 3);
        }
    }
}
