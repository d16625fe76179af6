//! The people nearest to many probes at once, exactly: one pass over all points for all of them.
//!
//! One probe alone waits for memory: it needs every point once. Many probes share what was read, and then it is
//! arithmetic that takes the time. So points become codes of 8 bits ([`codes`]), whose squared distances to the
//! probes' codes are products of bytes, summed exactly by the integer kernels of [`crate::pca::kernel`]. Where points
//! come in pairs of a face and its mirror image, half of the products tell both: with the sum E over the axes that a
//! mirror keeps and O over those that it turns, the products are E + O and E - O, and the nearer of both has E + |O|.
//!
//! A distance between codes, less what both codes are off, is never longer than the true one. So after the pass a few
//! people remain who may be the nearest; of these the distance is computed as anywhere else, and the answer is that of
//! looking at everybody, ties included.

mod codes;
mod lazy;
mod products;
mod recall;
mod rescoring;
#[cfg(test)]
mod tests;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::clusters::{Clusters, Match, Points};
use crate::pca::kernel::{BAND, LONGEST};
use crate::vectors::vectorised_mut;
use codes::{Codes, Parities, step};
pub use lazy::BatchRanking;
use products::{Odd, Probes, Scratch};
pub use recall::Recall;
use rescoring::Rescoring;

/// Points that are looked at as one: the least of their sums is kept.
const GROUP: usize = 8;

/// Points that one thread takes at a time: a few bands of the kernel.
const CHUNK: usize = 8 * BAND;

const _: () = assert!(BAND.is_multiple_of(GROUP));

/// Probes that share a pass: whole bands of the kernel, whose sums stay in the cache.
const TOGETHER: usize = 5 * BAND;

/// Thoroughness of the search for the nearest people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Search {
    /// Whoever is nearest is found.
    #[default]
    Exact,
    /// Of many probes among many people, each with a centroid: only those whose centroid is near are compared with,
    /// some dozens for every person wanted. What that misses is told by [`BatchRanking::recall`]. Otherwise exact, which
    /// is fast enough.
    Approximate,
}

/// Fewer probes than this, or points, are not worth a pass.
const PROBES: usize = 12;
const POINTS: usize = 1000;

/// The points of all people as codes.
#[derive(Debug)]
pub(super) struct BatchSearch {
    step: f64,
    parities: Parities,
    faces: Codes,
    /// The person of each point of `faces`.
    owners: Vec<usize>,
    /// The second kind of points, where there is one, with one point of each person: the centroid.
    centroids: Option<Centroids>,
    /// Of each chunk of faces, how far their codes and those of their people's centroids are off at the most.
    errors: Vec<(f64, f64)>,
}

#[derive(Debug)]
struct Centroids {
    codes: Codes,
    /// The part of the odd axes in their distances.
    odd: Odd,
    /// The person of each.
    owners: Vec<usize>,
    /// Those of person p are from `starts[p]` to `starts[p + 1]`: one or none.
    starts: Vec<usize>,
}

impl BatchSearch {
    /// The points of all kinds as codes. `None` where they cannot be swept over: no points, too many axes, values
    /// beyond the range of codes, or kinds of points that are not faces and one centroid of each.
    pub fn new(kinds: &[Points]) -> Option<Self> {
        let (first, further) = kinds.split_first()?;
        let points = first.index.points();
        let k = points.nrows();
        if k == 0 || k > LONGEST || points.ncols() == 0 || further.len() > 1 {
            return None;
        }
        let step = step(points)?;
        let (parities, every) = match Parities::of_pairs(points, &first.owners) {
            Some(parities) => (parities, 2),
            None => (Parities::none(k), 1),
        };
        let faces = Codes::of(points, every, &parities, step);
        let owners: Vec<usize> = first.owners.iter().copied().step_by(every).collect();
        let centroids = match further.first() {
            None => None,
            Some(kind) => {
                let is_one = kind.starts.windows(2).all(|pair| pair[1] - pair[0] <= 1);
                let has_one = |&person: &usize| kind.starts[person + 1] > kind.starts[person];
                if !is_one || !owners.iter().all(has_one) {
                    return None;
                }
                let codes = Codes::of(kind.index.points(), 1, &parities, step);
                let odd = if codes.is_symmetric() {
                    Odd::Nothing
                } else {
                    Odd::Signed
                };
                Some(Centroids {
                    codes,
                    odd,
                    owners: kind.owners.clone(),
                    starts: kind.starts.clone(),
                })
            }
        };
        let largest = |errors: &[f64]| errors.iter().copied().fold(0.0, f64::max);
        let errors = (0..faces.len()).step_by(CHUNK).map(|start| {
            let end = faces.len().min(start + CHUNK);
            let of_centroids = centroids.as_ref().map_or(0.0, |centroids| {
                let range = centroids.of_people(&owners[start..end]);
                largest(&centroids.codes.errors[range])
            });
            (largest(&faces.errors[start..end]), of_centroids)
        });
        let errors = errors.collect();
        Some(Self {
            step,
            parities,
            faces,
            owners,
            centroids,
            errors,
        })
    }

    /// The `top` nearest people to each query (k x m, finite), nearest first: what [`Clusters::rank`] gives.
    fn rank(
        &self,
        clusters: &Clusters,
        queries: &DMatrix<f32>,
        top: usize,
        search: Search,
    ) -> Vec<Vec<Match>> {
        let mut ranked = Vec::with_capacity(queries.ncols());
        for first in (0..queries.ncols()).step_by(TOGETHER) {
            let count = TOGETHER.min(queries.ncols() - first);
            let together = queries.columns(first, count).into_owned();
            ranked.extend(self.rank_together(clusters, &together, top, search));
        }
        ranked
    }

    fn rank_together(
        &self,
        clusters: &Clusters,
        queries: &DMatrix<f32>,
        top: usize,
        search: Search,
    ) -> Vec<Vec<Match>> {
        let coded = Codes::of(queries, 1, &self.parities, self.step);
        let Some(probes) = Probes::new(&coded) else {
            let one = |query: &[f32]| clusters.rank(query, top);
            return queries
                .as_slice()
                .par_chunks(queries.nrows())
                .map(one)
                .collect();
        };
        let m = queries.ncols();
        let groups = CHUNK / GROUP;
        let over = match (search, &self.centroids) {
            (Search::Approximate, Some(centroids)) => Over::Centroids(centroids),
            _ => Over::Faces,
        };
        let points = match over {
            Over::Faces => self.faces.len(),
            Over::Centroids(centroids) => centroids.codes.len(),
        };
        let mut least = vec![i32::MAX; points.div_ceil(CHUNK) * m * groups];
        least.par_chunks_mut(m * groups).enumerate().for_each_init(
            Scratch::default,
            |scratch, (chunk, least)| {
                self.pass(over, chunk, &probes, scratch, least);
            },
        );
        let of_query = |at: usize| {
            let chunks = least.chunks_exact(m * groups);
            let least: Vec<&[i32]> = chunks.map(|all| &all[at * groups..][..groups]).collect();
            let query = queries.as_slice();
            let query = &query[at * queries.nrows()..][..queries.nrows()];
            let mut looking = Rescoring::new(self, clusters, query, coded.errors[at], top);
            match over {
                Over::Faces => looking.look(&least),
                Over::Centroids(centroids) => looking.look_roughly(&least, &centroids.owners),
            }
            looking.into_sorted()
        };
        (0..m).into_par_iter().map(of_query).collect()
    }

    /// The least sums of the groups of a chunk, for each probe. Of faces, those of their people's centroids are added.
    fn pass(
        &self,
        over: Over<'_>,
        chunk: usize,
        probes: &Probes,
        scratch: &mut Scratch,
        least: &mut [i32],
    ) {
        let (start, groups) = (chunk * CHUNK, CHUNK / GROUP);
        let (codes, odd, added) = match over {
            Over::Faces => (&self.faces, Odd::Either, self.centroids.as_ref()),
            Over::Centroids(centroids) => (&centroids.codes, centroids.odd, None),
        };
        let end = codes.len().min(start + CHUNK);
        let added = added.map(|centroids| {
            let range = centroids.of_people(&self.owners[start..end]);
            scratch.sum_up(probes, &centroids.codes, range.clone(), centroids.odd);
            std::mem::swap(&mut scratch.sums, &mut scratch.of_centroids);
            (centroids, range)
        });
        for band in (start..end).step_by(BAND) {
            let range = band..end.min(band + BAND);
            let width = range.len();
            scratch.sum_up(probes, codes, range.clone(), odd);
            if let Some((centroids, of_chunk)) = &added {
                let across = of_chunk.len().next_multiple_of(BAND);
                let place = |&owner: &usize| centroids.starts[owner] - of_chunk.start;
                scratch.places.clear();
                scratch.places.extend(self.owners[range].iter().map(place));
                for probe in 0..probes.count {
                    let of_centroids = &scratch.of_centroids[probe * across..][..across];
                    let sums = &mut scratch.sums[probe * BAND..][..width];
                    for (sum, &place) in sums.iter_mut().zip(&scratch.places) {
                        *sum += of_centroids[place];
                    }
                }
            }
            let first = (band - start) / GROUP;
            vectorised_mut(
                #[inline(always)]
                || {
                    for probe in 0..probes.count {
                        let sums = &scratch.sums[probe * BAND..][..width];
                        least_of_groups(sums, &mut least[probe * groups + first..]);
                    }
                },
            );
        }
    }
}

/// The least sum of each group.
#[inline(always)]
fn least_of_groups(sums: &[i32], least: &mut [i32]) {
    for (least, sums) in least.iter_mut().zip(sums.chunks(GROUP)) {
        *least = sums.iter().copied().fold(i32::MAX, i32::min);
    }
}

/// The points of a pass.
#[derive(Clone, Copy)]
enum Over<'a> {
    Faces,
    Centroids(&'a Centroids),
}

impl Centroids {
    /// The centroids of people who stand in this order, each of whom has one.
    fn of_people(&self, owners: &[usize]) -> std::ops::Range<usize> {
        match (owners.first(), owners.last()) {
            (Some(&first), Some(&last)) => self.starts[first]..self.starts[last + 1],
            _ => 0..0,
        }
    }
}
