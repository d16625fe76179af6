//! `eigenfaces evaluate --pairs`: the same person or not, by the standard protocol.

use std::collections::{BTreeSet, HashMap};
use std::io::Read as _;
use std::path::Path;

use eigenfaces::background::{Background, Described};
use eigenfaces::dataset::{self, LabeledPhoto, PhotoFile};
use eigenfaces::enrollment::{self, PreparationOptions};
use eigenfaces::error::reason;
use eigenfaces::evaluate::pairs::{self, KnownPair, LearnedFrom, Pair, PairFigures};
use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::locate::framing::{CropEyes, Crops};
use eigenfaces::preparation::Origin;

use super::Evaluate;
use crate::cli::learning::{self, BackgroundModel};
use crate::cli::{Error, ExitStatus, Output, Result, bad_value, counted, share, shown};

pub fn run(args: &Evaluate, table: &Path, output: &Output) -> Result<ExitStatus> {
    let problem = |problem: String| Error::about(table, problem);
    let mut text = String::new();
    dataset::open_file(table)
        .and_then(|mut file| file.read_to_string(&mut text))
        .map_err(|error| problem(reason(&error)))?;
    let wanted = pairs::parse_pairs(&text).map_err(problem)?;
    let learned_from = match args.learn.background {
        None | Some(BackgroundModel::Bundled) => LearnedFrom::Bundled,
        Some(BackgroundModel::OtherFolds) => LearnedFrom::OtherFolds,
        Some(BackgroundModel::None | BackgroundModel::File(_)) => {
            bad_value("--background: with --pairs it is bundled or other-folds")
        }
    };
    let mut listing = dataset::list_labeled(&args.faces, &args.labels.rule)?;
    enrollment::report_passed_over(&listing, output);
    if learned_from == LearnedFrom::Bundled {
        let named: std::collections::HashSet<&str> =
            wanted.iter().flat_map(|pair| &pair.photos).map(String::as_str).collect();
        listing.photos.retain(|photo| named.contains(key(&photo.path).as_str()));
        let people: BTreeSet<&str> = listing.photos.iter().map(|photo| photo.person.as_str()).collect();
        let remedy = "--background other-folds, which learns it anew without the people of the fold that is measured";
        learning::refuse_flattery(table, people.iter().copied(), remedy)?;
    }
    let options = PreparationOptions { size: Some(FaceSize::ALIGNED), ..args.learn.prepare.options(Crops::Align) };
    let chosen = options.choose(&listing.photos, &args.faces, &listing.skipped, output)?;
    let progress = output.progress(listing.photos.len(), "looking for faces");
    let loaded = dataset::load(
        &listing.photos,
        |photo: &LabeledPhoto, file: &PhotoFile| {
            Ok((photo.person.clone(), key(&photo.path), chosen.prepare(file.content_hash(), || file.decode())?))
        },
        &|done| progress.reach(done),
    );
    drop(progress);
    learning::report_skipped(&loaded.skipped, output);

    let (mut persons, mut places, mut pixels) = (Vec::new(), HashMap::new(), Vec::new());
    let mut last = None;
    let crop_eyes = CropEyes::of(loaded.items.iter().filter_map(|(_, _, face)| face.origin.found()).collect());
    let preparation = chosen.preparation.with_crop_eyes(crop_eyes);
    let framed = loaded.items.into_iter().filter_map(|(person, path, face)| {
        let face = match face.origin {
            Origin::Kept { photo, eyes } => preparation.assumed(photo, eyes)?,
            Origin::Whole | Origin::Found { .. } => face,
        };
        Some((person, path, face.pixels))
    });
    for (at, (person, path, face)) in framed.enumerate() {
        let before = persons.last().copied().unwrap_or(0);
        persons.push(before + usize::from(last.as_ref().is_some_and(|last| *last != person)));
        places.insert(path, at);
        pixels.extend(face);
        last = Some(person);
    }
    let faces = FaceMatrix::from_pixels(FaceSize::ALIGNED, pixels)?;
    let described = Described::of(&faces, &persons, Background::bundled()?.mouths())?;
    let (known, missing) = find(&wanted, &places);
    if known.iter().all(|pair| pair.fold == 0) {
        return Err(problem(
            "it has pairs of photos that are there in fewer than two folds; give the folder that its paths are in"
                .to_owned(),
        ));
    }
    pairs::both_kinds(known.iter().map(|pair| pair.same))
        .map_err(|why| problem(format!("of photos that are there {why}")))?;
    if missing > 0 {
        let pairs = counted(missing, "pair is", "pairs are");
        output.say(&format!("{pairs} left out: a photo is not there or shows no face"));
    }
    let progress = output.progress(known.iter().map(|pair| pair.fold + 1).max().unwrap_or(0), "folds");
    let figures = pairs::evaluate_pairs(&described, &known, learned_from, &|done| progress.reach(done))?;
    drop(progress);
    print(&figures, table, learned_from, output)?;
    Ok(ExitStatus::of_inputs(known.len(), missing))
}

/// Folder and file of a path.
fn key(path: &Path) -> String {
    let name =
        |part: Option<&std::ffi::OsStr>| part.map_or_else(String::new, |part| part.to_string_lossy().into_owned());
    format!("{}/{}", name(path.parent().and_then(Path::file_name)), name(path.file_name()))
}

/// The pairs whose photos are there, and how many are not.
fn find(wanted: &[Pair], places: &HashMap<String, usize>) -> (Vec<KnownPair>, usize) {
    let mut folds: Vec<&str> = Vec::new();
    let mut known = Vec::new();
    for pair in wanted {
        let [a, b] = pair.photos.each_ref().map(|photo| places.get(photo.as_str()));
        let (Some(&a), Some(&b)) = (a, b) else { continue };
        let fold = folds.iter().position(|fold| *fold == pair.fold).unwrap_or_else(|| {
            folds.push(&pair.fold);
            folds.len() - 1
        });
        known.push(KnownPair { fold, photos: [a, b], same: pair.same });
    }
    let missing = wanted.len() - known.len();
    (known, missing)
}

fn print(figures: &PairFigures, table: &Path, learned_from: LearnedFrom, output: &Output) -> Result<()> {
    let mut object = serde_json::to_value(figures).unwrap_or_default();
    let (background, in_words) = match learned_from {
        LearnedFrom::Bundled => ("bundled", "as it comes with the program"),
        LearnedFrom::OtherFolds => ("other-folds", "learned anew for each fold from people of the others"),
    };
    object["background"] = background.into();
    let lines = [
        format!(
            "{} of {} in {} folds, background model {in_words}",
            counted(figures.pairs, "pair", "pairs"),
            shown(table),
            figures.folds,
        ),
        format!(
            "accuracy          {:>7} ± {:.1} (mean and standard error over folds, threshold from the other folds)",
            share(figures.accuracy),
            figures.standard_error * 100.0
        ),
        format!("area under curve  {:>7.3}", figures.area_under_curve),
        format!("equal error rate  {:>7}", share(figures.equal_error_rate)),
    ];
    output.print_result(&object, lines)
}
