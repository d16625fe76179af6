//! `eigenfaces enroll`: learn from labelled folders, or add to an existing model.

use std::path::Path;
use std::time::{Duration, Instant};

use eigenfaces::decision::Basis;
use eigenfaces::error::Result;
use eigenfaces::gallery::Gallery;
use eigenfaces::recognizer::{Recognizer, Settings};
use eigenfaces::store::{self, ModelLock, Wait};

use super::args::Enroll;
use super::learning::{self, Collected};
use super::output::{Output, bytes, counted, one_line, percent, shown};
use super::{Outcome, json};

/// How long to wait for another process that is changing the model.
const PATIENCE: Duration = Duration::from_secs(30);

pub fn run(args: &Enroll, model: &Path, output: &Output) -> Result<Outcome> {
    let started = Instant::now();
    let _lock = ModelLock::acquire(model, Wait::AtMost(PATIENCE))?;
    let before = if model.exists() {
        Some(store::load(model)?)
    } else {
        None
    };
    if let Some(before) = &before {
        args.learn.agree_with(before.preparation(), model)?;
    }
    let preparation = before.as_ref().map(|model| *model.preparation());
    let settings = args.learn.settings(
        before
            .as_ref()
            .map_or_else(Settings::default, Recognizer::settings),
    );
    let collected = learning::collect(&args.faces, &args.labels, preparation, &args.learn, output)?;
    learning::report_skipped(&collected.skipped, output);
    learning::report_parts(&collected, output);
    if let Some(survey) = &collected.survey {
        learning::report_framing(survey, output);
    }

    let known = before.as_ref().map_or(0, |model| model.gallery().len());
    let mut faces = before.map_or_else(Vec::new, |model| model.gallery().clone().into_labeled());
    let outcome = Outcome::of_inputs(collected.faces.len(), collected.skipped.len());
    let Collected {
        preparation,
        faces: found,
        skipped,
        ..
    } = collected;
    faces.extend(found);
    let (gallery, repeats) = Gallery::assemble(preparation.size(), faces)?;
    let added = gallery.len() - known;
    let recognizer = Recognizer::learn(preparation, gallery, settings)?;
    store::save(&recognizer, model)?;

    let summary = Summary {
        recognizer: &recognizer,
        model,
        added,
        known: repeats.known.len(),
        skipped: skipped.len(),
        seconds: started.elapsed().as_secs_f64(),
    };
    summary.print(output)?;
    Ok(outcome)
}

struct Summary<'a> {
    recognizer: &'a Recognizer,
    model: &'a Path,
    added: usize,
    known: usize,
    skipped: usize,
    seconds: f64,
}

impl Summary<'_> {
    fn print(&self, output: &Output) -> Result<()> {
        let (space, gallery) = (self.recognizer.space(), self.recognizer.gallery());
        let size = std::fs::metadata(self.model).map_or(0, |metadata| metadata.len());
        if output.format != super::args::Format::Text {
            return output.line(&json::enrolled(
                self.recognizer,
                self.added,
                self.known,
                self.skipped,
            ));
        }
        let mut line = format!(
            "enrolled {} of {}",
            counted(self.added, "face", "faces"),
            counted(gallery.people().len(), "person", "people")
        );
        if self.known > 0 {
            line += &format!(
                ", {} already",
                counted(self.known, "was enrolled", "were enrolled")
            );
        }
        if self.skipped > 0 {
            line += &format!(", {} skipped", counted(self.skipped, "file", "files"));
        }
        output.say(&line);
        output.say(&format!(
            "{} basis faces of {} pixels keep {} of the variance",
            space.components(),
            space.size(),
            percent(space.variance_kept())
        ));
        output.say(&format!(
            "{}: {}, {:.2} s",
            shown(self.model),
            bytes(size),
            self.seconds
        ));
        if let Some(warning) = weak(self.recognizer) {
            output.say(&warning);
        }
        output.say(&format!(
            "next: eigenfaces identify PHOTO{}",
            model_option(self.model)
        ));
        Ok(())
    }
}

/// How to name the model in a command, where it is not the default one.
fn model_option(model: &Path) -> String {
    if model == Path::new("eigenfaces.npz") {
        String::new()
    } else {
        format!(" --model {}", one_line(&model.to_string_lossy()))
    }
}

/// Why confidence is weak, if it is.
pub fn weak(recognizer: &Recognizer) -> Option<String> {
    if recognizer.gallery().people().len() == 1 {
        return Some(
            "confidence is weak: with one person enrolled there is nobody to tell them from, so no name \
             will be given; enrol other people too"
                .to_owned(),
        );
    }
    match recognizer.calibration().basis {
        Basis::Measured => None,
        Basis::AssumedGenuine => Some(
            "confidence is weak: hardly anybody has a second photo, so how alike two photos of one person \
             are is assumed, not measured; add more photos a person"
                .to_owned(),
        ),
        Basis::Assumed => Some(
            "confidence is weak: too few photos to measure how alike faces are; add more photos and people"
                .to_owned(),
        ),
    }
}
