//! Names that a person has given to groups of faces, as the rows of a table say it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::FacePlace;
use super::answers::{Answer, AnswerAt};
use super::enrolled::EnrolledPixels;
use super::index::{self, Remembered};
use crate::dataset::{Person, Photo, path_as_text, source_of};
use crate::enrollment::PhotoFaces;
use crate::error::{Error, PhotoProblem, Result};
use crate::face_index::{Answers, FaceIndex, FaceKey, IndexedFace};
use crate::gallery::{Dispute, LabeledFace};
use crate::locate::detect::overlap;
use crate::preparation::Preparation;

/// Minimum intersection over union of a face's box with its earlier one.
const SAME_PLACE: f32 = 0.5;

#[derive(Debug)]
pub struct NamedFace {
    pub place: FacePlace,
    pub answer: Answer,
    /// `None` where no index knows the face.
    pub key: Option<FaceKey>,
    /// Whether it was to be enrolled and was refused.
    pub is_refused: bool,
}

#[derive(Debug)]
pub struct NamedFaces {
    pub faces: Vec<NamedFace>,
    /// The one index of all photos, where there is one.
    index: Option<PathBuf>,
    /// The indexes that know the photos: that one, or those of the folders that the photos lie in.
    indexes: BTreeMap<PathBuf, FaceIndex>,
}

impl NamedFace {
    /// Whether no index knows the face, so that what was said of it cannot be remembered.
    pub fn is_unknown(&self) -> bool {
        self.key.is_none() && matches!(self.answer, Answer::Ignored | Answer::NotThese(_))
    }
}

impl NamedFaces {
    /// Answers about these faces, looked up in one index, or in those of the folders of their photos.
    /// Errors: a face with two names; an index that cannot be read.
    pub fn of(said: Vec<AnswerAt>, index: Option<&Path>) -> Result<Self> {
        let faces = said.into_iter().map(|(place, answer)| NamedFace { place, answer, key: None, is_refused: false });
        let mut named = Self { faces: faces.collect(), index: index.map(Path::to_owned), indexes: BTreeMap::new() };
        named.refuse_two_names()?;
        for at in named.concerned() {
            named.faces[at].key = named.find(at)?;
        }
        Ok(named)
    }

    fn refuse_two_names(&self) -> Result<()> {
        let mut names: BTreeMap<(&Path, usize), &Person> = BTreeMap::new();
        for NamedFace { place, answer, .. } in &self.faces {
            let Some(person) = answer.person() else { continue };
            let first = *names.entry((&place.photo, place.face)).or_insert(person);
            if first != person {
                let two = format_args!("face {} is {first} and {person}; leave one of the names", place.face);
                return Err(Error::about(&place.photo, two));
            }
        }
        Ok(())
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

    /// The faces of which something was said, and those that one is said not to belong to.
    fn concerned(&self) -> BTreeSet<usize> {
        let of_row = |(at, face): (usize, &NamedFace)| match &face.answer {
            Answer::Nothing => Vec::new(),
            Answer::NotThese(others) => [&others[..], &[at]].concat(),
            Answer::Person(_) | Answer::Ignored => vec![at],
        };
        self.faces.iter().enumerate().flat_map(of_row).collect()
    }

    /// A face by the indexes of the folders that its photo lies in, which are read.
    fn find(&mut self, at: usize) -> Result<Option<FaceKey>> {
        let place = &self.faces[at].place;
        let places: Vec<(PathBuf, String)> = match &self.index {
            Some(file) => vec![(file.clone(), index::whole_name(&place.photo))],
            None => {
                let folders = place.photo.ancestors().skip(1);
                let within = |folder| index::name_within(folder, &place.photo);
                folders.map(|folder| (index::index_of(folder), within(folder))).collect()
            }
        };
        let mut key = None;
        for (file, name) in places {
            if !self.indexes.contains_key(&file) {
                if file.symlink_metadata().is_err() {
                    continue;
                }
                self.indexes.insert(file.clone(), index::load(&file)?);
            }
            key = key.or_else(|| key_of(self.indexes.get(&file)?, &name, place.face));
        }
        Ok(key)
    }

    pub fn indexed(&self, face: &NamedFace) -> Option<(FaceKey, &IndexedFace)> {
        let key = face.key?;
        Some((key, self.indexes.values().find_map(|index| index.face(key))?))
    }

    /// Whether what was said of a face has been done: it is enrolled, or the answer is remembered. Where the `people` of a model
    /// were prepared otherwise than faces of an index, it is enough that they are enrolled at all.
    pub fn is_done(&self, face: &NamedFace, enrolled: &EnrolledPixels, people: &[Person]) -> bool {
        if face.answer == Answer::Nothing || face.answer.person().is_some_and(|it| people.contains(it)) {
            return true;
        }
        let Some((key, found)) = self.indexed(face) else { return false };
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
        let key = self.faces.iter().find_map(|face| face.key.filter(|_| face.place.photo == photo))?;
        let photo = self.indexes.values().find_map(|index| index.photos.get(&key.photo))?;
        Some(photo.faces.iter().map(|face| face.location.bounds).collect())
    }

    /// The faces that were given a name, prepared, and what is wrong with the others.
    pub fn prepared(&mut self, preparation: &Preparation) -> (Vec<LabeledFace>, Vec<Error>) {
        let mut of_photo: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
        for (at, face) in self.faces.iter().enumerate() {
            if face.answer.person().is_some() {
                of_photo.entry(&face.place.photo).or_default().push(at);
            }
        }
        let photos: Vec<(&Path, Vec<usize>)> = of_photo.into_iter().collect();
        let read: Vec<Vec<(usize, Result<LabeledFace>)>> =
            photos.par_iter().map(|(photo, rows)| self.of_photo(preparation, photo, rows)).collect();
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

    /// These faces, all of one photo.
    fn of_photo(&self, preparation: &Preparation, photo: &Path, rows: &[usize]) -> Vec<(usize, Result<LabeledFace>)> {
        let unusable = |problem| Error::photo(photo, problem);
        let faces = || PhotoFaces::of(preparation, &Photo::open(photo)?).map_err(unusable);
        let source = path_as_text(photo);
        let labeled = |faces: &PhotoFaces, named: &NamedFace| {
            let position = named.place.face - 1;
            let place = faces.locations().get(position).copied().flatten();
            let moved = match (self.indexed(named), named.place.bounds, place) {
                // A file that was written again, its photo untouched, shows the very same face.
                (_, _, None) => true,
                (Some((key, face)), _, Some(now)) => key.photo != faces.content_hash() && now != face.location,
                (None, Some(before), Some(now)) => overlap(before, now.bounds) < SAME_PLACE,
                (None, None, Some(_)) => false,
            };
            let person = named.answer.person().filter(|_| !moved);
            let labeled = person.and_then(|person| faces.labeled(position, person, &source));
            labeled.ok_or_else(|| unusable(PhotoProblem::FaceMoved))
        };
        match faces() {
            Ok(faces) => rows.iter().map(|&at| (at, labeled(&faces, &self.faces[at]))).collect(),
            Err(error) => {
                let mut error = Some(error);
                let again = || unusable(PhotoProblem::FaceMoved);
                rows.iter().map(|&at| (at, Err(error.take().unwrap_or_else(again)))).collect()
            }
        }
    }

    /// Marks faces that were not enrolled, because they are enrolled as another person's.
    pub fn refuse(&mut self, disputes: &[Dispute]) {
        for face in &mut self.faces {
            let photo = path_as_text(&face.place.photo);
            let numbered = source_of(&photo, face.place.face);
            face.is_refused |= disputes.iter().any(|dispute| dispute.source == photo || dispute.source == numbered);
        }
    }

    /// Stores in the indexes which faces are ignored and which are of two people. Returns the changes.
    /// Errors: an index that cannot be written.
    pub fn remember(&self) -> Result<Vec<Remembered>> {
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
        for file in self.indexes.keys() {
            let change = |answers: &mut Answers| {
                answers.extend(told.clone());
                answers.ignored.retain(|key| !taken_back.contains(key));
            };
            changed.extend(Remembered::change(file, change)?);
        }
        Ok(changed)
    }
}

/// A face by its number, from 1, of the photo of this name in the index.
fn key_of(index: &FaceIndex, name: &str, number: usize) -> Option<FaceKey> {
    let key = FaceKey { photo: index.files.get(name)?.photo, face: number - 1 };
    index.face(key).map(|_| key)
}
