//! Groups of faces that are probably of one person each, where nobody has a name yet.
//!
//! Agglomerative clustering: from every face by itself, the two groups with the highest score are joined, again and
//! again, until no score reaches a threshold. The score of two groups is the background model's standardised
//! log-likelihood ratio of the photos of one against the person of the other, averaged over photos and over both
//! directions (src/grouping/cluster.rs). Two faces of one photo are never joined, nor what a person has said to be different.
//!
//! A folder that shows one person only cannot be told from photos of another kind: its faces mostly stay apart.
//!
//! The threshold is chosen for pure groups: a wrong face in a group costs a person more than a group in two pieces.

mod agglomerate;
mod cluster;
mod domain;

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::background::{Adaptation, Background, Channel};
use crate::decision::upper_normal_quantile;
use agglomerate::{Agglomeration, Link};
use cluster::{Cluster, Model, score_pairs};
use domain::Domain;

/// The share of faces that are to be among faces of their own person, where nobody says otherwise.
pub const PURITY: f64 = 0.98;

/// Chance joins that a face may take part in for each hundredth of impurity: of this many in all, most join nothing in
/// the end, for groups are joined by averages. Chosen on AT&T and LFW; CFP was looked at afterwards (docs/notebook/recognition.md).
const CHANCE: f64 = 20.0;

/// The largest share of strangers' scores that may lie beyond the threshold: matters where faces are few.
const MOST_CHANCE: f64 = 0.008;

/// Purity beyond this cannot be vouched for.
const PUREST: f64 = 0.9999;

/// Links of a face that are looked at: the strongest.
const MOST_LINKS: usize = 100;

/// Maximum sample for estimating the kind of photos, evenly spaced.
const MOST_FOR_KIND: usize = 2_000;

/// Groupings by which that is refined.
const ROUNDS: usize = 3;

/// Growth of the scores' spread once the model is moved by groups, which look more alike than a person's photos do.
const WIDENED: f64 = 1.05;

/// The part of the threshold from which on two groups are proposed to be joined by a person.
const PROPOSED: f64 = 0.6;

/// Proposals made at most.
const MOST_PROPOSALS: usize = 100;

/// Conditions that keep faces apart.
#[derive(Debug, Clone, Copy, Default)]
pub struct Constraints<'a> {
    /// The photo of each face (n): two faces of one photo are two people.
    pub photos: &'a [usize],
    /// Pairs of faces that a person has said to be of two people.
    pub apart: &'a [(usize, usize)],
}

/// Faces by person, as far as that can be told.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grouping {
    /// The faces of each group in ascending order; the largest group first, then by the first face.
    pub groups: Vec<Vec<usize>>,
    /// Pairs of groups that may be one person, the likeliest first.
    pub proposals: Vec<Proposal>,
}

/// Two groups that may be one person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proposal {
    /// Positions of the groups, the smaller number first.
    pub groups: [usize; 2],
    /// Their score, in terms of the one from which on groups are joined: below 1.
    pub score: f64,
}

/// Puts the faces of nobody known into groups. `raw` are the [coordinates](Background::coordinates) (2k x n) of all faces,
/// `unnamed` the positions of those to be grouped, ascending: the others only tell what kind of photos these are, so that groups
/// stay as they are when one of them gets its name. `purity` is the share of faces (0 to 1) that are to be among faces of
/// their own person. Groups hold positions in `unnamed`.
///
/// The result depends on the order of the faces only where scores are equal: give them in an order that hangs on their
/// content, and the same faces make the same groups.
pub fn group(
    background: &Background,
    raw: &DMatrix<f32>,
    unnamed: &[usize],
    constraints: Constraints<'_>,
    purity: f64,
) -> Grouping {
    if unnamed.is_empty() {
        return Grouping::default();
    }
    let (domain, adaptation) = kind(background, raw, constraints, purity);
    let widened = if adaptation.is_adapted() { WIDENED } else { 1.0 };
    let threshold = widened * domain.spread() * deviation(raw.ncols(), purity);
    let photos: Vec<usize> = unnamed.iter().filter_map(|&face| constraints.photos.get(face)).copied().collect();
    let position = |face: usize| unnamed.binary_search(&face).ok();
    let apart = constraints.apart.iter().filter_map(|&(one, other)| Some((position(one)?, position(other)?)));
    let constraints = Constraints { photos: &photos, apart: &apart.collect::<Vec<_>>() };
    let mut joined = join(&adaptation, &raw.select_columns(unnamed), constraints, &domain, threshold);
    let proposals = joined.likely(PROPOSED * threshold, MOST_PROPOSALS);
    in_order(joined.into_groups(), &proposals, threshold)
}

/// Faces that tell whether they show one person, at least, and at most: evenly spread.
const ENOUGH_FOR_UNITY: usize = 5;
const MOST_FOR_UNITY: usize = 60;

/// The mean score of pairs of faces below which they are clearly of several people. Of real people (AT&T, CFP, LFW, Yale; four
/// photos and more each) the lowest was 2.5; twelve and more strangers of one of these had 2.0 at most (docs/notebook/recognition.md).
pub const ONE_PERSON: f64 = 2.0;

/// The mean score of all pairs of faces as of one person, to be held against [`ONE_PERSON`]; `None` where they are too few to
/// tell. `raw` are their [coordinates](Background::coordinates) (2k x n).
///
/// The kind of these photos is unknown: where it is another than the background model's, strangers score higher.
pub fn unity(background: &Background, raw: &DMatrix<f32>) -> Option<f64> {
    if raw.ncols() < ENOUGH_FOR_UNITY {
        return None;
    }
    let some: Vec<usize> = (0..raw.ncols()).step_by(raw.ncols().div_ceil(MOST_FOR_UNITY)).collect();
    let faces = as_they_are(background, &raw.select_columns(&some));
    let pairs = faces.len() * (faces.len() - 1) / 2;
    let mut of_face = vec![0.0; faces.len()];
    score_pairs(&faces, 0..faces.len(), |one, _, score| of_face[one] += score);
    Some(of_face.iter().sum::<f64>() / pairs as f64)
}

/// Faces of which nothing but the background model is known.
fn as_they_are(background: &Background, raw: &DMatrix<f32>) -> Vec<Cluster> {
    let as_it_is = Adaptation::none(background);
    let no_offset = Channel::ALL.map(|_| vec![0.0; background.components()]);
    let projected = as_it_is.projected_about(raw, &no_offset).coordinates;
    let model = Model::new(&as_it_is);
    (0..raw.ncols()).map(|face| Cluster::of_face(&model, face, projected.column(face).as_slice())).collect()
}

/// Two parts of a group of faces: the two that are least alike, and with each those that are more like it than like the other, the
/// most alike first. `raw` are their [coordinates](Background::coordinates) (2k x n).
pub fn split(background: &Background, raw: &DMatrix<f32>) -> [Vec<usize>; 2] {
    let faces = as_they_are(background, raw);
    let score = |one: usize, other: usize| faces[one].score(&faces[other]);
    let pairs = (0..faces.len()).flat_map(|one| (one + 1..faces.len()).map(move |it| (one, it)));
    let scored = pairs.map(|(one, other)| (score(one, other), one, other));
    let Some((_, one, other)) = scored.min_by(|a, b| a.0.total_cmp(&b.0)) else {
        return [(0..faces.len()).collect(), Vec::new()];
    };
    let mut parts = [Vec::new(), Vec::new()];
    for face in (0..faces.len()).filter(|&face| face != one && face != other) {
        let [first, second] = [score(one, face), score(other, face)];
        parts[usize::from(second > first)].push((first.max(second), face));
    }
    let mut seeds = [one, other].into_iter();
    parts.map(|mut part| {
        part.sort_by(|a, b| b.0.total_cmp(&a.0));
        seeds.next().into_iter().chain(part.into_iter().map(|(_, face)| face)).collect()
    })
}

/// The kind of these photos, first by the least similar pairs, then by groupings by that; and the model moved by it.
fn kind(
    background: &Background,
    raw: &DMatrix<f32>,
    constraints: Constraints<'_>,
    purity: f64,
) -> (Domain, Adaptation) {
    let step = raw.ncols().div_ceil(MOST_FOR_KIND);
    let some: Vec<usize> = (0..raw.ncols()).step_by(step).collect();
    let photos: Vec<usize> = some.iter().filter_map(|&face| constraints.photos.get(face).copied()).collect();
    let constraints = Constraints {
        photos: &photos,
        // They name other faces where some are left out, and are few in any case.
        apart: if step == 1 { constraints.apart } else { &[] },
    };
    let raw = raw.select_columns(&some);
    let as_it_is = Adaptation::none(background);
    let mut domain = Domain::of_pairs(background, &raw);
    let mut groups = Vec::new();
    for _ in 0..ROUNDS {
        let joined = join(&as_it_is, &raw, constraints, &domain, domain.spread() * deviation(raw.ncols(), purity));
        groups = joined.into_groups().into_iter().map(|(_, own)| own).collect();
        let Some(refined) = Domain::of_groups(background, &raw, &groups) else { return (domain, as_it_is) };
        domain = refined;
    }
    let adaptation = Adaptation::learn_about(background, &raw, &groups, &domain.mean);
    (domain, adaptation)
}

/// Joins faces as long as scores reach the threshold.
fn join(
    adaptation: &Adaptation,
    raw: &DMatrix<f32>,
    constraints: Constraints<'_>,
    domain: &Domain,
    threshold: f64,
) -> Agglomeration {
    let projected = adaptation.projected_about(raw, &domain.mean).coordinates;
    let model = Model::new(adaptation);
    let of_face = |face: usize| Cluster::of_face(&model, face, projected.column(face).as_slice());
    let faces: Vec<Cluster> = (0..raw.ncols()).into_par_iter().map(of_face).collect();
    let links = links(&faces, PROPOSED * threshold);
    let mut joined = Agglomeration::new(model, faces, constraints);
    joined.offer(links);
    joined.join(threshold);
    joined
}

/// The threshold in spreads of strangers' scores: each of `count` faces is compared with all others, so the share of
/// strangers that may pass falls as they become more.
fn deviation(count: usize, purity: f64) -> f64 {
    upper_normal_quantile((CHANCE * (1.0 - purity.clamp(0.0, PUREST)) / count as f64).min(MOST_CHANCE))
}

/// The strongest links of each face, if they are this strong.
fn links(faces: &[Cluster], least: f64) -> Vec<Link> {
    /// Faces that are scored with all later ones at a time: they stay in the caches.
    const BLOCK: usize = 32;
    let strongest = Mutex::new(vec![Strongest::default(); faces.len()]);
    let firsts: Vec<usize> = (0..faces.len()).step_by(BLOCK).collect();
    firsts.into_par_iter().for_each(|first| {
        let mut found = Vec::new();
        score_pairs(faces, first..faces.len().min(first + BLOCK), |one, other, score| {
            if score >= least {
                found.push((score, one, other));
            }
        });
        let mut strongest = strongest.lock().unwrap_or_else(PoisonError::into_inner);
        for (score, one, other) in found {
            strongest[one].offer(score, other);
            strongest[other].offer(score, one);
        }
    });
    let strongest = strongest.into_inner().unwrap_or_else(PoisonError::into_inner);
    let of_face = |(one, mut own): (usize, Strongest)| {
        own.prune();
        own.0.into_iter().map(move |(score, other)| (one.min(other), one.max(other), score.to_bits()))
    };
    let distinct: BTreeSet<(usize, usize, u64)> = strongest.into_iter().enumerate().flat_map(of_face).collect();
    distinct.into_iter().map(|(one, other, score)| Link::new(f64::from_bits(score), [one, other])).collect()
}

/// Scores of a face with others, in no order: [`MOST_LINKS`] at least of the strongest offered.
#[derive(Clone, Default)]
struct Strongest(Vec<(f64, usize)>);

impl Strongest {
    fn offer(&mut self, score: f64, other: usize) {
        self.0.push((score, other));
        if self.0.len() == 2 * MOST_LINKS {
            self.prune();
        }
    }

    /// Drops all but [`MOST_LINKS`]. Which these are does not depend on the order of offering.
    fn prune(&mut self) {
        self.0.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.0.truncate(MOST_LINKS);
    }
}

/// Numbers the groups by size.
fn in_order(mut joined: Vec<(usize, Vec<usize>)>, likely: &[Link], threshold: f64) -> Grouping {
    for (_, faces) in &mut joined {
        faces.sort_unstable();
    }
    joined.sort_by(|(_, a), (_, b)| b.len().cmp(&a.len()).then(a.cmp(b)));
    let number = |name: usize| joined.iter().position(|(own, _)| *own == name);
    let proposals = likely.iter().filter_map(|link| {
        let [one, other] = [number(link.between[0])?, number(link.between[1])?];
        Some(Proposal { groups: [one.min(other), one.max(other)], score: link.score / threshold })
    });
    Grouping { proposals: proposals.collect(), groups: joined.into_iter().map(|(_, faces)| faces).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symmetric_eigen::Noise;

    /// Photos of people drawn from the model itself: `counts` photos of each, 2k x n.
    fn drawn(background: &Background, counts: &[usize], seed: u64) -> DMatrix<f32> {
        let k = background.components();
        let mut noise = Noise::seeded(seed);
        // Irwin-Hall: nearly normal, with variance 1 after halving.
        let mut normal = || noise.by_ref().take(12).sum::<f64>() / 2.0;
        let mut columns = Vec::new();
        for &count in counts {
            let spread = |channel| background.between_people(channel).to_vec();
            let between = [spread(Channel::ALL[0]), spread(Channel::ALL[1])].concat();
            let person: Vec<f64> = between.iter().map(|psi| normal() * psi.sqrt()).collect();
            for _ in 0..count {
                columns.extend(person.iter().map(|value| (value + normal()) as f32));
            }
        }
        DMatrix::from_vec(2 * k, columns.len() / (2 * k), columns)
    }

    fn apart(photos: &[usize]) -> Constraints<'_> {
        Constraints { photos, apart: &[] }
    }

    #[test]
    fn drawn_people_are_found_again() {
        let background = Background::bundled().unwrap();
        let counts = [6, 1, 4, 1, 3, 5];
        let raw = drawn(background, &counts, 3);
        let photos: Vec<usize> = (0..raw.ncols()).collect();
        let found = group(background, &raw, &photos, apart(&photos), 0.98);
        let mut expected = Vec::new();
        let mut next = 0;
        for count in counts {
            expected.push((next..next + count).collect::<Vec<_>>());
            next += count;
        }
        expected.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        assert_eq!(found.groups, expected);
    }

    #[test]
    fn faces_of_one_photo_and_rejected_ones_stay_apart() {
        let background = Background::bundled().unwrap();
        let raw = drawn(background, &[4, 4], 5);
        let all: Vec<usize> = (0..8).collect();
        let group_of = |found: &Grouping, face: usize| found.groups.iter().position(|group| group.contains(&face));
        // The first person's first two faces are said to be of one photo.
        let found = group(background, &raw, &all, apart(&[0, 0, 1, 2, 3, 4, 5, 6]), 0.98);
        assert_ne!(group_of(&found, 0), group_of(&found, 1));
        assert_eq!(group_of(&found, 4), group_of(&found, 7));
        let rejected = Constraints { photos: &all, apart: &[(6, 2), (7, 4)] };
        let found = group(background, &raw, &all, rejected, 0.98);
        assert_ne!(group_of(&found, 7), group_of(&found, 4));
    }

    #[test]
    fn people_are_not_taken_for_a_kind_of_photos() {
        let background = Background::bundled().unwrap();
        let photos: Vec<usize> = (0..24).collect();
        for counts in [&[12, 12][..], &[8; 3], &[6; 4]] {
            let raw = drawn(background, counts, 7);
            let found = group(background, &raw, &photos, apart(&photos), 0.98);
            let sizes: Vec<usize> = found.groups.iter().map(Vec::len).collect();
            assert_eq!(sizes, counts);
        }
    }

    #[test]
    fn naming_a_group_leaves_the_others_standing() {
        let background = Background::bundled().unwrap();
        let counts = [7, 7, 1];
        let raw = drawn(background, &counts, 13);
        let photos: Vec<usize> = (0..15).collect();
        for named in [0..7, 7..14] {
            let unnamed: Vec<usize> = photos.iter().copied().filter(|at| !named.contains(at)).collect();
            let found = group(background, &raw, &unnamed, apart(&photos), 0.98);
            assert_eq!(found.groups, [vec![0, 1, 2, 3, 4, 5, 6], vec![7]], "{named:?}");
        }
    }

    #[test]
    fn few_faces_and_none() {
        let background = Background::bundled().unwrap();
        let none = DMatrix::zeros(2 * background.components(), 0);
        assert_eq!(group(background, &none, &[], Constraints::default(), 0.98), Grouping::default());
        let one = group(background, &drawn(background, &[1], 1), &[0], apart(&[0]), 0.98);
        assert_eq!(one.groups, [[0]]);
        // Coordinates without length, as of a face that is all one gray.
        let zeros = DMatrix::zeros(2 * background.components(), 3);
        let found = group(background, &zeros, &[0, 1, 2], apart(&[0, 1, 2]), 0.98);
        assert_eq!(found.groups.concat().len(), 3);
    }

    #[test]
    fn one_person_is_told_from_several() {
        let background = Background::bundled().unwrap();
        let unity = |counts: &[usize]| unity(background, &drawn(background, counts, 11));
        assert_eq!(unity(&[4]), None);
        for one in [&[5][..], &[20], &[300]] {
            assert!(unity(one).is_some_and(|score| score > ONE_PERSON), "{one:?}");
        }
        for several in [&[1; 5][..], &[1; 20], &[3, 3, 3], &[5; 8], &[40; 30]] {
            assert!(unity(several).is_some_and(|score| score < ONE_PERSON), "{several:?}");
        }
    }

    #[test]
    fn purer_groups_are_smaller() {
        assert!(deviation(1000, 0.999) > deviation(1000, 0.98));
        assert!(deviation(1000, 0.98) > deviation(100, 0.98));
        assert!(deviation(2, 0.0).is_finite() && deviation(2, 1.0).is_finite());
    }
}
