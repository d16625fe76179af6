//! Photos that a person should look at: one picture under two people, wrong labels, no faces.

use rayon::prelude::*;

use super::quality::{self, Flaw};
use super::split::Protocol;
use super::{ProbeOutcome, folds};
use crate::decision::Acceptance;
use crate::error::Result;
use crate::face_score::FaceScorer;
use crate::face_space::FaceSpace;
use crate::gallery::Gallery;
use crate::grouping;
use crate::recognizer::Recognizer;
use crate::vectors::inner_product;

/// Photos of the folder that a person should look at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Suspects {
    /// Pairs of photos under different people that are nearly the same picture; the most alike first.
    pub duplicates: Vec<Duplicate>,
    /// Photos that are probably of another person, the surest first.
    pub mislabelled: Vec<Mislabelled>,
    /// Faces nearer to another person than to their own, without being probably mislabelled, in their order.
    pub unclear: Vec<usize>,
    /// Photos that do not look like a face, the least face-like first.
    pub not_faces: Vec<NotAFaceSuspect>,
    /// People whose photos clearly show several people, in their order.
    pub several_people: Vec<SeveralPeople>,
    /// Photos that weaken whom they are enrolled for, in the order of faces.
    pub flaws: Vec<(usize, Flaw)>,
}

/// A person whose photos clearly show several people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeveralPeople {
    /// The person.
    pub person: usize,
    /// Number of faces.
    pub faces: usize,
    /// The mean score of pairs of these faces ([`unity`](crate::grouping::unity)).
    pub score: f64,
}

/// Two photos that are nearly the same picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duplicate {
    /// One face, of the lower position.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// Correlation of their pixels: 1 is the same picture up to brightness and contrast.
    pub correlation: f64,
}

/// A photo that, left out, is named as another with a confidence above one half (or, of few people, is nearest to another).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mislabelled {
    /// The face.
    pub face: usize,
    /// The person it looks like.
    pub nearest: usize,
    /// Distance to its own person's other photos.
    pub own_distance: f64,
    /// Distance to the person it looks like.
    pub nearest_distance: f64,
    /// Probability that it is that person.
    pub confidence: f64,
}

/// A photo that does not look like a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NotAFaceSuspect {
    /// The face.
    pub face: usize,
    /// The face score, -1 to 1.
    pub face_score: f64,
    /// The face score that is asked for.
    pub limit: f64,
}

/// Photos of different people whose pixels correlate this much are the same picture (docs/EVALUATION.md).
pub const NEAR_DUPLICATE: f64 = 0.97;

/// Beyond so many faces, labels are checked in ten parts instead of one by one.
const ONE_BY_ONE: usize = 200;

/// Parts for looking at face score, which hardly depends on one face more or less.
const PARTS: usize = 10;

/// Looks through the gallery of `whole`; `trials` are of photos left out of it.
pub(super) fn suspects(whole: &Recognizer, trials: &[ProbeOutcome]) -> Result<Suspects> {
    let mislabelled = mislabelled(trials, whole.comparer().threshold(Acceptance::default()).is_some());
    let is_clear = |face: usize| mislabelled.iter().any(|wrong| wrong.face == face);
    let nearer = trials.iter().filter(|trial| trial.rank > 1);
    let mut unclear: Vec<usize> = nearer.map(|trial| trial.face).filter(|&face| !is_clear(face)).collect();
    unclear.sort_unstable();
    Ok(Suspects {
        duplicates: duplicates(whole.gallery()),
        mislabelled,
        unclear,
        not_faces: not_faces(whole)?,
        several_people: several_people(whole, 0..whole.gallery().people().len())?,
        flaws: quality::flaws(whole),
    })
}

/// People (positions) whose enrolled faces clearly show several; none where the background model does not compare.
pub fn several_people(whole: &Recognizer, people: impl IntoIterator<Item = usize>) -> Result<Vec<SeveralPeople>> {
    let Some((likelihoods, coordinates)) = whole.background().zip(whole.coordinates()) else { return Ok(Vec::new()) };
    let background = likelihoods.background();
    let persons = whole.gallery().persons();
    let of_person = |person: usize| {
        let faces: Vec<usize> = (0..persons.len()).filter(|&at| persons[at] == person).collect();
        let score = grouping::unity(background, &coordinates.select_columns(&faces))?;
        (score < grouping::ONE_PERSON).then_some(SeveralPeople { person, faces: faces.len(), score })
    };
    Ok(people.into_iter().filter_map(of_person).collect())
}

/// Every photo of a small gallery left out alone, of a larger one in ten parts; none where no label can be wrong.
pub(super) fn trials(whole: &Recognizer) -> Result<Vec<ProbeOutcome>> {
    let gallery = whole.gallery();
    let protocol = if gallery.len() <= ONE_BY_ONE { Protocol::LeaveOneOut } else { Protocol::TEN_PARTS };
    match protocol.folds(gallery, 0) {
        Ok(folds) => Ok(folds::run(whole, &folds, &|| ())?.trials),
        Err(_) => Ok(Vec::new()),
    }
}

/// Photos nearer to another person: all that can be told where too few people give confidence a meaning.
fn mislabelled(trials: &[ProbeOutcome], gives_names: bool) -> Vec<Mislabelled> {
    let mut found: Vec<Mislabelled> = trials
        .iter()
        .filter(|trial| trial.rank > 1 && (trial.confidence > 0.5 || !gives_names))
        .map(|trial| Mislabelled {
            face: trial.face,
            nearest: trial.named,
            own_distance: trial.own_distance,
            nearest_distance: trial.other_distance,
            confidence: trial.confidence,
        })
        .collect();
    found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.face.cmp(&b.face)));
    found
}

/// Pairs of different people's faces that are nearly the same picture, the most alike first.
fn duplicates(gallery: &Gallery) -> Vec<Duplicate> {
    let persons = gallery.persons();
    let pictures: Vec<Picture> = gallery.faces().faces().map(Picture::of).collect();
    let rows: Vec<Vec<Duplicate>> = (0..pictures.len())
        .into_par_iter()
        .map(|first| {
            let others = persons.partition_point(|&person| person <= persons[first]);
            (others..pictures.len())
                .map(|second| Duplicate { first, second, correlation: pictures[first].correlation(&pictures[second]) })
                .filter(|pair| pair.correlation >= NEAR_DUPLICATE)
                .collect()
        })
        .collect();
    let mut found = rows.concat();
    // Equal ones stay in order.
    found.sort_by(|a, b| b.correlation.total_cmp(&a.correlation));
    found
}

/// The pixels of a face with their sums.
struct Picture<'a> {
    pixels: &'a [u8],
    sum: i128,
    /// d times the sum of squares less the square of the sum: d² times the variance.
    spread: i128,
}

impl<'a> Picture<'a> {
    fn of(pixels: &'a [u8]) -> Self {
        let sum = pixels.iter().map(|&pixel| i128::from(pixel)).sum();
        Self { pixels, sum, spread: pixels.len() as i128 * i128::from(inner_product(pixels, pixels)) - sum * sum }
    }

    /// Pearson's correlation from exact integers: 1 for the same pixels; flat pictures correlate with equal ones only.
    fn correlation(&self, other: &Self) -> f64 {
        if self.spread == 0 || other.spread == 0 {
            return f64::from(u8::from(self.pixels == other.pixels));
        }
        let both = self.pixels.len() as i128 * i128::from(inner_product(self.pixels, other.pixels));
        (both - self.sum * other.sum) as f64 / ((self.spread as f64) * (other.spread as f64)).sqrt()
    }
}

/// Faces that look too little like the faces of the rest of the gallery.
fn not_faces(whole: &Recognizer) -> Result<Vec<NotAFaceSuspect>> {
    let faces = whole.gallery().faces();
    let limit = whole.comparer().face_score_limit();
    let parts: Vec<Vec<NotAFaceSuspect>> = (0..PARTS)
        .into_par_iter()
        .map(|part| {
            let (probes, learned): (Vec<usize>, Vec<usize>) = (0..faces.len()).partition(|&face| face % PARTS == part);
            // Where the rest cannot be learned from (one face, or all alike), it judges nobody.
            let Ok(rest) = whole.settings().pca.fit(&faces.select(&learned)?) else { return Ok(Vec::new()) };
            let space = FaceSpace::new(faces.size(), &rest);
            let test = FaceScorer::new(&space);
            let pictures = faces.select(&probes)?;
            let found = probes.iter().zip(test.face_scores(&pictures, &space.project(&pictures)));
            let found = found.map(|(&face, face_score)| NotAFaceSuspect { face, face_score, limit });
            Ok(found.filter(|suspect| suspect.face_score < limit).collect())
        })
        .collect::<Result<_>>()?;
    let mut found = parts.concat();
    found.sort_by(|a, b| a.face_score.total_cmp(&b.face_score).then(a.face.cmp(&b.face)));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn brightness_and_contrast_do_not_hide_a_copy() {
        let picture: Vec<u8> = (0..480_u32).map(|i| (i * i % 97) as u8).collect();
        let brighter: Vec<u8> = picture.iter().map(|p| p + 40).collect();
        let (a, b) = (Picture::of(&picture), Picture::of(&brighter));
        assert!((a.correlation(&b) - 1.0).abs() < 1e-12);
        assert_eq!(Picture::of(&[5; 9]).correlation(&Picture::of(&[5; 9])), 1.0);
        assert_eq!(Picture::of(&[5; 9]).correlation(&Picture::of(&[6; 9])), 0.0);
    }

    proptest! {
        #[test]
        fn correlation_is_that_of_the_definition(
            pixels in prop::collection::vec((any::<u8>(), any::<u8>()), 2..60),
        ) {
            let (a, b): (Vec<u8>, Vec<u8>) = pixels.iter().copied().unzip();
            let n = pixels.len() as f64;
            let mean = |of: &[u8]| of.iter().map(|&p| f64::from(p)).sum::<f64>() / n;
            let centred = |of: &[u8]| {
                let mean = mean(of);
                of.iter().map(|&p| f64::from(p) - mean).collect::<Vec<_>>()
            };
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let (ca, cb) = (centred(&a), centred(&b));
            let scale = (dot(&ca, &ca) * dot(&cb, &cb)).sqrt();
            prop_assume!(scale > 1e-9);
            let ours = Picture::of(&a).correlation(&Picture::of(&b));
            prop_assert!((ours - dot(&ca, &cb) / scale).abs() < 1e-9);
        }
    }
}
