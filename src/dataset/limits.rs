//! Limits of what a photo may cost.

use image::ImageFormat;

use crate::error::PhotoProblem;

/// The most that a photo may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Pixels of the decoded image, width times height.
    pub max_pixels: u64,
    /// Bytes of the file.
    pub max_file_bytes: u64,
}

/// Bytes that colour profiles, EXIF data and texts of a PNG may take together. Larger profiles are passed over.
const ANCILLARY: u64 = 32 << 20;

impl Default for Limits {
    /// 100 million pixels (the largest cameras) and 256 MiB.
    fn default() -> Self {
        Self {
            max_pixels: 100_000_000,
            max_file_bytes: 256 << 20,
        }
    }
}

impl Limits {
    pub(super) fn check_pixels(&self, width: u32, height: u32) -> Result<(), PhotoProblem> {
        if u64::from(width) * u64::from(height) > self.max_pixels {
            return Err(PhotoProblem::TooManyPixels {
                width,
                height,
                max_pixels: self.max_pixels,
            });
        }
        Ok(())
    }

    /// Memory that the decoders of `image` may allocate besides the picture itself: four 16-bit samples a pixel, and
    /// as much again. Of PNG, whose decoder counts rows and not the picture, two rows and [`ANCILLARY`]: a profile of a few
    /// kilobytes can unpack to any size.
    pub(super) fn for_image(&self, format: ImageFormat, head: &[u8]) -> image::Limits {
        let mut limits = image::Limits::default();
        limits.max_alloc = Some(match format {
            ImageFormat::Png => {
                let width = head.get(16..).and_then(|width| width.first_chunk());
                let width = width.map_or(0, |&width| u64::from(u32::from_be_bytes(width)));
                width.min(self.max_pixels) * 16 + ANCILLARY
            }
            _ => self.max_pixels.saturating_mul(16).max(64 << 20),
        });
        limits
    }
}
