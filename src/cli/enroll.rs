//! `eigenfaces enroll`: learn from labelled folders, add to an existing model, or make it follow its folders.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use eigenfaces::Model;
use eigenfaces::dataset::{ContentHash, LabelRule, Person};
use eigenfaces::enrollment::{self, Base, FolderFaces, ListedFolders, Notice, Observer as _};
use eigenfaces::gallery::{Enrolled, FolderScan, Gallery, SyncOutcome, change_time};
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::{Recognizer, Settings};
use eigenfaces::store;
use serde_json::{Value, json};

use super::args::{Enroll, Format};
use super::{
    Error, Outcome, Output, Result, check, counted, faces_of_people, json, keep, learning,
    model_changes, new_faces, one_line, people, percent, wrong_folder,
};

pub fn run(args: &Enroll, model: &Path, output: &Output) -> Result<Outcome> {
    if args.check {
        return check::before_enrolling(args, model, output);
    }
    let started = Instant::now();
    let mut opened = model_changes::open(args.change, model, output)?;
    let before = opened.model.take().map(Model::into_parts);
    let known = before.as_ref().map(|(recognizer, _)| recognizer);
    if let Some(known) = known {
        args.learn.agree_with(known.preparation(), model)?;
    }
    let base = match known {
        Some(known) => Base::Gallery(known.preparation(), known.gallery()),
        None => Base::Nothing(args.learn.preparation_options()),
    };
    let settings = args
        .learn
        .settings(known.map_or_else(Settings::default, Recognizer::settings));
    let listed = ListedFolders::list(&args.faces, &args.labels.rule)?;
    wrong_folder::refuse_nested(args, &listed, known)?;
    let mut read = listed.read(base, output)?;
    wrong_folder::refuse(args, &read, known)?;
    if let Some((_, history)) = &before {
        learning::report_earlier_names(&history.resolve(&mut read.folder), output);
    }

    let (preparation, skipped) = (read.preparation, read.skipped.len());
    let deserted = deserted(&args.faces, &read.folder);
    let looked_at = read.folder.known.len() + read.folder.new.len();
    let old = known.map_or_else(
        || Gallery::empty(preparation.size()),
        |known| known.gallery().clone(),
    );
    let mut intake = take_in(args, old.clone(), read)?;
    if !intake.edited.is_empty() {
        output.notice(&Notice::Edited(&intake.edited));
    }
    let disputed = enrollment::disputes(&intake.repeats, output);
    let (preparation, gallery) = enrollment::frame(intake.gallery, &preparation, output);
    intake.gallery = gallery;
    if known.is_none() {
        enrollment::refuse_faceless(&intake.gallery, &args.faces)?;
    }
    let unusable = disputed.len();
    let report = Report {
        intake: &intake,
        unusable: skipped + unusable,
        output,
    };
    let used = looked_at.saturating_sub(unusable);
    let outcome = Outcome::of_inputs(used, report.unusable);
    if !intake.gone.is_empty() {
        if let Some(path) = deserted {
            return Err(Error::about(
                &path,
                "holds no photo now, so what is gone from it may only be out of reach; mount it, or leave it out to erase what came from it",
            ));
        }
        if intake.gallery.is_empty() {
            return Err(model_changes::too_few_left(model, 0));
        }
    }
    if args.change.dry_run {
        report.print_plan()?;
        return Ok(outcome);
    }
    if !intake.gone.is_empty() {
        model_changes::consent(args.change, model, &report.gone())?;
    }
    if !intake.renamed.is_empty() {
        model_changes::consent_to_names(args.change, model, &report.renamed())?;
    }
    let recognizer = match before {
        // Where nothing is new, nothing is learned and nothing is written.
        Some((known, _)) if known.settings() == settings && intake.gallery == old => known,
        before => {
            let (known, mut history) = before.unzip();
            let history = history.get_or_insert_default();
            history.record(change_time(), &old, &intake.gallery);
            let learning = Learning {
                known: known.as_ref(),
                preparation,
                settings,
                report: &report,
            };
            let learned = learning.learn(model)?;
            store::save(&learned, history, model)?;
            learned
        }
    };
    let components = recognizer.space().components();
    learning::tell_fewer(args.learn.components, components, output);
    report.print_summary(&recognizer, model, started)?;
    Ok(outcome)
}

/// What a changed gallery is learned by.
struct Learning<'a> {
    known: Option<&'a Recognizer>,
    preparation: Preparation,
    settings: Settings,
    report: &'a Report<'a>,
}

impl Learning<'_> {
    fn learn(&self, model: &Path) -> Result<Recognizer> {
        let settings = self.settings;
        let gallery = self.report.intake.gallery.clone();
        let Some(known) = self.known else {
            return Ok(Recognizer::learn(self.preparation, gallery, settings)?);
        };
        if self.report.intake.gone.is_empty() {
            return Ok(known.learn_again(gallery, settings)?);
        }
        model_changes::learn_from_rest(known, gallery, settings, model)
    }
}

/// The first of the folders in which there is no photo at all, readable or not: one that is not mounted looks like this.
fn deserted(roots: &[PathBuf], view: &FolderScan) -> Option<PathBuf> {
    let known = view.known.iter().map(|sighting| &sighting.source);
    let new = view.new.iter().map(|face| &face.source);
    let photos: Vec<&Path> = known
        .chain(new)
        .chain(&view.unusable)
        .map(Path::new)
        .collect();
    let is_deserted = |root: &&PathBuf| !photos.iter().any(|photo| photo.starts_with(root));
    roots.iter().find(is_deserted).cloned()
}

fn take_in(args: &Enroll, before: Gallery, read: FolderFaces) -> Result<SyncOutcome> {
    let keeps_sources = !args.no_sources && (before.is_empty() || before.has_sources());
    let mut folder = read.folder;
    let mut intake = if args.sync {
        let elsewhere = elsewhere(&before, &folder, args);
        folder.unusable.extend(elsewhere);
        before.mirror(folder)?
    } else {
        before.with_folder(folder)?
    };
    if !keeps_sources {
        intake.gallery = intake.gallery.without_sources();
    }
    Ok(intake)
}

/// The enrolled photos that are not for these folders to follow: those that lie outside and are there, those of which no folder
/// is known (`eigenfaces serve` was sent them), and further faces of a photo, which somebody named.
fn elsewhere(before: &Gallery, folder: &FolderScan, args: &Enroll) -> Vec<String> {
    let claimed: HashSet<ContentHash> = folder.known.iter().map(|photo| photo.hash).collect();
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let roots: Vec<PathBuf> = args.faces.iter().map(|root| absolute(root)).collect();
    let names_stand_in_photos = args.labels.rule == LabelRule::Xmp;
    let lies_elsewhere = |source: &str| {
        // As further faces of a photo are called: `party.jpg (face 2)`.
        let face = source.rsplit_once(" (face ").filter(|(_, number)| {
            let number = number.strip_suffix(')').unwrap_or_default();
            number.parse::<usize>().is_ok()
        });
        let photo = face.map_or(source, |(photo, _)| photo);
        let path = Path::new(photo);
        let is_known_by_name = path
            .parent()
            .is_none_or(|folder| folder.as_os_str().is_empty());
        if roots.iter().any(|root| absolute(path).starts_with(root)) {
            return face.is_some() && !names_stand_in_photos && path.is_file();
        }
        is_known_by_name || path.is_file()
    };
    let unclaimed = before.enrolled().iter();
    let unclaimed =
        unclaimed.filter(|face| !claimed.contains(&face.hash) && !face.source.is_empty());
    let sources = unclaimed.map(|face| &face.source);
    sources
        .filter(|source| lies_elsewhere(source))
        .cloned()
        .collect()
}

/// An enrolment, planned or done, to be told.
struct Report<'a> {
    intake: &'a SyncOutcome,
    /// Files that could not be used, or showed two people.
    unusable: usize,
    output: &'a Output,
}

impl Report<'_> {
    /// The people whose faces go, in words.
    fn gone(&self) -> String {
        let gone = &self.intake.gone;
        let mut tally: Vec<(Person, usize)> = Vec::new();
        for (person, _) in gone {
            match tally.last_mut() {
                Some((last, count)) if last == person => *count += 1,
                _ => tally.push((person.clone(), 1)),
            }
        }
        let faces = counted(gone.len(), "face", "faces");
        format!("{faces} ({})", people::in_words(&tally))
    }

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
        if self.output.format != Format::Text {
            return self.output.fields(&self.counts());
        }
        for source in &self.intake.added {
            self.output.line(&format!("would enrol {source}"))?;
        }
        for line in self.changes() {
            self.output.line(&format!("would see {line}"))?;
        }
        if !self.intake.renamed.is_empty() {
            self.output
                .line(&format!("would see that {}", self.renamed()))?;
        }
        Ok(())
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
        let gone = gone.map(|(person, source)| format!("gone {} ({person})", known(source)));
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

    fn print_summary(&self, recognizer: &Recognizer, model: &Path, started: Instant) -> Result<()> {
        let output = self.output;
        for line in self.changes() {
            output.say(&line);
        }
        let added: HashSet<&str> = self.intake.added.iter().map(String::as_str).collect();
        let is_new = |face: &Enrolled| added.contains(face.source.as_str());
        let notices = new_faces::notices(recognizer, is_new)?;
        if output.format != Format::Text {
            let mut object = json::model(recognizer);
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
