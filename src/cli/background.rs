//! `eigenfaces background`: learning how faces differ from photos of one's own.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use eigenfaces::background::{Background, LightVariation, OwnBackground, Provenance, Training};
use eigenfaces::store::{self, Outputs};
use eigenfaces::training::{self, ENOUGH_PEOPLE};
use serde_json::json;

use super::options::{Force, Labels, ending_in};
use super::{ExitStatus, Output, Result, counted, files, shown};

#[derive(Debug, Args)]
pub struct LearnBackground {
    /// Folders with a sub-folder per person: 100 people or more with two photos or more each, none of whom need be enrolled
    #[arg(required = true, value_name = "FOLDER")]
    pub faces: Vec<PathBuf>,
    /// The file to write, for `enroll --background`
    #[arg(short, long, value_name = "FILE.npz", value_parser = ending_in(&["npz"], ".npz"))]
    pub output: PathBuf,
    /// Where the photos come from: kept in the file, and told by `info`
    #[arg(long, value_name = "TEXT", value_parser = told)]
    pub source: String,
    /// The license or permission under which they are used: kept and told likewise
    #[arg(long, value_name = "TEXT", value_parser = told)]
    pub license: String,
    #[command(flatten)]
    pub labels: Labels,
    #[command(flatten)]
    pub force: Force,
}

/// A line that says something.
fn told(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    let is_line = text.chars().any(char::is_alphanumeric) && text.len() <= 1000;
    is_line.then(|| text.to_owned()).ok_or("want a line of text, of at most 1000 bytes")
}

pub fn run(args: &LearnBackground, output: &Output) -> Result<ExitStatus> {
    let started = Instant::now();
    let mut inputs = args.faces.clone();
    inputs.extend(files::table(&args.labels.rule));
    let file = Outputs::new(inputs, args.force.into()).claim(&args.output)?;
    let bundled = Background::bundled().map_err(eigenfaces::Error::from)?;
    output.say("every photo is read once, and twice more as damaged copies, in 120 KB of memory a photo; nothing is written before the end");
    let learned =
        training::learn(&args.faces, &args.labels.rule, |_| false, bundled.mouths(), Training::default(), output)?;
    let (people, photos) = (learned.people.len(), learned.photos);
    let light = LightVariation::carried(bundled, &learned.background).map_err(eigenfaces::Error::from)?;
    let own = OwnBackground::new(
        learned.background.with_light(light),
        Provenance { source: args.source.clone(), license: args.license.clone(), people, photos },
    );
    store::save_background(own, &file)?;
    output.fields(&json!({
        "file": file.path().to_string_lossy(), "people": people, "with_two_photos": learned.with_two_photos,
        "photos": photos, "sha256": own.digest(),
    }))?;
    let (all, whom) = (counted(photos, "photo", "photos"), counted(people, "person", "people"));
    output.say(&format!("learned from {all} of {whom}, {} of whom have two or more", learned.with_two_photos));
    if learned.with_two_photos < ENOUGH_PEOPLE {
        output.warn(&format!(
            "so few people teach little: others will seldom be named. From {ENOUGH_PEOPLE} with two photos on it is of use, and 500 are better"
        ));
    }
    output.say_written(file.path(), started);
    output.say(&format!("next: eigenfaces enroll FOLDER --background {}", shown(file.path())));
    Ok(ExitStatus::of_inputs(photos, learned.skipped.len()))
}
