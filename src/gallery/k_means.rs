//! A person's faces in a few groups.

use nalgebra::{DMatrix, DVector};

use super::index::squared_distance;

/// Rounds of [`k_means`] at the most; a person's few faces settle in a handful.
const ROUNDS: usize = 50;

/// Lloyd's k-means on few points (k x n). It starts from the point nearest the mean and then the farthest
/// from all chosen so far, so that the result needs no seed. Fewer centroids where points coincide.
pub(super) fn k_means(points: &DMatrix<f32>, count: usize) -> Vec<DVector<f32>> {
    if points.ncols() == 0 {
        return Vec::new();
    }
    let everything: Vec<usize> = (0..points.ncols()).collect();
    let mut centroids = vec![mean(points, &everything)];
    if count > 1 {
        centroids = spread(points, &centroids[0], count);
        for _ in 0..ROUNDS {
            let mut groups = vec![Vec::new(); centroids.len()];
            for point in 0..points.ncols() {
                groups[nearest(points, point, &centroids)].push(point);
            }
            let moved: Vec<_> = groups
                .iter()
                .filter(|group| !group.is_empty())
                .map(|group| mean(points, group))
                .collect();
            if moved == centroids {
                break;
            }
            centroids = moved;
        }
    }
    centroids
}

/// Points far from one another: the nearest to the centre, then each the farthest from those chosen.
fn spread(points: &DMatrix<f32>, centre: &DVector<f32>, count: usize) -> Vec<DVector<f32>> {
    let distance = |point: usize, to: &DVector<f32>| {
        squared_distance(points.column(point).as_slice(), to.as_slice())
    };
    let first = (0..points.ncols())
        .min_by(|&a, &b| {
            distance(a, centre)
                .total_cmp(&distance(b, centre))
                .then(a.cmp(&b))
        })
        .unwrap_or(0);
    let mut chosen = vec![points.column(first).into_owned()];
    while chosen.len() < count {
        let gap = |point: usize| {
            chosen
                .iter()
                .map(|c| distance(point, c))
                .min_by(f64::total_cmp)
                .unwrap_or(0.0)
        };
        let farthest = (0..points.ncols())
            .map(|point| (gap(point), point))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        match farthest {
            Some((gap, point)) if gap > 0.0 => chosen.push(points.column(point).into_owned()),
            _ => break,
        }
    }
    chosen
}

fn nearest(points: &DMatrix<f32>, point: usize, centroids: &[DVector<f32>]) -> usize {
    let column = points.column(point);
    let distance = |c: usize| squared_distance(column.as_slice(), centroids[c].as_slice());
    (0..centroids.len())
        .min_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)))
        .unwrap_or(0)
}

/// The mean of the chosen points, summed in double precision.
pub(super) fn mean(points: &DMatrix<f32>, chosen: &[usize]) -> DVector<f32> {
    let mut sums = vec![0.0_f64; points.nrows()];
    for &point in chosen {
        for (sum, &value) in sums.iter_mut().zip(points.column(point).as_slice()) {
            *sum += f64::from(value);
        }
    }
    let count = chosen.len() as f64;
    DVector::from_iterator(sums.len(), sums.into_iter().map(|sum| (sum / count) as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_centroids_than_faces_are_the_faces() {
        let points = DMatrix::from_row_slice(1, 2, &[0.0, 0.1]);
        assert_eq!(k_means(&points, 9).len(), 2);
        assert_eq!(
            k_means(&DMatrix::from_element(3, 4, 1.0), 3).len(),
            1,
            "identical faces"
        );
    }

    #[test]
    fn two_looks_have_two_centroids() {
        let points = DMatrix::from_row_slice(1, 4, &[0.0, 10.0, 0.1, 10.1]);
        let mut centres: Vec<f32> = k_means(&points, 2).iter().map(|centre| centre[0]).collect();
        centres.sort_by(f32::total_cmp);
        assert!((centres[0] - 0.05).abs() < 1e-6 && (centres[1] - 10.05).abs() < 1e-5);
    }
}
