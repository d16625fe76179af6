//! Reading the trained cascade from the file published as `seeta_fd_frontal_v1.0.bin`.
//!
//! Little-endian 32-bit numbers throughout. The file holds levels of classifiers; in the first there is one boosted
//! classifier for each view of a face, in the others one chain of networks that takes the candidates of all views.

use super::Detector;
use super::lab::{Boosted, Group};
use super::network::{Layer, Network};
use super::surf::{self, DESCRIPTOR, Patch, Refinement};
use crate::reader::Reader;

/// Between the networks of a chain only near copies are merged, in the end all that overlap.
const OVERLAP_WITHIN_CHAIN: f32 = 0.8;
const OVERLAP_AT_END: f32 = 0.3;

/// Numbers of the kinds of classifiers in the file.
const BOOSTED: usize = 0;
const NETWORK: usize = 1;

/// Of a classifier whose candidates come from no other.
const NO_SOURCE: [u8; 4] = (-1i32).to_le_bytes();

/// More of anything than this is not in the file.
const MAX_COUNT: usize = 4096;

/// Reads the file; `None` where it is not whole.
pub(super) fn read(bytes: &[u8]) -> Option<Detector> {
    let mut reader = Reader(bytes);
    let levels = reader.number()?;

    let mut views = Vec::new();
    for _ in 0..reader.number()? {
        reader.expect(1)?;
        reader.expect(BOOSTED)?;
        views.push(reader.boosted()?);
        // Where others have the number of classifiers that their candidates come from.
        if reader.word()? != NO_SOURCE {
            return None;
        }
    }

    let patches = surf::patches();
    let mut refinements = Vec::new();
    for level in 1..levels {
        reader.expect(1)?;
        let stages = reader.number()?;
        for stage in 0..stages {
            reader.expect(NETWORK)?;
            let overlap = match (stage + 1 == stages, level + 1 == levels) {
                (false, _) => Some(OVERLAP_WITHIN_CHAIN),
                (true, true) => Some(OVERLAP_AT_END),
                (true, false) => None,
            };
            refinements.push(reader.refinement(&patches, overlap)?);
        }
        // Its candidates come from all views at first, then from the chain before.
        let sources = reader.number()?;
        for source in 0..sources {
            reader.expect(source)?;
        }
        if sources != if level == 1 { views.len() } else { 1 } {
            return None;
        }
    }
    reader.0.is_empty().then_some(Detector { views, refinements })
}

impl Reader<'_> {
    /// How many of something there are, or which it is.
    fn number(&mut self) -> Option<usize> {
        self.count(MAX_COUNT)
    }

    fn expect(&mut self, number: usize) -> Option<()> {
        (self.number()? == number).then_some(())
    }

    /// Number of features, highest value; places, thresholds (only the last of a group is used), weights of all.
    fn boosted(&mut self) -> Option<Boosted> {
        let features = self.number()?;
        self.expect(255)?;
        let place = |reader: &mut Self| {
            let (x, y) = (reader.number()?, reader.number()?);
            Some((u8::try_from(x).ok()?, u8::try_from(y).ok()?))
        };
        let places: Vec<(u8, u8)> = (0..features).map(|_| place(self)).collect::<Option<_>>()?;
        let thresholds = self.floats(features)?;
        let mut groups = Vec::new();
        let (mut places, mut thresholds) = (places.as_slice(), thresholds.as_slice());
        while let Some((first, rest)) = places.split_first_chunk() {
            places = rest;
            let (own, rest) = thresholds.split_at_checked(first.len())?;
            thresholds = rest;
            let mut weights = Box::new([[0.0; 256]; _]);
            for weight in weights.as_flattened_mut() {
                *weight = self.float()?;
            }
            groups.push(Group { places: *first, weights, threshold: *own.last()? });
        }
        places.is_empty().then(|| Boosted::new(groups))?
    }

    /// Number of layers with the input, number of patches, their numbers from 1 on, the threshold; the length of the
    /// input; then for each layer the number of its neurons, their weights, their biases.
    fn refinement(&mut self, known: &[Patch], overlap: Option<f32>) -> Option<Refinement> {
        let layers = self.number()?;
        let patches = self.number()?;
        let patch = |reader: &mut Self| known.get(reader.number()?.checked_sub(1)?).copied();
        let patches: Vec<Patch> = (0..patches).map(|_| patch(self)).collect::<Option<_>>()?;
        let threshold = self.float()?;
        let mut inputs = self.number()?;
        let mut read = Vec::new();
        for _ in 1..layers {
            let outputs = self.number()?;
            let weights = self.floats(inputs * outputs)?;
            read.push(Layer::new(inputs, &weights, self.floats(outputs)?)?);
            inputs = outputs;
        }
        let network = Network::new(read)?;
        (network.inputs() == patches.len() * DESCRIPTOR).then_some(Refinement { patches, network, threshold, overlap })
    }
}
