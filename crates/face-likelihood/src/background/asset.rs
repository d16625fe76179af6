//! The background model as a file: `EFBACK`, version, k, d; then of each step by which mouths are found the two maps, across
//! and down, each with its scale, bias (f32) and weights (bytes); then of each channel ψ, scales and offsets (f32, k each)
//! and the basis (k x d bytes); then of each channel the directions of hard light: r, v (r) and w (r x k); then the number of
//! kinds of damage, and of each kind the same as of light; from version 5 on deviation and excess of strangers' scores (f32),
//! little-endian; last the SHA-256 of all before it.

use std::borrow::Cow;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::damage::DamageVariation;
use super::directions::Directions;
use super::light::LightVariation;
use super::mouth::{FEATURES, Line, MouthFinder, STEPS, Step};
use super::{BUNDLED, Background, LENGTH, Projection, StrangerScores};
use crate::error::{BackgroundProblem, Error, Result};

const MAGIC: &[u8; 6] = b"EFBACK";
/// Without, and with scores of strangers.
const VERSIONS: [u16; 2] = [4, 5];
const DIGEST: usize = 32;

/// More components or kinds of damage than these are no model of ours: bounds what a damaged header can ask for.
const MOST_COMPONENTS: usize = 4_096;
const MOST_KINDS: usize = 256;

impl Background {
    /// The model as bytes of a file: the same for the same model.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        bytes.extend(VERSIONS[usize::from(self.strangers.is_some())].to_le_bytes());
        bytes.extend((self.components() as u32).to_le_bytes());
        bytes.extend((LENGTH as u32).to_le_bytes());
        for line in self.mouths.steps.iter().flat_map(|step| [&step.across, &step.down]) {
            bytes.extend(line.scale.to_le_bytes());
            bytes.extend(line.bias.to_le_bytes());
            bytes.extend(line.weights.iter().map(|&weight| weight as u8));
        }
        for channel in &self.projections {
            let numbers = channel.between.iter().map(|&psi| psi as f32).chain(channel.scale.iter().copied());
            for number in numbers.chain(channel.offset.iter().copied()) {
                bytes.extend(number.to_le_bytes());
            }
            bytes.extend(channel.basis.iter().map(|&value| value as u8));
        }
        let put = |channels: &[Directions; 2], bytes: &mut Vec<u8>| {
            for channel in channels {
                bytes.extend((channel.variance.len() as u32).to_le_bytes());
                for number in channel.variance.iter().chain(&channel.rows) {
                    bytes.extend(number.to_le_bytes());
                }
            }
        };
        put(&self.light.channels, &mut bytes);
        bytes.extend((self.damage.kinds.len() as u32).to_le_bytes());
        for kind in &self.damage.kinds {
            put(kind, &mut bytes);
        }
        let strangers = self.strangers.into_iter().flat_map(|scores| [scores.deviation, scores.excess]);
        bytes.extend(strangers.flat_map(|value| (value as f32).to_le_bytes()));
        bytes.extend(Sha256::digest(&bytes));
        bytes
    }

    /// SHA-256 of the model that comes with the program, in hexadecimal digits.
    pub fn bundled_digest() -> String {
        let digest = &BUNDLED[BUNDLED.len().saturating_sub(DIGEST)..];
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Reads a model from bytes of a file.
    ///
    /// # Errors
    /// [`Error::Background`]: no background model, of another version, damaged, or with invalid numbers.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let model = Self::read(bytes, |basis| Cow::Owned(basis.to_vec()))?;
        let (content, digest) = bytes.split_at(bytes.len().saturating_sub(DIGEST));
        if Sha256::digest(content).as_slice() == digest { Ok(model) } else { Err(refused(BackgroundProblem::Damaged)) }
    }

    /// The model that comes with the program, whose basis stays where it is. Nothing is compared with the checksum; a test does
    /// that: where the processor has no instructions for it, it would be two fifths of what it takes to identify one photo.
    pub(super) fn from_bundled_bytes() -> Result<Self> {
        Self::read(BUNDLED, Cow::Borrowed)
    }

    /// Reads a model; `kept` makes of the bytes of a basis what is kept of them.
    fn read<'a>(bytes: &'a [u8], kept: impl Fn(&'a [i8]) -> Cow<'static, [i8]>) -> Result<Self> {
        if bytes.get(..MAGIC.len()) != Some(MAGIC) {
            return Err(refused(BackgroundProblem::NoModel));
        }
        let mut rest = Reader(&bytes[MAGIC.len()..]);
        let damaged = || refused(BackgroundProblem::Damaged);
        let version = rest.take(2).map(|b| u16::from_le_bytes([b[0], b[1]])).ok_or_else(damaged)?;
        if !VERSIONS.contains(&version) {
            return Err(refused(BackgroundProblem::OtherVersion { version }));
        }
        Self::read_parts(&mut rest, version, kept).ok_or_else(damaged)
    }

    fn read_parts<'a>(
        rest: &mut Reader<'a>,
        version: u16,
        kept: impl Fn(&'a [i8]) -> Cow<'static, [i8]>,
    ) -> Option<Self> {
        let k = rest.number()? as usize;
        let d = rest.number()? as usize;
        if k == 0 || k > MOST_COMPONENTS || d != LENGTH {
            return None;
        }
        let step = |_| Some(Step { across: rest.line()?, down: rest.line()? });
        let steps: Option<Vec<Step>> = (0..STEPS).map(step).collect();
        let mouths = MouthFinder { steps: steps? };
        let mut channel = || {
            let between = rest.floats(k)?;
            let projection = Projection {
                scale: rest.floats(k)?,
                offset: rest.floats(k)?,
                basis: kept(bytemuck::cast_slice(rest.take(k * d)?)),
                between: between.iter().map(|&psi| f64::from(psi)).collect(),
            };
            let sound = |psi: &f64| (0.0..1e6).contains(psi);
            projection.between.iter().all(sound).then_some(projection)
        };
        let projections = [channel()?, channel()?];
        let directions = |rest: &mut Reader<'a>| {
            let count = usize::try_from(rest.number()?).ok().filter(|&r| r <= k)?;
            let variance = rest.floats(count)?;
            let is_sound = variance.iter().all(|&v| v >= 0.0);
            is_sound.then_some(Directions { variance, rows: rest.floats(count * k)? })
        };
        let channels = [directions(rest)?, directions(rest)?];
        let count = rest.number()? as usize;
        if count > MOST_KINDS {
            return None;
        }
        let kinds: Option<Vec<_>> = (0..count).map(|_| Some([directions(rest)?, directions(rest)?])).collect();
        let damage = DamageVariation { kinds: kinds? };
        let strangers = if version == VERSIONS[1] { Some(rest.strangers()?) } else { None };
        (rest.0.len() == DIGEST).then_some(Self {
            mouths,
            projections,
            light: Arc::new(LightVariation { channels }),
            damage: Arc::new(damage),
            strangers,
        })
    }
}

fn refused(problem: BackgroundProblem) -> Error {
    Error::Background { problem }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(*self.take(4)?.first_chunk()?))
    }

    fn strangers(&mut self) -> Option<StrangerScores> {
        let [deviation, excess] = self.floats(2)?.first_chunk().copied()?.map(f64::from);
        ((0.1..10.0).contains(&deviation) && excess.abs() < 10.0).then_some(StrangerScores { deviation, excess })
    }

    fn line(&mut self) -> Option<Line> {
        let numbers = self.floats(2)?;
        Some(Line { scale: numbers[0], bias: numbers[1], weights: bytemuck::cast_slice(self.take(FEATURES)?).to_vec() })
    }

    /// Finite numbers of moderate size.
    fn floats(&mut self, count: usize) -> Option<Vec<f32>> {
        let numbers = self.take(4 * count)?.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let numbers: Vec<f32> = numbers.collect();
        numbers.iter().all(|number| number.abs() < 1e9).then_some(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundled() -> Vec<u8> {
        Background::bundled().unwrap().to_bytes()
    }

    fn problem(bytes: &[u8]) -> BackgroundProblem {
        match Background::from_bytes(bytes) {
            Err(Error::Background { problem }) => problem,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_model_that_comes_with_the_program_has_its_checksum() {
        assert!(Background::from_bytes(BUNDLED).is_ok());
    }

    #[test]
    fn what_is_written_is_read_back() {
        let bytes = bundled();
        assert_eq!(&Background::from_bytes(&bytes).unwrap(), Background::bundled().unwrap());
        assert!(bytes.len() < 5_000_000);
        let measured =
            Background::bundled().unwrap().clone().with_strangers(StrangerScores { deviation: 1.25, excess: 0.5 });
        assert_eq!(Background::from_bytes(&measured.to_bytes()), Ok(measured));
        for (deviation, excess) in [(f64::NAN, 0.0), (0.0, 0.0), (-1.0, 0.0), (1e6, 0.0), (1.0, 100.0), (1.0, f64::NAN)]
        {
            let wrong = Background::bundled().unwrap().clone().with_strangers(StrangerScores { deviation, excess });
            assert!(matches!(problem(&wrong.to_bytes()), BackgroundProblem::Damaged));
        }
    }

    #[test]
    fn damage_and_other_versions_are_refused() {
        let bytes = bundled();
        for at in (8..bytes.len()).step_by(bytes.len() / 37) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(matches!(problem(&damaged), BackgroundProblem::Damaged), "{at}");
        }
        for length in [6, 7, 8, 15, 16, 100, bytes.len() - 1] {
            assert!(matches!(problem(&bytes[..length]), BackgroundProblem::Damaged), "{length}");
        }
        let mut newer = bytes.clone();
        newer[6] = 9;
        assert!(matches!(problem(&newer), BackgroundProblem::OtherVersion { version: 9 }));
        assert!(matches!(problem(b""), BackgroundProblem::NoModel));
        assert!(matches!(problem(b"PK\x03\x04 something else"), BackgroundProblem::NoModel));
    }

    /// Headers that lie, under a digest that is right.
    #[test]
    fn forged_headers_are_refused() {
        let bytes = bundled();
        for (at, value) in [(8, u32::MAX), (8, 0), (12, 7), (12, u32::MAX)] {
            let mut forged = bytes[..bytes.len() - DIGEST].to_vec();
            forged[at..at + 4].copy_from_slice(&value.to_le_bytes());
            let digest = Sha256::digest(&forged);
            forged.extend(digest);
            assert!(matches!(problem(&forged), BackgroundProblem::Damaged), "{at} {value}");
        }
    }
}
