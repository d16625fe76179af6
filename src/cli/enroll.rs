//! `eigenfaces enroll`: learn from labelled folders, add to an existing model, or make it follow its folders.

mod check;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use eigenfaces::dataset::{ContentHash, LabelRule, LabeledPhoto, folders_of_folders, path_as_text};
use eigenfaces::decision::Decision;
use eigenfaces::enrollment::{FolderFaces, ListedFolders};
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::gallery::{EditOutcome, Gallery};
use eigenfaces::locate::framing::{Framing, FramingRule};
use eigenfaces::model::{Edit, Plan};
use eigenfaces::recognizer::{QueryOptions, Recognizer};
use eigenfaces::{Model, records};
use serde_json::{Value, json};

use super::learning::{self, LearningOptions};
use super::model_changes::{self, Consequence};
use super::options::{ChangeOptions, DEFAULT_MODEL, Labels};
use super::remedy::AS_IS;
use super::{Error, ExitStatus, Output, Result, counted, faces_of_people, keep, one_line, people, percent, shown};

#[derive(Debug, Args)]
pub struct Enroll {
    /// Folders with a sub-folder per person, or photos named after people
    #[arg(required = true, value_name = "FACES")]
    pub faces: Vec<PathBuf>,
    #[command(flatten)]
    pub labels: Labels,
    /// Enrol nothing and write nothing; list what is wrong with the photos: the same picture under two people, probable wrong labels, no faces
    #[arg(long)]
    pub check: bool,
    /// Make the model follow the folders: what is new, changed or moved there is taken over, what is gone is erased. Faces of photos elsewhere, and names that were given in the model, stay, or it asks
    #[arg(long)]
    pub sync: bool,
    /// The folders straight in FACES are people even where their photos lie in folders further down
    #[arg(long)]
    pub nested: bool,
    /// Keep no paths of photos in the model, neither of these nor of those enrolled before
    #[arg(long)]
    pub no_sources: bool,
    #[command(flatten)]
    pub change: ChangeOptions,
    #[command(flatten)]
    pub learn: LearningOptions,
}

pub fn run(args: &Enroll, model: &Path, output: &Output) -> Result<ExitStatus> {
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
    let listed = ListedFolders::list(&args.faces, &args.labels.rule)?;
    refuse_nested(args, &listed, known)?;
    let read = listed.read(Model::base(before.as_ref(), args.learn.preparation_options()?), output)?;
    refuse(args, &read, known)?;

    let looked_at = read.folder.known.len() + read.folder.new.len();
    let edit = if args.sync { Edit::Sync(read) } else { Edit::Folders(read) };
    let mut plan = Plan::of(edit, before.as_ref(), output)?;
    plan.settings = args.learn.settings(plan.settings)?;
    if args.no_sources {
        plan.outcome.gallery = plan.outcome.gallery.without_sources();
    }
    let settings = changed_settings(&plan, before.as_ref());
    let report = EnrollReport { intake: &plan.outcome, unusable: plan.skipped.len(), settings, output };
    let used = looked_at.saturating_sub(plan.outcome.repeats.disputed.len());
    let outcome = ExitStatus::of_inputs(used, report.unusable);
    if plan.outcome.gallery.is_empty() && !plan.outcome.gone.is_empty() {
        return Err(model_changes::too_few_left(model, 0));
    }
    if args.change.dry_run {
        report.print_plan()?;
        return Ok(outcome);
    }
    let EditOutcome { gone, renamed, .. } = &plan.outcome;
    let erased = (!gone.is_empty()).then(|| Consequence::erased(model, &people::erased_in_words(gone)));
    let renamed = (!renamed.is_empty()).then(|| Consequence::renamed(model, &report.renamed()));
    let consequences: Vec<Consequence> = erased.into_iter().chain(renamed).collect();
    model_changes::consent(args.change, model, &consequences)?;
    // Where nothing is new, nothing is learned and nothing is written.
    let commit = || model_changes::commit(&plan, before.as_ref(), model);
    let learned = plan.is_change(before.as_ref()).then(commit).transpose()?;
    if let Some(now) = learned.as_ref().or(before.as_ref()) {
        learning::tell_fewer(args.learn.components, now.recognizer().space().components(), output);
        report.print_summary(now, &Model::hashes(before.as_ref()), model, started)?;
    }
    Ok(outcome)
}

/// What the options change in a model that is there, a line each.
fn changed_settings(plan: &Plan, before: Option<&Model>) -> Vec<String> {
    let Some(model) = before else { return Vec::new() };
    let (old, new) = (model.recognizer().settings(), plan.settings);
    let settings = [
        ("background model", old.prior != new.prior),
        ("number of components or solver", old.pca != new.pca),
        ("kernel, pixel scale or metric", old.distance != new.distance),
    ];
    let changed = settings.into_iter().filter(|(_, is_changed)| *is_changed);
    let mut lines: Vec<String> = changed.map(|(what, _)| format!("another {what} than before")).collect();
    if model.gallery().has_sources() && !plan.outcome.gallery.has_sources() {
        lines.push("no paths of photos any more".to_owned());
    }
    lines
}

struct EnrollReport<'a> {
    intake: &'a EditOutcome,
    /// Files that could not be used, or showed two people.
    unusable: usize,
    settings: Vec<String>,
    output: &'a Output,
}

impl EnrollReport<'_> {
    /// The people whose names go, in words.
    fn renamed(&self) -> String {
        let told = self.intake.renamed.iter().map(|((before, now), &photos)| {
            let [before, now] = [before, now].map(|person| one_line(person.as_str()));
            format!("{before} becomes {now} in {}", counted(photos, "photo", "photos"))
        });
        told.collect::<Vec<_>>().join(", ")
    }

    fn print_plan(&self) -> Result<()> {
        let added = self.intake.added.iter().map(|source| format!("would enrol {source}"));
        let changes = self.changes().into_iter().map(|line| format!("would see {line}"));
        let renamed = (!self.intake.renamed.is_empty()).then(|| format!("would see that {}", self.renamed()));
        self.output.print_result(&self.counts(), added.chain(changes).chain(renamed))
    }

    /// A line for each photo that a folder that is followed has otherwise than before, and for each setting.
    fn changes(&self) -> Vec<String> {
        let known = |source: &str| if source.is_empty() { "a photo".to_owned() } else { source.to_owned() };
        let intake = self.intake;
        let changed = intake.changed.iter().map(|source| format!("changed {source}"));
        let moved = intake.moved.iter();
        let moved = moved.map(|(from, to)| match from == to {
            true => format!("another name on {to}"),
            false => format!("moved {} to {to}", known(from)),
        });
        let gone = intake.gone.iter().map(|photo| format!("gone {} ({})", known(&photo.source), photo.person));
        changed.chain(moved).chain(gone).chain(self.settings.iter().cloned()).collect()
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

    fn print_summary(&self, now: &Model, before: &HashSet<ContentHash>, model: &Path, started: Instant) -> Result<()> {
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
            output.say(&format!("no photo here could be enrolled: the model keeps its {stays}"));
            return Ok(());
        }
        output.say(&self.in_a_line(recognizer.gallery()));
        let space = recognizer.space();
        let faces = counted(space.components(), "basis face", "basis faces");
        let (size, keep, share) = (space.size(), keep(space.components()), percent(space.variance_kept()));
        output.say(&format!("{faces} of {size} pixels {keep} {share} of the variance"));
        notices.iter().for_each(|notice| output.say(notice));
        output.say_written(model, started);
        output.say(&format!("next: eigenfaces identify PHOTO{}", model_option(model)));
        Ok(())
    }

    /// Whether no photo was new, known, changed or gone.
    fn is_nothing(&self) -> bool {
        let intake = self.intake;
        intake.added.len() + intake.unchanged + intake.changed.len() + intake.moved.len() + intake.gone.len() == 0
    }

    fn in_a_line(&self, gallery: &Gallery) -> String {
        let intake = self.intake;
        let people = counted(gallery.people().len(), "person", "people");
        let added = counted(intake.added.len(), "face", "faces");
        let all = counted(gallery.len(), "face", "faces");
        let now = if intake.added.len() == gallery.len() { String::new() } else { format!(": now {all}") };
        let mut line = format!("enrolled {added}{now} of {people}");
        let mut add = |count: usize, one: &str, many: &str| {
            if count > 0 {
                line += &format!(", {}", counted(count, one, many));
            }
        };
        add(intake.unchanged, "was enrolled already", "were enrolled already");
        add(intake.changed.len(), "has changed", "have changed");
        add(intake.moved.len(), "has moved", "have moved");
        add(intake.gone.len(), "erased", "erased");
        add(
            intake.kept,
            "kept that cannot be read now or lies elsewhere",
            "kept that cannot be read now or lie elsewhere",
        );
        add(intake.repeats.known.len(), "photo was there twice", "photos were there twice");
        add(self.unusable, "file skipped", "files skipped");
        line
    }
}

/// The option that names the model in a command, where it is not the default one.
fn model_option(model: &Path) -> String {
    let named = one_line(&model.to_string_lossy());
    if model == Path::new(DEFAULT_MODEL) { String::new() } else { format!(" --model {named}") }
}

/// Checks that the folders look like one folder per person, unless the user has confirmed it or confirms it now.
/// Nothing is decoded for that.
/// Errors: what speaks against them, with the option to give; that the user said no.
pub fn refuse_nested(args: &Enroll, listed: &ListedFolders<'_>, known: Option<&Recognizer>) -> Result<()> {
    if args.nested || args.labels.rule != LabelRule::Folder {
        return Ok(());
    }
    let enrolled = known.map_or(&[][..], |known| known.gallery().enrolled());
    let enrolled: HashSet<&str> = enrolled.iter().map(|face| face.source.as_str()).collect();
    let is_new = |photo: &&LabeledPhoto| !enrolled.contains(&*path_as_text(&photo.path));
    ask(nested(args, listed.photos().iter().filter(is_new).map(|photo| photo.path.as_path())))
}

/// As [`refuse_nested`], by what the photos show.
/// Errors: what speaks against them, with the option to give; that the user said no.
pub fn refuse(args: &Enroll, read: &FolderFaces, known: Option<&Recognizer>) -> Result<()> {
    if read.folder.new.is_empty() {
        return Ok(());
    }
    ask([faceless(args, read), unlike_faces(args, read, known)].into_iter().flatten())
}

fn ask(doubts: impl IntoIterator<Item = Doubt>) -> Result<()> {
    for (path, reason, remedy) in doubts {
        match model_changes::asked(&format!("{}: {}; enrol all the same?", shown(&path), one_line(&reason))) {
            Some(true) => {}
            Some(false) => return Err(Error::about(&path, "nothing was changed")),
            None => return Err(Error::about(&path, format_args!("{reason}; {remedy}"))),
        }
    }
    Ok(())
}

/// The folder concerned, what speaks against it, and what to do.
type Doubt = (PathBuf, String, &'static str);

/// Folders that would be people, but hold folders only, or nearly so.
fn nested<'a>(args: &Enroll, photos: impl Iterator<Item = &'a Path>) -> Option<Doubt> {
    let found = folders_of_folders(&args.faces, photos);
    let (person, inner) = found.first()?;
    let others = if found.len() == 1 { String::new() } else { format!(" (nor are {} more)", found.len() - 1) };
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let reason = format!(
        "'{}' contains folders such as '{}', not photos, so it is probably not a person{others}",
        name(person)?,
        name(inner)?
    );
    Some((person.clone(), reason, "give the folder whose sub-folders are people, or add --nested if these are people"))
}

/// Photos in most of which no face was found, which would be taken whole.
fn faceless(args: &Enroll, read: &FolderFaces) -> Option<Doubt> {
    let survey = read.survey.as_ref()?;
    (survey.framing == Framing::AsIs && survey.lacks_faces()).then(|| {
        let photos = counted(survey.looked_at, "photo", "photos");
        (args.faces[0].clone(), format!("no face was found in {} of {photos} looked at", survey.without_face), AS_IS)
    })
}

/// Minimum number of enrolled faces to judge what a face is.
const ENOUGH: usize = 20;

/// Photos taken whole, most of which do not look like the faces of the model.
fn unlike_faces(args: &Enroll, read: &FolderFaces, known: Option<&Recognizer>) -> Option<Doubt> {
    let known = known.filter(|known| known.gallery().len() >= ENOUGH)?;
    let is_whole = known.preparation().framing() == Framing::AsIs;
    let is_said = args.learn.prepare.framing == Some(FramingRule::Given(Framing::AsIs));
    if !is_whole || is_said {
        return None;
    }
    let new = &read.folder.new;
    let pixels = new.iter().flat_map(|face| face.pixels.iter().copied());
    let faces = FaceMatrix::from_pixels(known.preparation().size(), pixels.collect()).ok()?;
    let found = known.identify_faces(&faces, QueryOptions::default());
    let unlike = found.iter().filter(|found| found.decision == Decision::NotAFace).count();
    (2 * unlike > new.len()).then(|| {
        let photos = counted(new.len(), "new photo", "new photos");
        (args.faces[0].clone(), format!("{unlike} of {photos} do not look like faces to the model"), AS_IS)
    })
}
