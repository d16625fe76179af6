//! `eigenfaces enroll`: learn from labelled folders, add to an existing model, or make it follow its folders.

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use eigenfaces::Model;
use eigenfaces::dataset::ContentHash;
use eigenfaces::enrollment::ListedFolders;
use eigenfaces::gallery::{EditOutcome, Gallery};
use eigenfaces::model::{Edit, Plan};
use eigenfaces::records;
use serde_json::{Value, json};

use super::args::Enroll;
use super::{
    Outcome, Output, Result, check, counted, faces_of_people, keep, learning, model_changes,
    one_line, people, percent, wrong_folder,
};

pub fn run(args: &Enroll, model: &Path, output: &Output) -> Result<Outcome> {
    if args.check {
        return check::before_enrolling(args, model, output);
    }
    let started = Instant::now();
    let mut opened = model_changes::open(args.change, model, output)?;
    let before = opened.model.take();
    let known = before.as_ref().map(Model::recognizer);
    if let Some(known) = known {
        args.learn.agree_with(known.preparation(), model)?;
    }
    let base = Model::base(before.as_ref(), args.learn.preparation_options());
    let listed = ListedFolders::list(&args.faces, &args.labels.rule)?;
    wrong_folder::refuse_nested(args, &listed, known)?;
    let read = listed.read(base, output)?;
    wrong_folder::refuse(args, &read, known)?;

    let looked_at = read.folder.known.len() + read.folder.new.len();
    let edit = match args.sync {
        true => Edit::Sync(read),
        false => Edit::Folders(read),
    };
    let mut plan = Plan::of(edit, before.as_ref(), output)?;
    plan.settings = args.learn.settings(plan.settings);
    if args.no_sources {
        plan.outcome.gallery = plan.outcome.gallery.without_sources();
    }
    let report = Report {
        intake: &plan.outcome,
        unusable: plan.skipped.len(),
        output,
    };
    let used = looked_at.saturating_sub(plan.outcome.repeats.disputed.len());
    let outcome = Outcome::of_inputs(used, report.unusable);
    if plan.outcome.gallery.is_empty() && !plan.outcome.gone.is_empty() {
        return Err(model_changes::too_few_left(model, 0));
    }
    if args.change.dry_run {
        report.print_plan()?;
        return Ok(outcome);
    }
    if !plan.outcome.gone.is_empty() {
        let gone = people::erased_in_words(&plan.outcome.gone);
        model_changes::consent(args.change, model, &gone)?;
    }
    if !plan.outcome.renamed.is_empty() {
        model_changes::consent_to_names(args.change, model, &report.renamed())?;
    }
    // Where nothing is new, nothing is learned and nothing is written.
    let learned = match plan.is_change(before.as_ref()) {
        true => Some(model_changes::commit(&plan, before.as_ref(), model)?),
        false => None,
    };
    if let Some(now) = learned.as_ref().or(before.as_ref()) {
        let components = now.recognizer().space().components();
        learning::tell_fewer(args.learn.components, components, output);
        report.print_summary(now, &Model::hashes(before.as_ref()), model, started)?;
    }
    Ok(outcome)
}

/// An enrolment, planned or done, to be told.
struct Report<'a> {
    intake: &'a EditOutcome,
    /// Files that could not be used, or showed two people.
    unusable: usize,
    output: &'a Output,
}

impl Report<'_> {
    /// The people whose names go, in words.
    fn renamed(&self) -> String {
        let renamed = self.intake.renamed.iter();
        let told = renamed.map(|((before, now), &photos)| {
            let [before, now] = [before, now].map(|person| one_line(person.as_str()));
            format!(
                "{before} becomes {now} in {}",
                counted(photos, "photo", "photos")
            )
        });
        told.collect::<Vec<_>>().join(", ")
    }

    /// Tells what would be done, photo by photo.
    fn print_plan(&self) -> Result<()> {
        let added = self.intake.added.iter();
        let added = added.map(|source| format!("would enrol {source}"));
        let changes = self.changes().into_iter();
        let changes = changes.map(|line| format!("would see {line}"));
        let renamed =
            (!self.intake.renamed.is_empty()).then(|| format!("would see that {}", self.renamed()));
        let lines = added.chain(changes).chain(renamed);
        self.output.told(&self.counts(), lines)
    }

    /// A line for each photo that a folder that is followed has otherwise than before.
    fn changes(&self) -> Vec<String> {
        let known = |source: &str| match source {
            "" => "a photo".to_owned(),
            source => source.to_owned(),
        };
        let intake = self.intake;
        let changed = intake
            .changed
            .iter()
            .map(|source| format!("changed {source}"));
        let moved = intake.moved.iter();
        let moved = moved.map(|(from, to)| match from == to {
            true => format!("another name on {to}"),
            false => format!("moved {} to {to}", known(from)),
        });
        let gone = intake.gone.iter();
        let gone = gone.map(|photo| format!("gone {} ({})", known(&photo.source), photo.person));
        changed.chain(moved).chain(gone).collect()
    }

    fn counts(&self) -> Value {
        let intake = self.intake;
        json!({
            "added": intake.added.len(),
            "already_enrolled": intake.unchanged,
            "changed": intake.changed.len(),
            "moved": intake.moved.len(),
            "renamed": intake.renamed.keys().map(|(before, now)| [before.as_str(), now.as_str()]).collect::<Vec<_>>(),
            "removed": intake.gone.len(),
            "kept": intake.kept,
            "skipped": self.unusable,
        })
    }

    fn print_summary(
        &self,
        now: &Model,
        before: &HashSet<ContentHash>,
        model: &Path,
        started: Instant,
    ) -> Result<()> {
        let (output, recognizer) = (self.output, now.recognizer());
        for line in self.changes() {
            output.say(&line);
        }
        let notices = now.notices(before)?;
        if !output.is_text() {
            let mut object = records::model(recognizer);
            for (field, count) in self.counts().as_object_mut().into_iter().flatten() {
                object[field] = count.take();
            }
            notices.iter().for_each(|notice| output.say(notice));
            object["notices"] = notices.into();
            return output.fields(&object);
        }
        if self.is_nothing() {
            let gallery = recognizer.gallery();
            let stays = faces_of_people(gallery.len(), gallery.people().len());
            output.say(&format!(
                "no photo here could be enrolled: the model keeps its {stays}"
            ));
            return Ok(());
        }
        output.say(&self.in_a_line(recognizer.gallery()));
        let space = recognizer.space();
        output.say(&format!(
            "{} of {} pixels {} {} of the variance",
            counted(space.components(), "basis face", "basis faces"),
            space.size(),
            keep(space.components()),
            percent(space.variance_kept())
        ));
        notices.iter().for_each(|notice| output.say(notice));
        output.say_written(model, started);
        output.say(&format!(
            "next: eigenfaces identify PHOTO{}",
            model_option(model)
        ));
        Ok(())
    }

    /// Whether no photo was new, known, changed or gone.
    fn is_nothing(&self) -> bool {
        let intake = self.intake;
        let (added, changed) = (intake.added.len(), intake.changed.len());
        added + intake.unchanged + changed + intake.moved.len() + intake.gone.len() == 0
    }

    fn in_a_line(&self, gallery: &Gallery) -> String {
        let intake = self.intake;
        let people = counted(gallery.people().len(), "person", "people");
        let added = counted(intake.added.len(), "face", "faces");
        let mut line = if intake.added.len() == gallery.len() {
            format!("enrolled {added} of {people}")
        } else {
            let all = counted(gallery.len(), "face", "faces");
            format!("enrolled {added}: now {all} of {people}")
        };
        let mut add = |count: usize, one: &str, many: &str| {
            if count > 0 {
                line += &format!(", {}", counted(count, one, many));
            }
        };
        add(
            intake.unchanged,
            "was enrolled already",
            "were enrolled already",
        );
        add(intake.changed.len(), "has changed", "have changed");
        add(intake.moved.len(), "has moved", "have moved");
        add(intake.gone.len(), "erased", "erased");
        add(
            intake.kept,
            "kept that cannot be read now or lies elsewhere",
            "kept that cannot be read now or lie elsewhere",
        );
        add(
            intake.repeats.known.len(),
            "photo was there twice",
            "photos were there twice",
        );
        add(self.unusable, "file skipped", "files skipped");
        line
    }
}

/// The option that names the model in a command, where it is not the default one.
fn model_option(model: &Path) -> String {
    if model == Path::new("eigenfaces.npz") {
        String::new()
    } else {
        format!(" --model {}", one_line(&model.to_string_lossy()))
    }
}
