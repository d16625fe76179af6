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
use super::{evaluate, evaluation_conditions, files, learning, log};

pub fn run(args: &Report, model: &Path, output: &Output) -> Result<Outcome> {
    let mut inputs = args.faces.clone();
    match inputs.is_empty() {
        true => inputs.push(model.to_owned()),
        false => inputs.extend(files::table(&args.labels.rule)),
    }
    let outputs = Outputs::new(inputs, args.force.into());
    let destination = outputs.claim(&args.output)?;
    let (preparation, gallery, settings, capture, outcome) = if args.faces.is_empty() {
        let recognizer = store::load(model)?;
        let gallery = recognizer.gallery().clone();
        (
            *recognizer.preparation(),
            gallery,
            recognizer.settings(),
            // A model does not hold how many photos could not be used.
            None,
            Outcome::Done,
        )
    } else {
        let options = args.learn.preparation_options();
        let read = enrollment::read_gallery(&args.faces, &args.labels.rule, options, output)?;
        let outcome = Outcome::of_inputs(read.gallery.len(), read.skipped.len());
        let settings = args.learn.settings(Settings::default());
        let rule = &args.labels.rule;
        let capture = evaluate::capture(&args.faces, rule, &read.gallery, &read.skipped);
        (read.preparation, read.gallery, settings, capture, outcome)
    };
    let recognizer = Recognizer::learn(preparation, gallery.clone(), settings)?;
    let plan = Plan {
        seed: args.seed,
        capture,
        ..Plan::new(args.protocol)
    };
    let evaluation = learning::evaluate(preparation, gallery, settings, &plan, output)?;

    let (gallery, space) = (recognizer.gallery(), recognizer.display_space());
    let conditions = evaluation_conditions::of_evaluation(&evaluation, &preparation, gallery);
    let mut object = with_schema(evaluation.object());
    object["conditions"] = evaluation_conditions::object(&conditions);
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
        json: &object.to_string(),
        origin: &origin,
        conditions: &conditions,
    })?;
    let size = bytes(page.len() as u64);
    destination.write(Privacy::Owner, page.into_bytes())?;
    output.say(&format!(
        "wrote {} ({size}): open it in a browser",
        shown(&args.output)
    ));
    Ok(outcome)
}
