//! Failures of eigenfaces: light as the first component, overfitting, and what PCA is not.

use minijinja::{Value, context};

use super::super::chart::{self, Axis, CURVES, Series};
use super::{Lesson, percent};
use crate::error::Result;
use crate::face_matrix::FaceMatrix;
use crate::face_space::FaceSpace;
use crate::pca::{ComponentCount, Pca};

/// Components that are left out, as they are mostly light (Belhumeur et al. 1997).
const OF_LIGHT: usize = 3;

/// Numbers of basis faces by which overfitting is told.
const STEPS: [usize; 6] = [1, 5, 10, 20, 40, 80];

impl Lesson<'_> {
    pub(super) fn trouble(&self) -> Result<Value> {
        let (overfitting, learned) = self.overfitting()?;
        let counts = self.gallery.counts();
        let is_enough =
            self.space.components() > OF_LIGHT + 1 && counts.len() > 1 && counts.iter().any(|&photos| photos > 1);
        Ok(context! {
            light => self.light().map(|r| format!("{:.2}", r.abs())),
            without_light => is_enough.then(|| [0, OF_LIGHT].map(|first| self.right_from(first))),
            of_light => OF_LIGHT,
            overfitting,
            learned,
            lines => self.lines(),
        })
    }

    /// The correlation between the mean gray level of a photo and its first weight; `None` where all are equally bright, and of
    /// two, where it is always whole.
    fn light(&self) -> Option<f64> {
        let levels = self.gallery.faces().faces().map(|face| {
            let sum: u64 = face.iter().map(|&level| u64::from(level)).sum();
            sum as f64 / face.len() as f64
        });
        let pairs: Vec<(f64, f64)> = levels.zip(self.weights.row(0).iter().map(|&w| f64::from(w))).collect();
        Moments::of(&pairs).correlation().filter(|_| pairs.len() > 2)
    }

    /// Photos whose nearest other photo shows the same person, by the weights from one on.
    fn right_from(&self, first: usize) -> usize {
        let counts = self.gallery.counts();
        let person = |face: usize| self.gallery.enrolled()[face].person;
        let weights = self.weights.rows(first, self.weights.nrows() - first);
        let is_right = |&face: &usize| {
            let squared = |other: usize| (weights.column(face) - weights.column(other)).norm_squared();
            let others = (0..weights.ncols()).filter(|&other| other != face);
            let nearest = others.min_by(|&a, &b| squared(a).total_cmp(&squared(b)));
            counts[person(face)] > 1 && nearest.map(person) == Some(person(face))
        };
        (0..weights.ncols()).filter(is_right).count()
    }

    /// J of every second photo, which is learned from, and of the others; and how many those are.
    fn overfitting(&self) -> Result<(Vec<Value>, usize)> {
        let faces = self.gallery.faces();
        let (learned, unseen): (Vec<usize>, Vec<usize>) = (0..faces.len()).partition(|at| at % 2 == 0);
        if unseen.is_empty() || learned.len() < 3 {
            return Ok((Vec::new(), learned.len()));
        }
        let (known, tried) = (faces.select(&learned)?, faces.select(&unseen)?);
        let Ok(components) = Pca { components: ComponentCount::Share(1.0), ..self.pca }.fit(&known) else {
            return Ok((Vec::new(), learned.len()));
        };
        let space = FaceSpace::new(faces.size(), &components);
        let error = |of: &FaceMatrix, count: usize| {
            let weights = space.project(of);
            let (mut left, mut total) = (0.0, 0.0);
            for (at, face) in of.faces().enumerate() {
                let some: Vec<f32> = weights.column(at).iter().take(count).copied().collect();
                let residual = space.residual(face, &some);
                left += residual.distance.powi(2);
                total += residual.from_mean.powi(2);
            }
            left / f64::max(total, f64::MIN_POSITIVE)
        };
        let last = space.components();
        let rows = STEPS.into_iter().filter(|&step| step < last).chain([last]).map(|count| {
            context! {
                components => count,
                learned => percent(error(&known, count)),
                unseen => percent(error(&tried, count)),
            }
        });
        Ok((rows.collect(), learned.len()))
    }

    /// Two pixels of all faces, of the middle of the forehead and of the face, with the line of PCA and that of regression; `None`
    /// where they do not differ.
    fn lines(&self) -> Option<Value> {
        let size = self.space.size();
        let (width, height) = (size.width() as usize, size.height() as usize);
        let [a, b] = [(width / 2, height / 5), (width / 2, height / 2)].map(|(x, y)| y * width + x);
        let points: Vec<(f64, f64)> =
            self.gallery.faces().faces().map(|face| (f64::from(face[a]), f64::from(face[b]))).collect();
        let moments = Moments::of(&points);
        let [pca, regression] = [moments.principal_slope()?, moments.regression_slope()?];
        let line = |slope: f64| -> Vec<(f64, f64)> {
            let at = |x: f64| moments.y + slope * (x - moments.x);
            (0..=255).map(f64::from).map(|x| (x, at(x))).filter(|(_, y)| (0.0..=255.0).contains(y)).collect()
        };
        let marks = points.iter().map(|&(x, y)| (x, y, format!("{x:.0}, {y:.0}")));
        let axis = |name: &str| Axis::numbers(name, (0.0, 255.0));
        let chart = chart::svg(
            "Two pixels of every face",
            axis("gray level of the forehead"),
            axis("gray level of the middle of the face"),
            &[
                Series::Marks(String::new(), marks.collect(), CURVES[2]),
                Series::Curve("regression".to_owned(), line(regression), CURVES[1]),
                Series::Curve("PCA".to_owned(), line(pca), CURVES[0]),
            ],
        );
        Some(context! { chart, pca => format!("{pca:.2}"), regression => format!("{regression:.2}") })
    }
}

/// Means, variances and covariance of points, each variance times their number.
struct Moments {
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Moments {
    fn of(points: &[(f64, f64)]) -> Self {
        let count = points.len().max(1) as f64;
        let x = points.iter().map(|point| point.0).sum::<f64>() / count;
        let y = points.iter().map(|point| point.1).sum::<f64>() / count;
        let sum = |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|p| of(p.0 - x, p.1 - y)).sum();
        Self { x, y, xx: sum(&|x, _| x * x), yy: sum(&|_, y| y * y), xy: sum(&|x, y| x * y) }
    }

    fn correlation(&self) -> Option<f64> {
        let scale = (self.xx * self.yy).sqrt();
        (scale > 0.0).then(|| self.xy / scale)
    }

    /// Least squares across: dy over dx of the first principal component; `None` where it stands upright.
    fn principal_slope(&self) -> Option<f64> {
        if self.xy == 0.0 {
            return (self.xx > self.yy).then_some(0.0);
        }
        let half = (self.yy - self.xx) / 2.0;
        Some((half + half.hypot(self.xy)) / self.xy)
    }

    /// Least squares upwards.
    fn regression_slope(&self) -> Option<f64> {
        (self.xx > 0.0).then(|| self.xy / self.xx)
    }
}

#[cfg(test)]
mod tests {
    use super::Moments;

    #[test]
    fn the_line_of_pca_is_steeper_than_that_of_regression() {
        let points = [(-2.0, -1.0), (-1.0, -2.0), (1.0, 2.0), (2.0, 1.0)];
        let moments = Moments::of(&points);
        assert!((moments.principal_slope().unwrap() - 1.0).abs() < 1e-12);
        assert!((moments.regression_slope().unwrap() - 0.8).abs() < 1e-12);
        assert!((moments.correlation().unwrap() - 0.8).abs() < 1e-12);
        let upright = Moments::of(&[(3.0, 0.0), (3.0, 5.0)]);
        assert_eq!((upright.principal_slope(), upright.regression_slope()), (None, None));
    }
}
