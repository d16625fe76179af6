//! Our side of `benches/search`: answers questions about points, one a line, with the nanoseconds each took.
//!
//! `search_worker POINTS QUERIES K PEOPLE METHOD...`: both files are of little-endian `f32`, K a row; every PEOPLE
//! rows belong to one person. Methods: `faces` and `people` (rankings of faces, each a person of its own, and of people by their means), `leading`
//! (the `kdtree` crate over 12 leading coordinates, whose distances bound those over all) and `kdtree` (over all of them).
//! A line `METHOD COUNT QUERY...` asks for the COUNT nearest to each of some queries, one after the other, each answered
//! by a line `NANOSECONDS POINT...`; with `@METHOD` for all of them together, whose time is divided.

use std::collections::HashMap;
use std::error::Error;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::time::Instant;

use eigenfaces::matcher::{Clusters, Neighbor};
use kdtree::KdTree;
use kdtree::distance::squared_euclidean;
use nalgebra::DMatrix;

enum Searcher {
    /// Over leading coordinates, and the points.
    Tree(KdTree<f32, usize, Vec<f32>>, Arc<DMatrix<f32>>, usize),
    People(Clusters),
}

impl Searcher {
    fn new(method: &str, points: &Arc<DMatrix<f32>>, of_person: usize) -> Result<Self, Box<dyn Error>> {
        let tree = |leading: usize| -> Result<Self, Box<dyn Error>> {
            let mut tree = KdTree::with_capacity(leading, 32);
            for (at, point) in points.column_iter().enumerate() {
                tree.add(point.iter().take(leading).copied().collect(), at)?;
            }
            Ok(Self::Tree(tree, Arc::clone(points), leading))
        };
        let people = |of_person| -> Result<Self, Box<dyn Error>> {
            let persons: Vec<usize> = (0..points.ncols()).map(|at| at / of_person).collect();
            let people = persons.last().map_or(0, |last| last + 1);
            let clusters = Clusters::of_faces(points, &persons, people);
            Ok(Self::People(clusters.ok_or("points that are no numbers")?))
        };
        match method {
            "leading" => tree(12.min(points.nrows())),
            "kdtree" => tree(points.nrows()),
            "faces" => people(1),
            "people" => people(of_person),
            other => Err(format!("no method {other}").into()),
        }
    }

    fn find(&self, query: &[f32], count: usize) -> Vec<usize> {
        match self {
            Self::Tree(tree, points, leading) => {
                let squared = |point: usize| squared_euclidean(query, points.column(point).as_slice());
                let mut best: Vec<(f32, usize)> = Vec::new();
                let Ok(near) = tree.iter_nearest(&query[..*leading], &squared_euclidean) else { return Vec::new() };
                for (bound, &point) in near {
                    if best.len() == count && bound * 0.999_99 > best[count - 1].0 {
                        break;
                    }
                    best.push((squared(point), point));
                    best.sort_by(|a, b| a.0.total_cmp(&b.0));
                    best.truncate(count);
                }
                best.into_iter().map(|(_, point)| point).collect()
            }
            Self::People(clusters) => named(&clusters.rank(query, count)),
        }
    }

    fn find_all(&self, queries: &DMatrix<f32>, count: usize) -> Vec<Vec<usize>> {
        match self {
            Self::Tree(..) => {
                let columns = queries.column_iter();
                columns.map(|query| self.find(query.as_slice(), count)).collect()
            }
            Self::People(clusters) => {
                let ranked = clusters.rank_all(queries, count);
                ranked.iter().map(|ranked| named(ranked)).collect()
            }
        }
    }
}

fn named(ranked: &[Neighbor]) -> Vec<usize> {
    ranked.iter().map(|found| found.person).collect()
}

fn read(path: &str, k: usize) -> Result<DMatrix<f32>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let values = bytes.as_chunks::<4>().0.iter().map(|&value| f32::from_le_bytes(value));
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
        writeln!(out, "{method} {}", start.elapsed().as_nanos())?;
        searchers.insert(method.as_str(), searcher);
    }
    writeln!(out, "ready")?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let [method, count, asked @ ..] = &words[..] else { return Err("METHOD COUNT QUERY...".into()) };
        let count = count.parse()?;
        let asked: Vec<usize> = asked.iter().map(|at| at.parse()).collect::<Result<_, _>>()?;
        let mut answers = Vec::new();
        if let Some(method) = method.strip_prefix('@') {
            let together = queries.select_columns(&asked);
            let start = Instant::now();
            let found = searchers[method].find_all(&together, count);
            let each = start.elapsed() / asked.len().max(1) as u32;
            answers.extend(found.into_iter().map(|found| (each, found)));
        } else {
            for at in asked {
                let column = queries.column(at);
                let start = Instant::now();
                let found = searchers[*method].find(column.as_slice(), count);
                answers.push((start.elapsed(), found));
            }
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
