//! The bytes of a file to an upright 8-bit image, gray to be compared or in colours to be shown.
//!
//! The format is told by the content, never by the file's name. The gray is Rec. 601 luma whatever the format (see
//! `luma.rs`). The photo is turned upright as its EXIF orientation says, HEIC as its container does. Of an animation
//! the first frame counts. A size beyond the [`Limits`] is refused from the header, before memory is taken. A file that
//! is cut short is refused, never shown half gray. A decoder that panics is reported as a damaged file.

mod content;

use std::io::{BufRead, Cursor, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};

use image::error::{ImageError, UnsupportedErrorKind};
use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, ImageBuffer, ImageDecoder, ImageFormat, ImageReader, Pixel, Primitive, RgbImage};

use self::content::CAMERA_RAW;
pub use self::content::{Content, SNIFF_LENGTH, sniff};
use super::damaged::{DISAGREE, damaged, format_name, one_line};
#[cfg(feature = "heic")]
use super::heif;
use super::jpeg::Source;
use super::jpeg_frame::Colors;
use super::limits::Limits;
use super::{jpeg, strips, tiff};
use crate::error::PhotoProblem;

/// Decodes a photo: upright, 8-bit gray.
///
/// # Errors
/// Says why the bytes are no usable photo. Never panics, whatever the bytes.
pub fn decode(bytes: &[u8], limits: &Limits) -> Result<GrayImage, PhotoProblem> {
    Ok(upright(bytes, limits, Colors::Gray)?.into_luma8())
}

/// Decodes a photo in colours, upright, covering the gray of [`decode`] pixel by pixel; transparent pixels are white.
pub fn decode_color(bytes: &[u8], limits: &Limits) -> Result<RgbImage, PhotoProblem> {
    Ok(upright(bytes, limits, Colors::Rgb)?.into_rgb8())
}

fn upright(bytes: &[u8], limits: &Limits, colors: Colors) -> Result<DynamicImage, PhotoProblem> {
    if bytes.len() as u64 > limits.max_file_bytes {
        return Err(PhotoProblem::TooManyBytes { max_bytes: limits.max_file_bytes });
    }
    let format = Format::of(bytes)?;
    let (mut image, orientation) = guarded(format, || match format {
        #[cfg(feature = "heic")]
        Format::Heic => Ok((heif::decode(bytes, limits, colors)?, Orientation::NoTransforms)),
        Format::Other(ImageFormat::Jpeg) => jpeg::decode(bytes, limits, colors),
        Format::Other(ImageFormat::Tiff) => decode_tiff(bytes, limits, colors),
        Format::Other(format) => decode_with_image(bytes, format, limits, colors),
    })?;
    // Some formats let a picture have no rows. (Found by fuzzing.)
    if image.width() == 0 || image.height() == 0 {
        return Err(PhotoProblem::TooSmall { width: image.width(), height: image.height(), min: 1 });
    }
    image.apply_orientation(orientation);
    Ok(image)
}

/// Width and height of the upright photo, and how it is stored (EXIF's numbers 1 to 8), read from its header only.
pub(super) fn header(mut reader: impl BufRead + Seek, head: &[u8]) -> Result<((u32, u32), u8), PhotoProblem> {
    let reader: &mut dyn Source = &mut reader;
    let format = Format::of(head)?;
    guarded(format, || match format {
        #[cfg(feature = "heic")]
        Format::Heic => heif::header(reader).map(|(upright, orientation)| (upright, orientation.to_exif())),
        Format::Other(ImageFormat::Jpeg) => Ok(upright_header(jpeg::header(reader)?)),
        Format::Other(format @ ImageFormat::Tiff) => {
            Ok(upright_header(tiff::header(reader).map_err(|error| problem(format, &error))?))
        }
        Format::Other(format) => {
            let mut reader = ImageReader::with_format(reader, format);
            reader.limits(Limits::default().for_image(format, head));
            let mut decoder = reader.into_decoder().map_err(|e| problem(format, &e))?;
            Ok(upright_header((decoder.dimensions(), orientation(&mut decoder))))
        }
    })
}

/// The upright size of a photo that is stored so, and EXIF's number for that.
fn upright_header(((width, height), orientation): ((u32, u32), Orientation)) -> ((u32, u32), u8) {
    // The last four of EXIF's eight are turned sideways.
    let upright = if orientation.to_exif() > 4 { (height, width) } else { (width, height) };
    (upright, orientation.to_exif())
}

/// A format that is read here, by its decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    #[cfg(feature = "heic")]
    Heic,
    Other(ImageFormat),
}

impl Format {
    fn of(head: &[u8]) -> Result<Self, PhotoProblem> {
        match sniff(head) {
            Some(Content::Image(format)) => Ok(Self::Other(format)),
            #[cfg(feature = "heic")]
            Some(Content::Heic) => Ok(Self::Heic),
            #[cfg(not(feature = "heic"))]
            Some(Content::Heic) => Err(PhotoProblem::Unsupported { format: "HEIC" }),
            Some(Content::ForeignImage(format)) => Err(PhotoProblem::Unsupported { format }),
            None if head.is_empty() => Err(PhotoProblem::Empty),
            None => Err(PhotoProblem::NotAnImage),
        }
    }

    fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "heic")]
            Self::Heic => "HEIC",
            Self::Other(format) => format_name(format),
        }
    }
}

fn decode_tiff(bytes: &[u8], limits: &Limits, colors: Colors) -> Result<(DynamicImage, Orientation), PhotoProblem> {
    let fail = |error| problem(ImageFormat::Tiff, &error);
    if tiff::is_camera_raw(bytes) {
        return Err(PhotoProblem::Unsupported { format: CAMERA_RAW });
    }
    let (size, orientation) = tiff::header(Cursor::new(bytes)).map_err(fail)?;
    let reduction = limits.reduction(size)?;
    let Some(opened) = tiff::Tiff::open(bytes, limits).map_err(fail)? else {
        return decode_with_image(bytes, ImageFormat::Tiff, limits, colors);
    };
    let pixels = u64::from(size.0) * u64::from(size.1);
    let whole = pixels * opened.bytes_a_pixel() + 2 * bytes.len() as u64;
    let _memory = limits.reserve(size, whole.min(limits.max_memory))?;
    let image = opened.decode(reduction, colors).map_err(fail)?;
    let image = image.ok_or_else(|| damaged(ImageFormat::Tiff, DISAGREE))?;
    Ok((image, orientation))
}

fn decode_with_image(
    bytes: &[u8],
    format: ImageFormat,
    limits: &Limits,
    colors: Colors,
) -> Result<(DynamicImage, Orientation), PhotoProblem> {
    if format == ImageFormat::WebP && bytes.len() < riff_length(bytes) {
        return Err(PhotoProblem::Truncated { format: format_name(format) });
    }
    let fail = |e| problem(format, &e);
    let mut bytes_of_file = Cursor::new(bytes);
    let mut reader = ImageReader::with_format(&mut bytes_of_file as &mut dyn Source, format);
    reader.limits(limits.for_image(format, bytes));
    let mut decoder = reader.into_decoder().map_err(fail)?;
    let size = decoder.dimensions();
    let reduction = limits.reduction(size)?;
    let orientation = orientation(&mut decoder);
    let whole = whole_bytes(format, &decoder) + bytes.len() as u64;
    if reduction > 1 || whole > limits.max_memory {
        let _memory = limits.reserve(size, limits.max_memory)?;
        if format == ImageFormat::Png
            && let Some(image) = strips::png(bytes, limits, reduction, colors).map_err(fail)?
        {
            return Ok((image, orientation));
        }
    }
    let _memory = limits.reserve(size, whole)?;
    let mut image = DynamicImage::from_decoder(decoder).map_err(fail)?;
    ignore_unused_alpha(&mut image);
    let image = strips::whole(image, reduction, colors).ok_or_else(|| damaged(format, DISAGREE))?;
    Ok((image, orientation))
}

/// Many programs leave the opacity 0 everywhere, so that nothing could be seen: then the colours count, where they differ.
fn ignore_unused_alpha(image: &mut DynamicImage) {
    fn show<P: Pixel>(pixels: &mut ImageBuffer<P, Vec<P::Subpixel>>) {
        let opacity = usize::from(P::CHANNEL_COUNT) - 1;
        let nothing = P::Subpixel::DEFAULT_MIN_VALUE;
        let is_unseen = pixels.pixels().all(|pixel| pixel.channels()[opacity] == nothing);
        let samples = pixels.chunks_exact(opacity + 1);
        if is_unseen && samples.clone().zip(samples.skip(1)).any(|(a, b)| a != b) {
            let all = P::Subpixel::DEFAULT_MAX_VALUE;
            pixels.pixels_mut().for_each(|pixel| pixel.channels_mut()[opacity] = all);
        }
    }
    match image {
        DynamicImage::ImageRgba8(pixels) => show(pixels),
        DynamicImage::ImageRgba16(pixels) => show(pixels),
        DynamicImage::ImageLumaA8(pixels) => show(pixels),
        DynamicImage::ImageLumaA16(pixels) => show(pixels),
        _ => {}
    }
}

/// Where a JPEG begins in what was saved of a stream with its HTTP head, or after the line breaks or the byte order mark
/// of a script that sent it; 0 for all other files.
pub(super) fn picture_start(bytes: &[u8]) -> usize {
    /// Heads are shorter.
    const LONGEST_HEAD: usize = 4096;
    let head = &bytes[..bytes.len().min(LONGEST_HEAD)];
    let is_http = head.starts_with(b"--")
        || head.starts_with(b"HTTP/")
        || head.starts_with(b"\r\n--")
        || head.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"content-"));
    let mut starts = head.windows(4).enumerate().filter(|(_, at)| *at == [b'\n', 0xff, 0xd8, 0xff]);
    if is_http {
        return starts.next().map_or(0, |(at, _)| at + 1);
    }
    match head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start() {
        jpeg if jpeg.starts_with(b"\xff\xd8\xff") => head.len() - jpeg.len(),
        _ => 0,
    }
}

/// Bytes of the decoded picture, of what its decoder keeps beside it, and of the gray made from it.
fn whole_bytes(format: ImageFormat, decoder: &impl ImageDecoder) -> u64 {
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    let beside = match format {
        // The decoders of both keep a picture of their own.
        ImageFormat::Gif => 4 * pixels,
        ImageFormat::WebP | ImageFormat::Tiff => decoder.total_bytes(),
        _ => 0,
    };
    decoder.total_bytes() + beside + pixels
}

/// The length that a RIFF file claims: its decoder calls what is cut off a corrupt bit stream.
fn riff_length(bytes: &[u8]) -> usize {
    bytes.get(4..).and_then(|b| b.first_chunk()).map_or(0, |&l| (u32::from_le_bytes(l) as usize).saturating_add(8))
}

/// A photo with unreadable EXIF data is still a photo: taken as it lies.
fn orientation(decoder: &mut impl ImageDecoder) -> Orientation {
    decoder.orientation().unwrap_or(Orientation::NoTransforms)
}

/// Runs a third-party decoder; a panic in it is the file's fault, not the program's.
fn guarded<T>(format: Format, decode: impl FnOnce() -> Result<T, PhotoProblem>) -> Result<T, PhotoProblem> {
    // Unwind safety: nothing that `decode` touched outlives a panic.
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|_| {
        Err(PhotoProblem::Damaged { format: format.name(), reason: "the decoder gave up".to_owned() })
    })
}

fn problem(format: ImageFormat, error: &ImageError) -> PhotoProblem {
    let early = match error {
        // `source` leaves out the I/O error itself.
        ImageError::IoError(io) => ends_too_early(io),
        other => ends_too_early(other),
    };
    if early {
        return PhotoProblem::Truncated { format: format_name(format) };
    }
    match error {
        ImageError::Unsupported(e) => PhotoProblem::UnsupportedVariant {
            format: format_name(format),
            reason: match e.kind() {
                UnsupportedErrorKind::GenericFeature(what) => one_line(&what),
                UnsupportedErrorKind::Color(_) => "its kind of colours".to_owned(),
                _ => "its kind of data".to_owned(),
            },
        },
        ImageError::Limits(_) => PhotoProblem::UnsupportedVariant {
            format: format_name(format),
            reason: "it takes too much memory to decode".to_owned(),
        },
        other => damaged(format, &root_cause(other)),
    }
}

/// The last cause says what happened; the ones before it wrap it in names of formats.
fn root_cause(error: &ImageError) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let words = cause.to_string();
    // What follows is how the decoder calls the place.
    words.split(" while decoding ").next().unwrap_or_default().to_owned()
}

/// Looks through the chain of causes: most decoders wrap the I/O error, some only quote it.
fn ends_too_early(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |cause| cause.source());
    let is_end = |io: &std::io::Error| io.kind() == std::io::ErrorKind::UnexpectedEof;
    let words = error.to_string().to_lowercase();
    let signs = ["unexpected eof", "unexpected end", "end of file", "too short", "no more data"];
    causes.any(|cause| cause.downcast_ref().is_some_and(is_end)) || signs.iter().any(|sign| words.contains(sign))
}

#[cfg(test)]
mod tests;
