//! The front door: one value that enrols, identifies, verifies, changes, and is kept in a file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{bundled_faces, labeled_faces, listed, probes, scratch};
use eigenfaces::dataset::{LabelRule, Skipped};
use eigenfaces::enrollment::{Notice, Observer};
use eigenfaces::face_matrix::FaceSize;
use eigenfaces::locate::framing::{Agreement, Framing};
use eigenfaces::model::{EarlierName, Edit, Plan, Step};
use eigenfaces::preparation::Preparation;
use eigenfaces::{Acceptance, Error, FaceChoice, Identification, Model, Options, Person, Photo, QueryOptions, Verdict};

/// The first three bundled people.
fn three_people() -> (tempfile::TempDir, Vec<String>) {
    let folder = scratch();
    let mut people: Vec<PathBuf> = fs::read_dir(bundled_faces())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    people.sort();
    let mut names = Vec::new();
    for person in &people[..3] {
        let name = person.file_name().unwrap();
        let own = folder.path().join(name);
        fs::create_dir(&own).unwrap();
        for photo in fs::read_dir(person).unwrap() {
            let photo = photo.unwrap().path();
            fs::copy(&photo, own.join(photo.file_name().unwrap())).unwrap();
        }
        names.push(name.to_str().unwrap().to_owned());
    }
    (folder, names)
}

fn photos_of(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut photos: Vec<PathBuf> =
        fs::read_dir(folder.join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
    photos.sort();
    photos
}

fn names(model: &Model) -> Vec<&str> {
    model.people().iter().map(Person::as_str).collect()
}

fn only(mut found: Vec<Identification>) -> Identification {
    assert_eq!(found.len(), 1);
    found.remove(0)
}

#[test]
fn the_whole_job_in_a_few_lines() {
    let model = Model::enroll(bundled_faces(), &Options::default()).unwrap();
    assert_eq!(model.people().len(), 14);
    let ada = probes().join("ada.png");
    let found = only(model.identify_file(&ada).unwrap());
    assert_eq!(found.name(), Some("Ada"));
    assert!(found.to_string().starts_with("Ada ("), "{found}");
    let bytes = fs::read(&ada).unwrap();
    assert_eq!(only(model.identify_bytes(bytes).unwrap()), found);

    let folder = scratch();
    let file = folder.path().join("eigenfaces.npz");
    model.save(&file).unwrap();
    let loaded = Model::load(&file).unwrap();
    assert_eq!(only(loaded.identify_file(&ada).unwrap()), found);
    assert_eq!(loaded.history(), model.history());
    assert!(!loaded.history().records().is_empty());
}

/// Photos in memory are enrolled as the same photos in folders are.
#[test]
fn photos_in_memory_are_enrolled_as_those_in_folders() {
    let (folder, people) = three_people();
    let mut photos = Vec::new();
    for name in &people {
        for path in photos_of(folder.path(), name) {
            photos.push((Person::new(name).unwrap(), Photo::open(path).unwrap()));
        }
    }
    let model = Model::enroll_photos(&photos, &Options::default()).unwrap();
    let of_folder = Model::enroll(folder.path(), &Options::default()).unwrap();
    assert_eq!(names(&model), names(&of_folder));
    assert_eq!(model.recognizer().preparation(), of_folder.recognizer().preparation());
    // Without sources they stand in another order.
    let (in_memory, in_folder) = (model.gallery(), of_folder.gallery());
    assert_eq!(in_memory.len(), in_folder.len());
    for (own, face) in in_folder.enrolled().iter().enumerate() {
        let at = in_memory.position(face.hash).unwrap();
        assert_eq!(in_memory.faces().face(at), in_folder.faces().face(own));
    }

    photos.push((Person::new("Nobody").unwrap(), photos[0].1.clone()));
    let disputed = Model::enroll_photos(&photos, &Options::default());
    assert!(matches!(disputed, Err(Error::PhotoOfOther { .. })));
    assert!(Model::enroll_photos(&[], &Options::default()).is_err());
}

#[test]
fn people_come_and_go() {
    let (folder, people) = three_people();
    let [a, b, c] = [&people[0], &people[1], &people[2]];
    let held_back = photos_of(folder.path(), c);
    let photo = Photo::open(&held_back[0]).unwrap();
    let other = Photo::open(&held_back[1]).unwrap();
    let elsewhere = scratch();
    let later = elsewhere.path().join("later");
    fs::rename(folder.path().join(c), &later).unwrap();
    let mut model = Model::enroll(folder.path(), &Options::default()).unwrap();
    let two = model.clone();
    assert_eq!(names(&model), [a, b]);

    let person = Person::new(c).unwrap();
    let (hash, is_new) = model.add_photo(&person, &photo, FaceChoice::Main, "").unwrap();
    assert!(is_new && hash == photo.content_hash());
    assert_eq!(names(&model), [a, b, c]);
    let found = model.identify(&photo, QueryOptions::default()).unwrap();
    assert_eq!(only(found).name(), Some(c.as_str()), "an enrolled photo is known");
    let again = model.add_photo(&person, &photo, FaceChoice::Number(1), "");
    assert!(!again.unwrap().1, "once is enough");
    let as_other = model.add_photo(a, &photo, FaceChoice::Main, "");
    assert!(matches!(as_other, Err(Error::PhotoOfOther { .. })));
    let second = model.add_photo(&person, &other, FaceChoice::Number(2), "");
    let message = second.unwrap_err().to_string();
    assert!(message.contains("shows 1 face, which has the number 1"), "{message}");

    let verified = model.verify_person(&other, c, Acceptance::default()).unwrap();
    let of_other = model.verify_person(&other, a, Acceptance::default()).unwrap();
    assert!(verified.confidence > of_other.confidence);
    assert_eq!(of_other.verdict, Verdict::Different);
    let same = model.verify(&photo, &photo, Acceptance::default()).unwrap();
    assert_eq!(same.verdict, Verdict::Same);

    let rename = |from: &str| Edit::Rename(from.to_owned(), "Zoë".to_owned(), EarlierName::Known);
    let merge = |from: &str, into: &str| Edit::Merge(vec![from.to_owned()], into.to_owned());
    model.change(rename(c), &()).unwrap();
    assert_eq!(names(&model), [a, b, "Zoë"]);
    let taken = model.change(rename(a), &());
    assert!(matches!(taken, Err(Error::NameTaken { .. })));
    let merged = model.change(merge(a, a), &());
    assert!(matches!(merged, Err(Error::MergedIntoItself { .. })));
    model.change(merge("Zoë", b), &()).unwrap();
    assert_eq!(names(&model), [a, b]);
    let at = model.gallery().position(hash).unwrap();
    let removed = model.change(Edit::Remove(vec![at]), &()).unwrap();
    assert_eq!(removed.outcome.gone[0].hash, hash);
    assert_eq!(model.recognizer().gallery(), two.recognizer().gallery(), "as if it had never been there");
    assert_eq!(model.recognizer().weights(), two.recognizer().weights());
    let added = model.add_folders(std::slice::from_ref(&later), &LabelRule::Folder, &()).unwrap();
    assert_eq!(added.outcome.added.len(), held_back.len());
    let faces = model.gallery().faces_of(model.gallery().find("later").unwrap());
    let removed = model.change(Edit::Remove(faces), &()).unwrap();
    assert_eq!(removed.outcome.gone.len(), held_back.len());
    assert_eq!(names(&model), [a, b]);
    assert!(matches!(model.gallery().find("Nobody"), Err(Error::NoSuchPerson { .. })));
}

#[derive(Default)]
struct Heard {
    done: AtomicUsize,
    skipped: AtomicUsize,
    notices: AtomicUsize,
    cancel_after: Option<usize>,
}

impl Observer for Heard {
    fn reading(&self, photos: usize) -> Box<dyn Fn(usize) + Sync + '_> {
        Box::new(move |done| {
            assert!(done <= photos);
            self.done.fetch_max(done, Ordering::SeqCst);
        })
    }

    fn skipped(&self, skipped: &[Skipped]) {
        for skipped in skipped {
            assert!(skipped.to_string().contains("notes.jpg"), "{skipped}");
            self.skipped.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn notice(&self, notice: &Notice<'_>) {
        assert!(matches!(notice, Notice::Framing(_)), "{notice:?}");
        self.notices.fetch_add(1, Ordering::SeqCst);
    }

    fn is_cancelled(&self) -> bool {
        let done = self.done.load(Ordering::SeqCst);
        self.cancel_after.is_some_and(|enough| done >= enough)
    }
}

#[test]
fn an_observer_hears_what_a_person_would_want_to_know() {
    let (folder, people) = three_people();
    fs::write(folder.path().join(&people[0]).join("notes.jpg"), "not a photo").unwrap();
    let folders = [folder.path().to_owned()];
    let heard = Heard::default();
    let model = Model::enroll_observed(&folders, &Options::default(), &heard).unwrap();
    let faces = model.gallery().len();
    assert_eq!(heard.done.into_inner(), faces + 1);
    assert_eq!(heard.skipped.into_inner(), 1);
    assert_eq!(heard.notices.into_inner(), 1);

    let impatient = Heard { cancel_after: Some(0), ..Heard::default() };
    let cancelled = Model::enroll_observed(&folders, &Options::default(), &impatient);
    assert!(matches!(cancelled, Err(Error::Cancelled)));
}

#[test]
fn what_cannot_be_used_is_named() {
    let model = Model::enroll(bundled_faces(), &Options::default()).unwrap();
    let folder = scratch();
    let text = folder.path().join("text.jpg");
    fs::write(&text, "not a photo").unwrap();
    for path in [text, folder.path().join("missing.png")] {
        let error = model.identify_file(&path).unwrap_err().to_string();
        assert!(error.contains(path.to_str().unwrap()), "{error}");
    }
    assert!(model.identify_bytes(*b"no").is_err());
    assert!(Model::enroll(folder.path(), &Options::default()).is_err());
    assert!(Model::load(folder.path().join("missing.npz")).is_err());
}

/// Faces of crops that somebody aligned, prepared by no frame, join a gallery whose frame is known.
#[test]
fn faces_join_by_the_frame_of_the_gallery() {
    let Some(folder) = crate::support::real_data("yale-light") else { return };
    let frontal = scratch();
    for person in listed(&folder) {
        for light in ["A+000E+00", "A+005E+10", "A+005E-10", "A-005E+10", "A-005E-10"] {
            let is_lit_so = |photo: &PathBuf| photo.to_string_lossy().contains(light);
            for photo in listed(&person).into_iter().filter(is_lit_so) {
                let own = frontal.path().join(person.file_name().unwrap());
                fs::create_dir_all(&own).unwrap();
                fs::copy(&photo, own.join(photo.file_name().unwrap())).unwrap();
            }
        }
    }
    let preparation = Preparation::new(FaceSize::ALIGNED, Framing::Detect);
    let mut faces = labeled_faces(frontal.path(), &preparation);
    let enroll = |faces| {
        let edit = Edit::Faces(preparation, faces, Step::Own);
        Plan::of(edit, None, &()).unwrap().commit(None).unwrap().unwrap()
    };
    let once = enroll(faces.clone());
    let frame = once.recognizer().preparation().crop_eyes().unwrap();
    assert_eq!(frame.agreement, Agreement::Aligned);
    // One face does not move the frame.
    let later = faces.split_off(faces.len() - 1);
    let mut added = enroll(faces);
    assert_eq!(added.recognizer().preparation().crop_eyes(), Some(frame));
    let edit = Edit::Faces(preparation, later, Step::Own);
    added.change(edit, &()).unwrap();
    assert!(added.gallery() == once.gallery(), "pixels differ");
}
