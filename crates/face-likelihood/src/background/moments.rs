//! Frames of one moment, which count as one photo.
//!
//! Frames of a burst or a video differ by less than photos of a person usually do: taken for photos they would teach that a
//! person always looks so. Two photos of a person are of one moment where they differ, in normalised coordinates, by less than
//! 0.15 of what the model expects of two photos of one person; and so are those that a chain of such pairs joins, so that
//! their order does not matter. Such frames become their mean. Where chains join half of a person's photos and more, or a quarter of a
//! gallery's ([`BURSTS_BELOW`]), the rest are frames too, with more noise or movement between them: they count for as many moments
//! as there are independent photos ([`effective_number`]), and the nearest are joined until there are no more.

use std::borrow::Cow;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::adaptation::groups;
use super::{Adaptation, Background};

/// The mean squared difference of a coordinate below which two photos are of one moment, in terms of that expected of two
/// photos of one person, 2. Of pairs of frames of bursts (moved by up to 2 pixels, light within 4 %, noise) half are below 0.11, and
/// chains join twelve bursts of twelve to some 30 photos; of photos of LFW's people none is below 0.30. Of AT&T's 400 photos, taken
/// within minutes, 385 are left, of the 112 drawn ones 100.
pub const ONE_MOMENT: f64 = 0.15;

/// The difference, in the same terms, from which two photos are independent. Chosen: docs/notebook/recognition.md, "Scales and bursts".
const INDEPENDENT: f64 = 0.7;

/// The share of a gallery's photos that chains leave as moments, below which its photos are frames of bursts. Of bursts it is 0.12
/// to 0.69, of galleries of photos 0.91 (drawn) to 1.
const BURSTS_BELOW: f64 = 0.75;

/// Moments of a person of which the nearest are joined, at most: who has more is known well enough.
const MOST_JOINED: usize = 300;

/// Photos (coordinates, 2k x n) by moment: their positions, in increasing order. `is_one` says whether two photos are of one
/// moment, by their positions and their mean squared difference in terms of that expected of two photos of one person.
pub fn frames(
    background: &Background,
    raw: &DMatrix<f32>,
    is_one: impl Fn(usize, usize, f64) -> bool,
) -> Vec<Vec<usize>> {
    if raw.ncols() < 2 {
        return (0..raw.ncols()).map(|photo| vec![photo]).collect();
    }
    joined(&projected(background, raw), is_one)
}

/// Coordinates as the model expects them, in no gallery.
fn projected(background: &Background, raw: &DMatrix<f32>) -> DMatrix<f64> {
    let none = [0, 1].map(|_| vec![0.0; background.components()]);
    Adaptation::none(background).projected_about(raw, &none).coordinates
}

/// Photos (coordinates, 2k x n; their `persons`) with those of one moment made one, their mean; and the person of each.
pub fn moments<'a>(
    background: &Background,
    raw: &'a DMatrix<f32>,
    persons: &[usize],
) -> (Cow<'a, DMatrix<f32>>, Vec<usize>) {
    let photos: Vec<usize> = (0..persons.len()).collect();
    let of_person = groups(&photos, persons);
    let photos_of = |own: &Vec<usize>| raw.select_columns(own);
    let is_one = |_, _, difference| difference < ONE_MOMENT;
    let chained: Vec<Vec<Vec<usize>>> =
        of_person.par_iter().map(|own| frames(background, &photos_of(own), is_one)).collect();
    let chains = chained.iter().flatten().count();
    let are_bursts = (chains as f64) < BURSTS_BELOW * persons.len() as f64;
    let in_gallery = |(moments, own): (Vec<Vec<usize>>, &Vec<usize>)| {
        let are_frames = are_bursts || 2 * moments.len() <= own.len();
        let moments = if are_frames { independent(background, &photos_of(own), moments) } else { moments };
        let own = |moment: Vec<usize>| moment.into_iter().map(|at| own[at]).collect();
        moments.into_iter().map(own).collect::<Vec<Vec<usize>>>()
    };
    let mut found: Vec<Vec<usize>> = chained.into_par_iter().zip(&of_person).flat_map_iter(in_gallery).collect();
    if found.len() == persons.len() {
        return (Cow::Borrowed(raw), persons.to_vec());
    }
    found.sort_unstable();
    let mut means = DMatrix::zeros(raw.nrows(), found.len());
    for (mut mean, frames) in means.column_iter_mut().zip(&found) {
        match frames[..] {
            [photo] => mean.copy_from(&raw.column(photo)),
            _ => mean.copy_from(&raw.select_columns(frames).column_mean()),
        }
    }
    let persons = found.iter().map(|frames| persons[frames[0]]).collect();
    (Cow::Owned(means), persons)
}

/// As many moments as are independent in a person's frames (coordinates, 2k x n), of the `moments` that chains leave.
fn independent(background: &Background, raw: &DMatrix<f32>, mut moments: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    if !(2..=MOST_JOINED).contains(&moments.len()) {
        return moments;
    }
    moments.sort_unstable();
    let mut differences = differences(&projected(background, raw), &moments);
    let number = effective_number(&differences).round() as usize;
    while moments.len() > number.max(1) {
        join_nearest(&mut moments, &mut differences);
    }
    moments
}

/// The mean squared difference of two columns, in terms of what is expected of two photos of one person.
fn difference(projected: &DMatrix<f64>, one: usize, other: usize) -> f64 {
    let expected = 2.0 * projected.nrows() as f64;
    (projected.column(one) - projected.column(other)).norm_squared() / expected
}

/// The [`difference`] of each two means of moments.
fn differences(projected: &DMatrix<f64>, moments: &[Vec<usize>]) -> DMatrix<f64> {
    let mean = |frames: &Vec<usize>| projected.select_columns(frames).column_mean();
    let means: Vec<_> = moments.iter().map(mean).collect();
    let means = DMatrix::from_columns(&means);
    DMatrix::from_fn(means.ncols(), means.ncols(), |one, other| difference(&means, one, other))
}

/// Σ_i 1 / Σ_j r_ij, the number of independent photos that these say as much as; r_ij, the correlation of two photos, falls from 1 at no difference to 0
/// at [`INDEPENDENT`]. (So sequences that are alike are counted in bioinformatics.)
fn effective_number(differences: &DMatrix<f64>) -> f64 {
    let correlation = |difference: &f64| (1.0 - difference / INDEPENDENT).max(0.0);
    differences.column_iter().map(|of_one| 1.0 / of_one.iter().map(correlation).sum::<f64>()).sum()
}

/// Joins the two moments whose means are nearest; of equally near ones the first.
fn join_nearest(moments: &mut Vec<Vec<usize>>, differences: &mut DMatrix<f64>) {
    let count = moments.len();
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    let nearer = |one: &(usize, usize), other: &(usize, usize)| differences[*one].total_cmp(&differences[*other]);
    let Some((kept, gone)) = pairs.min_by(nearer) else { return };
    let [own, other] = [kept, gone].map(|at| moments[at].len() as f64);
    let share = other / (own + other);
    let apart = differences[(kept, gone)];
    for at in 0..count {
        // The distance of a point from the mean of two others.
        let to_mean =
            differences[(at, kept)] * (1.0 - share) + differences[(at, gone)] * share - apart * share * (1.0 - share);
        differences[(at, kept)] = to_mean;
        differences[(kept, at)] = to_mean;
    }
    differences[(kept, kept)] = 0.0;
    let frames = moments.remove(gone);
    moments[kept].extend(frames);
    moments[kept].sort_unstable();
    let rest = std::mem::replace(differences, DMatrix::zeros(0, 0));
    *differences = rest.remove_row(gone).remove_column(gone);
}

/// Photos by moment, each in increasing order; `projected` are their coordinates.
fn joined(projected: &DMatrix<f64>, is_one: impl Fn(usize, usize, f64) -> bool) -> Vec<Vec<usize>> {
    let mut rest: Vec<usize> = (0..projected.ncols()).collect();
    let mut moments = Vec::new();
    while let Some(first) = rest.pop() {
        let mut frames = vec![first];
        let mut at = 0;
        while at < frames.len() {
            let frame = frames[at];
            let near = |photo: &mut usize| is_one(frame, *photo, difference(projected, *photo, frame));
            frames.extend(rest.extract_if(.., near));
            at += 1;
        }
        frames.sort_unstable();
        moments.push(frames);
    }
    moments
}

#[cfg(test)]
mod tests {
    use super::*;
    use symmetric_eigen::Noise;

    #[test]
    fn frames_of_one_moment_are_their_mean_whatever_their_order() {
        let background = Background::bundled().unwrap();
        let rows = 2 * background.components();
        let mut noise = Noise::seeded(5);
        let photos = DMatrix::from_fn(rows, 4, |_, _| noise.normal() as f32);
        // Three frames of photo 0 between the others; photos 2 and 3 are of another person.
        let mut all = photos.select_columns(&[0, 1, 0, 0, 2, 3]);
        for frame in [2, 3] {
            all.column_mut(frame).apply(|value| *value += 0.1 * noise.normal() as f32);
        }
        let persons = [0, 0, 0, 0, 1, 1];
        let (found, of) = moments(background, &all, &persons);
        assert_eq!(of, [0, 0, 1, 1]);
        assert_eq!(found.column(0), all.select_columns(&[0, 2, 3]).column_mean());
        for (at, photo) in [(1, 1), (2, 2), (3, 3)] {
            assert_eq!(found.column(at), photos.column(photo));
        }
        let turned: Vec<usize> = (0..6).rev().collect();
        let backwards = all.select_columns(&turned);
        let (back, of_back) = moments(background, &backwards, &[1, 1, 0, 0, 0, 0]);
        assert_eq!(of_back, [1, 1, 0, 0]);
        for (one, other) in [(0, 3), (1, 2), (2, 0), (3, 1)] {
            let difference = back.column(one) - found.column(other);
            assert!(difference.amax() < 1e-6, "{one} {other}");
        }
    }

    #[test]
    fn where_most_photos_are_frames_so_are_the_rest() {
        let background = Background::bundled().unwrap();
        let rows = 2 * background.components();
        let mut noise = Noise::seeded(7);
        let photo = DMatrix::from_fn(rows, 1, |_, _| noise.normal() as f32);
        // Six frames with little noise, two with more, which no chain joins.
        let mut all = photo.select_columns(&[0; 8]);
        for (frame, mut column) in all.column_iter_mut().enumerate() {
            let deviation = if frame < 6 { 0.1 } else { 0.5 };
            column.apply(|value| *value += deviation * noise.normal() as f32);
        }
        let chained = frames(background, &all, |_, _, difference| difference < ONE_MOMENT);
        assert_eq!(chained.len(), 3);
        assert_eq!(moments(background, &all, &[0; 8]).1, [0]);
        // Two of the six are too few to tell frames by, but not in a gallery of bursts.
        let few = all.select_columns(&[0, 1, 6, 7]);
        assert_eq!(moments(background, &few, &[0; 4]).1, [0; 3]);
        let beside = all.select_columns(&[0, 1, 6, 7, 0, 1, 2, 3]);
        let persons = [0, 0, 0, 0, 1, 1, 1, 1];
        assert_eq!(moments(background, &beside, &persons).1, [0, 1]);
    }

    #[test]
    fn photos_count_for_as_many_as_are_independent() {
        let number =
            |differences: &[f64], count: usize| effective_number(&DMatrix::from_row_slice(count, count, differences));
        assert_eq!(number(&[0.0], 1), 1.0);
        assert_eq!(number(&[0.0, 0.0, 0.0, 0.0], 2), 1.0);
        assert_eq!(number(&[0.0, INDEPENDENT, INDEPENDENT, 0.0], 2), 2.0);
        assert!((number(&[0.0, INDEPENDENT / 2.0, INDEPENDENT / 2.0, 0.0], 2) - 4.0 / 3.0).abs() < 1e-12);
        // Three frames of one moment and one of another: the others do not take its part.
        let mixed = DMatrix::from_fn(4, 4, |a, b| f64::from(u8::from((a == 3) != (b == 3))));
        assert!((effective_number(&mixed) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn the_nearest_are_joined_as_if_their_means_were_measured_anew() {
        let mut noise = Noise::seeded(3);
        let mut frame = |at: f64| at + 0.1 * noise.normal();
        let projected = DMatrix::from_fn(6, 5, |row, photo| match row {
            0 => frame([0.0, 4.0, 0.2, 4.3, 9.0][photo]),
            _ => frame(0.0),
        });
        let mut moments: Vec<Vec<usize>> = (0..5).map(|photo| vec![photo]).collect();
        let mut found = differences(&projected, &moments);
        for left in [4, 3, 2] {
            join_nearest(&mut moments, &mut found);
            assert_eq!(moments.len(), left);
            assert!((&found - differences(&projected, &moments)).amax() < 1e-12);
        }
        assert_eq!(moments, [vec![0, 1, 2, 3], vec![4]]);
    }

    #[test]
    fn nobody_has_no_moment() {
        let background = Background::bundled().unwrap();
        let nothing = DMatrix::zeros(2 * background.components(), 0);
        let (found, persons) = moments(background, &nothing, &[]);
        assert_eq!((&*found, persons), (&nothing, Vec::new()));
    }
}
