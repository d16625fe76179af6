//! Files that programs leave beside photos: backups, unfinished downloads, broken copies, thumbnails.

use std::ffi::OsStr;

/// Extensions that say that a file is not the photo itself.
const EXTENSIONS: &[&str] = &[
    // Backups.
    "bak",
    "backup",
    "old",
    "orig",
    "original",
    "save",
    "sav",
    // Unfinished.
    "part",
    "partial",
    "crdownload",
    "download",
    "opdownload",
    "tmp",
    "temp",
    "swp",
    "filepart",
    // Broken, as in Extended Yale B.
    "bad",
    "broken",
    "corrupt",
    "corrupted",
    "damaged",
    // Thumbnails of cameras and libraries.
    "thm",
    "thumb",
    "thumbnail",
];

/// Folders of thumbnails and of deleted files.
const FOLDERS: &[&str] = &[
    "@eadir",
    "#recycle",
    "$recycle.bin",
    "recycler",
    "lost+found",
    "system volume information",
    "__macosx",
    "thumbnails",
    "thumbs",
];

/// Whether a file's name says that it is a backup, unfinished, broken or a thumbnail of a photo.
pub(super) fn is_leftover(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_lowercase();
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return name.ends_with('~');
    };
    // `photo.jpg_original` of exiftool, `photo.jpg~` and `photo.jpg.~1~` of editors, `photo.jpg.bak2`.
    let kind = extension.trim_end_matches(|c: char| c.is_ascii_digit());
    EXTENSIONS.contains(&kind)
        || extension.ends_with('~')
        || extension.ends_with("_original")
        || extension.ends_with("_backup")
        || is_thumbnail(stem)
}

/// Whether a folder's name says that it holds thumbnails or deleted files.
pub(super) fn is_folder_of_leftovers(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_lowercase();
    FOLDERS.contains(&name.as_str()) || name.starts_with(".trash")
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
        for name in ["@eaDir", "$RECYCLE.BIN", "Thumbnails", ".Trash-1000"] {
            assert!(is_folder_of_leftovers(OsStr::new(name)), "{name}");
        }
        assert!(!is_folder_of_leftovers(OsStr::new("Ada")));
    }
}
