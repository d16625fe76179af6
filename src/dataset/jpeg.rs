//! JPEG straight to luma.
//!
//! An ordinary JPEG stores luma (Rec. 601) and two half-size colour planes; asking `zune-jpeg` for
//! luma alone skips the colours and halves the time. The entropy-coded data are decoded strictly:
//! by default the decoder would fill what is missing with mid-gray and call it done.

use std::borrow::Cow;
use std::io::{BufRead, Seek};

use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, ImageFormat};
use jpeg_decoder::PixelFormat;
use zune_core::bytestream::{ZByteReaderTrait, ZCursor};
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use super::damaged::{DISAGREE, damaged, unreadable};
use super::jpeg_frame::{Colors, Frame, end_of_image, first_markers};
use super::limits::Limits;
use super::luma;
use super::strips::{EIGHT, strip_of};
use crate::error::PhotoProblem;

/// Files and bytes in memory as one type, since every decoder is compiled again for each type of reader.
pub(super) trait Source: BufRead + Seek {}

impl<R: BufRead + Seek> Source for R {}

/// Decodes, not yet turned upright; a large photo reduced as [`Limits::reduction`] says.
pub(super) fn decode(
    bytes: &[u8],
    limits: &Limits,
    colors: Colors,
) -> Result<(DynamicImage, Orientation), PhotoProblem> {
    let bytes = &*with_tables(bytes);
    let frame = Frame::read(bytes)?;
    let reduction = limits.reduction(frame.size)?;
    let picture = frame.decoded_bytes(reduction, colors);
    // The file's bytes are sealed in a copy.
    let _memory = limits.reserve(frame.size, 2 * bytes.len() as u64 + picture)?;
    let (sealed, end) = sealed(bytes, &frame).ok_or(PhotoProblem::Truncated { format: "JPEG" })?;
    let decoded = match reduction {
        1 if frame.is_usual() => decode_usual(&sealed, colors),
        _ => decode_any(&sealed, &frame, reduction, colors),
    };
    decoded.map_err(|problem| match end {
        End::Marked => problem,
        End::Missing => PhotoProblem::Truncated { format: "JPEG" },
    })
}

/// The file as it is; or, where it has no Huffman tables before its first scan, as in frames of Motion JPEG, with the segment in
/// front that has decoders take those of typical photos (ITU-T T.81, Annex K.3).
fn with_tables(bytes: &[u8]) -> Cow<'_, [u8]> {
    /// Tables, frames with arithmetic codes, and the definition of these.
    const CODES: [u8; 8] = [0xc4, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf];
    let start = b"\xff\xd8";
    match bytes.strip_prefix(start) {
        Some(rest) if !first_markers(bytes).any(|code| CODES.contains(&code)) => {
            [&start[..], b"\xff\xe0\x00\x08AVI1\x00\x00", rest].concat().into()
        }
        _ => bytes.into(),
    }
}

/// One of the usual layouts ([`Frame::is_usual`]), straight to luma where luma is stored.
fn decode_usual(sealed: &[u8], colors: Colors) -> Result<(DynamicImage, Orientation), PhotoProblem> {
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(sealed), lenient());
    // The header is read leniently (stray bytes between segments harm nobody); the picture itself must be whole.
    let (width, height) = read_header(&mut decoder)?;
    let wanted = match (decoder.input_colorspace(), colors) {
        (Some(ColorSpace::Luma), _) | (Some(ColorSpace::YCbCr), Colors::Gray) => ColorSpace::Luma,
        // For gray, RGB, CMYK and YCCK: rare, converted by the decoder.
        _ => ColorSpace::RGB,
    };
    let orientation = orientation(decoder.exif().map(Vec::as_slice));
    decoder.set_options(lenient().set_strict_mode(true).jpeg_set_out_colorspace(wanted));
    let samples = decoder.decode().map_err(|e| problem(&e))?;
    let image = match wanted {
        ColorSpace::Luma => GrayImage::from_raw(width, height, samples).map(Into::into),
        _ => from_rgb((width, height), samples, colors),
    };
    Ok((image.ok_or_else(size_and_data)?, orientation))
}

/// Any layout, at full size or reduced, by a decoder that is slower and reads them all.
fn decode_any(
    sealed: &[u8],
    frame: &Frame,
    reduction: u32,
    colors: Colors,
) -> Result<(DynamicImage, Orientation), PhotoProblem> {
    let problem = |error: jpeg_decoder::Error| match error {
        jpeg_decoder::Error::Unsupported(feature) => {
            PhotoProblem::UnsupportedVariant { format: "JPEG", reason: format!("{feature:?}") }
        }
        other => problem(&other),
    };
    let mut decoder = jpeg_decoder::Decoder::new(sealed);
    decoder.read_info().map_err(problem)?;
    if reduction > 1 {
        // Sides of a JPEG have 16 bits.
        let side = |length: u32| length.div_ceil(reduction) as u16;
        let (width, height) = (side(frame.size.0), side(frame.size.1));
        decoder.scale(width, height).map_err(problem)?;
    }
    let samples = decoder.decode().map_err(problem)?;
    let info = decoder.info().ok_or_else(size_and_data)?;
    let size = (u32::from(info.width), u32::from(info.height));
    let image = match info.pixel_format {
        PixelFormat::L8 => GrayImage::from_raw(size.0, size.1, samples).map(Into::into),
        PixelFormat::RGB24 => from_rgb(size, samples, colors),
        PixelFormat::CMYK32 => from_rgb(size, luma::rgb_of_cmyk(&samples), colors),
        PixelFormat::L16 => None,
    };
    let orientation = orientation(decoder.exif_data());
    Ok((image.ok_or_else(size_and_data)?, orientation))
}

fn from_rgb((width, height): (u32, u32), samples: Vec<u8>, colors: Colors) -> Option<DynamicImage> {
    let samples = if colors == Colors::Gray { luma::from_rgb8(&samples) } else { samples };
    strip_of(colors.channels(), width, height, samples, EIGHT)
}

fn size_and_data() -> PhotoProblem {
    damaged(ImageFormat::Jpeg, DISAGREE)
}

/// Size as stored, and the orientation, reading no further than the header where the layout is a usual one.
pub(super) fn header(reader: &mut dyn Source) -> Result<((u32, u32), Orientation), PhotoProblem> {
    let mut decoder = JpegDecoder::new_with_options(&mut *reader, lenient());
    if let Ok(size) = read_header(&mut decoder) {
        return Ok((size, orientation(decoder.exif().map(Vec::as_slice))));
    }
    let mut bytes = Vec::new();
    reader.rewind().map_err(unreadable)?;
    reader.read_to_end(&mut bytes).map_err(unreadable)?;
    let frame = Frame::read(&bytes)?;
    let mut decoder = jpeg_decoder::Decoder::new(bytes.as_slice());
    Ok((frame.size, orientation(decoder.read_info().ok().and_then(|()| decoder.exif_data()))))
}

/// Sizes are judged by [`Limits`], not by the decoder's own bound of 16,384 a side.
fn lenient() -> DecoderOptions {
    DecoderOptions::new_fast().set_max_width(usize::from(u16::MAX)).set_max_height(usize::from(u16::MAX))
}

fn read_header<R: ZByteReaderTrait>(decoder: &mut JpegDecoder<R>) -> Result<(u32, u32), PhotoProblem> {
    decoder.decode_headers().map_err(|e| problem(&e))?;
    let (width, height) = decoder.dimensions().ok_or_else(|| damaged(ImageFormat::Jpeg, "no size in its header"))?;
    // A JPEG stores its sides in 16 bits each.
    Ok((width as u32, height as u32))
}

fn orientation(exif: Option<&[u8]>) -> Orientation {
    exif.and_then(Orientation::from_exif_chunk).unwrap_or(Orientation::NoTransforms)
}

/// Whether a file says where its picture ends.
enum End {
    Marked,
    /// Cameras and interrupted saves leave the marker out: the picture may be whole all the same.
    Missing,
}

/// The file up to the end of its image, with a run of one-bits before that end, and with the number of lines in its frame;
/// `None` where that end is missing and may be far.
///
/// No Huffman code consists of ones alone (T.81, C.2). A decoder that has its picture never looks at them; one that is
/// short of data, which it would otherwise take to be zeros and show as gray, stumbles over them and says so.
fn sealed(bytes: &[u8], frame: &Frame) -> Option<(Vec<u8>, End)> {
    /// Enough for a coefficient that was cut in two (11 bits) and a code (16 bits), many times over.
    const ONES: [[u8; 2]; 16] = [[0xff, 0]; 16];
    let (picture, end) = match end_of_image(bytes) {
        Some(at) => (&bytes[..at], End::Marked),
        // Whole scans may be missing.
        None if !frame.is_one_scan() => return None,
        // A lone 0xff would join the ones to a marker.
        None => (bytes.strip_suffix(b"\xff").unwrap_or(bytes), End::Missing),
    };
    let mut sealed = [picture, ONES.as_flattened(), &[0xff, 0xd9]].concat();
    if let Some((height_at, segment)) = &frame.late_lines {
        sealed.drain(segment.clone());
        sealed[*height_at..][..2].copy_from_slice(&(frame.size.1 as u16).to_be_bytes());
    }
    Some((sealed, end))
}

fn problem(error: &dyn std::fmt::Debug) -> PhotoProblem {
    let words = format!("{error:?}");
    let early = ["Premature end", "xhausted", "Not enough bytes", "EOF", "UnexpectedEof"];
    if early.iter().any(|sign| words.contains(sign)) {
        PhotoProblem::Truncated { format: "JPEG" }
    } else {
        damaged(ImageFormat::Jpeg, words.trim_matches('"'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_of_motion_jpeg_is_read_by_the_usual_tables() {
        let picture = GrayImage::from_fn(48, 40, |x, y| image::Luma([(x * 3 + y * 2) as u8]));
        let mut whole = Vec::new();
        picture.write_with_encoder(image::codecs::jpeg::JpegEncoder::new(&mut whole)).unwrap();
        // The encoder's tables are those of typical photos: without them nothing is lost.
        let mut bare = whole[..2].to_vec();
        let mut at = 2;
        while whole[at + 1] != 0xda {
            let length = usize::from(u16::from_be_bytes([whole[at + 2], whole[at + 3]])) + 2;
            let segment = &whole[at..at + length];
            bare.extend((segment[1] != 0xc4).then_some(segment).into_iter().flatten());
            at += length;
        }
        bare.extend(&whole[at..]);
        assert!(bare.len() < whole.len());
        let read = |bytes: &[u8]| decode(bytes, &Limits::default(), Colors::Gray).unwrap().0.into_luma8();
        assert_eq!(read(&bare), read(&whole));
        assert!(matches!(with_tables(&whole), Cow::Borrowed(_)));
        assert!(matches!(with_tables(b"no JPEG"), Cow::Borrowed(_)));
    }
}
