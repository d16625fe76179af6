//! `eigenfaces evaluate --from-scores`: the figures of any system's scores.

use std::io::Read as _;
use std::path::Path;

use eigenfaces::dataset;
use eigenfaces::error::reason;
use eigenfaces::evaluate::scores::{ScoreEvaluation, ScoreTable};
use eigenfaces::render::evaluation::{EvaluationPage, of_scores};

use super::args::Evaluate;
use super::evaluation_files::Wanted;
use super::evaluation_groups::GroupTable;
use super::{Error, Outcome, Output, Result, counted, evaluation, evaluation_conditions, shown};

pub fn run(args: &Evaluate, path: &Path, output: &Output) -> Result<Outcome> {
    let wanted = Wanted::claim(args)?;
    let problem = |problem: String| Error::about(path, problem);
    let mut bytes = Vec::new();
    dataset::open_file(path)
        .and_then(|mut file| file.read_to_end(&mut bytes))
        .map_err(|error| problem(reason(&error)))?;
    let table = dataset::parse_table(&bytes).map_err(problem)?;
    let mut scores = ScoreTable::parse(&table).map_err(problem)?;
    if let Some(groups) = &args.groups
        && let Some(told) = GroupTable::read(Some(groups), &args.labels.rule)?
    {
        told.of(scores.people(), groups)?;
        scores.set_groups(|person| told.group(person));
    }
    let found = scores.evaluate(args.seed);
    let figures = found.figures();
    let conditions = evaluation_conditions::of_scores(&bytes, found.probes, found.people);
    let mut object = found.object();
    object["conditions"] = evaluation_conditions::object(&conditions);
    let curve = found.open_set.as_ref();
    let curve = curve.map_or(&[][..], |set| &set.fpir_fnir);
    let charts = of_scores(
        (&found.identification, None),
        &found.verification,
        (curve, found.enrolled),
        &found.larger_galleries,
    );
    let heading = heading(&found, path);
    let page = EvaluationPage {
        heading: &heading,
        conditions: &conditions,
        figures: &figures,
        charts: &charts,
        json: "",
    };
    wanted.write_page(page, &object, (&found.verification, curve), output)?;
    evaluation::print(&figures, object, output, |figures| {
        output.line(&heading)?;
        output.line("")?;
        evaluation::rows(figures, args.seed, output, |_| Ok(()))
    })?;
    Ok(Outcome::Done)
}

fn heading(found: &ScoreEvaluation, path: &Path) -> String {
    format!(
        "scores of {}: {} compared with {} at most, {} of strangers",
        shown(path),
        counted(found.probes, "probe", "probes"),
        counted(found.enrolled, "person", "people"),
        found.strangers
    )
}
