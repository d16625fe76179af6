//! Finding photos in folders: the only place that knows `walkdir`.
//!
//! - Links are followed; a loop of links ends where it closes; a file reached twice is listed once, and where it lies
//!   itself rather than where a link to it, or to its folder, does.
//! - Hidden files and folders (`.name`) below the given one are passed over.
//! - A file counts as a photo if its extension or its content says so. So `README.txt` is passed
//!   over in silence, a text called `photo.jpg` is listed (and fails when read, by name), and an
//!   image called `photo.dat` is used.
//! - Names that say backup, unfinished, broken or thumbnail ([`is_leftover`]) are passed over and counted.
//! - What was given as a path of its own is always listed.
//! - Each page of a TIFF is listed (see `pages.rs`).

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use super::alike::alike;
use super::damaged::io_reason;
use super::decode::{SNIFF_LENGTH, sniff};
use super::extension::has_image_extension;
use super::found::{Depth, FileId, FoundFile, Reached};
use super::labels::{LabelRule, Labeler, Root, stem_name};
use super::leftovers::{is_folder_of_leftovers, is_leftover};
use super::mark::is_marked;
use super::open::{Opened, is_standard_input, open};
use super::pages::{self, is_page, is_there};
use super::passed_over::{PassedOver, listing};
use super::person::is_reserved;
use super::{LabeledPhoto, Listing, ListingNote, Person, Skipped, Spellings, natural};
use crate::error::{Error, PhotoProblem, Result};

/// The mark, an empty file, of a folder in which photos were sorted by person.
pub const SORTED: &str = ".eigenfaces-sorted";

/// Lists the photos under `roots` (folders or files) with the person that `rule` sees, in natural order (2 before 10).
///
/// Photos that show nobody by the rule, folders that cannot be read and the like are [`Listing::skipped`].
///
/// # Errors
/// [`Error::NoSuchPath`], [`Error::UnreadablePath`] for a root; [`Error::Labels`] for the table of
/// labels; [`Error::NoPhotos`] if there is nothing at all, not even something to report as skipped.
pub fn list_labeled(roots: &[PathBuf], rule: &LabelRule) -> Result<Listing> {
    let labeler = Labeler::new(rule, roots)?;
    let mut photos: Vec<LabeledPhoto> = Vec::new();
    let mut passed = PassedOver { skipped: labeler.missing(), ..PassedOver::default() };
    let mut seen: HashMap<FileId, FirstVisit> = HashMap::new();
    let mut folders: BTreeMap<Person, BTreeSet<OsString>> = BTreeMap::new();
    let mut nobodys: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let mut beside_folders: Vec<Person> = Vec::new();
    let mut notes: Vec<ListingNote> = labeler.note().into_iter().collect();

    let mut all = Vec::new();
    for (root_number, root) in roots.iter().enumerate() {
        let found = find(root, &mut passed, &|_| false)?;
        let root = Root::new(root, &found);
        all.extend(found.into_iter().map(|found| {
            let labeled = match is_standard_input(&found.path) {
                true => Err(PhotoProblem::NoPerson),
                false => labeler.person(&found, &root),
            };
            (root_number, found, labeled)
        }));
    }
    // Also before what a link in another root leads to.
    all.sort_by_key(|(_, found, _)| found.reached);
    for (root_number, found, labeled) in all {
        let FoundFile { path, depth, is_marked, .. } = found;
        // A table may name it all the same.
        let is_named = matches!(rule, LabelRule::Csv(_)) && labeled.is_ok();
        if is_marked && !is_named {
            passed.results.push(path);
            continue;
        }
        match seen.entry(FileId::of(&path)) {
            Entry::Vacant(free) => {
                free.insert(FirstVisit { root_number, photo: labeled.is_ok().then_some(photos.len()) });
            }
            Entry::Occupied(first) => {
                passed.skipped.extend(contradiction(first.get(), root_number, &photos, path, labeled));
                continue;
            }
        }
        if let (LabelRule::Folder, Depth::Below(folder)) = (rule, &depth)
            && is_reserved(&folder.to_string_lossy())
        {
            *nobodys.entry(roots[root_number].join(folder)).or_default() += 1;
            continue;
        }
        if let (LabelRule::Folder, Ok(person), Depth::Below(folder)) = (rule, &labeled, depth) {
            folders.entry(person.clone()).or_default().insert(folder);
        }
        if let (LabelRule::Folder | LabelRule::Stem, Ok(person)) = (rule, &labeled)
            && stem_name(&path).as_deref() == Some(person.as_str())
        {
            beside_folders.push(person.clone());
        }
        match labeled {
            Ok(person) => photos
                .extend(pages::pages_of(path).into_iter().map(|path| LabeledPhoto { path, person: person.clone() })),
            Err(problem) => passed.skipped.push(Skipped { path, problem }),
        }
    }
    for (path, photos) in nobodys {
        // Without the mark they may be a person's, who must be told.
        if path.with_file_name(SORTED).exists() {
            notes.push(ListingNote::NobodysPhotos(path, photos));
        } else {
            passed.skipped.push(Skipped { path, problem: PhotoProblem::ReservedName });
        }
    }
    notes.extend(many_people(beside_folders));
    notes.extend(alike(photos.iter().map(|photo| &photo.person)).into_iter().map(ListingNote::AlikeNames));
    let several = |(person, folders): (Person, BTreeSet<OsString>)| {
        (folders.len() > 1).then(|| Spellings { person, folders: folders.into_iter().collect() })
    };
    let spellings = folders.into_iter().filter_map(several).collect();
    photos.sort_by(|a, b| natural::paths(&a.path, &b.path));
    if photos.is_empty() && passed.is_empty() {
        return Err(Error::NoPhotos { path: roots.first().cloned().unwrap_or_default() });
    }
    let mut listing = listing(photos, passed, spellings);
    listing.notes = notes;
    Ok(listing)
}

/// Lists the photos under `roots` without asking whom they show: in the order of the roots, in natural order within
/// each. A file that is given itself is always listed, photo or not.
///
/// # Errors
/// As [`list_labeled`], labels apart; [`Error::NothingToLookAt`] where there is nothing at all.
pub fn list_photos(roots: &[PathBuf]) -> Result<Listing<PathBuf>> {
    list_photos_again(roots, &|_| false)
}

/// As [`list_photos`], where some files are known to be photos: these are not opened.
///
/// # Errors
/// As [`list_photos`].
pub fn list_photos_again(roots: &[PathBuf], is_known: &dyn Fn(&Path) -> bool) -> Result<Listing<PathBuf>> {
    let mut photos = Vec::new();
    let mut passed = PassedOver::default();
    let mut all = Vec::new();
    for (number, root) in roots.iter().enumerate() {
        let found = find(root, &mut passed, is_known)?.into_iter();
        all.extend(found.map(|found| (number, found)));
    }
    // Of a file with several names the first counts, whichever root it lies in.
    all.sort_by_key(|(_, found)| found.reached);
    let mut seen = HashSet::new();
    for (number, found) in all {
        if found.is_marked {
            passed.results.push(found.path);
        } else if seen.insert(FileId::of(&found.path)) {
            photos.extend(pages::pages_of(found.path).into_iter().map(|page| (number, page)));
        } else {
            passed.other_names.push(found.path);
        }
    }
    photos.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| natural::paths(one, other)));
    let photos: Vec<PathBuf> = photos.into_iter().map(|(_, path)| path).collect();
    // The same name, given twice, is no other.
    let looked_at: HashSet<&PathBuf> = photos.iter().collect();
    passed.other_names.retain(|path| !looked_at.contains(path));
    if photos.is_empty() && passed.is_empty() {
        return Err(Error::NothingToLookAt { path: roots.first().cloned().unwrap_or_default() });
    }
    Ok(listing(photos, passed, Vec::new()))
}

/// Fewer photos may well show one person each.
const MANY: usize = 8;

/// A remark on photos whose names make a person of nearly each, as data sets do that name a subject and a condition.
fn many_people(mut named: Vec<Person>) -> Option<ListingNote> {
    let photos = named.len();
    named.sort();
    named.dedup();
    let people = named.len();
    let is_remarkable = photos >= MANY && 10 * people >= 8 * photos;
    is_remarkable.then(|| ListingNote::ManyPeople { photos, people, example: named.swap_remove(0) })
}

/// Under which root a file was first met, and the photo it became there.
struct FirstVisit {
    root_number: usize,
    photo: Option<usize>,
}

/// A file met again is passed over in silence, unless the same root gives it to two persons.
fn contradiction(
    first: &FirstVisit,
    root_number: usize,
    photos: &[LabeledPhoto],
    path: PathBuf,
    labeled: Result<Person, PhotoProblem>,
) -> Option<Skipped> {
    let photo = photos.get(first.photo?)?;
    let person = labeled.ok()?;
    (first.root_number == root_number && person != photo.person).then(|| Skipped {
        path,
        problem: PhotoProblem::TwoPersons { first: photo.path.clone(), person: photo.person.to_string() },
    })
}

/// All photos under one root: those that lie there, then those sorted there, then those that symbolic links lead to, each
/// in natural order. What cannot be entered is passed over. Files that are known to be photos are not opened.
fn find(root: &Path, passed: &mut PassedOver, is_known: &dyn Fn(&Path) -> bool) -> Result<Vec<FoundFile>> {
    let unreadable = |error: &std::io::Error| Error::unreadable(root, io_reason(error));
    let given =
        || FoundFile { path: root.to_owned(), depth: Depth::Given, reached: Reached::Directly, is_marked: false };
    if is_standard_input(root) || is_page(root) && is_there(root) {
        return Ok(vec![given()]);
    }
    let about = fs::metadata(root).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::missing(root),
        _ => unreadable(&error),
    })?;
    if !about.is_dir() {
        return Ok(vec![given()]);
    }
    fs::read_dir(root).map_err(|e| unreadable(&e))?;

    let mut found = Vec::new();
    let mut entered = HashSet::new();
    // How deep the linked folder lies that the walk is in.
    let mut linked_at: Option<usize> = None;
    // Likewise of the folder that photos were sorted into.
    let mut sorted_at: Option<usize> = None;
    let mut walk = WalkDir::new(root)
        .follow_links(true)
        // What is a link comes last, so that a photo is listed under its own name, not the link's.
        .sort_by(|a, b| {
            (a.path_is_symlink().cmp(&b.path_is_symlink()))
                .then_with(|| natural::names(bytes(a.file_name()), bytes(b.file_name())))
        })
        .into_iter();
    while let Some(entry) = walk.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                match trouble(&error) {
                    Some(skipped) => passed.skipped.push(skipped),
                    None => passed.links.extend(error.path().map(Path::to_owned)),
                }
                continue;
            }
        };
        linked_at = linked_at.filter(|&depth| entry.depth() > depth);
        sorted_at = sorted_at.filter(|&depth| entry.depth() > depth);
        let reached = if linked_at.is_some() || entry.path_is_symlink() {
            Reached::BySymbolicLink
        } else if sorted_at.is_some() {
            Reached::Sorted
        } else {
            Reached::Directly
        };
        let is_left_out =
            is_hidden(entry.file_name()) || entry.file_type().is_dir() && is_folder_of_leftovers(entry.path());
        if entry.depth() > 0 && is_left_out {
            if entry.file_type().is_dir() {
                walk.skip_current_dir();
            }
        } else if entry.file_type().is_dir() {
            // Folders that link to each other could be entered in every order, without end.
            let again = !entered.insert(FileId::of(entry.path()));
            if sorted_at.is_none() && entry.path().join(SORTED).exists() {
                sorted_at = Some(entry.depth());
            }
            if again && entry.path_is_symlink() {
                walk.skip_current_dir();
            } else if entry.depth() > 0 && entry.path_is_symlink() {
                linked_at = linked_at.or(Some(entry.depth()));
            }
        } else if entry.file_type().is_file() {
            let is_known = is_known(entry.path());
            match if is_known { Ok(true) } else { looks_like_photo(entry.path()) } {
                Ok(true) if entry.depth() > 0 && is_leftover(entry.file_name()) => {
                    passed.leftovers.push(entry.into_path());
                }
                Ok(true) => found.push(FoundFile {
                    depth: depth(root, &entry),
                    reached,
                    is_marked: entry.depth() > 0 && !is_known && is_marked(entry.path()),
                    path: entry.into_path(),
                }),
                Ok(false) => {}
                Err(problem) => passed.skipped.push(Skipped { path: entry.into_path(), problem }),
            }
        } else if has_image_extension(entry.path()) {
            passed.skipped.push(Skipped { path: entry.into_path(), problem: PhotoProblem::NotAFile });
        }
    }
    found.sort_by(|a, b| (a.reached.cmp(&b.reached)).then_with(|| natural::paths(&a.path, &b.path)));
    Ok(found)
}

fn bytes(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

fn is_hidden(name: &OsStr) -> bool {
    bytes(name).starts_with(b".")
}

fn depth(root: &Path, entry: &DirEntry) -> Depth {
    match entry.path().strip_prefix(root).ok().and_then(|path| path.components().next()) {
        Some(folder) if entry.depth() > 1 => Depth::Below(folder.as_os_str().to_owned()),
        _ => Depth::Top,
    }
}

/// The report of an entry that could not be followed; of loops and dead links only if called like a photo or, without an
/// extension, like a folder of photos.
fn trouble(error: &walkdir::Error) -> Option<Skipped> {
    let path = error.path()?;
    let io = error.io_error()?;
    let is_link = fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink());
    if path.file_name().is_some_and(is_hidden) || is_link && path.extension().is_some() && !has_image_extension(path) {
        return None;
    }
    Some(Skipped { path: path.to_owned(), problem: PhotoProblem::Unreadable { reason: io_reason(io) } })
}

/// By extension, or else by content. A file that cannot be opened might be a photo: that is told.
fn looks_like_photo(path: &Path) -> Result<bool, PhotoProblem> {
    if has_image_extension(path) {
        return Ok(true);
    }
    let mut head = Vec::with_capacity(SNIFF_LENGTH);
    let Opened::File(file) = open(path).map_err(super::damaged::unreadable)? else { return Ok(false) };
    file.take(SNIFF_LENGTH as u64).read_to_end(&mut head).map_err(super::damaged::unreadable)?;
    Ok(sniff(&head).is_some())
}

#[cfg(all(test, unix))]
mod tests;
