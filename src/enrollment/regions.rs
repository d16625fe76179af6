//! Faces that a person has named in a photo manager, found again in their photos.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use super::{Base, FolderFaces, NamesStand, Observer, PhotoFaces, PreparationOptions, none_usable, report_passed_over};
use crate::dataset::{self, ContentHash, NameFault, NameSources, Person, Photo, PhotoFile, Skipped};
use crate::error::{Error, PhotoProblem, Result};
use crate::gallery::{FolderScan, KnownPhoto, LabeledFace};
use crate::locate::Location;
use crate::locate::framing::{Framing, FramingRule};
use crate::preparation::Preparation;
use crate::xmp::{self, Area, PhotoLayout, Region};

/// Lists the photos under `roots`, and prepares the faces that are named in them. Photos without names are passed over.
pub(super) fn read(roots: &[PathBuf], base: Base<'_>, observer: &dyn Observer) -> Result<FolderFaces> {
    let listing = dataset::list_photos(roots)?;
    report_passed_over(&listing, observer);
    let mut skipped = listing.skipped;
    let base = match base {
        // Regions lie in whole photos.
        Base::Nothing(options) if options.framing == FramingRule::Auto => {
            Base::Nothing(PreparationOptions { framing: FramingRule::Given(Framing::Detect), ..options })
        }
        base => base,
    };
    let chosen = base.choose(&listing.photos, roots, &skipped, observer)?;
    let (preparation, survey) = (chosen.preparation, chosen.survey);
    let enrolled = base.enrolled();
    let progress = observer.reading(listing.photos.len());
    let sources = NameSources::default();
    let of_photo = |path: &PathBuf, file: &PhotoFile| match observer.is_cancelled() {
        true => Ok(None),
        false => named_faces(path, file, &sources, &preparation, &enrolled).map(Some),
    };
    let mut read = dataset::load(&listing.photos, of_photo, &*progress);
    skipped.append(&mut read.skipped);
    let mut folder = FolderScan::default();
    for photo in read.items {
        let photo = photo.ok_or(Error::Cancelled)?;
        folder.known.extend(photo.known);
        folder.new.extend(photo.new);
        skipped.extend(photo.not_found);
    }
    observer.skipped(&skipped);
    if folder.new.is_empty() && folder.known.is_empty() && !matches!(base, Base::Gallery(..)) {
        let told: HashSet<&PathBuf> = skipped.iter().map(|skipped| &skipped.path).collect();
        let mut photos = listing.photos.iter();
        return Err(match skipped.is_empty() || photos.any(|photo| !told.contains(photo)) {
            true => Error::NoNamedFaces { path: roots.first().cloned().unwrap_or_default() },
            false => none_usable(roots, skipped.len()),
        });
    }
    // A name that cannot be one says nothing of the others in the photo.
    let is_unread = |skipped: &&Skipped| !matches!(skipped.problem, PhotoProblem::BadNameOfFace { .. });
    folder.unusable = super::names(skipped.iter().filter(is_unread), [&listing.results, &listing.links]);
    Ok(FolderFaces { preparation, folder, skipped, survey, roots: roots.to_owned(), names: NamesStand::InPhotos })
}

#[derive(Default)]
struct NamedFaces {
    known: Vec<KnownPhoto>,
    new: Vec<LabeledFace>,
    not_found: Vec<Skipped>,
}

fn named_faces(
    path: &Path,
    file: &PhotoFile,
    sources: &NameSources,
    preparation: &Preparation,
    enrolled: &HashSet<ContentHash>,
) -> Result<NamedFaces, PhotoProblem> {
    let mut found = NamedFaces::default();
    let unread = |fault: NameFault| PhotoProblem::Regions { reason: fault.to_string() };
    let mut sources = sources.of(path, file, None).map_err(unread)?;
    sources.retain(|source| source.regions.name_faces());
    if sources.is_empty() {
        return Ok(found);
    }
    let faces = PhotoFaces::of(preparation, &Photo::decode(file)?)?;
    let places = faces.locations();
    let reduction = file.reduction()? as f32;
    let in_photo = |place: &Location| place.bounds.map(|edge| edge * reduction);
    let bounds: Vec<[f32; 4]> = places.iter().flatten().map(in_photo).collect();
    let (displayed, exif) = file.header()?;
    let photo = PhotoLayout::new(displayed, exif, &bounds);
    let mut regions = Vec::new();
    for source in &sources {
        regions.extend(source.named_faces(&photo).map_err(unread)?);
    }
    // A face may be named in the photo and beside it.
    let names: BTreeSet<&str> = regions.iter().map(name).collect();
    let bad = names.into_iter().filter_map(bad_name);
    found.not_found.extend(bad.map(|problem| Skipped { path: path.to_owned(), problem }));
    regions.retain(|region| Person::new(name(region)).is_ok());
    let areas = photo.faces();
    let pairs = xmp::matches(&regions, areas);
    let source = dataset::path_as_text(path);
    // Whose face it is that has two names, a person has to say.
    let placed: BTreeSet<usize> = pairs.iter().map(|(region, _)| *region).collect();
    let is_placed = |region: &Region| placed.iter().any(|&other| regions[other].name == region.name);
    let mut contested = BTreeSet::new();
    let mut told = BTreeSet::new();
    for region in (0..regions.len()).filter(|at| !placed.contains(at)).map(|at| &regions[at]) {
        let problem = match taken(region, areas, &pairs) {
            // A face may be named twice, in the form of two programs.
            Some((other, _)) if regions[other].name == region.name => continue,
            Some((other, face)) => {
                contested.insert(face);
                PhotoProblem::FaceNamedTwice { name: name(region).to_owned(), other: name(&regions[other]).to_owned() }
            }
            None if is_placed(region) => continue,
            None => PhotoProblem::NamedFaceNotFound { name: name(region).to_owned() },
        };
        if told.insert(problem.to_string()) {
            found.not_found.push(Skipped { path: path.to_owned(), problem });
        }
    }
    for (region, at) in pairs.iter().filter(|(_, face)| !contested.contains(face)) {
        let person = Person::new(name(&regions[*region]));
        let Some(face) = person.ok().and_then(|person| faces.labeled(*at, &person, &source)) else { continue };
        match enrolled.contains(&face.hash) {
            true => found.known.push(KnownPhoto { person: face.person, source: face.source, hash: face.hash }),
            false => found.new.push(face),
        }
    }
    Ok(found)
}

/// The fault of a name, if it is one: none is nothing wrong, nor is what stands for nobody, such as `unknown`.
fn bad_name(name: &str) -> Option<PhotoProblem> {
    match Person::stored(name) {
        Err(Error::PersonName { reason, .. }) if !name.trim().is_empty() => {
            Some(PhotoProblem::BadNameOfFace { reason })
        }
        _ => None,
    }
}

/// The region that has the face which another one lies on best, and that face.
fn taken(region: &Region, areas: &[Area], pairs: &[(usize, usize)]) -> Option<(usize, usize)> {
    let on_it = pairs.iter().copied().filter_map(|pair| Some((region.area.same_face(&areas[pair.1])?, pair)));
    on_it.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, pair)| pair)
}

fn name(region: &Region) -> &str {
    region.name.as_deref().unwrap_or_default()
}
