//! Damaged files in words.

use image::ImageFormat;

use crate::error::{PhotoProblem, reason};

/// A reason: the header tells another size than the pixels that follow.
pub(super) const DISAGREE: &str = "size and data disagree";

pub(super) fn damaged(format: ImageFormat, reason: &str) -> PhotoProblem {
    PhotoProblem::Damaged { format: format_name(format), reason: one_line(reason) }
}

pub(super) fn format_name(format: ImageFormat) -> &'static str {
    match format {
        ImageFormat::Png => "PNG",
        ImageFormat::Jpeg => "JPEG",
        ImageFormat::Gif => "GIF",
        ImageFormat::WebP => "WebP",
        ImageFormat::Pnm => "PNM",
        ImageFormat::Tiff => "TIFF",
        ImageFormat::Bmp => "BMP",
        _ => "image",
    }
}

/// Decoders' messages may hold line breaks and bytes of the file; ours are one plain short line.
pub(super) fn one_line(text: &str) -> String {
    const MAX_CHARS: usize = 120;
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(MAX_CHARS)
        .collect::<String>()
        .trim_end_matches(['.', ' '])
        .to_owned()
}

pub(super) fn unreadable(error: std::io::Error) -> PhotoProblem {
    match error.kind() {
        std::io::ErrorKind::IsADirectory => PhotoProblem::IsAFolder,
        _ => PhotoProblem::Unreadable { reason: io_reason(&error) },
    }
}

pub(super) fn io_reason(error: &std::io::Error) -> String {
    one_line(&reason(error))
}
