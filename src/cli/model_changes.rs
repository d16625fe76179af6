//! Steps that all commands which change a model share: taking the lock, writing the log, asking before erasing.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use eigenfaces::Model;
use eigenfaces::error::PcaError;
use eigenfaces::model::Plan;
use eigenfaces::store::{ModelLock, Wait, has_other_names};

use super::options::ChangeOptions;
use super::{Error, Output, Result, one_line, shown};

/// Time to wait for another process's lock before a message.
const IN_SILENCE: Duration = Duration::from_secs(1);

/// Time to wait after the message: changing a large gallery takes long.
const PATIENCE: Duration = Duration::from_secs(600);

#[derive(Debug)]
pub struct Opened {
    /// `None` for a dry run.
    _lock: Option<ModelLock>,
    /// `None` where there is no model yet.
    pub model: Option<Model>,
}

/// Opens a model for changing: takes its lock, and waits for another holder and names it. A dry run locks and writes nothing.
pub fn open(change: ChangeOptions, model: &Path, output: &Output) -> Result<Opened> {
    let lock = (!change.dry_run).then(|| lock(model, output)).transpose()?;
    if lock.is_some() && has_other_names(model) {
        output.say(&format!(
            "{} has other names (hard links), and a change reaches none of them: they keep what is in it now",
            shown(model)
        ));
    }
    Ok(Opened { _lock: lock, model: Model::at(model)? })
}

fn lock(model: &Path, output: &Output) -> Result<ModelLock> {
    let lock = match ModelLock::acquire(model, Wait::AtMost(IN_SILENCE)) {
        Err(eigenfaces::Error::Locked { holder, .. }) => {
            let holder = holder.map_or_else(|| "another process".to_owned(), |it| it.to_string());
            let model_shown = shown(model);
            output.say(&format!("waiting: {model_shown} is in use by {holder}"));
            ModelLock::acquire(model, Wait::AtMost(PATIENCE))?
        }
        locked => locked?,
    };
    lock.report_missing(output);
    Ok(lock)
}

/// What a change does that has to be meant, and the question about it.
pub struct Consequence {
    question: String,
    would: String,
}

impl Consequence {
    /// Faces are erased: `what`, in words.
    pub fn erased(model: &Path, what: &str) -> Self {
        let what = one_line(what);
        Self { question: format!("erase {what} from {}?", shown(model)), would: format!("{what} would be erased") }
    }

    /// People lose their names to those of the folder, which may be what somebody wanted to forget.
    pub fn renamed(model: &Path, renamed: &str) -> Self {
        let question = format!("{renamed} in {}: is that meant?", shown(model));
        Self { question, would: format!("by the folder's names {renamed}") }
    }
}

/// Goes on if the user agrees to all consequences: by `--yes`, or asked on a terminal.
/// Errors: they do not, or cannot be asked, and are told all of them.
pub fn consent(change: ChangeOptions, model: &Path, consequences: &[Consequence]) -> Result<()> {
    if change.yes {
        return Ok(());
    }
    for consequence in consequences {
        let Some(is_meant) = asked(&consequence.question) else {
            let would = consequences.iter().map(|it| it.would.as_str()).collect::<Vec<_>>().join(", and ");
            let remedy = "add --yes to do it, or --dry-run to look first";
            return Err(Error::about(model, format_args!("{would}; {remedy}")));
        };
        if !is_meant {
            return Err(Error::about(model, "nothing was changed"));
        }
    }
    Ok(())
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
    line.strip_suffix('\n').is_some_and(|answer| matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Makes a change, and writes the model.
/// Errors: too few different faces to learn from: where some are erased, said so that whoever erases knows what to do.
pub fn commit(plan: &Plan, before: Option<&Model>, model: &Path) -> Result<Model> {
    let left = plan.outcome.gallery.len();
    let after = plan.commit(before).map_err(|error| match error {
        eigenfaces::Error::Pca(PcaError::TooFewFaces(_) | PcaError::NoVariance(_)) if !plan.outcome.gone.is_empty() => {
            too_few_left(model, left)
        }
        other => other,
    })?;
    let after = after.ok_or_else(|| too_few_left(model, left))?;
    after.save(model)?;
    Ok(after)
}

pub fn too_few_left(model: &Path, left: usize) -> Error {
    Error::about(
        model,
        format_args!("{left} of its faces would be left, too few for a face space; to erase them all, delete the file"),
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
