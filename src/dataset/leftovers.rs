//! Files that programs leave beside photos: backups, unfinished downloads, broken copies, thumbnails.

use std::ffi::OsStr;
use std::path::Path;

/// What tells a kind of leftover, and how: leftovers.txt has it a line each.
fn told(how: &str) -> impl Iterator<Item = &'static str> {
    let lines = include_str!("leftovers.txt").lines();
    let parts = lines.map(|line| line.split('|').collect::<Vec<_>>());
    parts.filter(move |parts| parts[0] == how).map(|parts| parts[1])
}

/// Whether a file's name says that it is a backup, unfinished, broken or a thumbnail of a photo.
pub(super) fn is_leftover(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_lowercase();
    let Some((stem, extension)) = name.rsplit_once('.') else { return name.ends_with('~') };
    // `photo.jpg_original` of exiftool, `photo.jpg~` and `photo.jpg.~1~` of editors, `photo.jpg.bak2`.
    let kind = extension.trim_end_matches(|c: char| c.is_ascii_digit());
    told("extensions").any(|some| some.split(' ').any(|it| it == kind))
        || extension.ends_with('~')
        || extension.ends_with("_original")
        || extension.ends_with("_backup")
        || is_thumbnail(stem)
}

/// Whether a folder's name says that it holds thumbnails, snapshots or deleted files.
pub(super) fn is_folder_of_leftovers(folder: &Path) -> bool {
    let lower = |name: &OsStr| name.to_string_lossy().to_lowercase();
    let name = folder.file_name().map(lower).unwrap_or_default();
    let outer = folder.parent().and_then(Path::file_name).map(lower).unwrap_or_default();
    let library = outer.rsplit_once('.').map_or("", |(_, end)| end);
    told("whole").any(|whole| name == whole)
        || told("start").any(|start| name.starts_with(start))
        || told("end").any(|end| name.ends_with(end))
        || told(&format!("within .{library}")).any(|inner| name == inner)
}

/// `thumb_IMG_1`, `IMG_1_thumb`, `IMG_1.thumbnail`, Synology's `SYNOPHOTO_THUMB_M`.
fn is_thumbnail(stem: &str) -> bool {
    let words = |c: char| matches!(c, '_' | '-' | '.' | ' ');
    let is_word = |word: &str| matches!(word, "thumb" | "thumbnail");
    let mut parts = stem.split(words);
    let first = parts.next().is_some_and(is_word);
    let last = parts.next_back().is_some_and(is_word);
    first && stem.contains(words) || last || stem.starts_with("synophoto_thumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_programs_leave_behind() {
        for name in [
            "a.jpg_original",
            "a.JPG_Original",
            "a.jpg.bak",
            "a.jpg.BAK2",
            "a.jpg~",
            "a.jpg.~1~",
            "a.png.part",
            "a.jpg.crdownload",
            "yaleB11_P00A+050E-40.pgm.bad",
            "IMG_1.THM",
            "thumb_IMG_1.jpg",
            "IMG_1_thumb.jpg",
            "IMG_1-thumbnail.png",
            "SYNOPHOTO_THUMB_XL.jpg",
            "photo~",
            "a.jpg.orig",
            "a.tmp",
        ] {
            assert!(is_leftover(OsStr::new(name)), "{name}");
        }
        for name in [
            "a.jpg",
            "1.png",
            "thumb.jpg",
            "Tom Thumb 1 of 3.jpg",
            "original.jpg",
            "backup.png",
            "a.pgm",
            "photo",
            "x.dat",
            "part.jpg",
            "Old Joe.jpg",
            "bad.gif",
        ] {
            assert!(!is_leftover(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn every_row_of_folders_is_passed_over_and_says_who_makes_it() {
        for line in include_str!("leftovers.txt").lines() {
            let [how, name, maker] = line.split('|').collect::<Vec<_>>()[..] else { continue };
            let (outer, name, other) = match how {
                "whole" => ("nas", name.to_owned(), format!("{name} of Ada")),
                "start" => ("nas", format!("{name}1"), format!("My {name}")),
                "end" => ("nas", format!("catalog{name}"), format!("{name} of Ada")),
                within => (&within["within ".len()..], name.to_owned(), name.to_owned()),
            };
            assert!(!maker.is_empty() && name == name.to_lowercase(), "{line}");
            for name in [name.to_uppercase(), name] {
                let folder = Path::new("Pictures").join(format!("Family{outer}"));
                assert!(is_folder_of_leftovers(&folder.join(name)), "{line}");
            }
            assert!(!is_folder_of_leftovers(Path::new(&other)), "{line}");
        }
        for name in ["Ada", "@mike", "#1 Fan", "~", "Snapshot", "Resources"] {
            assert!(!is_folder_of_leftovers(Path::new(name)), "{name}");
        }
    }
}
