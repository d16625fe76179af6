//! Names that a person has given to groups of faces, as the rows of a table say it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use eigenfaces::dataset::{Person, Photo};
use eigenfaces::enrollment::PhotoFaces;
use eigenfaces::error::PhotoProblem;
use eigenfaces::face_index::{Answers, FaceIndex, FaceKey, IndexedFace};
use eigenfaces::gallery::{Dispute, LabeledFace};
use eigenfaces::locate::detect::overlap;
use eigenfaces::preparation::Preparation;
use rayon::prelude::*;

use super::albums::{self, Remembered};
use super::answers::{Answer, answers};
use super::enrolled::Enrolled;
use super::table::Row;
use crate::cli::{Error, Result};

/// The overlap (intersection over union) from which on a face is where it was.
const SAME_PLACE: f32 = 0.5;

/// The face of a row, and what was said of it.
pub struct NamedFace {
    pub row: Row,
    pub answer: Answer,
    /// `None` where no index knows the face.
    pub key: Option<FaceKey>,
    /// Whether it was to be enrolled, and was not.
    pub is_refused: bool,
}

/// Names that a person has given to groups of faces.
pub struct NamedGroups {
    /// In the order of the rows.
    pub faces: Vec<NamedFace>,
    /// Groups with several names, and rows without one.
    pub ambiguous: Vec<String>,
    /// The one index of all photos, where there is one.
    index: Option<PathBuf>,
    /// The indexes that know the photos: that one, or those of the folders that the photos lie in.
    indexes: BTreeMap<PathBuf, FaceIndex>,
}

impl NamedGroups {
    /// Of the rows of a table. One name in a group, in whichever row, is meant for all rows without another.
    ///
    /// # Errors
    /// A name that cannot be one, or a face with two, as `refuse` says it; an index that cannot be read.
    pub fn of(
        rows: Vec<Row>,
        index: Option<&Path>,
        refuse: impl Fn(String) -> Error,
    ) -> Result<Self> {
        let (answers, ambiguous) = answers(&rows).map_err(refuse)?;
        let faces = rows
            .into_iter()
            .zip(answers)
            .map(|(row, answer)| NamedFace {
                row,
                answer,
                key: None,
                is_refused: false,
            });
        let mut groups = Self {
            faces: faces.collect(),
            ambiguous,
            index: index.map(Path::to_owned),
            indexes: BTreeMap::new(),
        };
        for at in groups.concerned() {
            groups.faces[at].key = groups.find(at)?;
        }
        Ok(groups)
    }

    pub fn has_names(&self) -> bool {
        self.count(|face| face.answer.person().is_some()) > 0
    }

    /// Whether something is said that is no name.
    pub fn has_others(&self) -> bool {
        self.count(|face| matches!(face.answer, Answer::Ignored | Answer::NotThese(_))) > 0
    }

    pub fn count(&self, is_meant: impl Fn(&NamedFace) -> bool) -> usize {
        self.faces.iter().filter(|face| is_meant(face)).count()
    }

    /// The rows of which something was said, and those that one is said not to belong to.
    fn concerned(&self) -> BTreeSet<usize> {
        let of_row = |(at, face): (usize, &NamedFace)| match &face.answer {
            Answer::Nothing => Vec::new(),
            Answer::NotThese(others) => [&others[..], &[at]].concat(),
            Answer::Person(_) | Answer::Ignored => vec![at],
        };
        self.faces.iter().enumerate().flat_map(of_row).collect()
    }

    /// The face of a row, by the indexes of the folders that its photo lies in, which are read.
    fn find(&mut self, at: usize) -> Result<Option<FaceKey>> {
        let row = &self.faces[at].row;
        let places: Vec<(PathBuf, String)> = match &self.index {
            Some(file) => vec![(file.clone(), albums::whole_name(&row.photo))],
            None => {
                let folders = row.photo.ancestors().skip(1);
                let place = |folder| {
                    let name = albums::name_within(folder, &row.photo);
                    (albums::index_of(folder), name)
                };
                folders.map(place).collect()
            }
        };
        let mut key = None;
        for (file, name) in places {
            if !self.indexes.contains_key(&file) {
                if file.symlink_metadata().is_err() {
                    continue;
                }
                self.indexes.insert(file.clone(), albums::load(&file)?);
            }
            let index = self.indexes.get(&file);
            key = key.or_else(|| key_of(index?, &name, row));
        }
        Ok(key)
    }

    /// The face of a row, as an index knows it.
    pub fn indexed(&self, face: &NamedFace) -> Option<(FaceKey, &IndexedFace)> {
        let key = face.key?;
        let face = self.indexes.values().find_map(|index| index.face(key))?;
        Some((key, face))
    }

    /// Whether what was said of a face has been done: it is enrolled, or the answer is remembered. Where the `people` of a model
    /// were prepared otherwise than faces of an index, it is enough that they are enrolled at all.
    pub fn is_done(&self, face: &NamedFace, enrolled: &Enrolled, people: &[Person]) -> bool {
        let is_enrolled = face.answer.person().is_some_and(|it| people.contains(it));
        if face.answer == Answer::Nothing || is_enrolled {
            return true;
        }
        let Some((key, found)) = self.indexed(face) else {
            return false;
        };
        let mut remembered = self.indexes.values().map(|index| &index.answers);
        match &face.answer {
            Answer::Nothing | Answer::Person(_) => enrolled.person(&found.pixels).is_some(),
            Answer::Ignored => remembered.any(|answers| answers.ignored.contains(&key)),
            Answer::NotThese(others) => {
                let others = || others.iter().filter_map(|&other| self.faces[other].key);
                remembered.any(|answers| others().all(|other| answers.are_apart(key, other)))
            }
        }
    }

    /// The places of all faces of a photo, as far as an index knows it.
    pub fn faces_of(&self, photo: &Path) -> Option<Vec<[f32; 4]>> {
        let key = self
            .faces
            .iter()
            .find_map(|face| face.key.filter(|_| face.row.photo == photo))?;
        let photo = self
            .indexes
            .values()
            .find_map(|index| index.photos.get(&key.photo))?;
        Some(
            photo
                .faces
                .iter()
                .map(|face| face.location.bounds)
                .collect(),
        )
    }

    /// The faces that were given a name, prepared, and what is wrong with the others.
    pub fn prepared(
        &mut self,
        preparation: &Preparation,
    ) -> (Vec<LabeledFace>, Vec<eigenfaces::Error>) {
        let mut of_photo: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
        for (at, face) in self.faces.iter().enumerate() {
            if face.answer.person().is_some() {
                of_photo.entry(&face.row.photo).or_default().push(at);
            }
        }
        let photos: Vec<(&Path, Vec<usize>)> = of_photo.into_iter().collect();
        let read: Vec<Vec<(usize, eigenfaces::Result<LabeledFace>)>> = photos
            .par_iter()
            .map(|(photo, rows)| self.of_photo(preparation, photo, rows))
            .collect();
        let (mut faces, mut wrong) = (Vec::new(), Vec::new());
        for (at, face) in read.into_iter().flatten() {
            match face {
                Ok(face) => faces.push(face),
                Err(error) => {
                    self.faces[at].is_refused = true;
                    wrong.push(error);
                }
            }
        }
        (faces, wrong)
    }

    /// The faces of these rows, all of one photo.
    fn of_photo(
        &self,
        preparation: &Preparation,
        photo: &Path,
        rows: &[usize],
    ) -> Vec<(usize, eigenfaces::Result<LabeledFace>)> {
        let unusable = |problem| eigenfaces::Error::photo(photo, problem);
        let faces = || PhotoFaces::of(preparation, &Photo::open(photo)?).map_err(unusable);
        let source = photo.to_string_lossy();
        let labeled = |faces: &PhotoFaces, named: &NamedFace| {
            let position = named.row.face - 1;
            let place = faces.locations().get(position).copied().flatten();
            let moved = match (self.indexed(named), named.row.bounds, place) {
                // A file that was written again, its photo untouched, shows the very same face.
                (_, _, None) => true,
                (Some((key, face)), _, Some(now)) => {
                    key.photo != faces.content_hash() && now != face.location
                }
                (None, Some(before), Some(now)) => overlap(before, now.bounds) < SAME_PLACE,
                (None, None, Some(_)) => false,
            };
            let person = named.answer.person().filter(|_| !moved);
            let labeled = person.and_then(|person| faces.labeled(position, person, &source));
            labeled.ok_or_else(|| unusable(PhotoProblem::FaceMoved))
        };
        match faces() {
            Ok(faces) => rows
                .iter()
                .map(|&at| (at, labeled(&faces, &self.faces[at])))
                .collect(),
            Err(error) => {
                let mut error = Some(error);
                let again = || unusable(PhotoProblem::FaceMoved);
                rows.iter()
                    .map(|&at| (at, Err(error.take().unwrap_or_else(again))))
                    .collect()
            }
        }
    }

    /// Takes down that faces were not enrolled, because they are enrolled as somebody else's.
    pub fn refuse(&mut self, disputes: &[Dispute]) {
        for face in &mut self.faces {
            let photo = face.row.photo.to_string_lossy();
            let numbered = format!("{photo} (face {})", face.row.face);
            let is_it = |dispute: &Dispute| dispute.source == photo || dispute.source == numbered;
            face.is_refused |= disputes.iter().any(is_it);
        }
    }

    /// Takes down in the indexes which faces are ignored and which are of two people. Returns what that changed.
    ///
    /// # Errors
    /// An index that cannot be written.
    pub fn remember(&mut self) -> Result<Vec<Remembered>> {
        let mut told = Answers::default();
        let mut taken_back = BTreeSet::new();
        for face in &self.faces {
            let Some(key) = face.key else { continue };
            match &face.answer {
                Answer::Nothing => {}
                Answer::Person(_) => {
                    taken_back.insert(key);
                }
                Answer::Ignored => {
                    told.ignored.insert(key);
                }
                Answer::NotThese(others) => {
                    let others = others.iter().filter_map(|&other| self.faces[other].key);
                    others.for_each(|other| told.keep_apart(key, other));
                }
            }
        }
        let mut changed = Vec::new();
        for (file, index) in &mut self.indexes {
            let change = |answers: &mut Answers| {
                answers.extend(told.clone());
                answers.ignored.retain(|key| !taken_back.contains(key));
            };
            changed.extend(Remembered::change(index, file, change)?);
        }
        Ok(changed)
    }
}

/// The face of a row, whose photo has this name in the index.
fn key_of(index: &FaceIndex, name: &str, row: &Row) -> Option<FaceKey> {
    let file = index.files.get(name)?;
    let key = FaceKey {
        photo: file.photo,
        face: row.face - 1,
    };
    index.face(key).map(|_| key)
}
