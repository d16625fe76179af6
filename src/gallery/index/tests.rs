use proptest::prelude::*;

use super::*;

fn oracle(points: &DMatrix<f32>, query: &[f32], count: usize) -> Vec<Neighbour> {
    let mut all: Vec<_> = points
        .column_iter()
        .enumerate()
        .map(|(point, column)| Neighbour {
            point,
            squared_distance: squared_distance(query, column.as_slice()),
        })
        .collect();
    all.sort();
    all.truncate(count);
    all
}

/// The distribution of the points.
#[derive(Debug, Clone, Copy)]
enum Lie {
    /// On a coarse grid, so that ties and duplicates abound.
    Grid,
    /// Normally, variances decreasing.
    Decaying,
    /// Normally, all variances alike.
    Flat,
    /// Every coordinate much like every other: axes have to be turned.
    Mixed,
    /// Tightly around few centres, far from the origin.
    Clustered,
    /// All in one place.
    Equal,
    /// All in one place but for one far away.
    Outlier,
    /// Lengths of 1.
    Angles,
}

const LIES: [Lie; 8] = [
    Lie::Grid,
    Lie::Decaying,
    Lie::Flat,
    Lie::Mixed,
    Lie::Clustered,
    Lie::Equal,
    Lie::Outlier,
    Lie::Angles,
];

/// Numbers that look random.
struct Draw(u64);

impl Draw {
    fn below(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }

    fn unit(&mut self) -> f64 {
        self.below(1 << 40) as f64 / (1_u64 << 40) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

impl Lie {
    /// The point of this number, k coordinates.
    fn point(self, k: usize, number: usize, scale: f64, draw: &mut Draw) -> Vec<f32> {
        let common = draw.normal();
        let centre = draw.below(5) as f64;
        let mut point: Vec<f64> = (0..k)
            .map(|row| match self {
                Self::Grid => (draw.below(5) as f64 - 2.0) / (row + 1) as f64,
                Self::Decaying | Self::Angles => draw.normal() / (row + 1) as f64,
                Self::Flat => draw.normal(),
                Self::Mixed => common + draw.normal() * 0.1,
                Self::Clustered => 1000.0 + centre * (row % 3) as f64 + draw.normal() * 1e-3,
                Self::Equal => 0.7,
                Self::Outlier if number == 3 => 1e6,
                Self::Outlier => 0.7,
            })
            .collect();
        if let Self::Angles = self {
            let length = point.iter().map(|v| v * v).sum::<f64>().sqrt();
            point.iter_mut().for_each(|value| *value /= length);
        }
        point.iter().map(|value| (value * scale) as f32).collect()
    }

    fn points(self, k: usize, n: usize, scale: f64, draw: &mut Draw) -> DMatrix<f32> {
        let all = (0..n).flat_map(|number| self.point(k, number, scale, draw));
        DMatrix::from_vec(k, n, all.collect())
    }
}

/// All methods against the oracle, with a query that is a point, one beside it, and one of its own.
fn agree(lie: Lie, (k, n): (usize, usize), scale: f64, count: usize, seed: u64) {
    let mut draw = Draw(seed | 1);
    let points = lie.points(k, n, scale, &mut draw);
    let there: Vec<f32> = points.column(n / 2).iter().copied().collect();
    let beside: Vec<f32> = there
        .iter()
        .map(|v| v * (1.0 + 0.1 * draw.unit() as f32))
        .collect();
    let other = lie.point(k, n, scale, &mut draw);
    let far: Vec<f32> = there.iter().map(|v| v * 100.0 + 1.0).collect();
    for method in [
        SearchMethod::Linear,
        SearchMethod::Tree,
        SearchMethod::Blocks,
    ] {
        let index = Index::with_method(points.clone(), method).unwrap();
        for query in [&there, &beside, &other, &far] {
            assert_eq!(
                index.nearest(query, count),
                oracle(&points, query, count),
                "{method:?} {lie:?} {k} x {n} at {scale:e}"
            );
        }
    }
}

proptest! {
    #[test]
    fn every_method_agrees_with_the_oracle(
        lie in proptest::sample::select(LIES.to_vec()),
        k in 1_usize..40,
        n in 1_usize..900,
        count in 1_usize..12,
        seed in any::<u64>(),
    ) {
        agree(lie, (k, n), 1.0, count, seed);
    }
}

#[test]
fn any_scale_that_is_a_number_will_do() {
    for lie in LIES {
        for scale in [1e-44, 1e-40, 1e-30, 1e-18, 1e-9, 1e9, 1e14, 1e18, 1e30] {
            agree(lie, (17, 300), scale, 3, 7);
        }
    }
}

#[test]
fn many_points_agree_too() {
    // Enough for axes to be turned, and for more than one panel of blocks.
    for lie in LIES {
        agree(lie, (20, 9_001), 1.0, 4, 11);
    }
}

#[test]
fn more_than_there_are_is_all_there_are() {
    for method in [
        SearchMethod::Auto,
        SearchMethod::Linear,
        SearchMethod::Tree,
        SearchMethod::Blocks,
    ] {
        let points = Lie::Decaying.points(5, 300, 1.0, &mut Draw(5));
        let index = Index::with_method(points.clone(), method).unwrap();
        assert_eq!(
            index.nearest(&[0.1; 5], 1000),
            oracle(&points, &[0.1; 5], 1000)
        );
        assert!(index.nearest(&[0.1; 5], 0).is_empty());
    }
}

#[test]
fn patience_changes_no_answer() {
    let mut draw = Draw(3);
    let points = Lie::Decaying.points(30, 2_000, 1.0, &mut draw);
    let index = Index::new(points.clone()).unwrap();
    assert_eq!(index.bytes(), 0);
    for _ in 0..60 {
        let query = Lie::Decaying.point(30, 0, 1.0, &mut draw);
        assert_eq!(index.nearest(&query, 3), oracle(&points, &query, 3));
    }
    assert!(index.bytes() > 0, "by then it pays");
}

#[test]
fn many_threads_may_ask_at_once() {
    use rayon::prelude::*;
    let mut draw = Draw(9);
    let points = Lie::Mixed.points(24, 20_000, 1.0, &mut draw);
    let index = Index::new(points.clone()).unwrap();
    let queries: Vec<_> = (0..200)
        .map(|_| Lie::Mixed.point(24, 0, 1.0, &mut draw))
        .collect();
    let found: Vec<_> = queries.par_iter().map(|q| index.nearest(q, 2)).collect();
    for (query, found) in queries.iter().zip(found).step_by(20) {
        assert_eq!(found, oracle(&points, query, 2));
    }
}

#[test]
fn blocks_take_less_than_a_third_of_the_points() {
    for k in [32, 64, 100, 128] {
        let points = Lie::Decaying.points(k, 10_000, 1.0, &mut Draw(3));
        let index = Index::with_method(points, SearchMethod::Blocks).unwrap();
        let share = index.bytes() as f64 / (k * 10_000 * 4) as f64;
        assert!(share < 0.3, "{k}: {share}");
    }
}

#[test]
fn many_identical_points_are_found_in_order() {
    for method in [
        SearchMethod::Linear,
        SearchMethod::Tree,
        SearchMethod::Blocks,
    ] {
        let index = Index::with_method(DMatrix::from_element(16, 1000, 0.5), method).unwrap();
        let found = index.nearest(&[0.5; 16], 5);
        let found: Vec<_> = found.iter().map(|n| n.point).collect();
        assert_eq!(found, [0, 1, 2, 3, 4]);
    }
}

#[test]
fn what_is_not_finite_is_refused() {
    assert!(Index::new(DMatrix::from_element(2, 2, f32::NAN)).is_none());
    for method in [
        SearchMethod::Auto,
        SearchMethod::Linear,
        SearchMethod::Tree,
        SearchMethod::Blocks,
    ] {
        let index = Index::with_method(DMatrix::from_element(2, 400, 1.0), method).unwrap();
        assert!(index.nearest(&[f32::INFINITY, 0.0], 1).is_empty());
        assert!(index.nearest(&[0.0, f32::NAN], 1).is_empty());
        assert!(index.nearest(&[0.0], 1).is_empty(), "wrong dimension");
        assert_eq!(index.nearest(&[f32::MAX, 0.0], 1)[0].point, 0, "far away");
        let nobody = Index::with_method(DMatrix::zeros(3, 0), method).unwrap();
        assert!(nobody.len() == 0 && nobody.nearest(&[0.0; 3], 1).is_empty());
    }
}
