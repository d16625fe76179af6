//! `eigenfaces people undo`: the last change is taken back.

use eigenfaces::gallery::{History, change_time};
use eigenfaces::recognizer::Recognizer;
use serde_json::json;

use super::{Plan, in_words, tally};
use crate::cli::error::Result;
use crate::cli::output::counted;

pub fn plan(known: &Recognizer, history: &History) -> Result<Plan> {
    let change = history
        .last_change()
        .ok_or(eigenfaces::Error::NothingToUndo)?;
    let gallery = known.gallery();
    let undone = gallery.clone().undone(change)?;
    let added = (!undone.erased.is_empty()).then(|| {
        let faces = counted(undone.erased.len(), "face", "faces");
        format!("{faces} ({})", in_words(&tally(gallery, &undone.erased)))
    });
    let mut parts = Vec::new();
    if let Some(added) = &added {
        parts.push(format!("{added} erased again"));
    }
    if undone.restored > 0 {
        let faces = counted(undone.restored, "face", "faces");
        parts.push(format!("{faces} given back the name or place from before"));
    }
    if undone.lost > 0 {
        let faces = counted(undone.lost, "face", "faces");
        parts.push(format!("{faces} that it erased cannot come back"));
    }
    Ok(Plan {
        after: undone.gallery,
        erased: added,
        verbs: ["take back", "took back"],
        what: format!("the last change ({})", parts.join(", ")),
        json: json!({
            "undone": { "erased": undone.erased.len(), "restored": undone.restored, "lost": undone.lost }
        }),
        entry: Box::new(|history, before, after| history.undo(change_time(), before, after)),
    })
}
