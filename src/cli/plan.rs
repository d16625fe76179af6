//! `eigenfaces plan`: settles how photos become sums, for workers that never meet.

use eigenfaces::dataset;
use eigenfaces::enrollment::{Notice, Observer};
use eigenfaces::locate::framing::Crops;
use eigenfaces::partial::Plan;
use eigenfaces::store::{self, FileKind, Outputs, Privacy};

use super::args;
use super::error::Result;
use super::learning;
use super::outcome::Outcome;
use super::output::{Output, shown};

pub fn run(args: &args::Plan, output: &Output) -> Result<Outcome> {
    let mut outputs = Outputs::new(&args.faces, args.force.into());
    let destination = outputs.claim(&args.output, FileKind::Plan)?;
    let listing = dataset::list_photos(&args.faces)?;
    let photos = &listing.photos;
    let chosen =
        args.prepare
            .options(Crops::Keep)
            .choose(photos, &args.faces, &listing.skipped, output)?;
    let plan = Plan::new(
        chosen.preparation,
        args.features.unwrap_or_default(),
        args.mirrors,
        args.components.unwrap_or_default(),
    )?;
    destination.write_with(Privacy::Public, |out| store::write_plan(&plan, out))?;
    learning::report_skipped(&listing.skipped, output);
    if let Some(survey) = &chosen.survey {
        output.notice(&Notice::Framing(survey));
    }
    output.say(&format!("{}: {}", shown(&args.output), in_words(&plan)));
    output.say(&format!(
        "next, in every worker: eigenfaces partial FACES --plan {} -o part-N.npz",
        shown(&args.output)
    ));
    Ok(Outcome::of_inputs(photos.len(), listing.skipped.len()))
}

/// The plan in a line, without the program's version.
pub fn in_words(plan: &Plan) -> String {
    let values = Plan::KEYS.into_iter().zip(plan.values()).skip(1);
    let words: Vec<String> = values
        .map(|(key, value)| format!("{key} {value}"))
        .collect();
    words.join(", ")
}
