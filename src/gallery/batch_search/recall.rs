//! The recall of an approximate search, measured on the gallery itself.

use nalgebra::DMatrix;

use super::{BatchRanking, Clusters, Search};

/// People told of each face, besides its own: as many as identifying asks for.
const OTHERS: usize = 2;

/// Share of the nearest faces and people that an approximate search finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recall {
    /// Faces of the gallery that were tried.
    pub faces: usize,
    /// People who were to be found: of each face the nearest two besides its own person, who is too easy to find.
    pub wanted: usize,
    /// Those who were.
    pub found: usize,
}

impl Recall {
    /// The share that was found, 0 to 1.
    pub fn share(&self) -> f64 {
        self.found as f64 / self.wanted.max(1) as f64
    }
}

impl BatchRanking {
    /// Tries up to so many of the enrolled faces, evenly chosen. `None` where [`Search::Approximate`] is exact here,
    /// for there are few points, or people without a centroid beside their faces.
    pub fn recall(&self, clusters: &Clusters, faces: usize) -> Option<Recall> {
        let [kind, _] = &clusters.kinds[..] else {
            return None;
        };
        let points = kind.index.points();
        let faces = faces.min(points.ncols());
        let tried: Vec<usize> = (0..faces).map(|at| at * points.ncols() / faces).collect();
        let columns = tried.iter().flat_map(|&at| points.column(at));
        let queries = DMatrix::from_iterator(points.nrows(), faces, columns.copied());
        self.codes(clusters, &queries, OTHERS + 1)?;
        let of = |search| self.rank_all(clusters, &queries, OTHERS + 1, search);
        let (exact, rough) = (of(Search::Exact), of(Search::Approximate));
        let (mut wanted, mut found) = (0, 0);
        for ((exact, rough), &at) in exact.iter().zip(&rough).zip(&tried) {
            let others = exact.iter().filter(|m| m.person != kind.owners[at]);
            for other in others.take(OTHERS) {
                wanted += 1;
                found += usize::from(rough.iter().any(|m| m.person == other.person));
            }
        }
        Some(Recall {
            faces,
            wanted,
            found,
        })
    }
}
