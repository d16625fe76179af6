//! Reproducible noise: for start vectors, and wherever else chance is asked for.

/// Numbers evenly spread over (-1, 1), the same for the same seed on every machine.
///
/// SplitMix64 (G. L. Steele, D. Lea & C. H. Flood, "Fast splittable pseudorandom number generators", 2014).
#[derive(Debug, Clone)]
pub struct Noise(u64);

impl Noise {
    /// The sequence of this seed.
    #[inline]
    pub fn seeded(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(0x2545_f491_4f6c_dd1d))
    }

    /// A nearly normal number of mean 0 and variance 1 (Irwin-Hall): half the sum of twelve uniform ones of variance 1 / 3.
    #[inline]
    pub fn normal(&mut self) -> f64 {
        self.by_ref().take(12).sum::<f64>() / 2.0
    }

    /// A whole number below `bound`, from evenly spread ones.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        let share = (self.next().unwrap_or_default() + 1.0) / 2.0;
        ((share * bound as f64) as usize).min(bound.saturating_sub(1))
    }
}

impl Iterator for Noise {
    type Item = f64;

    #[inline]
    fn next(&mut self) -> Option<f64> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        // 53 bits, put in the middle of their interval: never 0, never ±1.
        Some(((z >> 11) as f64 + 0.5) / (1_u64 << 52) as f64 - 1.0)
    }
}
