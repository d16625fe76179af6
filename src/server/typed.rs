//! Paths as people type or paste them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer};

/// A path without blanks around it, or quotes as file managers and shells write them. `~` is the user's own folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed(pub PathBuf);

impl<'de> Deserialize<'de> for Typed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::of(&String::deserialize(deserializer)?, std::env::home_dir().as_deref()))
    }
}

impl Typed {
    fn of(text: &str, home: Option<&Path>) -> Self {
        let text = text.trim();
        // What is there under the name as it stands is meant.
        if Path::new(text).symlink_metadata().is_ok() {
            return Self(text.into());
        }
        let quotes = [('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’')];
        let bare = quotes.into_iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
        let text = bare.unwrap_or(text);
        let below_home = match text.strip_prefix('~') {
            Some("") => Some(""),
            Some(rest) => rest.strip_prefix(['/', '\\']),
            None => None,
        };
        Self(match (below_home, home) {
            (Some(""), Some(home)) => home.to_owned(),
            (Some(rest), Some(home)) => home.join(rest),
            _ => text.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_put_around_a_path_is_no_part_of_it() {
        let home = Path::new("/home/me");
        for (text, path) in [
            ("/photos", "/photos"),
            (" /photos\n", "/photos"),
            ("\"/photos of Ada\"", "/photos of Ada"),
            ("'/photos of Ada'", "/photos of Ada"),
            ("“/photos”", "/photos"),
            ("~", "/home/me"),
            ("~/photos", "/home/me/photos"),
            ("'~/photos'", "/home/me/photos"),
            ("~other/photos", "~other/photos"),
            ("/a/~/b", "/a/~/b"),
            ("\"", "\""),
            ("", ""),
        ] {
            assert_eq!(Typed::of(text, Some(home)), Typed(path.into()), "{text}");
        }
        assert_eq!(Typed::of("~/x", None), Typed("~/x".into()));
    }

    #[test]
    fn a_path_that_is_there_is_meant_as_it_stands() {
        let folder = tempfile::tempdir().unwrap();
        let quoted = folder.path().join("'it'");
        std::fs::create_dir(&quoted).unwrap();
        let text = quoted.to_str().unwrap();
        assert_eq!(Typed::of(text, None), Typed(quoted.clone()));
    }
}
