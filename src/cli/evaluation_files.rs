//! Files that `evaluate` writes besides its figures: a page (`--report`), and every score (`--scores`).

use eigenfaces::evaluate::{Evaluation, ProbeOutcome, Role};
use eigenfaces::gallery::Gallery;
use eigenfaces::render::evaluation::{EvaluationPage, html};
use eigenfaces::store::{Destination, Outputs, Privacy};
use serde_json::Value;

use super::args::Evaluate;
use super::output::{cell, table, with_schema};
use super::{Output, Result, bytes, counted, files, one_line, shown};

/// The files asked for.
pub struct Wanted {
    report: Option<Destination>,
    scores: Option<Destination>,
}

impl Wanted {
    /// The right to write them, before the work begins.
    pub fn claim(args: &Evaluate) -> Result<Self> {
        let mut inputs = args.faces.clone();
        inputs.extend(files::table(&args.labels.rule));
        inputs.extend(args.strangers.iter().cloned());
        let outputs = Outputs::new(inputs, args.force.into());
        Ok(Self {
            report: files::claim(&outputs, args.report.as_ref())?,
            scores: files::claim(&outputs, args.scores.as_ref())?,
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

    /// Writes every score, where that was asked for; `strangers` are the photos of strangers that were given.
    pub fn write_scores(
        &self,
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
        Ok(())
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
