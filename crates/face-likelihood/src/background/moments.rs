//! Frames of one moment, which count as one photo.
//!
//! Frames of a burst or a video differ by less than photos of a person usually do: taken for photos they would teach that a
//! person always looks so. Two photos of a person are of one moment where they differ, in normalised coordinates, by less than
//! 0.15 of what the model expects of two photos of one person; and so are those that a chain of such pairs joins, so that
//! their order does not matter. Such frames become their mean.

use std::borrow::Cow;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::adaptation::groups;
use super::{Adaptation, Background};

/// The mean squared difference of a coordinate below which two photos are of one moment, in terms of that expected of two
/// photos of one person, 2. Of pairs of frames of bursts (moved by up to 2 pixels, light within 4 %, noise) half are below 0.11, and
/// chains join twelve bursts of twelve to some 30 photos; of photos of LFW's people none is below 0.30. Of AT&T's 400 photos, taken
/// within minutes, 385 are left, of the 112 drawn ones 100. With 0.2 and 0.25 it would be 14 and 12 photos of the bursts, but 75 and 38 of the
/// drawn ones, so few that a drawn stranger is named.
pub const ONE_MOMENT: f64 = 0.15;

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
    let none = [0, 1].map(|_| vec![0.0; background.components()]);
    let projected = Adaptation::none(background).projected_about(raw, &none);
    joined(&projected.coordinates, is_one)
}

/// Photos (coordinates, 2k x n) of which those of one moment are one, their mean; and the person of each. `persons` are those
/// of the photos.
pub fn moments<'a>(
    background: &Background,
    raw: &'a DMatrix<f32>,
    persons: &[usize],
) -> (Cow<'a, DMatrix<f32>>, Vec<usize>) {
    let photos: Vec<usize> = (0..persons.len()).collect();
    let of_person = groups(&photos, persons);
    let of_own = |own: &Vec<usize>| {
        let moments = frames(background, &raw.select_columns(own), |_, _, difference| {
            difference < ONE_MOMENT
        });
        let in_gallery = |moment: Vec<usize>| moment.into_iter().map(|at| own[at]).collect();
        moments
            .into_iter()
            .map(in_gallery)
            .collect::<Vec<Vec<usize>>>()
    };
    let mut found: Vec<Vec<usize>> = of_person.par_iter().flat_map_iter(of_own).collect();
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

/// Photos by moment, each in increasing order; `projected` are their coordinates.
fn joined(projected: &DMatrix<f64>, is_one: impl Fn(usize, usize, f64) -> bool) -> Vec<Vec<usize>> {
    let expected = 2.0 * projected.nrows() as f64;
    let mut rest: Vec<usize> = (0..projected.ncols()).collect();
    let mut moments = Vec::new();
    while let Some(first) = rest.pop() {
        let mut frames = vec![first];
        let mut at = 0;
        while at < frames.len() {
            let frame = frames[at];
            let near = |photo: &mut usize| {
                let difference =
                    (projected.column(*photo) - projected.column(frame)).norm_squared();
                is_one(frame, *photo, difference / expected)
            };
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
            all.column_mut(frame)
                .apply(|value| *value += 0.1 * noise.normal() as f32);
        }
        let persons = [0, 0, 0, 0, 1, 1];
        let (found, of) = moments(background, &all, &persons);
        assert_eq!(of, [0, 0, 1, 1]);
        assert_eq!(
            found.column(0),
            all.select_columns(&[0, 2, 3]).column_mean()
        );
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
    fn nobody_has_no_moment() {
        let background = Background::bundled().unwrap();
        let nothing = DMatrix::zeros(2 * background.components(), 0);
        let (found, persons) = moments(background, &nothing, &[]);
        assert_eq!((&*found, persons), (&nothing, Vec::new()));
    }
}
