//! `eigenfaces evaluate`: how well the people of a folder are recognised.

mod pairs;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use clap::Args;
use eigenfaces::background::Prior;
use eigenfaces::dataset::{self, LabelRule, Person, PhotoFile, Skipped};
use eigenfaces::enrollment;
use eigenfaces::error::PhotoProblem;
use eigenfaces::evaluate::split::Protocol;
use eigenfaces::evaluate::{Capture, Evaluation, Figure, Options, ProbeOutcome, Strangers};
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::gallery::Gallery;
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::Settings;
use eigenfaces::render::evaluation::{EvaluationPage, html, of_evaluation};
use eigenfaces::store::{Destination, Outputs, Privacy};
use serde_json::Value;

use super::evaluation::{self, groups};
use super::learning::{self, LearningOptions};
use super::options::{Force, Labels, ending_in};
use super::output::{cell, table, with_schema};
use super::{ExitStatus, Output, Result, counted, files, one_line, shown};

#[derive(Debug, Args)]
pub struct Evaluate {
    /// Folders with a sub-folder per person, or photos named after people
    #[arg(required = true, value_name = "FACES")]
    pub faces: Vec<PathBuf>,
    #[command(flatten)]
    pub labels: Labels,
    /// What is learned from and what is tried: leave-one-out, k-fold:K, first:N (the first N photos a person are learned from), or random:NxR (N random ones, R times)
    #[arg(long, value_name = "PROTOCOL", default_value_t)]
    pub protocol: Protocol,
    /// Photos of people who are not in FACES, to play the strangers; without it some people of FACES play strangers to the others
    #[arg(long, value_name = "DIR", conflicts_with = "pairs")]
    pub strangers: Vec<PathBuf>,
    /// Measure pairs of photos instead, the same person or not: a table `fold, photo, photo, 1 or 0`, or LFW's pairs.txt; accuracy over folds as the field reports it; with --background other-folds, by a background model learned for each fold from the people of the others
    #[arg(long, value_name = "FILE", conflicts_with = "protocol")]
    pub pairs: Option<PathBuf>,
    /// Write a page to be filed: conditions, every figure with its interval, curves
    ///
    /// The page holds no photos. Its date is that of SOURCE_DATE_EPOCH where that is set: the same command on the same files
    /// then writes the same bytes.
    #[arg(long, value_name = "FILE.html", value_parser = ending_in(&["html", "htm"], ".html"), conflicts_with = "pairs")]
    pub report: Option<PathBuf>,
    /// Write the distance and rank of every person for every probe, and whether that name would be given, as CSV; of the probes with strangers, those of the nearest person
    #[arg(long, value_name = "FILE.csv", value_parser = ending_in(&["csv"], ".csv"), conflicts_with = "pairs")]
    pub scores: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub learn: LearningOptions,
}

pub fn run(args: &Evaluate, output: &Output) -> Result<ExitStatus> {
    if let Some(table) = &args.pairs {
        return pairs::run(args, table, output);
    }
    // The right to write is looked at before the work begins.
    let mut inputs = [&args.faces[..], &args.strangers].concat();
    inputs.extend(files::table(&args.labels.rule));
    let outputs = Outputs::new(inputs, args.force.into());
    let report_file = files::claim(&outputs, args.report.as_ref())?;
    let scores_file = files::claim(&outputs, args.scores.as_ref())?;
    let groups = groups(&args.labels.rule)?;
    let options = args.learn.preparation_options()?;
    let read = eigenfaces::Model::plan_folders(&args.faces, &args.labels.rule, options, output)?;
    let (preparation, gallery) = (read.preparation, read.outcome.gallery);
    let settings = args.learn.settings(Settings::default())?;
    if settings.prior == Prior::Bundled {
        let names = gallery.people().iter().map(Person::as_str);
        learning::refuse_flattery(&args.faces[0], names, "--background none, which learns from the gallery alone")?;
    }
    let GivenStrangers { strangers, sources, unusable } = strangers(args, &preparation, &gallery, output)?;
    let outcome = ExitStatus::of_inputs(gallery.len(), read.skipped.len() + unusable);
    let plan = Options {
        protocol: args.protocol,
        seed: 0,
        strangers,
        groups: groups.map(|groups| gallery.people().iter().map(|it| groups.get(it.as_str()).cloned()).collect()),
        capture: capture(&args.faces, &args.labels.rule, &gallery, &read.skipped),
    };
    let evaluation = learning::evaluate(preparation, gallery.clone(), settings, &plan, output)?;
    let figures = evaluation.figures();
    let conditions = evaluation::conditions(&evaluation, &preparation, &gallery);
    let mut object = evaluation.object();
    object["conditions"] = conditions.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let page = EvaluationPage {
        heading: &evaluation::heading(&evaluation),
        conditions: &conditions,
        figures: &figures,
        charts: &of_evaluation(&evaluation),
        json: "",
    };
    if let Some(file) = &report_file {
        write_page(file, page, &object, output)?;
    }
    if let Some(file) = &scores_file {
        write_scores(file, &evaluation, &Photos { gallery: &gallery, strangers: &sources }, output)?;
    }
    output.records(Figure::COLUMNS, [evaluation::record(&evaluation, &figures, object)])?;
    if output.is_text() {
        evaluation::say_more(&evaluation, output);
    }
    Ok(outcome)
}

/// The photos given of each person, and those that could not be used; `None` where photos have no label of their own.
fn capture(folders: &[PathBuf], rule: &LabelRule, gallery: &Gallery, skipped: &[Skipped]) -> Option<Vec<Capture>> {
    let listing = dataset::list_labeled(folders, rule).ok()?;
    let labels: HashMap<&Path, &Person> =
        listing.photos.iter().map(|photo| (photo.path.as_path(), &photo.person)).collect();
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
        let Some(person) = labels.get(skip.path.as_path()) else { continue };
        match skip.problem {
            PhotoProblem::NoFace => of(person, true, false),
            // Whose photo it is was in doubt, not whether it can be used.
            PhotoProblem::SamePhoto { .. } | PhotoProblem::LabelChanged { .. } | PhotoProblem::TwoPersons { .. } => {}
            _ => of(person, false, true),
        }
    }
    Some(people.into_values().collect())
}

#[derive(Default)]
struct GivenStrangers {
    strangers: Option<Strangers>,
    /// Their photos.
    sources: Vec<String>,
    unusable: usize,
}

/// The main face of each photo of `--strangers`. Photos that are
/// in the gallery too are left out. Photos in one folder below a folder given show one person.
fn strangers(args: &Evaluate, preparation: &Preparation, gallery: &Gallery, output: &Output) -> Result<GivenStrangers> {
    if args.strangers.is_empty() {
        return Ok(GivenStrangers::default());
    }
    let listing = dataset::list_photos(&args.strangers)?;
    enrollment::report_passed_over(&listing, output);
    let photo = |path: &PathBuf, file: &PhotoFile| Ok((path.clone(), preparation.prepare(&file.decode()?)?.pixels));
    let read = dataset::load(&listing.photos, photo, &|_| {});
    learning::report_skipped(&listing.skipped, output);
    learning::report_skipped(&read.skipped, output);
    let unusable = listing.skipped.len() + read.skipped.len();
    let count = read.items.len();
    let is_enrolled = |pixels: &[u8]| gallery.faces().faces().any(|face| face == pixels);
    let (paths, pixels): (Vec<PathBuf>, Vec<Vec<u8>>) =
        read.items.into_iter().filter(|(_, pixels)| !is_enrolled(pixels)).unzip();
    if paths.len() < count {
        let photos = counted(count - paths.len(), "photo", "photos");
        output.say(&format!("--strangers: {photos} of people who are enrolled left out: no strangers"));
    }
    if paths.is_empty() {
        return Err(enrollment::none_usable(&args.strangers, unusable + count));
    }
    let faces = FaceMatrix::from_pixels(preparation.size(), pixels.concat())?;
    let mut known: HashMap<PathBuf, usize> = HashMap::new();
    let person = |path: &'_ PathBuf| -> PathBuf {
        let folder = path.parent().unwrap_or(path);
        if args.strangers.iter().any(|root| root == folder || root == path) { path } else { folder }.to_owned()
    };
    let people = paths.iter().map(|path| {
        let next = known.len();
        *known.entry(person(path)).or_insert(next)
    });
    let people = people.collect();
    let sources = paths.iter().map(dataset::path_as_text);
    Ok(GivenStrangers { strangers: Some(Strangers { faces, people }), sources: sources.collect(), unusable })
}

/// Writes the page, with the evaluation as an object.
fn write_page(file: &Destination, page: EvaluationPage<'_>, object: &Value, output: &Output) -> Result<()> {
    // Seconds differ from run to run, and the page is to be written again to the byte.
    let mut object = with_schema(object.clone());
    if let Some(fields) = object.as_object_mut() {
        fields.remove("times");
    }
    files::page(file, html(&EvaluationPage { json: &object.to_string(), ..page })?, output)
}

fn write_scores(file: &Destination, evaluation: &Evaluation, photos: &Photos<'_>, output: &Output) -> Result<()> {
    file.write(Privacy::Owner, scores(evaluation, photos))?;
    let open = evaluation.open_set.as_ref().map_or(0, |open_set| open_set.probes.len());
    let closed: usize = evaluation.scores.iter().map(|probe| probe.ranked.len()).sum();
    output.say(&format!("wrote {} to {}", counted(closed + open, "score", "scores"), shown(file.path())));
    Ok(())
}

/// The photos that an evaluation tries, by position: those of the gallery, then those of strangers.
struct Photos<'a> {
    gallery: &'a Gallery,
    strangers: &'a [String],
}

impl Photos<'_> {
    /// Cells of the table: the photo, and its person if that is known.
    fn cells(&self, face: usize) -> [String; 2] {
        match self.gallery.enrolled().get(face) {
            Some(enrolled) => [cell(&one_line(&enrolled.source)), self.person(Some(enrolled.person))],
            None => {
                let source = self.strangers.get(face - self.gallery.len());
                [cell(&one_line(source.map_or("", String::as_str))), String::new()]
            }
        }
    }

    fn person(&self, person: Option<usize>) -> String {
        person.map_or_else(String::new, |at| cell(self.gallery.people()[at].as_str()))
    }
}

/// A row for every probe and every person it was compared with, and for every probe of the open set with its nearest person.
fn scores(evaluation: &Evaluation, photos: &Photos<'_>) -> Vec<u8> {
    let header = "set,repeat,photo,person,candidate,rank,distance,confidence,decision".split(',');
    let limit = evaluation.confidence_limit;
    let trials: std::collections::HashMap<(usize, usize), &ProbeOutcome> =
        evaluation.identification.trials.iter().map(|trial| ((trial.repeat, trial.face), trial)).collect();
    let closed = evaluation.scores.iter().flat_map(|probe| {
        let trial = trials.get(&(probe.repeat, probe.face));
        let [photo, person] = photos.cells(probe.face);
        let repeat = (probe.repeat + 1).to_string();
        (1..).zip(&probe.ranked).map(move |(rank, found)| {
            let candidate = found.person as usize;
            let nearest = trial.filter(|trial| trial.named == candidate);
            let is_named = nearest.is_some_and(|trial| limit.is_some_and(|limit| trial.confidence > limit));
            let confidence = nearest.map(|trial| format!("{:?}", trial.confidence));
            vec![
                "closed".to_owned(),
                repeat.clone(),
                photo.clone(),
                person.clone(),
                photos.person(Some(candidate)),
                rank.to_string(),
                format!("{:?}", found.distance),
                confidence.unwrap_or_default(),
                if is_named { "known" } else { "unknown" }.to_owned(),
            ]
        })
    });
    let open = evaluation.open_set.iter().flat_map(|set| &set.probes).map(|probe| {
        let [photo, person] = photos.cells(probe.face);
        vec![
            probe.role.name().to_owned(),
            (probe.split + 1).to_string(),
            photo,
            person,
            photos.person(probe.nearest),
            "1".to_owned(),
            format!("{:?}", probe.distance),
            format!("{:?}", probe.confidence),
            probe.decision.name().to_owned(),
        ]
    });
    table(std::iter::once(header.map(str::to_owned).collect()).chain(closed.chain(open)))
}
