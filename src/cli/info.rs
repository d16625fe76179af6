//! `eigenfaces info`: what the model holds, in words.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use eigenfaces::background::Prior;
use eigenfaces::decision::{Acceptance, ENOUGH_PEOPLE, FALSE_ACCEPT_TARGET};
use eigenfaces::gallery::{Event, History, Record, Tally};
use eigenfaces::locate::framing::Framing;
use eigenfaces::matcher::Space;
use eigenfaces::recognizer::Recognizer;
use eigenfaces::records;
use eigenfaces::store::{self, date};
use serde_json::{Value, json};

use super::{ExitStatus, Output, Result, bytes, counted, faces_of_people, keep, learning, one_line, percent, shown};

#[derive(Debug, Args)]
pub struct Info {
    /// Show the change log: when how many faces of whom were enrolled and removed
    #[arg(long)]
    pub log: bool,
}

pub fn run(args: &Info, model: &Path, output: &Output) -> Result<ExitStatus> {
    let (recognizer, history) = store::load_with_history(model)?;
    if args.log {
        return print_log(&history, output);
    }
    let size = std::fs::metadata(model).map_or(0, |metadata| metadata.len());
    let file = ("model", format!("{}, {}", shown(model), bytes(size)));
    let latest = latest(&history).into_iter().enumerate().map(|(at, line)| (if at == 0 { "log" } else { "" }, line));
    let lines = std::iter::once(file)
        .chain(faces(&recognizer))
        .chain(lost(&recognizer))
        .chain(compared_space(&recognizer))
        .chain(decisions(&recognizer))
        .chain(latest);
    output.print_result(&records::model(&recognizer), listed(lines))?;
    if let Some(warning) = recognizer.confidence_warning().filter(|_| output.is_text()) {
        output.say(&warning);
    }
    Ok(ExitStatus::Done)
}

/// Contents of the model, without names and paths.
pub fn facts(recognizer: &Recognizer) -> impl Iterator<Item = (&'static str, String)> {
    faces(recognizer).into_iter().chain(compared_space(recognizer)).chain(decisions(recognizer))
}

fn faces(recognizer: &Recognizer) -> [(&'static str, String); 4] {
    let (space, gallery) = (recognizer.space(), recognizer.gallery());
    let (d, k) = (space.pixels(), space.components());
    let (people, faces) =
        (counted(gallery.people().len(), "person", "people"), counted(gallery.len(), "face", "faces"));
    let basis = counted(k, "basis face", "basis faces");
    let (learned_from, kept) = (counted(space.learned_from(), "face", "faces"), space.variance_kept() * 100.0);
    let framing = match recognizer.preparation().framing() {
        Framing::AsIs => "as-is: photos are taken as they are",
        Framing::Detect => "detect: faces are found and aligned by the eyes",
    };
    [
        ("people", format!("{people} with {faces}")),
        ("faces", format!("{} pixels ({d} values each)", space.size())),
        ("framing", framing.to_owned()),
        ("face space", format!("{basis} learned from {learned_from} {} {kept:.1} % of the variance", keep(k))),
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
            format!("{} instead of {d} pixels: {:.2} %", counted(k, "weight", "weights"), 100.0 * k as f64 / d as f64),
        ),
    ]
}

/// The comparison, and the confidence that a name needs.
fn decisions(recognizer: &Recognizer) -> [(&'static str, String); 3] {
    let distance = recognizer.settings().distance;
    let matching = match recognizer.settings().prior {
        Prior::Own(own) => {
            let (model, license) = (learning::learned_from(own), one_line(&own.provenance().license));
            format!("by {model} ({license}), SHA-256 {}", &own.digest()[..12])
        }
        Prior::Bundled | Prior::None => recognizer.comparer().in_words(&distance),
    };
    [
        ("matching", matching),
        ("a name needs", needed(recognizer)),
        ("not a face", format!("a face score below {:.2} (-1 to 1)", recognizer.comparer().face_score_limit())),
    ]
}

/// Facts, each in a line behind its name.
pub fn listed(facts: impl IntoIterator<Item = (&'static str, String)>) -> impl Iterator<Item = String> {
    facts.into_iter().map(|(what, text)| format!("{what:<13} {text}"))
}

/// The space of the pixels that are compared, where it is not the face space.
fn compared_space(recognizer: &Recognizer) -> Option<(&'static str, String)> {
    let space = recognizer.matcher()?.space();
    let kept = percent(space.variance_kept());
    match space {
        Space::Linear(_) => None,
        Space::Scaled(scaled) => {
            let constant = match scaled.constant_pixels() {
                0 => "none is constant".to_owned(),
                count => counted(count, "is constant and left out", "are constant and left out"),
            };
            let faces = counted(scaled.face_space().components(), "basis face", "basis faces");
            let text = format!(
                "each pixel is divided by its standard deviation ({constant}); {faces} keep {kept} of the variance"
            );
            Some(("scaled pixels", text))
        }
        Space::Kernel(space, _) => {
            let (components, kernel) = (counted(space.components(), "component", "components"), space.kernel());
            let gamma = space.gamma().map_or_else(String::new, |gamma| format!(" (gamma {gamma:.3e})"));
            Some(("kernel space", format!("{components} of {kernel}{gamma} keep {kept} of the variance")))
        }
    }
}

fn needed(recognizer: &Recognizer) -> String {
    match recognizer.threshold(Acceptance::default()) {
        Some(limit) => {
            let [limit, aim] = [limit, FALSE_ACCEPT_TARGET].map(percent);
            format!("a confidence of more than {limit} (aims at {aim} of strangers getting one)")
        }
        None => format!(
            "more people: without the background model no name is given with fewer than {ENOUGH_PEOPLE} enrolled"
        ),
    }
}

const LATEST: usize = 5;

/// The latest records, a line each, without names.
fn latest(history: &History) -> Vec<String> {
    let records = history.records();
    let (earlier, latest) = records.split_at(records.len().saturating_sub(LATEST));
    let mut lines: Vec<String> = latest.iter().map(in_a_line).collect();
    if !earlier.is_empty() {
        let count = counted(earlier.len(), "earlier change", "earlier changes");
        lines.push(format!("{count}: info --log"));
    }
    lines
}

/// Every record, with the names of those who are still enrolled.
fn print_log(history: &History, output: &Output) -> Result<ExitStatus> {
    let names = history.names();
    let records = history.records().iter().map(|it| super::Record::new(object(it, &names), in_lines(it, &names)));
    output.records("time,event,number,person,faces", records)?;
    Ok(ExitStatus::Done)
}

fn in_lines(record: &Record, names: &BTreeMap<u64, &str>) -> Vec<String> {
    let whom = people(&record.event).into_iter().map(|(number, faces)| {
        let faces = faces.map(|faces| format!(": {}", counted(faces, "face", "faces")));
        format!("  {}{}", who(names, number), faces.unwrap_or_default())
    });
    std::iter::once(in_a_line(record)).chain(whom).collect()
}

fn who(names: &BTreeMap<u64, &str>, number: u64) -> String {
    names.get(&number).map_or_else(|| format!("number {number}, no longer enrolled"), |name| (*name).to_owned())
}

fn object(record: &Record, names: &BTreeMap<u64, &str>) -> Value {
    let people: Vec<Value> = people(&record.event)
        .into_iter()
        .map(|(number, faces)| json!({ "number": number, "person": names.get(&number), "faces": faces }))
        .collect();
    json!({ "time": utc(record.time), "event": event(&record.event), "people": people })
}

fn event(event: &Event) -> &'static str {
    match event {
        Event::Enrolled(_) => "enrolled",
        Event::Removed(_) => "removed",
        Event::Renamed(_) => "renamed",
        Event::Merged(..) => "merged",
    }
}

/// Whom a record is about, by number, and how many faces each; of a merger first who is gone.
fn people(event: &Event) -> Vec<(u64, Option<usize>)> {
    match event {
        Event::Enrolled(tally) | Event::Removed(tally) => {
            tally.iter().map(|&Tally(person, faces)| (person, Some(faces))).collect()
        }
        Event::Renamed(person) => vec![(*person, None)],
        Event::Merged(from, into) => vec![(*from, None), (*into, None)],
    }
}

fn in_a_line(record: &Record) -> String {
    let sum = |tally: &[Tally]| {
        // Untrusted: saturate.
        faces_of_people(tally.iter().fold(0usize, |sum, Tally(_, faces)| sum.saturating_add(*faces)), tally.len())
    };
    let what = match &record.event {
        Event::Enrolled(tally) => format!("enrolled {}", sum(tally)),
        Event::Removed(tally) => format!("removed {}", sum(tally)),
        Event::Renamed(_) => "renamed 1 person".to_owned(),
        Event::Merged(..) => "merged 2 people into one".to_owned(),
    };
    format!("{} {what}", utc(record.time))
}

/// Seconds since 1970 as `2026-11-21 04:41:41 UTC`.
pub fn utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{:02} UTC", second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (1_795_236_101, "2026-11-21 04:41:41 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
            (13_569_465_600, "2400-01-01 00:00:00 UTC"),
        ] {
            assert_eq!(utc(seconds), text, "{seconds}");
        }
        // Untrusted: saturate.
        assert!(utc(u64::MAX).ends_with(" UTC"));
    }
}
