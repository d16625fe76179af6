//! Seeded chance: xoshiro256++ (Blackman & Vigna 2019) started by SplitMix64, and smooth noise.
//!
//! Every person and every photo has a stream of its own, named by numbers such as (seed, person, image).
//! So photo 9 of person 3 is the same whether it is drawn alone, among thousands, or on another thread.

use super::geometry::floor;

/// One stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Random {
    /// The stream with this name; the order of the numbers matters.
    pub fn named(name: &[u64]) -> Self {
        let mut mix = 0x5EED;
        for &part in name {
            mix = splitmix(&mut mix) ^ part;
        }
        Random {
            state: std::array::from_fn(|_| splitmix(&mut mix)),
        }
    }

    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Even in [0, 1).
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Bell-shaped about `mean`, and never further off than 2.4 deviations: the sum of four even draws.
    pub fn about(&mut self, mean: f32, deviation: f32) -> f32 {
        let sum = self.unit() + self.unit() + self.unit() + self.unit() - 2.0;
        mean + deviation * (sum * 1.732_050_8).clamp(-2.4, 2.4)
    }

    pub fn chance(&mut self, probability: f32) -> bool {
        self.unit() < probability
    }

    /// One of `items`, each as likely as its weight says.
    pub fn pick<T: Copy>(&mut self, items: &[(T, f32)]) -> T {
        let mut left = self.unit() * items.iter().map(|i| i.1).sum::<f32>();
        for &(item, weight) in items {
            left -= weight;
            if left < 0.0 {
                return item;
            }
        }
        items[items.len() - 1].0
    }
}

/// Smooth noise over the plane in [-1, 1]: random values on whole coordinates, blended between.
#[derive(Clone, Copy, Debug)]
pub struct Noise(pub u32);

impl Noise {
    fn corner(self, x: i32, y: i32) -> f32 {
        let mut h =
            self.0 ^ (x as u32).wrapping_mul(0x9E37_79B1) ^ (y as u32).wrapping_mul(0x85EB_CA77);
        h = (h ^ (h >> 15)).wrapping_mul(0x2C1B_3C6D);
        h = (h ^ (h >> 12)).wrapping_mul(0x297A_2D39);
        (h ^ (h >> 15)) as f32 / (u32::MAX as f32 * 0.5) - 1.0
    }

    pub fn at(self, x: f32, y: f32) -> f32 {
        let (ix, iy) = (floor(x), floor(y));
        let (fx, fy) = (ix as f32, iy as f32);
        let ease = |t: f32| t * t * (3.0 - 2.0 * t);
        let (u, v) = (ease(x - fx), ease(y - fy));
        let top = self.corner(ix, iy) + u * (self.corner(ix + 1, iy) - self.corner(ix, iy));
        let low =
            self.corner(ix, iy + 1) + u * (self.corner(ix + 1, iy + 1) - self.corner(ix, iy + 1));
        top + v * (low - top)
    }
}
