//! Sources of faces, as text: the path of a photo, or `party.jpg (face 2)` for one of several faces.

use std::path::Path;

use super::pages::file_of;

/// What stands before the number of a face, and after it.
const WORDS: [&str; 2] = [" (face ", ")"];

/// The source of a face of a photo, by its number from 1.
pub fn source_of(photo: &str, face: usize) -> String {
    let [before, after] = WORDS;
    format!("{photo}{before}{face}{after}")
}

/// The photo that a source names, and the number of the face if it tells one: the inverse of [`source_of`].
pub fn photo_of(source: &str) -> (&str, Option<usize>) {
    let numbered = source.strip_suffix(WORDS[1]).and_then(|named| named.rsplit_once(WORDS[0]));
    let numbered = numbered.and_then(|(photo, number)| Some((photo, number.parse().ok()?)));
    numbered.map_or((source, None), |(photo, number)| (photo, Some(number)))
}

/// Whether a source names a photo, or a page or a face of it.
pub fn is_of_photo(source: &str, photo: &str) -> bool {
    let (path, _) = photo_of(source);
    source == photo || path == photo || file_of(Path::new(path)) == Path::new(photo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_name_their_photo() {
        assert_eq!(photo_of(&source_of("a/party.jpg", 12)), ("a/party.jpg", Some(12)));
        for whole in ["a/party.jpg", "Mum (face paint).png", "(face 1", " (face )"] {
            assert_eq!(photo_of(whole), (whole, None));
        }
        for source in ["x.tif", "x.tif (face 2)", "x (page 1 of 3).tif", "x (page 3 of 3).tif (face 2)"] {
            assert!(is_of_photo(source, "x.tif"), "{source}");
        }
        assert!(is_of_photo("x.tif (face 2)", "x.tif (face 2)"));
        assert!(!is_of_photo("x.tif", "x.tif (face 2)") && !is_of_photo("a/x.tif", "x.tif"));
    }
}
