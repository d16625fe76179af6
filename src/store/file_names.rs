//! Names of files that are made of other names: numbered, and no longer than file systems allow.

use std::path::{Path, PathBuf};

use crate::dataset::ContentHash;

/// `photo.jpg`, `photo (2).jpg` and so on.
pub fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(" ({number})"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Bytes that the name of a file may have on the usual file systems.
const LONGEST_NAME: usize = 255;

/// A path whose last part is no longer than names may be: one that is gets its middle replaced by its hash.
pub fn fitting(path: PathBuf) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let bytes = name.as_encoded_bytes();
    if bytes.len() <= LONGEST_NAME {
        return path;
    }
    let hash = &ContentHash::of(bytes).to_string()[..8];
    let extension = path.extension().map(|extension| extension.to_string_lossy());
    let extension = extension.filter(|extension| extension.len() < 16);
    let end = format!("~{hash}.{}", extension.as_deref().unwrap_or("png"));
    let name = name.to_string_lossy();
    let start = cut(&name, LONGEST_NAME - end.len());
    path.with_file_name(format!("{start}{end}"))
}

/// The beginning of a text, of at most `most` bytes.
pub fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rfind(|&at| text.is_char_boundary(at));
    &text[..end.unwrap_or(0)]
}
