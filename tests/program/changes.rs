//! Whatever the order of adding, removing, renaming and undoing: the model is, bit for bit, that of enrolling what is left at
//! once. With default settings, of crops and of photos, also such as show no face to the detector.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

use eigenfaces::dataset::{ContentHash, LabelRule};
use eigenfaces::model::Edit;
use eigenfaces::{FaceChoice, Model, Photo};
use image::{GrayImage, Luma, imageops};
use serde_json::Value;

use crate::support::{bundled_faces, scratch};
use crate::{another, run};

const PEOPLE: [&str; 6] = ["Ada", "Boris", "Chiara", "Farid", "Keiko", "Noah"];
const PHOTOS: u32 = 4;

/// Photos of a person, in `FOLDER/NAME`: crops, one of them too dark for its face to be found, and of one person a photo with room
/// around the face.
fn photos(folder: &Path, name: &str) {
    std::fs::create_dir_all(folder.join(name)).unwrap();
    for number in 1..=PHOTOS {
        let from = bundled_faces().join(name).join(format!("{number}.png"));
        let mut photo = image::open(from).unwrap().into_luma8();
        match number {
            2 => photo.iter_mut().for_each(|level| *level /= 60),
            3 if name == "Noah" => {
                let mut scene = GrayImage::from_pixel(240, 200, Luma([140]));
                imageops::replace(&mut scene, &photo, 70, 40);
                photo = scene;
            }
            _ => {}
        }
        let to = folder.join(name).join(format!("{name}-{number}.png"));
        photo.save(to).unwrap();
    }
}

/// Everything in a model file but its log and where photos came from.
pub fn arrays(model: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(model).unwrap()).unwrap();
    let count = archive.len();
    let read = |at: usize| {
        let mut bytes = Vec::new();
        let mut member = archive.by_index(at).unwrap();
        member.read_to_end(&mut bytes).unwrap();
        (member.name().unwrap().into_owned(), bytes)
    };
    let mut all: BTreeMap<String, Vec<u8>> = (0..count).map(read).collect();
    all.retain(|name, _| !["log.json", "sources.npy"].contains(&name.as_str()));
    all
}

/// The photos enrolled, as folders of them.
fn enrolled_again(folder: &Path, to: &Path) {
    let listed = run(folder, ["people", "list", "--photos", "--format", "json"]).done();
    for line in listed.stdout.lines() {
        let photo: Value = serde_json::from_str(line).unwrap();
        let (person, source) = (&photo["person"], photo["source"].as_str().unwrap());
        let to = to.join(person.as_str().unwrap());
        std::fs::create_dir_all(&to).unwrap();
        let from = folder.join(source);
        std::fs::copy(&from, to.join(from.file_name().unwrap())).unwrap();
    }
}

#[test]
fn the_same_gallery_whatever_its_history() {
    for seed in 1..=3_u32 {
        let folder = scratch();
        let mut state = seed;
        let mut draw = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % below
        };
        let mut waiting = PEOPLE.to_vec();
        let mut there: Vec<String> = Vec::new();
        let mut told = Vec::new();
        for step in 0..9 {
            let args: Vec<String> = match draw(5) {
                // Two are enrolled first, so that there is something to change.
                choice if step < 2 || choice < 2 && !waiting.is_empty() => {
                    let name = waiting.remove(draw(waiting.len()));
                    photos(&folder.path().join(format!("in{step}")), name);
                    vec!["enroll".to_owned(), format!("in{step}")]
                }
                2 if there.len() > 2 => {
                    let person = there[draw(there.len())].clone();
                    ["people", "remove", &person, "--yes"]
                        .map(str::to_owned)
                        .into()
                }
                3 => {
                    let (person, name) = (&there[draw(there.len())], format!("Zoe {step}"));
                    ["people", "rename", person, &name]
                        .map(str::to_owned)
                        .into()
                }
                _ => ["people", "undo", "--yes"].map(str::to_owned).into(),
            };
            let done = run(folder.path(), &args);
            told.push(format!("{args:?}: {}", done.code));
            // Nothing to take back, or a photo passed over as there is no frame yet to align it by, is an answer too.
            assert!(matches!(done.code, 0 | 1 | 3), "{told:?}: {}", done.stderr);
            let listed = run(folder.path(), ["people"]).done().stdout;
            let names = listed.lines().filter_map(|line| line.split(" (").next());
            there = names.map(str::to_owned).collect();
        }
        let fresh = scratch();
        enrolled_again(folder.path(), &fresh.path().join("faces"));
        run(fresh.path(), ["enroll", "faces"]).done();
        let (grown, once) = (
            arrays(&folder.path().join("eigenfaces.npz")),
            arrays(&fresh.path().join("eigenfaces.npz")),
        );
        let differing: Vec<&String> = once
            .keys()
            .chain(grown.keys())
            .filter(|name| once.get(*name) != grown.get(*name))
            .collect();
        assert!(differing.is_empty(), "{differing:?} after {told:#?}");
    }
}

/// Whose each enrolled photo is, by content.
type Enrolled = BTreeMap<String, String>;

fn enrolled(model: &Path) -> Enrolled {
    if !model.exists() {
        return Enrolled::new();
    }
    let model = Model::load(model).unwrap();
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
    after: Enrolled,
    arrays: Option<BTreeMap<String, Vec<u8>>>,
}

/// What ought to be enrolled, by the simplest rules: the program's own is held against it after each change.
struct Expected {
    folder: tempfile::TempDir,
    now: Enrolled,
    steps: Vec<Step>,
    told: Vec<String>,
}

impl Expected {
    fn model(&self) -> std::path::PathBuf {
        self.folder.path().join("eigenfaces.npz")
    }

    /// Makes a change by which these photos ought to be enrolled.
    fn change(&mut self, told: String, after: Enrolled, change: impl FnOnce(&Path)) {
        let arrays = self.model().exists().then(|| arrays(&self.model()));
        change(self.folder.path());
        self.told.push(told);
        let is_erased = self.now.keys().any(|photo| !after.contains_key(photo));
        let before = std::mem::replace(&mut self.now, after);
        let (is_more, now) = (self.steps_from(&before), &self.now);
        if is_more {
            let after = now.clone();
            self.steps.push(Step {
                before,
                after,
                arrays,
            });
        }
        if is_erased {
            let now = &self.now;
            for step in &mut self.steps {
                step.arrays = None;
            }
            // Steps that nothing is left of are none.
            self.steps.retain(|step| {
                now.keys()
                    .any(|photo| step.before.get(photo) != step.after.get(photo))
            });
        }
        self.hold();
    }

    /// Whether what leads from `before` to now can be undone: more than erasing.
    fn steps_from(&self, before: &Enrolled) -> bool {
        let mut now = self.now.iter();
        now.any(|(photo, person)| before.get(photo) != Some(person))
    }

    fn undo(&mut self, told: String, undo: impl FnOnce(&Path)) {
        // The command line does not undo the first.
        if self.steps.len() < 2 && self.steps.first().is_none_or(|step| step.before.is_empty()) {
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
        undo(self.folder.path());
        self.told.push(told);
        self.now = back;
        self.hold();
        if let Some(before) = step.arrays {
            let now = arrays(&self.model());
            assert!(now == before, "not the arrays of before: {:#?}", self.told);
        }
    }

    fn hold(&self) {
        let found = enrolled(&self.model());
        assert_eq!(found, self.now, "after {:#?}", self.told);
    }

    fn renamed(&self, from: &str, to: &str) -> Enrolled {
        let mut after = self.now.clone();
        after
            .values_mut()
            .filter(|name| *name == from)
            .for_each(|name| *name = to.to_owned());
        after
    }
}

fn by_library(folder: &Path, change: impl FnOnce(Model) -> Model) {
    let file = folder.join("eigenfaces.npz");
    change(Model::load(&file).unwrap()).save(&file).unwrap();
}

#[cfg(feature = "serve")]
fn by_server(folder: &Path, method: &str, path: &str, body: &[u8]) {
    let server = crate::serve::client::Server::start(folder);
    let answer = server.ask(method, path, body);
    assert!(
        answer.status < 300,
        "{path}: {}",
        String::from_utf8_lossy(&answer.body)
    );
}

/// The photos of a folder of one person that can be enrolled, by content.
fn usable(folder: &Path, name: &str) -> Enrolled {
    let mut files: Vec<_> = folder
        .join(name)
        .read_dir()
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    let photos = files.iter().map(|file| {
        let content = ContentHash::of(&std::fs::read(file).unwrap());
        (content.to_string(), name.to_owned())
    });
    photos.collect()
}

/// Command line, library and server change one gallery in turn: no face is missing and none too many, and undo gives the arrays
/// of before.
#[cfg(feature = "serve")]
#[test]
fn what_was_said_stays_said_whoever_changes_the_gallery() {
    for seed in 1..=3_u32 {
        let mut state = seed.wrapping_mul(97);
        let mut draw = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % below
        };
        let mut it = Expected {
            folder: scratch(),
            now: Enrolled::new(),
            steps: Vec::new(),
            told: Vec::new(),
        };
        let mut waiting = PEOPLE.to_vec();
        for step in 0..16 {
            let people: BTreeSet<String> = it.now.values().cloned().collect();
            let people: Vec<String> = people.into_iter().collect();
            let way = ["command line", "library", "server"][draw(3)];
            let told = |what: &str| format!("{step}: {way}: {what}");
            let op = if step < 2 { 0 } else { draw(9) };
            let pick = |at: usize| people[at % people.len().max(1)].clone();
            let (one, other) = (draw(16), draw(16));
            match op {
                0 if !waiting.is_empty() => {
                    let name = waiting.remove(draw(waiting.len()));
                    let folder = it.folder.path().join(format!("in{step}"));
                    photos(&folder, name);
                    // The dark one may not be usable.
                    std::fs::remove_file(folder.join(name).join(format!("{name}-2.png"))).unwrap();
                    let mut after = it.now.clone();
                    after.extend(usable(&folder, name));
                    it.change(
                        told(&format!("add folder of {name}")),
                        after,
                        |at| match way {
                            "library" if step > 0 => by_library(at, |mut model| {
                                model
                                    .add_folders(&[folder], &LabelRule::Folder, &())
                                    .unwrap();
                                model
                            }),
                            _ => {
                                run(at, ["enroll", &format!("in{step}")]).done();
                            }
                        },
                    );
                }
                1 | 2 => {
                    // Of a person who is there, or of a new one.
                    let photo = another(
                        &std::fs::read(bundled_faces().join("Esther/1.png")).unwrap(),
                        step,
                    );
                    let name = if op == 1 {
                        pick(one)
                    } else {
                        format!("New {step}")
                    };
                    let file = it.folder.path().join(format!("photo-{step}.png"));
                    std::fs::write(&file, &photo).unwrap();
                    let mut after = it.now.clone();
                    after.insert(ContentHash::of(&photo).to_string(), name.clone());
                    it.change(
                        told(&format!("add photo of {name}")),
                        after,
                        |at| match way {
                            "library" => by_library(at, |mut model| {
                                let photo = Photo::open(&file).unwrap();
                                model
                                    .add_photo(&name, &photo, FaceChoice::Main, "")
                                    .unwrap();
                                model
                            }),
                            "server" => {
                                let path =
                                    format!("/api/v0/people/{}/faces", name.replace(' ', "%20"));
                                by_server(at, "POST", &path, &photo);
                            }
                            _ => {
                                run(at, ["people", "add", &name, &format!("photo-{step}.png")])
                                    .done();
                            }
                        },
                    );
                }
                3 => {
                    let (from, to) = (pick(one), format!("Renamed {step}"));
                    let after = it.renamed(&from, &to);
                    it.change(
                        told(&format!("{from} renamed {to}")),
                        after,
                        |at| match way {
                            "library" => by_library(at, |mut model| {
                                model.rename(&from, &to).unwrap();
                                model
                            }),
                            "server" => {
                                let path = format!("/api/v0/people/{}", from.replace(' ', "%20"));
                                let to = serde_json::json!({ "person": to }).to_string();
                                by_server(at, "PUT", &path, to.as_bytes());
                            }
                            _ => {
                                run(at, ["people", "rename", &from, &to]).done();
                            }
                        },
                    );
                }
                4 if people.len() > 2 && pick(one) != pick(other) => {
                    let (from, into) = (pick(one), pick(other));
                    let after = it.renamed(&from, &into);
                    it.change(
                        told(&format!("{from} merged into {into}")),
                        after,
                        |at| match way {
                            "library" => by_library(at, |mut model| {
                                model.merge(&[&from], &into).unwrap();
                                model
                            }),
                            "server" => {
                                let path =
                                    format!("/api/v0/people/{}/merge", from.replace(' ', "%20"));
                                let into = serde_json::json!({ "into": into }).to_string();
                                by_server(at, "POST", &path, into.as_bytes());
                            }
                            _ => {
                                run(at, ["people", "merge", &from, "--into", &into]).done();
                            }
                        },
                    );
                }
                5 if people.len() > 2 => {
                    let gone = pick(one);
                    let mut after = it.now.clone();
                    after.retain(|_, name| *name != gone);
                    it.change(told(&format!("{gone} removed")), after, |at| match way {
                        "library" => by_library(at, |mut model| {
                            model.remove_person(&gone).unwrap();
                            model
                        }),
                        "server" => {
                            let path = format!("/api/v0/people/{}", gone.replace(' ', "%20"));
                            by_server(at, "DELETE", &path, b"");
                        }
                        _ => {
                            run(at, ["people", "remove", &gone, "--yes"]).done();
                        }
                    });
                }
                6 => {
                    let photo = it.now.keys().nth(one % it.now.len()).unwrap().clone();
                    let to = pick(other);
                    if it.now[&photo] == to {
                        continue;
                    }
                    let mut after = it.now.clone();
                    after.insert(photo.clone(), to.clone());
                    it.change(
                        told(&format!("a face moved to {to}")),
                        after,
                        |at| match way {
                            "server" => {
                                let person = serde_json::json!({ "person": to }).to_string();
                                by_server(
                                    at,
                                    "PUT",
                                    &format!("/api/v0/faces/{photo}"),
                                    person.as_bytes(),
                                );
                            }
                            _ => by_library(at, |mut model| {
                                let faces = model.gallery().enrolled().iter();
                                let mut hashes = faces.map(|face| face.hash);
                                let hash = hashes.find(|hash| hash.to_string() == photo).unwrap();
                                model
                                    .change(Edit::Move(hash, to.parse().unwrap()), &())
                                    .unwrap();
                                model
                            }),
                        },
                    );
                }
                _ => it.undo(told("undo"), |at| match way {
                    "library" => by_library(at, |model| match model.undone().unwrap() {
                        Some(before) => before,
                        None => panic!("the first step is not undone here"),
                    }),
                    "server" => by_server(at, "POST", "/api/v0/undo", b""),
                    _ => {
                        run(at, ["people", "undo", "--yes"]).done();
                    }
                }),
            }
        }
    }
}
