//! Lamps, their shadows, and how skin, hair and cloth answer.

use super::geometry::{V3, lerp, smoothstep, v3};
use super::raster::fill;
use super::sheet::{Material, Sheet, Sides, box_blur};
use super::shot::{Light, Shot};

/// Texels along each side of a shadow map, and the centimetres it covers.
const TEXELS: usize = 112;
const REACH: f32 = 34.0;
/// Every how many grid points a sheet is sampled for shadows.
const STRIDE: usize = 3;

/// Points whose normal's z is below this can hardly be seen, not even at the rim.
const AWAY: f32 = -0.5;

/// The scene as the lamp sees it: how near the nearest surface is, texel by texel.
struct ShadowMap {
    right: V3,
    up: V3,
    towards: V3,
    near: Vec<f32>,
}

impl ShadowMap {
    fn new(direction: V3) -> Self {
        let towards = direction.unit();
        let right = v3(0.0, 1.0, 0.0).cross(towards).unit();
        ShadowMap {
            right,
            up: towards.cross(right),
            towards,
            near: vec![f32::NEG_INFINITY; TEXELS * TEXELS],
        }
    }

    fn place(&self, p: V3) -> (f32, f32, f32) {
        let k = TEXELS as f32 / REACH;
        let middle = TEXELS as f32 / 2.0;
        // The head sits above the middle of what matters: its shadow falls on neck and shoulders.
        (
            p.dot(self.right) * k + middle,
            (p.dot(self.up) + 3.0) * k + middle,
            p.dot(self.towards),
        )
    }

    fn cast(&mut self, sheet: &Sheet) {
        let rows: Vec<usize> = (0..sheet.rows - 1)
            .step_by(STRIDE)
            .chain([sheet.rows - 1])
            .collect();
        let columns: Vec<usize> = (0..sheet.columns - 1)
            .step_by(STRIDE)
            .chain([sheet.columns - 1])
            .collect();
        for r in rows.windows(2) {
            for c in columns.windows(2) {
                let at = |row: usize, column: usize| row * sheet.columns + column;
                let corners = [
                    at(r[0], c[0]),
                    at(r[1], c[0]),
                    at(r[0], c[1]),
                    at(r[1], c[1]),
                ];
                let away = |k: usize| {
                    sheet.sides == Sides::Front && sheet.normals[k].dot(self.towards) < -0.1
                };
                if corners.iter().any(|&k| sheet.hidden[k]) || corners.iter().all(|&k| away(k)) {
                    continue;
                }
                let p = corners.map(|k| self.place(sheet.points[k]));
                for t in [[p[0], p[1], p[2]], [p[2], p[1], p[3]]] {
                    fill(TEXELS, TEXELS, t.map(|q| (q.0, q.1)), |k, [u, v, w]| {
                        let near = u * t[0].2 + v * t[1].2 + w * t[2].2;
                        self.near[k] = self.near[k].max(near);
                    });
                }
            }
        }
    }

    /// 1 in the light, 0 in shadow.
    fn lit(&self, p: V3) -> f32 {
        let (x, y, depth) = self.place(p);
        let (fx, fy) = (x - 0.5, y - 0.5);
        if fx < 0.0 || fy < 0.0 || fx >= (TEXELS - 2) as f32 || fy >= (TEXELS - 2) as f32 {
            return 1.0;
        }
        let (ix, iy) = (fx as usize, fy as usize);
        let (u, v) = (fx - ix as f32, fy - iy as f32);
        let free = |k: usize| smoothstep(0.75, 0.4, self.near[k] - depth);
        let k = iy * TEXELS + ix;
        lerp(
            lerp(free(k), free(k + 1), u),
            lerp(free(k + TEXELS), free(k + TEXELS + 1), u),
            v,
        )
    }
}

/// Shadow of one lamp on every point of a sheet, its edges blurred by `softness` centimetres.
fn shadow(map: &ShadowMap, sheet: &Sheet, step: f32, softness: f32) -> Vec<f32> {
    let seen = sheet.points.iter().zip(&sheet.normals);
    let mut lit: Vec<f32> = seen
        .map(|(&p, n)| if n.z < AWAY { 0.5 } else { map.lit(p) })
        .collect();
    let radius = (softness / step).round() as usize;
    box_blur(&mut lit, sheet.rows, sheet.columns, radius);
    box_blur(&mut lit, sheet.rows, sheet.columns, radius.div_ceil(2));
    lit
}

/// Lights all sheets; `step` is the distance of their points, centimetres.
pub fn light_scene(sheets: &mut [Sheet], shot: &Shot, step: f32) {
    let sky = Light {
        direction: v3(0.0, 0.8, 0.6).unit(),
        strength: shot.sky,
        softness: 1.0,
    };
    let mut maps = [
        ShadowMap::new(shot.key.direction),
        ShadowMap::new(sky.direction),
    ];
    for sheet in sheets.iter_mut() {
        sheet.compute_normals();
        // Clothes and table tops lie below everything: their shadows fall out of the picture.
        if sheet.material != Material::Cloth {
            maps.iter_mut().for_each(|map| map.cast(sheet));
        }
    }
    let half = |lamp: &Light| (lamp.direction + v3(0.0, 0.0, 1.0)).unit();
    let (key_half, sky_half) = (half(&shot.key), half(&sky));
    for sheet in sheets.iter_mut() {
        let key_lit = shadow(&maps[0], sheet, step, 0.9 * shot.key.softness);
        let sky_lit = shadow(&maps[1], sheet, step, 1.6);
        let answer = Answer::of(sheet.material);
        sheet.light = (0..sheet.points.len())
            .map(|i| {
                let (n, paint) = (sheet.normals[i], &sheet.paint[i]);
                if n.z < AWAY {
                    return 0.0;
                }
                let key = answer.diffuse(n, &shot.key) * shot.key.strength * key_lit[i];
                let top = answer.diffuse(n, &sky) * sky.strength * lerp(0.25, 1.0, sky_lit[i]);
                let fill = shot.fill * (0.55 + 0.45 * n.z.max(0.0)) * lerp(0.45, 1.0, sky_lit[i]);
                let soft = paint.open;
                let shine = answer.shine(n, key_half) * key_lit[i] * shot.key.strength
                    + 0.35 * answer.shine(n, sky_half) * sky_lit[i];
                let hard = lerp(1.0, soft, 0.6);
                paint.albedo * (key * hard + (top + fill) * soft)
                    + paint.gloss * answer.gloss * shine * soft
                    + paint.glow * lerp(0.4, 1.0, key_lit[i])
            })
            .collect();
    }
}

/// How a material answers a lamp.
struct Answer {
    /// How far light creeps round the edge between light and dark.
    wrap: f32,
    gloss: f32,
    /// The highlight falls off with the 2^sharpness-th power of the cosine.
    sharpness: u32,
    material: Material,
}

impl Answer {
    fn of(material: Material) -> Self {
        let (wrap, gloss, sharpness) = match material {
            Material::Skin => (0.22, 0.07, 4),
            Material::Hair => (0.3, 0.022, 3),
            Material::Cloth => (0.12, 0.01, 2),
            Material::Glazed => (0.02, 0.35, 5),
        };
        Answer {
            wrap,
            gloss,
            sharpness,
            material,
        }
    }

    fn diffuse(&self, n: V3, lamp: &Light) -> f32 {
        let wrap = self.wrap + 0.15 * lamp.softness;
        let facing = (n.dot(lamp.direction) + wrap) / (1.0 + wrap);
        facing.max(0.0)
    }

    /// `half` lies midway between lamp and camera.
    fn shine(&self, n: V3, half: V3) -> f32 {
        let facing = n.dot(half).max(0.0);
        match self.material {
            // Locks are cylinders: the highlight is a band across them, wide sideways.
            Material::Hair => {
                let band = 1.0 - (n.y - half.y).powi(2) * 3.5;
                band.max(0.0).powi(3) * facing
            }
            _ => (0..self.sharpness).fold(facing, |f, _| f * f),
        }
    }
}
