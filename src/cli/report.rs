//! `eigenfaces report`: a gallery and how well its people are recognised, as one page.

use std::path::Path;

use eigenfaces::enrollment;
use eigenfaces::evaluate::Plan;
use eigenfaces::gallery::change_time;
use eigenfaces::recognizer::{Recognizer, Settings};
use eigenfaces::render::report;
use eigenfaces::store::{self, Outputs, Privacy};

use super::args::Report;
use super::error::Result;
use super::outcome::Outcome;
use super::output::{Output, bytes, shown, with_schema};
use super::{files, learning, log};

pub fn run(args: &Report, model: &Path, output: &Output) -> Result<Outcome> {
    let mut inputs = args.faces.clone();
    match inputs.is_empty() {
        true => inputs.push(model.to_owned()),
        false => inputs.extend(files::table(&args.labels.rule)),
    }
    let outputs = Outputs::new(inputs, args.force.into());
    let destination = outputs.claim(&args.output)?;
    let (preparation, gallery, settings, outcome) = if args.faces.is_empty() {
        args.learn.refuse_given("a folder of faces");
        let recognizer = store::load(model)?;
        let gallery = recognizer.gallery().clone();
        (
            *recognizer.preparation(),
            gallery,
            recognizer.settings(),
            Outcome::Done,
        )
    } else {
        let options = args.learn.preparation_options();
        let read = enrollment::read_gallery(&args.faces, &args.labels.rule, options, output)?;
        let outcome = Outcome::of_inputs(read.gallery.len(), read.skipped.len());
        let settings = args.learn.settings(Settings::default());
        (read.preparation, read.gallery, settings, outcome)
    };
    let recognizer = Recognizer::learn(preparation, gallery.clone(), settings)?;
    let plan = Plan {
        seed: args.seed,
        ..Plan::new(args.protocol)
    };
    let evaluation = learning::evaluate(preparation, gallery, settings, &plan, output)?;

    let (gallery, space) = (recognizer.gallery(), recognizer.shown_space()?);
    let json = with_schema(evaluation.object()).to_string();
    let of = match args.faces.first() {
        None => format!("the model {}", shown(model)),
        Some(folder) => format!("the folder {}", shown(folder)),
    };
    let origin = format!(
        "Written by eigenfaces {} on {} about {of}.",
        env!("CARGO_PKG_VERSION"),
        log::utc(change_time())
    );
    let page = report::html(&report::Report {
        gallery,
        weights: &recognizer.shown_weights(&space),
        ratios: &recognizer.shown_ratios(&space),
        space: &space,
        evaluation: &evaluation,
        json: &json,
        origin: &origin,
    })?;
    let size = bytes(page.len() as u64);
    destination.write(Privacy::Owner, page.into_bytes())?;
    output.say(&format!(
        "wrote {} ({size}): open it in a browser",
        shown(&args.output)
    ));
    Ok(outcome)
}
