//! The mark by which a picture that this program made is told from photos: a few bytes that its format has room for.
//!
//! PNG: a `tEXt` chunk `Software: eigenfaces`, the first after the header; JPEG: a comment after the JFIF header. An editor that saves the picture again moves or drops them, and then the picture is the user's own.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The signature and the header chunk, which comes first and has a fixed length.
const PNG_HEADER: usize = 8 + 25;

const JPEG_START: &[u8] = b"\xff\xd8";
const JPEG_APP0: &[u8] = b"\xff\xe0";
const JPEG_COMMENT: &[u8] = b"\xff\xfe\x00\x0ceigenfaces";

const PNG_TEXT: &[u8] = b"tEXtSoftware\0eigenfaces";

/// The chunk: its length, its type and text, and their checksum.
fn png_chunk() -> Vec<u8> {
    let length = (PNG_TEXT.len() - 4) as u32;
    [&length.to_be_bytes(), PNG_TEXT, &crc32fast::hash(PNG_TEXT).to_be_bytes()].concat()
}

/// Bytes of a file's beginning that are looked at: a header as this program's pictures have it, and the mark.
const HEAD: u64 = 256;

/// The content of a file with a mark, where its format has room for it.
pub(crate) fn marked(mut content: Vec<u8>) -> Vec<u8> {
    if content.starts_with(PNG_SIGNATURE) && content.len() >= PNG_HEADER {
        content.splice(PNG_HEADER..PNG_HEADER, png_chunk());
    } else if let Some(at) = after_app0(&content) {
        content.splice(at..at, JPEG_COMMENT.iter().copied());
    }
    content
}

/// The end of a JPEG's JFIF header.
fn after_app0(content: &[u8]) -> Option<usize> {
    let segment = content.strip_prefix(JPEG_START)?.strip_prefix(JPEG_APP0)?.first_chunk()?;
    let end = 4 + usize::from(u16::from_be_bytes(*segment));
    (end <= content.len()).then_some(end)
}

/// Whether a file has the mark. One that cannot be read has none.
pub(super) fn is_marked(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let start = match head.starts_with(PNG_SIGNATURE) {
        true => Some((PNG_HEADER, png_chunk())),
        false => after_app0(&head).map(|at| (at, JPEG_COMMENT.to_vec())),
    };
    let is_there = |(at, mark): (usize, Vec<u8>)| head.get(at..)?.starts_with(&mark).then_some(());
    read.is_ok() && start.and_then(is_there).is_some()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::{DynamicImage, GrayImage, ImageFormat};

    use super::*;

    fn encoded(format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        let image = DynamicImage::from(GrayImage::from_fn(9, 7, |x, y| image::Luma([(x * 20 + y) as u8])));
        image.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    fn mark(content: &[u8]) -> bool {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        is_marked(file.path())
    }

    #[test]
    fn a_marked_picture_is_the_same_picture_and_is_told_from_others() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg] {
            let plain = encoded(format);
            assert!(!mark(&plain), "{format:?}");
            let marked = marked(plain.clone());
            assert!(mark(&marked), "{format:?}");
            let open = |bytes: &[u8]| image::load_from_memory(bytes).unwrap();
            assert_eq!(open(&marked), open(&plain), "{format:?}");
        }
    }
}
