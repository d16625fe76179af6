//! Photos as a worker is given them: found in folders, named line by line, or sent as bytes; any number of them.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::{Limits, PhotoFile, open_file};
use crate::error::{Error, PhotoProblem, Result};

/// A photo that a worker is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// It lies there.
    At(PathBuf),
    /// Its file was sent, as the photo of this number from 1; or was too large to be kept.
    Sent(u64, Result<Vec<u8>, PhotoProblem>),
}

impl Given {
    /// The name in messages.
    pub fn name(&self) -> PathBuf {
        match self {
            Self::At(path) => path.clone(),
            Self::Sent(number, _) => format!("photo {number} of standard input").into(),
        }
    }

    /// The bytes of its file.
    ///
    /// # Errors
    /// A file that cannot be read, or too large.
    pub fn file(self) -> Result<PhotoFile, PhotoProblem> {
        match self {
            Self::At(path) => PhotoFile::read(&path),
            Self::Sent(_, bytes) => Ok(PhotoFile::from_bytes(bytes?, &Limits::default())),
        }
    }

    /// Bytes in memory.
    fn weight(&self) -> usize {
        match self {
            Self::At(_) => 0,
            Self::Sent(_, bytes) => bytes.as_ref().map_or(0, Vec::len),
        }
    }
}

/// Longer than any path that an operating system takes.
const LONGEST_LINE: u64 = 1 << 16;

/// The paths in a list, one a line; empty lines are passed over. `name` is the list's, for messages.
///
/// The list is read while it is used: it may be longer than memory.
pub fn listed<R: BufRead>(
    mut list: R,
    name: &Path,
) -> impl Iterator<Item = Result<Given>> + use<R> {
    let mut number = 0_u64;
    let name = name.to_owned();
    std::iter::from_fn(move || {
        loop {
            number += 1;
            let fails = |what: &str| Error::PhotoStream {
                path: name.clone(),
                problem: format!("line {number} {what}; give the path of one photo a line"),
            };
            let mut line = Vec::new();
            match list
                .by_ref()
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut line)
            {
                Ok(0) => return None,
                Ok(length) if length as u64 == LONGEST_LINE => {
                    return Some(Err(fails("is longer than any path")));
                }
                Ok(_) => {}
                Err(error) => return Some(Err(fails(&format!("cannot be read ({error})")))),
            }
            while let [rest @ .., b'\n' | b'\r'] = line.as_slice() {
                line.truncate(rest.len());
            }
            if line.is_empty() {
                continue;
            }
            if line.contains(&0) {
                return Some(Err(fails("holds a NUL, which no path does")));
            }
            return Some(path(line).map(Given::At).ok_or_else(|| fails("is no text")));
        }
    })
}

/// The files of a list in a file.
///
/// # Errors
/// A file that cannot be opened.
pub fn listed_in(file: &Path) -> Result<impl Iterator<Item = Result<Given>> + use<>> {
    let list = open_file(file).map_err(|source| Error::read(file, source))?;
    Ok(listed(BufReader::new(list), file))
}

#[cfg(unix)]
fn path(line: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(line).into())
}

#[cfg(not(unix))]
fn path(line: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(line).ok().map(Into::into)
}

/// Photos sent one after the other, the bytes of each file after their number (4 bytes, the most significant first).
///
/// What is sent need not be true: no more is taken into memory than comes, and no more than a photo may have.
pub fn sent<R: Read>(
    mut stream: R,
    limits: &Limits,
) -> impl Iterator<Item = Result<Given>> + use<R> {
    let most = limits.max_file_bytes;
    let mut number = 0_u64;
    let mut ended = false;
    std::iter::from_fn(move || {
        if ended {
            return None;
        }
        number += 1;
        let read = one_sent(&mut stream, most);
        ended = !matches!(read, Ok(Some(_)));
        let fails = |what: String| Error::PhotoStream {
            path: "-".into(),
            problem: format!(
                "photo {number} {what}; send the number of its bytes (4 bytes, the most significant first), then these"
            ),
        };
        read.map_err(fails)
            .map(|sent| sent.map(|bytes| Given::Sent(number, bytes)))
            .transpose()
    })
}

/// The next photo; `None` at the end of the stream.
fn one_sent(
    stream: &mut impl Read,
    most: u64,
) -> Result<Option<Result<Vec<u8>, PhotoProblem>>, String> {
    let failed = |error: std::io::Error| format!("cannot be read ({error})");
    let mut length = Vec::new();
    stream
        .by_ref()
        .take(4)
        .read_to_end(&mut length)
        .map_err(failed)?;
    let length = match length.as_slice() {
        [] => return Ok(None),
        &[a, b, c, d] => u64::from(u32::from_be_bytes([a, b, c, d])),
        _ => return Err("is cut short".to_owned()),
    };
    let mut photo = stream.by_ref().take(length);
    let (read, result) = if length > most {
        let passed = std::io::copy(&mut photo, &mut std::io::sink()).map_err(failed)?;
        (passed, Err(PhotoProblem::TooManyBytes { max_bytes: most }))
    } else {
        let mut bytes = Vec::new();
        let read = photo.read_to_end(&mut bytes).map_err(failed)?;
        (read as u64, Ok(bytes))
    };
    if read < length {
        return Err(format!("is cut short ({read} of {length} bytes came)"));
    }
    Ok(Some(result))
}

/// Photos gathered, to be prepared side by side: at most this many, and bytes sent of hardly more than this.
const TOGETHER: usize = 4_096;
const BYTES_TOGETHER: usize = 32 << 20;

/// Photos in chunks that memory always holds. The error that ends the photos comes last, alone.
pub fn in_chunks(
    mut photos: impl Iterator<Item = Result<Given>>,
) -> impl Iterator<Item = Result<Vec<Given>>> {
    let mut failed = None;
    std::iter::from_fn(move || {
        if let Some(error) = failed.take() {
            return Some(Err(error));
        }
        let (mut chunk, mut weight) = (Vec::new(), 0);
        while chunk.len() < TOGETHER && weight < BYTES_TOGETHER {
            match photos.next() {
                Some(Ok(photo)) => {
                    weight += photo.weight();
                    chunk.push(photo);
                }
                Some(Err(error)) if chunk.is_empty() => return Some(Err(error)),
                Some(Err(error)) => {
                    failed = Some(error);
                    break;
                }
                None => break,
            }
        }
        (!chunk.is_empty()).then_some(Ok(chunk))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[u8]) -> Result<Vec<PathBuf>> {
        let given = listed(list, Path::new("list.txt"));
        given.map(|given| Ok(given?.name())).collect()
    }

    #[test]
    fn a_list_has_a_path_a_line() {
        let named = names(b"a.png\r\n\n b c.png\nlast").unwrap();
        assert_eq!(named, ["a.png", " b c.png", "last"].map(PathBuf::from));
        assert_eq!(names(b"").unwrap().len(), 0);
    }

    #[test]
    fn what_is_no_list_is_refused_where_it_goes_wrong() {
        let endless = vec![b'a'; 1 << 17];
        for (list, word) in [(&b"a\nb\0c\n"[..], "line 2"), (&endless, "line 1")] {
            let error = names(list).unwrap_err().to_string();
            assert!(
                error.contains("list.txt") && error.contains(word),
                "{error}"
            );
        }
    }

    fn all_sent(stream: &[u8], max_file_bytes: u64) -> Vec<Result<Given, String>> {
        let limits = Limits {
            max_file_bytes,
            ..Limits::default()
        };
        sent(stream, &limits)
            .map(|given| given.map_err(|error| error.to_string()))
            .collect()
    }

    #[test]
    fn photos_are_sent_after_their_length() {
        let found = all_sent(b"\0\0\0\x03abc\0\0\0\0\0\0\0\x04long\0\0\0\x01z", 3);
        let too_long = PhotoProblem::TooManyBytes { max_bytes: 3 };
        let expected = [
            Given::Sent(1, Ok(b"abc".to_vec())),
            Given::Sent(2, Ok(Vec::new())),
            Given::Sent(3, Err(too_long)),
            Given::Sent(4, Ok(b"z".to_vec())),
        ];
        assert_eq!(found, expected.map(Ok));
        assert!(all_sent(b"", 3).is_empty());
    }

    #[test]
    fn a_stream_that_is_cut_short_says_so_once() {
        for cut in [&b"\0\0\0\x01a\0\0"[..], b"\0\0\0\x01a\xff\xff\xff\xffabc"] {
            let found = all_sent(cut, u64::MAX);
            assert_eq!(found.len(), 2);
            let error = found[1].clone().unwrap_err();
            assert!(error.contains("photo 2 is cut short"), "{error}");
        }
    }

    #[test]
    fn chunks_keep_order_and_end_with_the_error() {
        let list: Vec<u8> = (0..TOGETHER + 5)
            .flat_map(|at| format!("{at}\n").into_bytes())
            .chain(*b"\0")
            .collect();
        let mut chunks = in_chunks(listed(list.as_slice(), Path::new("list")));
        assert_eq!(chunks.next().unwrap().unwrap().len(), TOGETHER);
        let rest = chunks.next().unwrap().unwrap();
        assert_eq!(
            (rest.len(), rest[4].name()),
            (5, (TOGETHER + 4).to_string().into())
        );
        assert!(chunks.next().unwrap().is_err());
    }
}
