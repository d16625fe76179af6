//! Reading photos in parallel, in order, without keeping them.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};

use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, RgbImage};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::damaged::unreadable;
use super::decode::{self, SNIFF_LENGTH};
use super::limits::Limits;
use super::open::{Opened, is_standard_input, open};
use super::{Dataset, Skipped, pages, turned};
use crate::error::{Error, PhotoProblem};

/// Identity of a photo: SHA-256 of the bytes of its file, wherever it lies and whatever its name.
///
/// Of the file rather than of the decoded pixels: so a known photo is recognised without decoding
/// it, and still is after a decoder has changed by a rounding. Files of
/// other bytes are other photos to whoever has not decoded them; a gallery tells those of the same pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// The hash of a file's bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

/// 64 hexadecimal digits.
impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> Self {
        hash.to_string()
    }
}

impl TryFrom<String> for ContentHash {
    type Error = NotAHash;

    fn try_from(text: String) -> Result<Self, NotAHash> {
        text.parse()
    }
}

/// The text is not 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a content hash is 64 hexadecimal digits")]
pub struct NotAHash;

impl FromStr for ContentHash {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<Self, NotAHash> {
        let mut hash = [0; 32];
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != hash.len() || !rest.is_empty() {
            return Err(NotAHash);
        }
        for (byte, pair) in hash.iter_mut().zip(pairs) {
            let digit = |c: u8| char::from(c).to_digit(16).ok_or(NotAHash);
            *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
        }
        Ok(Self(hash))
    }
}

/// The bytes of one photo's file, not yet decoded.
#[derive(Debug, Clone)]
pub struct PhotoFile {
    bytes: Vec<u8>,
    limits: Limits,
    /// As a sidecar says that the photo is to be turned; it counts where the photo itself says nothing.
    turned: Orientation,
}

impl PhotoFile {
    /// [Reads](Self::read) a file that somebody named.
    ///
    /// # Errors
    /// [`Error::NoSuchPath`]; [`Error::Photo`], with the path and what is wrong with it.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if !is_standard_input(path) && !pages::is_there(path) {
            return Err(Error::missing(path));
        }
        Self::read(path).map_err(|problem| Error::photo(path, problem))
    }

    /// Reads a file, a page of one, or the program's own input (`/dev/stdin`), up to the limit of bytes.
    ///
    /// # Errors
    /// [`PhotoProblem::Unreadable`], [`PhotoProblem::Empty`], [`PhotoProblem::NotAFile`] for a pipe or device, [`PhotoProblem::TooManyBytes`] (without reading it where the
    /// length is known).
    pub fn read(path: &Path) -> Result<Self, PhotoProblem> {
        if let Some((file, number)) = pages::page(path) {
            let whole = Self::read(&file)?;
            let bytes = pages::only(whole.bytes, number).ok_or(PhotoProblem::NotThere)?;
            return Ok(Self::from_bytes(bytes, &whole.limits));
        }
        let limits = Limits::default();
        let max_bytes = limits.max_file_bytes;
        let mut file = opened(path)?;
        let length = file.metadata().map_err(unreadable)?.len();
        if length > max_bytes {
            return Err(PhotoProblem::TooManyBytes { max_bytes });
        }
        // One byte more than expected, so that the end is seen without growing.
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(length as usize + 1)
            .map_err(|_| PhotoProblem::Unreadable { reason: "there is not enough memory for it".to_owned() })?;
        file.by_ref().take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > max_bytes {
            return Err(PhotoProblem::TooManyBytes { max_bytes });
        }
        Ok(Self { turned: turned::by_sidecar(path), ..Self::from_bytes(bytes, &limits) })
    }

    /// Takes bytes that are in memory already.
    pub fn from_bytes(bytes: Vec<u8>, limits: &Limits) -> Self {
        Self { bytes, limits: *limits, turned: Orientation::NoTransforms }
    }

    /// Identity of the photo.
    pub fn content_hash(&self) -> ContentHash {
        ContentHash::of(&self.bytes)
    }

    /// The bytes as they are.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Width and height when upright, and how the photo is stored: EXIF's orientation, 1 to 8.
    pub fn header(&self) -> Result<((u32, u32), u8), PhotoProblem> {
        Ok(turned::header(self.stored_header()?, self.turned))
    }

    fn stored_header(&self) -> Result<((u32, u32), u8), PhotoProblem> {
        let picture = self.picture();
        decode::header(Cursor::new(picture), &picture[..picture.len().min(SNIFF_LENGTH)])
    }

    fn picture(&self) -> &[u8] {
        &self.bytes[decode::picture_start(&self.bytes)..]
    }

    /// Turns what was decoded as the sidecar says, if the photo says nothing.
    fn upright(&self, decoded: impl Into<DynamicImage>) -> DynamicImage {
        let mut image = decoded.into();
        let is_turned = self.turned != Orientation::NoTransforms;
        if is_turned && self.stored_header().is_ok_and(|(_, exif)| turned::says_nothing(exif)) {
            image.apply_orientation(self.turned);
        }
        image
    }

    /// The factor by which the photo is reduced when decoded: 1 but for those of more than 50 million pixels. Places in the
    /// decoded photo times this are places in the photo.
    pub fn reduction(&self) -> Result<u32, PhotoProblem> {
        self.limits.reduction(self.header()?.0)
    }

    /// The upright 8-bit gray photo; see [`decode`](decode::decode).
    pub fn decode(&self) -> Result<GrayImage, PhotoProblem> {
        Ok(self.upright(decode::decode(self.picture(), &self.limits)?).into_luma8())
    }

    /// The upright 8-bit photo in colours, to be shown; see [`decode_color`](decode::decode_color).
    pub fn decode_color(&self) -> Result<RgbImage, PhotoProblem> {
        Ok(self.upright(decode::decode_color(self.picture(), &self.limits)?).into_rgb8())
    }
}

fn opened(path: &Path) -> Result<File, PhotoProblem> {
    match open(path).map_err(unreadable)? {
        Opened::File(file) => Ok(file),
        Opened::Empty => Err(PhotoProblem::Empty),
        Opened::Special => Err(PhotoProblem::NotAFile),
    }
}

/// Reads photos in parallel, lets `make` turn each file into what is wanted of it, and returns that
/// in the photos' order, or why not, one entry a photo.
///
/// A photo's bytes and pixels are dropped as soon as `make` returns, so memory grows with the number of threads and
/// with what `make` returns, not with the photos. `progress` is told, from any thread, how many photos are done.
pub fn load_each<P: AsRef<Path> + Sync, T: Send>(
    photos: &[P],
    make: impl Fn(&P, &PhotoFile) -> Result<T, PhotoProblem> + Sync,
    progress: &(dyn Fn(usize) + Sync),
) -> Vec<Result<T, PhotoProblem>> {
    let done = AtomicUsize::new(0);
    let made = |photo: &P| {
        let made = PhotoFile::read(photo.as_ref()).and_then(|file| make(photo, &file));
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        made
    };
    photos.par_iter().map(made).collect()
}

/// As [`load_each`], but sorts what became of the photos into items and skipped ones.
pub fn load<P: AsRef<Path> + Sync, T: Send>(
    photos: &[P],
    make: impl Fn(&P, &PhotoFile) -> Result<T, PhotoProblem> + Sync,
    progress: &(dyn Fn(usize) + Sync),
) -> Dataset<T> {
    sorted(photos, load_each(photos, make, progress))
}

pub(super) fn sorted<P: AsRef<Path>, T>(photos: &[P], made: Vec<Result<T, PhotoProblem>>) -> Dataset<T> {
    let mut items = Vec::with_capacity(photos.len());
    let mut skipped = Vec::new();
    for (photo, made) in photos.iter().zip(made) {
        match made {
            Ok(item) => items.push(item),
            Err(problem) => skipped.push(Skipped { path: photo.as_ref().to_owned(), problem }),
        }
    }
    Dataset { items, skipped }
}

/// Width and height of a photo when upright, from its header alone; the rest of the file may be damaged.
pub fn photo_dimensions(path: &Path) -> Result<(u32, u32), PhotoProblem> {
    if pages::is_page(path) {
        return Ok(PhotoFile::read(path)?.header()?.0);
    }
    let mut reader = BufReader::new(opened(path)?);
    let mut head = Vec::with_capacity(SNIFF_LENGTH);
    reader.by_ref().take(SNIFF_LENGTH as u64).read_to_end(&mut head).map_err(unreadable)?;
    reader.rewind().map_err(unreadable)?;
    let header = decode::header(reader, &head)?;
    Ok(turned::header(header, turned::by_sidecar(path)).0)
}

/// [`photo_dimensions`] of many photos, in their order, without those that have none.
pub fn photo_sizes<P: AsRef<Path> + Sync>(photos: &[P]) -> Vec<(u32, u32)> {
    photos.par_iter().filter_map(|photo| photo_dimensions(photo.as_ref()).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn hashes_as_text() {
        let hash = ContentHash::of(b"abc");
        let text = hash.to_string();
        assert!(text.starts_with("ba7816bf") && text.len() == 64, "{text}");
        assert_eq!(text.parse(), Ok(hash));
        for bad in ["", "ba78", &"g".repeat(64), &"a".repeat(65), &"é".repeat(32)] {
            assert_eq!(bad.parse::<ContentHash>(), Err(NotAHash));
        }
    }

    #[test]
    fn order_is_kept_and_the_bad_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = (0..40u8)
            .map(|i| {
                let path = folder.path().join(format!("{i}.pgm"));
                let sound = [b"P5\n1 1\n255\n".as_slice(), &[i]].concat();
                let bytes = if i % 10 == 3 { Vec::new() } else { sound };
                std::fs::write(&path, bytes).unwrap();
                path
            })
            .collect();
        let largest = AtomicUsize::new(0);
        let dataset = load(&paths, |_, file| Ok(file.decode()?.as_raw()[0]), &|done| {
            largest.fetch_max(done, Ordering::Relaxed);
        });
        let expected: Vec<_> = (0..40).filter(|i| i % 10 != 3).collect();
        assert_eq!((dataset.items, largest.into_inner()), (expected, 40));
        let skipped: Vec<_> = dataset.skipped.into_iter().map(|s| (s.path, s.problem)).collect();
        let empty = [3, 13, 23, 33].map(|i: usize| (paths[i].clone(), PhotoProblem::Empty));
        assert_eq!(skipped, empty);
    }

    #[test]
    fn files_beyond_the_limit_are_not_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 40).unwrap();
        let problem = PhotoFile::read(file.path()).unwrap_err();
        assert_eq!(problem, PhotoProblem::TooManyBytes { max_bytes: 256 << 20 });
        let gone = PhotoFile::read(Path::new("gone.png")).unwrap_err();
        assert!(gone.to_string().contains("no such file"), "{gone}");
    }
}
