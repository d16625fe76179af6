//! Paths as text from which they can be read back, whatever their bytes.

use std::path::{Path, PathBuf};

/// A path as text; bytes that are no UTF-8 are written `\xf6`, and a backslash before such text `\x5c`.
pub fn path_as_text(path: impl AsRef<Path>) -> String {
    let mut text = String::new();
    for chunk in path.as_ref().as_os_str().as_encoded_bytes().utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = escape(rest) {
            text.push_str(&rest[..at]);
            // Windows' paths are Unicode, and full of backslashes.
            text.push_str(if cfg!(unix) { "\\x5c" } else { "\\" });
            rest = &rest[at + 1..];
        }
        text.push_str(rest);
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// The path that [`path_as_text`] wrote.
pub fn path_from_text(text: &str) -> PathBuf {
    if escape(text).is_none() || !cfg!(unix) {
        return PathBuf::from(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = escape(rest) {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        bytes.extend(u8::from_str_radix(&rest[at + 2..at + 4], 16));
        rest = &rest[at + 4..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    of_bytes(bytes)
}

/// Where a backslash, `x` and two hexadecimal digits stand.
fn escape(text: &str) -> Option<usize> {
    let is_escape = |part: &[u8]| matches!(part, [b'\\', b'x', a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
    text.as_bytes().windows(4).position(is_escape)
}

#[cfg(unix)]
fn of_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
fn of_bytes(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_unicode_is_written_out() {
        let path = of_bytes(b"J\xf6rg/\xc3\xa9.png".to_vec());
        assert_eq!(path_as_text(&path), "J\\xf6rg/é.png");
        assert_eq!(path_as_text(Path::new("J\\xf6rg")), "J\\x5cxf6rg");
        assert_eq!(path_as_text(Path::new("a\\xyz")), "a\\xyz");
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(prop_oneof![Just(b'\\'), Just(b'x'), Just(b'6'), any::<u8>()], 0..24)) {
            let path = of_bytes(bytes);
            prop_assert_eq!(path_from_text(&path_as_text(&path)), path);
        }

        #[test]
        fn any_text_is_a_path(text in "\\PC{0,24}") {
            let _ = path_from_text(&text);
        }
    }
}
