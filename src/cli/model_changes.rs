//! Steps that all commands which change a model share: taking the lock, writing the log, asking before erasing.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use eigenfaces::error::PcaError;
use eigenfaces::gallery::Gallery;
use eigenfaces::recognizer::{Recognizer, Settings};
use eigenfaces::store::{ModelLock, Wait};

use super::args::ChangeOptions;
use super::error::{Error, Result};
use super::output::{Output, one_line, shown};

/// Notice that a model's basis, fixed until now, is learned again.
pub const LEARNED_AGAIN: &str =
    "the basis, which had been kept, is learned again from the faces that are enrolled";

/// Time to wait in silence for another process that is changing the model.
const IN_SILENCE: Duration = Duration::from_secs(1);

/// Time to wait after that: a large gallery takes its time.
const PATIENCE: Duration = Duration::from_secs(600);

/// The lock of a model that is to be changed, unless it is only said what would be done.
pub fn lock_for(change: ChangeOptions, model: &Path, output: &Output) -> Result<Option<ModelLock>> {
    (!change.dry_run).then(|| lock(model, output)).transpose()
}

/// The lock of a model; waits for its holder, and says for whom.
pub fn lock(model: &Path, output: &Output) -> Result<ModelLock> {
    let lock = match ModelLock::acquire(model, Wait::AtMost(IN_SILENCE)) {
        Err(eigenfaces::Error::Locked { holder, .. }) => {
            let holder = holder.map_or_else(|| "another process".to_owned(), |it| it.to_string());
            let model_shown = shown(model);
            output.say(&format!(
                "waiting: {model_shown} is being changed by {holder}"
            ));
            ModelLock::acquire(model, Wait::AtMost(PATIENCE))?
        }
        locked => locked?,
    };
    if !lock.is_held() {
        output.say(&no_locks(model));
    }
    Ok(lock)
}

/// Notice that the drive of a model keeps nobody out while it is changed.
pub fn no_locks(model: &Path) -> String {
    format!(
        "{}: its drive has no file locks, so see to it that nothing else changes the model meanwhile",
        shown(model)
    )
}

/// Goes on if the user agrees that `what` is erased from the model: by `--yes`, or asked on a terminal.
///
/// # Errors
/// They do not, or cannot be asked.
pub fn consent(change: ChangeOptions, model: &Path, what: &str) -> Result<()> {
    if change.yes {
        return Ok(());
    }
    let question = format!("erase {} from {}?", one_line(what), shown(model));
    match asked(&question) {
        Some(true) => Ok(()),
        Some(false) => Err(Error::declined(model)),
        None => Err(Error::about(
            model,
            format_args!("{what} would be erased; add --yes to do it, or --dry-run to look first"),
        )),
    }
}

/// The user's answer to a question of yes or no; `None` where nobody can be asked.
pub fn asked(question: &str) -> Option<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return None;
    }
    let mut answer = String::new();
    let _ = write!(io::stderr(), "{question} [y/N] ").and_then(|()| io::stderr().flush());
    let _ = io::stdin().lock().read_line(&mut answer);
    if !answer.ends_with('\n') {
        let _ = writeln!(io::stderr());
    }
    Some(agrees(&answer))
}

/// Whether a line says yes. One that was not finished (Ctrl-D) says nothing.
fn agrees(line: &str) -> bool {
    line.strip_suffix('\n')
        .is_some_and(|answer| matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// A recogniser of the faces that are left where some are erased.
///
/// # Errors
/// Too few different ones: said so that whoever erases knows what to do.
pub fn learn_from_rest(
    before: &Recognizer,
    gallery: Gallery,
    settings: Settings,
    model: &Path,
) -> Result<Recognizer> {
    let left = gallery.len();
    before
        .learn_again(gallery, settings)
        .map_err(|error| match error {
            eigenfaces::Error::Pca(PcaError::TooFewFaces(_) | PcaError::NoVariance(_)) => {
                too_few_left(model, left)
            }
            other => other.into(),
        })
}

/// The error of a removal that would leave too few faces.
pub fn too_few_left(model: &Path, left: usize) -> Error {
    Error::about(
        model,
        format_args!(
            "{left} of its faces would be left, too few for a face space; to erase them all, delete the file"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::agrees;

    #[test]
    fn only_a_whole_yes_is_a_yes() {
        for yes in ["y\n", "Y\r\n", " yes \n", "YES\n"] {
            assert!(agrees(yes), "{yes:?}");
        }
        for no in ["", "\n", "y", "yes", "n\n", "ye\n", "yy\n", "\u{1b}[Ay\n"] {
            assert!(!agrees(no), "{no:?}");
        }
    }
}
