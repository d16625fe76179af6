//! Non-maximum suppression: of candidates that overlap much, the surest is kept and takes over the others' scores.

use super::Candidate;
use vectorised::vectorised_mut;

/// Merges candidates that share more than `overlap` of their union with a surer one; the surest first.
pub(crate) fn merge(mut candidates: Vec<Candidate>, overlap: f32) -> Vec<Candidate> {
    // A stable sort: equally sure candidates stay in order.
    candidates.sort_by(|one, other| other.score.total_cmp(&one.score));
    let squares = Squares::of(&candidates);
    let mut gone = vec![false; candidates.len()];
    let mut merged = Vec::new();
    vectorised_mut(
        #[inline(always)]
        || {
            for surest in 0..candidates.len() {
                if gone[surest] {
                    continue;
                }
                let mut kept = candidates[surest];
                for first in (surest + 1..candidates.len()).step_by(BLOCK) {
                    let shares = squares.shares(surest, first, overlap);
                    if shares == [false; BLOCK] {
                        continue;
                    }
                    let block = gone[first..].iter_mut().zip(&candidates[first..]);
                    for ((gone, other), _) in block.zip(shares).filter(|(_, shares)| *shares) {
                        if !*gone {
                            kept.score += other.score;
                            *gone = true;
                        }
                    }
                }
                merged.push(kept);
            }
        },
    );
    merged
}

/// Candidates that are compared with one at a time, in vector registers.
const BLOCK: usize = 32;

/// The edges of candidates (the right and lower one beyond their last pixels), filled up with empty squares.
struct Squares {
    left: Vec<i32>,
    top: Vec<i32>,
    right: Vec<i32>,
    bottom: Vec<i32>,
}

impl Squares {
    fn of(candidates: &[Candidate]) -> Self {
        let edges = |edge: fn(&Candidate) -> i32| {
            let mut edges: Vec<i32> = candidates.iter().map(edge).collect();
            edges.resize(candidates.len() + BLOCK, 0);
            edges
        };
        Self {
            left: edges(|square| square.left),
            top: edges(|square| square.top),
            right: edges(|square| square.left + square.size),
            bottom: edges(|square| square.top + square.size),
        }
    }

    /// Which of the squares from `first` on share more than `overlap` of their union with another.
    #[inline(always)]
    fn shares(&self, other: usize, first: usize, overlap: f32) -> [bool; BLOCK] {
        let (left, top) = (self.left[other], self.top[other]);
        let (right, bottom) = (self.right[other], self.bottom[other]);
        let area = |width: i32, height: i32| width as f32 * height as f32;
        let own = area(right - left, bottom - top);
        let (lefts, rights) = (&self.left[first..][..BLOCK], &self.right[first..][..BLOCK]);
        let (tops, bottoms) = (&self.top[first..][..BLOCK], &self.bottom[first..][..BLOCK]);
        let mut shares = [false; BLOCK];
        for i in 0..BLOCK {
            let width = rights[i].min(right) - lefts[i].max(left);
            let height = bottoms[i].min(bottom) - tops[i].max(top);
            let intersection = area(width.max(0), height.max(0));
            let union = own + area(rights[i] - lefts[i], bottoms[i] - tops[i]) - intersection;
            shares[i] = intersection / union > overlap;
        }
        shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(left: i32, size: i32, score: f64) -> Candidate {
        Candidate { left, top: 0, size, score }
    }

    #[test]
    fn the_surest_of_overlapping_candidates_takes_the_scores_of_all() {
        let far = candidate(500, 40, 2.0);
        let merged = merge(vec![candidate(1, 40, 1.0), far, candidate(0, 40, 3.0)], 0.8);
        assert_eq!(merged, [candidate(0, 40, 4.0), far]);
    }

    #[test]
    fn candidates_without_extent_are_merged_with_nothing() {
        let points = vec![candidate(3, 0, 2.0), candidate(3, 0, 1.0)];
        assert_eq!(merge(points.clone(), 0.3), points);
    }

    #[test]
    fn parts_of_a_union() {
        // The first shares all of itself with the second, a third with the next, nothing with the others.
        let squares = [(0, 10), (0, 10), (5, 10), (10, 10), (0, 0)];
        let squares = Squares::of(&squares.map(|(left, size)| candidate(left, size, 0.0)));
        for (overlap, expected) in [(0.99, 1), (0.34, 1), (0.33, 2), (0.0, 2)] {
            let shares = squares.shares(0, 1, overlap);
            assert_eq!(shares.iter().filter(|shares| **shares).count(), expected);
        }
    }

    /// More candidates than are compared at a time, against the definition.
    #[test]
    fn many_candidates() {
        let many: Vec<Candidate> = (0..300)
            .map(|at| Candidate {
                left: at * 37 % 61,
                top: at * 53 % 47,
                size: 30 + at % 7,
                score: f64::from(at * 29 % 101),
            })
            .collect();
        let mut left = many.clone();
        left.sort_by(|one, other| other.score.total_cmp(&one.score));
        let mut expected = Vec::new();
        while !left.is_empty() {
            let mut kept = left.remove(0);
            left.retain(|other| {
                let shared = |a: i32, b: i32| ((a + kept.size).min(b + other.size) - a.max(b)).max(0);
                let intersection = (shared(kept.left, other.left) * shared(kept.top, other.top)) as f32;
                let union = (kept.size.pow(2) + other.size.pow(2)) as f32 - intersection;
                if intersection / union > 0.5 {
                    kept.score += other.score;
                    return false;
                }
                true
            });
            expected.push(kept);
        }
        assert_eq!(merge(many, 0.5), expected);
    }
}
