//! Eyes: eyeball, lids, iris, lashes, brows. All as seen from the front, mirrored so that x grows outwards.

use super::geometry::{lerp, ridge, smooth_max, smoothstep};
use super::person::{Look, Person};
use super::random::Noise;
use super::shape::Shape;
use super::shot::Expression;

/// One pair of eyes in one photo.
pub struct Eyes {
    x: f32,
    half_length: f32,
    tilt: f32,
    upper: f32,
    lower: f32,
    crease: f32,
    /// Depth of the eyeball's front, set from the head below it.
    front_z: f32,
    gaze: (f32, f32),
    catch: (f32, f32),
    iris: f32,
    lashes: f32,
    bags: f32,
    brow: Brow,
}

struct Brow {
    x: (f32, f32),
    y: f32,
    arch: f32,
    slant: f32,
    thickness: f32,
    darkness: f32,
    albedo: f32,
}

const IRIS_RADIUS: f32 = 0.59;
const PUPIL_RADIUS: f32 = 0.23;

impl Eyes {
    /// `front_z` is the depth of the unshaped face at the eye; `catch` where the lamp mirrors in the cornea.
    pub fn new(person: &Person, face: &Expression, front_z: f32, catch: (f32, f32)) -> Self {
        let (s, l): (&Shape, &Look) = (&person.shape, &person.look);
        let smile = face.smile.max(0.0);
        Eyes {
            x: s.eye_x,
            half_length: s.eye_half_length,
            tilt: s.eye_tilt,
            upper: 0.4 * s.eye_opening * face.eyes_open * (1.0 + 0.08 * face.brow_raise)
                - 0.04 * smile,
            lower: 0.44 * s.eye_opening * lerp(1.0, face.eyes_open, 0.25) * (1.0 - 0.22 * smile),
            crease: s.lid_crease,
            front_z: front_z - s.eye_depth,
            gaze: face.gaze,
            catch,
            iris: l.iris,
            lashes: l.lashes,
            bags: l.eye_bags,
            brow: Brow {
                x: (s.eye_x - 1.95, s.eye_x + 2.15),
                y: s.brow_y + 0.32 * face.brow_raise,
                arch: s.brow_arch,
                slant: s.brow_slant,
                thickness: l.brow_thickness,
                darkness: l.brow_darkness,
                albedo: lerp(person.hair.albedo, 0.03, 0.5).min(0.3),
            },
        }
    }

    /// The pupil's place on the right half of the face: x, y, z.
    pub fn centre(&self) -> (f32, f32, f32) {
        (self.x, 0.0, self.front_z)
    }

    /// Place along the eye (-1 inner corner, 1 outer) and height over the line through the corners.
    fn local(&self, x: f32, y: f32) -> (f32, f32) {
        let t = (x - self.x) / self.half_length;
        (t, y - self.tilt * 0.5 * t)
    }

    fn upper_edge(&self, t: f32) -> f32 {
        let arc = (1.0 - t * t).max(0.0);
        self.upper * arc.sqrt() * (0.72 + 0.28 * arc) * (1.0 - 0.12 * t)
    }

    fn lower_edge(&self, t: f32) -> f32 {
        let arc = (1.0 - t * t).max(0.0);
        -self.lower * arc * (1.0 + 0.2 * t)
    }

    pub fn near(&self, x: f32, y: f32) -> bool {
        (x - self.x).abs() < 2.6 && y.abs() < 2.0
    }

    /// Depth of the surface here, given the depth `z` of the face around the eye.
    pub fn relief(&self, x: f32, y: f32, z: f32) -> f32 {
        let (t, h) = self.local(x, y);
        let (dx, dy) = (x - self.x, y);
        let ball = self.front_z - (dx * dx * 0.72 + dy * dy) / 2.7;
        let lid_thickness = 0.15;
        // The lid hugs the ball near the opening and sinks quickly below the face further out.
        let d2 = dx * dx + dy * dy;
        let around = smooth_max(z, ball + lid_thickness - 0.11 * d2 * d2, 0.35);
        // The fold of the upper lid: a shallow groove that follows the edge.
        let fold_at = self.upper_edge(t * 0.9).max(0.12) + self.crease + 0.1;
        let groove = 0.13 * ridge((h - fold_at) / 0.2) * smoothstep(1.25, 0.8, t.abs());
        let bag_at = self.lower_edge(t * 0.9) - 0.55;
        let bag = (0.12 * ridge((h - bag_at - 0.25) / 0.3)
            - 0.14 * ridge((h - bag_at + 0.1) / 0.3))
            * self.bags;
        let around = around - groove + bag * smoothstep(1.2, 0.5, t.abs());
        let gap = (self.upper_edge(t) - h).min(h - self.lower_edge(t));
        lerp(
            around,
            ball,
            smoothstep(-0.06, 0.06, gap) * smoothstep(1.02, 0.95, t.abs()),
        )
    }

    /// Albedo, gloss and glow here, given the skin's albedo around.
    pub fn paint(&self, x: f32, y: f32, side: f32, skin: f32) -> (f32, f32, f32) {
        let (t, h) = self.local(x, y);
        let (upper, lower) = (self.upper_edge(t), self.lower_edge(t));
        let within = smoothstep(1.08, 0.98, t.abs());
        let around = smoothstep(1.5, 0.4, t.abs());
        let mut albedo = skin * (1.0 - 0.24 * around * smoothstep(1.5, 0.3, (h - 0.3).abs()));
        albedo *= 1.0 - self.bags * 0.35 * around * ridge((h - lower + 0.6) / 0.5);
        let fold_at = self.upper_edge(t * 0.9).max(0.12) + self.crease + 0.1;
        albedo *= 1.0 - 0.45 * smoothstep(1.2, 0.85, t.abs()) * ridge((h - fold_at) / 0.13);
        let gap = (upper - h).min(h - lower);
        let inside = smoothstep(-0.05, 0.05, gap) * smoothstep(1.03, 0.97, t.abs());
        let (mut gloss, mut glow) = (1.0, 0.0);
        if inside > 0.0 {
            let (eye, shine) = self.ball(x, y, side, upper - h);
            albedo = lerp(albedo, eye, inside);
            gloss = lerp(gloss, 0.0, inside);
            glow = shine * inside;
        }
        let outer = lerp(0.6, 1.0, smoothstep(-0.8, 0.8, t));
        let lash =
            within * outer * self.lashes * ridge((h - upper - 0.03) / (0.13 + 0.06 * self.lashes));
        albedo *= 1.0 - 0.88 * lash;
        let low_lash = within * outer * self.lashes * ridge((h - lower + 0.03) / 0.08);
        albedo *= 1.0 - 0.4 * low_lash;
        (albedo, gloss, glow * (1.0 - lash))
    }

    /// The eyeball itself; `under_lid` is the distance below the upper lid, whose shadow falls on it.
    fn ball(&self, x: f32, y: f32, side: f32, under_lid: f32) -> (f32, f32) {
        let gaze_x = self.gaze.0 * side;
        let (dx, dy) = (x - self.x - gaze_x, y - self.gaze.1);
        let r = (dx * dx + dy * dy).sqrt();
        let sclera = 0.32 * smoothstep(2.3, 0.4, (x - self.x).abs());
        let ring = lerp(1.0, 0.45, smoothstep(0.72, 0.98, r / IRIS_RADIUS));
        // The iris is lighter opposite the lamp, where the cornea gathers the light.
        let iris = self.iris * ring * (1.0 + 0.35 * (-dy).clamp(-1.0, 1.0));
        let mut albedo = lerp(
            iris,
            sclera,
            smoothstep(IRIS_RADIUS - 0.04, IRIS_RADIUS + 0.06, r),
        );
        albedo = lerp(
            0.008,
            albedo,
            smoothstep(PUPIL_RADIUS - 0.05, PUPIL_RADIUS + 0.05, r),
        );
        albedo *= lerp(0.3, 1.0, smoothstep(0.0, 0.38, under_lid));
        let (cx, cy) = (dx - self.catch.0 * side, dy - self.catch.1);
        (
            albedo,
            0.5 * smoothstep(0.16, 0.06, (cx * cx + cy * cy).sqrt()),
        )
    }

    /// How much of the skin the brow's hairs hide here, 0 to 1, and their albedo.
    pub fn brow(&self, x: f32, y: f32, noise: Noise) -> (f32, f32) {
        let b = &self.brow;
        let s = (x - b.x.0) / (b.x.1 - b.x.0);
        if !(-0.1..1.1).contains(&s) || (y - b.y).abs() > 1.6 {
            return (0.0, b.albedo);
        }
        let middle = b.y + b.slant * s - 0.25
            + (b.arch + 0.25) * (1.0 - ((s - 0.62) / 0.62).powi(2))
            - 0.35 * smoothstep(0.7, 1.05, s);
        let half =
            b.thickness * lerp(1.0, 0.35, smoothstep(0.35, 1.0, s)) * smoothstep(-0.06, 0.12, s);
        let hairs = 1.0
            + 0.3 * noise.at(x * 11.0 - y * 8.0 * (1.0 - s), y * 2.5 + x)
            + 0.15 * noise.at(x * 3.0, y * 3.0);
        let edge = smoothstep(1.25, 0.35, (y - middle).abs() / half.max(0.05));
        let cover =
            edge * smoothstep(-0.08, 0.15, s) * smoothstep(1.06, 0.85, s) * b.darkness * hairs;
        (cover.clamp(0.0, 0.97), b.albedo)
    }

    /// Height of the brow's middle, for whoever needs to shape the bone below it.
    pub fn brow_y(&self) -> f32 {
        self.brow.y
    }
}
