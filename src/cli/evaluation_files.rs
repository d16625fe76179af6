//! Files that `evaluate` writes besides its figures: a page (`--report`), every score (`--scores`), and pictures of what
//! went wrong (`--failures`).

use std::path::PathBuf;

use eigenfaces::evaluate::{self, Evaluation, Mistake, ProbeOutcome, Role};
use eigenfaces::gallery::Gallery;
use eigenfaces::render::evaluation::{EvaluationPage, html};
use eigenfaces::render::file_name;
use eigenfaces::render::strip::{Panel, Row, strip};
use eigenfaces::store::{Destination, Outputs, Privacy, make_results_folder};
use image::DynamicImage;
use serde_json::Value;

use super::args::Evaluate;
use super::output::{cell, table, with_schema};
use super::output_dir::OutputDir;
use super::{Output, Result, bytes, counted, files, one_line, shown};

/// Rows on a page of mistakes: as many as can be looked at.
const ROWS: usize = 12;

/// The files asked for.
pub struct Wanted {
    report: Option<Destination>,
    scores: Option<Destination>,
    failures: Option<PathBuf>,
    outputs: Outputs,
}

impl Wanted {
    /// The right to write them, before the work begins.
    pub fn claim(args: &Evaluate) -> Result<Self> {
        let mut inputs = args.faces.clone();
        inputs.extend(files::table(&args.labels.rule));
        inputs.extend(args.strangers.iter().chain(&args.not_faces).cloned());
        inputs.extend(args.groups.iter().cloned());
        let outputs = Outputs::new(inputs, args.force.into());
        let report = files::claim(&outputs, args.report.as_ref())?;
        let scores = files::claim(&outputs, args.scores.as_ref())?;
        if let Some(folder) = &args.failures {
            outputs.check_below(folder, page(1).as_ref())?;
        }
        Ok(Self {
            report,
            scores,
            failures: args.failures.clone(),
            outputs,
        })
    }

    /// Writes the page, with the evaluation as an object, where it was asked for.
    pub fn write_page(
        &self,
        page: EvaluationPage<'_>,
        object: &Value,
        output: &Output,
    ) -> Result<()> {
        if let Some(file) = &self.report {
            // Seconds differ from run to run, and the page is to be written again to the byte.
            let mut object = with_schema(object.clone());
            if let Some(fields) = object.as_object_mut() {
                fields.remove("times");
            }
            let json = &object.to_string();
            let page = html(&EvaluationPage { json, ..page })?;
            let size = bytes(page.len() as u64);
            file.write(Privacy::Owner, page.into_bytes())?;
            output.say(&format!(
                "wrote {} ({size}): open it in a browser, or print it",
                shown(file.path())
            ));
        }
        Ok(())
    }

    /// Writes what else was asked for; `strangers` are the photos of strangers that were given.
    pub fn write(
        mut self,
        evaluation: &Evaluation,
        gallery: &Gallery,
        strangers: &[String],
        output: &Output,
    ) -> Result<()> {
        let photos = Photos { gallery, strangers };
        if let Some(file) = &self.scores {
            file.write(Privacy::Owner, scores(evaluation, &photos))?;
            let open_set = evaluation.open_set.as_ref();
            let open = open_set.map_or(0, |open_set| open_set.probes.len());
            let closed = evaluation.scores.iter().map(|probe| probe.ranked.len());
            let closed: usize = closed.sum();
            output.say(&format!(
                "wrote {} to {}",
                counted(closed + open, "score", "scores"),
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
        let mistakes = evaluate::mistakes(evaluation, gallery)?;
        make_results_folder(&folder)?;
        let folder = OutputDir::new(&folder, self.outputs.clone());
        let pages = mistakes.len().div_ceil(ROWS);
        for (number, mistakes) in (1..).zip(mistakes.chunks(ROWS)) {
            let rows: Vec<Row> = mistakes.iter().map(|one| row(one, gallery)).collect();
            let title = format!("Probes taken for another person, page {number} of {pages}");
            let picture = strip(&title, &rows).to_pixels();
            folder.picture(page(number), Privacy::Personal, &picture.into())?;
        }
        folder.forget((pages + 1..).map(page));
        output.say(&match mistakes.len() {
            0 => "no probe was taken for another person: there is no page of failures".to_owned(),
            count => format!(
                "wrote {} of {} to {}",
                counted(pages, "page", "pages"),
                counted(count, "failure", "failures"),
                shown(folder.path())
            ),
        });
        Ok(())
    }
}

fn page(number: usize) -> String {
    format!("failures-{number:03}.png")
}

/// A probe, who it was taken for, and who it is.
fn row(mistake: &Mistake, gallery: &Gallery) -> Row {
    let person = |face: usize| gallery.people()[gallery.enrolled()[face].person].to_string();
    let panel = |face: usize, first: String, distance: Option<f64>| Panel {
        image: gallery
            .faces()
            .image(face)
            .map_or_else(|| DynamicImage::new_luma8(1, 1), DynamicImage::from),
        lines: [
            first,
            one_line(&file_name(&gallery.enrolled()[face].source)),
        ]
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

/// The photos that an evaluation tries, by position: those of the gallery, then those of strangers.
struct Photos<'a> {
    gallery: &'a Gallery,
    strangers: &'a [String],
}

impl Photos<'_> {
    /// Cells of the table: the photo, and its person if that is known.
    fn cells(&self, face: usize) -> [String; 2] {
        match self.gallery.enrolled().get(face) {
            Some(enrolled) => [
                cell(&one_line(&enrolled.source)),
                self.person(Some(enrolled.person)),
            ],
            None => {
                let source = self.strangers.get(face - self.gallery.len());
                let source = source.map_or("", String::as_str);
                [cell(&one_line(source)), String::new()]
            }
        }
    }

    fn person(&self, person: Option<usize>) -> String {
        person.map_or_else(String::new, |at| cell(self.gallery.people()[at].as_str()))
    }
}

/// A row for every probe and every person it was compared with, and for every probe of the open set with its nearest person.
fn scores(evaluation: &Evaluation, photos: &Photos<'_>) -> Vec<u8> {
    let header = "set,repeat,photo,person,candidate,rank,distance,confidence,decision".split(',');
    let limit = evaluation.confidence_limit;
    let trials: std::collections::HashMap<(usize, usize), &ProbeOutcome> = evaluation
        .identification
        .trials
        .iter()
        .map(|trial| ((trial.repeat, trial.face), trial))
        .collect();
    let closed = evaluation.scores.iter().flat_map(|probe| {
        let trial = trials.get(&(probe.repeat, probe.face));
        let [photo, person] = photos.cells(probe.face);
        let repeat = (probe.repeat + 1).to_string();
        (1..).zip(&probe.ranked).map(move |(rank, found)| {
            let candidate = found.person as usize;
            let nearest = trial.filter(|trial| trial.named == candidate);
            let is_named =
                nearest.is_some_and(|trial| limit.is_some_and(|limit| trial.confidence > limit));
            let confidence = nearest.map(|trial| format!("{:?}", trial.confidence));
            vec![
                "closed".to_owned(),
                repeat.clone(),
                photo.clone(),
                person.clone(),
                photos.person(Some(candidate)),
                rank.to_string(),
                format!("{:?}", found.distance),
                confidence.unwrap_or_default(),
                if is_named { "known" } else { "unknown" }.to_owned(),
            ]
        })
    });
    let open = evaluation.open_set.iter().flat_map(|set| &set.probes);
    let open = open.map(|probe| {
        let [photo, person] = photos.cells(probe.face);
        vec![
            role(probe.role).to_owned(),
            (probe.split + 1).to_string(),
            photo,
            person,
            photos.person(probe.nearest),
            "1".to_owned(),
            format!("{:?}", probe.distance),
            format!("{:?}", probe.confidence),
            probe.decision.name().to_owned(),
        ]
    });
    let rows = closed.chain(open);
    table(std::iter::once(header.map(str::to_owned).collect()).chain(rows))
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Enrolled => "enrolled",
        Role::Stranger => "stranger",
    }
}
