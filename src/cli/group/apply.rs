//! `eigenfaces group --apply`: what was typed into the table of groups is done.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use eigenfaces::dataset::{Person, Photo};
use eigenfaces::enrollment::{PhotoFaces, none_usable};
use eigenfaces::error::PhotoProblem;
use eigenfaces::face_index::{self, Answers, FaceIndex, FaceKey, IndexedFace};
use eigenfaces::gallery::{Dispute, LabeledFace};
use eigenfaces::locate::framing::Framing;
use eigenfaces::preparation::Preparation;
use eigenfaces::{Model, Settings, store};
use rayon::prelude::*;

use super::super::args::Group;
use super::super::model_changes;
use super::super::outcome::Outcome;
use super::super::output::{Output, counted, shown};
use super::super::sidecars::{Named, Sidecars, Writing};
use super::albums;
use super::answers::{Answer, answers};
use super::table::{self, Row};
use crate::cli::error::{Error, Result};

/// The overlap (intersection over union) from which on a face is where it was.
const SAME_PLACE: f32 = 0.5;

pub fn run(args: &Group, table: &Path, model: &Path, output: &Output) -> Result<Outcome> {
    let refuse = |reason: String| Error::about(table, reason);
    let mut groups = NamedGroups::of(table::read(table)?, refuse)?;
    for group in &groups.ambiguous {
        output.say(&format!(
            "group {group} has several names; its rows without one are left as they are"
        ));
    }
    let mut failed = groups.report_unknown(output);
    if args.dry_run {
        output.line(&format!("would {}", groups.in_words()))?;
        if args.write_xmp {
            groups.write_xmp(Writing::Told, output)?;
        }
        return Ok(Outcome::of_inputs(groups.said(), failed));
    }
    if groups.has_names() {
        failed += enroll(table, &mut groups, model, output)?;
    }
    groups.remember()?;
    groups.report_remembered(output);
    if args.write_xmp {
        failed += groups.write_xmp(Writing::Done, output)?;
    }
    if groups.said() == 0 {
        output.say(&format!("{} has no names yet: nothing to do", shown(table)));
    }
    Ok(Outcome::of_inputs(
        groups.said().saturating_sub(failed),
        failed,
    ))
}

/// Names that a person has given to groups of faces.
pub struct NamedGroups {
    rows: Vec<Row>,
    answers: Vec<Answer>,
    /// The face of each row; `None` where no index knows it.
    keys: Vec<Option<FaceKey>>,
    refused: BTreeSet<usize>,
    /// Groups with several names, and rows without one.
    ambiguous: Vec<String>,
    /// The indexes of all folders that the photos lie in.
    indexes: BTreeMap<PathBuf, FaceIndex>,
}

impl NamedGroups {
    /// Of the rows of a table. One name in a group, in whichever row, is meant for all rows without another.
    ///
    /// # Errors
    /// A name that cannot be one, or a face with two, as `refuse` says it; an index that cannot be read.
    pub fn of(rows: Vec<Row>, refuse: impl Fn(String) -> Error) -> Result<Self> {
        let (answers, ambiguous) = answers(&rows).map_err(refuse)?;
        let mut groups = Self {
            keys: vec![None; rows.len()],
            rows,
            answers,
            refused: BTreeSet::new(),
            ambiguous,
            indexes: BTreeMap::new(),
        };
        for at in groups.concerned() {
            groups.keys[at] = groups.find(at)?;
        }
        Ok(groups)
    }

    pub fn has_names(&self) -> bool {
        let mut answers = self.answers.iter();
        answers.any(|answer| matches!(answer, Answer::Person(_)))
    }

    /// The rows of which something was said, and those that one is said not to belong to.
    fn concerned(&self) -> BTreeSet<usize> {
        let of_row = |(at, answer): (usize, &Answer)| match answer {
            Answer::Nothing => Vec::new(),
            Answer::NotThese(others) => [&others[..], &[at]].concat(),
            Answer::Person(_) | Answer::Ignored => vec![at],
        };
        self.answers.iter().enumerate().flat_map(of_row).collect()
    }

    fn said(&self) -> usize {
        let answers = self.answers.iter();
        answers.filter(|answer| **answer != Answer::Nothing).count()
    }

    /// The face of a row, by the indexes of the folders that its photo lies in, which are read.
    fn find(&mut self, at: usize) -> Result<Option<FaceKey>> {
        let row = &self.rows[at];
        let mut key = None;
        for folder in row.photo.ancestors().skip(1) {
            let file = albums::index_of(folder);
            if !self.indexes.contains_key(&file) {
                if file.symlink_metadata().is_err() {
                    continue;
                }
                self.indexes.insert(file.clone(), albums::load(&file)?);
            }
            let index = self.indexes.get(&file);
            key = key.or_else(|| key_of(index?, folder, row));
        }
        Ok(key)
    }

    /// The face of a row, as an index knows it.
    fn indexed(&self, at: usize) -> Option<(FaceKey, &IndexedFace)> {
        let key = self.keys[at]?;
        let face = self.indexes.values().find_map(|index| index.face(key))?;
        Some((key, face))
    }

    /// Names the faces of which something was said that cannot be remembered. Returns how many.
    fn report_unknown(&self, output: &Output) -> usize {
        let all = self.rows.iter().zip(&self.answers).zip(&self.keys);
        let unknown = all.filter(|((_, answer), key)| {
            key.is_none() && matches!(answer, Answer::Ignored | Answer::NotThese(_))
        });
        let unknown: Vec<&Row> = unknown.map(|((row, _), _)| row).collect();
        for row in &unknown {
            output.warn(&format!(
                "{}, face {}: no index of faces knows it, so what was said of it is not remembered; group its folder again",
                shown(&row.photo),
                row.face
            ));
        }
        unknown.len()
    }

    /// Says which answers that are no names were taken down.
    fn report_remembered(&self, output: &Output) {
        let count = |is: fn(&Answer) -> bool| {
            let known = self.answers.iter().zip(&self.keys);
            known
                .filter(|(answer, key)| is(answer) && key.is_some())
                .count()
        };
        let ignored = count(|answer| *answer == Answer::Ignored);
        let apart = count(|answer| matches!(answer, Answer::NotThese(_)));
        if ignored + apart > 0 {
            output.say(&format!(
                "remembered beside the photos: {} to be ignored, {} not of the group that held {}",
                counted(ignored, "face", "faces"),
                counted(apart, "face", "faces"),
                if apart == 1 { "it" } else { "them" },
            ));
        }
    }

    fn in_words(&self) -> String {
        let count =
            |is: fn(&Answer) -> bool| self.answers.iter().filter(|answer| is(answer)).count();
        let people: BTreeSet<&Person> = self.answers.iter().filter_map(Answer::person).collect();
        format!(
            "enrol {} of {}, ignore {} and keep {} apart",
            counted(count(|answer| answer.person().is_some()), "face", "faces"),
            counted(people.len(), "person", "people"),
            count(|answer| *answer == Answer::Ignored),
            count(|answer| matches!(answer, Answer::NotThese(_))),
        )
    }

    /// The faces that were given a name, prepared, and what is wrong with the others.
    pub fn faces(
        &mut self,
        preparation: &Preparation,
    ) -> (Vec<LabeledFace>, Vec<eigenfaces::Error>) {
        let mut of_photo: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
        for (at, row) in self.rows.iter().enumerate() {
            if self.answers[at].person().is_some() {
                of_photo.entry(&row.photo).or_default().push(at);
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
                    self.refused.insert(at);
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
        let face = |faces: &PhotoFaces, at: usize| {
            let row = &self.rows[at];
            let position = row.face - 1;
            let place = faces.locations().get(position).copied().flatten();
            let moved = match (self.indexed(at), row.bounds, place) {
                // A file that was written again, its photo untouched, shows the very same face.
                (_, _, None) => true,
                (Some((key, face)), _, Some(now)) => {
                    key.photo != faces.content_hash() && now != face.location
                }
                (None, Some(before), Some(now)) => overlap(before, now.bounds) < SAME_PLACE,
                (None, None, Some(_)) => false,
            };
            let labeled = self.answers[at]
                .person()
                .filter(|_| !moved)
                .and_then(|person| faces.labeled(position, person, &source));
            labeled.ok_or_else(|| unusable(PhotoProblem::FaceMoved))
        };
        match faces() {
            Ok(faces) => rows.iter().map(|&at| (at, face(&faces, at))).collect(),
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
    fn refuse(&mut self, disputes: &[Dispute]) {
        for (at, row) in self.rows.iter().enumerate() {
            let photo = row.photo.to_string_lossy();
            let numbered = format!("{photo} (face {})", row.face);
            let is_it = |dispute: &Dispute| dispute.source == photo || dispute.source == numbered;
            if disputes.iter().any(is_it) {
                self.refused.insert(at);
            }
        }
    }

    /// Takes down in the indexes which faces are ignored and which are of two people.
    ///
    /// # Errors
    /// An index that cannot be written.
    pub fn remember(&mut self) -> Result<()> {
        let mut told = Answers::default();
        let mut taken_back = BTreeSet::new();
        for (at, answer) in self.answers.iter().enumerate() {
            let Some(key) = self.keys[at] else { continue };
            match answer {
                Answer::Nothing => {}
                Answer::Person(_) => {
                    taken_back.insert(key);
                }
                Answer::Ignored => {
                    told.ignored.insert(key);
                }
                Answer::NotThese(others) => {
                    for &other in others {
                        if let Some(other) = self.keys[other] {
                            told.keep_apart(key, other);
                        }
                    }
                }
            }
        }
        for (file, index) in &mut self.indexes {
            let before = index.answers.clone();
            index.answers.extend(told.clone());
            index
                .answers
                .ignored
                .retain(|key| !taken_back.contains(key));
            if index.answers != before {
                store::save_face_index(index, file)?;
            }
        }
        Ok(())
    }

    /// Writes the names of faces that were enrolled into sidecars. Returns how many photos' could not be.
    fn write_xmp(&self, writing: Writing, output: &Output) -> Result<usize> {
        let mut of_photo: BTreeMap<&Path, Vec<Named<'_>>> = BTreeMap::new();
        let mut failed = 0;
        for (at, row) in self.rows.iter().enumerate() {
            let Some(person) = self.answers[at]
                .person()
                .filter(|_| !self.refused.contains(&at))
            else {
                continue;
            };
            let found = self.indexed(at).map(|(_, face)| face.location.bounds);
            match row.bounds.or(found) {
                Some(bounds) => of_photo.entry(&row.photo).or_default().push(Named {
                    bounds,
                    name: person.as_str(),
                    confidence: None,
                }),
                None => {
                    failed += 1;
                    output.warn(&format!(
                        "{}, face {}: where it lies is not known, so its name is not written",
                        shown(&row.photo),
                        row.face
                    ));
                }
            }
        }
        let mut sidecars = Sidecars::new(writing);
        for (photo, faces) in &of_photo {
            if let Err(error) = sidecars.add(photo, faces, output) {
                output.warn(&error.to_string());
                failed += 1;
            }
        }
        sidecars.report(output);
        Ok(failed)
    }
}

/// The share that two boxes `[left, top, width, height]` have in common.
fn overlap(one: [f32; 4], other: [f32; 4]) -> f32 {
    let common = |axis: usize| {
        let end = (one[axis] + one[axis + 2]).min(other[axis] + other[axis + 2]);
        (end - one[axis].max(other[axis])).max(0.0)
    };
    let both = common(0) * common(1);
    let either = one[2] * one[3] + other[2] * other[3] - both;
    if either > 0.0 { both / either } else { 0.0 }
}

/// Enrols the named faces, into a new model where there is none. Returns how many could not be.
fn enroll(table: &Path, groups: &mut NamedGroups, model: &Path, output: &Output) -> Result<usize> {
    let _lock = model_changes::lock(model, output)?;
    let before = match model.exists() {
        true => Some(Model::load(model)?),
        false => None,
    };
    let preparation = preparation(before.as_ref(), model)?;
    let (faces, wrong) = groups.faces(&preparation);
    for error in &wrong {
        output.warn(&error.to_string());
    }
    if faces.is_empty() {
        return Err(none_usable(&[table.to_owned()], wrong.len()).into());
    }
    let (after, disputes) = added(before, preparation, faces)?;
    for dispute in &disputes {
        output.warn(&format!(
            "{}: enrolled as {} already; it stays so",
            dispute.source, dispute.other_person
        ));
    }
    groups.refuse(&disputes);
    after.save(model)?;
    output.say(&format!(
        "enrolled; {} of {} in {} now",
        counted(after.gallery().len(), "face", "faces"),
        counted(after.people().len(), "person", "people"),
        shown(model)
    ));
    Ok(wrong.len() + disputes.len())
}

/// Preparation of faces for a model, or for a new one where there is none; `path` is the model's.
///
/// # Errors
/// A model that takes photos whole: no face of a photo can be enrolled into it.
pub fn preparation(model: Option<&Model>, path: &Path) -> Result<Preparation> {
    let preparation = model.map_or_else(face_index::preparation, |model| {
        *model.recognizer().preparation()
    });
    if preparation.framing() == Framing::Detect {
        return Ok(preparation);
    }
    Err(Error::OtherFraming {
        path: path.to_owned(),
        has: preparation.framing().name(),
        asked: Framing::Detect.name(),
    })
}

/// A model with these faces, a new one where there was none, and the faces that are enrolled as somebody else's.
///
/// # Errors
/// Faces that there is no model of.
pub fn added(
    before: Option<Model>,
    preparation: Preparation,
    faces: Vec<LabeledFace>,
) -> Result<(Model, Vec<Dispute>)> {
    match before {
        None => Ok((
            Model::enroll_faces(preparation, faces, Settings::default())?,
            Vec::new(),
        )),
        Some(mut model) => {
            let disputes = model.add_faces(faces)?;
            Ok((model, disputes))
        }
    }
}

/// The face of a row, as the index of a folder knows it.
fn key_of(index: &FaceIndex, folder: &Path, row: &Row) -> Option<FaceKey> {
    let file = index.files.get(&albums::name_within(folder, &row.photo))?;
    let key = FaceKey {
        photo: file.photo,
        face: row.face - 1,
    };
    index.face(key).map(|_| key)
}
