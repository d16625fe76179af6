//! Frames as they are, or somewhere in a larger scene.

use image::{GrayImage, Luma};

use crate::random::Random;

/// The frame as it is.
pub fn untouched(frame: &GrayImage, _seed: u64) -> GrayImage {
    frame.clone()
}

/// The frame somewhere in a scene of 640 x 480, at 0.6 to 1.2 of its size, turned by up to 12 degrees, before a
/// ground of soft gray patches.
pub fn in_a_scene(frame: &GrayImage, seed: u64) -> GrayImage {
    const SCENE: (u32, u32) = (640, 480);
    const TURN: f32 = 12.0;
    const PATCH: f32 = 40.0;
    let mut random = Random(seed);
    let scale = random.between(0.6, 1.2);
    let (sin, cos) = random.between(-TURN, TURN).to_radians().sin_cos();
    // The turned frame stays in the scene where it can.
    let (half_width, half_height) = (
        scale * frame.width() as f32 / 2.0,
        scale * frame.height() as f32 / 2.0,
    );
    let [reach_x, reach_y] = [
        half_width * cos + half_height * sin.abs(),
        half_height * cos + half_width * sin.abs(),
    ];
    let x = random.between(reach_x.min(320.0), (640.0 - reach_x).max(320.0));
    let y = random.between(reach_y.min(240.0), (480.0 - reach_y).max(240.0));
    let patches: Vec<f32> = (0..20 * 20).map(|_| random.between(60.0, 200.0)).collect();
    GrayImage::from_fn(SCENE.0, SCENE.1, |u, v| {
        let (dx, dy) = ((u as f32 - x) / scale, (v as f32 - y) / scale);
        let at = [
            dx * cos + dy * sin + frame.width() as f32 / 2.0 - 0.5,
            dy * cos - dx * sin + frame.height() as f32 / 2.0 - 0.5,
        ];
        let level = |x: i64, y: i64| {
            let inside = u32::try_from(x).ok().zip(u32::try_from(y).ok());
            inside
                .and_then(|(x, y)| frame.get_pixel_checked(x, y))
                .map(|pixel| f32::from(pixel[0]))
        };
        let ground = between([u as f32 / PATCH, v as f32 / PATCH], |x, y| {
            patches.get((y * 20 + x) as usize).copied()
        });
        let level = between(at, level).or(ground).unwrap_or(128.0);
        Luma([level.round() as u8])
    })
}

/// Bilinear; `None` where one of the four levels is.
fn between([x, y]: [f32; 2], level: impl Fn(i64, i64) -> Option<f32>) -> Option<f32> {
    let (left, top) = (x.floor(), y.floor());
    let (across, down) = (x - left, y - top);
    let row = |y: i64| {
        let (a, b) = (level(left as i64, y)?, level(left as i64 + 1, y)?);
        Some(a + across * (b - a))
    };
    let (a, b) = (row(top as i64)?, row(top as i64 + 1)?);
    Some(a + down * (b - a))
}
