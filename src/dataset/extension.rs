//! File formats by extension.

use std::ffi::OsStr;
use std::path::Path;

/// Extensions that promise an image, those that we do not read included; raw files stand by themselves.
const IMAGE_EXTENSIONS: &[&str] = &[
    "jpg", "jpeg", "jpe", "jfif", "png", "gif", "pgm", "ppm", "pbm", "pnm", "pam", "webp", "bmp", "dib", "tif", "tiff",
    "heic", "heif", "avif", "jxl", "jp2", "psd", "ico", "tga", "qoi", "exr", "hdr",
];

pub(super) const RAW_EXTENSIONS: &[&str] = &[
    "dng", "crw", "cr2", "cr3", "nef", "nrw", "arw", "sr2", "srf", "raf", "orf", "rw2", "rwl", "pef", "srw", "x3f",
    "3fr", "iiq", "erf", "mef", "mos", "kdc", "dcr", "mrw",
];

pub(super) fn has_image_extension(path: &Path) -> bool {
    has_extension(path, IMAGE_EXTENSIONS) || has_extension(path, RAW_EXTENSIONS)
}

/// Whether a path has one of these extensions, in letters of either case.
pub fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let has = |own: &OsStr| extensions.iter().any(|it| own.eq_ignore_ascii_case(it));
    path.extension().is_some_and(has)
}
