//! The time that each way to eigenpairs is expected to take, and the method of the fastest.

use super::{Method, lanczos};

/// Nanoseconds that `k` eigenpairs of a dense matrix of side `n` are expected to take, by the best method.
pub fn expected_nanoseconds(n: usize, k: usize) -> f64 {
    let cost = Cost::of(n, k);
    if let Method::Lanczos = cheapest(n, k) { cost.krylov } else { cost.reduce + cost.bisect }
}

/// Dimension of the Krylov space that `k` eigenpairs usually take.
pub fn usual_dimension(k: usize) -> f64 {
    lanczos::usual_dimension(k as f64)
}

/// Nanoseconds of the parts of the methods for k of n eigenpairs, measured on one core (AVX-512, Gram
/// matrices of real faces, n from 400 to 2000). Only the ratios matter.
struct Cost {
    /// To tridiagonal form, vectors back, and their residuals.
    reduce: f64,
    /// The leading pairs of the tridiagonal form.
    bisect: f64,
    /// Block Lanczos.
    krylov: f64,
}

impl Cost {
    fn of(n: usize, k: usize) -> Self {
        let (n, k) = (n as f64, k as f64);
        // Dimension m: multiplying 2 n² m flops, orthogonalising 4 n m² (half of that since its first pass
        // looks at two blocks only: Lanczos is chosen less often than it pays), looking at the projected problem 5 m³.
        let m = lanczos::usual_dimension(k);
        Self {
            // 4/3 n³ flops; 2 n² k each.
            reduce: 4.0 / 3.0 * n.powi(3) / 25.0 + 4.0 * n.powi(2) * k / 50.0,
            // Fifty divisions a row and eigenvalue, in sixteen lanes; three solves a vector.
            bisect: 60.0 * n * k,
            krylov: 2.0 * n.powi(2) * m / 60.0 + 4.0 * n * m.powi(2) / 40.0 + 5.0 * m.powi(3) / 40.0,
        }
    }
}

/// The method expected to be fastest for k of n eigenpairs.
///
/// Block Lanczos must promise to be clearly faster, since its residuals are 1e-10 and not 1e-15, and
/// since it may not converge where the spectrum hardly decays.
pub fn cheapest(n: usize, k: usize) -> Method {
    const CLEARLY: f64 = 1.3;
    let cost = Cost::of(n, k);
    let fits = lanczos::usual_dimension(k as f64) < n as f64;
    if CLEARLY * cost.krylov < cost.reduce + cost.bisect && fits { Method::Lanczos } else { Method::Tridiagonal }
}
