//! Files that `evaluate` writes besides its figures: every score (`--scores`), and pictures of what went wrong
//! (`--failures`).

use std::path::PathBuf;

use eigenfaces::evaluate::{self, Evaluation, ProbeOutcome, WorstPair};
use eigenfaces::gallery::Gallery;
use eigenfaces::render::strip::{Panel, Row, strip};
use eigenfaces::store::{Destination, FileKind, Outputs, Privacy};
use image::DynamicImage;

use super::args::Evaluate;
use super::error::Result;
use super::files;
use super::output::{Output, cell, counted, one_line, shown, table};

/// Rows on a page of mistakes: as many as can be looked at.
const ROWS: usize = 12;

/// The files asked for.
pub struct Wanted {
    scores: Option<Destination>,
    failures: Option<PathBuf>,
    outputs: Outputs,
}

impl Wanted {
    /// The right to write them, before the work begins.
    pub fn claim(args: &Evaluate) -> Result<Self> {
        let mut inputs = args.faces.clone();
        inputs.extend(files::table(&args.labels));
        inputs.extend(args.not_faces.iter().cloned());
        let mut outputs = Outputs::new(inputs, args.force.into());
        let scores = files::claim(&mut outputs, args.scores.as_ref())?;
        if let Some(folder) = &args.failures {
            outputs.check_below(folder, page(1).as_ref(), FileKind::Derived)?;
        }
        Ok(Self {
            scores,
            failures: args.failures.clone(),
            outputs,
        })
    }

    pub fn write(
        mut self,
        evaluation: &Evaluation,
        gallery: &Gallery,
        output: &Output,
    ) -> Result<()> {
        if let Some(file) = &self.scores {
            file.write(Privacy::Owner, scores(evaluation, gallery))?;
            output.say(&format!(
                "wrote {} to {}",
                counted(evaluation.scores.len(), "score", "scores"),
                shown(file.path())
            ));
        }
        if let Some(folder) = self.failures.take() {
            self.draw(folder, evaluation, gallery, output)?;
        }
        Ok(())
    }

    fn draw(
        &mut self,
        folder: PathBuf,
        evaluation: &Evaluation,
        gallery: &Gallery,
        output: &Output,
    ) -> Result<()> {
        let mistakes = evaluate::mistakes(evaluation, gallery);
        files::make_folder(&folder)?;
        let pages = mistakes.len().div_ceil(ROWS);
        for (number, mistakes) in (1..).zip(mistakes.chunks(ROWS)) {
            let rows: Vec<Row> = mistakes.iter().map(|one| row(one, gallery)).collect();
            let target = folder.join(page(number));
            let target = self.outputs.claim(&target, FileKind::Derived)?;
            let title = format!("Probes taken for another person, page {number} of {pages}");
            let picture = strip(&title, &rows).to_pixels();
            files::picture(&target, Privacy::Personal, &picture.into())?;
        }
        files::forget(&mut self.outputs, &folder, (pages + 1..).map(page))?;
        output.say(&match mistakes.len() {
            0 => "no probe was taken for another person: there is no page of failures".to_owned(),
            count => format!(
                "wrote {} of {} to {}",
                counted(pages, "page", "pages"),
                counted(count, "failure", "failures"),
                shown(&folder)
            ),
        });
        Ok(())
    }
}

fn page(number: usize) -> String {
    format!("failures-{number:03}.png")
}

/// A probe, who it was taken for, and who it is.
fn row(mistake: &WorstPair, gallery: &Gallery) -> Row {
    let person = |face: usize| gallery.people()[gallery.enrolled()[face].person].to_string();
    let panel = |face: usize, first: String, distance: Option<f64>| Panel {
        image: gallery
            .faces()
            .image(face)
            .map_or_else(|| DynamicImage::new_luma8(1, 1), DynamicImage::from),
        lines: [first, stem(&gallery.enrolled()[face].source)]
            .into_iter()
            .chain(distance.map(|distance| format!("distance {distance:.3}")))
            .collect(),
    };
    let probe = format!("probe: {}", person(mistake.face));
    let named = format!("taken for {}", gallery.people()[mistake.named]);
    let own = format!("nearest of {}", person(mistake.own_face));
    Row {
        heading: String::new(),
        panels: vec![
            panel(mistake.face, probe, None),
            panel(mistake.named_face, named, Some(mistake.named_distance)),
            panel(mistake.own_face, own, Some(mistake.own_distance)),
        ],
    }
}

/// The name of a photo, without its folders.
fn stem(source: &str) -> String {
    let name = std::path::Path::new(source).file_name();
    name.map_or_else(String::new, |name| one_line(&name.to_string_lossy()))
}

/// A row for every probe and every person it was compared with.
fn scores(evaluation: &Evaluation, gallery: &Gallery) -> Vec<u8> {
    let header = "repeat,photo,person,candidate,rank,distance,decision".split(',');
    let limit = evaluation.confidence_limit;
    let decisions: std::collections::HashMap<(usize, usize), &ProbeOutcome> = evaluation
        .identification
        .trials
        .iter()
        .map(|trial| ((trial.repeat, trial.face), trial))
        .collect();
    let rows = evaluation.scores.iter().map(|score| {
        let face = &gallery.enrolled()[score.face];
        let trial = decisions.get(&(score.repeat, score.face));
        let is_named = trial.is_some_and(|trial| {
            trial.named == score.person && limit.is_some_and(|limit| trial.confidence > limit)
        });
        let decision = if is_named { "known" } else { "unknown" };
        vec![
            (score.repeat + 1).to_string(),
            cell(&one_line(&face.source)),
            cell(gallery.people()[face.person].as_str()),
            cell(gallery.people()[score.person].as_str()),
            score.rank.to_string(),
            format!("{:.6}", score.distance),
            decision.to_owned(),
        ]
    });
    table(std::iter::once(header.map(str::to_owned).collect()).chain(rows))
}
