//! One photo of one person, and of several side by side.

use super::light::light_scene;
use super::person::Person;
use super::photo::develop;
use super::random::Noise;
use super::raster::Canvas;
use super::shot::{Backdrop, Film, Session, Shot};
use super::{body, hair, head};
use image::GrayImage;

/// The skin for which exposure 1 is right.
const METERED_SKIN: f32 = 0.45;

/// A picture and where the face is in it.
pub struct Portrait {
    pub image: GrayImage,
    /// Left eye, right eye, nose tip, left and right corner of the mouth (image-left first), in pixels with
    /// pixel centres at whole numbers, as image viewers count.
    pub landmarks: [(f32, f32); 5],
}

/// Draws photo `image` (from 1) of `person`, who is number `number`; `canvas` has the session's size.
pub fn photograph(
    session: &Session,
    person: &Person,
    number: u64,
    image: u64,
    canvas: &mut Canvas,
) -> Portrait {
    let shot = Shot::draw(session, number, image);
    canvas.clear(|x, y| shot.backdrop.level_at(x, y));
    let marks = draw(person, &shot, canvas);
    // The camera meters the face, but not all the way: dark skin stays darker.
    let metered = (METERED_SKIN / person.look.skin).powf(0.35);
    let film = Film {
        exposure: shot.film.exposure * metered,
        ..shot.film
    };
    let landmarks = marks.0.map(|p| {
        let (x, y) = shot.camera.project(p);
        (x - 0.5, y - 0.5)
    });
    Portrait {
        image: develop(canvas, &film, shot.salt),
        landmarks,
    }
}

/// Draws several people side by side, from left to right, in the first one's light and by their camera.
pub fn group(session: &Session, numbers: &[u64], image: u64, canvas: &mut Canvas) -> GrayImage {
    let first = Shot::draw(session, numbers.first().copied().unwrap_or_default(), image);
    let room = session.width as f32 / numbers.len().max(1) as f32;
    canvas.clear(|x, y| first.backdrop.level_at(x, y));
    for (place, &number) in numbers.iter().enumerate() {
        let own = Shot::draw(session, number, image);
        let mut shot = Shot {
            key: first.key.clone(),
            fill: first.fill,
            sky: first.sky,
            ..own
        };
        shot.camera.scale = (room / GROUP_ROOM.0).min(session.height as f32 / GROUP_ROOM.1);
        shot.camera.centre = (room * (place as f32 + 0.5), session.height as f32 * 0.45);
        draw(&Person::draw(session.seed, number), &shot, canvas);
    }
    develop(canvas, &first.film, first.salt)
}

/// Centimetres across and up that each person of a group has.
const GROUP_ROOM: (f32, f32) = (26.0, 34.0);

/// Draws one person into what is there already; returns where the landmarks are, in space.
fn draw(person: &Person, shot: &Shot, canvas: &mut Canvas) -> head::Landmarks {
    // Over the face about as many grid points as samples: what is finer would be lost anyway.
    let step = (0.6 / shot.camera.scale).clamp(0.05, 0.24);
    let (skin, marks) = head::build(person, shot, step);
    let mut sheets = vec![skin];
    sheets.extend(hair::build(person, shot, step));
    sheets.push(body::ear(person, shot, -1.0, step));
    sheets.push(body::ear(person, shot, 1.0, step));
    sheets.push(body::neck(person, shot, step));
    sheets.push(body::clothes(person, shot, step));
    light_scene(&mut sheets, shot, step);
    if let Some(g) = &person.glasses {
        let mut frame = body::glasses(g, person, shot, step);
        light_scene(&mut frame, shot, step);
        sheets.extend(frame);
    }
    for sheet in &sheets {
        canvas.draw(sheet, &shot.camera);
    }
    marks
}

impl Backdrop {
    /// Light of the wall behind, -1 to 1 across and up.
    fn level_at(&self, x: f32, y: f32) -> f32 {
        let noise = Noise(self.salt);
        let cloud = noise.at(x * 1.1, y * 1.1);
        let mut level = self.level + self.tilt.0 * x + self.tilt.1 * y + 0.03 * cloud;
        if self.clutter > 0.05 {
            // Out-of-focus furniture: soft upright and level bars.
            let bars = noise.at(x * 2.3 + 20.0, y * 0.4) + noise.at(x * 0.5 + 60.0, y * 2.8);
            level += self.clutter * 0.12 * (bars * 2.5).clamp(-1.0, 1.0);
        }
        (level * (1.0 - 0.12 * (x * x + y * y))).max(0.01)
    }
}
