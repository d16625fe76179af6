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
mod ready;
mod recall;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::clusters::{Best, Clusters, Match, Points};
use crate::pca::kernel::{BAND, Bench, Kernel, LONGEST, Laid};
use codes::{Codes, Parities, Sums, step};
pub(super) use ready::Ready;
pub use recall::Recall;

/// Points that are looked at as one: the least of their sums is kept.
const GROUP: usize = 8;

/// Points that one thread takes at a time: a few bands of the kernel.
const CHUNK: usize = 8 * BAND;

const _: () = assert!(BAND % GROUP == 0);

/// Probes that share a pass: whole bands of the kernel, whose sums stay in the cache.
const TOGETHER: usize = 5 * BAND;

/// Groups that are looked into first, for every person wanted.
const FIRST: usize = 16;

/// Groups of centroids that an approximate search looks into, for every person wanted.
const ROUGHLY: usize = 8;

/// How thoroughly the nearest people are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Search {
    /// Whoever is nearest is found.
    #[default]
    Exact,
    /// Of many probes among many people, each with a centroid: only those whose centroid is near are compared with,
    /// some dozens for every person wanted. What that misses is told by [`Clusters::recall`]. Otherwise exact, which
    /// is fast enough.
    Approximate,
}

/// Fewer probes than this, or points, are not worth a pass.
const PROBES: usize = 12;
const POINTS: usize = 1000;

impl Clusters {
    /// What [`rank`](Self::rank) gives of each query (k x m), in their order. Many together cost much less.
    pub fn rank_all(&self, queries: &DMatrix<f32>, top: usize, search: Search) -> Vec<Vec<Match>> {
        let top = top.min(self.people());
        match self.sweep_for(queries, top) {
            Some(sweep) => sweep.rank(self, queries, top, search),
            None => (0..queries.ncols())
                .into_par_iter()
                .map(|at| self.rank(queries.column(at).as_slice(), top))
                .collect(),
        }
    }

    /// The codes, where a pass over them pays.
    fn sweep_for(&self, queries: &DMatrix<f32>, top: usize) -> Option<&Sweep> {
        let points = self.kinds.first().map(|kind| kind.index.points())?;
        let pays = queries.ncols() >= PROBES
            && points.ncols() >= POINTS
            && top * 4 < self.people()
            && queries.nrows() == points.nrows()
            && queries.iter().all(|value| value.is_finite());
        if !pays {
            return None;
        }
        self.sweep.get_or_make(|| Sweep::new(&self.kinds))
    }
}

/// The points of all people as codes.
#[derive(Debug)]
pub(super) struct Sweep {
    step: f64,
    parities: Parities,
    faces: Codes,
    /// The person of each point of `faces`.
    owners: Vec<usize>,
    /// Where there is a second kind of points, one of each person: the centroid.
    centroids: Option<Centroids>,
    /// Of each chunk of faces, how far their codes and those of their people's centroids are off at the most.
    errors: Vec<(f64, f64)>,
}

#[derive(Debug)]
struct Centroids {
    codes: Codes,
    /// What their odd axes say.
    odd: Odd,
    /// The person of each.
    owners: Vec<usize>,
    /// Those of person p are from `starts[p]` to `starts[p + 1]`: one or none.
    starts: Vec<usize>,
}

impl Sweep {
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
            let mut looking = Looking {
                sweep: self,
                clusters,
                query,
                error: coded.errors[at],
                seen: HashSet::new(),
                best: Best::new(top),
            };
            match over {
                Over::Faces => looking.look(&least),
                Over::Centroids(centroids) => looking.look_roughly(&least, &centroids.owners),
            }
            looking.best.into_sorted()
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
            for probe in 0..probes.count {
                let sums = &scratch.sums[probe * BAND..][..width];
                let least = &mut least[probe * groups + (band - start) / GROUP..];
                for (least, sums) in least.iter_mut().zip(sums.chunks(GROUP)) {
                    *least = sums.iter().copied().fold(i32::MAX, i32::min);
                }
            }
        }
    }
}

/// What a pass is over.
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

/// Probes, ready to be multiplied.
struct Probes {
    count: usize,
    even: Option<Laid>,
    odd: Option<Laid>,
    /// What a sum over even axes lacks to be a squared distance, of each probe.
    even_rest: Vec<i32>,
    /// The same of the product over odd axes.
    odd_rest: Vec<i32>,
}

impl Probes {
    fn new(coded: &Codes) -> Option<Self> {
        let (count, kernel) = (coded.len(), Kernel::best());
        let (of_even, of_odd) = coded.constants();
        let lay_out = |columns| Laid::new(columns, kernel);
        let (even, odd) = (coded.even(0..count), coded.odd(0..count));
        let rest = |of: &dyn Fn(&Sums) -> i32| coded.sums.iter().map(of).collect();
        Some(Self {
            count,
            even: even
                .map(|columns| lay_out(columns).ok_or(()))
                .transpose()
                .ok()?,
            odd: odd
                .map(|columns| lay_out(columns).ok_or(()))
                .transpose()
                .ok()?,
            even_rest: rest(&|sums| sums.even - 2 * of_even),
            odd_rest: rest(&|sums| of_odd - sums.odd),
        })
    }
}

/// What the product over odd axes says of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Odd {
    /// All points are 0 there.
    Nothing,
    /// The point is what it is.
    Signed,
    /// It stands for its mirror image too: the nearer of both is meant.
    Either,
}

/// Memory of one thread.
#[derive(Default)]
struct Scratch {
    bench: Bench,
    even: Vec<i32>,
    odd: Vec<i32>,
    /// Squared distances of codes: probe by probe, as many as were summed up, in whole bands.
    sums: Vec<i32>,
    of_centroids: Vec<i32>,
    /// Of each point of a band, the place of its centroid.
    places: Vec<usize>,
}

impl Scratch {
    /// Squared distances, in steps, between all probes and some points.
    fn sum_up(&mut self, probes: &Probes, codes: &Codes, range: std::ops::Range<usize>, odd: Odd) {
        let across = range.len().div_ceil(BAND) * BAND;
        self.sums.resize(probes.count * across, 0);
        self.even.resize(probes.count * BAND, 0);
        self.odd.resize(probes.count * BAND, 0);
        let has_odd = probes.odd.is_some() && odd != Odd::Nothing;
        for start in range.clone().step_by(BAND) {
            let here = start..range.end.min(start + BAND);
            let mut multiply = |laid: &Option<Laid>, columns, into: &mut [i32]| {
                if let (Some(laid), Some(columns)) = (laid, columns) {
                    laid.products(columns, 0, &mut self.bench, into);
                }
            };
            multiply(&probes.even, codes.even(here.clone()), &mut self.even);
            if has_odd {
                multiply(&probes.odd, codes.odd(here.clone()), &mut self.odd);
            }
            let of_points = &codes.sums[here];
            for probe in 0..probes.count {
                let sums = &mut self.sums[probe * across + start - range.start..];
                let even = &self.even[probe * BAND..][..BAND];
                let rest = probes.even_rest[probe];
                for ((sum, product), point) in sums.iter_mut().zip(even).zip(of_points) {
                    // What comes out fits; what it is made of may wrap around.
                    *sum = rest
                        .wrapping_add(point.even)
                        .wrapping_sub(product.wrapping_mul(2));
                }
                if has_odd {
                    let products = &self.odd[probe * BAND..][..BAND];
                    let rest = probes.odd_rest[probe];
                    for ((sum, product), point) in sums.iter_mut().zip(products).zip(of_points) {
                        let product = product.wrapping_add(rest).wrapping_sub(point.odd);
                        let product = match odd {
                            Odd::Either => product.abs(),
                            Odd::Signed | Odd::Nothing => product,
                        };
                        *sum = sum.wrapping_sub(product.wrapping_mul(2));
                    }
                }
            }
        }
    }
}

/// A look at the people who may be nearest to one query.
struct Looking<'a> {
    sweep: &'a Sweep,
    clusters: &'a Clusters,
    query: &'a [f32],
    /// How far the query's codes are off.
    error: f64,
    seen: HashSet<usize>,
    best: Best,
}

impl Looking<'_> {
    /// `least` has the least sum of every group, chunk by chunk.
    fn look(&mut self, least: &[&[i32]]) {
        let (sweep, groups) = (self.sweep, CHUNK / GROUP);
        // The nearest few bound what is wanted, and then many are not.
        let mut looked_into = HashSet::new();
        for (sum, group) in nearest(least, FIRST * self.best.top) {
            if sum <= self.limit(group / groups) {
                self.see(group, &sweep.owners);
            }
            looked_into.insert(group);
        }
        for (chunk, sums) in least.iter().enumerate() {
            let mut limit = self.limit(chunk);
            for (at, &sum) in sums.iter().enumerate() {
                if sum <= limit && sum < i32::MAX && !looked_into.contains(&(chunk * groups + at)) {
                    self.see(chunk * groups + at, &sweep.owners);
                    limit = self.limit(chunk);
                }
            }
        }
    }

    /// Sees the people of the nearest groups, whose points belong to `owners`.
    fn look_roughly(&mut self, least: &[&[i32]], owners: &[usize]) {
        for (_, group) in nearest(least, ROUGHLY * self.best.top) {
            self.see(group, owners);
        }
    }

    /// The largest sum that somebody of a chunk can have who may be wanted.
    ///
    /// Their squared distance by each kind of points adds up to what is wanted at the most. A point and its kind's
    /// centroid, one after the other, make one point of twice as many axes; so do their codes, which are off by
    /// what both are off together.
    fn limit(&self, chunk: usize) -> i32 {
        let kinds = if self.sweep.centroids.is_some() {
            2.0
        } else {
            1.0
        };
        let (of_faces, of_centroids) = self.sweep.errors[chunk];
        let mut squared = (of_faces + self.error).powi(2);
        if self.sweep.centroids.is_some() {
            squared += (of_centroids + self.error).powi(2);
        }
        let reach = (self.best.worst() * kinds).sqrt() + squared.sqrt();
        let sum = (reach / self.sweep.step).powi(2) * (1.0 + 1e-9) + 1.0;
        // Saturates.
        sum as i32
    }

    /// Sees the people of a group of points that belong to `owners`.
    fn see(&mut self, group: usize, owners: &[usize]) {
        let owners = owners.chunks(GROUP).nth(group).unwrap_or_default();
        for &person in owners {
            if !self.seen.insert(person) {
                continue;
            }
            if let Some(squared_distance) = self.clusters.squared_distance(person, self.query) {
                self.best.offer(Match {
                    person,
                    squared_distance,
                });
            }
        }
    }
}

/// The groups of the least sums, so many of them, least first.
fn nearest(least: &[&[i32]], count: usize) -> Vec<(i32, usize)> {
    let all = least.iter().flat_map(|chunk| chunk.iter().copied());
    let mut nearest: Vec<(i32, usize)> = all.zip(0..).filter(|(sum, _)| *sum < i32::MAX).collect();
    if count < nearest.len() {
        nearest.select_nth_unstable(count);
        nearest.truncate(count);
    }
    nearest.sort_unstable();
    nearest
}
