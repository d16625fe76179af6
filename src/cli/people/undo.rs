//! `eigenfaces people undo`: the last change is taken back.

use serde_json::json;

use super::{Log, Model, Plan, Verb, in_words, tally};
use crate::cli::error::Result;
use crate::cli::output::counted;

pub fn plan(model: &Model<'_>) -> Result<Plan> {
    let change = model
        .history
        .last_change()
        .ok_or(eigenfaces::Error::NothingToUndo)?;
    let gallery = model.gallery();
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
        verb: Verb {
            infinitive: "take back",
            past: "took back",
        },
        what: format!("the last change ({})", parts.join(", ")),
        json: json!({
            "undone": { "erased": undone.erased.len(), "restored": undone.restored, "lost": undone.lost }
        }),
        log: Log::Undo,
    })
}
