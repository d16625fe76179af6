//! Taking back the last change of a gallery: what has to be kept for that, and how it is done.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::Gallery;
use crate::dataset::{ContentHash, Person};
use crate::error::{Error, Result};
use crate::text::counted;

/// A change of a gallery, with what undoing it needs. Erased faces cannot come back: nothing but their number is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LastChange {
    /// The first faces were enrolled: all of them came.
    Begun,
    /// A person got another name.
    Renamed {
        /// The name before.
        from: String,
        /// The name after.
        to: String,
    },
    /// Faces came, went, or became another person's.
    Faces {
        /// The hashes of faces that came.
        added: Vec<ContentHash>,
        /// Faces that are another person's, or came from another place, than before.
        moved: Vec<Moved>,
        /// Number of faces erased.
        erased: usize,
    },
}

/// A face that had another person or path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    hash: ContentHash,
    person: String,
    source: String,
    /// The hash of the photo, where a copy with other bytes has replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaced: Option<ContentHash>,
}

/// A gallery after its last change was undone.
#[derive(Debug, Clone, PartialEq)]
pub struct Undone {
    /// The gallery after that.
    pub gallery: Gallery,
    /// Faces that had been added and are erased, as positions in the gallery before.
    pub erased: Vec<usize>,
    /// Faces that get back the person or place they had.
    pub restored: usize,
    /// Faces that the change had erased: they stay erased.
    pub lost: usize,
}

impl LastChange {
    /// The change that leads from one state to the other; `None` where nothing of it could be undone.
    pub fn between(before: &Gallery, after: &Gallery) -> Option<Self> {
        if before.is_empty() {
            // A list of all faces would be redundant.
            return (!after.is_empty()).then_some(Self::Begun);
        }
        let old: HashMap<ContentHash, usize> = before.hashes().zip(0..).collect();
        let there: HashSet<ContentHash> = after.hashes().collect();
        let (mut added, mut moved) = (Vec::new(), Vec::new());
        let gone: Vec<usize> = (0..before.len()).filter(|&at| !there.contains(&before.enrolled[at].hash)).collect();
        let copied = gone.iter().filter_map(|&at| Some((before.picture(at)?, at)));
        let mut copied: HashMap<&[u8], usize> = copied.collect();
        let mut erased = gone.len();
        for (place, face) in after.enrolled().iter().enumerate() {
            let copy = || copied.remove(after.picture(place)?);
            let same = old.get(&face.hash).copied();
            let Some(at) = same.or_else(copy) else {
                added.push(face.hash);
                continue;
            };
            erased -= usize::from(same.is_none());
            let was = &before.enrolled()[at];
            let person = &before.people()[was.person];
            let is_same_place = *person == after.people()[face.person] && was.source == face.source;
            if same.is_none() || !is_same_place {
                // Without paths in the gallery, none are kept here.
                let source = if face.source.is_empty() { String::new() } else { was.source.clone() };
                let replaced = same.is_none().then_some(was.hash);
                moved.push(Moved { hash: face.hash, person: person.to_string(), source, replaced });
            }
        }
        (!added.is_empty() || !moved.is_empty()).then_some(Self::Faces { added, moved, erased })
    }

    /// Merges a later change into this one, so that both are undone at once; returns it where they cannot be merged.
    pub(super) fn join(&mut self, later: Self) -> Option<Self> {
        match (self, later) {
            (Self::Begun, Self::Faces { .. }) => {}
            (Self::Faces { added, moved, erased }, Self::Faces { added: more, moved: others, erased: gone }) => {
                let is_new =
                    |face: &Moved| !added.contains(&face.hash) && moved.iter().all(|one| one.hash != face.hash);
                let others: Vec<Moved> = others.into_iter().filter(is_new).collect();
                moved.extend(others);
                added.extend(more);
                *erased += gone;
            }
            (_, later) => return Some(later),
        }
        None
    }

    /// What was done, as a person would say it, where `gallery` is the state after it: "Boris renamed Bo".
    pub fn in_words(&self, gallery: &Gallery) -> String {
        let (added, moved) = match self {
            Self::Renamed { from, to } => return format!("{from} renamed {to}"),
            Self::Begun => return format!("{} added", faces_of(gallery, |_| true)),
            Self::Faces { added, moved, .. } => (added, moved),
        };
        let hashes: HashSet<&ContentHash> = added.iter().collect();
        let is_added = |hash: &ContentHash| hashes.contains(hash);
        let mut told = Vec::new();
        if !added.is_empty() {
            told.push(format!("{} added", faces_of(gallery, is_added)));
        }
        let before: HashMap<ContentHash, &str> = moved.iter().map(|face| (face.hash, face.person.as_str())).collect();
        let given = gallery.enrolled().iter().filter_map(|face| {
            let (was, is) = (*before.get(&face.hash)?, gallery.people()[face.person].as_str());
            (was != is).then_some((was, is))
        });
        let given: Vec<(&str, &str)> = given.collect();
        let is_here = |name: &str| gallery.people().iter().any(|person| person.is_called(name));
        told.extend(match given[..] {
            [] => (!moved.is_empty()).then(|| "photos found elsewhere".to_owned()),
            [(was, is), ..] if !is_here(was) && given.iter().all(|one| *one == (was, is)) => {
                Some(format!("{was} merged into {is}"))
            }
            [(_, is), ..] if given.iter().all(|one| one.1 == is) => {
                Some(format!("{} moved to {is}", faces(given.len(), "")))
            }
            _ => Some(format!("{} moved", faces(given.len(), ""))),
        });
        told.join(", ")
    }

    pub(super) fn forget_faces(&mut self, there: &HashSet<ContentHash>) {
        if let Self::Faces { added, moved, .. } = self {
            added.retain(|hash| there.contains(hash));
            moved.retain(|face| there.contains(&face.hash));
        }
    }

    pub(super) fn forget_people(&mut self, there: &HashSet<String>) {
        if let Self::Faces { moved, .. } = self {
            moved.retain(|face| there.contains(&face.person));
        }
    }

    /// Whether undoing it gives faces back to a person of this name.
    pub(super) fn gives_back(&self, name: &str) -> bool {
        matches!(self, Self::Faces { moved, .. } if moved.iter().any(|face| face.person == name))
    }

    /// Whether there is nothing left to undo of it, where these people are enrolled or can be again.
    pub(super) fn is_nothing(&self, there: &HashSet<String>) -> bool {
        match self {
            Self::Begun => false,
            Self::Renamed { from, .. } => !there.contains(from),
            Self::Faces { added, moved, .. } => added.is_empty() && moved.is_empty(),
        }
    }
}

impl Gallery {
    /// The gallery as it was before its last change, the erased excepted.
    ///
    /// # Errors
    /// [`Error::NothingToUndo`]; a name in `change` that is no name.
    pub fn undone(self, change: &LastChange) -> Result<Undone> {
        match change {
            LastChange::Begun => Ok(Undone {
                gallery: Self::empty(self.faces().size()),
                erased: (0..self.len()).collect(),
                restored: 0,
                lost: 0,
            }),
            LastChange::Renamed { from, to } => {
                let (person, from) = (self.find(to)?, Person::new(from)?);
                let restored = self.counts()[person];
                Ok(Undone { gallery: self.renamed(&[person], &from), erased: Vec::new(), restored, lost: 0 })
            }
            LastChange::Faces { added, moved, erased } => self.without_change(added, moved, *erased),
        }
    }

    fn without_change(self, added: &[ContentHash], moved: &[Moved], lost: usize) -> Result<Undone> {
        let added: HashSet<&ContentHash> = added.iter().collect();
        let mut places = HashMap::with_capacity(moved.len());
        for place in moved {
            places.insert(place.hash, (Person::new(&place.person)?, place));
        }
        let faces = self.enrolled().iter().enumerate();
        let erased: Vec<usize> = faces.filter_map(|(at, face)| added.contains(&face.hash).then_some(at)).collect();
        let mut restored = 0;
        let gallery = self.without(&erased).changed(|face| {
            if let Some((person, place)) = places.get(&face.hash) {
                face.person = person.clone();
                face.source.clone_from(&place.source);
                face.hash = place.replaced.unwrap_or(face.hash);
                restored += 1;
            }
        });
        match erased.len() + restored {
            0 => Err(Error::NothingToUndo),
            _ => Ok(Undone { gallery, erased, restored, lost }),
        }
    }
}

fn faces(count: usize, whose: &str) -> String {
    counted(count, "face", "faces") + whose
}

/// Some faces of a gallery, and whose they are.
fn faces_of(gallery: &Gallery, is_one: impl Fn(&ContentHash) -> bool) -> String {
    let of = gallery.enrolled().iter().filter(|face| is_one(&face.hash));
    let people: Vec<usize> = of.map(|face| face.person).collect();
    let distinct: HashSet<usize> = people.iter().copied().collect();
    let whose = match (distinct.len(), people.first()) {
        (1, Some(&person)) => format!(" of {}", gallery.people()[person]),
        (several, _) => format!(" of {several} people"),
    };
    faces(people.len(), &whose)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face_matrix::FaceSize;
    use crate::gallery::{History, LabeledFace};
    use crate::preparation::Origin;

    fn gallery(faces: &[(&str, u8)]) -> Gallery {
        let faces = faces.iter().map(|&(person, number)| LabeledFace {
            person: Person::new(person).unwrap(),
            source: format!("{person}/{number}.png"),
            hash: ContentHash::of(&[number]),
            pixels: vec![number; 64].into(),
            origin: Origin::Whole,
        });
        Gallery::assemble(FaceSize::new(8, 8).unwrap(), faces.collect()).unwrap().0
    }

    /// The gallery that is left when the change between these is undone.
    fn back(before: &Gallery, after: &Gallery) -> Result<Undone> {
        let change = LastChange::between(before, after).unwrap();
        after.clone().undone(&change)
    }

    #[test]
    fn what_was_added_goes_and_what_was_moved_returns() {
        let before = gallery(&[("Ada", 1), ("Boris", 2), ("Boris", 3)]);
        let after = gallery(&[("Ada", 1), ("Ada", 2), ("Boris", 3), ("Cleo", 4)]);
        let undone = back(&before, &after).unwrap();
        assert_eq!(undone.gallery, before);
        let counts = (undone.erased.len(), undone.restored, undone.lost);
        assert_eq!(counts, (1, 1, 0));
        assert_eq!(LastChange::between(&before, &before), None);
    }

    /// A copy whose path counts takes the photo's place; that is no new face, and none is lost when it is undone.
    #[test]
    fn a_copy_with_other_bytes_gives_its_place_back() {
        let shaded = |name: &str| LabeledFace {
            person: Person::new("Ada").unwrap(),
            source: name.to_owned(),
            hash: ContentHash::of(name.as_bytes()),
            pixels: (0..64).collect::<Vec<u8>>().into(),
            origin: Origin::Whole,
        };
        let size = FaceSize::new(8, 8).unwrap();
        let (before, _) = Gallery::assemble(size, vec![shaded("b.png")]).unwrap();
        let (after, _) = before.clone().with(vec![shaded("a.bmp")]).unwrap();
        assert_eq!(after.enrolled()[0].source, "a.bmp");
        let undone = back(&before, &after).unwrap();
        assert_eq!(undone.gallery, before);
        assert_eq!((undone.erased.len(), undone.lost), (0, 0));
    }

    #[test]
    fn the_erased_stay_erased_and_erasing_is_no_step() {
        let before = gallery(&[("Ada", 1), ("Boris", 2)]);
        assert_eq!(LastChange::between(&before, &gallery(&[("Ada", 1)])), None);
        let undone = back(&before, &gallery(&[("Ada", 1), ("Cleo", 3)])).unwrap();
        assert_eq!((undone.gallery.len(), undone.lost), (1, 1));
    }

    #[test]
    fn undoing_brings_back_earlier_names_and_goes_back_step_by_step() {
        let person = |name| Person::new(name).unwrap();
        let first = gallery(&[("Ada", 1), ("Bob", 2)]);
        let mut history = History::default();
        history.record(0, &gallery(&[]), &first);
        history.rename(1, &person("Bob"), &person("Robert"));
        let renamed = first.clone().renamed(&[1], &person("Robert"));
        let before = history.clone();
        // Somebody else gets the earlier name, which is theirs then.
        history.rename(2, &person("Ada"), &person("Bob"));
        let other = renamed.clone().renamed(&[0], &person("Bob"));
        assert_eq!(history.current_name(&person("Bob")), None);
        history.undo(3, &other, &renamed);
        assert_eq!(history.current_name(&person("Bob")), Some("Robert"));
        // A merger takes the name along, and undoing it gives it back.
        let merged = renamed.clone().renamed(&[1], &person("Ada"));
        history.merge(4, &[person("Robert")], &person("Ada"), &renamed, &merged);
        assert_eq!(history.current_name(&person("Bob")), Some("Ada"));
        history.undo(5, &merged, &renamed);
        assert_eq!(history.current_name(&person("Bob")), Some("Robert"));
        assert_eq!(history.names(), before.names());
        // The step before is the last one now.
        assert_eq!(history.last_change(), before.last_change());
        history.undo(6, &renamed, &first);
        assert_eq!(history.current_name(&person("Robert")), None);
        assert!(history.fits(&first));
        let begun = history.last_change().unwrap();
        assert_eq!(begun.in_words(&first), "2 faces of 2 people added");
        assert!(first.undone(begun).unwrap().gallery.is_empty());
    }

    #[test]
    fn photos_of_one_gesture_are_one_step_and_steps_are_told_in_words() {
        let states = [
            gallery(&[("Ada", 1)]),
            gallery(&[("Ada", 1), ("Boris", 2)]),
            gallery(&[("Ada", 1), ("Boris", 2), ("Boris", 3)]),
            gallery(&[("Ada", 1), ("Boris", 2), ("Ada", 3)]),
        ];
        let mut history = History::default();
        let empty = gallery(&[]);
        history.record(0, &empty, &states[0]);
        for (at, pair) in (1..).zip(states.windows(2)) {
            history.record(at, &pair[0], &pair[1]);
            let told = history.last_change().unwrap().in_words(&pair[1]);
            let expected = ["1 face of Boris added", "1 face of Boris added", "1 face moved to Ada"];
            assert_eq!(told, expected[at as usize - 1]);
            if at > 1 {
                history.join();
            }
        }
        let step = history.last_change().unwrap();
        assert_eq!(step.in_words(&states[3]), "2 faces of 2 people added");
        let undone = states[3].clone().undone(step).unwrap().gallery;
        assert_eq!(undone, states[0]);
        history.undo(4, &states[3], &states[0]);
        assert_eq!(history.last_step().unwrap().1, &LastChange::Begun);
        history.rename(5, &Person::new("Ada").unwrap(), &Person::new("Zoe").unwrap());
        history.join();
        assert!(matches!(history.last_change(), Some(LastChange::Renamed { .. })));
    }

    #[test]
    fn what_was_erased_is_in_no_step() {
        let before = gallery(&[("Ada", 1), ("Boris", 2)]);
        let more = gallery(&[("Ada", 1), ("Boris", 2), ("Cleo", 3)]);
        let mut history = History::default();
        history.record(0, &gallery(&[]), &before);
        history.record(1, &before, &more);
        history.record(2, &more, &gallery(&[("Ada", 1), ("Boris", 2)]));
        let kept = serde_json::to_string(&history).unwrap();
        assert!(!kept.contains("Cleo"), "{kept}");
        // Nor are names that an erased person had, or gave a face away under.
        let person = |name| Person::new(name).unwrap();
        history.rename(3, &person("Boris"), &person("Bo"));
        let renamed = before.clone().renamed(&[1], &person("Bo"));
        let more = gallery(&[("Ada", 1), ("Ada", 4), ("Bo", 2), ("Bo", 5)]);
        history.record(4, &renamed, &gallery(&[("Ada", 1), ("Bo", 2), ("Bo", 4), ("Bo", 5)]));
        history.record(5, &gallery(&[("Ada", 1), ("Bo", 2), ("Bo", 4), ("Bo", 5)]), &more);
        history.record(6, &more, &gallery(&[("Ada", 1), ("Ada", 4)]));
        let kept = serde_json::to_string(&history).unwrap();
        assert!(!kept.contains("Bo"), "{kept}");
        assert!(!kept.contains(&ContentHash::of(&[3]).to_string()), "{kept}");
    }

    #[test]
    fn a_merger_and_a_new_name_are_taken_back() {
        let person = |name| Person::new(name).unwrap();
        let before = gallery(&[("Ada", 1), ("Boris", 2), ("Cleo", 3)]);
        let mut history = History::default();
        history.record(0, &gallery(&[]), &before);
        let merged = before.clone().renamed(&[0, 2], &person("Boris"));
        history.merge(1, &[person("Ada"), person("Cleo")], &person("Boris"), &before, &merged);
        let change = history.last_change().unwrap().clone();
        let undone = merged.clone().undone(&change).unwrap();
        assert_eq!(undone.gallery, before);
        history.undo(2, &merged, &before);
        assert!(history.fits(&before));
        assert_eq!(history.current_name(&person("Ada")), None);

        history.rename(3, &person("Ada"), &person("Zoe"));
        let renamed = before.clone().renamed(&[0], &person("Zoe"));
        let change = history.last_change().unwrap().clone();
        assert_eq!(renamed.clone().undone(&change).unwrap().gallery, before);
        history.undo(4, &renamed, &before);
        assert!(history.fits(&before));
        assert_eq!(history.current_name(&person("Zoe")), None);
    }
}
