//! A depth-buffered canvas of samples, several to the pixel.

use super::sheet::{Sheet, Sides};
use super::shot::Camera;

/// Samples along each side of a pixel.
pub const SAMPLES: usize = 2;

/// Calls `hit(index, weights)` for every sample of a `width` x `height` grid inside the triangle.
#[inline]
pub fn fill(width: usize, height: usize, t: [(f32, f32); 3], mut hit: impl FnMut(usize, [f32; 3])) {
    let [(ax, ay), (bx, by), (cx, cy)] = t;
    let area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    if area.abs() < 1e-7 {
        return;
    }
    // Samples sit at half-integers.
    let low = |a: f32, b: f32, c: f32| (a.min(b).min(c) + 0.5).max(0.0) as usize;
    let high =
        |a: f32, b: f32, c: f32, n: usize| ((a.max(b).max(c) + 0.5).max(0.0) as usize).min(n);
    let inverse = 1.0 / area;
    for y in low(ay, by, cy)..high(ay, by, cy, height) {
        let py = y as f32 + 0.5;
        for x in low(ax, bx, cx)..high(ax, bx, cx, width) {
            let px = x as f32 + 0.5;
            let u = ((bx - px) * (cy - py) - (by - py) * (cx - px)) * inverse;
            let v = ((cx - px) * (ay - py) - (cy - py) * (ax - px)) * inverse;
            let w = 1.0 - u - v;
            if u >= 0.0 && v >= 0.0 && w >= 0.0 {
                hit(y * width + x, [u, v, w]);
            }
        }
    }
}

/// Linear light seen by every sample, with its depth.
pub struct Canvas {
    pub width: usize,
    pub height: usize,
    pub light: Vec<f32>,
    depth: Vec<f32>,
    placed: Vec<(f32, f32)>,
}

impl Canvas {
    /// A canvas for a picture of `width` x `height` pixels.
    pub fn new(width: u32, height: u32) -> Self {
        let (width, height) = (width as usize * SAMPLES, height as usize * SAMPLES);
        Canvas {
            width,
            height,
            light: vec![0.0; width * height],
            depth: vec![0.0; width * height],
            placed: Vec::new(),
        }
    }

    /// Clears the depth and paints the background: `level(x, y)` with x and y from -1 to 1, y upwards.
    pub fn clear(&mut self, level: impl Fn(f32, f32) -> f32) {
        self.depth.fill(f32::NEG_INFINITY);
        let across = |i: usize, n: usize| (2 * i + SAMPLES) as f32 / n as f32 - 1.0;
        for y in (0..self.height).step_by(SAMPLES) {
            // Backgrounds are soft: one value a pixel will do.
            let first = y * self.width;
            for x in (0..self.width).step_by(SAMPLES) {
                let value = level(across(x, self.width), -across(y, self.height));
                self.light[first + x..][..SAMPLES].fill(value);
            }
            for copy in 1..SAMPLES {
                self.light
                    .copy_within(first..first + self.width, first + copy * self.width);
            }
        }
    }

    /// Draws a lit sheet; nearer samples win.
    pub fn draw(&mut self, sheet: &Sheet, camera: &Camera) {
        let s = SAMPLES as f32;
        self.placed.clear();
        self.placed.extend(sheet.points.iter().map(|&p| {
            let (x, y) = camera.project(p);
            (x * s, y * s)
        }));
        let (w, h) = (self.width, self.height);
        let Canvas {
            light,
            depth,
            placed,
            ..
        } = self;
        for r in 0..sheet.rows - 1 {
            for c in 0..sheet.columns - 1 {
                let i = r * sheet.columns + c;
                let (a, b, d, e) = (i, i + 1, i + sheet.columns, i + sheet.columns + 1);
                if sheet.hidden[a] || sheet.hidden[b] || sheet.hidden[d] || sheet.hidden[e] {
                    continue;
                }
                for t in [[a, d, b], [b, d, e]] {
                    let at = t.map(|k| placed[k]);
                    let turn = (at[1].0 - at[0].0) * (at[2].1 - at[0].1)
                        - (at[1].1 - at[0].1) * (at[2].0 - at[0].0);
                    if sheet.sides == Sides::Front && turn > 0.0 {
                        continue;
                    }
                    let z = t.map(|k| sheet.points[k].z);
                    let l = t.map(|k| sheet.light[k]);
                    fill(w, h, at, |k, [u, v, x]| {
                        let near = u * z[0] + v * z[1] + x * z[2];
                        if near > depth[k] {
                            depth[k] = near;
                            light[k] = u * l[0] + v * l[1] + x * l[2];
                        }
                    });
                }
            }
        }
    }
}
