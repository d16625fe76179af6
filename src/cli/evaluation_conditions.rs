//! The conditions that figures hold for: names and values, as a page to be filed and JSON have them.

use eigenfaces::background::{Background, Prior};
use eigenfaces::dataset::ContentHash;
use eigenfaces::decision::FALSE_ACCEPT_TARGET;
use eigenfaces::evaluate::Evaluation;
use eigenfaces::gallery::{Gallery, change_time};
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::Settings;
use serde_json::{Map, Value};

use super::{counted, diagnose, faces_of_people, log, one_line};

/// Names of conditions and their values.
pub type Conditions = Vec<(&'static str, String)>;

/// The system, the processor as the system names it, and the instructions that are used.
fn machine() -> String {
    let mut parts = vec![diagnose::system().join(", ")];
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = cpuinfo.lines().find(|line| line.starts_with("model name"));
    let named = named.and_then(|line| line.split_once(':'));
    parts.extend(named.map(|(_, name)| one_line(name.trim())));
    parts.push(diagnose::listed(&diagnose::instructions()));
    parts.join("; ")
}

/// What the figures of an evaluation hold for.
pub fn of_evaluation(
    evaluation: &Evaluation,
    preparation: &Preparation,
    gallery: &Gallery,
) -> Conditions {
    let words = std::env::args_os().skip(1);
    let words: Vec<String> = words
        .map(|word| one_line(&word.to_string_lossy()))
        .collect();
    let settings = evaluation.settings;
    vec![
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("date", log::utc(change_time())),
        ("command", format!("eigenfaces {}", words.join(" "))),
        ("machine", machine()),
        ("model", model(settings)),
        ("options", options(settings, preparation, evaluation)),
        ("threshold", threshold(evaluation)),
        ("dataset", dataset(evaluation, gallery)),
    ]
}

const THRESHOLDS: &str =
    "FNMR at FMR and FNIR at FPIR: set on the claims and strangers measured themselves";

fn model(settings: Settings) -> String {
    match settings.prior {
        Prior::Bundled => format!(
            "bundled background model, SHA-256 {}",
            Background::bundled_digest()
        ),
        Prior::Own(own) => {
            let from = own.provenance();
            format!(
                "background model of {} people in {} photos ({}), SHA-256 {}",
                from.people,
                from.photos,
                from.source,
                own.digest()
            )
        }
        Prior::None => "none: learned in each fold from the photos to learn from".to_owned(),
    }
}

fn options(settings: Settings, preparation: &Preparation, evaluation: &Evaluation) -> String {
    let mut options = format!(
        "protocol {}, seed {}, background {}, faces of {} pixels, framing {}",
        evaluation.protocol,
        evaluation.seed,
        settings.prior.name(),
        preparation.size(),
        preparation.framing().name(),
    );
    if settings.prior == Prior::None {
        options.push_str(&format!(
            ", metric {}, kernel {}, scaled pixels {}",
            settings.distance.metric.name(),
            settings.distance.kernel,
            settings.distance.pixel_scale.name()
        ));
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
        Prior::Bundled | Prior::Own(_) => {
            "by the background model, moved by the photos enrolled in each split"
        }
        Prior::None => "by leaving out photos among those enrolled in each split",
    };
    format!(
        "default decision: set {origin}, aiming at {aim:.0} % of strangers named ({limit}). {THRESHOLDS}"
    )
}

/// Counts, and a hash of all photos that were used, whatever their names.
fn dataset(evaluation: &Evaluation, gallery: &Gallery) -> String {
    let mut hashes: Vec<String> = gallery
        .enrolled()
        .iter()
        .map(|face| face.hash.to_string())
        .collect();
    hashes.sort_unstable();
    let given = evaluation.capture.map_or_else(String::new, |capture| {
        format!(
            " in {}, {} aligned without a face found",
            counted(capture.photos, "photo given", "photos given"),
            capture.aligned_without_face
        )
    });
    let strangers = evaluation.open_set.as_ref().and_then(|set| set.given);
    let strangers = strangers.map_or_else(String::new, |count| {
        format!("; {}", counted(count, "stranger given", "strangers given"))
    });
    format!(
        "{}{given}{strangers}; SHA-256 of the photos' hashes {}",
        faces_of_people(evaluation.faces, evaluation.people),
        ContentHash::of(hashes.concat().as_bytes())
    )
}

/// As an object of JSON.
pub fn object(conditions: &Conditions) -> Value {
    let fields = conditions
        .iter()
        .map(|(name, value)| ((*name).to_owned(), Value::from(value.as_str())));
    Value::Object(fields.collect::<Map<_, _>>())
}
