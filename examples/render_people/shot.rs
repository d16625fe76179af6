//! What changes from photo to photo: expression, pose, light, place in the frame, the camera's faults.

use super::geometry::{Rotation, V3, v3};
use super::random::Random;

/// How the head fills the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Framing {
    /// The head fills the frame, as in the AT&T Database of Faces.
    Crop,
    /// A smaller head anywhere in a larger picture.
    Scene,
}

/// How far the light strays from a friendly window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LightRange {
    Mild,
    Any,
}

/// What the caller chooses for all photos.
#[derive(Clone, Debug)]
pub struct Session {
    pub width: u32,
    pub height: u32,
    pub seed: u64,
    pub framing: Framing,
    pub light: LightRange,
    /// Largest yaw, degrees; pitch and roll scale with it.
    pub pose_degrees: f32,
}

/// 0 is at rest, 1 is strong.
#[derive(Clone, Debug, Default)]
pub struct Expression {
    pub smile: f32,
    pub mouth_open: f32,
    pub brow_raise: f32,
    /// 1 leaves the eyes as they are, 0 closes them.
    pub eyes_open: f32,
    /// Where the eyes look, centimetres on the eyeball.
    pub gaze: (f32, f32),
}

#[derive(Clone, Debug)]
pub struct Light {
    /// Towards the lamp.
    pub direction: V3,
    pub strength: f32,
    /// 0 a bare bulb, 1 a large window.
    pub softness: f32,
}

#[derive(Clone, Debug)]
pub struct Camera {
    pub head: Rotation,
    pub body: Rotation,
    /// Pixels per centimetre at the ears' distance.
    pub scale: f32,
    /// Where the head's pivot falls, pixels.
    pub centre: (f32, f32),
    /// Centimetres from camera to pivot.
    pub distance: f32,
}

/// The point about which the head turns and the frame is centred.
pub const PIVOT: V3 = v3(0.0, -1.6, 0.0);

impl Camera {
    pub fn turn_head(&self, p: V3) -> V3 {
        self.head.apply(p - PIVOT)
    }

    pub fn turn_body(&self, p: V3) -> V3 {
        self.body.apply(p - PIVOT)
    }

    /// Pixel coordinates of a point that was turned already; pixel centres lie at half-integers.
    pub fn project(&self, p: V3) -> (f32, f32) {
        let f = self.scale * self.distance / (self.distance - p.z);
        (self.centre.0 + p.x * f, self.centre.1 - p.y * f)
    }
}

#[derive(Clone, Debug)]
pub struct Backdrop {
    pub level: f32,
    /// Change of level across the frame, to the right and upwards.
    pub tilt: (f32, f32),
    pub clutter: f32,
    pub salt: u32,
}

#[derive(Clone, Debug)]
pub struct Film {
    /// Standard deviation of the sensor's noise, gray levels.
    pub noise: f32,
    /// Blur radius, pixels.
    pub blur: f32,
    pub exposure: f32,
}

#[derive(Clone, Debug)]
pub struct Shot {
    pub expression: Expression,
    pub camera: Camera,
    pub key: Light,
    pub fill: f32,
    pub sky: f32,
    pub backdrop: Backdrop,
    pub film: Film,
    pub salt: u64,
}

impl Shot {
    /// Draws photo `image` (from 1) of person `person`.
    pub fn draw(session: &Session, person: u64, image: u64) -> Self {
        let r = &mut Random::named(&[session.seed, person, image, 0xCA3E]);
        Shot {
            expression: Expression::draw(r),
            camera: Camera::draw(r, session),
            key: Light::draw(r, session.light),
            fill: r.between(0.13, 0.22),
            sky: r.between(0.25, 0.4),
            backdrop: Backdrop {
                level: r.between(0.05, 0.1),
                tilt: (r.about(0.0, 0.025), r.about(0.02, 0.02)),
                clutter: if session.framing == Framing::Scene {
                    r.between(0.1, 0.7)
                } else {
                    0.0
                },
                salt: r.bits() as u32,
            },
            film: Film {
                noise: r.between(0.6, 2.0),
                blur: r.between(0.25, 0.6),
                exposure: r.about(1.0, 0.04),
            },
            salt: r.bits(),
        }
    }
}

impl Expression {
    fn draw(r: &mut Random) -> Self {
        let smile = if r.chance(0.36) {
            r.between(0.3, 1.0)
        } else {
            r.between(-0.12, 0.12)
        };
        Expression {
            smile,
            mouth_open: if r.chance(0.3) {
                r.between(0.15, 0.9)
            } else {
                0.0
            },
            brow_raise: if r.chance(0.25) {
                r.between(0.2, 1.0)
            } else {
                r.between(-0.25, 0.1)
            },
            eyes_open: if r.chance(0.1) {
                r.between(0.1, 0.6)
            } else {
                r.between(0.85, 1.1)
            },
            gaze: (r.about(0.0, 0.1), r.about(0.0, 0.05)),
        }
    }
}

impl Camera {
    fn draw(r: &mut Random, session: &Session) -> Self {
        let degrees = session.pose_degrees.to_radians();
        let yaw = r.about(0.0, 0.42 * degrees).clamp(-degrees, degrees);
        let pitch = (r.about(0.0, 0.24 * degrees)).clamp(-0.67 * degrees, 0.67 * degrees);
        let roll = (r.about(0.0, 0.2 * degrees)).clamp(-0.42 * degrees, 0.42 * degrees);
        let (w, h) = (session.width as f32, session.height as f32);
        let (scale, centre) = match session.framing {
            Framing::Crop => {
                let fit = (w / 17.8).min(h / 22.2);
                let scale = fit * r.about(1.0, 0.016);
                (
                    scale,
                    (
                        w / 2.0 + r.about(0.0, 0.16) * fit,
                        h * 0.49 + r.about(0.0, 0.16) * fit,
                    ),
                )
            }
            Framing::Scene => {
                let scale = r.between(0.26, 0.52) * w.min(h) / 23.0;
                let (mx, my) = (10.0 * scale, 13.0 * scale);
                (
                    scale,
                    (
                        r.between(mx, (w - mx).max(mx)),
                        r.between(my, (h - my).max(my)),
                    ),
                )
            }
        };
        Camera {
            head: Rotation::new(yaw, pitch, roll),
            body: Rotation::new(0.25 * yaw, 0.0, 0.2 * roll),
            scale,
            centre,
            distance: r.between(75.0, 130.0),
        }
    }
}

impl Light {
    fn draw(r: &mut Random, range: LightRange) -> Self {
        let (side, low, high) = match range {
            LightRange::Mild => (0.46, 0.2, 0.7),
            LightRange::Any => (1.35, -0.3, 1.1),
        };
        let (azimuth, height) = (r.between(-side, side), r.between(low, high));
        let direction = v3(
            azimuth.sin() * height.cos(),
            height.sin(),
            azimuth.cos() * height.cos(),
        );
        Light {
            direction,
            strength: r.between(0.6, 0.9),
            softness: r.between(0.35, 1.0),
        }
    }
}
