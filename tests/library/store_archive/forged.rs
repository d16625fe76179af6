//! Whole models by a maker who means harm: what loads can be used, everything else is an error.

use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::OnceLock;

use eigenfaces::dataset::ContentHash;
use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::gallery::{Gallery, History, LabeledFace};
use eigenfaces::kernel_pca::Kernel;
use eigenfaces::locate::framing::Framing;
use eigenfaces::matcher::DistanceSettings;
use eigenfaces::pca::{ComponentCount, Pca};
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::{QueryOptions, Recognizer, Settings};
use eigenfaces::store::{self, Archive};
use proptest::prelude::*;

type Members = Vec<(String, Vec<u8>)>;

/// The members of a small model: six faces of this size, of three people.
fn members(side: u32) -> Members {
    members_by(side, Kernel::Linear)
}

fn members_by(side: u32, kernel: Kernel) -> Members {
    let size = FaceSize::new(side, side).unwrap();
    let faces = (0..6u8).map(|number| LabeledFace {
        origin: eigenfaces::preparation::Origin::Whole,
        person: format!("person {}", number % 3).parse().unwrap(),
        source: format!("{number}.png"),
        hash: ContentHash::of(&[number]),
        pixels: (0..side * side)
            .map(|at| (libm::sin(f64::from(at * u32::from(number + 2))) * 99.0 + 120.0) as u8)
            .collect::<Vec<u8>>()
            .into(),
    });
    let gallery = Gallery::assemble(size, faces.collect()).unwrap().0;
    let mut history = History::default();
    history.record(1, &Gallery::empty(size), &gallery);
    let settings = Settings {
        pca: Pca { components: ComponentCount::Count(3), ..Pca::default() },
        distance: DistanceSettings { kernel, ..DistanceSettings::default() },
        ..Settings::without_background()
    };
    let preparation = Preparation::new(size, Framing::AsIs);
    let recognizer = Recognizer::learn(preparation, gallery, settings).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npz");
    store::save(&recognizer, &history, &path).unwrap();
    let mut zip = zip::ZipArchive::new(Cursor::new(std::fs::read(path).unwrap())).unwrap();
    (0..zip.len())
        .map(|at| {
            let mut member = zip.by_index(at).unwrap();
            let mut content = Vec::new();
            member.read_to_end(&mut content).unwrap();
            (member.name().unwrap().into_owned(), content)
        })
        .collect()
}

/// Of pixels only, and of textures.
fn models() -> &'static [Members; 2] {
    static MODELS: OnceLock<[Members; 2]> = OnceLock::new();
    MODELS.get_or_init(|| [members(8), members(32)])
}

/// Loads a forged model; what loads must answer.
fn load_and_use(members: &Members) -> bool {
    let bytes = store::forge_members(members);
    let loaded = Archive::from_bytes(Path::new("m.npz"), bytes).and_then(|archive| store::from_archive(&archive));
    match loaded {
        Ok((recognizer, history)) => {
            let size = recognizer.preparation().size();
            let face = FaceMatrix::from_pixels(size, vec![77; size.pixels()]).unwrap();
            assert_eq!(recognizer.identify_faces(&face, QueryOptions::default()).len(), 1);
            assert!(history.fits(recognizer.gallery()));
            true
        }
        Err(error) => {
            assert!(!error.to_string().contains(char::is_control), "{error}");
            false
        }
    }
}

#[test]
fn what_is_not_forged_loads() {
    for model in models() {
        assert!(load_and_use(model));
    }
}

#[test]
fn a_member_less_or_twice_is_refused() {
    for model in models() {
        for at in 0..model.len() {
            let mut without = model.clone();
            let member = without.remove(at);
            assert!(!load_and_use(&without), "without {}", member.0);
            let mut twice = model.clone();
            twice.push(member);
            assert!(!load_and_use(&twice));
        }
    }
}

/// Every value of the texts is replaced by every other kind of value.
#[test]
fn numbers_that_make_no_sense_are_refused_or_harmless() {
    for model in models() {
        for (at, (name, content)) in model.iter().enumerate() {
            if !name.ends_with(".json") {
                continue;
            }
            let text = String::from_utf8(content.clone()).unwrap();
            for (from, _) in text.match_indices([':', '[', ',']) {
                let rest = &text[from + 1..];
                let end = rest.find([',', '}', ']', '\n']).unwrap_or(rest.len());
                for value in [
                    "-1",
                    "0",
                    "1",
                    "1e999",
                    "-1e300",
                    "18446744073709551615",
                    "4294967295",
                    "null",
                    "\"\u{1b}\"",
                    "{}",
                    "[]",
                ] {
                    let mut forged = model.clone();
                    let changed = [&text[..=from], value, &rest[end..]].concat();
                    forged[at].1 = changed.into_bytes();
                    load_and_use(&forged);
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn forged_models_never_panic(
        model in 0..2usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<[u8; 8]>(), 1..9usize), 1..4),
        cut in prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>())),
    ) {
        let mut members = models()[model].clone();
        for (member, at, bytes, count) in changes {
            let member = member.index(members.len());
            let content = &mut members[member].1;
            let at = at.index(content.len());
            let end = (at + count).min(content.len());
            content[at..end].copy_from_slice(&bytes[..end - at]);
        }
        if let Some((member, length)) = cut {
            let member = member.index(members.len());
            let content = &mut members[member].1;
            content.truncate(length.index(content.len()));
        }
        load_and_use(&members);
    }

    /// Special floats where numbers stand: in every array, at the end of which the numbers are.
    #[test]
    fn numbers_that_are_none_are_refused_or_harmless(
        model in 0..2usize,
        member in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        value in prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 5e-324, -0.0]),
        wide in any::<bool>(),
    ) {
        let mut members = models()[model].clone();
        let member = member.index(members.len());
        let content = &mut members[member].1;
        let bytes = if wide { value.to_le_bytes().to_vec() } else { (value as f32).to_le_bytes().to_vec() };
        let places = content.len() / bytes.len();
        let at = content.len() - bytes.len() * (1 + at.index(places));
        content[at..at + bytes.len()].copy_from_slice(&bytes);
        load_and_use(&members);
    }
}

/// Writes the seeds of the fuzzer: see fuzz/fuzz_targets/model.rs.
#[test]
#[ignore = "writes files"]
fn write_the_seeds_of_the_fuzzer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/model");
    std::fs::create_dir_all(&folder).unwrap();
    let members = members(8);
    let file = store::forge_members(&members);
    let body = &file[..file.len() - 87];
    let parts = |members: &Members| {
        let parts: Vec<Vec<u8>> =
            members.iter().map(|(name, content)| [name.as_bytes(), b"\n", content].concat()).collect();
        parts.join(&b"\x01\xfe\x02"[..])
    };
    let kernel = members_by(8, "rbf:auto".parse().unwrap());
    for (name, how, bytes) in [
        ("whole", 0, file.clone()),
        ("body", 1, body.to_vec()),
        ("members", 2, parts(&members)),
        ("kernel", 2, parts(&kernel)),
        ("texture", 2, parts(&models()[1])),
    ] {
        std::fs::write(folder.join(name), [&[how], bytes.as_slice()].concat()).unwrap();
    }
}
