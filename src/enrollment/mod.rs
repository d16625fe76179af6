//! From labelled folders to faces that can be enrolled.
//!
//! [`read_folders`] lists the photos, chooses how they become faces ([`PreparationOptions`]) where nothing settles it yet,
//! reads and prepares them in parallel, and tells an [`Observer`] what a person would want to know of it.

mod chosen;
mod follow;
mod notice;
mod observer;
mod preparation;
mod regions;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

pub use chosen::{PhotoFaces, chosen_face, enrolled_faces};
pub use follow::NamesStand;
pub use observer::{Notice, Observer, report_passed_over};
pub use preparation::{ChosenPreparation, PreparationOptions, choose_size, none_usable};
use preparation::{no_faces, none_of};

use crate::dataset::{self, ContentHash, LabelRule, LabeledPhoto, Listing, PhotoFile, Skipped};
use crate::error::{Error, PhotoProblem, Result};
use crate::gallery::{Dispute, FolderScan, Gallery, History, KnownPhoto, LabeledFace, Repeats};
use crate::locate::framing::Survey;
use crate::normalize::resize::Shape;
use crate::preparation::{PhotoRegion, Preparation};

/// The model that the faces of a folder are to join.
#[derive(Debug, Clone, Copy)]
pub enum Base<'a> {
    /// Nothing: the preparation is chosen to suit the photos.
    Nothing(PreparationOptions),
    /// A gallery, whose photos were prepared in this way. Those that are enrolled are not decoded again.
    Gallery(&'a Preparation, &'a Gallery),
}

impl Base<'_> {
    fn enrolled(self) -> HashSet<ContentHash> {
        if let Self::Gallery(_, gallery) = self { gallery.hashes().collect() } else { HashSet::new() }
    }

    /// The preparation of these photos: see [`PreparationOptions::choose`].
    fn choose<P: AsRef<Path> + Sync>(
        self,
        photos: &[P],
        roots: &[PathBuf],
        skipped: &[Skipped],
        observer: &dyn Observer,
    ) -> Result<ChosenPreparation> {
        match self {
            Self::Gallery(preparation, _) => Ok(ChosenPreparation::known(*preparation)),
            Self::Nothing(options) => options.choose(photos, roots, skipped, observer),
        }
    }
}

/// Faces prepared from labelled folders.
#[derive(Debug, Clone)]
pub struct FolderFaces {
    pub preparation: Preparation,
    /// The photos of the folders: those that are enrolled already, the new ones, and those that could not be used.
    pub folder: FolderScan,
    pub skipped: Vec<Skipped>,
    /// The look at the photos that the framing was decided from, if it was.
    pub survey: Option<Survey>,
    pub roots: Vec<PathBuf>,
    pub names: NamesStand,
}

/// Folders whose photos are listed, and none of them read.
#[derive(Debug)]
pub struct ListedFolders<'a> {
    roots: &'a [PathBuf],
    /// `None` where names stand in the photos themselves.
    listing: Option<Listing>,
}

impl<'a> ListedFolders<'a> {
    /// Lists the photos under `roots`, labelled by `labels`.
    /// Errors: a folder that cannot be listed.
    pub fn list(roots: &'a [PathBuf], labels: &LabelRule) -> Result<Self> {
        refuse_pipes(roots)?;
        let listing = match labels {
            LabelRule::Xmp => None,
            labels => Some(dataset::list_labeled(roots, labels)?),
        };
        Ok(Self { roots, listing })
    }

    /// The photos that have a label; none where names stand in the photos themselves.
    pub fn photos(&self) -> &[LabeledPhoto] {
        self.listing.as_ref().map_or(&[], |listing| &listing.photos)
    }

    /// Reads and prepares the photos.
    /// Errors: no photo that can be used ([`Error::NoneUsable`]), unless they are to join a gallery; [`Error::Cancelled`].
    pub fn read(self, base: Base<'_>, observer: &dyn Observer) -> Result<FolderFaces> {
        match self.listing {
            Some(listing) => read_listed(self.roots, listing, base, observer),
            None => regions::read(self.roots, base, observer),
        }
    }
}

/// Lists, reads and prepares the photos under `roots`, labelled by `labels`.
/// Errors: those of [`ListedFolders::list`] and [`ListedFolders::read`].
pub fn read_folders(
    roots: &[PathBuf],
    labels: &LabelRule,
    base: Base<'_>,
    observer: &dyn Observer,
) -> Result<FolderFaces> {
    ListedFolders::list(roots, labels)?.read(base, observer)
}

fn read_listed(roots: &[PathBuf], listing: Listing, base: Base<'_>, observer: &dyn Observer) -> Result<FolderFaces> {
    for note in &listing.notes {
        observer.notice(&Notice::Listing(note));
    }
    for spellings in &listing.spellings {
        observer.notice(&Notice::Spellings(spellings));
    }
    report_passed_over(&listing, observer);
    let mut skipped = listing.skipped;
    let chosen = base.choose(&listing.photos, roots, &skipped, observer)?;
    let mut read = read_photos(&listing.photos, &chosen, &base.enrolled(), observer);
    let (preparation, survey) = (chosen.preparation, chosen.survey);
    skipped.append(&mut read.skipped);
    observer.skipped(&skipped);
    if read.items.is_empty() && !matches!(base, Base::Gallery(..)) && !skipped.is_empty() {
        return Err(none_of(roots, &skipped));
    }
    let (mut cropped, mut several) = (0, 0);
    let mut folder = FolderScan::default();
    for photo in read.items {
        match photo {
            Read::Known(photo) => folder.known.push(photo),
            Read::New(face, region) => {
                cropped += usize::from(matches!(region, PhotoRegion::Whole(fit) if fit.shape == Shape::Cropped));
                several += usize::from(matches!(region, PhotoRegion::Found { of: 2.., .. }));
                folder.new.push(face);
            }
            Read::Cancelled => return Err(Error::Cancelled),
        }
    }
    let unusable = skipped.iter().filter(|skipped| is_there(skipped));
    folder.unusable = names(unusable, [&listing.results, &listing.links]);
    if cropped > 0 {
        observer.notice(&Notice::Cropped { photos: cropped, size: preparation.size() });
    }
    if several > 0 {
        observer.notice(&Notice::SeveralFaces(several));
    }
    if let Some(name) = one_numbered_person(&folder.new) {
        observer.notice(&Notice::OneNumberedPerson { photos: folder.new.len(), name });
    }
    if let Some(survey) = &survey {
        observer.notice(&Notice::Framing(survey));
    }
    Ok(FolderFaces { preparation, folder, skipped, survey, roots: roots.to_owned(), names: NamesStand::Beside })
}

/// The paths of files that are there and not used, as galleries know them.
fn names<'a>(skipped: impl Iterator<Item = &'a Skipped>, others: [&'a Vec<PathBuf>; 2]) -> Vec<String> {
    let paths = skipped.map(|skipped| &skipped.path).chain(others.into_iter().flatten());
    paths.map(dataset::path_as_text).collect()
}

/// The gallery as its own frame has it ([`Gallery::framed`]), and its preparation. The observer hears how many photos show no face.
pub fn frame(gallery: Gallery, preparation: &Preparation, observer: &dyn Observer) -> (Preparation, Gallery) {
    let (preparation, framed) = gallery.framed(preparation);
    let without = framed.enrolled().iter().filter(|face| face.origin.is_without_face()).count();
    if without > 0 {
        observer.notice(&Notice::EyesAssumed(without));
    }
    (preparation, framed)
}

/// Refuses a new gallery of no photo, or in none of whose photos a face was found.
/// Errors: [`Error::NoneUsable`]; [`Error::NoFaces`].
pub fn refuse_new(gallery: &Gallery, roots: &[PathBuf], skipped: &[Skipped]) -> Result<()> {
    if gallery.is_empty() && !skipped.is_empty() {
        return Err(none_of(roots, skipped));
    }
    let mut faces = gallery.enrolled().iter();
    match !gallery.is_empty() && faces.all(|face| face.origin.is_without_face()) {
        true => Err(no_faces(roots, gallery.len())),
        false => Ok(()),
    }
}

/// A pipe can be read once only, and photos are looked at twice.
fn refuse_pipes(roots: &[PathBuf]) -> Result<()> {
    let is_special = |root: &&PathBuf| {
        let about = root.metadata();
        about.is_ok_and(|about| !about.is_dir() && !about.is_file())
    };
    match roots.iter().find(is_special) {
        None => Ok(()),
        Some(root) => Err(Error::unreadable(root, "it is a pipe or device, not a photo or folder")),
    }
}

enum Read {
    Known(KnownPhoto),
    New(LabeledFace, PhotoRegion),
    Cancelled,
}

fn read_photos(
    photos: &[LabeledPhoto],
    chosen: &ChosenPreparation,
    enrolled: &HashSet<ContentHash>,
    observer: &dyn Observer,
) -> dataset::Dataset<Read> {
    let read = |photo: &LabeledPhoto, file: &PhotoFile| {
        if observer.is_cancelled() {
            return Ok(Read::Cancelled);
        }
        let source = dataset::path_as_text(&photo.path);
        let known = KnownPhoto { person: photo.person.clone(), source, hash: file.content_hash() };
        if enrolled.contains(&known.hash) {
            return Ok(Read::Known(known));
        }
        let face = chosen.prepare(known.hash, || file.decode())?;
        let region = face.region;
        Ok(Read::New(LabeledFace::new(known.person, known.source, known.hash, face), region))
    };
    let progress = observer.reading(photos.len());
    dataset::load(photos, read, &*progress)
}

/// Whether what was skipped may be a photo all the same, which could only not be used this time.
fn is_there(skipped: &Skipped) -> bool {
    use PhotoProblem::{BadPersonName, NoPerson, NotLabeled, TwoPersons};
    let is_nobody = matches!(skipped.problem, NoPerson | BadPersonName { .. } | NotLabeled { .. } | TwoPersons { .. });
    let gone = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    !is_nobody && !skipped.path.symlink_metadata().is_err_and(|error| gone(&error))
}

/// Gives the photos of folders that still have a person's earlier name the present one; the observer hears of each name.
pub fn resolve(folder: &mut FolderScan, history: &History, observer: &dyn Observer) {
    for (name, now) in &history.resolve(folder) {
        observer.notice(&Notice::EarlierName(name, now));
    }
}

/// Photos that are said to show two people, as files that were passed over; the observer hears of each.
pub fn disputes(repeats: &Repeats, observer: &dyn Observer) -> Vec<Skipped> {
    let skipped = |dispute: &Dispute| Skipped {
        path: dataset::path_from_text(&dispute.source),
        problem: match dispute.other_source.as_str() {
            source if source == dispute.source => PhotoProblem::LabelChanged {
                enrolled: dispute.other_person.to_string(),
                now: dispute.person.to_string(),
            },
            source => PhotoProblem::SamePhoto {
                other: match source {
                    "" => "one that is enrolled".to_owned(),
                    source => source.to_owned(),
                },
                person: dispute.other_person.to_string(),
            },
        },
    };
    let disputed: Vec<Skipped> = repeats.disputed.iter().map(skipped).collect();
    observer.skipped(&disputed);
    disputed
}

/// Number of photos of one person, told apart by a number only, from which on they may well be of as many people.
const MANY_OF_ONE: usize = 10;

/// The name, where all photos are said to be of one person because they lie in one folder as `Person000001.pgm` and so
/// on: nobody is told apart then, and that may not be meant.
fn one_numbered_person(faces: &[LabeledFace]) -> Option<&str> {
    let name = faces.first()?.person.as_str();
    let is_numbered = |face: &LabeledFace| {
        let path = Path::new(&face.source);
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().replace('_', " "));
        let number = stem.as_deref().and_then(|stem| stem.strip_prefix(name));
        let is_folder = path.parent().and_then(Path::file_name).is_some_and(|folder| folder.to_string_lossy() == name);
        let is_of_number = |c: char| c.is_ascii_digit() || " -.#()".contains(c);
        face.person.as_str() == name && !is_folder && number.is_some_and(|number| number.chars().all(is_of_number))
    };
    (faces.len() >= MANY_OF_ONE && faces.iter().all(is_numbered)).then_some(name)
}
