//! Whatever the order of adding, removing, renaming and undoing: the model is, bit for bit, that of enrolling what is left at
//! once. With default settings, of crops and of photos, also such as show no face to the detector.

#[cfg(feature = "serve")]
mod law;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use image::{GrayImage, Luma, imageops};
use serde_json::Value;

use crate::run;
use crate::support::{bundled_faces, scratch};

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
                    ["people", "remove", &person, "--yes"].map(str::to_owned).into()
                }
                3 => {
                    let (person, name) = (&there[draw(there.len())], format!("Zoe {step}"));
                    ["people", "rename", person, &name].map(str::to_owned).into()
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
        let (grown, once) =
            (arrays(&folder.path().join("eigenfaces.npz")), arrays(&fresh.path().join("eigenfaces.npz")));
        let differing: Vec<&String> =
            once.keys().chain(grown.keys()).filter(|name| once.get(*name) != grown.get(*name)).collect();
        assert!(differing.is_empty(), "{differing:?} after {told:#?}");
    }
}
