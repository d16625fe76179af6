//! The format of a file by its first bytes, whatever its name.

use image::ImageFormat;

/// Number of leading bytes of a file that [`sniff`] wants to see.
pub const SNIFF_LENGTH: usize = 32;

/// The content of a file by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// An image that [`decode`](super::decode) reads.
    Image(ImageFormat),
    /// A HEIC image, which [`decode`](super::decode) reads with the feature `heic`.
    Heic,
    /// An image that it does not read; its format's name.
    ForeignImage(&'static str),
}

/// The format by the first [`SNIFF_LENGTH`] bytes, stricter than two letters (`BM`, `P5`) that may begin text.
pub fn sniff(head: &[u8]) -> Option<Content> {
    use Content::{ForeignImage, Image};
    let at = |start: usize, magic: &[u8]| head.get(start..).is_some_and(|h| h.starts_with(magic));
    Some(match head {
        // The line ends that follow tell its decoder whether it was sent as text.
        _ if at(0, b"\x89PNG") => Image(ImageFormat::Png),
        _ if at(0, b"\xff\xd8\xff") => Image(ImageFormat::Jpeg),
        _ if at(0, b"GIF87a") || at(0, b"GIF89a") => Image(ImageFormat::Gif),
        _ if at(0, b"RIFF") && at(8, b"WEBP") => Image(ImageFormat::WebP),
        // Canon's raw files are TIFFs with a mark of their own.
        _ if at(0, b"II*\0") && at(8, b"CR\x02") => ForeignImage(CAMERA_RAW),
        _ if at(0, b"II*\0") || at(0, b"MM\0*") => Image(ImageFormat::Tiff),
        [b'P', b'1'..=b'7', b'\t' | b'\n' | b'\r' | b' ' | b'#', ..] => Image(ImageFormat::Pnm),
        // A bitmap's second header begins with its own length, at most 124.
        _ if at(0, b"BM") && head.get(14).is_some_and(|&n| (12..=124).contains(&n)) && at(15, &[0; 3]) => {
            Image(ImageFormat::Bmp)
        }
        // Boxes as of MPEG-4: the brand tells pictures from films.
        _ if at(4, b"ftyp") => ForeignImage(match head.get(8..12)? {
            b"avif" | b"avis" => "AVIF",
            b"heic" | b"heix" | b"hevc" | b"heim" | b"heis" | b"mif1" | b"msf1" => return Some(Content::Heic),
            b"crx " => CAMERA_RAW,
            b"qt  " | b"isom" | b"iso2" | b"iso4" | b"iso5" | b"iso6" | b"mp41" | b"mp42" | b"avc1" | b"M4V "
            | b"3gp4" | b"3gp5" | b"3gp6" | b"MSNV" => VIDEO,
            _ => return None,
        }),
        // An icon or cursor: 0, the kind, and a number of pictures that is not 0.
        [0, 0, 1 | 2, 0, 1..=64, 0, ..] => ForeignImage("icon"),
        _ if is_targa(head) => ForeignImage("Targa"),
        _ => {
            let known = OTHER_FORMATS.iter().find(|(start, magic, _)| at(*start, magic));
            ForeignImage(known?.2)
        }
    })
}

/// Whether it begins as a Targa does: without a mark, but with kinds and depths that few other files have at these places.
fn is_targa(head: &[u8]) -> bool {
    let head = head.first_chunk::<18>();
    head.is_some_and(|head| {
        head[1] == 0
            && matches!(head[2], 2 | 3 | 10 | 11)
            && head[3..7] == [0; 4]
            && head[12..14] != [0; 2]
            && head[14..16] != [0; 2]
            && matches!(head[16], 8 | 16 | 24 | 32)
            && head[17] & 0xc0 == 0
    })
}

/// Pictures as the sensor took them, in formats of each maker's own.
pub(super) const CAMERA_RAW: &str = "camera raw";

const VIDEO: &str = "video";

/// Formats that are told by their first bytes and not read: where these stand, and the format's name.
const OTHER_FORMATS: &[(usize, &[u8], &str)] = &[
    (0, b"\xff\x0a", "JPEG XL"),
    (0, b"\0\0\0\x0cJXL ", "JPEG XL"),
    (0, b"\0\0\0\x0cjP  ", "JPEG 2000"),
    (0, b"\xff\x4f\xff\x51", "JPEG 2000"),
    (0, b"II\xbc\x01", "JPEG XR"),
    (0, b"II+\0", "BigTIFF"),
    (0, b"MM\0+", "BigTIFF"),
    (0, b"FUJIFILMCCD-RAW", CAMERA_RAW),
    (0, b"IIU\0", CAMERA_RAW),
    (0, b"IIRO", CAMERA_RAW),
    (0, b"IIRS", CAMERA_RAW),
    (0, b"MMOR", CAMERA_RAW),
    (0, b"\0MRM", CAMERA_RAW),
    (0, b"FOVb", CAMERA_RAW),
    (6, b"HEAPCCDR", CAMERA_RAW),
    (0, b"8BPS", "Photoshop"),
    (0, b"gimp xcf", "GIMP"),
    (0, b"#?RADIANCE", "Radiance HDR"),
    (0, b"\x76\x2f\x31\x01", "OpenEXR"),
    (0, b"DDS ", "DDS"),
    (0, b"qoif", "QOI"),
    (0, b"farbfeld", "farbfeld"),
    (0, b"icns", "icon"),
    (0, b"BPG\xfb", "BPG"),
    (0, b"FLIF", "FLIF"),
    (0, b"AT&TFORM", "DjVu"),
    (0, b"SIMPLE  =", "FITS"),
    (0, b"%PDF-", "PDF"),
    (0, b"\x1aE\xdf\xa3", VIDEO),
    (8, b"AVI ", VIDEO),
];
