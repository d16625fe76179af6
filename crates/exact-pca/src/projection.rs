//! Weights of faces: `Uᵀ (x - mean)`, straight from bytes.
//!
//! A face has the same weights, bit for bit, whether it is projected alone or among ten thousand others, with any
//! number of threads and on any machine: so a photo that is enrolled has distance exactly 0 from itself. Every weight
//! is summed in one fixed order. Each of 16 lanes sums every 16th product of a block of pixels in f32, lanes are added
//! pairwise, blocks in f64. Multiplication and addition are rounded separately, since not all machines can fuse them.

use super::ShapeError;
use nalgebra::DMatrix;
use pulp::Simd;
use rayon::prelude::*;
use vectorised::vectorised_mut;

/// Partial sums of a product.
const LANES: usize = 16;
/// Pixels summed in f32. Longer sums would lose accuracy, shorter ones time.
const BLOCK: usize = 1024;
/// Basis faces and faces multiplied with one another in registers.
const C: usize = 4;
const F: usize = 3;
/// Faces converted to f32 at a time by one thread: 30 x 1024 numbers stay in the second-level cache.
const PANEL: usize = 30;

/// Weights (k x n) of faces (bytes, d x n, one face after the other) in the face space of `basis` (d x k) and `mean` (d).
///
/// # Errors
/// If the sizes do not fit together.
pub fn project(basis: &DMatrix<f32>, mean: &[f64], faces: &[u8]) -> Result<DMatrix<f32>, ShapeError> {
    let (d, k) = basis.shape();
    ShapeError::unless_equal("pixels of the mean face", d, mean.len())?;
    let n = faces.len().checked_div(d).unwrap_or(0);
    ShapeError::unless_equal("bytes of the faces", d * n, faces.len())?;
    let mean: Vec<f32> = mean.iter().map(|&x| x as f32).collect();
    let mut weights = DMatrix::zeros(k, n);
    if k == 0 || n == 0 {
        return Ok(weights);
    }
    weights.as_mut_slice().par_chunks_mut(k * PANEL).zip(faces.par_chunks(d * PANEL)).for_each_init(
        || vec![0.0; BLOCK * PANEL],
        |buffer, (weights, faces)| {
            pulp::Arch::new().dispatch(Panel { basis: basis.as_slice(), mean: &mean, faces, buffer, weights });
        },
    );
    Ok(weights)
}

/// One face m + U w of its leading weights in the face space of `basis` (d x k) and `mean` (d). Those beyond k are ignored.
pub fn rebuild(basis: &DMatrix<f32>, mean: &[f64], weights: &[f32]) -> Vec<f32> {
    /// Pixels rebuilt at a time: their sums stay in the first-level cache.
    const PIXELS: usize = 256;
    let mut face: Vec<f32> = mean.iter().map(|&level| level as f32).collect();
    vectorised_mut(
        #[inline(always)]
        || {
            for (block, levels) in face.chunks_mut(PIXELS).enumerate() {
                for (component, &weight) in basis.column_iter().zip(weights) {
                    let values = &component.as_slice()[block * PIXELS..];
                    for (level, &value) in levels.iter_mut().zip(values) {
                        *level += weight * value;
                    }
                }
            }
        },
    );
    face
}

/// Up to [`PANEL`] faces to project; `weights` is k x faces. Compiled once for each instruction set.
struct Panel<'a> {
    basis: &'a [f32],
    mean: &'a [f32],
    faces: &'a [u8],
    buffer: &'a mut [f32],
    weights: &'a mut [f32],
}

impl pulp::WithSimd for Panel<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let d = self.mean.len();
        let k = self.basis.len() / d;
        let mut sums = vec![0.0_f64; self.weights.len()];
        for (block, mean) in self.mean.chunks(BLOCK).enumerate() {
            let first = block * BLOCK;
            let depth = mean.len();
            let centred = &mut self.buffer[..depth * (self.faces.len() / d)];
            centre(self.faces, d, first, mean, centred);
            let basis = |component: usize| &self.basis[component * d + first..][..depth];
            let mut component = 0;
            while component + C <= k {
                let rows: [&[f32]; C] = std::array::from_fn(|c| basis(component + c));
                add_rows(simd, rows, centred, depth, &mut sums[component..], k);
                component += C;
            }
            for component in component..k {
                add_rows(simd, [basis(component)], centred, depth, &mut sums[component..], k);
            }
        }
        for (weight, sum) in self.weights.iter_mut().zip(sums) {
            *weight = sum as f32;
        }
    }
}

/// Pixels of all faces from `first` on, less the mean, one face after the other.
#[inline(always)]
fn centre(faces: &[u8], d: usize, first: usize, mean: &[f32], centred: &mut [f32]) {
    for (centred, face) in centred.chunks_mut(mean.len()).zip(faces.chunks(d)) {
        for ((to, &pixel), mean) in centred.iter_mut().zip(&face[first..]).zip(mean) {
            *to = f32::from(pixel) - mean;
        }
    }
}

/// Adds the products of some basis faces with all faces of the panel to `sums` (one column of `k` a face).
#[inline(always)]
fn add_rows<S: Simd, const ROWS: usize>(
    simd: S,
    basis: [&[f32]; ROWS],
    centred: &[f32],
    depth: usize,
    sums: &mut [f64],
    k: usize,
) {
    let mut face = 0;
    let count = centred.len() / depth;
    let pixels = |face: usize| &centred[face * depth..][..depth];
    while face + F <= count {
        let tile = products(simd, basis, std::array::from_fn::<_, F, _>(|f| pixels(face + f)));
        for c in 0..ROWS {
            for f in 0..F {
                sums[(face + f) * k + c] += f64::from(tile[c][f]);
            }
        }
        face += F;
    }
    for face in face..count {
        let tile = products(simd, basis, [pixels(face)]);
        for c in 0..ROWS {
            sums[face * k + c] += f64::from(tile[c][0]);
        }
    }
}

/// Inner products of some basis faces with some faces. The sum of each pair is formed in the same order
/// however many they are, and however many lanes a register of this machine has.
#[inline(always)]
fn products<S: Simd, const ROWS: usize, const FACES: usize>(
    simd: S,
    basis: [&[f32]; ROWS],
    faces: [&[f32]; FACES],
) -> [[f32; FACES]; ROWS] {
    let depth = basis[0].len();
    let whole = depth / LANES * LANES;
    let basis_registers = basis.map(|row| S::as_simd_f32s(&row[..whole]).0);
    let face_registers = faces.map(|face| S::as_simd_f32s(&face[..whole]).0);
    // A group of 16 lanes is one register or several. Each register of it is summed over all groups in
    // a sweep of its own, so that the sums of a whole tile of pairs stay in registers.
    let stride = LANES / S::F32_LANES;
    let mut lanes = [[[0.0_f32; LANES]; FACES]; ROWS];
    for part in 0..stride {
        let mut sums = [[simd.splat_f32s(0.0); FACES]; ROWS];
        for i in (part..whole / S::F32_LANES).step_by(stride) {
            let pixels: [S::f32s; FACES] = face_registers.map(|face| face[i]);
            for (sums, row) in sums.iter_mut().zip(basis_registers) {
                for (sum, pixels) in sums.iter_mut().zip(pixels) {
                    *sum = simd.add_f32s(*sum, simd.mul_f32s(row[i], pixels));
                }
            }
        }
        for (lanes, sums) in lanes.as_flattened_mut().iter_mut().zip(sums.as_flattened()) {
            S::as_mut_simd_f32s(lanes).0[part] = *sums;
        }
    }
    for (lanes, row) in lanes.iter_mut().zip(basis) {
        for (lanes, face) in lanes.iter_mut().zip(faces) {
            for ((lane, row), pixel) in lanes.iter_mut().zip(&row[whole..]).zip(&face[whole..]) {
                *lane += row * pixel;
            }
        }
    }
    let mut sums = [[0.0; FACES]; ROWS];
    for (sums, lanes) in sums.iter_mut().zip(lanes) {
        for (sum, lanes) in sums.iter_mut().zip(lanes) {
            *sum = pairwise_sum(lanes);
        }
    }
    sums
}

#[inline(always)]
fn pairwise_sum(mut lanes: [f32; LANES]) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            lanes[l] += lanes[l + width];
        }
        width /= 2;
    }
    lanes[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use symmetric_eigen::Noise;

    fn space(d: usize, k: usize) -> (DMatrix<f32>, Vec<f64>) {
        let scale = (3.0 / d as f64).sqrt();
        let basis = Noise::seeded(1).take(d * k).map(|x| (x * scale) as f32);
        let mean = Noise::seeded(2).take(d).map(|x| 120.0 + 40.0 * x);
        (DMatrix::from_iterator(d, k, basis), mean.collect())
    }

    fn bytes(count: usize) -> Vec<u8> {
        Noise::seeded(3).take(count).map(|x| (128.0 + 127.0 * x) as u8).collect()
    }

    #[test]
    fn weights_are_inner_products_of_the_centred_face() {
        for (d, k, n) in [(1, 1, 1), (15, 2, 3), (1030, 7, 35), (2914, 9, 4), (10304, 5, 2)] {
            let (basis, mean) = space(d, k);
            let faces = bytes(d * n);
            let weights = project(&basis, &mean, &faces).expect("shapes fit");
            for (face, weights) in faces.chunks(d).zip(weights.column_iter()) {
                for (u, weight) in basis.column_iter().zip(weights.iter()) {
                    let exact: f64 = (0..d).map(|i| f64::from(u[i]) * (f64::from(face[i]) - mean[i])).sum();
                    assert!(
                        (exact - f64::from(*weight)).abs() < 2e-5 * (d as f64).sqrt().max(30.0),
                        "{exact} {weight}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_face_has_the_same_bits_alone_and_in_any_batch() {
        for (d, k, n) in [(1000, 13, 101), (2914, 6, 70), (37, 3, 67)] {
            let (basis, mean) = space(d, k);
            let faces = bytes(d * n);
            let all = project(&basis, &mean, &faces).expect("shapes fit");
            for (i, face) in faces.chunks(d).enumerate() {
                let alone = project(&basis, &mean, face).expect("shapes fit");
                assert!(alone.iter().zip(all.column(i).iter()).all(|(a, b)| a.to_bits() == b.to_bits()));
            }
            for skipped in [1, 2, 33] {
                let some = project(&basis, &mean, &faces[d * skipped..]).expect("shapes fit");
                assert!(some.as_slice() == &all.as_slice()[k * skipped..]);
            }
            // Fewer components: the same numbers again.
            let fewer = basis.columns(0, k - 1).into_owned();
            let fewer = project(&fewer, &mean, &faces).expect("shapes fit");
            assert!(fewer == all.rows(0, k - 1));
        }
    }

    #[test]
    fn empty_and_misfit() {
        let (basis, mean) = space(10, 2);
        assert_eq!(project(&basis, &mean, &[]).expect("no face is fine").shape(), (2, 0));
        assert!(project(&basis, &mean, &[0; 11]).is_err());
        assert!(project(&basis, &mean[1..], &[0; 10]).is_err());
        assert!(project(&DMatrix::zeros(0, 0), &[], &[]).is_ok());
        assert!(project(&DMatrix::zeros(0, 0), &[], &[1]).is_err());
    }
}
