//! An evaluation as text, JSON and CSV: all from its list of figures.

use std::collections::HashMap;

use eigenfaces::background::{Background, Prior, Provenance};
use eigenfaces::dataset::{self, ContentHash, LabelRule, PERSON_HEADINGS, Person};
use eigenfaces::decision::FALSE_ACCEPT_TARGET;
use eigenfaces::evaluate::{DRAWS, Detail, Evaluation, Figure, OpenSet, Section};
use eigenfaces::gallery::{Gallery, change_time};
use eigenfaces::matcher::DistanceSettings;
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::Settings;
use serde_json::Value;

use super::{Error, Output, Record, Result, counted, diagnose, faces_of_people, info, learning, one_line, share};

pub fn record(evaluation: &Evaluation, figures: &[Figure], object: Value) -> Record {
    Record::new(object, text(evaluation, figures)).with_rows(figures.iter().map(Figure::row))
}

/// The main figures for reading, a line each, with what belongs behind those of a section.
fn rows(evaluation: &Evaluation, figures: &[Figure]) -> Vec<String> {
    let shown: Vec<&Figure> = figures.iter().filter(|figure| figure.detail == Detail::Main).collect();
    let mut lines = Vec::new();
    for section in shown.chunk_by(|a, b| a.section == b.section) {
        let subject = section[0].section;
        if subject == Section::Groups {
            lines.extend([String::new(), format!("{}:", subject.title())]);
        }
        if subject != Section::Baselines {
            lines.extend(section.iter().map(|figure| row(figure)));
        }
        match (subject, &evaluation.open_set) {
            (Section::Strangers, Some(open_set)) => lines.extend(strangers_notes(open_set, evaluation.seed)),
            (Section::Verification, None) => lines.push(
                "strangers: too few people, or too few with a second photo, to let some play strangers; give photos of others by --strangers".to_owned(),
            ),
            _ => {}
        }
    }
    lines
}

fn row(figure: &Figure) -> String {
    format!("{:<18} {:>22}  {}", figure.label, figure.in_words(), figure.meaning).trim_end().to_owned()
}

fn text(evaluation: &Evaluation, figures: &[Figure]) -> Vec<String> {
    let mut lines = vec![heading(evaluation), compared_by(evaluation), String::new()];
    lines.extend(rows(evaluation, figures));
    lines.extend([
        String::new(),
        format!(
            "intervals: 95 %, {DRAWS} draws of people by seed {}; where all draws agree, Wilson's of as many tries as people",
            evaluation.seed
        ),
        String::new(),
        format!("{} ({}):", Section::Baselines.title(), evaluation.k_curve_protocol),
    ]);
    lines.extend(figures.iter().filter(|figure| figure.section == Section::Baselines).map(row));
    lines.push(String::new());
    lines.extend(curve(evaluation));
    lines
}

/// For reading: how long it took, and whether something looks wrong.
pub fn say_more(evaluation: &Evaluation, output: &Output) {
    let times = &evaluation.times;
    output.say(&format!(
        "time: {:.2} s to learn and calibrate once, {:.4} s to identify a face, {:.2} s for all folds, {:.2} s for the \
         first K, {:.2} s for strangers",
        times.learning, times.identifying_a_face, times.folds, times.k_curve, times.open_set
    ));
    let suspects = &evaluation.suspects;
    let doubtful = suspects.duplicates.len() + suspects.mislabelled.len() + suspects.not_faces.len();
    if doubtful > 0 {
        let things = counted(doubtful, "thing looks", "things look");
        output.say(&format!("{things} wrong in the folder: see enroll --check"));
    }
}

/// What was evaluated, in a line.
pub fn heading(evaluation: &Evaluation) -> String {
    let never = match evaluation.never_tried {
        0 => String::new(),
        count => format!(" ({} never tried)", counted(count, "face", "faces")),
    };
    let faces = faces_of_people(evaluation.faces, evaluation.people);
    let (folds, probes) = (counted(evaluation.folds, "time", "times"), counted(evaluation.probes, "probe", "probes"));
    format!("{faces}, {}: learned anew {folds}, {probes}{never}", evaluation.protocol)
}

fn strangers_notes(open_set: &OpenSet, seed: u64) -> Vec<String> {
    let all = if open_set.given.is_some() { "all" } else { "at least" };
    let strangers = match open_set.given {
        Some(given) => format!(", {} by --strangers", counted(given, "stranger", "strangers")),
        None => ", the others are strangers to them".to_owned(),
    };
    let conditions = format!(
        "strangers, decisions and confidence: {} by seed {seed}, {all} {} enrolled with half of their photos{strangers}; \
         --protocol has no part in it",
        counted(open_set.splits, "split", "splits"),
        counted(open_set.enrolled, "person", "people"),
    );
    missed_aim(open_set).into_iter().chain([conditions]).map(|text| format!("{:43}{text}", "")).collect()
}

/// A warning where more strangers get a name than was aimed at.
fn missed_aim(open_set: &OpenSet) -> Option<String> {
    let named = open_set.strangers_named.mean;
    (named > FALSE_ACCEPT_TARGET).then(|| {
        let aim = FALSE_ACCEPT_TARGET * 100.0;
        if open_set.misses_aim() {
            format!(
                "the aim is missed: {} where {aim:.0} % was asked; a smaller identify --far lets fewer pass",
                share(named)
            )
        } else {
            format!("above the aim of {aim:.0} %, by no more than chance does with so few strangers")
        }
    })
}

/// The method that the figures are of.
fn compared_by(evaluation: &Evaluation) -> String {
    let settings = evaluation.settings;
    match settings.prior {
        Prior::Bundled => {
            return "compared by the background model of how people differ; --background none compares by what these faces alone teach".to_owned();
        }
        Prior::Own(own) => return format!("compared by {}", learning::learned_from(own)),
        Prior::None => {}
    }
    let (space, metric) = (settings.distance.space_in_words(), settings.distance.metric.name());
    format!("compared by the weights of {space}, metric {metric}; learned from these faces alone")
}

fn curve(evaluation: &Evaluation) -> Vec<String> {
    let (metric, protocol) = (evaluation.settings.distance.metric.name(), &evaluation.k_curve_protocol);
    let mut lines = vec![
        format!("Eigenfaces by the number of weights K, metric {metric} ({protocol}):"),
        "    K   variance   rank-1   J learned   J unseen   PSNR unseen".to_owned(),
    ];
    lines.extend(evaluation.k_curve.iter().map(|point| {
        format!(
            "{:>5} {:>10} {:>8} {:>11.4} {:>10.4} {:>10.1} dB",
            point.components,
            share(point.variance),
            share(point.rank1.mean),
            point.error_learned,
            point.error_unseen,
            point.psnr_unseen
        )
    }));
    lines.push("J: squared error of the faces rebuilt from K weights, of the total variation: of faces learned from, and unseen".to_owned());
    lines
}

pub type Conditions = Vec<(&'static str, String)>;

/// The system, the processor as the system names it, and the instructions that are used.
fn machine() -> String {
    let mut parts = vec![diagnose::system().join(", ")];
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = cpuinfo.lines().find(|line| line.starts_with("model name"));
    parts.extend(named.and_then(|line| line.split_once(':')).map(|(_, name)| one_line(name.trim())));
    parts.push(diagnose::listed(&diagnose::instructions()));
    parts.join("; ")
}

/// The conditions that the figures of an evaluation hold for.
pub fn conditions(evaluation: &Evaluation, preparation: &Preparation, gallery: &Gallery) -> Conditions {
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| one_line(&word.to_string_lossy())).collect();
    let settings = evaluation.settings;
    vec![
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("date", info::utc(change_time())),
        ("command", format!("eigenfaces {}", words.join(" "))),
        ("machine", machine()),
        ("model", model(settings)),
        ("options", options(settings, preparation, evaluation)),
        ("threshold", threshold(evaluation)),
        ("dataset", dataset(evaluation, gallery)),
    ]
}

const THRESHOLDS: &str = "FNMR at FMR and FNIR at FPIR: set on the claims and strangers measured themselves";

fn model(settings: Settings) -> String {
    match settings.prior {
        Prior::Bundled => format!("bundled background model, SHA-256 {}", Background::bundled_digest()),
        Prior::Own(own) => {
            let Provenance { people, photos, source, .. } = own.provenance();
            let digest = own.digest();
            format!("background model of {people} people in {photos} photos ({source}), SHA-256 {digest}")
        }
        Prior::None => "none: learned in each fold from the photos to learn from".to_owned(),
    }
}

fn options(settings: Settings, preparation: &Preparation, evaluation: &Evaluation) -> String {
    let (protocol, seed, prior) = (evaluation.protocol, evaluation.seed, settings.prior.name());
    let (size, framing) = (preparation.size(), preparation.framing().name());
    let mut options =
        format!("protocol {protocol}, seed {seed}, background {prior}, faces of {size} pixels, framing {framing}");
    if settings.prior == Prior::None {
        let DistanceSettings { kernel, pixel_scale, metric } = settings.distance;
        let (metric, scaled) = (metric.name(), pixel_scale.name());
        options.push_str(&format!(", metric {metric}, kernel {kernel}, scaled pixels {scaled}"));
    }
    options
}

fn threshold(evaluation: &Evaluation) -> String {
    let aim = FALSE_ACCEPT_TARGET * 100.0;
    let limit = evaluation.confidence_limit;
    let limit = limit.map_or_else(
        || "no name is given to so few people".to_owned(),
        |limit| format!("with everybody enrolled, a confidence above {limit:.4}"),
    );
    let origin = match evaluation.settings.prior {
        Prior::Bundled | Prior::Own(_) => "by the background model, moved by the photos enrolled in each split",
        Prior::None => "by leaving out photos among those enrolled in each split",
    };
    format!("default decision: set {origin}, aiming at {aim:.0} % of strangers named ({limit}). {THRESHOLDS}")
}

/// Counts, and a hash of all photos that were used, whatever their names.
fn dataset(evaluation: &Evaluation, gallery: &Gallery) -> String {
    let mut hashes: Vec<String> = gallery.enrolled().iter().map(|face| face.hash.to_string()).collect();
    hashes.sort_unstable();
    let given = evaluation.capture.map_or_else(String::new, |capture| {
        let photos = counted(capture.photos, "photo given", "photos given");
        format!(" in {photos}, {} aligned without a face found", capture.aligned_without_face)
    });
    let strangers = evaluation.open_set.as_ref().and_then(|set| set.given);
    let strangers = strangers
        .map_or_else(String::new, |count| format!("; {}", counted(count, "stranger given", "strangers given")));
    let faces = faces_of_people(evaluation.faces, evaluation.people);
    let hash = ContentHash::of(hashes.concat().as_bytes());
    format!("{faces}{given}{strangers}; SHA-256 of the photos' hashes {hash}")
}

/// The group of each person, by name; `None` where labels have no such column, or nothing in it.
/// Errors: A table that cannot be read, or that puts a person into two groups.
pub fn groups(labels: &LabelRule) -> Result<Option<HashMap<String, String>>> {
    let LabelRule::Csv(path) = labels else { return Ok(None) };
    let table = dataset::read_table(path).map_err(|problem| Error::about(path, problem))?;
    let heading = table.rows.first().map_or(&[][..], |row| &row.fields);
    let column =
        |names: &[&str]| heading.iter().position(|field| names.contains(&field.trim().to_lowercase().as_str()));
    let (Some(person), Some(group)) = (column(PERSON_HEADINGS), column(&["group"])) else { return Ok(None) };
    let mut groups: HashMap<String, String> = HashMap::new();
    for row in &table.rows[1..] {
        let problem = |problem| Error::about(path, format!("line {}: {problem}", row.line));
        let field = |at: usize| row.fields.get(at).map_or("", |field| field.trim());
        let (name, group) = (field(person), field(group));
        if name.is_empty() || group.is_empty() {
            continue;
        }
        let name = Person::new(dataset::unguarded(name)).map_err(|error| problem(error.to_string()))?.to_string();
        if let Some(other) = groups.get(&name).filter(|other| *other != group) {
            let [name, group, other] = [&name, group, other].map(one_line);
            return Err(problem(format!(
                "'{name}' is in the group '{group}' here and in '{other}' before; a person has one"
            )));
        }
        groups.insert(name, group.to_owned());
    }
    Ok((!groups.is_empty()).then_some(groups))
}
