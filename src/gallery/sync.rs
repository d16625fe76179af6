//! A gallery and a folder: what is new there is added; or the gallery follows the folder, what is changed, moved and gone included.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use unicode_normalization::UnicodeNormalization as _;

use super::{Dispute, Enrolled, Gallery, LabeledFace, Repeats, is_before};
use crate::dataset::{ContentHash, Person, natural};
use crate::error::Result;

/// A photo that is enrolled already, as it lies in a folder, or that was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownPhoto {
    /// The person it is labelled as.
    pub person: Person,
    /// The file.
    pub source: String,
    /// The hash of its content.
    pub hash: ContentHash,
}

/// All photos of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FolderScan {
    /// Those that are enrolled.
    pub known: Vec<KnownPhoto>,
    /// The others, made ready.
    pub new: Vec<LabeledFace>,
    /// Photos, and folders of photos, that are there but give no face this time: they cannot be read, or lie elsewhere.
    pub unusable: Vec<String>,
}

/// A gallery after an edit, and what that took. Photos are named by source, as a folder has them now or, where they are gone,
/// as it had them. Only following a folder leads to `changed`, `moved`, `renamed` and `kept`.
#[derive(Debug, Clone, PartialEq)]
pub struct EditOutcome {
    /// The gallery as it is now.
    pub gallery: Gallery,
    /// Photos that are enrolled as they were, each counted once.
    pub unchanged: usize,
    /// Photos that were not there before.
    pub added: Vec<String>,
    /// Photos that have another content than before; the old faces are gone.
    pub changed: Vec<String>,
    /// Where only what is new was added: photos whose file has another content now; the face from before is there still.
    pub edited: Vec<String>,
    /// Photos that have another path or another person, before and now.
    pub moved: Vec<(String, String)>,
    /// Pairs of a name in the model and the folder's name that would replace it, in how many photos, where a person should be
    /// asked: the name was given in the model, or nobody would have it any more.
    pub renamed: BTreeMap<(Person, Person), usize>,
    /// Photos whose faces are erased.
    pub gone: Vec<KnownPhoto>,
    /// Enrolled photos that cannot be used now or lie elsewhere, but are not gone: their faces stay.
    pub kept: usize,
    /// Photos that were given twice, or under two names.
    pub repeats: Repeats,
}

impl Gallery {
    /// The gallery with what is new in the folder added, and nothing else changed.
    ///
    /// # Errors
    /// Faces of another size.
    pub fn with_folder(self, folder: FolderScan) -> Result<EditOutcome> {
        let mut intake = EditOutcome::of(Gallery::empty(self.faces.size()));
        let mut claims = claims(folder.known);
        let mut least: HashMap<ContentHash, String> = HashMap::new();
        for face in self.enrolled() {
            let person = &self.people()[face.person];
            let mut sources = Vec::new();
            for claim in claims.remove(&face.hash).unwrap_or_default() {
                match claim.person == *person {
                    true => sources.push(claim.source),
                    false => intake.dispute(claim, face, person),
                }
            }
            intake.unchanged += usize::from(!sources.is_empty());
            // Of copies the least path counts, as if all had come at once.
            if sources.contains(&face.source) {
                let first = sources.iter().filter(|source| is_before(source, &face.source));
                if let Some(first) = first.min_by(|a, b| natural::names(a.as_bytes(), b.as_bytes())) {
                    least.insert(face.hash, first.clone());
                }
            }
            intake.repeats.known.extend(sources.into_iter().skip(1));
        }
        let enrolled: HashSet<&str> = self.enrolled().iter().map(|face| face.source.as_str()).collect();
        let new = folder.new.iter().map(|face| &face.source);
        intake.edited =
            new.filter(|source| !source.is_empty() && enrolled.contains(source.as_str())).cloned().collect();
        let known = self.changed(|face| {
            if let Some(source) = least.remove(&face.hash) {
                face.source = source;
            }
        });
        intake.finish(known, folder.new)
    }

    /// The gallery that holds what the folder holds: the one that is assembled from it, but that
    ///
    /// - a photo that cannot be used now keeps the face it has, and so does one without a source;
    /// - a photo that lies under two people's names stays as it is enrolled.
    ///
    /// # Errors
    /// Faces of another size.
    pub fn mirror(self, folder: FolderScan) -> Result<EditOutcome> {
        let mut claims = claims(folder.known);
        let fresh = folder.new.iter();
        let fresh: HashMap<&str, Person> = fresh.map(|face| (face.source.as_str(), face.person.clone())).collect();
        let unusable: HashSet<&Path> = folder.unusable.iter().map(Path::new).collect();
        // Without a source nobody knows where a photo lies: it may have been sent to `serve`.
        let may_be_there = |face: &Enrolled| {
            let mut places = Path::new(&face.source).ancestors();
            face.source.is_empty() || places.any(|place| unusable.contains(place))
        };

        let mut intake = EditOutcome::of(Gallery::empty(self.faces.size()));
        let mut erased = Vec::new();
        let mut other_people: BTreeMap<(Person, Person), usize> = BTreeMap::new();
        let mut places: HashMap<ContentHash, KnownPhoto> = HashMap::new();
        for (at, face) in self.enrolled().iter().enumerate() {
            let person = &self.people()[face.person];
            let Some(mut claims) = claims.remove(&face.hash) else {
                match fresh.get(face.source.as_str()) {
                    Some(now) => {
                        intake.changed.push(face.source.clone());
                        if now != person {
                            *intake.renamed.entry((person.clone(), now.clone())).or_default() += 1;
                        }
                    }
                    None if may_be_there(face) => {
                        intake.kept += 1;
                        continue;
                    }
                    None => intake.gone.push(self.photo(at)),
                }
                erased.push(at);
                continue;
            };
            if claims.iter().any(|claim| claim.person != claims[0].person) {
                let others = claims.into_iter().filter(|claim| claim.person != *person);
                others.for_each(|claim| intake.dispute(claim, face, person));
                continue;
            }
            let as_before = claims
                .iter()
                .position(|claim| claim.person == *person && (claim.source == face.source || face.source.is_empty()));
            let place = claims.swap_remove(as_before.unwrap_or(0));
            intake.repeats.known.extend(claims.into_iter().map(|claim| claim.source));
            if as_before.is_some() {
                intake.unchanged += 1;
            } else {
                intake.moved.push((face.source.clone(), place.source.clone()));
            }
            if place.person != *person {
                let names = (person.clone(), place.person.clone());
                let counts = match place.source != face.source && is_named_by(&face.source, person) {
                    true => &mut other_people,
                    false => &mut intake.renamed,
                };
                *counts.entry(names).or_default() += 1;
            }
            places.insert(face.hash, place);
        }
        let stayed = self.without(&erased).changed(|face| {
            if let Some(place) = places.remove(&face.hash) {
                face.person = place.person;
                face.source = place.source;
            }
        });
        let mut outcome = intake.finish(stayed, folder.new)?;
        other_people.retain(|(before, _), _| !outcome.gallery.people().contains(before));
        for (names, count) in other_people {
            *outcome.renamed.entry(names).or_default() += count;
        }
        Ok(outcome)
    }
}

/// Whether a photo's place has a person's name, as folder or as beginning of the file's name: a photo that lies elsewhere now
/// may then be somebody else's. A name that the place does not have was given in the model.
fn is_named_by(source: &str, person: &Person) -> bool {
    let path = Path::new(source);
    let folders = path.parent().into_iter().flat_map(Path::components);
    let mut folders = folders.filter_map(|folder| folder.as_os_str().to_str());
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let stem: String = stem.unwrap_or_default().replace('_', " ").nfc().collect();
    let name = person.as_str().replace('_', " ");
    folders.any(|folder| person.is_called(folder)) || stem.starts_with(&name)
}

/// The people who claim each photo.
fn claims(known: Vec<KnownPhoto>) -> HashMap<ContentHash, Vec<KnownPhoto>> {
    let mut claims: HashMap<ContentHash, Vec<KnownPhoto>> = HashMap::with_capacity(known.len());
    for sighting in known {
        claims.entry(sighting.hash).or_default().push(sighting);
    }
    claims
}

impl EditOutcome {
    pub(crate) fn of(gallery: Gallery) -> Self {
        Self {
            gallery,
            unchanged: 0,
            added: Vec::new(),
            changed: Vec::new(),
            edited: Vec::new(),
            moved: Vec::new(),
            renamed: BTreeMap::new(),
            gone: Vec::new(),
            kept: 0,
            repeats: Repeats::default(),
        }
    }

    fn dispute(&mut self, claim: KnownPhoto, enrolled: &Enrolled, person: &Person) {
        self.repeats.disputed.push(Dispute {
            source: claim.source,
            person: claim.person,
            other_source: enrolled.source.clone(),
            other_person: person.clone(),
        });
    }

    fn finish(mut self, stayed: Gallery, new: Vec<LabeledFace>) -> Result<Self> {
        let given: Vec<(ContentHash, String)> = new.iter().map(|face| (face.hash, face.source.clone())).collect();
        let (gallery, more) = stayed.with(new)?;
        let there: HashSet<ContentHash> = gallery.hashes().collect();
        let not_added: HashSet<&String> = more.known.iter().chain(&self.changed).collect();
        let added = given.into_iter().filter(|(hash, source)| there.contains(hash) && !not_added.contains(source));
        self.added = added.map(|(_, source)| source).collect();
        // The same pixels where they were: only what else the file holds has changed.
        let sources: HashSet<&str> = gallery.enrolled().iter().map(|face| face.source.as_str()).collect();
        let known = more.known.into_iter();
        let (unchanged, again): (Vec<_>, Vec<_>) = known.partition(|source| sources.contains(source.as_str()));
        self.unchanged += unchanged.len();
        self.repeats.known.extend(again);
        self.repeats.disputed.extend(more.disputed);
        Ok(Self { gallery, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face_matrix::FaceSize;
    use crate::preparation::Origin;
    use proptest::prelude::*;

    fn face(content: u8, person: &str, source: &str) -> LabeledFace {
        LabeledFace {
            person: Person::new(person).unwrap(),
            source: source.to_owned(),
            hash: ContentHash::of(&[content]),
            pixels: vec![content; 64].into(),
            origin: Origin::Whole,
        }
    }

    fn assemble(faces: Vec<LabeledFace>) -> Gallery {
        Gallery::assemble(FaceSize::new(8, 8).unwrap(), faces).unwrap().0
    }

    /// The scan of a folder with these photos, relative to that gallery.
    fn view(gallery: &Gallery, photos: Vec<LabeledFace>) -> FolderScan {
        let (known, new): (Vec<_>, Vec<_>) =
            photos.into_iter().partition(|photo| gallery.position(photo.hash).is_some());
        let known =
            known.into_iter().map(|photo| KnownPhoto { person: photo.person, source: photo.source, hash: photo.hash });
        FolderScan { known: known.collect(), new, unusable: Vec::new() }
    }

    #[test]
    fn what_happened_is_told() {
        let gallery = assemble(vec![
            face(1, "Ada", "Ada/1"),
            face(2, "Ada", "Ada/2"),
            face(3, "Boris", "Boris/3"),
            face(4, "Boris", "Boris/4"),
            face(5, "Cleo", "Cleo/5"),
        ]);
        let mut folder = view(
            &gallery,
            vec![
                face(1, "Ada", "Ada/1"),   // as before
                face(20, "Ada", "Ada/2"),  // changed
                face(3, "Ada", "Ada/3"),   // moved, and another person
                face(6, "Dora", "Dora/6"), // new
            ],
        );
        folder.unusable.push("Boris".to_owned());
        let mirrored = gallery.mirror(folder).unwrap();
        assert_eq!(mirrored.renamed, BTreeMap::new());
        assert_eq!(mirrored.added, ["Dora/6"]);
        assert_eq!(mirrored.changed, ["Ada/2"]);
        assert_eq!(mirrored.moved, [("Boris/3".to_owned(), "Ada/3".to_owned())]);
        let gone: Vec<&str> = mirrored.gone.iter().map(|one| &*one.source).collect();
        assert_eq!(gone, ["Cleo/5"]);
        assert_eq!(mirrored.kept, 1);
        assert_eq!(mirrored.repeats, Repeats::default());
        let expected = assemble(vec![
            face(1, "Ada", "Ada/1"),
            face(20, "Ada", "Ada/2"),
            face(3, "Ada", "Ada/3"),
            face(4, "Boris", "Boris/4"),
            face(6, "Dora", "Dora/6"),
        ]);
        assert_eq!(mirrored.gallery, expected);
    }

    #[test]
    fn a_photo_under_two_names_stays_as_it_is() {
        let gallery = assemble(vec![face(1, "Ada", "Ada/1"), face(2, "Boris", "Boris/2")]);
        let photos = vec![
            face(1, "Boris", "Boris/1"),
            face(1, "Ada", "Ada/1"),
            face(2, "Boris", "Boris/copy"),
            face(2, "Boris", "Boris/2"),
        ];
        let folder = view(&gallery, photos);
        let mirrored = gallery.clone().mirror(folder).unwrap();
        assert_eq!(mirrored.gallery, gallery);
        assert_eq!(mirrored.repeats.known, ["Boris/copy"]);
        assert_eq!(mirrored.repeats.disputed.len(), 1);
        assert_eq!(mirrored.repeats.disputed[0].source, "Boris/1");
    }

    #[test]
    fn names_given_in_the_model_do_not_go_unasked() {
        let person = |name: &str| Person::new(name).unwrap();
        // The folders of Ada and Boris have each other's name; Cleo has a pseudonym, and her photo's file has changed.
        let gallery = assemble(vec![
            face(1, "Ada", "Boris/1"),
            face(2, "Boris", "Ada/2"),
            face(3, "Boris", "Boris/3"),
            face(5, "P7", "Cleo/5"),
            face(6, "Ada", "old/6"),
        ]);
        let photos = vec![
            face(1, "Boris", "Boris/1"),
            face(2, "Ada", "Ada/2"),
            face(3, "Ada", "Ada/3"), // moved by hand
            face(50, "Cleo", "Cleo/5"),
            face(6, "Boris", "Boris/6"), // its old place said nothing of Ada
        ];
        let folder = view(&gallery, photos);
        let mirrored = gallery.mirror(folder).unwrap();
        let asked = [("Ada", "Boris", 2), ("Boris", "Ada", 1), ("P7", "Cleo", 1)];
        let asked = asked.map(|(before, now, photos)| ((person(before), person(now)), photos));
        assert_eq!(mirrored.renamed, BTreeMap::from(asked));
    }

    #[test]
    fn without_sources_nothing_is_gone() {
        let gallery = assemble(vec![face(1, "Ada", ""), face(2, "Boris", "")]);
        let folder = view(&gallery, vec![face(1, "Ada", "Ada/1")]);
        let mirrored = gallery.mirror(folder).unwrap();
        assert_eq!((mirrored.gallery.len(), mirrored.kept, mirrored.moved.len()), (2, 1, 0));
    }

    proptest! {
        /// Whatever was enrolled and whatever lies in the folder: afterwards it is the gallery of the folder.
        #[test]
        fn a_mirror_is_the_gallery_of_the_folder(
            before in proptest::collection::btree_map(0..20u8, (0..3u8, 0..4u8), 0..12),
            now in proptest::collection::btree_map(0..20u8, (0..3u8, 0..4u8), 0..12),
        ) {
            let photos = |those: &std::collections::BTreeMap<u8, (u8, u8)>| -> Vec<LabeledFace> {
                let photo = |(&content, &(person, place))| {
                    face(content, &format!("p{person}"), &format!("p{person}/{place}-{}", content % 10))
                };
                those.iter().map(photo).collect()
            };
            let gallery = assemble(photos(&before));
            let (old, new) = (gallery.len(), now.len());
            let folder = view(&gallery, photos(&now));
            let mirrored = gallery.mirror(folder).unwrap();
            prop_assert_eq!(&mirrored.gallery, &assemble(photos(&now)));
            prop_assert_eq!(mirrored.kept, 0);
            prop_assert!(mirrored.gone.len() + mirrored.changed.len() <= old);
            prop_assert!(mirrored.added.len() + mirrored.moved.len() <= new);
        }
    }
}
