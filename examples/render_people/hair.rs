//! Hair: a shell over the skull whose every column is a lock from the crown to where the hair ends.

use super::geometry::{V3, hill, lerp, ridge, smoothstep, v3};
use super::head::{self, DOME_Y, Loft};
use super::person::{Build, HairStyle, Person};
use super::random::Noise;
use super::sheet::{Material, Paint, Sheet, Sides};
use super::shot::Shot;
use std::f32::consts::FRAC_PI_2;

/// Angle of a full side parting from the middle, radians.
const PART_ANGLE: f32 = 0.6;

/// How one person's hair grows.
pub struct Growth<'a> {
    person: &'a Person,
    noise: Noise,
}

/// The hair of this person in this photo, if there is any.
pub fn build(person: &Person, shot: &Shot, step: f32) -> Option<Sheet> {
    if person.hair.style == HairStyle::Bald {
        return None;
    }
    let growth = Growth::new(person);
    let loft = Loft::new(&person.shape, person.shape.menton_y);
    let angles = head::angles(step * 1.3, 1.9);
    let columns: Vec<_> = angles
        .iter()
        .map(|&a| (a, loft.direction(a), growth.end_y(a)))
        .collect();
    let longest = columns
        .iter()
        .map(|c| person.shape.crown_y - c.2)
        .fold(0.0, f32::max);
    let rows = (1.1 * longest.min(24.0) / (step * 1.8)).ceil() as usize;
    Some(Sheet::build(
        rows,
        columns.len(),
        Material::Hair,
        Sides::Both,
        |r, c| {
            let (angle, direction, end_y) = &columns[c];
            let t = r as f32 / (rows - 1) as f32;
            let (base, y, from_crown) = growth.on_head(&loft, direction, *end_y, t);
            let (out, paint) = growth.lock(*angle, t, y, *end_y, from_crown);
            let away = v3(direction.sin, 0.0, direction.cos);
            let lift = v3(0.0, 1.0, 0.0) * smoothstep(DOME_Y, person.shape.crown_y, y);
            let radial = (away * (1.0 - 0.8 * lift.y) + lift).unit();
            let p = base + radial * out + growth.curl(*angle, y);
            Some((shot.camera.turn_head(p), paint))
        },
    ))
}

impl<'a> Growth<'a> {
    pub fn new(person: &'a Person) -> Self {
        Growth {
            person,
            noise: Noise(person.salt ^ 0x4A12),
        }
    }

    /// Share of the skin hidden by roots at height `y`: the hairline fades in, it is not cut out.
    pub fn roots(&self, angle: f32, x: f32, y: f32) -> f32 {
        if self.person.hair.style == HairStyle::Bald || angle.cos() < -0.3 {
            return 0.0;
        }
        let line = self.natural_line(angle);
        if y < line - 1.0 {
            return 0.0;
        }
        let noise = self.noise.at(x * 9.0, y * 2.0) * 0.3 + self.noise.at(x * 2.5, y) * 0.25;
        0.9 * smoothstep(line - 0.45, line + 0.5, y + noise)
    }

    /// Height at which the hair of this column ends.
    fn end_y(&self, angle: f32) -> f32 {
        use HairStyle::*;
        let hair = &self.person.hair;
        let a = angle.abs();
        let natural = self.natural_line(angle);
        let parted = self.parted_line(angle);
        let jitter =
            0.12 * self.noise.at(angle * 40.0, 3.0) + 0.22 * self.noise.at(angle * 9.0, 7.0);
        let hanging = |from: f32, y: f32| {
            lerp(
                parted,
                y + 1.4 * self.noise.at(angle * 12.0, 1.0),
                smoothstep(from, from + 0.5, a),
            )
        };
        let fringe = |low: f32| {
            low + 0.28 * self.noise.at(angle * 11.0, 5.0) - 0.9 * smoothstep(0.3, 0.85, a)
                + 0.5 * hair.part * angle
        };
        jitter
            + match hair.style {
                Long => hanging(0.74, hair.bottom_y),
                SideParted => parted,
                Bob => {
                    let low = hair.bottom_y;
                    let y = hanging(0.74, low);
                    if a < 0.85 && hair.wave > 0.6 {
                        lerp(fringe(2.9), y, smoothstep(0.75, 0.85, a))
                    } else {
                        y
                    }
                }
                Fringe => {
                    let low = if hair.volume > 1.0 { 2.7 } else { 3.7 };
                    lerp(
                        fringe(low),
                        if self.person.build == Build::Feminine {
                            hanging(0.8, -7.0)
                        } else {
                            natural
                        },
                        smoothstep(0.75, 1.0, a),
                    )
                }
                Curly => lerp(
                    natural,
                    natural.min(hair.bottom_y.max(-6.0)),
                    0.5 * smoothstep(1.2, 1.5, a),
                ),
                _ => natural,
            }
    }

    /// Where hair stops growing: across the forehead, back at the temples, down in front of the ear.
    fn natural_line(&self, angle: f32) -> f32 {
        let (hair, a) = (&self.person.hair, angle.abs());
        let temples = hair.recession * 1.6 * hill((a - 0.62) / 0.42, 0.0);
        let peak = 0.25 * hair.recession * ridge(angle / 0.3);
        let front = hair.line_y - 1.5 * smoothstep(0.25, 0.95, a) + temples - peak;
        let side = lerp(front, -1.2, smoothstep(0.72, 1.3, a));
        if a < 1.75 {
            lerp(side, 2.6, smoothstep(1.3, 1.5, a))
        } else {
            lerp(2.6, -8.5, smoothstep(1.75, 2.3, a))
        }
    }

    /// The edge of hair that falls from a parting to both sides, over the forehead's corners.
    fn parted_line(&self, angle: f32) -> f32 {
        let hair = &self.person.hair;
        let natural = self.natural_line(angle);
        let off = angle - hair.part * PART_ANGLE;
        let far_side = off * hair.part < 0.0;
        let fall = match (hair.style, far_side) {
            (HairStyle::SideParted, true) => 2.1 * smoothstep(0.0, 0.95, off.abs()),
            (HairStyle::SideParted, false) => 0.0,
            _ => 4.6 * smoothstep(0.02, 1.0, off.abs()),
        };
        natural.min(hair.line_y + 0.25 - fall)
    }

    /// Whether the hair lies away from a parting.
    fn parted(&self) -> bool {
        let hair = &self.person.hair;
        match hair.style {
            HairStyle::SideParted | HairStyle::Long => true,
            HairStyle::Bob => hair.wave <= 0.6,
            _ => false,
        }
    }

    /// The point of the skull under share `t` of a lock, its height, and the way from the crown (cm).
    fn on_head(&self, loft: &Loft, d: &head::Direction, end_y: f32, t: f32) -> (V3, f32, f32) {
        let dome = self.person.shape.crown_y - DOME_Y;
        let arc = dome * FRAC_PI_2;
        let length = if end_y > DOME_Y {
            arc * (1.0 - ((end_y - DOME_Y) / dome).clamp(0.0, 1.0).asin() / FRAC_PI_2)
        } else {
            arc + DOME_Y - end_y
        };
        let way = length * t;
        if way < arc {
            let p = loft.section(way / arc).point(d);
            return (p, p.y, way);
        }
        // Below the dome hair hangs straight down beside the face.
        let y = DOME_Y - (way - arc);
        let top = loft.section(0.999).point(d);
        let widest = lerp(
            top.x.abs(),
            loft.section(1.4).point(d).x.abs().max(top.x.abs()),
            smoothstep(DOME_Y, -2.5, y),
        );
        let tuck = 0.12 * smoothstep(-3.0, -12.0, y);
        (
            v3(
                widest * top.x.signum() * (1.0 - tuck),
                y,
                top.z * (1.0 - 1.6 * tuck),
            ),
            y,
            way,
        )
    }

    /// Thickness of the hair over the skull and its paint.
    fn lock(&self, angle: f32, t: f32, y: f32, end_y: f32, way: f32) -> (f32, Paint) {
        use HairStyle::*;
        let hair = &self.person.hair;
        let a = angle.abs();
        let top = smoothstep(2.0, 9.0, y);
        let to_end = (1.0 - t) * (1.0 + way);
        let hangs = matches!(hair.style, Long | Bob) && a > 0.8
            || hair.style == Fringe && (a < 0.9 || end_y < -3.0)
            || hair.style == Bob && end_y < 4.5;
        let root = if hangs {
            lerp(0.6, 1.0, smoothstep(0.0, 2.5, to_end))
        } else {
            smoothstep(-0.1, 2.2, to_end)
        };
        let body = hair.volume
            * match hair.style {
                Bald => 0.0,
                Cropped => 0.35 + 0.2 * top,
                Short => 0.75 + 0.7 * top,
                SideParted => 0.7 + 1.0 * top,
                SweptBack => 0.6 + 1.1 * top,
                Fringe => 0.9 + 0.5 * top,
                Bob => 1.5 + 0.3 * top + 0.5 * hill((y + 4.0) / 7.0, 0.0),
                Long => 1.5 + 0.3 * top,
                TiedBack => 0.45 + 0.3 * top,
                Curly => 2.2 + 0.9 * top,
            };
        let mut out = body * root;
        let parted = self.parted();
        let mut groove = 0.0;
        if parted && angle.cos() > 0.0 {
            let off = angle - hair.part * PART_ANGLE;
            groove = ridge(off / 0.06);
            out -= groove * 0.55 * body.min(1.2);
            if hair.style == SideParted {
                out +=
                    0.5 * hair.volume * root * hill((off + hair.part.signum() * 0.45) / 0.55, 0.0);
            }
        }
        let (strand, clump) = match hair.style {
            Curly => {
                let n = self.noise.at(angle * 7.5, way * 0.95) * 0.6
                    + self.noise.at(angle * 15.0, way * 2.0) * 0.4;
                (n, n)
            }
            Cropped => {
                let n = self.noise.at(angle * 40.0, way * 5.0);
                (n, 0.3 * n)
            }
            _ => {
                let lean = angle
                    + 0.05 * (way * 0.5 + angle * 3.0).sin() * (0.4 + hair.wave)
                    + 0.012 * hair.part * way;
                // Parted hair lies along its own edge instead of running down to it.
                let along = if parted {
                    smoothstep(1.15, 0.6, a)
                } else {
                    0.0
                };
                let lean = lerp(lean, 0.1 * to_end + 0.1 * lean, along);
                let fine = self.noise.at(lean * 55.0, way * 0.35);
                let coarse = self.noise.at(lean * 17.0, way * 0.18);
                (
                    0.45 * fine + 0.3 * coarse + 0.4 * self.noise.at(lean * 6.0, way * 0.3 + 9.0),
                    coarse,
                )
            }
        };
        let rough = if hair.style == Curly { 0.55 } else { 0.22 };
        out += rough * clump * body.min(2.0) * root;
        // Without hair the shell sinks below the skin.
        out = if hangs {
            out.max(0.12)
        } else {
            lerp(-0.35, out, smoothstep(0.0, 0.6, to_end + 0.25 * strand))
        };
        let depth = if hair.style == Curly { 0.5 } else { 0.25 };
        let albedo = hair.albedo * (1.0 + depth * strand) * (1.0 - 0.5 * groove);
        let open = (0.85 + 0.3 * clump)
            * lerp(
                1.0,
                0.62,
                smoothstep(-1.0, -9.0, y) * smoothstep(1.2, 2.2, a),
            );
        (
            out,
            Paint {
                albedo,
                gloss: 1.0 + 0.8 * strand,
                glow: 0.0,
                open: open.clamp(0.2, 1.0),
            },
        )
    }

    /// Waves of long hair.
    fn curl(&self, angle: f32, y: f32) -> V3 {
        let hair = &self.person.hair;
        if y > 1.0 || !matches!(hair.style, HairStyle::Long | HairStyle::Bob) {
            return v3(0.0, 0.0, 0.0);
        }
        let free = smoothstep(1.0, -6.0, y);
        let swing = (y * 0.75 + 2.0 * self.noise.at(angle * 4.0, y * 0.1)).sin() * hair.wave;
        let spread = if hair.style == HairStyle::Long {
            smoothstep(-7.0, -16.0, y) * 1.2
        } else {
            0.0
        };
        v3(
            angle.sin() * (0.35 * swing * free + spread),
            0.0,
            0.45 * swing * free + 1.5 * spread,
        )
    }
}
