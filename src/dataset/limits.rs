//! Limits of what a photo may cost.

use std::sync::{Mutex, MutexGuard, PoisonError};

use image::ImageFormat;

use crate::error::PhotoProblem;

/// The most that a photo may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Pixels of the photo, width times height.
    pub max_pixels: u64,
    /// Bytes of the file.
    pub max_file_bytes: u64,
    /// Bytes of the file and of all that decoding it takes, together.
    pub max_memory: u64,
}

/// Photos of more pixels are decoded at a reduced size: no face in them needs more.
const FULL_SIZE: u64 = 50_000_000;

/// The most pixels of a photo that was reduced.
const REDUCED: u64 = 16_000_000;

/// The longest side: that of a JPEG at most. It bounds a row.
const MAX_SIDE: u32 = 65_535;

/// Bytes from which on photos are decoded one at a time, whatever the number of threads.
const MUCH: u64 = 96 << 20;

/// Bytes that colour profiles, EXIF data and texts of a PNG may take together. Larger profiles are passed over.
const ANCILLARY: u64 = 32 << 20;

impl Default for Limits {
    /// 250 million pixels (the largest phones have 200), 256 MiB a file, and as much for the file and what is decoded from it.
    fn default() -> Self {
        Self { max_pixels: 250_000_000, max_file_bytes: 256 << 20, max_memory: 256 << 20 }
    }
}

impl Limits {
    /// The factor, a power of two, by which a photo of this size is reduced when it is decoded; 1 for most.
    pub(super) fn reduction(&self, (width, height): (u32, u32)) -> Result<u32, PhotoProblem> {
        let pixels = u64::from(width) * u64::from(height);
        if pixels > self.max_pixels || width.max(height) > MAX_SIDE {
            return Err(PhotoProblem::TooManyPixels { width, height, max_pixels: self.max_pixels, max_side: MAX_SIDE });
        }
        if pixels <= FULL_SIZE {
            return Ok(1);
        }
        // JPEG decoders reduce by 2, 4 or 8.
        let enough = [2, 4].into_iter().find(|factor| pixels / (factor * factor) <= REDUCED);
        Ok(enough.map_or(8, |factor| factor as u32))
    }

    /// Memory to decode a photo of this size in; large ones take turns, and whoever holds what is returned has the turn.
    pub(super) fn reserve(
        &self,
        (width, height): (u32, u32),
        bytes: u64,
    ) -> Result<Option<MutexGuard<'static, ()>>, PhotoProblem> {
        static TURN: Mutex<()> = Mutex::new(());
        if bytes > self.max_memory {
            let (megabytes, max_megabytes) = (bytes >> 20, self.max_memory >> 20);
            return Err(PhotoProblem::TooMuchMemory { width, height, megabytes, max_megabytes });
        }
        Ok((bytes > MUCH).then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Memory that the decoders of `image` may allocate besides the picture itself. Of PNG, whose decoder counts rows and
    /// not the picture, two rows and [`ANCILLARY`]: a profile of a few kilobytes can unpack to any size.
    pub(super) fn for_image(&self, format: ImageFormat, head: &[u8]) -> image::Limits {
        let mut limits = image::Limits::default();
        limits.max_alloc = Some(match format {
            ImageFormat::Png => {
                let width = head.get(16..).and_then(|width| width.first_chunk());
                let width = width.map_or(0, |&width| u64::from(u32::from_be_bytes(width)));
                width.min(u64::from(MAX_SIDE)) * 16 + ANCILLARY
            }
            _ => self.max_memory,
        });
        limits
    }
}
