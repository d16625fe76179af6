//! Photos that have damage in common, and not the person: strangers get no name for it.

use std::path::{Path, PathBuf};

use image::GrayImage;
use serde_json::Value;
use symmetric_eigen::Noise;

use crate::support::{listed, real_data, scratch};
use crate::{run, text};

/// What happens to the gray levels of a photo, by place.
type Damage = fn(f64, f64, f64, &mut Noise) -> f64;

const ROWS: [(&str, Damage); 5] = [
    ("clean", |level, _, _, _| level),
    ("noise of 8", |level, _, _, noise| darker(level) + 8.0 * noise.normal()),
    ("noise of 14", |level, _, _, noise| darker(level) + 14.0 * noise.normal()),
    ("halftone", |level, x, y, _| darker(level) + 18.0 * libm::sin(x * 1.3) * libm::sin(y * 1.3)),
    ("bar over the eyes", |level, x, y, _| {
        let is_covered = (45.0..105.0).contains(&x) && (60.0..78.0).contains(&y);
        if is_covered { 0.0 } else { level }
    }),
];

fn darker(level: f64) -> f64 {
    0.7 * level + 40.0
}

fn damage(photo: &Path, to: &Path, damage: Damage, seed: u64) {
    let mut noise = Noise::seeded(seed);
    let mut picture = image::open(photo).unwrap().into_luma8();
    for (x, y, level) in picture.enumerate_pixels_mut() {
        let damaged = damage(f64::from(level[0]), x.into(), y.into(), &mut noise);
        level[0] = damaged.clamp(0.0, 255.0) as u8;
    }
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    save(&picture, to);
}

fn save(picture: &GrayImage, to: &Path) {
    picture.save(to.with_extension("png")).unwrap();
}

/// Of `strangers`, those who get the name of the only person enrolled, from three photos; all damaged alike.
fn named(own: &[PathBuf], strangers: &[PathBuf], kind: Damage) -> usize {
    let folder = scratch();
    let at = |name: String| folder.path().join(name);
    for (number, photo) in own[..3].iter().enumerate() {
        damage(photo, &at(format!("gallery/Own/{number}")), kind, number as u64);
    }
    for (number, photo) in strangers.iter().enumerate() {
        damage(photo, &at(format!("asked/{number:03}")), kind, 100 + number as u64);
    }
    run(folder.path(), ["enroll", "gallery"]).done();
    let said = run(folder.path(), ["identify", "asked", "--format", "json"]).done();
    let lines = said.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let is_named = |photo: &Value| {
        let faces = photo["faces"].as_array().into_iter().flatten();
        faces.into_iter().any(|face| face["decision"] == "known")
    };
    lines.filter(is_named).count()
}

/// Pairs of neighbours among strangers, damaged alike, that are said to show one person.
fn same(strangers: &[PathBuf], kind: Damage) -> usize {
    let folder = scratch();
    let at = |number: usize| folder.path().join(format!("{number}.png"));
    for (number, photo) in strangers.iter().enumerate() {
        damage(photo, &at(number), kind, 100 + number as u64);
    }
    let pairs = 1..strangers.len();
    let is_same = |&number: &usize| {
        let args = ["verify", text(&at(number - 1)), text(&at(number))].map(str::to_owned);
        run(folder.path(), args.iter().map(String::as_str)).code == 0
    };
    pairs.filter(is_same).count()
}

/// Whoever takes photos in which noise hides faces is told so: by `enroll`, its check, `identify` and `verify`.
#[test]
fn damage_is_told() {
    let Some(people) = real_data("lfw") else { return };
    let own = &listed(&listed(&people)[1])[..8];
    let folder = scratch();
    let at = |name: String| folder.path().join(name);
    let (_, noise) = ROWS[2];
    for (number, photo) in own.iter().enumerate() {
        damage(photo, &at(format!("clean/Own/{number}")), ROWS[0].1, 0);
        damage(photo, &at(format!("noisy/Own/{number}")), noise, number as u64);
    }
    let clean = run(folder.path(), ["enroll", "clean", "-m", "clean.npz"]).done();
    assert!(!clean.stderr.contains("damaged"), "{}", clean.stderr);
    let noisy = run(folder.path(), ["enroll", "noisy", "-m", "noisy.npz"]).done();
    assert!(noisy.stderr.contains(" damaged)"), "{}", noisy.stderr);
    let checked = run(folder.path(), ["enroll", "noisy", "--check"]).done();
    assert!(checked.stdout.contains("noise, print or compression hides the face"), "{}", checked.stdout);
    let signal = |photos: &str| -> f64 {
        let args = ["identify", photos, "-m", "clean.npz", "--format", "json"];
        let said = run(folder.path(), args).done();
        let signals = said.stdout.lines().map(|line| {
            let photo: Value = serde_json::from_str(line).unwrap();
            photo["faces"][0]["signal"].as_f64().unwrap()
        });
        signals.sum::<f64>() / own.len() as f64
    };
    assert!(signal("clean") > 0.7, "{}", signal("clean"));
    assert!(signal("noisy") < 0.6, "{}", signal("noisy"));
    let strangers = real_data("lfw-strangers").map(|all| listed(&all));
    for (number, stranger) in strangers.iter().flatten().take(4).enumerate() {
        damage(stranger, &at(format!("stranger{number}")), noise, 50);
        let stranger = format!("stranger{number}.png");
        let args = ["verify", "noisy/Own/0.png", stranger.as_str()];
        let said = run(folder.path(), args);
        assert_eq!(said.code, 1, "{}", said.stderr);
        assert!(said.stdout.contains("cannot tell"), "{}", said.stdout);
    }
}

#[test]
fn strangers_damaged_alike_get_no_name() {
    let (Some(people), Some(strangers)) = (real_data("lfw"), real_data("lfw-strangers")) else { return };
    let own = listed(&listed(&people)[1]);
    let strangers = &listed(&strangers)[..60];
    for (row, kind) in ROWS {
        let found = named(&own, strangers, kind);
        assert!(found <= 3, "{row}: {found} of 60 strangers are named");
        let found = same(&strangers[..24], kind);
        assert!(found <= 1, "{row}: {found} of 23 pairs of strangers are the same person");
    }
}

/// White lines over everything, under which no face is found.
#[test]
fn strangers_drawn_over_alike_are_not_one_person() {
    let Some(strangers) = real_data("lfw-strangers") else { return };
    let lines: Damage = |level, x, y, _| if (x - y).rem_euclid(12.0) < 2.0 { 255.0 } else { level };
    let found = same(&listed(&strangers)[..24], lines);
    assert!(found <= 1, "{found} of 23 pairs of strangers are the same person");
}
