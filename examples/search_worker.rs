//! Our side of `benches/search`: answers questions about points, one a line, with the nanoseconds each took.
//!
//! `search_worker POINTS QUERIES K PEOPLE METHOD...`: both files are of little-endian `f32`, K a row; every PEOPLE
//! rows belong to one person. Methods: `blocks`, `linear`, `leading` (the `kdtree` crate over leading coordinates), `kdtree`
//! (the same crate over all of them), and `people` (ranking, rule `auto`).
//! A line `METHOD COUNT QUERY...` asks for the COUNT nearest to each of some queries, one after the other; each is
//! answered by a line `NANOSECONDS POINT...`.

use std::collections::HashMap;
use std::error::Error;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::time::Instant;

use eigenfaces::gallery::{ClusterRule, Clusters, Index, SearchMethod};
use eigenfaces::metric::Measure;
use kdtree::KdTree;
use kdtree::distance::squared_euclidean;
use nalgebra::DMatrix;

enum Searcher {
    Index(Index),
    Tree(KdTree<f32, usize, Vec<f32>>),
    People(Clusters),
}

impl Searcher {
    fn new(
        method: &str,
        points: &Arc<DMatrix<f32>>,
        of_person: usize,
    ) -> Result<Self, Box<dyn Error>> {
        let index = |method| {
            let index = Index::with_method(Arc::clone(points), method);
            index.map(Self::Index).ok_or("points that are no numbers")
        };
        Ok(match method {
            "blocks" => index(SearchMethod::Blocks)?,
            "linear" => index(SearchMethod::Linear)?,
            "leading" => index(SearchMethod::Tree)?,
            "kdtree" => {
                let mut tree = KdTree::with_capacity(points.nrows(), 32);
                for (at, point) in points.column_iter().enumerate() {
                    tree.add(point.iter().copied().collect(), at)?;
                }
                Self::Tree(tree)
            }
            "people" => {
                let persons: Vec<usize> = (0..points.ncols()).map(|at| at / of_person).collect();
                let people = persons.last().map_or(0, |last| last + 1);
                let rule = ClusterRule::Auto;
                let clusters = Clusters::new(
                    Arc::clone(points),
                    &persons,
                    people,
                    rule,
                    Measure::Euclidean,
                );
                let clusters = clusters.ok_or("points that are no numbers")?;
                // Asked so often that it is worth a better search than looking at everybody.
                let nobody = vec![0.0; points.nrows()];
                for _ in 0..30 {
                    clusters.rank(&nobody, 1);
                }
                Self::People(clusters)
            }
            other => return Err(format!("no method {other}").into()),
        })
    }

    fn find(&self, query: &[f32], count: usize) -> Vec<usize> {
        match self {
            Self::Index(index) => index
                .nearest(query, count)
                .iter()
                .map(|n| n.point)
                .collect(),
            Self::Tree(tree) => tree
                .nearest(query, count, &squared_euclidean)
                .map(|found| found.iter().map(|(_, point)| **point).collect())
                .unwrap_or_default(),
            Self::People(clusters) => clusters
                .rank(query, count)
                .iter()
                .map(|m| m.person)
                .collect(),
        }
    }
}

fn read(path: &str, k: usize) -> Result<DMatrix<f32>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let values = bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|&value| f32::from_le_bytes(value));
    let values: Vec<f32> = values.collect();
    Ok(DMatrix::from_vec(k, values.len() / k, values))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [points, queries, k, of_person, methods @ ..] = &arguments[..] else {
        return Err("POINTS QUERIES K PEOPLE METHOD...".into());
    };
    let (k, of_person) = (k.parse()?, of_person.parse()?);
    let (points, queries) = (Arc::new(read(points, k)?), read(queries, k)?);
    let mut searchers = HashMap::new();
    let mut out = std::io::stdout().lock();
    for method in methods {
        let start = Instant::now();
        let searcher = Searcher::new(method, &points, of_person)?;
        let bytes = match &searcher {
            Searcher::Index(index) => index.bytes(),
            _ => 0,
        };
        writeln!(out, "{method} {} {bytes}", start.elapsed().as_nanos())?;
        searchers.insert(method.as_str(), searcher);
    }
    writeln!(out, "ready")?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let [method, count, asked @ ..] = &words[..] else {
            return Err("METHOD COUNT QUERY...".into());
        };
        let (searcher, count) = (&searchers[*method], count.parse()?);
        let mut answers = Vec::new();
        for query in asked {
            let column = queries.column(query.parse()?);
            let start = Instant::now();
            let found = searcher.find(column.as_slice(), count);
            answers.push((start.elapsed(), found));
        }
        for (took, found) in answers {
            write!(out, "{}", took.as_nanos())?;
            found.iter().try_for_each(|point| write!(out, " {point}"))?;
            writeln!(out)?;
        }
        out.flush()?;
    }
    Ok(())
}
