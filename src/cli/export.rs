//! `eigenfaces export`: the people of the model, into a database.

use std::path::Path;
use std::time::Instant;

use clap::Args;
use eigenfaces::database::{Change, Database, GivenAddress, Indexing};
use eigenfaces::gallery::Gallery;
use eigenfaces::store;
use serde_json::json;

use super::options::ChangeOptions;
use super::{ExitStatus, Output, Result, counted, faces_of_people, model_changes, shown};

#[derive(Debug, Args)]
pub struct Export {
    /// The database, as postgresql://USER@HOST/DATABASE; a password is better kept in PGPASSWORD or ~/.pgpass
    #[arg(long, value_name = "URL")]
    pub postgres: GivenAddress,
    /// Also make an index (`hnsw`), for `identify --index hnsw`, or drop it (`none`) [default: as the database has it]
    #[arg(long, value_name = "INDEX")]
    pub index: Option<Indexing>,
    #[command(flatten)]
    pub change: ChangeOptions,
}

pub fn run(args: &Export, model: &Path, output: &Output) -> Result<ExitStatus> {
    let started = Instant::now();
    let recognizer = store::load(model)?;
    let mut database = Database::connect(&args.postgres)?;
    let address = database.address();
    let export = eigenfaces::database::Export::plan(&mut database, &recognizer, args.index)?;
    let change = export.change();
    if change.erased_faces + change.erased_people > 0 && !args.change.dry_run {
        let what = erased(change);
        model_changes::consent(args.change, Path::new(&address), &what)?;
    }
    if !args.change.dry_run {
        let progress = output.progress(change.new + change.changed, "people");
        export.run(&shown(model), &|done| progress.reach(done))?;
        store::note_change(Path::new(&address));
    }
    let report =
        ExportReport { change, gallery: recognizer.gallery(), address: &address, dry_run: args.change.dry_run };
    output.print_result(&report.object(), report.lines())?;
    if output.is_text() {
        report.say_more(started, output);
    }
    Ok(ExitStatus::Done)
}

/// The people and faces to be erased, for a question.
fn erased(change: Change) -> String {
    let faces = counted(change.erased_faces, "face", "faces");
    let people = counted(change.erased_people, "person", "people");
    match (change.erased_faces, change.erased_people) {
        (_, 0) => format!("{faces} that the model does not hold"),
        (0, _) => format!("{people} whom the model does not hold"),
        _ => format!("{faces} and {people} whom the model does not hold"),
    }
}

/// Report of an export, done or a dry run.
struct ExportReport<'a> {
    change: Change,
    gallery: &'a Gallery,
    address: &'a str,
    dry_run: bool,
}
impl ExportReport<'_> {
    fn lines(&self) -> Vec<String> {
        let (change, gallery, dry_run) = (&self.change, self.gallery, self.dry_run);
        let all = [
            (change.new, "new"),
            (change.changed, "changed"),
            (change.unchanged, "as they were"),
            (change.erased_people, "erased"),
        ];
        let told = all.iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = told.map(|(count, what)| format!("{count} {what}")).collect();
        let verb = if dry_run { "would export" } else { "exported" };
        let mut lines = vec![format!(
            "{verb} {} to {}: {}",
            faces_of_people(gallery.len(), gallery.people().len()),
            self.address,
            told.join(", ")
        )];
        if change.erased_faces > 0 {
            let erased = counted(change.erased_faces, "face is", "faces are");
            let not = if dry_run { "then not" } else { "not" };
            lines.push(format!("{erased} {not} there any more"));
        }
        lines
    }

    fn say_more(&self, started: Instant, output: &Output) {
        if self.change.replaces {
            output.say("a gallery of another model gives way: whoever identifies needs this model now");
        }
        if !self.dry_run {
            output.say(&format!("{:.2} s", started.elapsed().as_secs_f64()));
            output.say("next: eigenfaces identify PHOTO --gallery URL");
        }
    }

    fn object(&self) -> serde_json::Value {
        let mut object = json!(self.change);
        object["database"] = self.address.into();
        object["dry_run"] = self.dry_run.into();
        object["people"] = self.gallery.people().len().into();
        object["faces"] = self.gallery.len().into();
        object
    }
}
