//! `eigenfaces background`: learning how faces differ from photos of one's own.

use std::time::Instant;

use eigenfaces::background::{Background, OwnBackground, Provenance, Training};
use eigenfaces::store::{self, Outputs};
use eigenfaces::training::{self, ENOUGH_PEOPLE};
use serde_json::json;

use super::args::LearnBackground;
use super::{Outcome, Output, Result, counted, files, shown};

pub fn run(args: &LearnBackground, output: &Output) -> Result<Outcome> {
    let started = Instant::now();
    let mut inputs = args.faces.clone();
    inputs.extend(files::table(&args.labels.rule));
    let outputs = Outputs::new(inputs, args.force.into());
    let file = outputs.claim(&args.output)?;
    let mouths = Background::bundled()
        .map_err(eigenfaces::Error::from)?
        .mouths();
    output.say("every photo is read once, and twice more as damaged copies; nothing is written before the end");
    let learned = training::learn(
        &args.faces,
        &args.labels.rule,
        |_| false,
        mouths,
        Training::default(),
        output,
    )?;
    let (people, photos) = (learned.people.len(), learned.photos);
    let own = OwnBackground::new(
        learned.background,
        Provenance {
            source: args.source.clone(),
            license: args.license.clone(),
            people,
            photos,
        },
    );
    store::save_background(own, &file)?;
    output.fields(&json!({
        "file": file.path().to_string_lossy(), "people": people, "with_two_photos": learned.with_two_photos,
        "photos": photos, "sha256": own.digest(),
    }))?;
    output.say(&format!(
        "learned from {} of {}, {} of whom have two or more",
        counted(photos, "photo", "photos"),
        counted(people, "person", "people"),
        learned.with_two_photos
    ));
    if learned.with_two_photos < ENOUGH_PEOPLE {
        output.warn(&format!(
            "so few people teach little: others will seldom be named. From {ENOUGH_PEOPLE} with two photos on it is of use, and 500 are better"
        ));
    }
    output.say_written(file.path(), started);
    output.say(&format!(
        "next: eigenfaces enroll FOLDER --background {}",
        shown(file.path())
    ));
    Ok(Outcome::of_inputs(photos, learned.skipped.len()))
}
