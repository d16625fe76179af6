//! A look at the few people whom a pass has left.

use std::collections::HashSet;

use super::super::clusters::{Clusters, Match, Nearest};
use super::{BatchSearch, CHUNK, GROUP};

/// Groups that are looked into first, for every person wanted.
const FIRST: usize = 16;

/// Groups of centroids that an approximate search looks into, for every person wanted.
const ROUGHLY: usize = 8;

/// A look at the people who may be nearest to one query.
pub(super) struct Rescoring<'a> {
    batch_search: &'a BatchSearch,
    /// The error of the query's codes.
    error: f64,
    nearest: Nearest<'a>,
}

impl<'a> Rescoring<'a> {
    /// For the `top` nearest to a query whose codes are off by `error`.
    pub fn new(
        batch_search: &'a BatchSearch,
        clusters: &'a Clusters,
        query: &'a [f32],
        error: f64,
        top: usize,
    ) -> Self {
        Self {
            batch_search,
            error,
            nearest: Nearest::new(clusters, query, top),
        }
    }

    /// Those found, nearest first.
    pub fn into_sorted(self) -> Vec<Match> {
        self.nearest.best.into_sorted()
    }

    /// `least` has the least sum of every group, chunk by chunk.
    pub fn look(&mut self, least: &[&[i32]]) {
        let (batch_search, groups) = (self.batch_search, CHUNK / GROUP);
        // The nearest few bound what is wanted, and then many are not.
        let mut looked_into = HashSet::new();
        for (sum, group) in nearest(least, FIRST * self.nearest.best.top) {
            if sum <= self.limit(group / groups) {
                self.see(group, &batch_search.owners);
            }
            looked_into.insert(group);
        }
        for (chunk, sums) in least.iter().enumerate() {
            let mut limit = self.limit(chunk);
            for (at, &sum) in sums.iter().enumerate() {
                if sum <= limit && sum < i32::MAX && !looked_into.contains(&(chunk * groups + at)) {
                    self.see(chunk * groups + at, &batch_search.owners);
                    limit = self.limit(chunk);
                }
            }
        }
    }

    /// Sees the people of the nearest groups, whose points belong to `owners`.
    pub fn look_roughly(&mut self, least: &[&[i32]], owners: &[usize]) {
        for (_, group) in nearest(least, ROUGHLY * self.nearest.best.top) {
            self.see(group, owners);
        }
    }

    /// The largest sum that somebody of a chunk can have who may be wanted.
    ///
    /// Their squared distance by each kind of points adds up to what is wanted at the most. A point and its kind's
    /// centroid, one after the other, make one point of twice as many axes; so do their codes, which are off by
    /// what both are off together.
    fn limit(&self, chunk: usize) -> i32 {
        let (of_faces, of_centroids) = self.batch_search.errors[chunk];
        let off = |codes: f64| (codes + self.error).powi(2);
        let (kinds, squared) = match self.batch_search.centroids {
            None => (1.0, off(of_faces)),
            Some(_) => (2.0, off(of_faces) + off(of_centroids)),
        };
        let reach = (self.nearest.best.worst() * kinds).sqrt() + squared.sqrt();
        let sum = (reach / self.batch_search.step).powi(2) * (1.0 + 1e-9) + 1.0;
        // Saturates.
        sum as i32
    }

    /// Sees the people of a group of points that belong to `owners`.
    fn see(&mut self, group: usize, owners: &[usize]) {
        let owners = owners.chunks(GROUP).nth(group).unwrap_or_default();
        for &person in owners {
            self.nearest.see(person);
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
