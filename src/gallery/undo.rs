//! Taking back the last change of a gallery: what has to be kept for that, and how it is done.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::Gallery;
use crate::dataset::{ContentHash, Person};
use crate::error::{Error, Result};

/// The last change of a gallery, with what taking it back needs. Of faces that were erased nothing is kept but their
/// number: they cannot come back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LastChange {
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
        added: Vec<String>,
        /// Faces that are another person's, or came from another place, than before.
        moved: Vec<Moved>,
        /// Number of faces erased.
        erased: usize,
    },
}

/// A face that belonged elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// The hash of its photo.
    hash: String,
    /// The person.
    person: String,
    /// The path of the photo.
    source: String,
}

/// A gallery after its last change was taken back.
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
    /// The change that leads from one state to the other; `None` where there is none.
    pub fn between(before: &Gallery, after: &Gallery) -> Option<Self> {
        let old: HashMap<ContentHash, usize> = before.hashes().zip(0..).collect();
        let there: HashSet<ContentHash> = after.hashes().collect();
        let (mut added, mut moved) = (Vec::new(), Vec::new());
        for face in after.enrolled() {
            let Some(&at) = old.get(&face.hash) else {
                added.push(face.hash.to_string());
                continue;
            };
            let was = &before.enrolled()[at];
            let person = &before.people()[was.person];
            if *person != after.people()[face.person] || was.source != face.source {
                let source = match face.source.as_str() {
                    // Where places are not kept, none are.
                    "" => String::new(),
                    _ => was.source.clone(),
                };
                moved.push(Moved {
                    hash: face.hash.to_string(),
                    person: person.to_string(),
                    source,
                });
            }
        }
        let erased = before.hashes().filter(|hash| !there.contains(hash)).count();
        if added.is_empty() && moved.is_empty() && erased == 0 {
            return None;
        }
        if before.is_empty() {
            // Without them there is no model: no use in a list of all.
            added.clear();
        }
        Some(Self::Faces {
            added,
            moved,
            erased,
        })
    }

    /// Forgets the faces that are enrolled no longer: of all but these hashes.
    pub(super) fn forget_faces(&mut self, there: &HashSet<String>) {
        if let Self::Faces { added, moved, .. } = self {
            added.retain(|hash| there.contains(hash));
            moved.retain(|face| there.contains(&face.hash));
        }
    }

    /// Forgets whom faces belonged to before, of all but these people.
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
            Self::Renamed { from, .. } => !there.contains(from),
            Self::Faces { added, moved, .. } => added.is_empty() && moved.is_empty(),
        }
    }

    /// The faces of these people became another's.
    pub(super) fn merged(from: &[Person], before: &Gallery) -> Self {
        let faces = before.enrolled().iter();
        let moved = faces.filter_map(|face| {
            let person = &before.people()[face.person];
            from.contains(person).then(|| Moved {
                hash: face.hash.to_string(),
                person: person.to_string(),
                source: face.source.clone(),
            })
        });
        Self::Faces {
            added: Vec::new(),
            moved: moved.collect(),
            erased: 0,
        }
    }
}

impl Gallery {
    /// The gallery as it was before its last change, the erased excepted.
    ///
    /// # Errors
    /// [`Error::NothingToUndo`], [`Error::ErasedForGood`]; a name in `change` that is no name.
    pub fn undone(self, change: &LastChange) -> Result<Undone> {
        match change {
            LastChange::Renamed { from, to } => {
                let (person, from) = (self.find(to)?, Person::new(from)?);
                let restored = self.counts()[person];
                Ok(Undone {
                    gallery: self.renamed(&[person], &from),
                    erased: Vec::new(),
                    restored,
                    lost: 0,
                })
            }
            LastChange::Faces {
                added,
                moved,
                erased,
            } => self.without_change(added, moved, *erased),
        }
    }

    fn without_change(self, added: &[String], moved: &[Moved], lost: usize) -> Result<Undone> {
        let added: HashSet<&str> = added.iter().map(String::as_str).collect();
        let mut places = HashMap::with_capacity(moved.len());
        for place in moved {
            let person = Person::new(&place.person)?;
            places.insert(place.hash.as_str(), (person, place.source.as_str()));
        }
        let faces = self.enrolled().iter().enumerate();
        let erased = faces.filter_map(|(at, face)| {
            let is_added = added.contains(face.hash.to_string().as_str());
            is_added.then_some(at)
        });
        let erased: Vec<usize> = erased.collect();
        let mut restored = 0;
        let gallery = self.without(&erased).changed(|face| {
            if let Some((person, source)) = places.get(face.hash.to_string().as_str()) {
                face.person = person.clone();
                face.source = (*source).to_owned();
                restored += 1;
            }
            true
        });
        match (erased.len() + restored, lost) {
            (0, 0) => Err(Error::NothingToUndo),
            (0, count) => Err(Error::ErasedForGood { count }),
            _ => Ok(Undone {
                gallery,
                erased,
                restored,
                lost,
            }),
        }
    }
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
        Gallery::assemble(FaceSize::new(8, 8).unwrap(), faces.collect())
            .unwrap()
            .0
    }

    /// The gallery that is left when the change between these is taken back.
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

    #[test]
    fn the_erased_stay_erased_and_it_is_said() {
        let before = gallery(&[("Ada", 1), ("Boris", 2)]);
        let error = back(&before, &gallery(&[("Ada", 1)])).unwrap_err();
        assert!(matches!(error, Error::ErasedForGood { count: 1 }));
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
        history.merge(4, &[person("Robert")], &person("Ada"), &renamed);
        let merged = renamed.clone().renamed(&[1], &person("Ada"));
        assert_eq!(history.current_name(&person("Bob")), Some("Ada"));
        history.undo(5, &merged, &renamed);
        assert_eq!(history.current_name(&person("Bob")), Some("Robert"));
        assert_eq!(history.names(), before.names());
        // The step before is the last one now.
        assert_eq!(history.last_change(), before.last_change());
        history.undo(6, &renamed, &first);
        assert_eq!(history.current_name(&person("Robert")), None);
        assert!(history.fits(&first));
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
        history.record(
            4,
            &renamed,
            &gallery(&[("Ada", 1), ("Bo", 2), ("Bo", 4), ("Bo", 5)]),
        );
        history.record(
            5,
            &gallery(&[("Ada", 1), ("Bo", 2), ("Bo", 4), ("Bo", 5)]),
            &more,
        );
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
        history.merge(
            1,
            &[person("Ada"), person("Cleo")],
            &person("Boris"),
            &before,
        );
        let merged = before.clone().renamed(&[0, 2], &person("Boris"));
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
