//! The mark by which a file that this program wrote is told from others: a few bytes that its format has room for.
//!
//! - PNG: a `tEXt` chunk `Software: eigenfaces`, the first after the header; JPEG: a comment after the JFIF header.
//!   An editor that saves the picture again moves or drops them, and then the picture is the user's own.
//! - SVG and HTML: a comment at the very end.
//! - CSV and JSON Lines have no room: their columns and keys, which no other program writes so, tell them.
//! - NumPy arrays: 64 spaces more than needed before the numbers ([`npy`](super::npy)).
//! - Archives are told by what they hold.

use std::fs::File;
use std::io;
use std::path::Path;

use super::container::both_ends;
use super::kind::FileKind;
use super::{Archive, npy};

const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The signature and the header chunk, which comes first and has a fixed length.
const PNG_HEADER: usize = 8 + 25;
const PNG_TEXT: &[u8] = b"tEXtSoftware\0eigenfaces";

const JPEG_START: &[u8] = b"\xff\xd8";
const JPEG_APP0: &[u8] = b"\xff\xe0";
const JPEG_COMMENT: &[u8] = b"\xff\xfe\x00\x0ceigenfaces";

const XML_COMMENT: &[u8] = b"<!-- Generator: eigenfaces -->\n";

/// Beginnings of the tables of this program.
const TABLES: [&[u8]; 8] = [
    b"group,name,photo,face,left,top,width,height\n",
    b"set,repeat,photo,person,candidate,rank,distance,confidence,decision\n",
    b"set,fold,repeat,role,photo,person\n",
    b"component,eigenvalue,ratio,cumulative\n",
    b"round,objective,residual\n",
    b"photo,face,person,w1",
    b"photo,face,person,z1",
    b"photo,face,person\n",
];

/// So much of a file's beginning is looked at: a path of the longest kind, in JSON, and what stands around it.
const HEAD: u64 = 1 << 16;

/// The content of a file with the mark of this program, where its format has room for one.
pub(super) fn marked(mut content: Vec<u8>) -> Vec<u8> {
    if content.starts_with(PNG_SIGNATURE) && content.len() >= PNG_HEADER {
        content.splice(PNG_HEADER..PNG_HEADER, png_chunk());
    } else if let Some(at) = after_app0(&content) {
        content.splice(at..at, JPEG_COMMENT.iter().copied());
    } else if content.starts_with(b"<svg") || content.starts_with(b"<!DOCTYPE html>") {
        content.extend_from_slice(XML_COMMENT);
    }
    content
}

/// A chunk: its length, its type and text, and their checksum.
fn png_chunk() -> Vec<u8> {
    let length = (PNG_TEXT.len() - 4) as u32;
    let checksum = crc32fast::hash(PNG_TEXT);
    [
        &length.to_be_bytes(),
        PNG_TEXT,
        checksum.to_be_bytes().as_slice(),
    ]
    .concat()
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

/// The kind of a file, if this program wrote it. One that cannot be read is nobody's.
pub(super) fn written_here(path: &Path) -> Option<FileKind> {
    let (head, tail) = ends(path).ok()?;
    if head.starts_with(b"PK\x03\x04") {
        let kind = Archive::open(path).and_then(|archive| archive.kind());
        return kind.ok().map(FileKind::Archive);
    }
    if is_derived(&head, &tail) {
        return Some(FileKind::Derived);
    }
    None
}

/// Whether a file is a picture, drawing, table or page that this program wrote.
pub fn is_result(path: &Path) -> bool {
    ends(path).is_ok_and(|(head, tail)| is_derived(&head, &tail))
}

/// The first and the last bytes of a file.
fn ends(path: &Path) -> io::Result<(Vec<u8>, Vec<u8>)> {
    both_ends(&mut File::open(path)?, HEAD, XML_COMMENT.len() as u64)
}

fn is_derived(head: &[u8], tail: &[u8]) -> bool {
    let is_png = || {
        let chunk = head.get(PNG_HEADER..);
        head.starts_with(PNG_SIGNATURE) && chunk.is_some_and(|it| it.starts_with(&png_chunk()))
    };
    let is_jpeg = || {
        let comment = after_app0(head).and_then(|at| head.get(at..));
        comment.is_some_and(|it| it.starts_with(JPEG_COMMENT))
    };
    let is_markup = || {
        (head.starts_with(b"<svg") || head.starts_with(b"<!DOCTYPE html>")) && tail == XML_COMMENT
    };
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let is_table = || TABLES.iter().any(|table| text.starts_with(table));
    is_png() || is_jpeg() || is_markup() || is_table() || is_weights(head) || npy::is_padded(head)
}

/// Whether these bytes begin JSON Lines of weights: the keys in their order, in the first line.
fn is_weights(head: &[u8]) -> bool {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let Some((_, rest)) = line
        .strip_prefix(r#"{"photo":""#)
        .and_then(|rest| rest.split_once(r#"","face":"#))
    else {
        return false;
    };
    let Some((_, rest)) = rest.split_once(r#","person":"#) else {
        return false;
    };
    [r#","weights":["#, r#","whitened":["#]
        .iter()
        .any(|key| rest.contains(key))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::{DynamicImage, GrayImage, ImageFormat};

    use super::*;
    use crate::store::write_npy;

    fn encoded(format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        let image = DynamicImage::from(GrayImage::from_fn(9, 7, |x, y| {
            image::Luma([(x * 20 + y) as u8])
        }));
        image.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    fn kind(content: &[u8]) -> Option<FileKind> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        written_here(file.path())
    }

    #[test]
    fn a_marked_picture_is_the_same_picture_and_is_told_from_others() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg] {
            let plain = encoded(format);
            assert_eq!(kind(&plain), None, "{format:?}");
            let marked = marked(plain.clone());
            assert_eq!(kind(&marked), Some(FileKind::Derived), "{format:?}");
            let open = |bytes: &[u8]| image::load_from_memory(bytes).unwrap();
            assert_eq!(open(&marked), open(&plain), "{format:?}");
        }
    }

    #[test]
    fn drawings_and_tables_are_told_from_others() {
        let drawing = b"<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>\n";
        assert_eq!(kind(drawing), None);
        assert_eq!(kind(&marked(drawing.to_vec())), Some(FileKind::Derived));
        for ours in [
            "component,eigenvalue,ratio,cumulative\n1,2,3,4\n",
            "photo,face,person,w1,w2\np.png,1,,2,3\n",
            "{\"photo\":\"p.png\",\"face\":1,\"person\":null,\"weights\":[1.0]}\n",
        ] {
            assert_eq!(kind(ours.as_bytes()), Some(FileKind::Derived), "{ours}");
        }
        for other in [
            "",
            "path,person\n",
            "photo,face\n",
            "{\"photo\":\"p.png\"}\n",
            "{}",
            "PK\x03\x04",
            "eigenfaces",
        ] {
            assert_eq!(kind(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn an_array_is_told_from_what_numpy_writes() {
        let mut array = Vec::new();
        write_npy(&mut array, &[1, 2], &[1.0_f32, 2.0]).unwrap();
        assert_eq!(kind(&array), Some(FileKind::Derived));
        let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
        let header = format!("{text:<117}\n");
        let numpy = [b"\x93NUMPY\x01\x00v\x00", header.as_bytes(), &[0; 8]].concat();
        assert_eq!(numpy.len(), 128 + 8);
        assert_eq!(kind(&numpy), None);
    }
}
