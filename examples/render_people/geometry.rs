//! Points in centimetres and the few smooth functions that faces are made of.
//!
//! Axes: x to the right of the picture, y up, z towards the camera. The origin lies between the eyes' pupils,
//! on the axis through the ears.

use std::ops::{Add, Mul, Sub};

/// A point or direction in space, centimetres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct V3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

pub const fn v3(x: f32, y: f32, z: f32) -> V3 {
    V3 { x, y, z }
}

impl V3 {
    pub fn dot(self, o: V3) -> f32 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }
    pub fn cross(self, o: V3) -> V3 {
        v3(
            self.y * o.z - self.z * o.y,
            self.z * o.x - self.x * o.z,
            self.x * o.y - self.y * o.x,
        )
    }
    /// The direction alone; the zero vector points at the camera, so that degenerate quads do no harm.
    pub fn unit(self) -> V3 {
        let length = self.dot(self).sqrt();
        if length > 1e-9 {
            self * (1.0 / length)
        } else {
            v3(0.0, 0.0, 1.0)
        }
    }
}

impl Add for V3 {
    type Output = V3;
    fn add(self, o: V3) -> V3 {
        v3(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl Sub for V3 {
    type Output = V3;
    fn sub(self, o: V3) -> V3 {
        v3(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl Mul<f32> for V3 {
    type Output = V3;
    fn mul(self, s: f32) -> V3 {
        v3(self.x * s, self.y * s, self.z * s)
    }
}

/// A rotation as three rows.
#[derive(Clone, Copy, Debug)]
pub struct Rotation([V3; 3]);

impl Rotation {
    /// Turns about the vertical (yaw), then the ear axis (pitch), then the line of sight (roll); radians.
    pub fn new(yaw: f32, pitch: f32, roll: f32) -> Self {
        let turn = |p: V3| {
            let (s, c) = yaw.sin_cos();
            let p = v3(c * p.x + s * p.z, p.y, c * p.z - s * p.x);
            let (s, c) = pitch.sin_cos();
            let p = v3(p.x, c * p.y - s * p.z, s * p.y + c * p.z);
            let (s, c) = roll.sin_cos();
            v3(c * p.x - s * p.y, s * p.x + c * p.y, p.z)
        };
        let (a, b, c) = (
            turn(v3(1.0, 0.0, 0.0)),
            turn(v3(0.0, 1.0, 0.0)),
            turn(v3(0.0, 0.0, 1.0)),
        );
        Rotation([v3(a.x, b.x, c.x), v3(a.y, b.y, c.y), v3(a.z, b.z, c.z)])
    }

    pub fn apply(&self, p: V3) -> V3 {
        v3(self.0[0].dot(p), self.0[1].dot(p), self.0[2].dot(p))
    }
}

/// The largest whole number not above `x`, without a call into the maths library.
pub fn floor(x: f32) -> i32 {
    let whole = x as i32;
    whole - i32::from(x < whole as f32)
}

pub fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// 0 below `from`, 1 above `to`, smooth between; `from > to` turns it round.
pub fn smoothstep(from: f32, to: f32, x: f32) -> f32 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A round hill of height 1 at (0, 0) that ends at radius 1: (1 - r²)². No exponential, so it is cheap.
pub fn hill(x: f32, y: f32) -> f32 {
    let t = (1.0 - x * x - y * y).max(0.0);
    t * t
}

/// A ridge across `x`: 1 at 0, 0 beyond ±1.
pub fn ridge(x: f32) -> f32 {
    hill(x, 0.0)
}

/// The larger of two, rounded over a width of `k` where they meet.
pub fn smooth_max(a: f32, b: f32, k: f32) -> f32 {
    let h = (k - (a - b).abs()).max(0.0) / k;
    a.max(b) + h * h * k * 0.25
}

/// A smooth curve through knots (x rising): cubic Hermite with finite-difference slopes, flat beyond the ends.
#[derive(Clone, Debug)]
pub struct Curve(Vec<(f32, f32)>);

impl Curve {
    pub fn new(knots: &[(f32, f32)]) -> Self {
        Curve(knots.to_vec())
    }

    /// The x of the last knot.
    pub fn end(&self) -> f32 {
        self.0.last().map_or(0.0, |k| k.0)
    }

    pub fn at(&self, x: f32) -> f32 {
        let k = &self.0;
        let last = k.len() - 1;
        if x <= k[0].0 {
            return k[0].1;
        }
        if x >= k[last].0 {
            return k[last].1;
        }
        let i = (1..last).take_while(|&i| k[i].0 <= x).count();
        let slope = |j: usize| {
            let (a, b) = (k[j.saturating_sub(1)], k[(j + 1).min(last)]);
            (b.1 - a.1) / (b.0 - a.0)
        };
        let (p, q) = (k[i], k[i + 1]);
        let (width, t) = (q.0 - p.0, (x - p.0) / (q.0 - p.0));
        let (t2, t3) = (t * t, t * t * t);
        p.1 * (2.0 * t3 - 3.0 * t2 + 1.0)
            + q.1 * (3.0 * t2 - 2.0 * t3)
            + width * (slope(i) * (t3 - 2.0 * t2 + t) + slope(i + 1) * (t3 - t2))
    }
}
