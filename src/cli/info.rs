//! `eigenfaces info`: what the model holds, in words.

use std::path::Path;

use eigenfaces::background::Prior;
use eigenfaces::decision::{Acceptance, ENOUGH_PEOPLE, FALSE_ACCEPT_TARGET};
use eigenfaces::locate::framing::Framing;
use eigenfaces::matcher::Space;
use eigenfaces::recognizer::Recognizer;
use eigenfaces::records;
use eigenfaces::store;

use super::args::Info;
use super::{
    Outcome, Output, Result, bytes, counted, keep, learning, log, one_line, percent, shown,
};

pub fn run(args: &Info, model: &Path, output: &Output) -> Result<Outcome> {
    let (recognizer, history) = store::load_with_history(model)?;
    if args.log {
        return log::run(&history, output);
    }
    let size = std::fs::metadata(model).map_or(0, |metadata| metadata.len());
    let file = ("model", format!("{}, {}", shown(model), bytes(size)));
    let latest = log::latest(&history).into_iter().enumerate();
    let latest = latest.map(|(at, line)| (if at == 0 { "log" } else { "" }, line));
    let lines = std::iter::once(file)
        .chain(faces(&recognizer))
        .chain(compared_space(&recognizer))
        .chain(lost(&recognizer))
        .chain(decisions(&recognizer))
        .chain(latest);
    output.told(&records::model(&recognizer), listed(lines))?;
    if let Some(warning) = recognizer.confidence_warning().filter(|_| output.is_text()) {
        output.say(&warning);
    }
    Ok(Outcome::Done)
}

/// What the model holds, without names and paths.
pub fn facts(recognizer: &Recognizer) -> impl Iterator<Item = (&'static str, String)> {
    faces(recognizer)
        .into_iter()
        .chain(compared_space(recognizer))
        .chain(decisions(recognizer))
}

/// The people, their faces, and the face space.
fn faces(recognizer: &Recognizer) -> [(&'static str, String); 4] {
    let (space, gallery) = (recognizer.space(), recognizer.gallery());
    let (d, k) = (space.pixels(), space.components());
    [
        (
            "people",
            format!(
                "{} with {}",
                counted(gallery.people().len(), "person", "people"),
                counted(gallery.len(), "face", "faces")
            ),
        ),
        (
            "faces",
            format!("{} pixels ({d} values each)", space.size()),
        ),
        (
            "framing",
            match recognizer.preparation().framing() {
                Framing::AsIs => "as-is: photos are taken as they are",
                Framing::Detect => "detect: faces are found and aligned by the eyes",
            }
            .to_owned(),
        ),
        (
            "face space",
            format!(
                "{} learned from {} {} {:.1} % of the variance",
                counted(k, "basis face", "basis faces"),
                counted(space.learned_from(), "face", "faces"),
                keep(k),
                space.variance_kept() * 100.0
            ),
        ),
    ]
}

/// What the weights of a face lack, and what they save.
fn lost(recognizer: &Recognizer) -> [(&'static str, String); 2] {
    let space = recognizer.space();
    let (d, k) = (space.pixels(), space.components());
    let lost = space.projection_error(recognizer.gallery().faces());
    [
        (
            "lost",
            format!(
                "{:.2} % of the enrolled faces' variation: an average squared projection error of {:.0} of {:.0}",
                lost.share() * 100.0,
                lost.average_squared,
                lost.total_variation
            ),
        ),
        (
            "compression",
            format!(
                "{} instead of {d} pixels: {:.2} %",
                counted(k, "weight", "weights"),
                100.0 * k as f64 / d as f64
            ),
        ),
    ]
}

/// How people are compared, and what a name takes.
fn decisions(recognizer: &Recognizer) -> [(&'static str, String); 3] {
    let distance = recognizer.settings().distance;
    let matching = match recognizer.settings().prior {
        Prior::Own(own) => format!(
            "by {} ({}), SHA-256 {}",
            learning::learned_from(own),
            one_line(&own.provenance().license),
            &own.digest()[..12]
        ),
        Prior::Bundled | Prior::None => recognizer.comparer().in_words(&distance),
    };
    [
        ("matching", matching),
        ("a name needs", needed(recognizer)),
        (
            "not a face",
            format!(
                "a face score below {:.2} (-1 to 1)",
                recognizer.comparer().face_score_limit()
            ),
        ),
    ]
}

/// Facts, each in a line behind its name.
pub fn listed(
    facts: impl IntoIterator<Item = (&'static str, String)>,
) -> impl Iterator<Item = String> {
    let facts = facts.into_iter();
    facts.map(|(what, text)| format!("{what:<13} {text}"))
}

/// The space of the pixels that are compared, where it is not the face space.
fn compared_space(recognizer: &Recognizer) -> Option<(&'static str, String)> {
    let space = recognizer.matcher()?.space();
    let kept = percent(space.variance_kept());
    match space {
        Space::Linear(_) => None,
        Space::Scaled(scaled) => Some((
            "scaled pixels",
            format!(
                "each pixel is divided by its standard deviation ({}); {} keep {kept} of the variance",
                match scaled.constant_pixels() {
                    0 => "none is constant".to_owned(),
                    count => counted(
                        count,
                        "is constant and left out",
                        "are constant and left out"
                    ),
                },
                counted(scaled.components(), "basis face", "basis faces"),
            ),
        )),
        Space::Kernel(kernel, _) => Some((
            "kernel space",
            format!(
                "{} of {}{} keep {kept} of the variance",
                counted(kernel.components(), "component", "components"),
                kernel.kernel(),
                kernel
                    .gamma()
                    .map_or_else(String::new, |gamma| format!(" (gamma {gamma:.3e})")),
            ),
        )),
    }
}

/// The confidence that a name needs, in words.
fn needed(recognizer: &Recognizer) -> String {
    match recognizer.threshold(Acceptance::default()) {
        Some(limit) => format!(
            "a confidence of more than {} (aims at {} of strangers getting one)",
            percent(limit),
            percent(FALSE_ACCEPT_TARGET)
        ),
        None => format!(
            "more people: without the background model no name is given with fewer than {ENOUGH_PEOPLE} enrolled"
        ),
    }
}
