//! What is not a face: a vase, a cup and an apple on a table, lit and photographed like a person.

use super::geometry::{Curve, V3, lerp, v3};
use super::light::light_scene;
use super::photo::develop;
use super::random::Noise;
use super::raster::Canvas;
use super::sheet::{Material, Paint, Sheet, Sides};
use super::shot::{Framing, Session, Shot};
use image::GrayImage;
use std::f32::consts::TAU;

/// Grid points are this far apart, centimetres.
const STEP: f32 = 0.2;

/// A vase, a cup and an apple on a table; light and grain are drawn for `number`.
pub fn photograph(session: &Session, number: u64) -> GrayImage {
    let crop = Session {
        framing: Framing::Crop,
        pose_degrees: 0.0,
        ..session.clone()
    };
    let shot = Shot::draw(&crop, number, 0);
    let vase = Curve::new(&[
        (-11.5, 2.6),
        (-10.8, 2.9),
        (-6.0, 4.6),
        (-2.5, 3.9),
        (1.0, 1.7),
        (3.6, 1.5),
        (5.2, 2.5),
    ]);
    let cup = Curve::new(&[
        (-11.5, 1.7),
        (-11.2, 1.9),
        (-10.9, 1.6),
        (-9.5, 2.7),
        (-6.6, 3.0),
        (-6.3, 3.0),
    ]);
    let apple = Curve::new(&[
        (-11.5, 0.8),
        (-11.2, 1.6),
        (-10.0, 2.3),
        (-8.6, 2.5),
        (-7.5, 1.9),
        (-7.2, 0.9),
        (-7.4, 0.1),
    ]);
    let mut sheets = vec![
        table(&shot),
        turned(&shot, &vase, v3(-3.2, 0.0, -3.0), 0.32, 1.0),
        turned(&shot, &cup, v3(4.6, 0.0, 1.5), 0.62, 0.6),
        handle(&shot, v3(4.6, 0.0, 1.5)),
        turned(&shot, &apple, v3(-0.2, 0.0, 4.5), 0.16, 0.4),
    ];
    light_scene(&mut sheets, &shot, STEP);
    let mut canvas = Canvas::new(session.width, session.height);
    canvas.clear(|x, y| 0.1 + 0.05 * x + 0.03 * y);
    for sheet in &sheets {
        canvas.draw(sheet, &shot.camera);
    }
    develop(&canvas, &shot.film, shot.salt)
}

/// Looks down on the table a little.
fn place(shot: &Shot, p: V3) -> V3 {
    let (sin, cos) = 0.28f32.sin_cos();
    shot.camera
        .turn_body(v3(p.x, cos * p.y - sin * p.z, sin * p.y + cos * p.z))
}

/// A body of revolution whose radius at each height is `profile`.
fn turned(shot: &Shot, profile: &Curve, foot: V3, albedo: f32, gloss: f32) -> Sheet {
    let (top, bottom) = (5.2, -11.5);
    let (rows, columns) = (90, 80);
    Sheet::build(rows, columns, Material::Glazed, Sides::Both, |r, c| {
        let y = lerp(top, bottom, r as f32 / (rows - 1) as f32);
        let (sin, cos) = ((c as f32 / (columns - 1) as f32 - 0.5) * TAU).sin_cos();
        let radius = profile.at(y);
        let inside = y > profile.end() + 0.01;
        let p = foot + v3(radius * sin, y, radius * cos);
        (!inside).then(|| {
            (
                place(shot, p),
                Paint {
                    albedo,
                    gloss,
                    glow: 0.0,
                    open: 1.0,
                },
            )
        })
    })
}

/// The cup's handle: part of a ring.
fn handle(shot: &Shot, foot: V3) -> Sheet {
    let (rows, columns) = (9, 30);
    Sheet::build(rows, columns, Material::Glazed, Sides::Both, |r, c| {
        let (s, u) = lerp(-1.9, 1.9, c as f32 / (columns - 1) as f32).sin_cos();
        let (sin, cos) = (r as f32 / (rows - 1) as f32 * TAU).sin_cos();
        let reach = 1.5 + 0.35 * cos;
        let p = foot + v3(2.6 + reach * u, -8.4 + reach * s, 0.4 * sin);
        Some((
            place(shot, p),
            Paint {
                albedo: 0.62,
                gloss: 0.6,
                glow: 0.0,
                open: 1.0,
            },
        ))
    })
}

/// A wooden table top.
fn table(shot: &Shot) -> Sheet {
    let grain = Noise(77);
    let (rows, columns) = (60, 60);
    Sheet::build(rows, columns, Material::Cloth, Sides::Both, |r, c| {
        let z = lerp(-14.0, 22.0, r as f32 / (rows - 1) as f32);
        let x = lerp(-26.0, 26.0, c as f32 / (columns - 1) as f32);
        let wood =
            0.26 * (1.0 + 0.2 * grain.at(x * 0.15, z * 1.3) + 0.1 * grain.at(x * 0.4, z * 4.0));
        Some((
            place(shot, v3(x, -11.5, z)),
            Paint {
                albedo: wood,
                gloss: 1.0,
                glow: 0.0,
                open: 1.0,
            },
        ))
    })
}
