//! The front of the face: hills and hollows over the head's loft, and the paint that belongs to them.

use super::eyes::Eyes;
use super::geometry::{Curve, hill, lerp, ridge, smoothstep};
use super::person::Person;
use super::random::Noise;
use super::sheet::Paint;
use super::shot::Expression;

/// One face in one photo: the person's measures, moved by the expression.
pub struct Face<'a> {
    person: &'a Person,
    pub eyes: Eyes,
    smile: f32,
    /// Opening between the lips, centimetres.
    gap: f32,
    pub mouth_half_width: f32,
    pub mouth_y: f32,
    /// Rise of the mouth's corners over its middle.
    corner_rise: f32,
    upper_lip: f32,
    lower_lip: f32,
    pub menton_y: f32,
    brow_raise: f32,
    nose_profile: Curve,
    nose_width: Curve,
    grain: Noise,
}

impl<'a> Face<'a> {
    pub fn new(person: &'a Person, look: &Expression, eyes: Eyes) -> Self {
        let s = &person.shape;
        let smile = look.smile;
        let happy = smile.max(0.0);
        let teeth = 0.28 * smoothstep(0.45, 0.9, smile);
        let gap = (1.3 * look.mouth_open).max(teeth);
        let (bottom, out) = (s.nose_bottom_y, s.nose_out);
        let tip = bottom + 0.95 + s.nose_tip_up * 0.5;
        Face {
            person,
            eyes,
            smile,
            gap,
            mouth_half_width: s.mouth_half_width + 0.45 * smile - 0.3 * look.mouth_open,
            mouth_y: s.mouth_y + 0.1 * happy,
            corner_rise: s.mouth_curve + 0.42 * smile + 0.1 * look.mouth_open,
            upper_lip: s.upper_lip * (1.0 - 0.22 * happy),
            lower_lip: s.lower_lip * (1.0 - 0.15 * happy),
            menton_y: s.menton_y - 0.8 * gap,
            brow_raise: look.brow_raise,
            nose_profile: Curve::new(&[
                (bottom - 0.55, 0.0),
                (bottom - 0.05, 0.35),
                (bottom + 0.35, out * 0.72),
                (tip, out),
                (tip + 0.8, out * 0.86),
                (lerp(tip, 0.4, 0.55), out * 0.66 + s.nose_hump),
                (0.4, s.nose_bridge),
                (1.6, s.nose_bridge * 0.35),
                (2.6, 0.0),
            ]),
            nose_width: Curve::new(&[
                (bottom, s.nose_half_width * 0.8),
                (tip, s.nose_half_width * 1.08),
                (tip + 1.2, s.nose_half_width * 1.15),
                (lerp(tip, 0.4, 0.6), s.nose_bridge_width * 1.95),
                (0.4, s.nose_bridge_width * 1.45),
                (2.4, s.nose_bridge_width * 2.4),
            ]),
            grain: Noise(person.salt),
        }
    }

    /// Depth of the skin at (x, y) where the bare loft has depth `z`.
    pub fn relief(&self, x: f32, y: f32, z: f32) -> f32 {
        let ax = x.abs();
        // Rounded at the middle, where left and right would otherwise meet in a crease.
        let rounded = (x * x + 0.3).sqrt();
        let z =
            z + self.bones(rounded, y) + self.cheeks(ax, y) + self.mouth(x, y) + self.chin(x, y);
        let z = z + self.nose(x, y);
        let z = if self.eyes.near(ax, y) {
            self.eyes.relief(ax, y, z)
        } else {
            z
        };
        z + self.creases(ax, y)
    }

    fn bones(&self, ax: f32, y: f32) -> f32 {
        let s = &self.person.shape;
        let brow = self.eyes.brow_y();
        let ridge_bone = s.brow_ridge * hill((ax - 2.4) / 2.8, (y - brow + 0.15) / 1.1);
        let socket = -0.95 * hill((ax - s.eye_x) / 2.5, (y + 0.05) / 2.05)
            - 0.35 * hill((ax - 1.5) / 1.1, (y - 0.1) / 1.3);
        let temple = -0.35 * hill((ax - 6.6) / 2.2, (y - 1.8) / 3.2);
        let forehead = 0.3 * hill(ax / 5.5, (y - 4.8) / 3.2);
        ridge_bone + socket + temple + forehead
    }

    fn cheeks(&self, ax: f32, y: f32) -> f32 {
        let s = &self.person.shape;
        let happy = self.smile.max(0.0);
        let bone = (0.2 + 0.8 * s.cheekbone) * hill((ax - 4.1) / 2.7, (y + 2.1) / 2.6);
        let apple = (0.25 + 0.42 * happy) * hill((ax - 3.5) / 2.1, (y + 3.1 - 0.45 * happy) / 2.0);
        let hollow = s.cheek_fullness * hill((ax - 4.0) / 2.9, (y + 5.6) / 3.8);
        bone + apple + hollow
    }

    fn nose(&self, x: f32, y: f32) -> f32 {
        let s = &self.person.shape;
        let bottom = s.nose_bottom_y;
        if y > 2.7 || y < bottom - 0.8 {
            return 0.0;
        }
        let x = x - s.nose_lean * (y / bottom).clamp(0.0, 1.0);
        let ax = x.abs();
        let w = self.nose_width.at(y);
        let bridge = self.nose_profile.at(y) * ridge(x / w);
        let tip_y = bottom + 0.85 + s.nose_tip_up * 0.5;
        let tip = s.nose_tip * hill(x / 1.15, (y - tip_y) / 1.0);
        let wing_x = s.nose_half_width - 0.62;
        let wing_y = bottom + 0.55;
        let wing = 0.85 * hill((ax - wing_x) / 0.95, (y - wing_y) / 1.0).powf(0.7);
        let groove = -0.1 * hill((ax - wing_x - 0.25) / 0.7, (y - wing_y - 0.95) / 0.6);
        let nostril = -0.4 * hill((ax - 0.72) / 0.42, (y - bottom - 0.12) / 0.3);
        bridge + tip + wing + groove + nostril
    }

    /// Height of the line where the lips meet (or the middle of the gap), x from the face's middle.
    pub fn mouth_line(&self, x: f32) -> f32 {
        let t = (x / self.mouth_half_width).clamp(-1.2, 1.2);
        self.mouth_y + self.corner_rise * t * t * t.abs() - 0.07 * ridge(t / 0.3)
    }

    /// Upper and lower edge of the opening, and of the red of the lips, at x.
    fn lip_edges(&self, x: f32) -> [f32; 4] {
        let t = (x / self.mouth_half_width).clamp(-1.0, 1.0);
        let line = self.mouth_line(x);
        let arc = (1.0 - t * t).max(0.0);
        let open = self.gap * arc.powf(0.75);
        let (top, low) = (line + 0.12 * open, line - 0.88 * open);
        let bow = 1.0 - self.person.shape.cupid_bow * ridge(t / 0.16) * 0.7;
        let taper = (1.0 - t.abs().powf(1.7)).max(0.0);
        [
            top + self.upper_lip * taper * bow,
            top,
            low,
            low - self.lower_lip * arc.powf(0.8),
        ]
    }

    fn mouth(&self, x: f32, y: f32) -> f32 {
        let s = &self.person.shape;
        if (y - self.mouth_y).abs() > 3.6 || x.abs() > 5.0 {
            return 0.0;
        }
        let muzzle = 0.65 * hill(x / 4.2, (y - self.mouth_y) / 2.9);
        let t = x / self.mouth_half_width;
        let [red_top, top, low, red_low] = self.lip_edges(x);
        let full = s.lips_out * (1.0 - 0.75 * t * t).max(0.0);
        let swell = |y: f32, from: f32, to: f32| {
            let u = ((y - from) / (to - from).max(0.05)).clamp(-0.6, 1.0);
            if u < 0.0 {
                smoothstep(-0.6, 0.0, u) * 0.55
            } else {
                0.55 + 0.45 * (u * 2.6).min(1.0) * smoothstep(1.02, 0.6, u)
                    - 0.55 * smoothstep(0.6, 1.05, u)
            }
        };
        let lips = if t.abs() > 1.15 {
            0.0
        } else if y > (top + low) * 0.5 {
            full * swell(y, red_top, top)
        } else {
            1.15 * full * swell(y, red_low, low)
        };
        let inside = smoothstep(-0.02, 0.1, (top - y).min(y - low)) * smoothstep(1.0, 0.9, t.abs());
        let corner = -0.25
            * hill(
                (x.abs() - self.mouth_half_width - 0.05) / 0.55,
                (y - self.mouth_line(x)) / 0.5,
            );
        let philtrum = -0.13
            * ridge(x / 0.55)
            * smoothstep(red_top - 0.1, red_top + 0.4, y)
            * smoothstep(s.nose_bottom_y + 0.1, s.nose_bottom_y - 0.4, y);
        let fold = -0.3 * hill(x / 2.3, (y - red_low + 0.55) / 0.7);
        let fade = smoothstep(1.15, 0.9, t.abs());
        muzzle + lips * fade - 0.75 * inside * smoothstep(0.1, 0.3, self.gap)
            + corner
            + philtrum
            + fold
    }

    fn chin(&self, x: f32, y: f32) -> f32 {
        let s = &self.person.shape;
        let cy = self.menton_y + 1.15;
        let boss = (0.55 + s.chin_out) * hill(x / (s.chin_width * 1.5), (y - cy) / 1.9);
        boss - s.chin_cleft * hill(x / 0.45, (y - cy) / 1.0)
    }

    /// Distance across the fold from nostril to mouth corner, and how strong it is here.
    fn fold(&self, ax: f32, y: f32) -> (f32, f32) {
        let top = self.person.shape.nose_bottom_y + 0.7;
        let low = self.mouth_y - 0.5;
        let u = (top - y) / (top - low);
        let from = self.person.shape.nose_half_width + 0.15;
        let to = self.mouth_half_width + 0.75;
        let at = lerp(from, to, u + 0.55 * u * (1.0 - u));
        (
            ax - at,
            smoothstep(-0.12, 0.15, u) * smoothstep(1.15, 0.75, u),
        )
    }

    fn creases(&self, ax: f32, y: f32) -> f32 {
        let (d, along) = self.fold(ax, y);
        let depth = 0.02 + 0.09 * self.person.look.folds + 0.12 * self.smile.max(0.0);
        let fold = along * depth * (ridge((d - 0.55) / 0.9) * 0.9 - ridge(d / 0.55));
        let lines = if y > 2.6 && ax < 4.5 && self.brow_raise + self.person.look.folds > 0.3 {
            let wave = ((y + 0.12 * ax * (1.0 - ax * 0.2)) * 5.2).sin();
            0.035
                * (0.5 * self.person.look.folds + self.brow_raise.max(0.0))
                * wave
                * hill(ax / 4.5, (y - 4.4) / 1.9)
        } else {
            0.0
        };
        fold + lines
    }

    /// The skin's paint at (x, y), before hair and beard.
    pub fn paint(&self, x: f32, y: f32) -> Paint {
        let (p, look, s) = (self.person, &self.person.look, &self.person.shape);
        let ax = x.abs();
        let mottle =
            self.grain.at(x * 0.9, y * 0.9) * 0.6 + self.grain.at(x * 2.7 + 40.0, y * 2.7) * 0.4;
        let mut albedo = look.skin * (1.0 + look.mottling * mottle);
        // Blood shows darker in gray on cheeks and nose; the forehead is the lightest part.
        albedo *= 1.0
            - 0.1 * hill((ax - 3.9) / 2.4, (y + 3.4) / 2.4)
            - 0.08 * hill(x / 1.5, (y - s.nose_bottom_y - 0.8) / 1.2);
        if look.freckles > 0.0 {
            let spots = smoothstep(0.45, 0.75, self.grain.at(x * 4.5 + 9.0, y * 4.5));
            albedo *= 1.0 - look.freckles * spots * hill(x / 5.5, (y + 2.5) / 2.8);
        }
        if let Some((mx, my)) = look.mole {
            albedo *=
                1.0 - 0.55 * smoothstep(0.2, 0.1, ((x - mx).powi(2) + (y - my).powi(2)).sqrt());
        }
        let (d, along) = self.fold(ax, y);
        albedo *= 1.0 - (0.1 * look.folds + 0.1 * self.smile.max(0.0)) * along * ridge(d / 0.45);
        let nostril = hill((ax - 0.72) / 0.48, (y - s.nose_bottom_y - 0.08) / 0.28);
        albedo *= 1.0 - 0.8 * nostril;
        let oily =
            0.9 + 0.4 * hill(x / 1.3, (y + 2.5) / 3.0) + 0.5 * hill(x / 4.0, (y - 4.5) / 2.5);
        let mut paint = Paint {
            albedo,
            gloss: oily,
            glow: 0.0,
            open: 1.0,
        };
        self.paint_mouth(x, y, &mut paint);
        if self.eyes.near(ax, y) {
            let before = paint.albedo;
            (paint.albedo, paint.gloss, paint.glow) = self.eyes.paint(ax, y, x.signum(), before);
        }
        let (cover, hair) = self
            .eyes
            .brow(ax, y, Noise(p.salt ^ x.is_sign_negative() as u32));
        paint.albedo = lerp(paint.albedo, hair, cover);
        paint.gloss *= 1.0 - cover;
        paint
    }

    fn paint_mouth(&self, x: f32, y: f32, paint: &mut Paint) {
        let t = x / self.mouth_half_width;
        if t.abs() > 1.2 || (y - self.mouth_y).abs() > 3.0 {
            return;
        }
        let [red_top, top, low, red_low] = self.lip_edges(x);
        let red = smoothstep(-0.07, 0.07, (red_top - y).min(y - red_low))
            * smoothstep(1.05, 0.9, t.abs());
        let lines = 1.0 + 0.06 * self.grain.at(x * 6.0, y * 1.2);
        paint.albedo *= lerp(1.0, self.person.look.lips * lines, red);
        paint.gloss *= lerp(1.0, if y < low { 2.2 } else { 0.8 }, red);
        let corner = hill((t.abs() - 1.0) / 0.16, (y - self.mouth_line(x)) / 0.3);
        paint.albedo *= 1.0 - 0.45 * corner;
        // Closed lips meet in a dark line; open ones show teeth above and dark below.
        let meet = ridge((y - (top + low) * 0.5) / (0.1 + 0.5 * (top - low)))
            * smoothstep(1.06, 0.9, t.abs());
        paint.albedo *= 1.0 - 0.75 * meet * smoothstep(0.3, 0.0, self.gap);
        let inside =
            smoothstep(-0.05, 0.05, (top - y).min(y - low)) * smoothstep(1.0, 0.93, t.abs());
        if self.gap > 0.05 && inside > 0.0 {
            let from_top = top - y;
            let teeth_low = lerp(0.35, 0.75, self.smile.clamp(0.0, 1.0));
            let tooth = smoothstep(teeth_low + 0.06, teeth_low - 0.06, from_top)
                * smoothstep(0.92, 0.6, t.abs());
            let seam = 1.0 - 0.25 * ridge(((x.abs() / 0.72).fract() - 0.5).abs() * -6.0 + 3.0);
            let shade = lerp(0.55, 1.0, smoothstep(0.0, 0.2, from_top)) * (1.0 - 0.5 * t * t);
            let mouth = lerp(0.03, 0.6 * seam * shade, tooth);
            paint.albedo = lerp(paint.albedo, mouth, inside);
            paint.gloss *= 1.0 - inside;
        }
    }
}
