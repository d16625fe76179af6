//! A folder of photos on this machine: its faces in groups, what a person says of them, and what is made of that.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use eigenfaces::dataset::ContentHash;
use eigenfaces::enrollment::Observer;
use eigenfaces::model::{Edit, Plan, Step};
use eigenfaces::store::NamesIn;
use eigenfaces::xmp::OwnNames;
use eigenfaces::{Model, Person, QueryOptions, render};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::failure::{Failure, about_folder};
use super::folder_faces::{self, FolderFaces};
use super::jobs::Job;
use super::service::{Changes, Gesture, Service, Snapshot};
use crate::albums::{
    self, AlbumFace, Albums, Answer, AnswerAt, EnrolledPixels, FacePlace, FaceRecord, FacesByPerson, Folder,
    MOST_APART, NameAt, NamedFace, NamedFaces, Others, Remembered, Sidecars, SortBy, Sorter, Writing, by_photo,
};
use crate::error::{Error, Result};
use crate::text::counted;

type Reply<T> = super::failure::Answer<T>;

/// Page size: the most unnamed faces, and the most ignored ones, in a response.
const MOST_FACES: usize = 600;

const MOST_PROBLEMS: usize = 20;

/// The faces of a folder: those of people who are enrolled, to be confirmed, and the others in groups, the largest first.
/// Errors: a folder that cannot be read; cancelled.
pub async fn group(service: &Arc<Service>, folder: PathBuf, job: &Arc<Job>) -> Reply<Value> {
    let (snapshot, job) = (service.snapshot(), Arc::clone(job));
    let own = Arc::clone(service);
    let work = move || {
        let found = grouped(&own, &snapshot, &folder, &*job);
        // If faces were erased meanwhile, the folder is forgotten here too.
        if job.is_outdated() {
            own.forget_folder();
        }
        found
    };
    service.work_in_job(work).await
}

fn grouped(service: &Service, snapshot: &Snapshot, folder: &Path, observer: &dyn Observer) -> Reply<Value> {
    let albums = Albums::open(&[folder.to_owned()], None, observer).map_err(|error| about_folder(folder, &error))?;
    let recognizer = snapshot.model.as_deref().and_then(albums::identifying);
    let faces = albums.faces();
    let enrolled = service.enrolled(snapshot);
    let own = |face: &AlbumFace<'_>| enrolled.person(&face.found.pixels).cloned();
    let sorted = FacesByPerson::of(&faces, &albums, recognizer, &own, QueryOptions::default())?;
    service.set_folder(FolderFaces::of(folder, &faces));

    let mut room = MOST_FACES;
    let mut shown_some = |faces: &mut dyn Iterator<Item = &AlbumFace<'_>>| {
        let some: Vec<ShownFace> = faces.take(room).map(ShownFace::of).collect();
        room -= some.len();
        some
    };
    let (mut known, mut proposed, mut total) = (Vec::new(), Vec::new(), sorted.unnamed.len());
    for person in &sorted.known {
        let (own, others): (Vec<_>, Vec<_>) = person.faces.iter().partition(|one| one.is_enrolled);
        let name = person.person.as_str();
        if !own.is_empty() {
            known.push(json!({ "person": name, "faces": own.len() }));
        }
        total += others.len();
        let faces = shown_some(&mut others.iter().map(|known| known.face));
        if !faces.is_empty() {
            proposed.push(json!({ "person": name, "faces": faces }));
        }
    }
    let mut groups = Vec::new();
    for group in &sorted.grouping.groups {
        let faces = shown_some(&mut group.iter().map(|&face| sorted.unnamed[face]));
        if faces.is_empty() {
            break;
        }
        groups.push(json!({ "faces": faces, "person": probably(group, &sorted.probable).map(Person::as_str) }));
    }
    let left_out = total - (MOST_FACES - room);
    let answers = albums.answers();
    let ignored = faces
        .iter()
        .filter(|face| answers.ignored.contains(&face.key) && enrolled.person(&face.found.pixels).is_none());
    let mut ignored: Vec<&AlbumFace<'_>> = ignored.collect();
    ignored.sort_by(|a, b| by_photo(a, b));
    let proposals: Vec<[usize; 2]> = sorted.grouping.proposals.iter().map(|proposal| proposal.groups).collect();
    let unsaved = albums
        .unsaved()
        .map(|error| format!("What is found, and which faces are ignored, is not kept for the next time: {error}"));
    Ok(json!({
        "known": known,
        "proposed": proposed,
        "left_out": left_out,
        "groups": groups,
        "proposals": proposals,
        "ignored": ignored.into_iter().take(MOST_FACES).map(ShownFace::of).collect::<Vec<_>>(),
        "unsaved": unsaved,
    }))
}

/// The probable person of most faces of a group.
fn probably<'a>(group: &[usize], probable: &'a [Option<Person>]) -> Option<&'a Person> {
    let mut counts: BTreeMap<&Person, usize> = BTreeMap::new();
    for person in group.iter().filter_map(|&face| probable[face].as_ref()) {
        *counts.entry(person).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|&(_, count)| count);
    most.filter(|&(_, count)| 2 * count > group.len()).map(|(person, _)| person)
}

#[derive(Serialize)]
struct ShownFace {
    #[serde(flatten)]
    face: FaceRecord,
    id: String,
    /// As a data URL.
    picture: String,
}

impl ShownFace {
    fn of(face: &AlbumFace<'_>) -> Self {
        // It cannot fail but for a picture of no pixels.
        let jpeg = render::jpeg(&face.picture().into()).unwrap_or_default();
        let picture = format!("data:image/jpeg;base64,{}", STANDARD.encode(jpeg));
        Self { face: face.record(), id: folder_faces::id(face.key), picture }
    }
}

#[derive(Debug, Deserialize)]
pub struct Reviewed {
    /// Whom its faces show; nobody where they are ignored. If empty, only the others are said not to be of their person.
    person: Option<String>,
    /// Names of faces, as the groups had them.
    faces: Vec<String>,
    #[serde(default)]
    wrong: Vec<String>,
}

/// Enrols the faces that were named, and remembers what was said of the others.
/// Errors: a name that cannot be one; no face that can be used; the gallery was changed meanwhile.
pub async fn name(
    service: &Arc<Service>,
    expected: Option<String>,
    groups: Vec<Reviewed>,
    job: &Arc<Job>,
) -> Reply<Value> {
    let folder = service.folder()?;
    let told = in_words(&groups);
    let work = move |service: &Service, changes: &mut Changes, _: &Job| {
        let enrolled = service.enrolled(&service.snapshot());
        let mut review = NamedFaces::of(said(&groups, &folder, &enrolled)?, None)?;
        service.refuse_other(&service.snapshot(), expected.as_deref())?;
        if review.count(NamedFace::is_unknown) > 0 {
            return Err(Failure::conflict(
                "this folder has no index in which that could be remembered: group the folder again",
            ));
        }
        let remembered = review.remember()?;
        let mut answer = json!({ "added": 0 });
        if review.has_names() {
            let change = |model: Option<&Model>| enroll(model, &service.file, &mut review);
            let changed = service.change_now(changes, None, change);
            if changed.is_err() {
                Remembered::take_all_back(&remembered)?;
            }
            (answer, _) = changed?;
        }
        let gesture = if answer["added"] == json!(0) { Gesture::Answers } else { Gesture::AnswersAndGallery };
        if !remembered.is_empty() {
            changes.remembered(&told, gesture, remembered, &service.renew());
        }
        Ok(answer)
    };
    service.in_turn(job, work).await
}

fn said(groups: &[Reviewed], folder: &FolderFaces, enrolled: &EnrolledPixels) -> Reply<Vec<AnswerAt>> {
    let mut said = Vec::new();
    for group in groups {
        let person = group.person.as_deref();
        let answer = person.map_or(Ok(Answer::Ignored), Answer::typed)?;
        let mut say = |id: &str, answer: Answer| {
            let (key, face) = folder.find(id)?;
            let place = FacePlace { photo: face.photo.clone(), face: key.face + 1, bounds: Some(face.location.bounds) };
            said.push((place, answer));
            Reply::Ok(said.len() - 1)
        };
        let mut faces: Vec<usize> = group.faces.iter().map(|id| say(id, answer.clone())).collect::<Reply<_>>()?;
        if faces.is_empty() && !group.wrong.is_empty() {
            // Then it is other faces of the person that they are unlike.
            let named = folder.named(enrolled);
            let named = named.iter().find(|(own, _)| person.is_some_and(|person| own.is_called(person)));
            let own = named.map_or(&[][..], |(_, faces)| faces).iter();
            faces = own.map(|(key, _)| say(&folder_faces::id(*key), Answer::Nothing)).collect::<Reply<_>>()?;
        }
        faces.truncate(MOST_APART);
        for id in &group.wrong {
            say(id, Answer::NotThese(faces.clone()))?;
        }
    }
    Ok(said)
}

fn enroll(model: Option<&Model>, file: &Path, review: &mut NamedFaces) -> Reply<(Plan, Value)> {
    let preparation = albums::preparation(model, file)?;
    let (faces, wrong) = review.prepared(&preparation);
    if faces.is_empty() && !review.has_others() {
        return Err(Failure::bad(wrong.first().map_or_else(|| "no face".to_owned(), ToString::to_string)));
    }
    let plan = Plan::of(Edit::Faces(preparation, faces, Step::Own), model, &())?;
    let added = plan.outcome.gallery.len() - model.map_or(0, |model| model.gallery().len());
    let refused = wrong.len() + plan.outcome.repeats.disputed.len();
    Ok((plan, json!({ "added": added, "refused": refused })))
}

/// The answers about groups, in words: the name of the step to undo.
fn in_words(groups: &[Reviewed]) -> String {
    let said = groups.iter().map(|group| match &group.person {
        Some(nobody) if nobody.is_empty() => "two groups kept apart".to_owned(),
        _ if group.faces.is_empty() => format!("{} kept apart", counted(group.wrong.len(), "face", "faces")),
        Some(person) => format!("{} named {person}", counted(group.faces.len(), "face", "faces")),
        None => format!("{} ignored", counted(group.faces.len(), "face", "faces")),
    });
    said.collect::<Vec<String>>().join(", ")
}

/// Lets ignored faces be grouped again.
/// Errors: a face that the folder does not have; an index that cannot be written.
pub async fn bring_back(service: &Arc<Service>, ids: Vec<String>, job: &Arc<Job>) -> Reply<Value> {
    let folder = service.folder()?;
    let work = move |service: &Service, changes: &mut Changes, _: &Job| {
        let keys: BTreeSet<_> = ids.iter().map(|id| Ok(folder.find(id)?.0)).collect::<Reply<_>>()?;
        let file = albums::index_of(&folder.path);
        let changed = Remembered::change(&file, |answers| answers.ignored.retain(|key| !keys.contains(key)))?;
        let count = counted(keys.len(), "ignored face", "ignored faces");
        if changed.is_some() {
            let told = format!("{count} brought back");
            changes.remembered(&told, Gesture::Answers, changed.into_iter().collect(), &service.renew());
        }
        Ok(json!({ "brought_back": keys.len() }))
    };
    service.in_turn(job, work).await
}

/// Sorts the photos of people who were named into a folder each.
/// Errors: nobody was named; cancelled. What fails with single photos is in the answer.
pub async fn sort(service: &Arc<Service>, into: PathBuf, by: SortBy, job: &Arc<Job>) -> Reply<Value> {
    if !into.is_absolute() {
        return Err(Failure::bad("give the whole path of the folder to sort into, such as /home/me/People"));
    }
    let work = move |named: &NamedPhotos| {
        let mut sorted = Sorter::new(&into, Some(by), Others::Stay);
        let problems = named.each(|photo, _, faces| {
            sorted.add_to(photo, faces.iter().map(|(person, _)| Folder::of(person.as_str())).collect::<BTreeSet<_>>())
        })?;
        let folders = sorted.counts.iter().map(|(name, counts)| {
            json!({ "folder": into.join(name).to_string_lossy(), "new": counts.new, "there": counts.there })
        });
        let folders: Vec<Value> = folders.collect();
        Ok(json!({ "folders": folders, "problems": problems }))
    };
    with_named(service, job, work).await
}

/// Writes the names that a person gave into sidecars: names there stay, and if any cannot be read, nothing is written.
pub async fn write_xmp(service: &Arc<Service>, job: &Arc<Job>) -> Reply<Value> {
    let work = move |named: &NamedPhotos| {
        let mut sidecars = Sidecars::new(Writing::Done, NamesIn::Beside, OwnNames::Keep);
        let problems = named.each(|photo, hash, faces| {
            let names = faces.iter().map(|(person, bounds)| NameAt {
                bounds: *bounds,
                name: person.as_str(),
                confidence: None,
            });
            let names: Vec<NameAt<'_>> = names.collect();
            sidecars.add(photo, &named.folder.boxes(hash), &names, &())
        })?;
        let [sidecars, names, kept] = sidecars.counts();
        Ok(json!({ "sidecars": sidecars, "names": names, "kept": kept, "problems": problems }))
    };
    with_named(service, job, work).await
}

/// The photos of the folder in which a person has named somebody.
struct NamedPhotos {
    folder: Arc<FolderFaces>,
    enrolled: Arc<EnrolledPixels>,
    job: Arc<Job>,
}

impl NamedPhotos {
    /// Does something with each photo and the faces that were named in it. Returns what could not be done.
    fn each(
        &self,
        mut work: impl FnMut(&Path, ContentHash, &[(&Person, [f32; 4])]) -> Result<()>,
    ) -> Reply<Vec<String>> {
        let mut photos: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (person, faces) in self.folder.named(&self.enrolled) {
            for (key, face) in faces {
                photos.entry((&face.photo, key.photo)).or_default().push((person, face.location.bounds));
            }
        }
        if photos.is_empty() {
            return Err(Failure::conflict("nobody is named in this folder yet: name a group of faces first"));
        }
        let done = self.job.reading(photos.len());
        let (mut problems, mut untold) = (Vec::new(), 0);
        for (count, ((photo, hash), faces)) in (1..).zip(&photos) {
            if self.job.is_cancelled() {
                return Err(eigenfaces::Error::Cancelled.into());
            }
            let worked = match folder_faces::file_as_grouped(photo, *hash).is_some() {
                true => work(photo, *hash, faces),
                false => Err(Error::about(photo, folder_faces::CHANGED)),
            };
            match worked {
                Err(error) if problems.len() < MOST_PROBLEMS => problems.push(error.to_string()),
                Err(_) => untold += 1,
                Ok(()) => {}
            }
            done(count);
        }
        if untold > 0 {
            problems.push(format!("and {} more", counted(untold, "photo", "photos")));
        }
        Ok(problems)
    }
}

async fn with_named(
    service: &Arc<Service>,
    job: &Arc<Job>,
    work: impl FnOnce(&NamedPhotos) -> Reply<Value> + Send + 'static,
) -> Reply<Value> {
    let snapshot = service.snapshot();
    let (folder, job) = (service.folder()?, Arc::clone(job));
    let own = Arc::clone(service);
    service.work_in_job(move || work(&NamedPhotos { folder, enrolled: own.enrolled(&snapshot), job })).await
}
