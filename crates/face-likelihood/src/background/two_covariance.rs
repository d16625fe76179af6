//! The two-covariance model: a photo is its person plus what differs between photos of that person.

use nalgebra::{DMatrix, DVector};

use symmetric_eigen::{self as eigen, Method};

/// `photo = person + difference`, person ~ N(0, between), difference ~ N(0, within); both k x k.
///
/// Prince & Elder, Probabilistic linear discriminant analysis for inferences about identity, ICCV 2007; Chen, Cao, Wang,
/// Wen & Sun, Bayesian face revisited, ECCV 2012.
#[derive(Debug, Clone, PartialEq)]
pub struct TwoCovariance {
    /// Covariance of people.
    pub between: DMatrix<f64>,
    /// Covariance of photos of one person about that person.
    pub within: DMatrix<f64>,
}

impl TwoCovariance {
    /// Fits to photos (k x n, centred, those of a person side by side; `counts` says how many each has) by rounds of
    /// expectation and maximisation, from the sample covariances of people with two photos or more.
    ///
    /// `None` where nobody has two photos, or covariances are singular.
    pub fn fit(photos: &DMatrix<f64>, counts: &[usize], rounds: usize) -> Option<Self> {
        let k = photos.nrows();
        let means = means(photos, counts);
        let mut model = Self::start(photos, counts, &means)?;
        for _ in 0..rounds {
            let precision = inverse(&model.within)?;
            let mut between = model.between.clone();
            let ridge = 1e-9 * between.trace() / k as f64;
            for at in 0..k {
                between[(at, at)] += ridge;
            }
            let prior = inverse(&between)?;
            let (mut sum_between, mut sum_within) = (DMatrix::zeros(k, k), DMatrix::zeros(k, k));
            let mut sizes: Vec<usize> = counts.to_vec();
            sizes.sort_unstable();
            sizes.dedup();
            for size in sizes.into_iter().filter(|&size| size > 0) {
                let people: Vec<usize> = (0..counts.len()).filter(|&at| counts[at] == size).collect();
                let covariance = inverse(&(&prior + &precision * size as f64))?;
                let gain = times(&covariance, &precision) * size as f64;
                let expected = times(&gain, &means.select_columns(&people));
                eigen::add_outer(&mut sum_between, &expected);
                sum_between += &covariance * people.len() as f64;
                eigen::add_outer(&mut sum_within, &rest(photos, counts, &people, &expected));
                sum_within += &covariance * (people.len() * size) as f64;
            }
            let people = counts.iter().filter(|&&count| count > 0).count();
            model = Self { between: sum_between / people as f64, within: sum_within / photos.ncols() as f64 };
        }
        Some(model)
    }

    fn start(photos: &DMatrix<f64>, counts: &[usize], means: &DMatrix<f64>) -> Option<Self> {
        let k = photos.nrows();
        let several: Vec<usize> = (0..counts.len()).filter(|&at| counts[at] > 1).collect();
        if several.len() < 2 {
            return None;
        }
        let own = means.select_columns(&several);
        let freedom: usize = several.iter().map(|&at| counts[at] - 1).sum();
        let mut within = DMatrix::zeros(k, k);
        eigen::add_outer(&mut within, &rest(photos, counts, &several, &own));
        let centre: DVector<f64> = own.column_mean();
        let mut about = own;
        for mut column in about.column_iter_mut() {
            column -= &centre;
        }
        let mut between = DMatrix::zeros(k, k);
        eigen::add_outer(&mut between, &about);
        Some(Self { between: between / (several.len() - 1) as f64, within: within / freedom as f64 })
    }

    /// U (k x k) and ψ (decreasing) with `Uᵀ within U = I` and `Uᵀ between U = diag(ψ)`.
    pub fn diagonalise(&self) -> Option<(DMatrix<f64>, Vec<f64>)> {
        let inverse_root = eigen::inverse_cholesky(self.within.clone())?;
        let half = times(&inverse_root, &self.between);
        let mut turned = times(&half, &inverse_root.transpose());
        turned.fill_lower_triangle_with_upper_triangle();
        let all = turned.nrows();
        let pairs = eigen::leading(turned, all, Method::Auto).ok()?;
        let directions = times(&inverse_root.transpose(), &pairs.vectors);
        Some((directions, pairs.values.iter().map(|value| value.max(0.0)).collect()))
    }
}

/// The mean of each person's photos, which lie one person's after another's (`counts` of each): k x people.
pub(super) fn means(photos: &DMatrix<f64>, counts: &[usize]) -> DMatrix<f64> {
    let mut means = DMatrix::zeros(photos.nrows(), counts.len());
    let mut from = 0;
    for (person, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        means.set_column(person, &photos.columns(from, count).column_mean());
        from += count;
    }
    means
}

/// The photos of some people less what is given for each (k x people).
fn rest(photos: &DMatrix<f64>, counts: &[usize], people: &[usize], less: &DMatrix<f64>) -> DMatrix<f64> {
    let mut starts = vec![0; counts.len()];
    for person in 1..counts.len() {
        starts[person] = starts[person - 1] + counts[person - 1];
    }
    let total: usize = people.iter().map(|&person| counts[person]).sum();
    let mut rest = DMatrix::zeros(photos.nrows(), total);
    let mut to = 0;
    for (at, &person) in people.iter().enumerate() {
        for photo in starts[person]..starts[person] + counts[person] {
            rest.set_column(to, &(photos.column(photo) - less.column(at)));
            to += 1;
        }
    }
    rest
}

fn times(left: &DMatrix<f64>, right: &DMatrix<f64>) -> DMatrix<f64> {
    eigen::product(eigen::view(left), eigen::view(right))
}

/// The inverse of a symmetric positive definite matrix.
fn inverse(matrix: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let root = eigen::inverse_cholesky(matrix.clone())?;
    Some(times(&root.transpose(), &root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use symmetric_eigen::Noise;

    /// Photos of people drawn with known variances: k = 3.
    fn drawn() -> (DMatrix<f64>, Vec<usize>) {
        let mut noise = Noise::seeded(7);
        let mut normal = move || noise.normal();
        let counts: Vec<usize> = (0..1500).map(|at| 1 + at % 4).collect();
        let mut columns = Vec::new();
        for &count in &counts {
            let person = [3.0 * normal(), 1.0 * normal(), 0.2 * normal()];
            for _ in 0..count {
                columns.push(DVector::from_fn(3, |row, _| person[row] + [1.0, 2.0, 0.5][row] * normal()));
            }
        }
        (DMatrix::from_columns(&columns), counts)
    }

    #[test]
    fn covariances_are_found_again() {
        let (photos, counts) = drawn();
        let model = TwoCovariance::fit(&photos, &counts, 20).unwrap();
        for (row, (between, within)) in [(9.0, 1.0), (1.0, 4.0), (0.04, 0.25)].into_iter().enumerate() {
            let found = (model.between[(row, row)], model.within[(row, row)]);
            assert!((found.0 - between).abs() < 0.15 * between + 0.02, "{row}: {found:?}");
            assert!((found.1 - within).abs() < 0.1 * within, "{row}: {found:?}");
        }
    }

    #[test]
    fn both_become_diagonal() {
        let (photos, counts) = drawn();
        let model = TwoCovariance::fit(&photos, &counts, 5).unwrap();
        let (directions, between) = model.diagonalise().unwrap();
        let within = directions.transpose() * &model.within * &directions;
        let people = directions.transpose() * &model.between * &directions;
        assert!((within - DMatrix::identity(3, 3)).norm() < 1e-9);
        assert!((people - DMatrix::from_diagonal(&DVector::from_vec(between.clone()))).norm() < 1e-9);
        assert!(between.is_sorted_by(|a, b| a >= b));
    }

    #[test]
    fn nobody_with_two_photos_teaches_nothing() {
        assert!(TwoCovariance::fit(&DMatrix::identity(3, 3), &[1, 1, 1], 3).is_none());
        assert!(TwoCovariance::fit(&DMatrix::identity(3, 3), &[3], 3).is_none());
    }
}
