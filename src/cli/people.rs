//! `eigenfaces people`: who is enrolled.

use std::path::Path;

use eigenfaces::error::Result;
use eigenfaces::store;
use serde_json::json;

use super::Outcome;
use super::args::{Format, People, PeopleAction};
use super::output::{Output, counted, one_line};

pub fn run(args: &People, model: &Path, output: &Output) -> Result<Outcome> {
    match args.action {
        None | Some(PeopleAction::List) => list(model, output),
    }
}

fn list(model: &Path, output: &Output) -> Result<Outcome> {
    let recognizer = store::load(model)?;
    let gallery = recognizer.gallery();
    if output.format == Format::Csv {
        output.line("person,faces")?;
    }
    for (person, count) in gallery.people().iter().zip(gallery.counts()) {
        match output.format {
            Format::Text => output.line(&format!(
                "{} ({})",
                one_line(person.as_str()),
                counted(count, "face", "faces")
            ))?,
            Format::Json => {
                output.line(&json!({ "person": person.as_str(), "faces": count }).to_string())?;
            }
            Format::Csv => output.csv(&[person.to_string(), count.to_string()])?,
        }
    }
    Ok(Outcome::Done)
}
