//! How often two photos of different people pass as one, on people whom the model has never seen.
//!
//! `cargo test --test library verify_real:: -- --nocapture` shows the numbers.

use std::path::Path;

use eigenfaces::background::Background;
use eigenfaces::dataset;
use eigenfaces::decision::Acceptance;
use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::gallery::{Gallery, History, LabeledFace};
use eigenfaces::locate::framing::Framing;
use eigenfaces::preparation::{PhotoRegion, Preparation, PreparedFace};
use eigenfaces::recognizer::{Recognizer, Settings, Verdict};
use eigenfaces::store;

/// The faces of the first so many photos.
fn strangers(folder: &Path, preparation: Preparation, photos: usize) -> Vec<Vec<u8>> {
    let all = dataset::list_photos(&[folder.to_owned()]).unwrap().photos;
    let read = dataset::load(
        &all[..photos.min(all.len())],
        |_, file| Ok(preparation.prepare(&file.decode()?)?.pixels),
        &|_| {},
    );
    read.items
}

/// Shares of pairs that passed.
struct Passed {
    name: String,
    /// At 0.01 and 0.001.
    different: [f64; 2],
    same: [f64; 2],
    pairs: (usize, usize),
}

const TARGETS: [f64; 2] = [0.01, 0.001];

/// As `Recognizer::verify` decides, with each face looked at once instead of once a pair.
fn passed(name: &str, recognizer: &Recognizer, faces: &[(usize, &[u8])]) -> Passed {
    let pixels: Vec<u8> = faces.iter().flat_map(|face| face.1).copied().collect();
    let matrix = FaceMatrix::from_pixels(recognizer.space().size(), pixels).unwrap();
    let passes = judge(recognizer, &matrix);
    let (mut same, mut different, mut pairs) = ([0; 2], [0; 2], (0, 0));
    for (at, first) in faces.iter().enumerate() {
        for (other, second) in faces.iter().enumerate().skip(at + 1) {
            let is_same = first.0 == second.0;
            let (count, total) = if is_same { (&mut same, &mut pairs.0) } else { (&mut different, &mut pairs.1) };
            *total += 1;
            for (count, passes) in count.iter_mut().zip(passes(at, other)) {
                *count += usize::from(passes);
            }
        }
    }
    let passed = Passed {
        name: name.to_owned(),
        different: different.map(|count| count as f64 / pairs.1.max(1) as f64),
        same: same.map(|count| count as f64 / pairs.0.max(1) as f64),
        pairs,
    };
    println!(
        "{}: false accepts {:.4} at 0.01, {:.5} at 0.001 of {} pairs; true accepts {:.3}, {:.3} of {}",
        passed.name,
        passed.different[0],
        passed.different[1],
        passed.pairs.1,
        passed.same[0],
        passed.same[1],
        passed.pairs.0
    );
    passed
}

/// Whether two of these faces pass at each of the targets.
fn judge(recognizer: &Recognizer, faces: &FaceMatrix) -> Box<dyn Fn(usize, usize) -> [bool; 2]> {
    let at = TARGETS.map(Acceptance::FalseAccepts);
    let background = recognizer.background().unwrap().clone();
    let coordinates = Background::bundled().unwrap().coordinates(faces);
    let n = faces.len();
    let pairs: Vec<[usize; 2]> = (0..n * n).map(|pair| [pair / n, pair % n]).collect();
    let scores = background.people().pair_scores(&coordinates, &pairs);
    Box::new(move |first, second| {
        at.map(|at| {
            let score = scores[first * n + second];
            background.calibration().same_person(score, at).0
        })
    })
}

fn learn(preparation: Preparation, faces: Vec<LabeledFace>, settings: Settings) -> Recognizer {
    let (gallery, _) = Gallery::assemble(preparation.size(), faces).unwrap();
    Recognizer::learn(preparation, gallery, settings).unwrap()
}

/// Everybody once a stranger: a model of every second person, asked about the others.
fn halves(name: &str, folder: &str, preparation: Preparation, settings: Settings, each: usize) -> Vec<Passed> {
    let half = |half: usize, person: usize| person % 2 == half;
    models_of_some(name, folder, preparation, settings, each, (2, half))
}

/// So many models, each of the people at whose positions the function says so, asked about up to `each` photos of each of
/// the others.
fn models_of_some(
    name: &str,
    folder: &str,
    preparation: Preparation,
    settings: Settings,
    each: usize,
    (models, is_learned): (usize, impl Fn(usize, usize) -> bool),
) -> Vec<Passed> {
    let Some(folder) = crate::support::real_data(folder) else { return Vec::new() };
    let all = crate::support::labeled_faces(&folder, &preparation);
    let mut people: Vec<_> = all.iter().map(|face| face.person.clone()).collect();
    people.dedup();
    let position = |face: &LabeledFace| people.iter().position(|p| *p == face.person).unwrap();
    (0..models)
        .map(|model| {
            let (learned, asked): (Vec<_>, Vec<_>) =
                all.iter().cloned().partition(|face| is_learned(model, position(face)));
            let recognizer = learn(preparation, learned, settings);
            let mut of_person = vec![0; people.len()];
            let asked: Vec<(usize, &[u8])> = asked
                .iter()
                .map(|face| (position(face), &*face.pixels))
                .filter(|(person, _)| {
                    of_person[*person] += 1;
                    of_person[*person] <= each
                })
                .collect();
            passed(&format!("{name}, model {model}"), &recognizer, &asked)
        })
        .collect()
}

fn check(passed: &[Passed], true_accepts: f64) {
    let mean = |value: &dyn Fn(&Passed) -> f64| passed.iter().map(value).sum::<f64>() / passed.len().max(1) as f64;
    if passed.is_empty() {
        return;
    }
    let far = [mean(&|p| p.different[0]), mean(&|p| p.different[1])];
    assert!(far[0] <= 0.02, "{} at 0.01", far[0]);
    assert!(far[1] <= 0.003, "{} at 0.001", far[1]);
    let found = mean(&|p| p.same[0]);
    assert!(found >= true_accepts, "{found} of true pairs pass");
}

#[test]
fn strangers_of_att_pass_as_rarely_by_the_background_model() {
    let preparation = Preparation::new(FaceSize::ALIGNED, Framing::Detect);
    let settings = Settings::default();
    check(&halves("AT&T", "att", preparation, settings, 6), 0.8);
}

/// What five people leave unknown of the domain's mean, strangers' photos have in common.
#[test]
fn strangers_of_att_pass_as_rarely_by_a_model_of_five_people() {
    let preparation = Preparation::new(FaceSize::ALIGNED, Framing::Detect);
    let five = |model: usize, person: usize| (person + 7 * model) % 40 < 5;
    let settings = Settings::default();
    let passed = models_of_some("AT&T, five people", "att", preparation, settings, 3, (3, five));
    check(&passed, 0.8);
}

#[test]
fn strangers_of_lfw_pass_as_rarely_by_the_background_model() {
    let settings = Settings::default();
    let preparation = Preparation::new(FaceSize::ALIGNED, Framing::Detect);
    let mut all = halves("LFW", "lfw", preparation, settings, 6);
    let (Some(people), Some(others)) = (crate::support::real_data("lfw"), crate::support::real_data("lfw-strangers"))
    else {
        return;
    };
    let recognizer = learn(preparation, crate::support::labeled_faces(&people, &preparation), settings);
    let others = strangers(&others, preparation, 120);
    let others: Vec<(usize, &[u8])> = others.iter().map(Vec::as_slice).enumerate().collect();
    let only_false = passed("LFW strangers", &recognizer, &others);
    assert!(only_false.different[0] <= 0.02, "{}", only_false.different[0]);
    all.retain(|passed| passed.pairs.0 > 0);
    check(&all, 0.45);
}

/// A face that was taken as it is.
fn whole(pixels: Vec<u8>) -> PreparedFace {
    let region = PhotoRegion::Assumed;
    PreparedFace { pixels, region, origin: eigenfaces::preparation::Origin::Whole }
}

#[test]
fn bundled_people_verify() {
    let size = FaceSize::new(60, 70).unwrap();
    let preparation = Preparation::new(size, Framing::AsIs);
    let all = crate::support::labeled_faces(crate::support::bundled_faces(), &preparation);
    let recognizer = learn(preparation, all.clone(), Settings::default());
    let face = |person: &str, number: usize| {
        let mut theirs = all.iter().filter(|face| face.person.as_str() == person);
        whole(theirs.nth(number).unwrap().pixels.to_vec())
    };
    let verify = |a: &PreparedFace, b: &PreparedFace| recognizer.verify(a, b, Acceptance::default()).unwrap();
    let same = verify(&face("Ada", 0), &face("Ada", 1));
    let other = verify(&face("Ada", 0), &face("Boris", 0));
    assert_eq!(other.verdict, Verdict::Different);
    assert!(same.confidence > other.confidence && same.distance < other.distance);
    let itself = verify(&face("Ada", 0), &face("Ada", 0));
    assert_eq!((itself.verdict, itself.distance), (Verdict::Same, 0.0));
    let flat = whole(vec![128; size.pixels()]);
    assert_eq!(verify(&face("Ada", 0), &flat).verdict, Verdict::NotAFace { photo: 1 });
    // A model that was stored answers alike.
    let folder = crate::support::scratch();
    let path = folder.path().join("m.npz");
    let mut history = History::default();
    history.record(0, &Gallery::empty(size), recognizer.gallery());
    store::save(&recognizer, &history, &path).unwrap();
    let again = store::load(&path).unwrap();
    let stored = again.verify(&face("Ada", 0), &face("Ada", 1), Acceptance::default()).unwrap();
    assert_eq!(stored, same);
    // Four people alone teach nothing about others.
    let few: Vec<_> = all.iter().filter(|face| face.person.as_str() < "E").cloned().collect();
    let few = learn(preparation, few, Settings::without_background());
    assert!(few.verify(&face("Ada", 0), &face("Ada", 1), Acceptance::default()).is_err());
}
