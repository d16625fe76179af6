//! The pages of a TIFF, each a photo of its own: scanners save several paper photos in one file.
//!
//! `album (page 2 of 4).tif` is the second page of `album.tif`: a name that no file has, by which the page is listed, read and told
//! of. Its bytes are those of the file with this page as the first and only one, so that whatever reads a TIFF reads the page.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use tiff::decoder::Decoder;
use tiff::tags::{PhotometricInterpretation, Tag};

use super::extension::has_extension;

/// More pages are measurements, no photos.
const MOST_PAGES: usize = 1000;

/// What stands in a name before the number of the page, between the numbers, and after them.
const WORDS: [&str; 3] = [" (page ", " of ", ")"];

/// The file and the number, from 1, of the page that a path names. `None` for paths of files, whatever their names.
pub(super) fn page(path: &Path) -> Option<(PathBuf, usize)> {
    if !is_called_tiff(path) {
        return None;
    }
    let stem = path.file_stem()?.to_str()?;
    let (stem, numbers) = stem.strip_suffix(WORDS[2])?.rsplit_once(WORDS[0])?;
    let (number, of) = numbers.split_once(WORDS[1])?;
    let (number, of) = (number.parse().ok()?, of.parse().ok()?);
    if !(1..=of).contains(&number) || path.symlink_metadata().is_ok() {
        return None;
    }
    let mut name = std::ffi::OsString::from(stem);
    name.push(".");
    name.push(path.extension()?);
    Some((path.with_file_name(name), number))
}

/// Whether a path names a page of a file, and no file.
pub fn is_page(path: &Path) -> bool {
    page(path).is_some()
}

/// Whether something stands at a path: a file, a folder, or a page of a file that does.
pub fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok() || file_of(path).exists()
}

/// The file that a path names, or whose page it names.
pub fn file_of(path: &Path) -> Cow<'_, Path> {
    page(path).map_or(Cow::Borrowed(path), |(file, _)| Cow::Owned(file))
}

/// The path of a photo, or those of the pages of a file that has several.
pub(super) fn pages_of(path: PathBuf) -> Vec<PathBuf> {
    let file = is_called_tiff(&path).then(|| File::open(&path).ok()).flatten();
    let count = file.map_or(0, |file| directories(BufReader::new(file)).len());
    if count < 2 {
        return vec![path];
    }
    let pages = (1..=count).map(|number| {
        let [before, between, after] = WORDS;
        let mut name = path.file_stem().unwrap_or_default().to_owned();
        name.push(format!("{before}{number}{between}{count}{after}."));
        name.push(path.extension().unwrap_or_default());
        path.with_file_name(name)
    });
    pages.collect()
}

/// A file with one of its pages, from 1, as the only one. `None` where it has no such page.
pub(super) fn only(mut bytes: Vec<u8>, number: usize) -> Option<Vec<u8>> {
    let pages = directories(std::io::Cursor::new(&bytes));
    let place = *pages.get(number.checked_sub(1)?)?;
    let directory = Directory::at(&bytes, place)?;
    let next = directory.next();
    let place = directory.order.ordered(u32::try_from(place).ok()?.to_le_bytes());
    bytes.get_mut(next..next + 4)?.fill(0);
    bytes.get_mut(4..8)?.copy_from_slice(&place);
    Some(bytes)
}

/// A file with a table of colours in which the places in the table stand as gray. `None` for what is no such file.
pub(super) fn as_gray(bytes: &[u8]) -> Option<Vec<u8>> {
    let first = bytes.get(4..8)?.try_into().ok()?;
    let first = u32::from_le_bytes(Order::of(bytes)?.ordered(first));
    let directory = Directory::at(bytes, u64::from(first))?;
    let at = directory.value(bytes, Tag::PhotometricInterpretation)?;
    let gray = directory.order.ordered(PhotometricInterpretation::BlackIsZero.to_u16().to_le_bytes());
    let mut bytes = bytes.to_vec();
    bytes.get_mut(at..at + 2)?.copy_from_slice(&gray);
    Some(bytes)
}

/// Pages are named by text, so files of other names have none.
fn is_called_tiff(path: &Path) -> bool {
    let is_text = path.file_name().is_some_and(|name| name.to_str().is_some());
    is_text && has_extension(path, &["tif", "tiff"])
}

/// Where the directories of a TIFF's pages stand: without thumbnails, masks and smaller copies of the page before. None where
/// the first picture is no page, as in a camera's raw file.
fn directories(reader: impl Read + Seek) -> Vec<u64> {
    /// A reduced picture, or a mask.
    const NO_PAGE: u32 = 1 | 4;
    let mut pages: Vec<(u64, (u32, u32))> = Vec::new();
    let Ok(mut decoder) = Decoder::new(reader) else { return Vec::new() };
    for _ in 0..MOST_PAGES {
        let kind = decoder.find_tag_unsigned::<u32>(Tag::NewSubfileType).ok().flatten().unwrap_or(0);
        let (Some(place), Ok(size)) = (decoder.ifd_pointer(), decoder.dimensions()) else { break };
        let is_smaller = pages.last().is_some_and(|&(_, page)| is_reduced(size, page));
        match kind & NO_PAGE == 0 && !is_smaller {
            true => pages.push((place.0, size)),
            false if pages.is_empty() => break,
            false => {}
        }
        if !decoder.more_images() || decoder.next_image().is_err() {
            break;
        }
    }
    pages.into_iter().map(|(place, _)| place).collect()
}

/// Whether a picture is another of at most half the size, by its shape: a pyramid has several.
fn is_reduced((width, height): (u32, u32), (page_width, page_height): (u32, u32)) -> bool {
    let product = |a: u32, b: u32| u64::from(a) * u64::from(b);
    let shapes = product(width, page_height).abs_diff(product(height, page_width));
    let rounding = u64::from(page_width.max(page_height));
    width <= page_width / 2 + 1 && height <= page_height / 2 + 1 && shapes <= rounding
}

/// The order of the bytes of a file's numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    Little,
    Big,
}

impl Order {
    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes.get(..2)? {
            b"II" => Some(Self::Little),
            b"MM" => Some(Self::Big),
            _ => None,
        }
    }

    /// A number's bytes in little-endian order as they stand in the file, and back.
    fn ordered<const N: usize>(self, mut bytes: [u8; N]) -> [u8; N] {
        if self == Self::Big {
            bytes.reverse();
        }
        bytes
    }
}

struct Directory {
    order: Order,
    at: usize,
    entries: usize,
}

impl Directory {
    const ENTRY: usize = 12;

    fn at(bytes: &[u8], at: u64) -> Option<Self> {
        let order = Order::of(bytes)?;
        let at = usize::try_from(at).ok()?;
        let entries = bytes.get(at..)?.first_chunk().copied()?;
        Some(Self { order, at, entries: u16::from_le_bytes(order.ordered(entries)).into() })
    }

    /// Where the place of the next directory stands.
    fn next(&self) -> usize {
        self.at + 2 + self.entries * Self::ENTRY
    }

    /// Where a tag's value stands, or its place.
    fn value(&self, bytes: &[u8], tag: Tag) -> Option<usize> {
        let mut entries = (0..self.entries).map(|entry| self.at + 2 + entry * Self::ENTRY);
        let is_of_tag = |at: &usize| {
            let found = bytes.get(*at..).and_then(|entry| entry.first_chunk());
            found.is_some_and(|&found| self.order.ordered(found) == tag.to_u16().to_le_bytes())
        };
        Some(entries.find(is_of_tag)? + 8)
    }
}

#[cfg(test)]
mod tests {
    use super::super::PhotoFile;
    use super::*;
    use tiff::encoder::TiffEncoder;
    use tiff::encoder::colortype::Gray8;

    /// A file with a page of each of these sizes, all of its pixels the page's number.
    fn pages(sizes: &[(u32, u32)]) -> Vec<u8> {
        let mut bytes = std::io::Cursor::new(Vec::new());
        let mut encoder = TiffEncoder::new(&mut bytes).unwrap();
        for (number, &(width, height)) in (1..).zip(sizes) {
            let pixels = vec![number; (width * height) as usize];
            encoder.write_image::<Gray8>(width, height, &pixels).unwrap();
        }
        bytes.into_inner()
    }

    #[test]
    fn each_page_is_a_photo_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("album.tif");
        std::fs::write(&file, pages(&[(9, 7), (8, 8), (7, 9)])).unwrap();
        let listed = pages_of(file.clone());
        let names = listed.iter().map(|it| it.file_name().unwrap().to_str().unwrap());
        let names: Vec<_> = names.collect();
        let expected = [1, 2, 3].map(|number| format!("album (page {number} of 3).tif"));
        assert_eq!(names, expected);
        let mut hashes = std::collections::BTreeSet::new();
        for (number, page) in (1..).zip(&listed) {
            assert!(is_there(page) && is_page(page));
            let read = PhotoFile::read(page).unwrap();
            assert!(hashes.insert(read.content_hash()));
            let gray = read.decode().unwrap();
            assert!(gray.as_raw().iter().all(|&level| level == number));
            assert_eq!(super::super::photo_dimensions(page), Ok(gray.dimensions()));
            // As a file it has this page alone, and its name is that of a file.
            std::fs::write(page, read.bytes()).unwrap();
            assert_eq!(pages_of(page.clone()), std::slice::from_ref(page));
            assert!(!is_page(page));
            assert_eq!(PhotoFile::read(page).unwrap().bytes(), read.bytes());
        }
        for gone in ["album (page 4 of 4).tif", "other (page 1 of 2).tif"] {
            assert!(PhotoFile::read(&folder.path().join(gone)).is_err());
        }
        for no_page in ["a (page 0 of 2).tif", "a (page 3 of 2).tif", "a (page 1 of 2).png"] {
            assert!(!is_page(&folder.path().join(no_page)));
        }
    }

    #[test]
    fn smaller_copies_and_single_pictures_are_no_pages() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("one.TIFF");
        for sizes in [&[(64, 48)][..], &[(64, 48), (32, 24), (16, 12)]] {
            std::fs::write(&file, pages(sizes)).unwrap();
            assert_eq!(pages_of(file.clone()), std::slice::from_ref(&file));
        }
        std::fs::write(&file, b"II*\0no TIFF").unwrap();
        assert_eq!(pages_of(file.clone()), std::slice::from_ref(&file));
    }

    #[test]
    fn no_file_makes_it_panic() {
        let bytes = pages(&[(3, 2), (2, 3)]);
        for at in 0..bytes.len() {
            for wrong in [0, 1, 0x7f, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] = wrong;
                let _ = as_gray(&bytes);
                let _ = only(bytes, 2);
            }
            let _ = only(bytes[..at].to_vec(), 2);
            let _ = as_gray(&bytes[..at]);
        }
    }
}
