//! `eigenfaces enroll`: learn from labelled folders, or add to an existing model.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use eigenfaces::dataset::ContentHash;
use eigenfaces::decision::{Basis, ENOUGH_PEOPLE};
use eigenfaces::error::Result;
use eigenfaces::gallery::Gallery;
use eigenfaces::recognizer::{Recognizer, Settings};
use eigenfaces::store::{self, ModelLock, Wait};

use super::args::{Enroll, Format};
use super::learning::{self, Collected};
use super::output::{Output, bytes, counted, one_line, percent, shown};
use super::{Outcome, check, info, json};

/// How long to wait for another process that is changing the model.
const PATIENCE: Duration = Duration::from_secs(30);

pub fn run(args: &Enroll, model: &Path, output: &Output) -> Result<Outcome> {
    if args.check {
        return check::before_enrolling(args, model, output);
    }
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

    let before_it: HashSet<ContentHash> = before
        .iter()
        .flat_map(|model| model.gallery().enrolled().iter().map(|face| face.hash))
        .collect();
    let already = collected
        .faces
        .iter()
        .filter(|face| before_it.contains(&face.hash))
        .count();
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
    let added = gallery.len() - before_it.len();
    let recognizer = Recognizer::learn(preparation, gallery, settings)?;
    store::save(&recognizer, model)?;

    let summary = Summary {
        recognizer: &recognizer,
        model,
        added,
        known: already,
        twice: repeats.known.len() - already,
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
    twice: usize,
    skipped: usize,
    seconds: f64,
}

impl Summary<'_> {
    fn print(&self, output: &Output) -> Result<()> {
        let (space, gallery) = (self.recognizer.space(), self.recognizer.gallery());
        let size = std::fs::metadata(self.model).map_or(0, |metadata| metadata.len());
        if output.format == Format::Csv {
            return info::csv(&json::model(self.recognizer), output);
        }
        if output.format == Format::Json {
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
        if self.twice > 0 {
            line += &format!(
                ", {} there twice",
                counted(self.twice, "photo was", "photos were")
            );
        }
        if self.skipped > 0 {
            line += &format!(", {} skipped", counted(self.skipped, "file", "files"));
        }
        output.say(&line);
        output.say(&format!(
            "{} of {} pixels keep {} of the variance",
            counted(space.components(), "basis face", "basis faces"),
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
    let calibration = recognizer.calibration();
    let people = counted(recognizer.gallery().people().len(), "person", "people");
    if !calibration.gives_names() {
        return Some(format!(
            "confidence is weak: with {people} enrolled there are too few to tell strangers from them, so photos \
             are compared but no name is given; enrol {ENOUGH_PEOPLE} people or more"
        ));
    }
    match calibration.basis {
        Basis::AssumedGenuine => Some(
            "confidence is weak: hardly anybody has a second photo, so how alike two photos of one person \
             are is assumed, not measured; add more photos a person"
                .to_owned(),
        ),
        Basis::Measured if recognizer.gallery().people().len() < 10 => Some(format!(
            "confidence is weak: with {people} enrolled a name is given in clear cases only; enrol more \
             people, or accept more strangers with identify --far"
        )),
        Basis::Measured | Basis::Assumed => None,
    }
}
