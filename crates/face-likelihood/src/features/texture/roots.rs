//! Square roots of shares, in bytes.

use vectorised::vectorised_mut;

/// round(255 √share) of each sum, shares of all sums and `more`.
pub fn roots_of_shares(sums: &[u64], more: f64, roots: &mut [u8]) {
    roots_of_parts(sums, sums.iter().sum::<u64>() as f64 + more, roots);
}

/// round(255 √part) of each sum over a whole; parts beyond 1 count as 1.
pub fn roots_of_parts(sums: &[u64], total: f64, roots: &mut [u8]) {
    if total == 0.0 {
        return roots.fill(0);
    }
    vectorised_mut(
        #[inline(always)]
        || {
            for (root, &sum) in roots.iter_mut().zip(sums) {
                let root_of_part = (sum as f64 / total).min(1.0).sqrt();
                *root = floor(255.0 * root_of_part + 0.5);
            }
        },
    );
}

/// The whole part of a number from 0 to below 256. (Casts are taken apart into one for each number.)
#[inline(always)]
fn floor(number: f64) -> u8 {
    /// From here on, 2^52, the last bit of a number stands for one.
    const SHIFT: f64 = (1_u64 << 52) as f64;
    let nearest = number + SHIFT;
    // The sum may be one more than the whole part, and 256 in a byte is 0.
    (nearest.to_bits() as u8).wrapping_sub(u8::from(nearest - SHIFT > number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_rounded_like_those_of_the_standard_library() {
        for step in 0..20_000_u64 {
            let sums = [step, step * step, 20_000, (1 << 60) - 7 * step, 1, 0, 3, 0];
            let mut roots = [7; 8];
            // The root of a quarter, 127.5, lies between two bytes, and that of everything is the largest byte.
            for all in [&sums[..], &[step, 3 * step, 0, 0, 0, 0, 0, 0], &[0, 0, step, 0, 0, 0, 0, 0]] {
                roots_of_shares(all, 0.0, &mut roots);
                let total = all.iter().sum::<u64>() as f64;
                // (Of nothing, 0 / 0 is not a number, and becomes 0.)
                let root = |&sum: &u64| (255.0 * (sum as f64 / total).sqrt()).round() as u8;
                let expected: Vec<u8> = all.iter().map(root).collect();
                assert_eq!(roots, expected[..], "{all:?}");
            }
        }
    }
}
