//! Laws of comparing by the background model, on the bundled people and on drawn coordinates.

use eigenfaces::background::{Adaptation, Alignment, Background, Calibration, People};
use eigenfaces::decision::{Acceptance, Decision};
use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::gallery::{Gallery, History, LabeledFace};
use eigenfaces::locate::framing::Framing;
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::{Identification, QueryOptions, Recognizer, Settings};
use eigenfaces::store;
use nalgebra::DMatrix;

fn preparation() -> Preparation {
    Preparation::new(FaceSize::ALIGNED, Framing::Detect)
}

/// The bundled people's faces, those of a person side by side.
fn bundled() -> Vec<LabeledFace> {
    let faces = crate::support::labeled_faces(crate::support::bundled_faces(), &preparation());
    assert_eq!(faces.len(), 112);
    faces
}

/// The first photos of the first people.
fn some(people: usize, photos: usize) -> Vec<LabeledFace> {
    let all = bundled();
    let of_person = all.chunk_by(|a, b| a.person == b.person).take(people);
    of_person.flat_map(|own| own[..photos].to_vec()).collect()
}

fn learn(faces: Vec<LabeledFace>) -> Recognizer {
    let (gallery, _) = Gallery::assemble(FaceSize::ALIGNED, faces).unwrap();
    Recognizer::learn(preparation(), gallery, Settings::default()).unwrap()
}

fn identify(recognizer: &Recognizer, faces: &[LabeledFace]) -> Vec<Identification> {
    let pixels: Vec<u8> = faces.iter().flat_map(|face| face.pixels.to_vec()).collect();
    let faces = FaceMatrix::from_pixels(FaceSize::ALIGNED, pixels).unwrap();
    let query = QueryOptions { top: usize::MAX, ..QueryOptions::default() };
    recognizer.identify_faces(&faces, query)
}

#[test]
fn whatever_is_enrolled_probabilities_sum_to_one() {
    let all = bundled();
    for (people, photos) in [(1, 1), (1, 8), (2, 1), (2, 3), (5, 2), (14, 1), (14, 8)] {
        let recognizer = learn(some(people, photos));
        for found in identify(&recognizer, &all) {
            assert_eq!(found.candidates.len(), people);
            let sum: f64 = found.candidates.iter().map(|candidate| candidate.confidence).sum();
            let all = sum + found.somebody_else.unwrap();
            assert!((all - 1.0).abs() < 1e-9, "{people} x {photos}: {all}");
            let confidences: Vec<f64> = found.candidates.iter().map(|c| c.confidence).collect();
            assert!(confidences.is_sorted_by(|a, b| a >= b), "{confidences:?}");
            assert!(found.candidates.iter().all(|c| c.distance.is_finite() && c.distance >= 0.0));
        }
        let needed = recognizer.threshold(Acceptance::default()).unwrap();
        assert!((0.5..1.0).contains(&needed), "{people} x {photos}: {needed}");
    }
}

#[test]
fn a_photo_that_is_enrolled_is_recognised_as_that() {
    for (people, photos) in [(1, 1), (2, 4), (14, 1)] {
        let enrolled = some(people, photos);
        let recognizer = learn(enrolled.clone());
        for (face, found) in enrolled.iter().zip(identify(&recognizer, &enrolled)) {
            assert!(found.decision == Decision::Known, "{}", face.source);
            assert_eq!(found.closest().unwrap().person, face.person);
        }
    }
}

/// Three identical photos of one person say no more than one about how photos of a person differ, but break nothing.
#[test]
fn identical_photos_are_survived() {
    let mut faces = some(3, 1);
    for copy in 1..3_u8 {
        for mut face in some(3, 1) {
            face.source = format!("{} {copy}", face.source);
            face.hash.0[0] ^= copy;
            faces.push(face);
        }
    }
    let recognizer = learn(faces.clone());
    let all = bundled();
    for found in identify(&recognizer, &all) {
        assert!(found.candidates.iter().all(|candidate| candidate.confidence.is_finite()));
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let on = |threads: usize| {
        crate::support::on_threads(threads, || {
            let recognizer = learn(some(6, 4));
            let found = identify(&recognizer, &bundled());
            let folder = crate::support::scratch();
            let path = folder.path().join("model.npz");
            store::save(&recognizer, &History::default(), &path).unwrap();
            (found, std::fs::read(path).unwrap())
        })
    };
    let one = on(1);
    for threads in [2, 5] {
        assert!(on(threads) == one, "{threads} threads");
    }
}

#[test]
fn a_model_is_read_back_bit_for_bit_and_decides_alike() {
    for (people, photos) in [(1, 1), (5, 3)] {
        let recognizer = learn(some(people, photos));
        let folder = crate::support::scratch();
        let path = folder.path().join("model.npz");
        let mut history = History::default();
        let empty = Gallery::empty(FaceSize::ALIGNED);
        history.record(0, &empty, recognizer.gallery());
        store::save(&recognizer, &history, &path).unwrap();
        let read = store::load(&path).unwrap();
        let all = bundled();
        assert_eq!(identify(&read, &all), identify(&recognizer, &all));
        assert_eq!(read.settings(), recognizer.settings());
        let again = folder.path().join("again.npz");
        store::save(&read, &history, &again).unwrap();
        assert!(std::fs::read(again).unwrap() == std::fs::read(path).unwrap());
    }
}

/// What is known already is not computed again, and that changes nothing.
#[test]
fn growing_a_gallery_gives_what_enrolling_at_once_gives() {
    let (few, many) = (learn(some(4, 3)), learn(some(5, 4)));
    let grown = few.learn_again(many.gallery().clone(), few.settings()).unwrap();
    let all = bundled();
    assert_eq!(identify(&grown, &all), identify(&many, &all));
    assert_eq!(grown.coordinates(), many.coordinates());
}

/// Enrolling one more person takes names from hardly anybody.
#[test]
fn one_more_person_does_not_switch_rules() {
    let all = bundled();
    let probes: Vec<LabeledFace> =
        all.chunk_by(|a, b| a.person == b.person).take(3).flat_map(|own| own[4..].to_vec()).collect();
    let mut before = 0;
    for people in 3..8 {
        let mut faces = some(3, 4);
        faces.extend(some(people, 1).into_iter().skip(3));
        let found = identify(&learn(faces), &probes);
        let named = found.iter().filter(|found| found.decision == Decision::Known);
        let named = named.count();
        assert!(named + 1 >= before, "{people} people: {before} were named, now {named}");
        assert!(named * 10 >= probes.len() * 8, "{people} people: {named} of {}", probes.len());
        before = named;
    }
}

/// Coordinates drawn from the model: N people with two photos each.
fn drawn(people: usize) -> (DMatrix<f32>, Vec<usize>) {
    let background = Background::bundled().unwrap();
    let k = background.components();
    let mut seed = 11_u64;
    let mut normal = move || {
        let mut sum = -6.0;
        for _ in 0..12 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            sum += (seed >> 11) as f64 / (1_u64 << 53) as f64;
        }
        sum
    };
    let between: Vec<f64> = eigenfaces::background::Channel::ALL
        .iter()
        .flat_map(|&channel| background.between_people(channel).to_vec())
        .collect();
    let mut values = Vec::with_capacity(people * 4 * k);
    for _ in 0..people {
        let person: Vec<f64> = between.iter().map(|psi| psi.sqrt() * normal()).collect();
        for _ in 0..2 {
            values.extend(person.iter().map(|centre| (centre + normal()) as f32));
        }
    }
    let coordinates = DMatrix::from_vec(2 * k, people * 2, values);
    (coordinates, (0..people * 2).map(|photo| photo / 2).collect())
}

#[test]
fn photos_rotated_beforehand_give_the_same_scores() {
    let background = Background::bundled().unwrap();
    let (coordinates, persons) = drawn(30);
    let photos: Vec<usize> = (1..persons.len()).collect();
    let enrolled: Vec<usize> = photos.iter().map(|&photo| persons[photo]).collect();
    for adaptation in [Adaptation::none(background), Adaptation::learn(background, &coordinates, &photos, &enrolled)] {
        let rotated = adaptation.rotated(&coordinates);
        let one = People::enroll(adaptation.clone(), &coordinates, &photos, &enrolled, 30);
        let other = People::enroll_rotated(adaptation, Some(&rotated), &coordinates, &photos, &enrolled, 30);
        let [one, other] = [one, other].map(|people| people.with_scores(&coordinates, |_, of| of));
        for (one, other) in one.iter().flatten().zip(other.iter().flatten()) {
            assert!((one - other).abs() < 1e-4, "{one} {other}");
        }
    }
}

#[test]
fn thousands_of_people_are_told_apart() {
    let background = Background::bundled().unwrap();
    let (coordinates, persons) = drawn(10_000);
    let photos: Vec<usize> = (0..persons.len()).step_by(2).collect();
    let enrolled: Vec<usize> = photos.iter().map(|&photo| persons[photo]).collect();
    let adaptation = Adaptation::none(background);
    let people = People::enroll(adaptation, &coordinates, &photos, &enrolled, 10_000);
    let gallery = coordinates.select_columns(&photos);
    let calibration = Calibration::learn(background, &people, &gallery, &enrolled, Alignment::ByEyes);
    assert!(calibration.is_sound(10_000));
    let probes: Vec<usize> = (1..persons.len()).step_by(200).collect();
    let right = people.with_scores(&coordinates.select_columns(&probes), |at, scores| {
        let judged = calibration.judge(&scores, 0.0, 3);
        assert!(judged.people.iter().all(|(_, confidence)| confidence.is_finite()));
        judged.people[0].0 == persons[probes[at]]
    });
    let right = right.iter().filter(|right| **right).count();
    // Drawn from the very model: nearly all are found.
    assert!(right * 100 >= probes.len() * 95, "{right} of {}", probes.len());
}

#[test]
fn what_decides_between_two_people_speaks_for_the_nearer_one() {
    let recognizer = learn(some(14, 4));
    let all = bundled();
    let probes = all.chunk_by(|a, b| a.person == b.person).map(|own| &own[6]);
    for probe in probes {
        let why = recognizer.explain(&probe.pixels).unwrap();
        let map = why.evidence_map.unwrap();
        assert_eq!((map.len(), why.nearest.len()), (56, 2));
        assert!(map.iter().sum::<f64>() > 0.0, "{}", probe.source);
    }
}
