//! Everything round the face: ears, neck, shoulders and clothes, glasses.

use super::geometry::{V3, hill, lerp, ridge, smoothstep, v3};
use super::person::{Build, Glasses, Person};
use super::random::Noise;
use super::sheet::{Material, Paint, Sheet, Sides};
use super::shot::Shot;
use std::f32::consts::{PI, TAU};

/// One ear; `side` is -1 for the picture's left.
pub fn ear(person: &Person, shot: &Shot, side: f32, step: f32) -> Sheet {
    let s = &person.shape;
    let rows = (6.5 / (step * 1.2)).ceil() as usize;
    let columns = (3.4 / (step * 0.9)).ceil() as usize;
    let root_x = s.cheek_half_width.max(s.temple_half_width) - 0.35;
    let (sin, cos) = s.ear_out.sin_cos();
    Sheet::build(rows, columns, Material::Skin, Sides::Both, |r, c| {
        let v = r as f32 / (rows - 1) as f32;
        let u = c as f32 / (columns - 1) as f32;
        // Outline: broad above, a lobe below. `u` runs from the cheek to the rim.
        let breadth =
            (v * PI).sin().max(0.0).powf(0.55) * lerp(1.05, 0.62, smoothstep(0.35, 0.9, v));
        let rim = ridge((u - 0.9) / 0.16) * smoothstep(0.98, 0.7, v);
        let inner = ridge((u - 0.58) / 0.2) * hill((v - 0.42) / 0.4, 0.0);
        let bowl = hill((u - 0.36) / 0.32, (v - 0.52) / 0.3);
        let across = u * breadth * 3.1 * s.ear_size;
        let height = 0.35 * rim + 0.25 * inner - 0.5 * bowl;
        // The ear leans back and stands off the head by `ear_out`.
        let x = root_x + across * sin + height * cos;
        let z = -0.6 - across * cos + height * sin;
        let y = 1.1 - v * 6.0 * s.ear_size + 0.25 * across * (0.5 - v);
        let open = (1.0 - 0.55 * bowl - 0.3 * ridge((u - 0.74) / 0.1)).clamp(0.3, 1.0);
        let albedo = person.look.skin * 0.9 * lerp(1.0, 0.75, bowl);
        Some((
            shot.camera.turn_head(v3(side * x, y, z)),
            Paint {
                albedo,
                gloss: 0.7,
                glow: 0.0,
                open,
            },
        ))
    })
}

/// The neck, turning with the head above and with the body below.
pub fn neck(person: &Person, shot: &Shot, step: f32) -> Sheet {
    let w = person.shape.neck_half_width;
    let rows = 26;
    let columns = (2.6 * w / (step * 1.6)).ceil() as usize;
    let apple = if person.build == Build::Masculine {
        0.55
    } else {
        0.1
    };
    Sheet::build(rows, columns, Material::Skin, Sides::Front, |r, c| {
        let t = r as f32 / (rows - 1) as f32;
        let y = lerp(-6.0, -21.0, t);
        let angle = lerp(-1.75, 1.75, c as f32 / (columns - 1) as f32);
        let wide = w * (1.0 + 0.5 * smoothstep(-13.5, -19.0, y).powi(2));
        // Two cords run from behind the ears to the pit of the throat.
        let cord_at = lerp(1.15, 0.12, smoothstep(-8.0, -18.5, y));
        let cord = 0.45 * ridge((angle.abs() - cord_at) / 0.28);
        let pit = -0.6 * hill(angle / 0.25, (y + 18.3) / 2.0);
        let throat = apple * hill(angle / 0.3, (y + 14.3) / 1.3);
        let depth = lerp(4.2, 5.4, t) + cord + pit + throat;
        let p = v3(wide * angle.sin(), y, depth * angle.cos() - 1.2 - 0.5 * t);
        let p = blend(shot, p, smoothstep(-9.0, -17.0, y));
        let open = lerp(0.5, 1.0, smoothstep(-10.0, -15.0, y));
        let albedo = person.look.skin * 0.97;
        Some((
            p,
            Paint {
                albedo,
                gloss: 0.5,
                glow: 0.0,
                open,
            },
        ))
    })
}

/// Turns a point with the head (`body` 0) or with the body (1).
fn blend(shot: &Shot, p: V3, body: f32) -> V3 {
    shot.camera.turn_head(p) * (1.0 - body) + shot.camera.turn_body(p) * body
}

/// Shoulders and clothes.
pub fn clothes(person: &Person, shot: &Shot, step: f32) -> Sheet {
    let c = &person.clothes;
    let weave = Noise(person.salt ^ 0xC10);
    let rows = 60;
    let columns = (44.0 / (step * 3.0)).ceil() as usize;
    let w = person.shape.neck_half_width;
    Sheet::build(rows, columns, Material::Cloth, Sides::Front, |r, k| {
        let t = (r as f32 / (rows - 1) as f32).powi(2);
        let angle = lerp(-2.2, 2.2, k as f32 / (columns - 1) as f32);
        // From the collar the trapezius slopes out to the shoulder, then the chest goes down.
        let out = smoothstep(0.0, 0.3, t).powf(0.8);
        let collar = 0.35 * ridge((t - 0.012) / 0.02);
        let half_width = lerp(w + 1.2, c.shoulder, out) + collar;
        let depth = lerp(5.8, 9.5, smoothstep(0.0, 0.35, t)) + collar;
        let side = angle.sin().abs();
        let drop =
            lerp(-14.6, -19.6, smoothstep(0.02, 0.3, t)) - 180.0 * (t - 0.12).max(0.0).powi(2);
        let dip =
            (c.neckline + 2.6) * (1.0 - smoothstep(0.0, 0.35, t)) * angle.cos().max(0.0).powi(2);
        let y = drop - dip + 0.6 * side;
        let p = v3(half_width * angle.sin(), y, depth * angle.cos() - 1.5);
        let folds =
            1.0 + 0.1 * weave.at(p.x * 0.35, p.y * 0.25) + 0.05 * weave.at(p.x * 2.0, p.y * 2.0);
        let open = lerp(0.7, 1.0, smoothstep(0.0, 0.1, t));
        Some((
            shot.camera.turn_body(p),
            Paint {
                albedo: c.albedo * folds,
                gloss: 0.2,
                glow: 0.0,
                open,
            },
        ))
    })
}

/// Two rims, a bridge and the fronts of the temples, as tubes.
pub fn glasses(g: &Glasses, person: &Person, shot: &Shot, step: f32) -> Vec<Sheet> {
    let s = &person.shape;
    let centre_x = s.eye_x + 0.15;
    let front = 9.0 + 0.4 * s.nose_bridge;
    let curve = |x: f32| front - 0.03 * x * x;
    let rim = |side: f32| {
        let n = (14.0 / step).ceil() as usize;
        let path = move |t: f32| {
            let (sin, cos) = (t * TAU).sin_cos();
            let power = 2.0 / g.squareness;
            let x = centre_x + g.half_width * cos.abs().powf(power) * cos.signum();
            let y =
                -0.25 + g.half_height * sin.abs().powf(power) * sin.signum() * (1.0 + 0.06 * cos);
            v3(side * x, y, curve(x) - 0.1 * y)
        };
        tube(shot, g, n, path)
    };
    let inner = centre_x - g.half_width;
    let bridge = tube(shot, g, 12, |t| {
        let x = lerp(-inner, inner, t);
        v3(
            x,
            0.35 + 0.25 * (1.0 - (x / inner).powi(2)),
            curve(x) + 0.15,
        )
    });
    let outer = centre_x + g.half_width;
    let temple = |side: f32| {
        tube(shot, g, 16, move |t| {
            v3(
                side * lerp(outer, s.temple_half_width + 0.5, t.powf(0.3)),
                0.5,
                lerp(curve(outer), -0.5, t),
            )
        })
    };
    vec![rim(-1.0), rim(1.0), bridge, temple(-1.0), temple(1.0)]
}

/// A tube of the frame's thickness along `path` (0 to 1).
fn tube(shot: &Shot, g: &Glasses, n: usize, path: impl Fn(f32) -> V3) -> Sheet {
    const AROUND: usize = 7;
    Sheet::build(AROUND, n + 1, Material::Glazed, Sides::Both, |r, c| {
        let t = c as f32 / n as f32;
        let p = path(t);
        let along = (path(t + 0.01) - path(t - 0.01)).unit();
        let across = along.cross(v3(0.0, 0.0, 1.0)).unit();
        let up = across.cross(along);
        let (sin, cos) = (r as f32 / (AROUND - 1) as f32 * TAU).sin_cos();
        let p = p + (across * cos + up * sin) * (g.thickness);
        Some((
            shot.camera.turn_head(p),
            Paint {
                albedo: g.albedo,
                gloss: 1.0,
                glow: 0.0,
                open: 1.0,
            },
        ))
    })
}
