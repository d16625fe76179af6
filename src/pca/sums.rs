//! Sums over any number of faces from which everything is learned, in the form in which they travel between machines.

use super::covariance::Accumulator;

/// n, Σx and the upper triangle of Σxxᵀ of faces of d pixels, in exact integers: half of what an [`Accumulator`]
/// takes.
///
/// Adding is associative and commutative, so parts of a multitude of faces may be summed up anywhere, and added in any
/// order and by any tree: always the same bits. There is room for [`Sums::MOST_FACES`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sums {
    pixels: usize,
    faces: usize,
    /// Σx, d numbers.
    totals: Vec<i64>,
    /// Σxxᵀ, rows i of the entries j >= i one after the other: d (d + 1) / 2 numbers.
    products: Vec<i64>,
}

impl Sums {
    /// More faces than this are refused. 10^12 x 255² < 2^63, so no sum overflows; centring, in 128 bits, has room for
    /// more.
    pub const MOST_FACES: usize = 1_000_000_000_000;

    /// Sums that were kept somewhere: `totals` (d) and `products` (d (d + 1) / 2) of so many faces. `None` where no
    /// faces of 8 bits have such sums, as far as can be told from each number and each pixel's variance.
    pub fn from_parts(
        pixels: usize,
        faces: usize,
        totals: Vec<i64>,
        products: Vec<i64>,
    ) -> Option<Self> {
        let fits = totals.len() == pixels
            && products.len() == triangle(pixels)
            && faces <= Self::MOST_FACES;
        if !fits {
            return None;
        }
        let (n, white) = (faces as i64, 255);
        let sums = Self {
            pixels,
            faces,
            totals,
            products,
        };
        let within = |values: &[i64], most: i64| values.iter().all(|v| (0..=most).contains(v));
        let varies = sums
            .squares()
            .zip(&sums.totals)
            .all(|(square, &total)| i128::from(n) * i128::from(square) >= i128::from(total).pow(2));
        let sound =
            within(&sums.totals, white * n) && within(&sums.products, white * white * n) && varies;
        sound.then_some(sums)
    }

    /// Σx² of each pixel: the diagonal.
    fn squares(&self) -> impl Iterator<Item = i64> {
        let d = self.pixels;
        let starts = (0..d).scan(0, move |start, i| {
            let this = *start;
            *start += d - i;
            Some(this)
        });
        starts.map(|start| self.products[start])
    }

    /// d, the numbers of a face.
    pub fn pixels(&self) -> usize {
        self.pixels
    }

    /// n, the number of faces summed up.
    pub fn faces(&self) -> usize {
        self.faces
    }

    /// Σx, d numbers.
    pub fn totals(&self) -> &[i64] {
        &self.totals
    }

    /// Σxxᵀ, rows of the upper triangle one after the other: d (d + 1) / 2 numbers.
    pub fn products(&self) -> &[i64] {
        &self.products
    }

    /// Adds the sums of other faces. `None`, and nothing is changed, for faces of another d, or where there would be
    /// more than [`Sums::MOST_FACES`].
    #[must_use]
    pub fn add(&mut self, other: &Self) -> Option<()> {
        let faces = self.faces + other.faces;
        if other.pixels != self.pixels || faces > Self::MOST_FACES {
            return None;
        }
        self.faces = faces;
        let add = |to: &mut [i64], from: &[i64]| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        };
        add(&mut self.totals, &other.totals);
        add(&mut self.products, &other.products);
        Some(())
    }
}

/// Entries of the upper triangle of d x d, the diagonal among them.
pub fn triangle(pixels: usize) -> usize {
    pixels * (pixels + 1) / 2
}

impl From<Accumulator> for Sums {
    /// The rows move together in their place.
    fn from(sums: Accumulator) -> Self {
        let (pixels, faces) = (sums.pixels, sums.faces);
        let (totals, mut products) = (sums.sums, sums.products);
        let mut end = 0;
        for i in 0..pixels {
            products.copy_within(i * pixels + i..(i + 1) * pixels, end);
            end += pixels - i;
        }
        products.truncate(end);
        products.shrink_to_fit();
        Self {
            pixels,
            faces,
            totals,
            products,
        }
    }
}

impl From<Sums> for Accumulator {
    fn from(sums: Sums) -> Self {
        let d = sums.pixels;
        let mut products = vec![0; d * d];
        let mut from = sums.products.as_slice();
        for i in 0..d {
            let (row, rest) = from.split_at(d - i);
            products[i * d + i..(i + 1) * d].copy_from_slice(row);
            from = rest;
        }
        Self {
            pixels: d,
            faces: sums.faces,
            sums: sums.totals,
            products,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pca::kernel::Columns;

    fn accumulated(faces: &[u8], pixels: usize) -> Accumulator {
        let mut sums = Accumulator::new(pixels);
        let columns = Columns::new(faces, pixels, faces.len() / pixels).unwrap();
        sums.add(columns).unwrap();
        sums
    }

    #[test]
    fn packing_loses_nothing() {
        for pixels in [1, 2, 3, 7, 50] {
            let faces: Vec<u8> = (0..pixels * 5).map(|i| (i * i % 251) as u8).collect();
            let accumulated = accumulated(&faces, pixels);
            let sums = Sums::from(accumulated.clone());
            assert_eq!(sums.products.len(), triangle(pixels));
            assert_eq!(Accumulator::from(sums.clone()), accumulated);
            let (totals, products) = (sums.totals.clone(), sums.products.clone());
            assert_eq!(Sums::from_parts(pixels, 5, totals, products), Some(sums));
        }
    }

    #[test]
    fn sums_of_two_halves_are_those_of_the_whole() {
        let faces: Vec<u8> = (0..3 * 8).map(|i| (i * 37 % 256) as u8).collect();
        let sums = |faces| Sums::from(accumulated(faces, 3));
        let mut halves = sums(&faces[..9]);
        halves.add(&sums(&faces[9..])).unwrap();
        assert_eq!(halves, sums(&faces));
        assert_eq!(
            halves.add(&Accumulator::new(4).into()),
            None,
            "faces of another d"
        );
    }

    #[test]
    fn what_no_faces_have_is_refused() {
        let refused = |faces: usize, totals: [i64; 2], products: [i64; 3]| {
            Sums::from_parts(2, faces, totals.to_vec(), products.to_vec()).is_none()
        };
        assert!(!refused(2, [3, 0], [5, 0, 0]));
        assert!(refused(2, [-1, 0], [5, 0, 0]));
        assert!(refused(2, [511, 0], [65_025 * 2, 0, 0]));
        assert!(refused(2, [3, 0], [5, i64::MIN, 0]));
        assert!(refused(2, [3, 0], [65_025 * 2 + 1, 0, 0]));
        assert!(refused(2, [4, 0], [7, 0, 0]), "a negative variance");
        assert!(refused(Sums::MOST_FACES + 1, [0, 0], [0, 0, 0]));
        assert!(Sums::from_parts(2, 2, vec![0], vec![0; 3]).is_none());
    }

    #[test]
    fn there_is_room_for_the_most_faces_there_may_be() {
        let n = Sums::MOST_FACES as i64;
        let half = n / 2;
        let white = |n: i64| {
            let (totals, products) = (vec![255 * n, 0], vec![65_025 * n, 0, 0]);
            Sums::from_parts(2, n as usize, totals, products).unwrap()
        };
        let mut sums = white(half);
        sums.add(&white(n - half)).unwrap();
        assert_eq!(sums, white(n));
        assert_eq!(sums.add(&white(1)), None);
        // Half of them white, half of them black: the variance of one pixel is 127.5² n / (n - 1).
        let (totals, products) = (vec![255 * half, 0], vec![65_025 * half, 0, 0]);
        let sums = Sums::from_parts(2, n as usize, totals, products).unwrap();
        let found = Accumulator::from(sums).components(crate::pca::ComponentCount::Auto);
        let variance = 127.5_f64.powi(2) * n as f64 / (n - 1) as f64;
        assert!((found.unwrap().eigenvalues[0] / variance - 1.0).abs() < 1e-12);
    }
}
