//! The expected cost of each route, by which one is chosen.
//!
//! The model counts operations of d pixels x n faces x k components and divides by rates measured on one core (AVX-512 VNNI). Only
//! the ratios matter, and the rates are constants: the choice, and so the result to the last bit, does not depend on the machine.
//!
//! | route | sums of products | eigenproblem | eigenfaces |
//! |---|---|---|---|
//! | `gram` | n²d integer products | n x n | 2 d n k flops |
//! | `covariance` | d²n integer products | d x d | they are the eigenvectors |
//! | `lanczos` | none | 4 d n flops a dimension of the Krylov space, some 2.5 k + 140 of them | as `gram` if n < d |
//!
//! Integer products run at many times the rate of f64 flops, and only half of them are needed for a symmetric
//! matrix: so the exact routes are faster until a side of about 100,000. What the Lanczos route saves is
//! memory: `Auto` takes it where the exact ones would need over 8 GB (both sides above 22,000).

use super::{ComponentCount, Solver, eigen, spectrum};

/// Integer products (a multiplication and an addition, of either triangle) a nanosecond.
const PRODUCTS: f64 = 500.0;
/// Nanoseconds for each entry of a matrix to be centred and passed on.
const ENTRY: f64 = 1.0;
/// f64 flops a nanosecond where a hundred columns or so are mapped back.
const FLOPS: f64 = 20.0;
/// f64 flops a nanosecond in the narrow products of block Lanczos, twelve columns at a time, where converting bytes
/// weighs more: 4096 x 13,233, 100 components, took 7.7 s on two busy cores, the covariance 1.4 s.
const NARROW_FLOPS: f64 = 6.0;
/// Shorter sides than this are never left to the Lanczos route on their own: exact is fast enough.
const LONG_SIDE: usize = 8000;
/// Factor by which the Lanczos route must be cheaper.
const CLEARLY: f64 = 1.3;
/// Bytes above which a matrix of products is too large to be made where it can be avoided: 8 for each integer, 8 for each number.
const LARGEST_TABLE: f64 = 8e9;

/// The exact route that costs less. Equal sides tip to covariance, which maps nothing back.
pub(super) fn exact(d: usize, n: usize, wanted: ComponentCount) -> Solver {
    let k = wanted.first_guess(d.min(n));
    if gram(d, n, k) < covariance(d, n, k) { Solver::Gram } else { Solver::Covariance }
}

/// The route for d pixels x n faces.
pub(super) fn cheapest(d: usize, n: usize, wanted: ComponentCount) -> Solver {
    let side = d.min(n);
    let k = wanted.first_guess(side);
    let cost = gram(d, n, k).min(covariance(d, n, k));
    let too_large = 16.0 * (side as f64).powi(2) > LARGEST_TABLE;
    let pays = too_large || CLEARLY * lanczos(d, n, k) < cost;
    if side > LONG_SIDE && spectrum::few(wanted, side).is_some() && pays {
        Solver::Lanczos
    } else {
        exact(d, n, wanted)
    }
}

fn gram(d: usize, n: usize, k: usize) -> f64 {
    products(n, d) + eigenproblem(n, k) + map_back(d, n, k)
}

fn covariance(d: usize, n: usize, k: usize) -> f64 {
    products(d, n) + eigenproblem(d, k)
}

fn eigenproblem(side: usize, k: usize) -> f64 {
    eigen::expected_nanoseconds(side, k.min(side))
}

fn lanczos(d: usize, n: usize, k: usize) -> f64 {
    let m = eigen::usual_dimension(k);
    let applied = 4.0 * d as f64 * n as f64 * m / NARROW_FLOPS;
    let side = d.min(n) as f64;
    let krylov = 4.0 * side * m.powi(2) / 40.0 + 5.0 * m.powi(3) / 40.0;
    let back = if n < d { map_back(d, n, k) } else { 0.0 };
    applied + krylov + back
}

/// The integer products of a symmetric matrix of this side, and its centring.
fn products(side: usize, depth: usize) -> f64 {
    let entries = (side as f64).powi(2);
    entries * depth as f64 / PRODUCTS + entries * ENTRY
}

fn map_back(d: usize, n: usize, k: usize) -> f64 {
    2.0 * d as f64 * n as f64 * k as f64 / FLOPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_for_sizes_that_were_measured() {
        use Solver::{Covariance, Gram, Lanczos};
        let hundred = ComponentCount::Count(100);
        for (d, n, wanted, expected) in [
            (10_304, 400, hundred, Gram),
            (2914, 1288, hundred, Gram),
            (10_000, 3000, hundred, Gram),
            (4096, 13_233, hundred, Covariance),
            (62_500, 2000, hundred, Gram),
            (2914, 13_233, hundred, Covariance),
            (4096, 200_000, hundred, Covariance),
            (1000, 1000, hundred, Covariance),
            // Integer products are so fast that a side of 10,000 is not yet reason to avoid them ...
            (10_000, 10_000, hundred, Covariance),
            // ... but these are.
            (62_500, 40_000, hundred, Lanczos),
            (40_000, 60_000, ComponentCount::Auto, Lanczos),
            (62_500, 40_000, ComponentCount::Share(0.9), Gram),
            (62_500, 40_000, ComponentCount::Count(20_000), Gram),
        ] {
            assert_eq!(cheapest(d, n, wanted), expected, "{d} x {n}, {wanted}");
        }
    }
}
