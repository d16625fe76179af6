//! Small galleries as they come: few people, few photos each, equal photos, nobody's face. Whatever they are, no command panics,
//! and each ends as it says that it ends.

use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use symmetric_eigen::Noise;

use crate::support::{bundled_faces, listed, probes, scratch};
use crate::{Run, picture, program, text};

const PROTOCOLS: [&str; 4] = ["leave-one-out", "k-fold:3", "first:1", "random:1x3"];

/// The bundled photos, all of them.
fn bundled() -> Vec<PathBuf> {
    let people = listed(bundled_faces()).into_iter();
    let people = people.filter(|path| path.is_dir());
    people.flat_map(|person| listed(&person)).collect()
}

/// Writes a gallery: 1 to 12 people with 1 to 4 photos each, most of them bundled people's faces, some of them equal, some drawn
/// and no faces.
fn draw(folder: &Path, draws: &mut Noise) {
    let photos = bundled();
    let people = 1 + draws.below(12);
    let mut last = None;
    for person in 0..people {
        let own = folder.join(format!("P{person}"));
        fs::create_dir_all(&own).unwrap();
        let start = draws.below(photos.len());
        for number in 0..=draws.below(4) {
            let file = own.join(format!("{number}.png"));
            match draws.below(8) {
                // The same photo again, often another person's.
                0 if last.is_some() => fs::copy(last.as_ref().unwrap(), &file).map(|_| ()).unwrap(),
                1 => {
                    let (width, height) = (20 + draws.below(120), 20 + draws.below(120));
                    picture(&file, width as u32, height as u32, draws.below(9) as u32);
                }
                _ => {
                    let photo = &photos[(start + number) % photos.len()];
                    fs::copy(photo, &file).unwrap();
                }
            }
            last = Some(file);
        }
    }
}

/// Runs the program, which must not panic (`Run` sees to that), and ends well, badly or partly.
fn ends(seed: u32, folder: &Path, args: &[&str]) {
    let output = program(folder).args(args).output().unwrap();
    let run = Run::of(output);
    assert!([0, 1, 3].contains(&run.code), "gallery {seed}, {args:?}: {}\n{}", run.code, run.stderr);
    if run.code == 1 {
        assert!(!run.stderr.is_empty(), "gallery {seed}, {args:?}: not a word");
    }
}

/// Every protocol by every comparison, and every command, over all galleries; of one some of them, since each takes its time. By
/// the background model measuring takes longest.
fn try_some(seed: u32) {
    let folder = scratch();
    let folder = folder.path();
    draw(&folder.join("faces"), &mut Noise::seeded(u64::from(seed)));
    let probe = probes().join("ada.png");
    let comparison = ["bundled", "none"][seed as usize % 2];
    let protocol = PROTOCOLS[seed as usize / 2 % PROTOCOLS.len()];
    let ends = |args: &[&str]| ends(seed, folder, args);
    ends(&["enroll", "faces", "--background", comparison]);
    ends(&["identify", text(&probe), "faces"]);
    // Some change of it, and back.
    let (some, other) = (format!("P{}", seed % 12), format!("P{}", seed / 2 % 12));
    ends(&match seed % 6 {
        0 => vec!["people", "rename", &some, "Somebody"],
        1 => vec!["people", "merge", &some, "--into", &other],
        2 => vec!["people", "remove", &some, "--yes"],
        3 => vec!["people", "add", &some, text(&probe)],
        4 => vec!["enroll", "faces", "--check"],
        _ => vec!["enroll", "--sync", "faces", "--yes"],
    });
    ends(&["people", "undo", "--yes"]);
    ends(&["group", "faces"]);
    ends(&["lesson", "-o", "lesson.html"]);
    let measure = |comparison| {
        let evaluate = ["evaluate", "faces", "--protocol", protocol, "--background"];
        let strangers = [comparison, "--strangers", text(probe.parent().unwrap())];
        let strangers = &strangers[..if seed.is_multiple_of(3) { 3 } else { 1 }];
        ends(&[&evaluate, strangers].concat());
    };
    measure("none");
    if seed.is_multiple_of(5) {
        measure("bundled");
    }
}

/// 8 galleries here, in which each protocol meets each background; EIGENFACES_GALLERIES sets another number.
#[test]
fn small_galleries_of_any_kind_are_taken() {
    let count = std::env::var("EIGENFACES_GALLERIES").map_or(8, |count| count.parse().unwrap());
    (0..count).into_par_iter().for_each(try_some);
}
