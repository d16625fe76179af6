//! Photos strip by strip: for those that are not to lie in memory whole, or not at full size.

use std::io::Cursor;

use image::error::{DecodingError, ImageError, LimitError, LimitErrorKind};
use image::{DynamicImage, ImageBuffer, ImageFormat, ImageResult, Pixel};

use super::damaged::DISAGREE;
use super::jpeg_frame::Colors;
use super::limits::Limits;
use super::{levels, luma};

/// A picture that grows row by row, each block of `reduction` x `reduction` pixels averaged into one.
pub(super) struct Canvas {
    colors: Colors,
    width: usize,
    reduction: usize,
    /// Sums of the samples of the blocks that are not complete, and the rows in them.
    sums: Vec<u32>,
    rows: u32,
    samples: Vec<u8>,
}

impl Canvas {
    pub(super) fn new((width, height): (u32, u32), reduction: u32, colors: Colors) -> Self {
        let columns = width.div_ceil(reduction) as usize * colors.channels();
        Self {
            colors,
            width: width as usize,
            reduction: reduction as usize,
            sums: vec![0; columns],
            rows: 0,
            samples: Vec::with_capacity(columns * height.div_ceil(reduction) as usize),
        }
    }

    /// Adds the rows of a strip of the picture's width. `None` if its data contradicts its size.
    pub(super) fn push(&mut self, strip: DynamicImage) -> Option<()> {
        let samples = match self.colors {
            Colors::Gray => luma::to_gray(strip)?.into_raw(),
            Colors::Rgb => luma::on_paper(strip).into_raw(),
        };
        if self.reduction == 1 {
            self.samples.extend_from_slice(&samples);
            return Some(());
        }
        for row in samples.chunks_exact(self.width * self.colors.channels()) {
            self.add_row(row);
        }
        Some(())
    }

    fn add_row(&mut self, row: &[u8]) {
        let channels = self.colors.channels();
        for (sums, block) in self.sums.chunks_exact_mut(channels).zip(row.chunks(self.reduction * channels)) {
            for pixel in block.chunks_exact(channels) {
                for (sum, &sample) in sums.iter_mut().zip(pixel) {
                    *sum += u32::from(sample);
                }
            }
        }
        self.rows += 1;
        if self.rows as usize == self.reduction {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let (channels, width) = (self.colors.channels(), self.width);
        for (block, sums) in self.sums.chunks_exact_mut(channels).enumerate() {
            let across = self.reduction.min(width - block * self.reduction);
            let pixels = across as u32 * self.rows;
            for sum in sums {
                self.samples.push(((*sum + pixels / 2) / pixels) as u8);
                *sum = 0;
            }
        }
        self.rows = 0;
    }

    /// The picture. `None` if rows are missing.
    pub(super) fn finish(mut self, (width, height): (u32, u32)) -> Option<DynamicImage> {
        if self.rows > 0 {
            self.flush();
        }
        let [width, height] = [width, height].map(|side| side.div_ceil(self.reduction as u32));
        strip_of(self.colors.channels(), width, height, self.samples, EIGHT)
    }
}

/// Maximum bytes of a strip, and how many rows that is.
const STRIP: usize = 1 << 20;

/// A PNG by its rows. `None` where it is interlaced: its rows come in no order.
pub(super) fn png(bytes: &[u8], limits: &Limits, reduction: u32, colors: Colors) -> ImageResult<Option<DynamicImage>> {
    let failed = |error: png::DecodingError| match error {
        png::DecodingError::IoError(error) => ImageError::IoError(error),
        png::DecodingError::LimitsExceeded => {
            ImageError::Limits(LimitError::from_kind(LimitErrorKind::InsufficientMemory))
        }
        other => decoding(ImageFormat::Png, other),
    };
    let memory = limits.for_image(ImageFormat::Png, bytes).max_alloc;
    let memory = usize::try_from(memory.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: memory });
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(failed)?;
    if reader.info().interlaced {
        return Ok(None);
    }
    let size = reader.info().size();
    let (color, depth) = reader.output_color_type();
    let line = reader.output_line_size(size.0).unwrap_or(usize::MAX);
    let most = (STRIP / line).max(1);
    let mut canvas = Canvas::new(size, reduction, colors);
    let mut left = size.1 as usize;
    let mut strip = Vec::new();
    while left > 0 {
        strip.clear();
        let rows = left.min(most);
        for _ in 0..rows {
            let row = reader.next_row().map_err(failed)?;
            strip.extend_from_slice(row.ok_or_else(|| contradiction(ImageFormat::Png))?.data());
        }
        let image = match depth {
            png::BitDepth::Sixteen => {
                let samples = strip.as_chunks().0.iter().map(|&two| u16::from_be_bytes(two)).collect();
                strip_of(color.samples(), size.0, rows as u32, samples, SIXTEEN)
            }
            _ => strip_of(color.samples(), size.0, rows as u32, strip.clone(), EIGHT),
        };
        image.and_then(|image| canvas.push(image)).ok_or_else(|| contradiction(ImageFormat::Png))?;
        left -= rows;
    }
    Ok(canvas.finish(size))
}

/// A picture that was decoded whole, in these colours and reduced. `None` if its data contradicts its size.
pub(super) fn whole(mut image: DynamicImage, reduction: u32, colors: Colors) -> Option<DynamicImage> {
    levels::stretch(&mut image);
    let size = (image.width(), image.height());
    if reduction == 1 {
        return match colors {
            Colors::Gray => luma::to_gray(image).map(Into::into),
            Colors::Rgb => Some(luma::on_paper(image).into()),
        };
    }
    let mut canvas = Canvas::new(size, reduction, colors);
    canvas.push(image)?;
    canvas.finish(size)
}

/// Pictures of one height side by side.
pub(super) fn beside(pictures: Vec<DynamicImage>, (width, height): (u32, u32)) -> Option<DynamicImage> {
    let mut whole = DynamicImage::new(width, height, pictures.first()?.color());
    let mut left = 0;
    for picture in pictures {
        image::imageops::replace(&mut whole, &picture, i64::from(left), 0);
        left += picture.width();
    }
    Some(whole)
}

/// Makes a picture of a width, a height and samples of one kind.
pub(super) type Make<S> = fn(u32, u32, Vec<S>) -> Option<DynamicImage>;

fn of<P>(width: u32, height: u32, samples: Vec<P::Subpixel>) -> Option<DynamicImage>
where
    P: Pixel,
    DynamicImage: From<ImageBuffer<P, Vec<P::Subpixel>>>,
{
    ImageBuffer::<P, _>::from_raw(width, height, samples).map(Into::into)
}

/// Pictures of one to four channels of 8 bits.
pub(super) const EIGHT: [Make<u8>; 4] =
    [of::<image::Luma<u8>>, of::<image::LumaA<u8>>, of::<image::Rgb<u8>>, of::<image::Rgba<u8>>];

/// Pictures of one to four channels of 16 bits.
pub(super) const SIXTEEN: [Make<u16>; 4] =
    [of::<image::Luma<u16>>, of::<image::LumaA<u16>>, of::<image::Rgb<u16>>, of::<image::Rgba<u16>>];

/// A strip of this number of channels. `None` where there are too few samples, or no such picture.
pub(super) fn strip_of<S>(
    channels: usize,
    width: u32,
    rows: u32,
    samples: Vec<S>,
    kinds: [Make<S>; 4],
) -> Option<DynamicImage> {
    kinds.get(channels.checked_sub(1)?)?(width, rows, samples)
}

pub(super) fn decoding(format: ImageFormat, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ImageError {
    ImageError::Decoding(DecodingError::new(format.into(), error))
}

pub(super) fn contradiction(format: ImageFormat) -> ImageError {
    decoding(format, DISAGREE)
}
