//! The mark by which a picture that this program made is told from photos: a few bytes that its format has room for.
//!
//! PNG: a `tEXt` chunk `Software: eigenfaces` (`eigenfaces, a face` of a face cut out), the first after the header; JPEG: a
//! comment after the JFIF header. An editor that saves the picture again moves or drops them, and then the picture is the user's own.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The signature and the header chunk, which comes first and has a fixed length.
const PNG_HEADER: usize = 8 + 25;

const JPEG_START: &[u8] = b"\xff\xd8";
const JPEG_APP0: &[u8] = b"\xff\xe0";
const JPEG_COMMENT: &[u8] = b"\xff\xfe\x00\x0ceigenfaces";

/// The kinds of pictures that this program makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A drawing, a map, a copy with frames: no photo of anybody.
    Picture,
    /// A face cut out of a photo, to be sorted into folders and enrolled.
    Face,
}

impl Mark {
    const ALL: [Self; 2] = [Self::Picture, Self::Face];

    /// A chunk of PNG: its length, its type and text, and their checksum.
    fn png_chunk(self) -> Vec<u8> {
        let text: &[u8] = match self {
            Self::Picture => b"tEXtSoftware\0eigenfaces",
            Self::Face => b"tEXtSoftware\0eigenfaces, a face",
        };
        let length = (text.len() - 4) as u32;
        let checksum = crc32fast::hash(text);
        [&length.to_be_bytes(), text, &checksum.to_be_bytes()].concat()
    }
}

/// Bytes of a file's beginning that are looked at: a header as this program's pictures have it, and the mark.
const HEAD: u64 = 256;

/// The content of a file with a mark, where its format has room for it.
pub(crate) fn marked(mut content: Vec<u8>, mark: Mark) -> Vec<u8> {
    if content.starts_with(PNG_SIGNATURE) && content.len() >= PNG_HEADER {
        content.splice(PNG_HEADER..PNG_HEADER, mark.png_chunk());
    } else if let (Mark::Picture, Some(at)) = (mark, after_app0(&content)) {
        content.splice(at..at, JPEG_COMMENT.iter().copied());
    }
    content
}

/// The end of a JPEG's JFIF header.
fn after_app0(content: &[u8]) -> Option<usize> {
    let segment = content
        .strip_prefix(JPEG_START)?
        .strip_prefix(JPEG_APP0)?
        .first_chunk()?;
    let end = 4 + usize::from(u16::from_be_bytes(*segment));
    (end <= content.len()).then_some(end)
}

/// The mark of a file. One that cannot be read has none.
pub(super) fn mark_of(path: &Path) -> Option<Mark> {
    let mut head = Vec::new();
    let file = File::open(path).ok()?;
    file.take(HEAD).read_to_end(&mut head).ok()?;
    if head.starts_with(PNG_SIGNATURE) {
        let chunk = head.get(PNG_HEADER..)?;
        return Mark::ALL
            .into_iter()
            .find(|mark| chunk.starts_with(&mark.png_chunk()));
    }
    let comment = head.get(after_app0(&head)?..)?;
    comment.starts_with(JPEG_COMMENT).then_some(Mark::Picture)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::{DynamicImage, GrayImage, ImageFormat};

    use super::*;

    fn encoded(format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        let image = DynamicImage::from(GrayImage::from_fn(9, 7, |x, y| {
            image::Luma([(x * 20 + y) as u8])
        }));
        image.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    fn mark(content: &[u8]) -> Option<Mark> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        mark_of(file.path())
    }

    #[test]
    fn a_marked_picture_is_the_same_picture_and_is_told_from_others() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg] {
            let plain = encoded(format);
            assert_eq!(mark(&plain), None, "{format:?}");
            let marked = marked(plain.clone(), Mark::Picture);
            assert_eq!(mark(&marked), Some(Mark::Picture), "{format:?}");
            let open = |bytes: &[u8]| image::load_from_memory(bytes).unwrap();
            assert_eq!(open(&marked), open(&plain), "{format:?}");
        }
        let face = marked(encoded(ImageFormat::Png), Mark::Face);
        assert_eq!(mark(&face), Some(Mark::Face));
    }
}
