//! The decision for each face, by the regions that are there.

use super::area::Area;
use super::face::Face;
use super::matching::{Pair, one_to_one};
use super::region::{FoundRegion, Kind, Naming};

/// The result of writing one face.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A new region was added.
    Added,
    /// A region without a name was given the name.
    Named,
    /// A region of this program's was given another name or confidence.
    Updated {
        /// The name it had before.
        previous: String,
    },
    /// A region of this program's has the name and the confidence already.
    Unchanged,
    /// Nothing was written, because a person, or another program, has named this face.
    NamedAlready {
        /// The name it has.
        name: String,
    },
    /// Nothing was written, because somebody has taken away the name that this program gave to this face.
    NameRemoved {
        /// The name it had.
        name: String,
    },
}

impl Outcome {
    pub(super) fn is_written(&self) -> bool {
        !matches!(self, Self::NamedAlready { .. } | Self::NameRemoved { .. })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decision {
    pub outcome: Outcome,
    pub region: Option<usize>,
}

pub(super) fn decide(found: &[FoundRegion<'_>], faces: &[Face<'_>]) -> Vec<Decision> {
    let mut decisions: Vec<Option<Decision>> = faces.iter().map(|face| kept(found, &face.area)).collect();
    for step in [Step::OwnRegions, Step::NamelessRegions] {
        for (region, face) in one_to_one(candidates(found, faces, &decisions, step)) {
            decisions[face] = Some(Decision { outcome: outcome(&found[region], &faces[face]), region: Some(region) });
        }
    }
    let added = || Decision { outcome: Outcome::Added, region: None };
    decisions.into_iter().map(|decision| decision.unwrap_or_else(added)).collect()
}

/// The decision for a face that a person has named or whose name somebody has removed.
fn kept(found: &[FoundRegion<'_>], face: &Area) -> Option<Decision> {
    let mut best: Option<(f64, Outcome)> = None;
    for found in found {
        let outcome = match (found.region.kind, found.region.naming()) {
            (Kind::Other, _) | (_, Naming::Nameless | Naming::Program(_)) => continue,
            (_, Naming::Person(name)) => Outcome::NamedAlready { name: name.to_owned() },
            (_, Naming::Removed(name)) => Outcome::NameRemoved { name: name.to_owned() },
        };
        let Some(overlap) = found.region.area.same_face(face) else { continue };
        if best.as_ref().is_none_or(|best| overlap > best.0) {
            best = Some((overlap, outcome));
        }
    }
    best.map(|(_, outcome)| Decision { outcome, region: None })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    OwnRegions,
    NamelessRegions,
}

fn candidates(found: &[FoundRegion<'_>], faces: &[Face<'_>], decisions: &[Option<Decision>], step: Step) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (region, found) in found.iter().enumerate() {
        let wanted = match found.region.naming() {
            Naming::Program(_) => step == Step::OwnRegions,
            Naming::Nameless => step == Step::NamelessRegions && found.can_be_named(),
            Naming::Person(_) | Naming::Removed(_) => false,
        };
        if !wanted || found.region.kind != Kind::Face {
            continue;
        }
        for (face, (new, decision)) in faces.iter().zip(decisions).enumerate() {
            let overlap = found.region.area.same_face(&new.area);
            if let (None, Some(overlap)) = (decision, overlap) {
                pairs.push(Pair { overlap, likeness: likeness(found, new), region, face });
            }
        }
    }
    pairs
}

/// The number of texts that a region shares with a face, by which faces in the same place are told apart.
fn likeness(found: &FoundRegion<'_>, face: &Face<'_>) -> u8 {
    let Some(mark) = &found.region.mark else { return 0 };
    match (mark.name == face.name, face.confidence.is_some() && mark.confidence == face.confidence) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => 2,
    }
}

fn outcome(found: &FoundRegion<'_>, face: &Face<'_>) -> Outcome {
    match &found.region.mark {
        None => Outcome::Named,
        Some(_) if likeness(found, face) == 2 => Outcome::Unchanged,
        Some(mark) => Outcome::Updated { previous: mark.name.clone() },
    }
}
