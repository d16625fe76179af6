//! A sheet: a grid of points with paint on it. Heads, hair, ears, vases and tables are all sheets.

use super::geometry::{V3, v3};

/// What the light does on a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Material {
    Skin,
    Hair,
    Cloth,
    Glazed,
}

/// Which sides of a sheet can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    Front,
    Both,
}

/// One grid point's paint.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    /// Share of light thrown back, linear.
    pub albedo: f32,
    /// Strength of the highlight; 1 is ordinary for the material.
    pub gloss: f32,
    /// Light of its own (the catch light in an eye).
    pub glow: f32,
    /// Share of the surrounding light that reaches the point: low in creases.
    pub open: f32,
}

impl Paint {
    pub const fn flat(albedo: f32) -> Self {
        Paint {
            albedo,
            gloss: 1.0,
            glow: 0.0,
            open: 1.0,
        }
    }
}

/// Rows run downwards, columns to the right as the camera sees the front: then normals point outwards.
#[derive(Clone, Debug)]
pub struct Sheet {
    pub rows: usize,
    pub columns: usize,
    pub material: Material,
    pub sides: Sides,
    /// In camera space: turned, but not projected.
    pub points: Vec<V3>,
    pub paint: Vec<Paint>,
    /// Quads with a hidden corner are not drawn.
    pub hidden: Vec<bool>,
    pub normals: Vec<V3>,
    /// Light that leaves each point towards the camera, linear.
    pub light: Vec<f32>,
}

impl Sheet {
    /// Builds a sheet point by point; `None` hides the point.
    pub fn build(
        rows: usize,
        columns: usize,
        material: Material,
        sides: Sides,
        mut point: impl FnMut(usize, usize) -> Option<(V3, Paint)>,
    ) -> Self {
        let n = rows * columns;
        let mut sheet = Sheet {
            rows,
            columns,
            material,
            sides,
            points: Vec::with_capacity(n),
            paint: Vec::with_capacity(n),
            hidden: Vec::with_capacity(n),
            normals: Vec::new(),
            light: Vec::new(),
        };
        for row in 0..rows {
            for column in 0..columns {
                let made = point(row, column);
                let (p, paint) = made.unwrap_or((v3(0.0, 0.0, 0.0), Paint::flat(0.0)));
                sheet.points.push(p);
                sheet.paint.push(paint);
                sheet.hidden.push(made.is_none());
            }
        }
        sheet
    }

    /// Normals from the differences to the neighbours.
    pub fn compute_normals(&mut self) {
        let (rows, columns) = (self.rows, self.columns);
        self.normals.clear();
        for r in 0..rows {
            let (up, down) = (r.saturating_sub(1), (r + 1).min(rows - 1));
            for c in 0..columns {
                let (left, right) = (c.saturating_sub(1), (c + 1).min(columns - 1));
                let along = self.points[r * columns + right] - self.points[r * columns + left];
                let downwards = self.points[down * columns + c] - self.points[up * columns + c];
                let normal = downwards.cross(along).unit();
                let flip = self.sides == Sides::Both && normal.z < 0.0;
                self.normals.push(if flip { normal * -1.0 } else { normal });
            }
        }
    }
}

/// Blurs a grid in place with a box of `radius` points, along rows then along columns.
pub fn box_blur(grid: &mut [f32], rows: usize, columns: usize, radius: usize) {
    if radius == 0 {
        return;
    }
    let share = 1.0 / (2 * radius + 1) as f32;
    let before = |i: usize| i.saturating_sub(radius);
    let mut copy = grid.to_vec();
    for (from, to) in grid
        .chunks_exact(columns)
        .zip(copy.chunks_exact_mut(columns))
    {
        let after = |i: usize| (i + radius).min(columns - 1);
        let mut sum =
            from[0] * radius as f32 + (0..=radius).map(|i| from[i.min(columns - 1)]).sum::<f32>();
        for (i, out) in to.iter_mut().enumerate() {
            *out = sum * share;
            sum += from[after(i + 1)] - from[before(i)];
        }
    }
    // Down the columns, a whole row at a time.
    let row = |r: usize| &copy[r.min(rows - 1) * columns..][..columns];
    let mut sums: Vec<f32> = row(0).iter().map(|v| v * radius as f32).collect();
    for r in 0..=radius {
        sums.iter_mut().zip(row(r)).for_each(|(s, v)| *s += v);
    }
    for (r, out) in grid.chunks_exact_mut(columns).enumerate() {
        let (enter, leave) = (row(r + 1 + radius), row(before(r)));
        for (((out, sum), enter), leave) in out.iter_mut().zip(&mut sums).zip(enter).zip(leave) {
            *out = *sum * share;
            *sum += enter - leave;
        }
    }
}
