//! `eigenfaces evaluate`: how well the people of a folder are recognised.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use eigenfaces::background::Prior;
use eigenfaces::dataset::{self, LabelRule, Person, PhotoFile, Skipped};
use eigenfaces::enrollment;
use eigenfaces::error::PhotoProblem;
use eigenfaces::evaluate::{Capture, Plan, Strangers};
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::gallery::Gallery;
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::Settings;
use eigenfaces::render::evaluation::{EvaluationPage, of_evaluation};

use super::args::Evaluate;
use super::evaluation_files::Wanted;
use super::evaluation_groups::groups;
use super::{Outcome, Output, Result, counted, evaluation, evaluation_conditions, learning, pairs};

pub fn run(args: &Evaluate, output: &Output) -> Result<Outcome> {
    if let Some(table) = &args.pairs {
        return pairs::run(args, table, output);
    }
    let wanted = Wanted::claim(args)?;
    let groups = groups(&args.labels.rule)?;
    let options = args.learn.preparation_options();
    let read = eigenfaces::Model::plan_folders(&args.faces, &args.labels.rule, options, output)?;
    let (preparation, gallery) = (read.preparation, read.outcome.gallery);
    let settings = args.learn.settings(Settings::default());
    if settings.prior == Prior::Bundled {
        let names = gallery.people().iter().map(Person::as_str);
        learning::refuse_flattery(
            &args.faces[0],
            names,
            "--background none, which learns from the gallery alone",
        )?;
    }
    let GivenStrangers {
        strangers,
        sources,
        unusable,
    } = strangers(args, &preparation, &gallery, output)?;
    let failed = read.skipped.len() + unusable;
    let outcome = Outcome::of_inputs(gallery.len(), failed);
    let plan = Plan {
        protocol: args.protocol,
        seed: 0,
        strangers,
        groups: groups.map(|groups| {
            let people = gallery.people().iter();
            people.map(|it| groups.get(it.as_str()).cloned()).collect()
        }),
        capture: capture(&args.faces, &args.labels.rule, &gallery, &read.skipped),
    };
    let evaluation = learning::evaluate(preparation, gallery.clone(), settings, &plan, output)?;
    let figures = evaluation.figures();
    let conditions = evaluation_conditions::of_evaluation(&evaluation, &preparation, &gallery);
    let mut object = evaluation.object();
    object["conditions"] = evaluation_conditions::object(&conditions);
    let page = EvaluationPage {
        heading: &evaluation::heading(&evaluation),
        conditions: &conditions,
        figures: &figures,
        charts: &of_evaluation(&evaluation),
        json: "",
    };
    wanted.write_page(page, &object, output)?;
    wanted.write_scores(&evaluation, &gallery, &sources, output)?;
    evaluation::print(&figures, object, output, |figures| {
        evaluation::text(&evaluation, figures, output)
    })?;
    Ok(outcome)
}

/// The photos given of each person, and those that could not be used; `None` where photos have no label of their own.
fn capture(
    folders: &[PathBuf],
    rule: &LabelRule,
    gallery: &Gallery,
    skipped: &[Skipped],
) -> Option<Vec<Capture>> {
    let listing = dataset::list_labeled(folders, rule).ok()?;
    let labels: HashMap<&Path, &Person> = listing
        .photos
        .iter()
        .map(|photo| (photo.path.as_path(), &photo.person))
        .collect();
    let mut people: BTreeMap<String, Capture> = BTreeMap::new();
    let mut of = |person: &Person, no_face: bool, unusable: bool| {
        let capture = people.entry(person.to_string()).or_insert_with(|| Capture {
            person: person.to_string(),
            photos: 0,
            no_face: 0,
            unusable: 0,
        });
        capture.photos += 1;
        capture.no_face += usize::from(no_face);
        capture.unusable += usize::from(unusable);
    };
    for face in gallery.enrolled() {
        of(&gallery.people()[face.person], false, false);
    }
    for skip in skipped {
        let Some(person) = labels.get(skip.path.as_path()) else {
            continue;
        };
        match skip.problem {
            PhotoProblem::NoFace => of(person, true, false),
            // Whose photo it is was in doubt, not whether it can be used.
            PhotoProblem::SamePhoto { .. }
            | PhotoProblem::LabelChanged { .. }
            | PhotoProblem::TwoPersons { .. } => {}
            _ => of(person, false, true),
        }
    }
    Some(people.into_values().collect())
}

/// What `--strangers` gives.
#[derive(Default)]
struct GivenStrangers {
    strangers: Option<Strangers>,
    /// Their photos.
    sources: Vec<String>,
    /// Number of photos that cannot be used.
    unusable: usize,
}

/// The main face of each photo of `--strangers`. Photos that are
/// in the gallery too are left out. Photos in one folder below a folder given show one person.
fn strangers(
    args: &Evaluate,
    preparation: &Preparation,
    gallery: &Gallery,
    output: &Output,
) -> Result<GivenStrangers> {
    if args.strangers.is_empty() {
        return Ok(GivenStrangers::default());
    }
    let listing = dataset::list_photos(&args.strangers)?;
    enrollment::report_passed_over(&listing, output);
    let photo = |path: &PathBuf, file: &PhotoFile| {
        let face = preparation.prepare(&file.decode()?)?;
        Ok((path.clone(), face.pixels))
    };
    let read = dataset::load(&listing.photos, photo, &|_| {});
    learning::report_skipped(&listing.skipped, output);
    learning::report_skipped(&read.skipped, output);
    let unusable = listing.skipped.len() + read.skipped.len();
    let count = read.items.len();
    let is_enrolled = |pixels: &[u8]| gallery.faces().faces().any(|face| face == pixels);
    let (paths, pixels): (Vec<PathBuf>, Vec<Vec<u8>>) = read
        .items
        .into_iter()
        .filter(|(_, pixels)| !is_enrolled(pixels))
        .unzip();
    if paths.len() < count {
        let photos = counted(count - paths.len(), "photo", "photos");
        output.say(&format!(
            "--strangers: {photos} of people who are enrolled left out: no strangers"
        ));
    }
    if paths.is_empty() {
        return Err(enrollment::none_usable(&args.strangers, unusable));
    }
    let faces = FaceMatrix::from_pixels(preparation.size(), pixels.concat())?;
    let mut known: HashMap<&Path, usize> = HashMap::new();
    let person = |path: &'_ PathBuf| -> PathBuf {
        let folder = path.parent().unwrap_or(path);
        let is_root = args
            .strangers
            .iter()
            .any(|root| root == folder || root == path);
        if is_root { path } else { folder }.to_owned()
    };
    let owners: Vec<PathBuf> = paths.iter().map(person).collect();
    let people = owners.iter().map(|owner| {
        let next = known.len();
        *known.entry(owner).or_insert(next)
    });
    let people = people.collect();
    let sources = paths.iter().map(|path| path.to_string_lossy().into_owned());
    Ok(GivenStrangers {
        strangers: Some(Strangers { faces, people }),
        sources: sources.collect(),
        unusable,
    })
}
