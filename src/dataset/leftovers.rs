//! Files that programs leave beside photos: backups, unfinished downloads, broken copies, thumbnails.

use std::ffi::OsStr;
use std::path::Path;

use Named::{End, Start, Whole};

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

/// What tells a folder that is not the user's own by its name.
enum Named {
    /// The whole name, in lower case.
    Whole(&'static str),
    /// Its beginning, in lower case.
    Start(&'static str),
    /// Its end, in lower case.
    End(&'static str),
}

/// Folders of deleted files, snapshots, thumbnails and derivatives, each with who makes it. Hidden folders (`.Trash-1000`,
/// `.snapshot`, `.zfs`, `.thumbnails`, `.stversions`) are passed over anyway.
const FOLDERS: &[(Named, &str)] = &[
    // Deleted files.
    (Whole("#recycle"), "Synology"),
    (Whole("@recycle"), "QNAP"),
    (Whole("@recycle_bin"), "TerraMaster"),
    (Whole("network recycle bin"), "Western Digital"),
    (Whole("recycle bin"), "Asustor, Windows"),
    (Whole("trashbox"), "Buffalo"),
    (Whole("network trash folder"), "Apple's file servers"),
    (Whole("$recycle.bin"), "Windows"),
    (Whole("recycler"), "Windows XP"),
    (Whole("recycled"), "Windows 98, Samba"),
    (Whole("found.000"), "Windows' chkdsk"),
    (Whole("lost+found"), "Linux' fsck"),
    (Start(".trash"), "Linux, macOS"),
    // Snapshots and versions.
    (Whole("#snapshot"), "Synology"),
    (Whole("@recently-snapshot"), "QNAP"),
    (Whole("@snapshot"), "QNAP"),
    (Whole("@snapshots"), "btrfs with snapper"),
    (Whole("~snapshot"), "NetApp"),
    (Whole("$snapshot"), "Hitachi, Dell"),
    (Start("@gmt-"), "Samba's shadow copies"),
    (Whole("~versions"), "Drobo, FreeFileSync"),
    // Thumbnails, indexes and what the system keeps.
    (Start("@eadir"), "Synology"),
    (Whole("@tmp"), "Synology"),
    (Whole("@sharebin"), "Synology"),
    (Start("@syno"), "Synology"),
    (Whole("#thumbs"), "Asustor"),
    (Whole("@transcode"), "QNAP"),
    (Whole("@__thumb"), "QNAP"),
    (Whole("system volume information"), "Windows"),
    (Whole("__macosx"), "macOS' zip files"),
    (Whole("thumbnails"), "photo managers"),
    (Whole("thumbs"), "photo managers"),
    (Whole("digikam-thumbnails"), "digiKam"),
    (End(".lrdata"), "Lightroom"),
    (Start("capture one cache"), "Capture One"),
    (Whole("captureone"), "Capture One"),
    (Whole("_thumbs"), "galleries on the web"),
    (Whole("dxo-cache"), "DxO"),
];

/// Folders within another one, in lower case, as in a photo library of macOS.
const WITHIN: &[(&str, &str, &str)] = &[
    (".photoslibrary", "resources", "Apple Photos"),
    (".photoslibrary", "database", "Apple Photos"),
    (".photoslibrary", "private", "Apple Photos"),
    (".photoslibrary", "internal", "Apple Photos"),
    (".photoslibrary", "external", "Apple Photos"),
    (".photoslibrary", "scopes", "Apple Photos"),
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

/// Whether a folder's name says that it holds thumbnails, snapshots or deleted files.
pub(super) fn is_folder_of_leftovers(folder: &Path) -> bool {
    let lower = |name: &OsStr| name.to_string_lossy().to_lowercase();
    let name = folder.file_name().map(lower).unwrap_or_default();
    let outer = folder.parent().and_then(Path::file_name).map(lower);
    let outer = outer.unwrap_or_default();
    let is_named = |named: &Named| match named {
        Whole(whole) => name == *whole,
        Start(start) => name.starts_with(start),
        End(end) => name.ends_with(end),
    };
    FOLDERS.iter().any(|(named, _)| is_named(named))
        || WITHIN
            .iter()
            .any(|(end, inner, _)| outer.ends_with(end) && name == *inner)
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
        for (named, maker) in FOLDERS {
            let (name, other) = match named {
                Whole(whole) => ((*whole).to_owned(), format!("{whole} of Ada")),
                Start(start) => (format!("{start}1"), format!("My {start}")),
                End(end) => (format!("Catalog{end}"), format!("{end} of Ada")),
            };
            assert!(!maker.is_empty() && named_in_lower_case(&name), "{name}");
            for name in [name.clone(), name.to_uppercase()] {
                assert!(
                    is_folder_of_leftovers(&Path::new("nas").join(&name)),
                    "{name} of {maker}"
                );
            }
            assert!(!is_folder_of_leftovers(Path::new(&other)), "{other}");
        }
        for (outer, inner, maker) in WITHIN {
            let folder = Path::new("Pictures")
                .join(format!("Family{outer}"))
                .join(inner);
            assert!(
                !maker.is_empty() && is_folder_of_leftovers(&folder),
                "{}",
                folder.display()
            );
            assert!(!is_folder_of_leftovers(&Path::new("Family").join(inner)));
        }
        for name in ["Ada", "@mike", "#1 Fan", "~", "Snapshot", "Resources"] {
            assert!(!is_folder_of_leftovers(Path::new(name)), "{name}");
        }
    }

    fn named_in_lower_case(name: &str) -> bool {
        name == name.to_lowercase() || name.starts_with("Catalog")
    }
}
