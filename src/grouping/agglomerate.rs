//! Joining groups, the highest score first.

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};

use super::Constraints;
use super::cluster::{Cluster, Model};

/// The score of two groups, named by one of their faces each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Link {
    pub score: f64,
    pub between: [usize; 2],
    /// Number of times that each of the two had been joined when the score was computed.
    versions: [u32; 2],
}

impl Link {
    /// Between two single faces.
    pub fn new(score: f64, between: [usize; 2]) -> Self {
        Self { score, between, versions: [0; 2] }
    }
}

impl Eq for Link {}

impl Ord for Link {
    /// By score; of equal ones the earlier faces come first.
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.between.cmp(&self.between))
    }
}

impl PartialOrd for Link {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

pub(super) struct Agglomeration {
    model: Model,
    /// By name: the group's smallest face so far that it was joined under. `None` once it is part of another.
    clusters: Vec<Option<Cluster>>,
    versions: Vec<u32>,
    /// The names of groups that each is linked with.
    neighbours: Vec<BTreeSet<usize>>,
    /// The photos that each group's faces stem from.
    photos: Vec<BTreeSet<usize>>,
    /// The names of groups that each may not be joined with.
    apart: Vec<BTreeSet<usize>>,
    links: BinaryHeap<Link>,
}

impl Agglomeration {
    /// Of single faces.
    pub fn new(model: Model, faces: Vec<Cluster>, constraints: Constraints<'_>) -> Self {
        let count = faces.len();
        let mut apart = vec![BTreeSet::new(); count];
        for &(one, other) in constraints.apart {
            if one < count && other < count && one != other {
                apart[one].insert(other);
                apart[other].insert(one);
            }
        }
        let photos = (0..count).map(|face| constraints.photos.get(face).copied().into_iter().collect());
        Self {
            model,
            clusters: faces.into_iter().map(Some).collect(),
            versions: vec![0; count],
            neighbours: vec![BTreeSet::new(); count],
            photos: photos.collect(),
            apart,
            links: BinaryHeap::new(),
        }
    }

    pub fn offer(&mut self, links: Vec<Link>) {
        for link in &links {
            let [one, other] = link.between;
            self.neighbours[one].insert(other);
            self.neighbours[other].insert(one);
        }
        self.links.extend(links);
    }

    /// Joins groups as long as their score is at least the threshold.
    pub fn join(&mut self, threshold: f64) {
        while self.links.peek().is_some_and(|link| link.score >= threshold) {
            let Some(link) = self.links.pop() else { break };
            if self.is_current(&link) && !self.must_stay_apart(link.between) {
                self.merge(link.between);
            }
        }
    }

    /// The strongest links that are left, if they are this strong.
    pub fn likely(&mut self, least: f64, most: usize) -> Vec<Link> {
        let mut likely = Vec::new();
        while likely.len() < most
            && let Some(link) = self.links.pop()
            && link.score >= least
        {
            if self.is_current(&link) && !self.must_stay_apart(link.between) {
                likely.push(link);
            }
        }
        likely
    }

    /// Each group's name and faces.
    pub fn into_groups(self) -> Vec<(usize, Vec<usize>)> {
        let groups = self.clusters.into_iter().enumerate();
        groups.filter_map(|(name, cluster)| cluster.map(|cluster| (name, cluster.faces))).collect()
    }

    /// Whether the score is still that of the two groups.
    fn is_current(&self, link: &Link) -> bool {
        let mut groups = link.between.into_iter().zip(link.versions);
        groups.all(|(name, version)| self.clusters[name].is_some() && self.versions[name] == version)
    }

    fn must_stay_apart(&self, [one, other]: [usize; 2]) -> bool {
        self.apart[one].contains(&other) || !self.photos[one].is_disjoint(&self.photos[other])
    }

    /// Makes the second group part of the first, and scores it anew against its neighbours.
    fn merge(&mut self, [into, from]: [usize; 2]) {
        let (Some(one), Some(other)) = (self.clusters[into].take(), self.clusters[from].take()) else { return };
        let joined = one.join(&other, &self.model);
        self.versions[into] += 1;
        let photos = std::mem::take(&mut self.photos[from]);
        self.photos[into].extend(photos);
        for other in std::mem::take(&mut self.apart[from]) {
            self.apart[other].remove(&from);
            self.apart[other].insert(into);
            self.apart[into].insert(other);
        }
        for other in std::mem::take(&mut self.neighbours[from]) {
            self.neighbours[other].remove(&from);
            if other != into {
                self.neighbours[other].insert(into);
                self.neighbours[into].insert(other);
            }
        }
        self.neighbours[into].remove(&from);
        for &other in &self.neighbours[into] {
            let Some(neighbour) = &self.clusters[other] else { continue };
            let between = [into.min(other), into.max(other)];
            let versions = between.map(|name| self.versions[name]);
            self.links.push(Link { score: joined.score(neighbour), between, versions });
        }
        self.clusters[into] = Some(joined);
    }
}
