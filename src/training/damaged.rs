//! Photos damaged at random, as cameras, scanners, printers and programs damage them.

use std::f64::consts::{PI, TAU};

use image::GrayImage;
use image::imageops::{self, FilterType};
use libm::{cos, exp, log, sin, sincos};
use symmetric_eigen::Noise;

/// Ways in which photos are damaged that look alike; each is learned by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// Noise of sensors.
    Noise,
    /// Film grain.
    Grain,
    /// Black and white specks.
    Specks,
    /// Waves and grids.
    Waves,
    /// Stripes, weaves and moiré.
    Weaves,
    /// Scan lines.
    Lines,
    /// Ordered dither.
    Dither,
    /// Printed dots.
    Dots,
    /// Strong compression.
    Compression,
    /// Enlarged small pictures.
    Enlargement,
    /// Blur and motion.
    Blur,
    /// Few gray levels.
    Posterised,
}

impl Family {
    pub(super) const ALL: [Self; 12] = {
        use Family::*;
        [Noise, Grain, Specks, Waves, Weaves, Lines, Dither, Dots, Compression, Enlargement, Blur, Posterised]
    };
}

/// A share of photos that are damaged twice.
const TWICE: f64 = 0.2;

/// The longer side that photos are shrunk to first, at random: faces of 45 to 100 pixels in photos of Labeled Faces in the Wild.
const SIDES: [f64; 2] = [110.0, 250.0];

/// A damaged copy of a photo, the same for the same seed.
pub(super) fn damaged(photo: &GrayImage, family: Family, seed: u64) -> GrayImage {
    let mut chance = Chance(Noise::seeded(seed));
    let side = chance.between(SIDES[0], SIDES[1]);
    let scale = side / f64::from(photo.width().max(photo.height()));
    let mut levels = Levels::of(&scaled(photo, scale.min(1.0), FilterType::Lanczos3));
    // Of another exposure.
    let contrast = chance.between(0.55, 1.0);
    let black = chance.between(0.0, 150.0) * (1.0 - contrast);
    levels.map(|level, _, _| level * contrast + black);
    levels.damage(family, &mut chance);
    if chance.between(0.0, 1.0) < TWICE {
        levels.damage(chance.one_of(&Family::ALL), &mut chance);
    }
    compressed(&levels.picture(), chance.between(75.0, 98.0))
}

struct Chance(Noise);

impl Chance {
    fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * (self.0.next().unwrap_or_default() + 1.0) / 2.0
    }

    /// Evenly spread by its logarithm.
    fn log_between(&mut self, from: f64, to: f64) -> f64 {
        exp(self.between(log(from), log(to)))
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.0.below(all.len())]
    }
}

struct Levels {
    values: Vec<f64>,
    width: usize,
}

impl Levels {
    fn of(picture: &GrayImage) -> Self {
        Self { values: picture.iter().map(|&level| f64::from(level)).collect(), width: picture.width() as usize }
    }

    fn picture(&self) -> GrayImage {
        let height = self.values.len() / self.width.max(1);
        let bytes = self.values.iter().map(|level| level.clamp(0.0, 255.0) as u8);
        GrayImage::from_raw(self.width as u32, height as u32, bytes.collect()).unwrap_or_default()
    }

    /// Each level by itself and its place.
    fn map(&mut self, mut of: impl FnMut(f64, f64, f64) -> f64) {
        for (at, value) in self.values.iter_mut().enumerate() {
            let (x, y) = (at % self.width, at / self.width);
            *value = of(*value, x as f64, y as f64).clamp(0.0, 255.0);
        }
    }

    fn damage(&mut self, family: Family, chance: &mut Chance) {
        match family {
            Family::Noise => self.noise(chance),
            Family::Grain => {
                let (radius, strength) = (chance.between(0.5, 1.8), chance.between(3.0, 22.0));
                self.add_grain(radius, strength, chance);
            }
            Family::Specks => self.specks(chance),
            Family::Waves => {
                self.waves(chance.0.below(3), chance);
            }
            Family::Weaves => {
                self.waves(3 + chance.0.below(3), chance);
            }
            Family::Lines => self.lines(chance),
            Family::Dither => self.dither(chance),
            Family::Dots => self.dots(chance),
            Family::Compression => *self = Self::of(&compressed(&self.picture(), chance.between(5.0, 30.0))),
            Family::Enlargement => self.enlarge(chance),
            Family::Blur => match chance.0.below(2) {
                0 => *self = Self::of(&imageops::blur(&self.picture(), chance.log_between(0.7, 2.6) as f32)),
                _ => *self = self.in_motion(chance.between(0.0, PI), chance.between(1.5, 6.0)),
            },
            Family::Posterised => {
                let step = chance.between(15.0, 45.0);
                self.map(|level, _, _| (level / step).round() * step);
            }
        }
    }

    fn noise(&mut self, chance: &mut Chance) {
        match chance.0.below(5) {
            0..3 => {
                let spread = chance.log_between(2.0, 20.0);
                self.map(|level, _, _| level + spread * chance.0.normal());
            }
            // Of photons: its variance rises with the level.
            _ => {
                let share = chance.log_between(0.5, 2.6);
                self.map(|level, _, _| level + share * level.sqrt() * chance.0.normal());
            }
        }
    }

    fn specks(&mut self, chance: &mut Chance) {
        let share = chance.between(0.003, 0.04);
        self.map(|level, _, _| match chance.between(0.0, 1.0) {
            drawn if drawn < share => 0.0,
            drawn if drawn > 1.0 - share => 255.0,
            _ => level,
        });
    }

    /// Noise that is blurred, as film has it, of this spread.
    fn add_grain(&mut self, radius: f64, spread: f64, chance: &mut Chance) {
        let noise =
            Self { values: self.values.iter().map(|_| 128.0 + 40.0 * chance.0.normal()).collect(), width: self.width };
        let grain = Self::of(&imageops::blur(&noise.picture(), radius as f32)).values;
        let mean = grain.iter().sum::<f64>() / grain.len() as f64;
        let squares: f64 = grain.iter().map(|value| (value - mean).powi(2)).sum();
        let found = (squares / grain.len() as f64).sqrt().max(1e-6);
        let mut grain = grain.into_iter();
        self.map(|level, _, _| level + spread * (grain.next().unwrap_or(mean) - mean) / found);
    }

    fn waves(&mut self, shape: usize, chance: &mut Chance) {
        let (turn, other) = (Turn::any(chance), Turn::any(chance));
        let [f, first, second] = [chance.log_between(0.45, 2.6), chance.between(0.0, TAU), chance.between(0.0, TAU)];
        let across = f * chance.between(0.6, 1.6);
        let near = f * chance.between(0.9, 1.1);
        let lean = chance.between(-0.5, 0.5);
        let wave = move |x: f64, y: f64| {
            let (u, v) = turn.of(x, y);
            match shape {
                0 => sin(u * f + first),
                1 => sin(u * f + first) * sin(v * f + second),
                2 => sin(u * f + first) * sin(v * across + second),
                3 => (sin(u * f + first) + lean).signum(),
                4 => {
                    if sin(u * f / 2.0) * sin(v * f / 2.0) > 0.0 {
                        sin(u * f)
                    } else {
                        sin(v * f)
                    }
                }
                _ => sin(u * f) * sin(other.of(x, y).0 * near),
            }
        };
        let strength = chance.between(4.0, 22.0);
        match chance.between(0.0, 1.0) < 0.6 {
            true => self.map(|level, x, y| level + strength * wave(x, y)),
            false => self.map(|level, x, y| level * (1.0 - strength / 120.0 * (1.0 + wave(x, y)))),
        }
    }

    fn lines(&mut self, chance: &mut Chance) {
        let period = 2 + chance.0.below(5);
        let dark = 1 + chance.0.below(period.div_ceil(2));
        let (share, is_across) = (chance.between(0.45, 0.9), chance.between(0.0, 1.0) < 0.7);
        self.map(|level, x, y| {
            let at = if is_across { y } else { x } as usize;
            if at % period < dark { level * share } else { level }
        });
    }

    /// Ordered dither (Bayer).
    fn dither(&mut self, chance: &mut Chance) {
        const ORDER: [u8; 16] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];
        let most = chance.one_of(&[1.0, 3.0, 7.0, 15.0]);
        self.map(|level, x, y| {
            let order = ORDER[(y as usize % 4) * 4 + x as usize % 4];
            let raised = level / 255.0 * most + (f64::from(order) + 0.5) / 16.0;
            raised.floor() / most * 255.0
        });
    }

    /// Dots whose size is the level.
    fn dots(&mut self, chance: &mut Chance) {
        let (turn, f) = (Turn::any(chance), chance.log_between(0.8, 2.6));
        let (sharp, share) = (chance.between(3.0, 12.0), chance.between(0.2, 0.8));
        self.map(|level, x, y| {
            let (u, v) = turn.of(x, y);
            let limit = (cos(u * f) + cos(v * f)) / 4.0 + 0.5;
            let dot = 255.0 / (1.0 + exp(-sharp * (level / 255.0 - limit)));
            share * dot + (1.0 - share) * level
        });
    }

    fn enlarge(&mut self, chance: &mut Chance) {
        use FilterType::{CatmullRom, Lanczos3, Nearest, Triangle};
        let picture = self.picture();
        let share = 1.0 / chance.between(1.6, 4.2);
        let small = scaled(&picture, share, chance.one_of(&[Lanczos3, CatmullRom, Triangle]));
        let filter = chance.one_of(&[Nearest, CatmullRom, Triangle]);
        let (width, height) = picture.dimensions();
        *self = Self::of(&imageops::resize(&small, width, height, filter));
    }

    /// Moved by so many pixels to either side while it was taken.
    fn in_motion(&self, turn: f64, reach: f64) -> Self {
        let height = self.values.len() / self.width;
        let mut moved = Self { values: self.values.clone(), width: self.width };
        moved.map(|_, x, y| {
            let steps = (-4..=4).map(|step| {
                let along = f64::from(step) / 4.0 * reach;
                let at = |place: f64, side: usize| (place.round().max(0.0) as usize).min(side - 1);
                let (column, row) = (x + along * cos(turn), y + along * sin(turn));
                self.values[at(row, height) * self.width + at(column, self.width)]
            });
            steps.sum::<f64>() / 9.0
        });
        moved
    }
}

/// Axes turned against those of the picture.
#[derive(Clone, Copy)]
struct Turn {
    cosine: f64,
    sine: f64,
}

impl Turn {
    fn any(chance: &mut Chance) -> Self {
        let free = chance.between(0.0, PI);
        let (sine, cosine) = sincos(chance.one_of(&[0.0, PI / 2.0, PI / 4.0, free]));
        Self { cosine, sine }
    }

    fn of(self, x: f64, y: f64) -> (f64, f64) {
        (self.cosine * x + self.sine * y, self.cosine * y - self.sine * x)
    }
}

fn scaled(picture: &GrayImage, scale: f64, filter: FilterType) -> GrayImage {
    let side = |pixels: u32| ((f64::from(pixels) * scale) as u32).max(1);
    imageops::resize(picture, side(picture.width()), side(picture.height()), filter)
}

fn compressed(picture: &GrayImage, quality: f64) -> GrayImage {
    let mut bytes = Vec::new();
    let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, quality as u8);
    let is_written = picture.write_with_encoder(encoder).is_ok();
    let read = image::load_from_memory_with_format(&bytes, image::ImageFormat::Jpeg);
    match read {
        Ok(read) if is_written => read.into_luma8(),
        _ => picture.clone(),
    }
}
