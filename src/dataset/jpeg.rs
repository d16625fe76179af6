//! JPEG straight to luma.
//!
//! An ordinary JPEG stores luma (Rec. 601) and two half-size colour planes; asking `zune-jpeg` for
//! luma alone skips the colours and halves the time. The entropy-coded data are decoded strictly:
//! by default the decoder would fill what is missing with mid-gray and call it done.

use std::io::{BufRead, Seek};

use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, ImageFormat, RgbImage};
use zune_core::bytestream::{ZByteReaderTrait, ZCursor};
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;

use super::damaged::damaged;
use super::limits::Limits;
use super::luma;
use crate::error::PhotoProblem;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colors {
    /// To be compared.
    Gray,
    /// To be shown.
    Rgb,
}

/// Sources of pictures: files and bytes in memory as one type, since every decoder is compiled again
/// for each type of reader.
pub(super) trait Source: BufRead + Seek {}

impl<R: BufRead + Seek> Source for R {}

/// Decodes, not yet turned upright.
pub(super) fn decode(
    bytes: &[u8],
    limits: &Limits,
    colors: Colors,
) -> Result<(DynamicImage, Orientation), PhotoProblem> {
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), lenient());
    let (width, height) = read_header(&mut decoder)?;
    limits.check_pixels(width, height)?;
    let wanted = match (decoder.input_colorspace(), colors) {
        (Some(ColorSpace::Luma), _) | (Some(ColorSpace::YCbCr), Colors::Gray) => ColorSpace::Luma,
        // For gray, RGB, CMYK and YCCK: rare, converted by the decoder.
        _ => ColorSpace::RGB,
    };
    let orientation = orientation(&decoder);

    let sealed = sealed(bytes).ok_or(PhotoProblem::Truncated { format: "JPEG" })?;
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(sealed.as_slice()), lenient());
    // The header is read leniently (stray bytes between its segments harm nobody); the picture
    // itself must be whole.
    read_header(&mut decoder)?;
    decoder.set_options(
        lenient()
            .set_strict_mode(true)
            .jpeg_set_out_colorspace(wanted),
    );
    let samples = decoder.decode().map_err(|e| problem(&e))?;
    let image = match (wanted, colors) {
        (ColorSpace::Luma, _) => GrayImage::from_raw(width, height, samples).map(Into::into),
        (_, Colors::Gray) => {
            GrayImage::from_raw(width, height, luma::from_rgb8(&samples)).map(Into::into)
        }
        (_, Colors::Rgb) => RgbImage::from_raw(width, height, samples).map(Into::into),
    };
    let image: DynamicImage =
        image.ok_or_else(|| damaged(ImageFormat::Jpeg, "size and data disagree"))?;
    Ok((image, orientation))
}

/// Size as stored, and the orientation, reading no further than the header.
pub(super) fn header(reader: &mut dyn Source) -> Result<((u32, u32), Orientation), PhotoProblem> {
    let mut decoder = JpegDecoder::new_with_options(reader, lenient());
    let size = read_header(&mut decoder)?;
    Ok((size, orientation(&decoder)))
}

/// Sizes are judged by [`Limits`], not by the decoder's own bound of 16,384 a side.
fn lenient() -> DecoderOptions {
    DecoderOptions::new_fast()
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX))
}

fn read_header<R: ZByteReaderTrait>(
    decoder: &mut JpegDecoder<R>,
) -> Result<(u32, u32), PhotoProblem> {
    decoder.decode_headers().map_err(|e| problem(&e))?;
    let (width, height) = decoder
        .dimensions()
        .ok_or_else(|| damaged(ImageFormat::Jpeg, "no size in its header"))?;
    // A JPEG stores its sides in 16 bits each.
    Ok((width as u32, height as u32))
}

fn orientation<R: ZByteReaderTrait>(decoder: &JpegDecoder<R>) -> Orientation {
    decoder
        .exif()
        .and_then(|exif| Orientation::from_exif_chunk(exif))
        .unwrap_or(Orientation::NoTransforms)
}

/// The file up to the end of its image, with a run of one-bits before that end; `None` if there is
/// no end.
///
/// No Huffman code consists of ones alone (T.81, C.2). A decoder that has its picture never looks
/// at them; one that is short of data, which it would otherwise take to be zeros and show as gray,
/// stumbles over them and says so.
fn sealed(bytes: &[u8]) -> Option<Vec<u8>> {
    /// Enough for a coefficient that was cut in two (11 bits) and a code (16 bits), many times over.
    const ONES: [u8; 32] = const {
        let mut stuffed = [0; 32];
        let mut i = 0;
        while i < 32 {
            stuffed[i] = 0xff;
            i += 2;
        }
        stuffed
    };
    const END: [u8; 2] = [0xff, 0xd9];
    let picture = bytes.get(..end_of_image(bytes)?)?;
    Some([picture, &ONES, &END].concat())
}

/// Position of the marker that ends the image, found by going from marker to marker (ITU-T T.81,
/// annex B). Whole segments are skipped, so the end of a thumbnail inside one does not count.
fn end_of_image(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += bytes.get(at..)?.iter().position(|&b| b == 0xff)?;
        match *bytes.get(at + 1)? {
            0xd9 => return Some(at),
            // A fill byte: the marker may begin with the next.
            0xff => at += 1,
            // Markers without a segment, and the escaped 0xff of the data.
            0x00 | 0x01 | 0xd0..=0xd8 => at += 2,
            _ => {
                let length = bytes.get(at + 2..)?.first_chunk()?;
                at += 2 + usize::from(u16::from_be_bytes(*length));
            }
        }
    }
}

fn problem(error: &DecodeErrors) -> PhotoProblem {
    let words = format!("{error:?}");
    let early = ["Premature end", "xhausted", "Not enough bytes", "EOF"];
    if early.iter().any(|sign| words.contains(sign)) {
        PhotoProblem::Truncated { format: "JPEG" }
    } else {
        damaged(ImageFormat::Jpeg, words.trim_matches('"'))
    }
}
