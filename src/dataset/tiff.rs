//! TIFF of scanners, cameras and instruments, by strips or rows of tiles, so that none lies in memory whole. Palettes, gray
//! of 1, 2 and 4 bits, and numbers of any type become levels; the rest is left to `image`, or refused in words for people.

use std::borrow::Cow;
use std::io::Cursor;

use image::error::{ImageError, LimitError, LimitErrorKind, UnsupportedError, UnsupportedErrorKind};
use image::metadata::Orientation;
use image::{DynamicImage, ImageFormat, ImageResult, RgbImage};
use tiff::decoder::{ChunkType, Decoder, DecodingResult};
use tiff::tags::{CompressionMethod, PhotometricInterpretation, SampleFormat, Tag};
use tiff::{ColorType, TiffError, TiffUnsupportedError};

use super::jpeg_frame::Colors;
use super::levels::{Levels, Numbers, Range};
use super::limits::Limits;
use super::pages;
use super::strips::{Canvas, EIGHT, SIXTEEN, beside, contradiction, decoding, strip_of};

/// A table of colours, and the bits of a place in it.
struct Table {
    bits: u8,
    colors: Vec<[u8; 3]>,
}

enum Samples {
    /// This number of channels of 8 bits, or of 16 with an opacity.
    Channels(usize),
    /// This number of channels of other numbers: their range says what they mean.
    Numbers(usize, Numbers),
    /// Gray of fewer bits than a byte has.
    Bits(u8),
    /// Luminance and two differences of colour, 8 bits each, as JPEG has them.
    Differences,
    /// Places in a table of colours.
    Palette(Table),
}

/// A picture whose samples are read here.
pub(super) struct Tiff<'a> {
    decoder: Decoder<Cursor<Cow<'a, [u8]>>>,
    samples: Samples,
    size: (u32, u32),
    /// Chunks beside each other, and the rows of each.
    across: u32,
    rows: u32,
}

impl<'a> Tiff<'a> {
    /// The first picture of a file. `None` where `image` reads it: in planes, or in inks.
    /// Errors: what is wrong with the file; a kind of picture that nobody here reads.
    pub(super) fn open(bytes: &'a [u8], limits: &Limits) -> ImageResult<Option<Self>> {
        let mut decoder = Decoder::new(Cursor::new(Cow::Borrowed(bytes))).map_err(failed)?;
        let size = decoder.dimensions().map_err(failed)?;
        let samples = match palette(&mut decoder).map_err(failed)? {
            Some(table) => {
                let gray = pages::as_gray(bytes).ok_or_else(|| unread("a table of colours"))?;
                decoder = Decoder::new(Cursor::new(Cow::Owned(gray))).map_err(failed)?;
                Samples::Palette(table)
            }
            None => match samples(&mut decoder)? {
                Some(samples) => samples,
                None => return Ok(None),
            },
        };
        if decoder.image_buffer_layout().map_err(failed)?.planes > 1 {
            return Ok(None);
        }
        let mut memory = tiff::decoder::Limits::default();
        // A strip is decoded, copied and made gray.
        let left = limits.max_memory.saturating_sub(bytes.len() as u64) / 3;
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        memory.decoding_buffer_size = left;
        memory.intermediate_buffer_size = left;
        memory.ifd_value_size = left;
        let decoder = decoder.with_limits(memory);
        let (width, rows) = decoder.chunk_dimensions();
        let is_tiled = matches!(decoder.get_chunk_type(), ChunkType::Tile);
        let across = if is_tiled { size.0.div_ceil(width.max(1)) } else { 1 };
        Ok(Some(Self { decoder, samples, size, across, rows: rows.max(1) }))
    }

    /// Bytes of a pixel: as it is read, as it is shown, and as it is kept.
    pub(super) fn bytes_a_pixel(&self) -> u64 {
        match &self.samples {
            Samples::Channels(channels) => 5 * *channels as u64,
            Samples::Numbers(channels, _) => 13 * *channels as u64,
            Samples::Bits(_) | Samples::Differences | Samples::Palette(_) => 10,
        }
    }

    /// The picture, upright only after it is turned.
    pub(super) fn decode(mut self, reduction: u32, colors: Colors) -> ImageResult<Option<DynamicImage>> {
        let levels = match self.samples {
            Samples::Numbers(_, numbers) => Some(self.range()?.levels(numbers)),
            _ => None,
        };
        let mut canvas = Canvas::new(self.size, reduction, colors);
        for band in 0..self.bands() {
            let rows = self.rows.min(self.size.1 - band * self.rows);
            let mut row_of_chunks = Vec::new();
            for chunk in band * self.across..(band + 1) * self.across {
                let width = self.decoder.chunk_data_dimensions(chunk).0;
                let samples = self.decoder.read_chunk(chunk).map_err(failed)?;
                let picture = self.picture(samples, (width, rows), levels);
                row_of_chunks.push(picture.ok_or_else(|| contradiction(ImageFormat::Tiff))?);
            }
            let strip = match row_of_chunks.len() {
                1 => row_of_chunks.pop(),
                _ => beside(row_of_chunks, (self.size.0, rows)),
            };
            strip.and_then(|strip| canvas.push(strip)).ok_or_else(|| contradiction(ImageFormat::Tiff))?;
        }
        Ok(canvas.finish(self.size))
    }

    fn bands(&self) -> u32 {
        self.size.1.div_ceil(self.rows)
    }

    fn range(&mut self) -> ImageResult<Range> {
        let mut range = Range::NONE;
        for chunk in 0..self.bands() * self.across {
            numbers(&self.decoder.read_chunk(chunk).map_err(failed)?).for_each(|number| range.see(number));
        }
        Ok(range)
    }

    /// The picture of a chunk. `None` if its data contradicts its size.
    fn picture(
        &self,
        samples: DecodingResult,
        (width, rows): (u32, u32),
        levels: Option<Levels>,
    ) -> Option<DynamicImage> {
        match (&self.samples, samples) {
            (Samples::Channels(channels), DecodingResult::U8(samples)) => {
                strip_of(*channels, width, rows, samples, EIGHT)
            }
            (Samples::Channels(channels), DecodingResult::U16(samples)) => {
                strip_of(*channels, width, rows, samples, SIXTEEN)
            }
            (Samples::Numbers(channels, _), samples) => {
                let levels = levels?;
                let samples = numbers(&samples).map(|number| levels.level(number));
                strip_of(*channels, width, rows, samples.collect(), SIXTEEN)
            }
            (Samples::Bits(bits), DecodingResult::U8(packed)) => {
                let white = (1u32 << bits) - 1;
                let gray = unpacked(&packed, *bits, width).map(|sample| (u32::from(sample) * 255 / white) as u8);
                strip_of(1, width, rows, gray.collect(), EIGHT)
            }
            (Samples::Differences, DecodingResult::U8(samples)) => {
                let (pixels, _) = samples.as_chunks::<3>();
                let samples = pixels.iter().map(|&pixel| rgb(pixel)).collect::<Vec<_>>();
                RgbImage::from_raw(width, rows, samples.concat()).map(Into::into)
            }
            (Samples::Palette(Table { bits, colors }), DecodingResult::U8(packed)) => {
                let samples = unpacked(&packed, *bits, width).map(|place| colors.get(usize::from(place)).copied());
                let samples = samples.collect::<Option<Vec<[u8; 3]>>>()?.concat();
                RgbImage::from_raw(width, rows, samples).map(Into::into)
            }
            _ => None,
        }
    }
}

/// Samples of 1, 2, 4 or 8 bits, of rows that begin with a byte.
fn unpacked(packed: &[u8], bits: u8, width: u32) -> impl Iterator<Item = u8> {
    let row = (width as usize * usize::from(bits)).div_ceil(8).max(1);
    let a_byte = usize::from(8 / bits);
    packed.chunks_exact(row).flat_map(move |row| {
        (0..width as usize).map(move |at| {
            let shift = 8 - usize::from(bits) * (at % a_byte + 1);
            let mask = u8::MAX >> (8 - bits);
            row[at / a_byte] >> shift & mask
        })
    })
}

/// Colours from luminance and differences, by the formula of JFIF.
fn rgb([luminance, blue, red]: [u8; 3]) -> [u8; 3] {
    let (y, b, r) = (f32::from(luminance), f32::from(blue) - 128.0, f32::from(red) - 128.0);
    [y + 1.402 * r, y - 0.344_136 * b - 0.714_136 * r, y + 1.772 * b].map(|level| level.round() as u8)
}

fn numbers(samples: &DecodingResult) -> Box<dyn Iterator<Item = f64> + '_> {
    use DecodingResult as R;
    match samples {
        R::U8(samples) => Box::new(samples.iter().map(|&sample| f64::from(sample))),
        R::U16(samples) => Box::new(samples.iter().map(|&sample| f64::from(sample))),
        R::U32(samples) => Box::new(samples.iter().map(|&sample| f64::from(sample))),
        R::U64(samples) => Box::new(samples.iter().map(|&sample| sample as f64)),
        R::I8(samples) => Box::new(samples.iter().map(|&sample| f64::from(sample))),
        R::I16(samples) => Box::new(samples.iter().map(|&sample| f64::from(sample))),
        R::I32(samples) => Box::new(samples.iter().map(|&sample| f64::from(sample))),
        R::I64(samples) => Box::new(samples.iter().map(|&sample| sample as f64)),
        R::F16(samples) => Box::new(samples.iter().map(|sample| sample.to_f64())),
        R::F32(samples) => Box::new(samples.iter().map(|&sample| f64::from(sample))),
        R::F64(samples) => Box::new(samples.iter().copied()),
    }
}

fn palette(decoder: &mut Decoder<Cursor<Cow<'_, [u8]>>>) -> Result<Option<Table>, TiffError> {
    const IS_PALETTE: u16 = PhotometricInterpretation::RGBPalette.to_u16();
    let kind = decoder.find_tag_unsigned::<u16>(Tag::PhotometricInterpretation)?;
    let bits = decoder.find_tag_unsigned_vec::<u8>(Tag::BitsPerSample)?.unwrap_or_else(|| vec![1]);
    let (Some(IS_PALETTE), [bits @ (1 | 2 | 4 | 8)]) = (kind, bits.as_slice()) else { return Ok(None) };
    let table = decoder.get_tag_u16_vec(Tag::ColorMap)?;
    // Some programs write levels of 8 bits.
    let scale = if table.iter().all(|&level| level < 256) { 0 } else { 8 };
    let [reds, greens, blues] = [0, 1, 2]
        .map(|color| table.iter().skip(color << bits).take(1 << bits).map(move |level| (level >> scale) as u8));
    let colors = reds.zip(greens).zip(blues);
    Ok(Some(Table { bits: *bits, colors: colors.map(|((r, g), b)| [r, g, b]).collect() }))
}

/// What the samples are of a picture without a table of colours; `None` where `image` reads them.
fn samples(decoder: &mut Decoder<Cursor<Cow<'_, [u8]>>>) -> ImageResult<Option<Samples>> {
    let color = decoder.colortype().map_err(failed)?;
    let tag = |decoder: &mut Decoder<_>, tag| {
        let values = decoder.find_tag_unsigned_vec::<u16>(tag).map_err(failed)?;
        Ok::<_, ImageError>(values.and_then(|values| values.first().copied()))
    };
    let format = tag(decoder, Tag::SampleFormat)?.map(SampleFormat::from_u16_exhaustive);
    let has_opacity = matches!(tag(decoder, Tag::ExtraSamples)?, Some(1 | 2));
    let numbers = match format {
        None | Some(SampleFormat::Uint | SampleFormat::Int) => Numbers::Whole,
        Some(SampleFormat::IEEEFP) => Numbers::Floating,
        Some(_) => return Err(unread("numbers that are not real")),
    };
    let is_signed = format == Some(SampleFormat::Int);
    Ok(Some(match color {
        ColorType::Gray(bits @ (1 | 2 | 4)) => Samples::Bits(bits),
        ColorType::Gray(8) if !is_signed => Samples::Channels(1),
        ColorType::Gray(8 | 16 | 32 | 64) => Samples::Numbers(1, numbers),
        ColorType::RGB(8) if !is_signed => Samples::Channels(3),
        ColorType::RGB(8 | 16 | 32 | 64) => Samples::Numbers(3, numbers),
        ColorType::GrayA(8 | 16) => Samples::Channels(2),
        ColorType::Multiband { bit_depth: 8 | 16, num_samples: 2 } if has_opacity && !is_signed => Samples::Channels(2),
        ColorType::RGBA(8 | 16) if !is_signed => Samples::Channels(4),
        ColorType::CMYK(8 | 16) | ColorType::RGBA(32) => return Ok(None),
        ColorType::Gray(bits) | ColorType::RGB(bits) => return Err(unread(&format!("samples of {bits} bits"))),
        ColorType::Multiband { num_samples, .. } => return Err(unread(&format!("{num_samples} channels"))),
        ColorType::YCbCr(8) => Samples::Differences,
        ColorType::YCbCr(_) => return Err(unread("colours in YCbCr")),
        ColorType::Lab(_) => return Err(unread(LAB)),
        _ => return Err(unread("its kind of colours")),
    }))
}

const LAB: &str = "colours in CIE Lab";

/// Whether a TIFF is a camera's raw file: a digital negative by its version, or with a reduced picture in front.
pub(super) fn is_camera_raw(bytes: &[u8]) -> bool {
    const DNG_VERSION: Tag = Tag::Unknown(50706);
    const REDUCED: u32 = 1;
    let Ok(mut decoder) = Decoder::new(Cursor::new(bytes)) else { return false };
    let mut has = |tag| decoder.find_tag(tag).is_ok_and(|value| value.is_some());
    if has(DNG_VERSION) {
        return true;
    }
    let further = has(Tag::SubIfd);
    let kind = decoder.find_tag_unsigned::<u32>(Tag::NewSubfileType);
    further && kind.is_ok_and(|kind| kind.is_some_and(|kind| kind & REDUCED != 0))
}

/// Width and height as stored, and how the picture is to be turned.
pub(super) fn header(reader: impl std::io::Read + std::io::Seek) -> ImageResult<((u32, u32), Orientation)> {
    let mut decoder = Decoder::new(reader).map_err(failed)?;
    let turned = decoder.find_tag_unsigned::<u8>(Tag::Orientation).ok().flatten().and_then(Orientation::from_exif);
    Ok((decoder.dimensions().map_err(failed)?, turned.unwrap_or(Orientation::NoTransforms)))
}

fn failed(error: TiffError) -> ImageError {
    use TiffUnsupportedError as U;
    match error {
        TiffError::IoError(error) => ImageError::IoError(error),
        TiffError::LimitsExceeded => ImageError::Limits(LimitError::from_kind(LimitErrorKind::InsufficientMemory)),
        TiffError::UnsupportedError(what) => unread(&match what {
            U::UnsupportedCompressionMethod(method) => compression(method),
            U::InterpretationWithBits(kind, _) | U::UnsupportedInterpretation(kind) => colors(kind).to_owned(),
            U::ChromaSubsampling => "colours in YCbCr".to_owned(),
            U::InconsistentBitsPerSample(_) => "channels of different depths".to_owned(),
            U::UnknownInterpretation => "colours of a kind of its own".to_owned(),
            _ => "its kind of samples".to_owned(),
        }),
        other => decoding(ImageFormat::Tiff, other),
    }
}

fn compression(method: CompressionMethod) -> String {
    match method {
        CompressionMethod::Huffman => "fax compression".to_owned(),
        CompressionMethod::Fax3 => "Group 3 fax compression".to_owned(),
        CompressionMethod::Fax4 => "Group 4 fax compression".to_owned(),
        CompressionMethod::JPEG => "JPEG compression as old scanners write it".to_owned(),
        CompressionMethod::ZSTD => "Zstandard compression".to_owned(),
        CompressionMethod::WebP => "WebP compression".to_owned(),
        other => format!("compression number {}", other.to_u16()),
    }
}

fn colors(kind: PhotometricInterpretation) -> &'static str {
    use PhotometricInterpretation as P;
    match kind {
        P::CIELab | P::IccLab | P::ItuLab => LAB,
        P::RGBPalette => "a table of colours",
        P::TransparencyMask => "a mask, no picture",
        P::CMYK => "its number of inks",
        P::YCbCr => "colours in YCbCr",
        _ => "its number of channels",
    }
}

fn unread(what: &str) -> ImageError {
    let kind = UnsupportedErrorKind::GenericFeature(what.to_owned());
    ImageError::Unsupported(UnsupportedError::from_format_and_kind(ImageFormat::Tiff.into(), kind))
}

#[cfg(test)]
mod tests;
