//! Ranking people for many probes at once, with codes that are made when first they pay.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::{BatchSearch, POINTS, PROBES, Search};
use crate::gallery::built_once::BuiltOnce;
use crate::gallery::clusters::{Clusters, Match};

/// Ranks the people of one gallery for many probes at once. The codes that this takes are made when first they pay, and
/// kept.
#[derive(Debug, Default)]
pub struct BatchRanking {
    batch_search: BuiltOnce<Box<BatchSearch>>,
}

impl BatchRanking {
    /// The ranking by [`Clusters::rank`] of each query (k x m), in their order. Many together cost much less. The clusters
    /// must be the same ones every time.
    pub fn rank_all(
        &self,
        clusters: &Clusters,
        queries: &DMatrix<f32>,
        top: usize,
        search: Search,
    ) -> Vec<Vec<Match>> {
        let top = top.min(clusters.people());
        match self.codes(clusters, queries, top) {
            Some(batch_search) => batch_search.rank(clusters, queries, top, search),
            None => (0..queries.ncols())
                .into_par_iter()
                .map(|at| clusters.rank(queries.column(at).as_slice(), top))
                .collect(),
        }
    }

    /// The codes, where a pass over them pays.
    pub(super) fn codes(
        &self,
        clusters: &Clusters,
        queries: &DMatrix<f32>,
        top: usize,
    ) -> Option<&BatchSearch> {
        let points = clusters.kinds.first().map(|kind| kind.index.points())?;
        let pays = queries.ncols() >= PROBES
            && points.ncols() >= POINTS
            && top * 4 < clusters.people()
            && queries.nrows() == points.nrows()
            && queries.iter().all(|value| value.is_finite());
        if !pays {
            return None;
        }
        let build = || BatchSearch::new(&clusters.kinds).map(Box::new);
        self.batch_search
            .get_or_build(|| true, build)
            .map(Box::as_ref)
    }
}
