//! Faces together with their mirror images.
//!
//! A face seen in a mirror is a face, so a gallery of n faces may be taken as one of 2 n. The eigenfaces of
//! such a gallery are either even (their own mirror image) or odd (its negative), and the problem of 2 n faces
//! falls apart into two of n: an eighth of the work, and a mirrored face has the weights of the face with the
//! signs of the odd ones changed.
//!
//! Source: M. Kirby & L. Sirovich, "Application of the Karhunen-Loève procedure for the characterization of
//! human faces", IEEE Trans. PAMI 12(1), 1990.

use std::f64::consts::SQRT_2;

use nalgebra::{DMatrix, DVector};

use super::PcaError;

/// Whether faces are learned alone or together with their mirror images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Symmetry<'a> {
    /// The faces as they are.
    #[default]
    None,
    /// Each face and its mirror image.
    Mirror(&'a Mirror),
}

/// Parity of an eigenface in the mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Parity {
    /// Even: a mirrored face has the same weight.
    Even,
    /// Its negative: a mirrored face has the weight with its sign changed.
    Odd,
}

/// The effect of the mirror on the d numbers of a face: a permutation that undoes itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirror {
    /// Numbers p < q that change places.
    pairs: Vec<(usize, usize)>,
    /// Numbers that stay.
    fixed: Vec<usize>,
}

impl Mirror {
    /// `image[p]` is the place from which the mirror image takes its number `p`.
    ///
    /// # Errors
    /// [`PcaError::NotAMirror`] unless mirroring twice changes nothing.
    pub fn new(image: &[u32]) -> Result<Self, PcaError> {
        let (mut pairs, mut fixed) = (Vec::new(), Vec::new());
        for (p, &q) in image.iter().enumerate() {
            let q = q as usize;
            if image.get(q).map(|&back| back as usize) != Some(p) {
                return Err(PcaError::NotAMirror { place: p });
            }
            match p.cmp(&q) {
                std::cmp::Ordering::Less => pairs.push((p, q)),
                std::cmp::Ordering::Equal => fixed.push(p),
                std::cmp::Ordering::Greater => {}
            }
        }
        Ok(Self { pairs, fixed })
    }

    /// Parity of an eigenface (d numbers) of a space that knows this mirror.
    pub fn parity(&self, eigenface: &[f32]) -> Parity {
        let product = |&(p, q): &(usize, usize)| f64::from(eigenface[p]) * f64::from(eigenface[q]);
        let pairs: f64 = self.pairs.iter().map(product).sum();
        let fixed: f64 = self
            .fixed
            .iter()
            .map(|&p| f64::from(eigenface[p]).powi(2))
            .sum();
        if 2.0 * pairs + fixed >= 0.0 {
            Parity::Even
        } else {
            Parity::Odd
        }
    }

    /// Left and right of images of this many pixels, row by row, exchanged.
    pub fn of_images(width: u32, height: u32) -> Self {
        let image: Vec<u32> = (0..height)
            .flat_map(|y| (0..width).rev().map(move |x| y * width + x))
            .collect();
        Self::new(&image).expect("turning each row round twice changes nothing")
    }

    /// d, the numbers of a face.
    pub fn length(&self) -> usize {
        2 * self.pairs.len() + self.fixed.len()
    }

    /// Faces (d bytes each, one after the other) become their mirror images.
    pub fn apply<T>(&self, faces: &mut [T]) {
        for face in faces.chunks_exact_mut(self.length().max(1)) {
            for &(p, q) in &self.pairs {
                face.swap(p, q);
            }
        }
    }

    /// The place that each of the d places changes with.
    pub fn places(&self) -> Vec<u32> {
        let mut places: Vec<u32> = (0..self.length() as u32).collect();
        for &(p, q) in &self.pairs {
            places.swap(p, q);
        }
        places
    }

    /// h, the places that tell all of a vector that is even or odd: the first of each pair, and those that stay.
    pub fn half_length(&self) -> usize {
        self.pairs.len() + self.fixed.len()
    }

    /// These places, increasing.
    fn half(&self) -> Vec<usize> {
        let pairs = self.pairs.iter().map(|&(p, _)| p);
        let mut places: Vec<usize> = pairs.chain(self.fixed.iter().copied()).collect();
        places.sort_unstable();
        places
    }

    /// Eigenfaces (d x k) as their half (h x k) and the parity of each; nothing if one is neither even nor odd to
    /// the last bit.
    pub fn halves(&self, eigenfaces: &DMatrix<f32>) -> Option<(DMatrix<f32>, Vec<Parity>)> {
        if eigenfaces.nrows() != self.length() {
            return None;
        }
        let half = eigenfaces.select_rows(&self.half());
        let parities: Vec<Parity> = eigenfaces
            .column_iter()
            .map(|face| self.parity(face.as_slice()))
            .collect();
        (self.whole(&half, &parities)? == *eigenfaces).then_some((half, parities))
    }

    /// Eigenfaces (d x k) from their half (h x k) and the parity of each; nothing if these do not fit the mirror.
    pub fn whole(&self, half: &DMatrix<f32>, parities: &[Parity]) -> Option<DMatrix<f32>> {
        if half.shape() != (self.half_length(), parities.len()) {
            return None;
        }
        let mut whole = DMatrix::zeros(self.length(), parities.len());
        let places = self.half();
        for ((mut to, from), parity) in whole
            .column_iter_mut()
            .zip(half.column_iter())
            .zip(parities)
        {
            for (&place, &value) in places.iter().zip(from.iter()) {
                to[place] = value;
            }
            for &(p, q) in &self.pairs {
                to[q] = match parity {
                    Parity::Even => to[p],
                    Parity::Odd => -to[p],
                };
            }
        }
        Some(whole)
    }

    /// Fails for faces of another length.
    pub(super) fn refuse_other(&self, length: usize) -> Result<(), PcaError> {
        let expected = self.length();
        if expected == length {
            Ok(())
        } else {
            let found = length;
            Err(PcaError::OtherPixels { expected, found })
        }
    }

    /// A face becomes the mean of itself and its mirror image.
    pub(super) fn symmetrise(&self, face: &mut [f64]) {
        for &(p, q) in &self.pairs {
            let mean = (face[p] + face[q]) / 2.0;
            (face[p], face[q]) = (mean, mean);
        }
    }

    /// The even or odd part of a vector about the mirror has fewer free numbers than d.
    pub(super) fn freedom(&self, parity: Parity) -> usize {
        match parity {
            Parity::Even => self.pairs.len() + self.fixed.len(),
            Parity::Odd => self.pairs.len(),
        }
    }

    /// The places that make up each free number: one place, or two of which the second counts negatively in
    /// the odd part.
    pub(super) fn orbits(&self, parity: Parity) -> impl Iterator<Item = (usize, Option<usize>)> {
        let fixed = match parity {
            Parity::Even => &self.fixed[..],
            Parity::Odd => &[],
        };
        let pairs = self.pairs.iter().map(|&(p, q)| (p, Some(q)));
        pairs.chain(fixed.iter().map(|&p| (p, None)))
    }

    /// √2 times the even or odd part of each column (d x k), in free numbers: lengths and angles are kept.
    pub(super) fn fold(&self, columns: &DMatrix<f64>, parity: Parity) -> DMatrix<f64> {
        let mut folded = DMatrix::zeros(self.freedom(parity), columns.ncols());
        for (mut to, from) in folded.column_iter_mut().zip(columns.column_iter()) {
            for (to, (p, q)) in to.iter_mut().zip(self.orbits(parity)) {
                *to = match (q, parity) {
                    (Some(q), Parity::Even) => from[p] + from[q],
                    (Some(q), Parity::Odd) => from[p] - from[q],
                    (None, _) => SQRT_2 * from[p],
                };
            }
        }
        folded
    }

    /// The even or odd vector (d) with these free numbers.
    pub(super) fn unfold(&self, folded: &[f64], parity: Parity) -> DVector<f64> {
        let mut column = DVector::zeros(self.length());
        for (&value, (p, q)) in folded.iter().zip(self.orbits(parity)) {
            match q {
                Some(q) => {
                    let half = value / SQRT_2;
                    column[p] = half;
                    column[q] = match parity {
                        Parity::Even => half,
                        Parity::Odd => -half,
                    };
                }
                None => column[p] = value,
            }
        }
        column
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_mirrored_left_to_right() {
        let mirror = Mirror::of_images(3, 2);
        let mut image = [1, 2, 3, 4, 5, 6];
        mirror.apply(&mut image);
        assert_eq!(image, [3, 2, 1, 6, 5, 4]);
        assert_eq!((mirror.length(), mirror.freedom(Parity::Odd)), (6, 2));
    }

    #[test]
    fn what_does_not_undo_itself_is_refused() {
        for (image, place) in [(&[1, 2, 0][..], 0), (&[0, 2], 1), (&[0, 0], 1)] {
            assert_eq!(Mirror::new(image), Err(PcaError::NotAMirror { place }));
        }
        assert!(Mirror::new(&[]).is_ok());
    }

    #[test]
    fn half_of_an_eigenface_is_all_of_it() {
        let mirror = Mirror::of_images(3, 1);
        let whole = DMatrix::from_column_slice(3, 2, &[1.0, 5.0, 1.0, -4.0, 0.0, 4.0]);
        let (half, parities) = mirror.halves(&whole).unwrap();
        assert_eq!(
            half,
            DMatrix::from_column_slice(2, 2, &[1.0, 5.0, -4.0, 0.0])
        );
        assert_eq!(parities, [Parity::Even, Parity::Odd]);
        assert_eq!(mirror.whole(&half, &parities), Some(whole));
        assert_eq!(mirror.whole(&half, &parities[..1]), None);
        for neither in [[1.0, 2.0, 1.5], [1.0, 2.0, -1.0]] {
            assert_eq!(
                mirror.halves(&DMatrix::from_column_slice(3, 1, &neither)),
                None
            );
        }
    }

    #[test]
    fn folding_keeps_the_part_of_its_parity() {
        let mirror = Mirror::of_images(3, 1);
        let face = DMatrix::from_column_slice(3, 1, &[1.0, 5.0, 4.0]);
        for (parity, part) in [
            (Parity::Even, [2.5, 5.0, 2.5]),
            (Parity::Odd, [-1.5, 0.0, 1.5]),
        ] {
            let folded = mirror.fold(&face, parity);
            let unfolded = mirror.unfold(folded.as_slice(), parity);
            let expected = DVector::from_column_slice(&part) * SQRT_2;
            assert!((&unfolded - expected).amax() < 1e-15);
            assert!((folded.norm() - unfolded.norm()).abs() < 1e-14);
        }
    }
}
