//! HEIC, as phones save photos, through libheif (feature `heic`).
//!
//! libheif turns and mirrors the picture as its container says (`irot`, `imir`), and EXIF's orientation, which then says the
//! same once more, is not applied. Gray and colours are made here from the planes as they are stored, strip by strip:
//! libheif's own conversion to RGB would take three bytes a pixel more.

use std::io::SeekFrom;

use image::DynamicImage;
use image::metadata::Orientation;
use libheif_rs::{
    Chroma, ColorSpace, DecodingOptions, HeifContext, HeifError, HeifErrorCode, HeifErrorSubCode, Image, ImageHandle,
    LibHeif, MatrixCoefficients, Plane, StreamReader,
};

use super::damaged::{DISAGREE, one_line};
use super::jpeg::Source;
use super::jpeg_frame::Colors;
use super::limits::Limits;
use super::strips::{Canvas, EIGHT, strip_of};
use crate::error::PhotoProblem;

/// Decodes, upright; a large photo reduced as [`Limits::reduction`] says.
pub(super) fn decode(bytes: &[u8], limits: &Limits, colors: Colors) -> Result<DynamicImage, PhotoProblem> {
    let library = LibHeif::new();
    let mut context = HeifContext::new().map_err(problem)?;
    // Photos are decoded on all cores already.
    context.set_max_decoding_threads(0);
    context.read_bytes(bytes).map_err(problem)?;
    let handle = context.primary_image_handle().map_err(problem)?;
    let size = (handle.width(), handle.height());
    let reduction = limits.reduction(size)?;
    let memory = bytes.len() as u64 + decoded_bytes(&handle, reduction, colors);
    let _memory = limits.reserve(size, memory)?;
    // What the header says of the size need not be what the picture has.
    let mut inner = context.security_limits();
    inner.set_max_image_size_pixels(limits.max_pixels);
    inner.set_max_memory_block_size(limits.max_memory);
    context.set_security_limits(&inner).map_err(problem)?;
    let mut options = DecodingOptions::new().ok_or_else(too_much_memory)?;
    // Otherwise what is missing would be gray.
    options.set_strict_decoding(true);
    let image = library.decode(&handle, ColorSpace::Undefined, Some(options)).map_err(problem)?;
    if (image.width(), image.height()) != size {
        return Err(size_and_data());
    }
    Picture::of(&image)?.drawn(reduction, colors).ok_or_else(size_and_data)
}

/// Size of the upright photo, and how it is stored, from the header.
pub(super) fn header(reader: &mut dyn Source) -> Result<((u32, u32), Orientation), PhotoProblem> {
    let unreadable = |_| PhotoProblem::Truncated { format: HEIC };
    let length = reader.seek(SeekFrom::End(0)).map_err(unreadable)?;
    reader.rewind().map_err(unreadable)?;
    let mut context = HeifContext::new().map_err(problem)?;
    context.read_reader(Box::new(StreamReader::new(reader, length))).map_err(problem)?;
    let handle = context.primary_image_handle().map_err(problem)?;
    Ok(((handle.width(), handle.height()), stored_as(&handle)))
}

const HEIC: &str = "HEIC";

/// How the photo is stored, which regions in XMP may be meant for: as EXIF says, where the container turned it so.
fn stored_as(handle: &ImageHandle) -> Orientation {
    let mut id = [0];
    let count = handle.metadata_block_ids(&mut id, b"Exif");
    let block = (count == 1).then(|| handle.metadata(id[0]).ok()).flatten();
    // Bytes before the TIFF header.
    let exif = block.as_deref().and_then(|block| {
        let (offset, rest) = block.split_first_chunk()?;
        rest.get(u32::from_be_bytes(*offset) as usize..)
    });
    let said = exif.and_then(Orientation::from_exif_chunk);
    let stored = (handle.ispe_width(), handle.ispe_height());
    let upright = (handle.width() as i32, handle.height() as i32);
    let is_sideways = stored != upright && stored == (upright.1, upright.0);
    match said {
        // The last four of EXIF's eight are turned sideways.
        Some(said) if (said.to_exif() > 4) == is_sideways => said,
        _ => Orientation::NoTransforms,
    }
}

/// Bytes of the decoded planes, of the decoder's own, and of what is made of them.
fn decoded_bytes(handle: &ImageHandle, reduction: u32, colors: Colors) -> u64 {
    let pixels = u64::from(handle.width()) * u64::from(handle.height());
    let sample = if handle.luma_bits_per_pixel() > 8 { 2 } else { 1 };
    let halves = match handle.preferred_decoding_colorspace() {
        Ok(ColorSpace::Monochrome) => 2,
        Ok(ColorSpace::YCbCr(Chroma::C420)) => 3,
        Ok(ColorSpace::YCbCr(Chroma::C422)) => 4,
        _ => 6,
    };
    let alpha = if handle.has_alpha_channel() { 2 } else { 0 };
    let planes = pixels * sample * (halves + alpha) / 2;
    let reduced = pixels / u64::from(reduction * reduction);
    2 * planes + reduced * colors.channels() as u64
}

/// The planes of a decoded picture, and what its samples mean.
struct Picture<'a> {
    size: (u32, u32),
    luma: Samples<'a>,
    /// Blue and red differences, or the blue and red samples of a picture that is stored as RGB.
    chroma: Option<[Samples<'a>; 2]>,
    alpha: Option<Samples<'a>>,
    matrix: Matrix,
    range: Range,
}

/// How red, green and blue were mixed (ITU-T H.273, 8.3).
#[derive(Debug, Clone, Copy, PartialEq)]
enum Matrix {
    /// Not: green stands for luma.
    Rgb,
    /// The shares of red and blue in luma.
    Shares { red: f32, blue: f32 },
}

/// The shares of Rec. 601, which the gray of this library has.
const REC_601: Matrix = Matrix::Shares { red: 0.299, blue: 0.114 };

/// The levels that stand for black and white (ITU-T H.273, 8.3, VideoFullRangeFlag).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    /// All of them.
    Full,
    /// Of 8 bits 16 to 235, of differences of colour 16 to 240.
    Limited,
}

impl Range {
    /// Of a sample of this depth: the level of black, and how much of the way to white, 255, a level is.
    fn luma(self, bits: u8) -> (f32, f32) {
        let largest = ((1_u32 << bits) - 1) as f32;
        let unit = (1_u32 << (bits - 8)) as f32;
        if self == Self::Full { (0.0, 255.0 / largest) } else { (16.0 * unit, 255.0 / (219.0 * unit)) }
    }

    /// The level of gray of a difference of colour, and the share of a level.
    fn chroma(self, bits: u8) -> (f32, f32) {
        let largest = ((1_u32 << bits) - 1) as f32;
        let unit = (1_u32 << (bits - 8)) as f32;
        let middle = 128.0 * unit;
        (middle, if self == Self::Full { 255.0 / largest } else { 255.0 / (224.0 * unit) })
    }
}

/// Bytes of the samples that are converted at a time.
const STRIP: usize = 1 << 18;

impl<'a> Picture<'a> {
    fn of(image: &'a Image) -> Result<Self, PhotoProblem> {
        let nclx = image.color_profile_nclx();
        let is_limited = nclx.as_ref().is_some_and(|profile| profile.full_range_flag() == 0);
        let range = if is_limited { Range::Limited } else { Range::Full };
        let matrix = nclx.as_ref().map_or(REC_601, |profile| Matrix::of(profile.matrix_coefficients()));
        if !matches!(image.color_space(), Some(ColorSpace::YCbCr(_) | ColorSpace::Monochrome)) {
            return Err(unsupported("its samples are no luma and colour differences"));
        }
        let planes = image.planes();
        let chroma = match (planes.cb, planes.cr) {
            (Some(blue), Some(red)) => Some([Samples::of(blue)?, Samples::of(red)?]),
            _ => None,
        };
        Ok(Self {
            size: (image.width(), image.height()),
            luma: Samples::of(planes.y.ok_or_else(size_and_data)?)?,
            chroma,
            alpha: planes.a.map(Samples::of).transpose()?,
            matrix,
            range,
        })
    }

    /// The picture in these colours. `None` if a plane has other sides than the picture.
    fn drawn(&self, reduction: u32, colors: Colors) -> Option<DynamicImage> {
        let (width, height) = self.size;
        // Where luma is the gray that is wanted, colours need not be looked at.
        let is_gray = self.chroma.is_none() || colors == Colors::Gray && self.matrix == REC_601;
        let rows = (STRIP / (width as usize * 4).max(1)).max(1) as u32;
        let mut canvas = Canvas::new(self.size, reduction, colors);
        for top in (0..height).step_by(rows as usize) {
            let rows = rows.min(height - top);
            let strip = if is_gray { self.gray_strip(top, rows)? } else { self.color_strip(top, rows)? };
            canvas.push(strip)?;
        }
        canvas.finish(self.size)
    }

    fn gray_strip(&self, top: u32, rows: u32) -> Option<DynamicImage> {
        let width = self.size.0;
        let (black, scale) = self.range.luma(self.luma.plane.bits_per_pixel);
        let mut samples = Vec::with_capacity((width * rows) as usize * 2);
        for y in top..top + rows {
            for x in 0..width {
                samples.push(((self.luma.at(x, y)? - black) * scale).round() as u8);
                if let Some(alpha) = &self.alpha {
                    samples.push(alpha.share(x, y)?);
                }
            }
        }
        strip_of(1 + usize::from(self.alpha.is_some()), width, rows, samples, EIGHT)
    }

    fn color_strip(&self, top: u32, rows: u32) -> Option<DynamicImage> {
        let width = self.size.0;
        let [blue, red] = self.chroma.as_ref()?;
        let across = self.size.0.div_ceil(blue.plane.width.max(1));
        let down = self.size.1.div_ceil(blue.plane.height.max(1));
        let luma = self.range.luma(self.luma.plane.bits_per_pixel);
        let levels = if self.matrix == Matrix::Rgb { Range::luma } else { Range::chroma };
        let chroma = levels(self.range, blue.plane.bits_per_pixel);
        let level = |sample: f32, (black, scale): (f32, f32)| (sample - black) * scale;
        let mut samples = Vec::with_capacity((width * rows) as usize * 4);
        for y in top..top + rows {
            for x in 0..width {
                let first = level(self.luma.at(x, y)?, luma);
                let blue = level(blue.at(x / across, y / down)?, chroma);
                let red = level(red.at(x / across, y / down)?, chroma);
                let rgb = self.matrix.rgb([first, blue, red]);
                samples.extend(rgb.map(|level| level.round() as u8));
                if let Some(alpha) = &self.alpha {
                    samples.push(alpha.share(x, y)?);
                }
            }
        }
        strip_of(3 + usize::from(self.alpha.is_some()), width, rows, samples, EIGHT)
    }
}

struct Samples<'a> {
    plane: Plane<&'a [u8]>,
    bytes: usize,
}

impl<'a> Samples<'a> {
    fn of(plane: Plane<&'a [u8]>) -> Result<Self, PhotoProblem> {
        let bytes = match plane.bits_per_pixel {
            8 => 1,
            9..=16 => 2,
            _ => return Err(unsupported("its samples have fewer than 8 bits or more than 16")),
        };
        Ok(Self { plane, bytes })
    }

    /// The sample at a place; `None` outside of the plane.
    fn at(&self, x: u32, y: u32) -> Option<f32> {
        if x >= self.plane.width {
            return None;
        }
        let at = y as usize * self.plane.stride + x as usize * self.bytes;
        match *self.plane.data.get(at..at + self.bytes)? {
            [sample] => Some(sample.into()),
            [first, second] => Some(u16::from_ne_bytes([first, second]).into()),
            _ => None,
        }
    }

    /// The sample as a share of the largest, 255.
    fn share(&self, x: u32, y: u32) -> Option<u8> {
        let (_, scale) = Range::Full.luma(self.plane.bits_per_pixel);
        Some((self.at(x, y)? * scale).round() as u8)
    }
}

impl Matrix {
    /// Of rare mixtures too, luma is near the gray that is wanted.
    fn of(coefficients: MatrixCoefficients) -> Self {
        use MatrixCoefficients as M;
        let (red, blue) = match coefficients {
            M::RGB_GBR => return Self::Rgb,
            M::ITU_R_BT_709_5 => (0.2126, 0.0722),
            M::US_FCC_T47 => (0.30, 0.11),
            M::SMPTE_240M => (0.212, 0.087),
            M::ITU_R_BT_2020_2_NonConstantLuminance => (0.2627, 0.0593),
            _ => return REC_601,
        };
        Self::Shares { red, blue }
    }

    /// Red, green and blue of luma (or green) and the differences (or levels) of blue and red.
    fn rgb(self, [first, blue, red]: [f32; 3]) -> [f32; 3] {
        match self {
            Self::Rgb => [red, first, blue],
            Self::Shares { red: of_red, blue: of_blue } => {
                let red = first + 2.0 * (1.0 - of_red) * red;
                let blue = first + 2.0 * (1.0 - of_blue) * blue;
                let green = (first - of_red * red - of_blue * blue) / (1.0 - of_red - of_blue);
                [red, green, blue]
            }
        }
    }
}

fn problem(error: HeifError) -> PhotoProblem {
    use HeifErrorCode as Code;
    use HeifErrorSubCode as Sub;
    match (error.code, error.sub_code) {
        (_, Sub::EndOfData) => PhotoProblem::Truncated { format: HEIC },
        (Code::MemoryAllocationError, _) | (_, Sub::SecurityLimitExceeded) => too_much_memory(),
        (Code::UnsupportedFeature | Code::UnsupportedFileType | Code::PluginLoadingError, _) => {
            unsupported(&error.message)
        }
        _ => PhotoProblem::Damaged { format: HEIC, reason: one_line(&error.message) },
    }
}

fn too_much_memory() -> PhotoProblem {
    unsupported("it takes too much memory to decode")
}

fn unsupported(reason: &str) -> PhotoProblem {
    PhotoProblem::UnsupportedVariant { format: HEIC, reason: one_line(reason) }
}

fn size_and_data() -> PhotoProblem {
    PhotoProblem::Damaged { format: HEIC, reason: DISAGREE.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_of_8_bits_whatever_the_range_and_depth() {
        for bits in [8, 10, 12, 16] {
            let unit = (1_u32 << (bits - 8)) as f32;
            let is = |(black, scale): (f32, f32), level: f32, wanted: f32| {
                let found = (level - black) * scale;
                assert!((found - wanted).abs() < 1e-2, "{bits} bits: {found}");
            };
            is(Range::Full.luma(bits), 256.0 * unit - 1.0, 255.0);
            is(Range::Limited.luma(bits), 16.0 * unit, 0.0);
            is(Range::Limited.luma(bits), 235.0 * unit, 255.0);
            is(Range::Full.chroma(bits), 128.0 * unit, 0.0);
            is(Range::Limited.chroma(bits), 240.0 * unit, 127.5);
        }
    }

    #[test]
    fn colors_come_back_from_every_mixture() {
        use MatrixCoefficients as M;
        for coefficients in [
            M::ITU_R_BT_709_5,
            M::ITU_R_BT_601_6,
            M::SMPTE_240M,
            M::US_FCC_T47,
            M::ITU_R_BT_2020_2_NonConstantLuminance,
        ] {
            let matrix = Matrix::of(coefficients);
            let Matrix::Shares { red, blue } = matrix else {
                panic!("{coefficients:?} mixes");
            };
            let [r, g, b] = [200.0, 90.0, 30.0_f32];
            let luma = red * r + (1.0 - red - blue) * g + blue * b;
            let differences = [(b - luma) / (2.0 * (1.0 - blue)), (r - luma) / (2.0 * (1.0 - red))];
            let rgb = matrix.rgb([luma, differences[0], differences[1]]);
            for (is, was) in rgb.iter().zip([r, g, b]) {
                assert!((is - was).abs() < 1e-3, "{coefficients:?}: {rgb:?}");
            }
        }
        assert_eq!(Matrix::Rgb.rgb([1.0, 2.0, 3.0]), [3.0, 1.0, 2.0]);
    }
}
