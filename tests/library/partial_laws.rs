//! Laws of learning that many workers share: however photos are split and parts are merged, the same bytes.

use std::io::{self, BufWriter};
use std::path::Path;

use crate::support::drawn::drawn_faces;
use eigenfaces::dataset::{ContentHash, Person};
use eigenfaces::error::{Error, MergeProblem, ModelProblem, PlanProblem};
use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::gallery::{Gallery, LabeledFace};
use eigenfaces::locate::framing::Framing;
use eigenfaces::matcher::{Augmentation, Comparison, Feature, Features};
use eigenfaces::partial::{MergedBasis, Mirrors, Partial, Plan, SumBuilder};
use eigenfaces::pca::{ComponentCount, Pca, Solver, covariance};
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::{Recognizer, Settings};
use eigenfaces::store::{self, Archive};
use proptest::prelude::*;

const FACES: usize = 60;

fn size() -> FaceSize {
    FaceSize::new(9, 8).unwrap()
}

/// A plan for pixels of tiny faces; their texture, of 3752 numbers, is for one test alone.
fn plan(mirrors: Mirrors, components: &str) -> Plan {
    let preparation = Preparation::new(size(), Framing::AsIs);
    let components = components.parse().unwrap();
    Plan::new(preparation, Features::Pixels, mirrors, components).unwrap()
}

fn hash(face: &[u8]) -> ContentHash {
    ContentHash::of(face)
}

/// The part of some of the faces.
fn part(plan: &Plan, faces: &FaceMatrix, chosen: impl IntoIterator<Item = usize>) -> Partial {
    let mut sums = SumBuilder::new(plan.clone());
    for at in chosen {
        sums.add(faces.face(at), hash(faces.face(at))).unwrap();
    }
    sums.finish().unwrap()
}

fn merged(mut first: Partial, second: &Partial) -> Partial {
    first.merge(second).unwrap();
    first
}

/// The file that `write` makes.
fn file(write: impl Fn(&mut BufWriter<Vec<u8>>) -> io::Result<()>) -> Vec<u8> {
    let mut out = BufWriter::new(Vec::new());
    write(&mut out).unwrap();
    out.into_inner().unwrap()
}

fn part_file(part: &Partial) -> Vec<u8> {
    file(|out| store::write_partial(part, out))
}

fn basis_file(part: &Partial) -> Vec<u8> {
    let merged_basis = MergedBasis::learn(part.clone()).unwrap();
    file(|out| store::write_merged_basis(&merged_basis, out))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every face goes to one of `workers`; parts are merged two at a time, whichever two come.
    #[test]
    fn any_split_merged_in_any_order_by_any_tree_gives_the_same_bytes(
        owners in prop::collection::vec(0..6_usize, FACES),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 12),
        learns_mirrors in any::<bool>(),
    ) {
        let mirrors = if learns_mirrors { Mirrors::Learned } else { Mirrors::None };
        let (plan, faces) = (plan(mirrors, "auto"), drawn_faces(size(), FACES, 7));
        let of = |worker| (0..FACES).filter(|&at| owners[at] == worker).collect::<Vec<_>>();
        let mut parts: Vec<Partial> = (0..6).map(|worker| part(&plan, &faces, of(worker))).collect();
        let mut picks = picks.iter();
        while parts.len() > 1 {
            let first = parts.swap_remove(picks.next().unwrap().index(parts.len()));
            let second = parts.swap_remove(picks.next().map_or(0, |pick| pick.index(parts.len())));
            parts.push(merged(first, &second));
        }
        let alone = part(&plan, &faces, 0..FACES);
        prop_assert_eq!(parts[0].sums(), alone.sums());
        prop_assert_eq!(parts[0].photos(), alone.photos());
        prop_assert_eq!(basis_file(&parts[0]), basis_file(&alone));
    }

    #[test]
    fn merging_is_associative_and_commutative(cut in 1..FACES - 2, width in 1..20_usize) {
        let (plan, faces) = (plan(Mirrors::None, "auto"), drawn_faces(size(), FACES, 3));
        let end = (cut + width).min(FACES - 1);
        let [a, b, c] = [0..cut, cut..end, end..FACES].map(|chosen| part(&plan, &faces, chosen));
        let left = merged(merged(a.clone(), &b), &c);
        prop_assert_eq!(&left, &merged(a.clone(), &merged(b.clone(), &c)));
        prop_assert_eq!(part_file(&left), part_file(&merged(merged(c, &a), &b)));
    }

    /// Bytes of a part changed anywhere are noticed; cut short anywhere too.
    #[test]
    fn a_damaged_part_is_refused(place in any::<prop::sample::Index>(), flip in 1..=255_u8) {
        let whole = part_file(&part(&plan(Mirrors::None, "auto"), &drawn_faces(size(), 5, 1), 0..5));
        let at = place.index(whole.len());
        let mut damaged = whole.clone();
        damaged[at] ^= flip;
        prop_assert!(read(damaged).is_err());
        prop_assert!(read(whole[..at].to_vec()).is_err());
    }
}

fn read(bytes: Vec<u8>) -> eigenfaces::error::Result<Partial> {
    store::partial_from_archive(&Archive::from_bytes(Path::new("part.npz"), bytes)?)
}

#[test]
fn the_basis_is_that_of_the_streaming_process() {
    let faces = drawn_faces(size(), 200, 11);
    let plan = plan(Mirrors::None, "0.9");
    let all = merged(
        part(&plan, &faces, (0..200).step_by(2)),
        &part(&plan, &faces, (1..200).step_by(2)),
    );
    let merged_basis = MergedBasis::learn(all).unwrap();
    let chunks = (0..4).map(|chunk| {
        let columns: Vec<usize> = (chunk * 50..(chunk + 1) * 50).collect();
        faces.select(&columns).unwrap()
    });
    let streamed = covariance::fit_stream(chunks, ComponentCount::Share(0.9)).unwrap();
    let space = merged_basis.pixels();
    assert_eq!(space.mean(), &streamed.mean);
    assert_eq!(space.basis(), &streamed.basis.map(|value| value as f32));
    assert_eq!(space.eigenvalues(), streamed.eigenvalues);
    assert_eq!(space.total_variance(), streamed.total_variance);
    assert_eq!(space.learned_from(), 200);
}

/// What `enroll --solver covariance` learns from the same photos, texture and mirror images among it; and placed there
/// without learning, the same faces have the same weights.
#[test]
fn the_spaces_are_those_that_a_recognizer_learns() {
    let size = FaceSize::new(32, 36).unwrap();
    let faces = drawn_faces(size, 24, 5);
    let preparation = Preparation::new(size, Framing::AsIs);
    let components = ComponentCount::Count(8);
    let labeled = |at: usize| LabeledFace {
        person: Person::new(&format!("person {}", at % 6)).unwrap(),
        source: format!("{at}.png"),
        hash: hash(faces.face(at)),
        pixels: faces.face(at).to_vec(),
        origin: eigenfaces::preparation::Origin::Whole,
    };
    let (gallery, _) = Gallery::assemble(size, (0..24).map(labeled).collect()).unwrap();
    let settings = Settings {
        pca: Pca {
            components,
            solver: Solver::Covariance,
        },
        comparison: Comparison {
            features: Features::Fused,
            ..Comparison::default()
        },
        ..Settings::without_background()
    };
    let learned = Recognizer::learn(preparation, gallery.clone(), settings).unwrap();

    let plan = Plan::new(preparation, Features::Fused, Mirrors::Learned, components).unwrap();
    let parts = [part(&plan, &faces, 10..24), part(&plan, &faces, 0..10)];
    let all = read(part_file(&merged(parts[0].clone(), &parts[1]))).unwrap();
    let merged_basis = MergedBasis::learn(all).unwrap();
    for view in [Feature::Pixels, Feature::Texture] {
        let space = learned
            .matcher()
            .unwrap()
            .feature_space(view)
            .unwrap()
            .space();
        assert_eq!(space.linear(), merged_basis.space(view), "{view:?}");
    }
    let placed = Recognizer::on_merged_basis(&merged_basis, gallery.clone(), settings).unwrap();
    assert_eq!(placed.space(), learned.space());
    assert_eq!(placed.weights(), learned.weights());
    let kept = learned.keeping_basis(gallery, settings).unwrap();
    assert_eq!(
        placed.matcher().unwrap().enrolled(),
        kept.matcher().unwrap().enrolled()
    );
    assert_eq!(placed.calibration(), kept.calibration());
}

/// A basis that was not learned from mirror images is neither even nor odd: mirrored copies are projected, not guessed.
#[test]
fn mirrored_copies_in_a_basis_without_mirrors_are_projected() {
    let faces = drawn_faces(size(), 40, 2);
    let merged_basis = MergedBasis::learn(part(&plan(Mirrors::None, "6"), &faces, 0..40)).unwrap();
    let labeled = |at: usize| LabeledFace {
        person: Person::new(&format!("p{}", at % 8)).unwrap(),
        source: String::new(),
        hash: hash(faces.face(at)),
        pixels: faces.face(at).to_vec(),
        origin: eigenfaces::preparation::Origin::Whole,
    };
    let (gallery, _) = Gallery::assemble(size(), (0..40).map(labeled).collect()).unwrap();
    let settings = Settings {
        comparison: Comparison {
            copies: Augmentation::Mirrored,
            metric: "euclidean".parse().unwrap(),
            ..Comparison::default()
        },
        ..Settings::without_background()
    };
    let placed = Recognizer::on_merged_basis(&merged_basis, gallery.clone(), settings).unwrap();
    let mut mirrored = gallery.faces().as_slice().to_vec();
    Feature::Pixels.mirror(size()).apply(&mut mirrored);
    let mirrored = FaceMatrix::from_pixels(size(), mirrored).unwrap();
    let expected = merged_basis.pixels().project(&mirrored);
    for face in 0..40 {
        let enrolled = placed.matcher().unwrap().enrolled().column(2 * face + 1);
        let apart = (enrolled - expected.column(face)).norm();
        assert!(
            apart < 1e-3 * expected.column(face).norm(),
            "face {face}: {apart}"
        );
    }
}

#[test]
fn files_are_read_back_bit_for_bit() {
    let faces = drawn_faces(size(), 30, 9);
    let plan = plan(Mirrors::Learned, "minka");
    let part = merged(part(&plan, &faces, 0..9), &part(&plan, &faces, 9..30));
    assert_eq!(read(part_file(&part)).unwrap(), part);
    let plan = Plan::from_values(&{
        let mut values = plan.values();
        "5".clone_into(&mut values[6]);
        values
    });
    let merged_basis = MergedBasis::learn(self::part(&plan.unwrap(), &faces, 0..30)).unwrap();
    let bytes = file(|out| store::write_merged_basis(&merged_basis, out));
    let archive = Archive::from_bytes(Path::new("basis.npz"), bytes).unwrap();
    assert_eq!(
        store::merged_basis_from_archive(&archive).unwrap(),
        merged_basis
    );
}

#[test]
fn a_part_given_twice_is_refused_wherever_it_hides() {
    let (plan, faces) = (plan(Mirrors::None, "auto"), drawn_faces(size(), FACES, 4));
    let [a, b, c] = [0..20, 20..40, 40..60].map(|chosen| part(&plan, &faces, chosen));
    let again = part(&plan, &faces, (0..20).rev());
    assert_eq!(a.clone().merge(&again), Err(MergeProblem::Twice));
    let ab = merged(a, &b);
    assert_eq!(ab.clone().merge(&again), Err(MergeProblem::Twice));
    assert_eq!(
        again.clone().merge(&merged(c, &ab)),
        Err(MergeProblem::Twice)
    );
    // What found no face may come any number of times, and counts what it passed over.
    let nothing = || {
        let mut sums = SumBuilder::new(plan.clone());
        sums.skip();
        sums.finish().unwrap()
    };
    let sum = merged(merged(ab.clone(), &nothing()), &nothing());
    assert_eq!((sum.faces(), sum.skipped()), (40, 2));
    assert_eq!(sum.given(), ab.given());
}

#[test]
fn parts_of_different_plans_are_refused() {
    let faces = drawn_faces(size(), 8, 4);
    let first = part(&plan(Mirrors::None, "auto"), &faces, 0..4);
    let second = part(&plan(Mirrors::Learned, "auto"), &faces, 4..8);
    let before = first.clone();
    let mut first = first;
    let problem = first.merge(&second).unwrap_err();
    assert!(
        problem.to_string().contains("mirrors: no and yes"),
        "{problem}"
    );
    assert_eq!(first, before);
}

#[test]
fn too_few_faces_are_no_basis() {
    let faces = drawn_faces(size(), 2, 4);
    let plan = plan(Mirrors::None, "auto");
    for count in [0, 1] {
        assert!(MergedBasis::learn(part(&plan, &faces, 0..count)).is_err());
    }
    let alike = SumBuilder::new(plan.clone());
    let mut alike = alike;
    for photo in [b"a", b"b"] {
        alike.add(&[7; 72], hash(photo)).unwrap();
    }
    assert!(MergedBasis::learn(alike.finish().unwrap()).is_err());
    assert!(SumBuilder::new(plan).add(&[0; 71], hash(b"")).is_err());
}

/// A part as a maker who means harm would write it: sealed right, with this in its `meta.json` instead of that.
fn forged(replace: &str, by: &str) -> Vec<u8> {
    let plan = plan(Mirrors::None, "auto");
    let whole = part_file(&part(&plan, &drawn_faces(size(), 5, 1), 0..5));
    let folder = crate::support::scratch();
    let path = folder.path().join("part.npz");
    std::fs::write(&path, &whole).unwrap();
    let mut zip = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let mut members = Vec::new();
    for at in 0..zip.len() {
        let mut member = zip.by_index(at).unwrap();
        let mut content = Vec::new();
        std::io::copy(&mut member, &mut content).unwrap();
        let name = member.name().unwrap().into_owned();
        if name == "meta.json" {
            let text = String::from_utf8(content).unwrap();
            assert!(text.contains(replace), "{replace} in {text}");
            content = text.replace(replace, by).into_bytes();
        }
        members.push((name, content));
    }
    store::forge_members(&members)
}

#[test]
fn absurd_claims_are_refused_without_believing_them() {
    assert!(read(forged("\"faces\": 5", "\"faces\": 5")).is_ok());
    let absurd = [
        ("\"faces\": 5", "\"faces\": 4"),
        ("\"faces\": 5", "\"faces\": 0"),
        ("\"faces\": 5", "\"faces\": 18446744073709551615"),
        ("\"faces\": 5", "\"faces\": 2000000000000"),
        ("\"faces\": 5", "\"faces\": -5"),
        ("\"workers\": 1", "\"workers\": 0"),
        ("\"workers\": 1", "\"workers\": 576460752303423488"),
        ("\"size\": \"9x8\"", "\"size\": \"141x141\""),
        ("\"size\": \"9x8\"", "\"size\": \"1000x1000\""),
        ("\"size\": \"9x8\"", "\"size\": 72"),
        ("\"features\": \"pixels\"", "\"features\": \"fused\""),
        ("\"mirrors\"", "\"glasses\""),
        (
            "\"mirrors\": \"no\"",
            "\"mirrors\": \"no\", \"mirrors\": \"yes\"",
        ),
        ("\"kind\": \"partial\"", "\"kind\": \"basis\""),
        ("\"kind\": \"partial\"", "\"kind\": \"spell\""),
        ("\"kind\": \"partial\",", ""),
    ];
    for (replace, by) in absurd {
        let error = read(forged(replace, by)).expect_err(by);
        let words = error.to_string();
        assert!(words.starts_with("part.npz: "), "{words}");
        assert!(!words.contains('\n'), "{words}");
    }
    let kind = read(forged("\"kind\": \"partial\"", "\"kind\": \"basis\"")).unwrap_err();
    assert!(matches!(
        kind,
        Error::Model {
            problem: ModelProblem::OtherKind { .. },
            ..
        }
    ));
}

#[test]
fn plans_are_read_strictly() {
    let folder = crate::support::scratch();
    let path = folder.path().join("plan.json");
    let plan = plan(Mirrors::Learned, "0.95");
    std::fs::write(&path, file(|out| store::write_plan(&plan, out))).unwrap();
    assert_eq!(store::load_plan(&path).unwrap(), plan);
    let text = std::fs::read_to_string(&path).unwrap();
    let problem = |replace: &str, by: &str| {
        assert!(text.contains(replace), "{text}");
        store::plan_from_json(text.replace(replace, by).as_bytes()).unwrap_err()
    };
    let size = "\"size\": \"9x8\",";
    assert_eq!(problem(size, ""), PlanProblem::Missing { key: "size" });
    let twice = "\"size\": \"9x8\", \"size\": \"9x9\",";
    assert!(matches!(problem(size, twice), PlanProblem::Twice { key } if key == "size"));
    let more = "\"size\": \"9x8\", \"glasses\": null,";
    assert!(matches!(problem(size, more), PlanProblem::Unknown { key } if key == "glasses"));
    let number = problem(size, "\"size\": 72,").to_string();
    assert!(number.contains("\"size\" is 72"), "{number}");
    let newer = problem("\"format_version\": 1", "\"format_version\": 2").to_string();
    assert!(newer.contains("format_version"), "{newer}");
    for nonsense in [
        "",
        "[]",
        "{",
        "7",
        "\u{1b}[2J",
        &"[".repeat(100_000),
        &" ".repeat(70_000),
    ] {
        let problem = store::plan_from_json(nonsense.as_bytes()).unwrap_err();
        assert!(matches!(problem, PlanProblem::NotAPlan { .. }), "{problem}");
        assert!(!problem.to_string().contains('\u{1b}'));
    }
    let error = store::load_plan(&folder.path().join("none.json")).unwrap_err();
    assert!(error.to_string().contains("none.json"), "{error}");
}

#[test]
fn what_needs_all_faces_at_once_cannot_be_planned() {
    let preparation = |size: &str| Preparation::new(size.parse().unwrap(), Framing::AsIs);
    let plan = |size, components: &str| {
        let components = components.parse().unwrap();
        Plan::new(preparation(size), Features::Auto, Mirrors::None, components)
    };
    assert!(plan("64x64", "parallel").is_err());
    assert!(plan("200x200", "auto").is_err());
    // The sums of so many faces of one process are those of `Pca` too.
    let faces = drawn_faces(size(), 90, 8);
    let pca = Pca {
        components: ComponentCount::Auto,
        solver: Solver::Covariance,
    };
    let whole = self::part(&self::plan(Mirrors::None, "auto"), &faces, 0..90);
    let found = MergedBasis::learn(whole).unwrap();
    assert_eq!(
        found.pixels().eigenvalues(),
        pca.fit(&faces).unwrap().eigenvalues
    );
}
