//! The history of a gallery, in words and for scripts: part of `eigenfaces info`.

use std::collections::BTreeMap;

use eigenfaces::gallery::{Event, History, Record, Tally};
use eigenfaces::store::date;
use serde_json::{Value, json};

use super::{Outcome, Output, Result, counted, faces_of_people};

/// Number of records shown by default.
const LATEST: usize = 5;

/// The latest records, a line each, without names.
pub fn latest(history: &History) -> Vec<String> {
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
pub fn run(history: &History, output: &Output) -> Result<Outcome> {
    let names = history.names();
    let columns = "time,event,number,person,faces";
    output.header(columns)?;
    for record in history.records() {
        output.record(columns, object(record, &names), || in_lines(record, &names))?;
    }
    Ok(Outcome::Done)
}

fn in_lines(record: &Record, names: &BTreeMap<u64, &str>) -> Vec<String> {
    let whom = people(&record.event).into_iter().map(|(number, faces)| {
        let faces = faces.map(|faces| format!(": {}", counted(faces, "face", "faces")));
        format!("  {}{}", who(names, number), faces.unwrap_or_default())
    });
    std::iter::once(in_a_line(record)).chain(whom).collect()
}

fn who(names: &BTreeMap<u64, &str>, number: u64) -> String {
    match names.get(&number) {
        Some(name) => (*name).to_owned(),
        None => format!("number {number}, no longer enrolled"),
    }
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
        Event::Enrolled(tally) | Event::Removed(tally) => tally
            .iter()
            .map(|&Tally(person, faces)| (person, Some(faces)))
            .collect(),
        Event::Renamed(person) => vec![(*person, None)],
        Event::Merged(from, into) => vec![(*from, None), (*into, None)],
    }
}

fn in_a_line(record: &Record) -> String {
    let sum = |tally: &[Tally]| {
        // Untrusted: saturate.
        let faces = tally
            .iter()
            .fold(0usize, |sum, Tally(_, faces)| sum.saturating_add(*faces));
        faces_of_people(faces, tally.len())
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
    format!(
        "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{:02} UTC",
        second % 60
    )
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
