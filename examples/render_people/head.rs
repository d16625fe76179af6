//! The head: a loft of rounded cross-sections from crown to throat, with the face laid over its front.

use super::eyes::Eyes;
use super::face::Face;
use super::geometry::{Curve, V3, hill, lerp, smoothstep, v3};
use super::hair::Growth;
use super::person::Person;
use super::random::Noise;
use super::shape::Shape;
use super::sheet::{Material, Paint, Sheet, Sides, box_blur};
use super::shot::Shot;
use std::f32::consts::{FRAC_PI_2, PI};

/// The bare head of one person: a point for every angle round the head and every height.
///
/// `v` runs from 0 (crown) to 1 (brow), 2 (under the chin) and 2.4 (throat).
pub struct Loft<'a> {
    shape: &'a Shape,
    menton_y: f32,
    half_width: Curve,
    front: Curve,
    rise: Curve,
}

/// Where the dome of the skull begins.
pub const DOME_Y: f32 = 2.0;
const BACK: f32 = 9.6;

/// The measures of one cross-section.
pub struct Section {
    y: f32,
    rise: f32,
    half_width: f32,
    front: f32,
    back: f32,
}

impl<'a> Loft<'a> {
    pub fn new(shape: &'a Shape, menton_y: f32) -> Self {
        let (cheek, jaw, mouth) = (shape.cheek_half_width, shape.jaw_half_width, shape.mouth_y);
        Loft {
            shape,
            menton_y,
            half_width: Curve::new(&[
                (menton_y, jaw * 0.97),
                (lerp(menton_y, mouth, 0.6), lerp(jaw, cheek, 0.16)),
                (mouth, lerp(jaw, cheek, 0.45)),
                (lerp(mouth, -2.0, 0.5), lerp(jaw, cheek, 0.8)),
                (-2.0, cheek),
                (DOME_Y, shape.temple_half_width),
            ]),
            front: Curve::new(&[
                (menton_y, 7.75),
                (menton_y + 1.2, 8.35),
                (mouth - 1.6, 8.45),
                (mouth, 8.6),
                (lerp(mouth, -2.5, 0.5), 8.6),
                (-2.5, 8.6),
                (0.3, 8.95),
                (DOME_Y, 9.3),
            ]),
            rise: Curve::new(&[
                (menton_y, shape.jaw_rise),
                (menton_y + 1.2, shape.jaw_rise * 0.8),
                (mouth, shape.jaw_rise * 0.35),
                (lerp(mouth, -1.5, 0.5), shape.jaw_rise * 0.08),
                (-1.5, 0.0),
            ]),
        }
    }

    /// The cross-section at `v`.
    pub fn section(&self, v: f32) -> Section {
        let s = self.shape;
        if v < 1.0 {
            let (sin, cos) = ((1.0 - v) * FRAC_PI_2).sin_cos();
            let bulge = (s.head_half_width - s.temple_half_width) * (1.6 * sin).min(1.0);
            let round = cos.max(0.0);
            return Section {
                y: DOME_Y + (s.crown_y - DOME_Y) * sin,
                rise: 0.0,
                half_width: (s.temple_half_width + bulge) * round.powf(0.82),
                front: 9.3 * round.powf(s.forehead_slope),
                back: BACK * round.powf(0.6),
            };
        }
        let under = ((v - 2.0) / 0.4).clamp(0.0, 1.0);
        let y = lerp(DOME_Y, self.menton_y, (v - 1.0).min(1.0));
        Section {
            y: y - 0.5 * (under * PI).sin() + 0.8 * under,
            rise: self.rise.at(y) * (1.0 - 0.3 * under),
            half_width: self.half_width.at(y) * (1.0 - 0.3 * under),
            front: self.front.at(y) * (1.0 - 0.6 * under),
            back: BACK - 1.6 * smoothstep(0.0, -9.0, y),
        }
    }

    /// The direction at `angle` from the front, prepared once for a column of the grid.
    pub fn direction(&self, angle: f32) -> Direction {
        let (sin, cos) = angle.sin_cos();
        let flat = cos.abs().powf(self.shape.flatness) * cos.signum();
        Direction {
            sin,
            cos,
            flat,
            rise: (1.0 - cos).powf(self.shape.jaw_square),
        }
    }
}

/// One column of the grid.
pub struct Direction {
    pub sin: f32,
    pub cos: f32,
    flat: f32,
    rise: f32,
}

impl Section {
    pub fn point(&self, d: &Direction) -> V3 {
        let depth = if d.flat > 0.0 { self.front } else { self.back };
        v3(
            self.half_width * d.sin,
            self.y + self.rise * d.rise,
            depth * d.flat,
        )
    }
}

/// Angles round the head: `step` centimetres apart in front, up to `seen` radians to each side, wide behind.
pub fn angles(step: f32, seen: f32) -> Vec<f32> {
    let front = (2.0 * seen / (step / 7.0)).ceil() as usize;
    let back = (8.0 * (PI - seen)) as usize;
    let rest = PI - seen;
    let mut out: Vec<f32> = (0..back)
        .map(|i| -PI + rest * i as f32 / back as f32)
        .collect();
    out.extend((0..=front).map(|i| seen * (2.0 * i as f32 / front as f32 - 1.0)));
    out.extend((1..=back).map(|i| seen + rest * i as f32 / back as f32));
    out
}

/// Landmarks on the turned head, camera space: eyes, nose tip, mouth corners; image-left first.
pub struct Landmarks(pub [V3; 5]);

/// Builds the skin of the head. `step` is the distance of grid points on the face, centimetres.
pub fn build(person: &Person, shot: &Shot, step: f32) -> (Sheet, Landmarks) {
    let shape = &person.shape;
    let look = &shot.expression;
    let rest = Loft::new(shape, shape.menton_y);
    let eye_z = eye_depth(&rest);
    // The lamp mirrors where the cornea's normal halves the angle to it.
    let lamp = shot.key.direction;
    let catch = (lamp.x * 0.3, 0.1 + lamp.y * 0.22);
    let eyes = Eyes::new(person, look, eye_z, catch);
    let face = Face::new(person, look, eyes);
    let loft = Loft::new(shape, face.menton_y);

    let growth = Growth::new(person);
    let angles = angles(step, 1.35);
    let columns: Vec<Direction> = angles.iter().map(|&a| loft.direction(a)).collect();
    let face_rows = ((DOME_Y - face.menton_y) / step).ceil() as usize;
    let dome_rows = (11.0 / (step * 1.7)).ceil() as usize;
    let throat_rows = 8;
    let heights: Vec<f32> = (0..dome_rows)
        .map(|i| i as f32 / dome_rows as f32)
        .chain((0..face_rows).map(|i| 1.0 + i as f32 / face_rows as f32))
        .chain((0..=throat_rows).map(|i| 2.0 + 0.4 * i as f32 / throat_rows as f32))
        .collect();

    let beard = BeardMask::new(person, &face);
    let mut relief = vec![0.0f32; heights.len() * columns.len()];
    let sections: Vec<Section> = heights.iter().map(|&v| loft.section(v)).collect();
    let mut sheet = Sheet::build(
        heights.len(),
        columns.len(),
        Material::Skin,
        Sides::Front,
        |r, c| {
            let (d, v) = (&columns[c], heights[r]);
            let mut p = sections[r].point(d);
            let front = smoothstep(0.12, 0.4, d.cos) * smoothstep(2.35, 2.0, v);
            let mut paint = Paint::flat(person.look.skin);
            if front > 0.0 {
                let z = face.relief(p.x, p.y, p.z);
                relief[r * columns.len() + c] = (z - p.z) * front;
                p.z = lerp(p.z, z, front);
                paint = face.paint(p.x, p.y);
            }
            beard.grow(&mut p, &mut paint, d);
            let roots = growth.roots(angles[c], p.x, p.y);
            paint.albedo = lerp(paint.albedo, person.hair.albedo, roots);
            paint.gloss *= 1.0 - roots;
            Some((shot.camera.turn_head(p), paint))
        },
    );
    shade_hollows(&mut sheet, relief, step);
    let landmarks = landmarks(&face, &loft, shape, shot);
    (sheet, landmarks)
}

fn eye_depth(loft: &Loft) -> f32 {
    loft_depth(loft, loft.shape.eye_x, 0.0)
}

/// Depth of the bare loft at (x, y) on the front of the face.
fn loft_depth(loft: &Loft, x: f32, y: f32) -> f32 {
    let section = loft.section(1.0 + (DOME_Y - y) / (DOME_Y - loft.menton_y));
    let sin = (x / section.half_width).clamp(-0.99, 0.99);
    section.point(&loft.direction(sin.asin())).z
}

/// Hollows get less of the surrounding light: compares the relief with its blurred self at two scales.
fn shade_hollows(sheet: &mut Sheet, relief: Vec<f32>, step: f32) {
    let mut near = relief.clone();
    box_blur(
        &mut near,
        sheet.rows,
        sheet.columns,
        (0.5 / step).round() as usize,
    );
    let mut far = near.clone();
    box_blur(
        &mut far,
        sheet.rows,
        sheet.columns,
        (1.4 / step).round() as usize,
    );
    for (i, paint) in sheet.paint.iter_mut().enumerate() {
        let hollow = 1.1 * (near[i] - relief[i]).max(0.0) + 0.45 * (far[i] - relief[i]).max(0.0);
        paint.open = (1.0 - hollow).max(0.25);
    }
}

fn landmarks(face: &Face, loft: &Loft, shape: &Shape, shot: &Shot) -> Landmarks {
    let (ex, ey, ez) = face.eyes.centre();
    let tip_y = shape.nose_bottom_y + 0.95 + shape.nose_tip_up * 0.5;
    let at = |x: f32, y: f32| v3(x, y, face.relief(x, y, loft_depth(loft, x, y)));
    let corner = face.mouth_half_width;
    let corner_y = face.mouth_line(corner);
    let points = [
        v3(-ex, ey, ez),
        v3(ex, ey, ez),
        at(shape.nose_lean, tip_y),
        at(-corner, corner_y),
        at(corner, corner_y),
    ];
    Landmarks(points.map(|p| shot.camera.turn_head(p)))
}

/// Where the beard grows, and how thick.
struct BeardMask<'a> {
    person: &'a Person,
    mouth_y: f32,
    mouth_half_width: f32,
    menton_y: f32,
    noise: Noise,
}

impl<'a> BeardMask<'a> {
    fn new(person: &'a Person, face: &Face) -> Self {
        BeardMask {
            person,
            mouth_y: face.mouth_y,
            mouth_half_width: face.mouth_half_width,
            menton_y: face.menton_y,
            noise: Noise(person.salt ^ 0xBEA2D),
        }
    }

    fn cover(&self, p: V3, d: &Direction) -> f32 {
        let (b, ax, y) = (&self.person.beard, p.x.abs(), p.y);
        if y > 0.0 || d.cos < -0.1 {
            return 0.0;
        }
        // The upper border runs from the sideburn down to the mouth's corner and along below the lower lip.
        let border = lerp(
            self.mouth_y - 1.1,
            -1.5,
            smoothstep(self.mouth_half_width - 0.3, 6.6, ax).powf(1.2),
        );
        let notch = hill(
            ax / (self.mouth_half_width + 0.3),
            (y - self.mouth_y + 0.4) / 1.5,
        );
        let below = smoothstep(border + 0.5, border - 1.4, y) * (1.0 - notch.sqrt());
        let middle = smoothstep(self.mouth_half_width + 1.7, self.mouth_half_width + 0.4, ax);
        let jaw = below * lerp(b.cheeks, b.chin.max(b.cheeks), middle);
        let lip = self.mouth_y + self.person.shape.upper_lip;
        let nose = self.person.shape.nose_bottom_y;
        let moustache = b.moustache
            * smoothstep(nose + 0.1 - 0.28 * ax, nose - 0.55 - 0.22 * ax, y)
            * smoothstep(lip - 0.35, lip + 0.05, y + 0.12 * ax)
            * smoothstep(self.mouth_half_width + 0.7, self.mouth_half_width - 0.2, ax);
        let sides = b.moustache.min(b.chin)
            * hill(
                (ax - self.mouth_half_width - 0.35) / 0.8,
                (y - self.mouth_y + 0.5) / 1.9,
            )
            .sqrt();
        jaw.max(moustache).max(sides)
    }

    fn grow(&self, p: &mut V3, paint: &mut Paint, d: &Direction) {
        let cover = self.cover(*p, d);
        if cover <= 0.01 {
            return;
        }
        let noise =
            self.noise.at(p.x * 8.0, p.y * 3.0) * 0.6 + self.noise.at(p.x * 2.3, p.y * 1.7) * 0.4;
        let length = self.person.beard.length * cover * (1.0 + 0.35 * noise);
        let low = 1.0 + 0.8 * smoothstep(self.menton_y + 2.5, self.menton_y, p.y);
        *p = *p + v3(d.sin * 0.8, -0.35 * low, d.cos.max(0.0)) * (length * low);
        let hair = lerp(self.person.hair.albedo, 0.03, 0.25) * (1.0 + 0.3 * noise);
        let cover = (cover * (1.0 + 0.35 * noise)).clamp(0.0, 0.96);
        paint.albedo = lerp(paint.albedo, hair, cover);
        paint.gloss *= 1.0 - cover;
    }
}
