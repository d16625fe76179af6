//! Notices about faces that were just enrolled, for the command line and the server.

use std::collections::{BTreeSet, HashSet};

use super::Model;
use crate::dataset::ContentHash;
use crate::error::Result;
use crate::evaluate::quality::{self, Flaw};
use crate::evaluate::several_people;
use crate::recognizer::Recognizer;
use crate::text::{counted, one_line};

impl Model {
    /// The hashes of the enrolled photos; none where there is no model.
    pub fn hashes(model: Option<&Self>) -> HashSet<ContentHash> {
        model.map(Self::gallery).into_iter().flat_map(|gallery| gallery.hashes()).collect()
    }

    /// The notices, each in a line, of the faces that were not there `before`.
    ///
    /// # Errors
    /// When the program itself is damaged.
    pub fn notices(&self, before: &HashSet<ContentHash>) -> Result<Vec<String>> {
        let recognizer = self.recognizer();
        let new = recognizer.gallery().hashes().enumerate().filter(|(_, hash)| !before.contains(hash));
        let new: BTreeSet<usize> = new.map(|(at, _)| at).collect();
        let several = mixed_photos(recognizer, &new)?;
        let weak = weak_photos(recognizer, &new);
        Ok([several, weak, recognizer.confidence_warning()].into_iter().flatten().collect())
    }
}

/// Counts the new photos that weaken whom they are enrolled for.
fn weak_photos(recognizer: &Recognizer, new: &BTreeSet<usize>) -> Option<String> {
    let flaws = quality::flaws(recognizer);
    let mut counts = [(0, "tiny"), (0, "cut off"), (0, "blurred"), (0, "damaged")];
    for (_, flaw) in flaws.into_iter().filter(|(at, _)| new.contains(at)) {
        counts[match flaw {
            Flaw::Tiny(_) => 0,
            Flaw::CutOff(_) => 1,
            Flaw::Blurred(_) => 2,
            Flaw::Damaged(_) => 3,
        }]
        .0 += 1;
    }
    let all: usize = counts.iter().map(|count| count.0).sum();
    let told = counts.iter().filter(|count| count.0 > 0);
    let told: Vec<String> = told.map(|(count, kind)| format!("{count} {kind}")).collect();
    (all > 0).then(|| {
        format!(
            "{} of poor quality ({}): fewer photos of these people will be named; enroll --check lists them",
            counted(all, "photo is", "photos are"),
            told.join(", ")
        )
    })
}

/// Names the people whose photos clearly show several, as far as they have new ones.
fn mixed_photos(recognizer: &Recognizer, new: &BTreeSet<usize>) -> Result<Option<String>> {
    let gallery = recognizer.gallery();
    let people = new.iter().map(|&at| gallery.enrolled()[at].person);
    let several = several_people(recognizer, people.collect::<BTreeSet<usize>>())?;
    let others = match several.len() {
        0 | 1 => String::new(),
        count => format!(" and of {}", counted(count - 1, "more person", "more people")),
    };
    let said = |first: usize| {
        format!(
            "the photos of {}{others} look like several people's: enroll --check names them, and eigenfaces group puts faces into groups by person",
            one_line(gallery.people()[first].as_str())
        )
    };
    Ok(several.first().map(|first| said(first.person)))
}
