//! A symmetric matrix to tridiagonal form by Householder reflections, and vectors back.
//!
//! Source: G. H. Golub & C. F. Van Loan, "Matrix Computations" (2013), 8.3.1 (reduction) and 5.1.7 (blocks of reflections
//! as I - V T Vᵀ). Different from the textbook: the update of one step and the product with the next step's vector are one
//! pass over the matrix, which takes longer to come from memory than to be multiplied.

use std::ops::Range;

use nalgebra::DMatrix;
use pulp::Simd;
use rayon::prelude::*;

use super::dense;
use super::symmetric::strips;

/// Columns updated together: the vectors beside them are loaded once for all.
const GROUP: usize = 4;
/// Columns that are left below which one thread is faster than several.
const ALONE: usize = 512;
/// Parts of the columns that are left, of about the same area.
const STRIPS: usize = 4;
/// Reflections applied at once.
const BLOCK: usize = 32;

/// The diagonal (n) and the off-diagonal (n - 1) of a tridiagonal matrix.
#[derive(Debug, Clone)]
pub struct Diagonals {
    pub main: Vec<f64>,
    pub off: Vec<f64>,
}

/// Reflections H = I - τ v vᵀ that took a symmetric matrix to tridiagonal form. v of reflection j is 1 in row j + 1,
/// and below it what stands in column j of that matrix.
pub struct Reflections(Vec<f64>);

/// Reduces a symmetric matrix to `T = Qᵀ A Q`. Only the lower triangle and the diagonal are read, and only they are
/// overwritten: the strict upper triangle still holds `A` afterwards.
pub fn tridiagonalise(matrix: &mut DMatrix<f64>) -> (Diagonals, Reflections) {
    let n = matrix.nrows();
    let numbers = matrix.as_mut_slice();
    let (mut main, mut off, mut scales) = (Vec::new(), Vec::new(), Vec::new());
    // The update that is due, A ← A - v wᵀ - w vᵀ, of the rows from the current column on.
    let (mut v, mut w) = (vec![0.0; n], vec![0.0; n]);
    for j in 0..n {
        let (before, rest) = numbers.split_at_mut((j + 1) * n);
        let column = &mut before[j * n + j..];
        for (i, a) in column.iter_mut().enumerate() {
            *a -= v[i] * w[0] + w[i] * v[0];
        }
        main.push(column[0]);
        if j + 1 == n {
            break;
        }
        let (length, scale) = reflect(&mut column[1..]);
        off.push(length);
        scales.push(scale);
        let mut next = column[1..].to_vec();
        next[0] = 1.0;
        let mut image = update_and_multiply(rest, n, &v[1..], &w[1..], &next);
        let along: f64 = image.iter().zip(&next).map(|(y, v)| y * v).sum();
        for (y, v) in image.iter_mut().zip(&next) {
            *y = scale * (*y - 0.5 * scale * along * v);
        }
        (v, w) = (next, image);
    }
    (Diagonals { main, off }, Reflections(scales))
}

/// Makes x the vector (without its first entry, 1) that reflects it to a multiple of the first unit vector. That, and τ.
fn reflect(x: &mut [f64]) -> (f64, f64) {
    let Some((first, rest)) = x.split_first_mut() else { return (0.0, 0.0) };
    let squares: f64 = rest.iter().map(|x| x * x).sum();
    if squares == 0.0 {
        rest.fill(0.0);
        return (*first, 0.0);
    }
    let length = -(*first * *first + squares).sqrt().copysign(*first);
    let scale = (length - *first) / length;
    let pivot = *first - length;
    rest.iter_mut().for_each(|x| *x /= pivot);
    (length, scale)
}

/// `A ← A - v wᵀ - w vᵀ`, and `A x` of what comes out, of the lower right corner (r x r, the lower triangle of it) of a
/// matrix whose last r columns, of n rows each, are given. r is the length of all vectors.
fn update_and_multiply(columns: &mut [f64], n: usize, v: &[f64], w: &[f64], x: &[f64]) -> Vec<f64> {
    let r = x.len();
    let strips = strips(r, if r < ALONE { 1 } else { STRIPS }, GROUP);
    let mut rest = columns;
    let mut parts = Vec::with_capacity(strips.len());
    for strip in strips {
        let (own, later) = rest.split_at_mut(strip.len() * n);
        rest = later;
        parts.push((strip.clone(), own, vec![0.0; r - strip.start]));
    }
    let each = |(strip, columns, image): &mut (Range<usize>, &mut [f64], Vec<f64>)| {
        let above = n - r + strip.start;
        let [v, w, x] = [v, w, x].map(|vector| &vector[strip.start..]);
        pulp::Arch::new().dispatch(Corner { columns, n, above, v, w, x, image });
    };
    match &mut parts[..] {
        [one] => each(one),
        several => several.par_iter_mut().for_each(each),
    }
    let mut parts = parts.into_iter();
    let (_, _, mut image) = parts.next().unwrap_or_default();
    for (strip, _, part) in parts {
        for (sum, value) in image[strip.start..].iter_mut().zip(part) {
            *sum += value;
        }
    }
    image
}

/// Some columns of the corner. Compiled once for each instruction set.
struct Corner<'a> {
    /// Of n rows each.
    columns: &'a mut [f64],
    n: usize,
    /// Rows above the diagonal entry of the first of them.
    above: usize,
    /// From the first column's row on.
    v: &'a [f64],
    w: &'a [f64],
    x: &'a [f64],
    image: &'a mut [f64],
}

impl pulp::WithSimd for Corner<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { columns, n, above, v, w, x, image } = self;
        for (group, columns) in columns.chunks_mut(GROUP * n).enumerate() {
            let first = group * GROUP;
            // The triangle on the diagonal.
            for (c, column) in columns.chunks_exact_mut(n).enumerate() {
                let c = first + c;
                let end = (first + GROUP).min(x.len());
                let entries = &mut column[above + c..above + end];
                let mut sum = 0.0;
                for (i, a) in (c..end).zip(entries) {
                    *a -= v[i] * w[c] + w[i] * v[c];
                    if i > c {
                        image[i] += *a * x[c];
                    }
                    sum += *a * x[i];
                }
                image[c] += sum;
            }
            if first + GROUP >= x.len() {
                break;
            }
            let below = first + GROUP;
            let mut lines = columns.chunks_exact_mut(n);
            let lines: [&mut [f64]; GROUP] = std::array::from_fn(|_| {
                let column = lines.next().unwrap_or_default();
                &mut column[above + below..]
            });
            let own = |vector: &[f64]| std::array::from_fn(|c| vector[first + c]);
            let factors = [own(v), own(w), own(x)];
            let (head, tail) = image.split_at_mut(below);
            let beside = [&v[below..], &w[below..], &x[below..]];
            let sums = pass(simd, lines, factors, beside, tail);
            for (image, sum) in head[first..].iter_mut().zip(sums) {
                *image += sum;
            }
        }
    }
}

/// Updates a group of columns below the diagonal's triangle, adds them to the product's rows; their inner products with x.
#[inline(always)]
fn pass<S: Simd>(
    simd: S,
    mut lines: [&mut [f64]; GROUP],
    [own_v, own_w, own_x]: [[f64; GROUP]; 3],
    [v, w, x]: [&[f64]; 3],
    image: &mut [f64],
) -> [f64; GROUP] {
    let rows = image.len();
    let registers = rows / S::F64_LANES;
    let whole = registers * S::F64_LANES;
    let splat = |own: [f64; GROUP]| {
        let mut splatted = [simd.splat_f64s(0.0); GROUP];
        for c in 0..GROUP {
            splatted[c] = simd.splat_f64s(own[c]);
        }
        splatted
    };
    let (of_v, of_w, of_x) = (splat(own_v.map(|x| -x)), splat(own_w.map(|x| -x)), splat(own_x));
    let mut dots = splat([0.0; GROUP]);
    {
        let wide = lines.each_mut().map(|line| &mut S::as_mut_simd_f64s(&mut line[..whole]).0[..registers]);
        let (v, w, x) = (
            &S::as_simd_f64s(&v[..whole]).0[..registers],
            &S::as_simd_f64s(&w[..whole]).0[..registers],
            &S::as_simd_f64s(&x[..whole]).0[..registers],
        );
        let image = &mut S::as_mut_simd_f64s(&mut image[..whole]).0[..registers];
        for i in 0..registers {
            let mut sum = image[i];
            for c in 0..GROUP {
                let a = simd.mul_add_e_f64s(v[i], of_w[c], wide[c][i]);
                let a = simd.mul_add_e_f64s(w[i], of_v[c], a);
                wide[c][i] = a;
                dots[c] = simd.mul_add_e_f64s(a, x[i], dots[c]);
                sum = simd.mul_add_e_f64s(a, of_x[c], sum);
            }
            image[i] = sum;
        }
    }
    let mut sums = [0.0; GROUP];
    for c in 0..GROUP {
        sums[c] = simd.reduce_sum_f64s(dots[c]);
        for i in whole..rows {
            let a = lines[c][i] - (v[i] * own_w[c] + w[i] * own_v[c]);
            lines[c][i] = a;
            sums[c] += a * x[i];
            image[i] += a * own_x[c];
        }
    }
    sums
}

/// `vectors ← Q · vectors`: eigenvectors of `T` become eigenvectors of `A`.
pub fn transform_back(matrix: &DMatrix<f64>, Reflections(scales): &Reflections, vectors: &mut DMatrix<f64>) {
    let n = matrix.nrows();
    for first in (0..scales.len()).step_by(BLOCK).rev() {
        let scales = &scales[first..scales.len().min(first + BLOCK)];
        let b = scales.len();
        // Rows from first + 1 on.
        let mut v = DMatrix::zeros(n - first - 1, b);
        for (c, mut own) in v.column_iter_mut().enumerate() {
            own[c] = 1.0;
            own.rows_range_mut(c + 1..).copy_from(&matrix.view((first + c + 2, first + c), (n - first - c - 2, 1)));
        }
        let products = dense::inner_product(dense::view(&v), dense::view(&v));
        let mut t = DMatrix::<f64>::zeros(b, b);
        for (c, &scale) in scales.iter().enumerate() {
            let along = t.view((0, 0), (c, c)) * products.view((0, c), (c, 1)) * -scale;
            t.view_mut((0, c), (c, 1)).copy_from(&along);
            t[(c, c)] = scale;
        }
        let rows = n - first - 1;
        let below = dense::view(vectors).rows(first + 1, rows);
        let along = t * dense::inner_product(dense::view(&v), below);
        dense::par_add_product(vectors.rows_mut(first + 1, rows), dense::view(&v), dense::view(&along), -1.0);
    }
}
