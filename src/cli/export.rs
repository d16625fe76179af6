//! `eigenfaces export`: the people of the model, into a database.

use std::path::Path;
use std::time::Instant;

use clap::Args;
use eigenfaces::database::{Change, Database, GivenAddress, Indexing};
use eigenfaces::gallery::Gallery;
use eigenfaces::store;
use serde_json::json;

use super::model_changes::{self, Consequence};
use super::options::ChangeOptions;
use super::{ExitStatus, Output, Result, counted, faces_of_people, shown};

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
        let database = Path::new(&address);
        model_changes::consent(args.change, database, &[Consequence::erased(database, &erased(change))])?;
    }
    if !args.change.dry_run {
        let progress = output.progress(change.new + change.changed, "people");
        export.run(&shown(model), &|done| progress.reach(done))?;
        store::note_change(Path::new(&address));
    }
    let (gallery, dry_run) = (recognizer.gallery(), args.change.dry_run);
    let mut object = json!(change);
    object["database"] = address.as_str().into();
    object["dry_run"] = dry_run.into();
    object["people"] = gallery.people().len().into();
    object["faces"] = gallery.len().into();
    output.print_result(&object, in_words(change, gallery, &address, dry_run))?;
    if output.is_text() && change.replaces {
        output.say("a gallery of another model gives way: whoever identifies needs this model now");
    }
    if output.is_text() && !dry_run {
        output.say(&format!("{:.2} s", started.elapsed().as_secs_f64()));
        output.say("next: eigenfaces identify PHOTO --gallery URL");
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

/// The export in words, done or a dry run.
fn in_words(change: Change, gallery: &Gallery, address: &str, dry_run: bool) -> Vec<String> {
    let all = [
        (change.new, "new"),
        (change.changed, "changed"),
        (change.unchanged, "as they were"),
        (change.erased_people, "erased"),
    ];
    let told = all.iter().filter(|(count, _)| *count > 0);
    let told: Vec<String> = told.map(|(count, what)| format!("{count} {what}")).collect();
    let verb = if dry_run { "would export" } else { "exported" };
    let faces = faces_of_people(gallery.len(), gallery.people().len());
    let mut lines = vec![format!("{verb} {faces} to {address}: {}", told.join(", "))];
    if change.erased_faces > 0 {
        let erased = counted(change.erased_faces, "face is", "faces are");
        let not = if dry_run { "then not" } else { "not" };
        lines.push(format!("{erased} {not} there any more"));
    }
    lines
}
