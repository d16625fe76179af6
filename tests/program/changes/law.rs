//! What was said stays said: command line, library and server change one gallery in turn, each change held against the simplest
//! rules there could be.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use eigenfaces::dataset::{ContentHash, LabelRule};
use eigenfaces::model::{EarlierName, Edit};
use eigenfaces::{FaceChoice, Model, Photo};
use serde_json::{Value, json};

use super::{PEOPLE, arrays, photos};
use crate::serve::client::Server;
use crate::support::{bundled_faces, scratch};
use crate::{another, run, text};

/// Whose each enrolled photo is, by content.
type Enrolled = BTreeMap<String, String>;

/// What somebody was called before, and is called now.
type Earlier = BTreeMap<String, String>;

fn enrolled(model: &Path) -> Enrolled {
    let Ok(model) = Model::load(model) else { return Enrolled::new() };
    let faces = model.gallery().enrolled().iter();
    let named = faces.map(|face| {
        let person = model.people()[face.person].to_string();
        (face.hash.to_string(), person)
    });
    named.collect()
}

/// A change that can be undone: the photos before and after it, and the arrays before it as long as nothing was erased since.
struct Step {
    before: Enrolled,
    earlier: Earlier,
    after: Enrolled,
    arrays: Option<BTreeMap<String, Vec<u8>>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Client {
    CommandLine,
    Library,
    Server,
}

/// What ought to be enrolled: the program's own is held against it after each change.
struct Expected {
    folder: tempfile::TempDir,
    now: Enrolled,
    earlier: Earlier,
    steps: Vec<Step>,
    told: Vec<String>,
    state: u32,
}

impl Expected {
    fn draw(&mut self, below: usize) -> usize {
        let next = self.state.wrapping_mul(1_664_525);
        self.state = next.wrapping_add(1_013_904_223);
        (self.state >> 16) as usize % below
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn model(&self) -> PathBuf {
        self.at("eigenfaces.npz")
    }

    fn people(&self) -> Vec<String> {
        let people: BTreeSet<&String> = self.now.values().collect();
        people.into_iter().cloned().collect()
    }

    fn somebody(&mut self) -> String {
        let people = self.people();
        people[self.draw(people.len())].clone()
    }

    /// After a change by which these photos ought to be enrolled, and these names have been people's.
    fn hold(&mut self, told: String, after: Enrolled, earlier: Earlier, change: impl FnOnce(&Self)) {
        let arrays = self.model().exists().then(|| arrays(&self.model()));
        self.told.push(told);
        change(self);
        let before = std::mem::replace(&mut self.now, after);
        let was = std::mem::replace(&mut self.earlier, earlier);
        let now = self.now.clone();
        // More than erasing can be undone.
        if now.iter().any(|(photo, person)| before.get(photo) != Some(person)) {
            self.steps.push(Step { before: before.clone(), earlier: was, after: now.clone(), arrays });
        }
        if before.keys().any(|photo| !now.contains_key(photo)) {
            self.steps.iter_mut().for_each(|step| step.arrays = None);
            // Steps that nothing is left of are none.
            self.steps.retain(|step| now.keys().any(|photo| step.before.get(photo) != step.after.get(photo)));
        }
        self.compare();
    }

    fn compare(&mut self) {
        // A name is somebody's now, or its owner is gone.
        let people = self.people();
        self.earlier.retain(|name, now| people.contains(now) && !people.contains(name));
        assert_eq!(enrolled(&self.model()), self.now, "after {:#?}", self.told);
        let Ok(model) = Model::load(self.model()) else { return };
        for (name, now) in &self.earlier {
            let found = model.history().current_name(&name.parse().unwrap());
            assert_eq!(found, Some(now.as_str()), "{name} after {:#?}", self.told);
        }
    }

    fn undo(&mut self, way: Client) {
        // The command line does not undo the first.
        if self.steps.last().is_none_or(|step| step.before.is_empty()) {
            return;
        }
        let Some(step) = self.steps.pop() else { return };
        let here = self.now.keys();
        let back = here.filter_map(|photo| Some((photo.clone(), step.before.get(photo)?.clone())));
        let back: Enrolled = back.collect();
        if back.is_empty() {
            self.steps.push(step);
            return;
        }
        match way {
            Client::Library => self.by_library(|model| {
                model.change(Edit::Undo, &()).unwrap();
            }),
            Client::Server => drop(self.by_server("POST", "/api/v0/undo", b"")),
            Client::CommandLine => self.by_command(&["people", "undo", "--yes"]),
        }
        self.told.push(format!("{way:?}: undo"));
        (self.now, self.earlier) = (back, step.earlier);
        self.compare();
        if let Some(before) = step.arrays {
            let is_same = arrays(&self.model()) == before;
            assert!(is_same, "not the arrays of before: {:#?}", self.told);
        }
    }

    fn by_command(&self, args: &[&str]) {
        let done = run(self.folder.path(), args);
        // Photos without a face may be passed over.
        let is_done = matches!(done.code, 0 | 3);
        assert!(is_done, "{args:?}: {} after {:#?}", done.stderr, self.told);
    }

    fn by_library(&self, change: impl FnOnce(&mut Model)) {
        let mut model = Model::load(self.model()).unwrap();
        change(&mut model);
        model.save(self.model()).unwrap();
    }

    fn by_server(&self, method: &str, path: &str, body: &[u8]) -> Value {
        asked(&Server::start(self.folder.path()), method, path, body)
    }

    /// The names that people had, where the person of the first name gets the second, new or another's.
    fn renamed(&self, from: &str, to: &str) -> (Enrolled, Earlier) {
        let (mut after, mut earlier) = (self.now.clone(), self.earlier.clone());
        for name in after.values_mut().chain(earlier.values_mut()) {
            if name == from {
                to.clone_into(name);
            }
        }
        earlier.insert(from.to_owned(), to.to_owned());
        (after, earlier)
    }

    /// A photo that nobody has seen, in a file of this name.
    fn new_photo(&self, name: &str, number: usize) -> (PathBuf, Vec<u8>, String) {
        let esther = fs::read(bundled_faces().join("Esther/1.png")).unwrap();
        let (file, photo) = (self.at(name), another(&esther, number));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, &photo).unwrap();
        let hash = ContentHash::of(&photo).to_string();
        (file, photo, hash)
    }
}

fn asked(server: &Server, method: &str, path: &str, body: &[u8]) -> Value {
    let answer = server.ask(method, &path.replace(' ', "%20"), body);
    let said = String::from_utf8_lossy(&answer.body);
    assert!(answer.status < 300, "{path}: {said}");
    serde_json::from_slice(&answer.body).unwrap()
}

/// A job of the server, until it is done.
fn job(server: &Server, work: &Value) {
    let begun = asked(server, "POST", "/api/v0/jobs", work.to_string().as_bytes());
    let path = format!("/api/v0/jobs/{}", begun["id"]);
    loop {
        let job = asked(server, "GET", &path, b"");
        match job["state"].as_str() {
            Some("working") => std::thread::sleep(std::time::Duration::from_millis(20)),
            state => return assert_eq!(state, Some("done"), "{work}: {job}"),
        }
    }
}

/// The photos of a folder of one person, by content.
fn contents(folder: &Path) -> BTreeSet<String> {
    let files = folder.read_dir().unwrap().map(|file| file.unwrap().path());
    let contents = files.map(|file| ContentHash::of(&fs::read(file).unwrap()).to_string());
    contents.collect()
}

/// A folder of one person is enrolled.
fn add_folder(it: &mut Expected, way: Client, name: &str, step: usize) -> PathBuf {
    let folder = it.at(&format!("in{step}"));
    photos(&folder, name);
    // The dark one may not be usable.
    fs::remove_file(folder.join(name).join(format!("{name}-2.png"))).unwrap();
    let (mut after, earlier) = (it.now.clone(), it.earlier.clone());
    let called = earlier.get(name).map_or(name, |now| now).to_owned();
    let new = contents(&folder.join(name)).into_iter();
    after.extend(new.map(|photo| (photo, called.clone())));
    let told = format!("{way:?}: folder of {name}");
    it.hold(told, after, earlier, |it| match way {
        Client::Library if it.model().exists() => it.by_library(|model| {
            let folders = [folder.clone()];
            model.add_folders(&folders, &LabelRule::Folder, &()).unwrap();
        }),
        Client::Server => job(&Server::start(it.folder.path()), &json!({ "kind": "enroll", "folder": folder })),
        _ => it.by_command(&["enroll", text(&folder)]),
    });
    folder
}

/// A folder of one person is followed, after a photo came there and perhaps one went.
fn sync(it: &mut Expected, way: Client, folder: &Path, step: usize) {
    let own = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let name = own.file_name().unwrap().to_str().unwrap();
    let before = contents(&own);
    it.new_photo(text(&own.join(format!("{name}-new {step}.png"))), 100 + step);
    let files = fs::read_dir(&own).unwrap().map(|file| file.unwrap().path());
    let files: BTreeSet<PathBuf> = files.collect();
    if it.draw(2) == 0 && files.len() > 2 {
        let gone = it.draw(files.len());
        fs::remove_file(files.iter().nth(gone).unwrap()).unwrap();
    }
    let here = contents(&own);
    let (mut after, earlier) = (it.now.clone(), it.earlier.clone());
    let called = earlier.get(name).map_or(name, |now| now).to_owned();
    after.retain(|photo, _| !before.contains(photo) || here.contains(photo));
    after.extend(here.into_iter().map(|photo| (photo, called.clone())));
    it.hold(format!("{way:?}: sync of {name}"), after, earlier, |it| match way {
        Client::Library => it.by_library(|model| {
            let folders = [folder.to_owned()];
            model.sync_folders(&folders, &LabelRule::Folder, &()).unwrap();
        }),
        _ => it.by_command(&["enroll", "--sync", "--yes", text(folder)]),
    });
}

/// The face of a group is named.
fn apply_group(it: &mut Expected, way: Client, name: &str, step: usize) {
    let (file, _, hash) = it.new_photo(&format!("group{step}/p.png"), 200 + step);
    let (mut after, earlier) = (it.now.clone(), it.earlier.clone());
    after.insert(hash.clone(), name.to_owned());
    it.hold(format!("{way:?}: group named {name}"), after, earlier, |it| match way {
        Client::Server => {
            let server = Server::start(it.folder.path());
            job(&server, &json!({ "kind": "group", "folder": file.parent() }));
            let named = json!({ "person": name, "faces": [format!("{hash}-1")] });
            job(&server, &json!({ "kind": "name", "groups": [named] }));
        }
        _ => {
            let table = it.at("groups.csv");
            let row = format!("1,{name},{},1,,,,", file.display());
            fs::write(&table, format!("group,name,photo,face,left,top,width,height\n{row}\n")).unwrap();
            it.by_command(&["group", "--apply", text(&table)]);
        }
    });
}

fn add_photo(it: &mut Expected, way: Client, name: &str, step: usize) {
    let (file, photo, hash) = it.new_photo(&format!("photo-{step}.png"), step);
    let (mut after, earlier) = (it.now.clone(), it.earlier.clone());
    after.insert(hash, name.to_owned());
    it.hold(format!("{way:?}: photo of {name}"), after, earlier, |it| match way {
        Client::Library => it.by_library(|model| {
            let photo = Photo::open(&file).unwrap();
            model.add_photo(name, &photo, FaceChoice::Main, "").unwrap();
        }),
        Client::Server => drop(it.by_server("POST", &format!("/api/v0/people/{name}/faces"), &photo)),
        Client::CommandLine => it.by_command(&["people", "add", name, text(&file)]),
    });
}

fn rename(it: &mut Expected, way: Client, from: &str, to: &str) {
    let (after, earlier) = it.renamed(from, to);
    it.hold(format!("{way:?}: {from} renamed {to}"), after, earlier, |it| match way {
        Client::Library => it.by_library(|model| {
            let edit = Edit::Rename(from.to_owned(), to.to_owned(), EarlierName::Known);
            model.change(edit, &()).unwrap();
        }),
        Client::Server => {
            let to = json!({ "person": to }).to_string();
            it.by_server("PUT", &format!("/api/v0/people/{from}"), to.as_bytes());
        }
        Client::CommandLine => it.by_command(&["people", "rename", from, to]),
    });
}

fn merge(it: &mut Expected, way: Client, from: &str, into: &str) {
    let (after, earlier) = it.renamed(from, into);
    it.hold(format!("{way:?}: {from} merged into {into}"), after, earlier, |it| match way {
        Client::Library => it.by_library(|model| {
            let edit = Edit::Merge(vec![from.to_owned()], into.to_owned());
            model.change(edit, &()).unwrap();
        }),
        Client::Server => {
            let into = json!({ "into": into }).to_string();
            it.by_server("POST", &format!("/api/v0/people/{from}/merge"), into.as_bytes());
        }
        Client::CommandLine => it.by_command(&["people", "merge", from, "--into", into]),
    });
}

fn remove(it: &mut Expected, way: Client, gone: &str) {
    let (mut after, earlier) = (it.now.clone(), it.earlier.clone());
    after.retain(|_, name| name != gone);
    it.hold(format!("{way:?}: {gone} removed"), after, earlier, |it| match way {
        Client::Library => it.by_library(|model| {
            let faces = model.gallery().faces_of(model.gallery().find(gone).unwrap());
            model.change(Edit::Remove(faces), &()).unwrap();
        }),
        Client::Server => drop(it.by_server("DELETE", &format!("/api/v0/people/{gone}"), b"")),
        Client::CommandLine => it.by_command(&["people", "remove", gone, "--yes"]),
    });
}

fn move_face(it: &mut Expected, way: Client, photo: &str, to: &str) {
    let (mut after, earlier) = (it.now.clone(), it.earlier.clone());
    after.insert(photo.to_owned(), to.to_owned());
    it.hold(format!("{way:?}: a face moved to {to}"), after, earlier, |it| match way {
        Client::Server => {
            let person = json!({ "person": to }).to_string();
            it.by_server("PUT", &format!("/api/v0/faces/{photo}"), person.as_bytes());
        }
        _ => it.by_library(|model| {
            let edit = Edit::Move(photo.parse().unwrap(), to.parse().unwrap());
            model.change(edit, &()).unwrap();
        }),
    });
}

/// No face is missing and none too many, earlier names are whose they were, and undo gives the arrays of before. 3 histories
/// here; EIGENFACES_HISTORIES sets another number.
#[test]
fn what_was_said_stays_said_whoever_changes_the_gallery() {
    let histories = std::env::var("EIGENFACES_HISTORIES").map_or(3, |count| count.parse().unwrap());
    for seed in 1..=histories {
        let mut it = Expected {
            folder: scratch(),
            now: Enrolled::new(),
            earlier: Earlier::new(),
            steps: Vec::new(),
            told: vec![format!("history {seed}")],
            state: seed * 97,
        };
        let mut waiting = PEOPLE.to_vec();
        let mut folders = Vec::new();
        for step in 0..18 {
            let way = [Client::CommandLine, Client::Library, Client::Server][it.draw(3)];
            if step < 2 || !waiting.is_empty() && it.draw(9) == 0 {
                let name = waiting.remove(it.draw(waiting.len()));
                folders.push(add_folder(&mut it, way, name, step));
                continue;
            }
            let (one, other) = (it.somebody(), it.somebody());
            let is_many = it.people().len() > 2;
            match it.draw(10) {
                0 => add_photo(&mut it, way, &one, step),
                1 => add_photo(&mut it, way, &format!("New {step}"), step),
                2 => apply_group(&mut it, way, &one, step),
                3 | 4 => {
                    let folder = folders[it.draw(folders.len())].clone();
                    sync(&mut it, way, &folder, step);
                }
                5 => rename(&mut it, way, &one, &format!("Renamed {step}")),
                6 if is_many && one != other => merge(&mut it, way, &one, &other),
                7 if is_many => remove(&mut it, way, &one),
                8 => {
                    let at = it.draw(it.now.len());
                    let photo = it.now.keys().nth(at).unwrap().clone();
                    if it.now[&photo] != other {
                        move_face(&mut it, way, &photo, &other);
                    }
                }
                _ => it.undo(way),
            }
        }
    }
}
