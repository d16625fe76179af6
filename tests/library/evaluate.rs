//! Figures under a protocol: splits by law, predictions as NumPy's, suspects that were planted.

use std::collections::HashMap;
use std::path::Path;

use eigenfaces::dataset::{ContentHash, Person};
use eigenfaces::evaluate::split::Protocol;
use eigenfaces::evaluate::{Evaluation, Options, check, evaluate};
use eigenfaces::face_matrix::FaceSize;
use eigenfaces::gallery::{Gallery, LabeledFace};
use eigenfaces::locate::framing::Framing;
use eigenfaces::matcher::{DistanceSettings, Metric};
use eigenfaces::pca::{ComponentCount, Pca};
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::Settings;
use proptest::prelude::*;

/// The faces of a folder, brought to a size.
fn faces(folder: &Path, size: &str) -> (Preparation, Vec<LabeledFace>) {
    let preparation = Preparation::new(size.parse().unwrap(), Framing::AsIs);
    let faces = crate::support::labeled_faces(folder, &preparation);
    (preparation, faces)
}

fn gallery(preparation: &Preparation, faces: Vec<LabeledFace>) -> Gallery {
    Gallery::assemble(preparation.size(), faces).unwrap().0
}

fn plan(protocol: &str) -> Options {
    Options { protocol: protocol.parse().unwrap(), ..Options::default() }
}

/// Plain eigenfaces: K of them, Euclidean distance to the mean of a person.
fn plain(components: usize) -> Settings {
    Settings {
        pca: Pca { components: ComponentCount::Count(components), ..Pca::default() },
        distance: DistanceSettings { metric: Metric::Euclidean, ..DistanceSettings::default() },
        ..Settings::without_background()
    }
}

/// Whom NumPy predicts for each probe, by protocol: tests/reference/predictions.py.
fn predictions(name: &str) -> HashMap<String, Vec<usize>> {
    crate::support::reference(name)
}

fn agrees_with_numpy(folder: &Path, size: &str, components: usize, reference: &str) {
    for (protocol, expected) in predictions(reference) {
        let (preparation, faces) = faces(folder, size);
        let gallery = gallery(&preparation, faces);
        let plan = plan(&protocol);
        let found = evaluate(preparation, gallery, plain(components), &plan, &|_| {}).unwrap();
        let named: Vec<usize> = found.identification.trials.iter().map(|trial| trial.named).collect();
        assert_eq!(named, expected, "{protocol}");
        let right = found.identification.trials.iter();
        let right = right.filter(|trial| trial.named == trial.person).count();
        let rank1 = right as f64 / expected.len() as f64;
        assert!((found.identification.rank1.mean - rank1).abs() < 1e-12);
    }
}

#[test]
fn predictions_on_the_bundled_faces_are_numpys_probe_by_probe() {
    agrees_with_numpy(crate::support::bundled_faces(), "96x112", 20, "bundled-predictions.txt");
}

#[test]
fn predictions_on_att_are_numpys_probe_by_probe() {
    let Some(folder) = crate::support::real_data("att") else { return };
    agrees_with_numpy(&folder, "92x112", 60, "att-predictions.txt");
}

/// A gallery whose person p has `counts[p]` photos; equal numbers in `pictures` are equal pixels.
fn drawn(counts: &[usize], picture: impl Fn(usize, usize) -> u32) -> Gallery {
    let size = FaceSize::new(8, 8).unwrap();
    let mut faces = Vec::new();
    for (person, &count) in counts.iter().enumerate() {
        for photo in 0..count {
            let seed = picture(person, photo);
            let pixels: Vec<u8> =
                (0..64_u32).map(|at| (at.wrapping_mul(seed.wrapping_mul(2_654_435_761) | 1) >> 7) as u8).collect();
            let source = format!("p{person}/{photo}");
            faces.push(LabeledFace {
                person: Person::new(&format!("p{person}")).unwrap(),
                hash: ContentHash::of(source.as_bytes()),
                source,
                pixels: pixels.into(),
                origin: eigenfaces::preparation::Origin::Whole,
            });
        }
    }
    Gallery::assemble(size, faces).unwrap().0
}

fn protocols() -> impl Strategy<Value = Protocol> {
    prop_oneof![
        Just("leave-one-out".to_owned()),
        (2_usize..6).prop_map(|k| format!("k-fold:{k}")),
        (1_usize..4).prop_map(|n| format!("first:{n}")),
        (1_usize..4, 1_usize..4).prop_map(|(n, r)| format!("random:{n}x{r}")),
    ]
    .prop_map(|text| text.parse().unwrap())
}

proptest! {
    #[test]
    fn splits_are_lawful(
        counts in prop::collection::vec(1_usize..6, 2..8),
        pictures in 1_u32..40,
        protocol in protocols(),
        seed in any::<u64>(),
    ) {
        // Some pictures of a person come twice.
        let gallery = drawn(&counts, |person, photo| {
            person as u32 * 100 + photo as u32 * 7 % pictures
        });
        let persons = gallery.persons();
        let pixels = gallery.faces();
        let Ok(folds) = protocol.folds(&gallery, seed) else { return Ok(()) };
        prop_assert_eq!(&folds, &protocol.folds(&gallery, seed).unwrap());
        for fold in &folds {
            prop_assert!(fold.learned.is_sorted() && fold.probes.is_sorted());
            prop_assert!(!fold.probes.is_empty());
            for &face in &fold.probes {
                let own = || fold.learned.iter().filter(|&&other| persons[other] == persons[face]);
                prop_assert!(own().count() > 0, "the person is enrolled");
                prop_assert!(
                    own().all(|&other| pixels.face(other) != pixels.face(face)),
                    "no twin is"
                );
                prop_assert!(!fold.learned.contains(&face));
            }
            if let Protocol::First(n) | Protocol::Random { learned: n, .. } = protocol {
                for person in 0..counts.len() {
                    let own = fold.learned.iter().filter(|&&face| persons[face] == person);
                    prop_assert!(own.count() <= n.get());
                }
            }
        }
        if matches!(protocol, Protocol::LeaveOneOut | Protocol::KFold(_)) {
            let mut probes: Vec<usize> = folds.iter().flat_map(|fold| fold.probes.clone()).collect();
            let all = probes.len();
            probes.sort_unstable();
            probes.dedup();
            prop_assert_eq!(probes.len(), all, "each face is a probe once");
        }
    }

    #[test]
    fn protocols_print_as_they_parse(protocol in protocols()) {
        prop_assert_eq!(protocol.to_string().parse(), Ok(protocol));
    }
}

#[test]
fn wrong_protocols_are_refused() {
    for wrong in [
        "",
        "loo",
        "k-fold",
        "k-fold:1",
        "k-fold:x",
        "first:0",
        "first:-1",
        "random:5",
        "random:5x0",
        "random:x3",
        "random:5x1001",
        "leave-one-out:2",
    ] {
        let error = wrong.parse::<Protocol>().unwrap_err();
        assert!(error.contains("k-fold:10"), "{wrong}: {error}");
    }
}

#[test]
fn random_splits_differ_by_seed_and_repeat() {
    let gallery = drawn(&[6; 5], |person, photo| (person * 6 + photo + 1) as u32);
    let protocol: Protocol = "random:3x2".parse().unwrap();
    let folds = protocol.folds(&gallery, 0).unwrap();
    assert_eq!((folds[0].repeat, folds[1].repeat), (0, 1));
    assert_ne!(folds[0].learned, folds[1].learned);
    assert_ne!(folds, protocol.folds(&gallery, 1).unwrap());
}

#[test]
fn nobody_to_mistake_or_nothing_to_try_is_said() {
    let one = drawn(&[5], |_, photo| photo as u32 + 1);
    let error = Protocol::LeaveOneOut.folds(&one, 0).unwrap_err();
    assert!(error.to_string().contains("1 person"), "{error}");
    let singles = drawn(&[1; 5], |person, _| person as u32 + 1);
    let error = Protocol::LeaveOneOut.folds(&singles, 0).unwrap_err();
    assert!(error.to_string().contains("no photo to try"), "{error}");
}

/// Everything but the clock.
fn timeless(mut evaluation: Evaluation) -> Evaluation {
    evaluation.times =
        eigenfaces::evaluate::Times { learning: 0.0, identifying_a_face: 0.0, folds: 0.0, k_curve: 0.0, open_set: 0.0 };
    evaluation
}

#[test]
fn figures_depend_on_neither_threads_nor_the_order_of_files() {
    let run = |threads: usize, reverse: bool| {
        crate::support::on_threads(threads, || {
            let (preparation, mut faces) = faces(crate::support::bundled_faces(), "24x28");
            if reverse {
                faces.reverse();
            }
            let gallery = gallery(&preparation, faces);
            let plan = plan("random:4x2");
            evaluate(preparation, gallery, Settings::default(), &plan, &|_| {}).unwrap()
        })
    };
    let one = timeless(run(1, false));
    assert_eq!(one, timeless(run(3, true)));

    let rank1 = one.identification.rank1;
    assert!(rank1.mean > 0.8 && rank1.standard_deviation.is_some(), "{rank1:?}");
    assert!(one.identification.cmc.windows(2).all(|pair| pair[0].mean <= pair[1].mean));
    assert!(one.verification.equal_error_rate.mean < 0.2);
    let last = one.k_curve.last().unwrap();
    assert_eq!(last.components, one.compression.components_in_folds.1);
    for pair in one.k_curve.windows(2) {
        assert!(pair[0].variance < pair[1].variance);
        assert!(pair[0].error_unseen > pair[1].error_unseen);
    }
    assert!(one.k_curve.iter().all(|point| point.error_learned < point.error_unseen));
    let open_set = one.open_set.unwrap();
    assert_eq!((open_set.splits, open_set.strangers), (8, 2 * 112));
    assert!(open_set.not_a_face.noise.area > 0.99);
}

#[test]
fn planted_faults_are_found() {
    let (preparation, mut faces) = faces(crate::support::bundled_faces(), "46x54");
    let at = |faces: &[LabeledFace], name: &str, which: usize| {
        let mut own = (0..faces.len()).filter(|&at| faces[at].person.as_str() == name);
        own.nth(which).unwrap()
    };
    // A photo of Ada under the name of Boris; a brighter copy of Chiara's under Dmitri; noise for Esther.
    let (ada, chiara, esther) = (at(&faces, "Ada", 2), at(&faces, "Chiara", 1), at(&faces, "Esther", 0));
    let wrong = faces[ada].source.clone();
    faces[ada].person = Person::new("Boris").unwrap();
    let mut copy = faces[chiara].clone();
    copy.person = Person::new("Dmitri").unwrap();
    copy.source = "copy".to_owned();
    copy.hash = ContentHash::of(b"copy");
    let brighter = copy.pixels.iter().map(|pixel| pixel.saturating_add(9));
    copy.pixels = brighter.collect::<Vec<u8>>().into();
    faces.push(copy);
    let noisy = faces[esther].source.clone();
    let mut state = 1_u32;
    let noise = faces[esther].pixels.iter().map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    faces[esther].pixels = noise.collect::<Vec<u8>>().into();
    let gallery = gallery(&preparation, faces);
    let suspects = check(preparation, gallery.clone(), Settings::default()).unwrap();
    let source = |face: usize| gallery.enrolled()[face].source.as_str();

    assert_eq!(suspects.duplicates.len(), 1, "{suspects:?}");
    let pair = suspects.duplicates[0];
    assert!([source(pair.first), source(pair.second)].contains(&"copy"));
    assert!(pair.correlation > 0.99);

    let mislabelled = suspects.mislabelled.iter();
    let found: Vec<_> = mislabelled.map(|one| (source(one.face), one.nearest)).collect();
    let of = |name: &str| gallery.people().iter().position(|p| p.as_str() == name).unwrap();
    assert!(found.contains(&(wrong.as_str(), of("Ada"))), "{found:?}");

    let odd: Vec<_> = suspects.not_faces.iter().map(|one| source(one.face)).collect();
    assert_eq!(odd, [noisy.as_str()]);
}
