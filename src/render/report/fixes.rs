//! Photos that somebody should look at in the folder, and their remedies.

use super::super::words::{counted, percent};
use super::{Fix, PAIRS_SHOWN, Pair, Report};
use crate::evaluate::Suspects;
use crate::vectors::squared_distance;

impl Report<'_> {
    pub(super) fn fixes(&self) -> Vec<Fix> {
        let Suspects {
            duplicates,
            mislabelled,
            not_faces,
            ..
        } = &self.evaluation.suspects;
        let mut fixes = Vec::new();
        let mut fix = |count: usize, one: &str, many: &str, advice, pairs: Vec<Pair>| {
            if count > 0 {
                fixes.push(Fix {
                    heading: counted(count, one, many),
                    advice,
                    more: count - pairs.len(),
                    pairs,
                });
            }
        };
        let pairs = duplicates.iter().take(PAIRS_SHOWN).map(|pair| Pair {
            tiles: vec![self.tile(pair.first), self.tile(pair.second)],
            note: format!(
                "The same picture? Correlation of pixels {:.3}.",
                pair.correlation
            ),
        });
        fix(
            duplicates.len(),
            "photo stands under two names",
            "photos stand under two names",
            "Nearly or exactly the same picture belongs to two people: remove it where the name is wrong.",
            pairs.collect(),
        );
        let pairs = mislabelled.iter().take(PAIRS_SHOWN).map(|suspect| Pair {
            tiles: vec![
                self.tile(suspect.face),
                self.tile(self.nearest_of(suspect.face, suspect.nearest)),
            ],
            note: format!(
                "Looks like {} ({}): distance {:.3}, to its own person {:.3}.",
                self.name(suspect.nearest),
                percent(suspect.confidence),
                suspect.nearest_distance,
                suspect.own_distance
            ),
        });
        fix(
            mislabelled.len(),
            "photo may have the wrong name",
            "photos may have the wrong name",
            "Left out, it looks more like the person at its right than like its own: check the name, or keep it if it is only an unlucky photo.",
            pairs.collect(),
        );
        let pairs = not_faces.iter().take(PAIRS_SHOWN).map(|suspect| Pair {
            tiles: vec![self.tile(suspect.face)],
            note: format!(
                "Looks like a face by {:.2} (-1 to 1; {:.2} is asked for).",
                suspect.face_score, suspect.limit
            ),
        });
        fix(
            not_faces.len(),
            "photo may be no face",
            "photos may be no face",
            "Remove it, or crop it to the face.",
            pairs.collect(),
        );
        fixes
    }

    /// The person's face nearest to a face by pixels.
    fn nearest_of(&self, face: usize, person: usize) -> usize {
        let faces = self.gallery.faces();
        let distance = |other: usize| squared_distance(faces.face(face), faces.face(other));
        let enrolled = self.gallery.enrolled().iter().enumerate();
        let theirs = enrolled.filter(|(at, other)| other.person == person && *at != face);
        theirs
            .map(|(at, _)| at)
            .min_by_key(|&at| distance(at))
            .unwrap_or(face)
    }
}
