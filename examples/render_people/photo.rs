//! From light to a picture: averaging samples, exposure, tone, blur, noise.

use super::random::Random;
use super::raster::{Canvas, SAMPLES};
use super::shot::Film;
use image::GrayImage;

/// Develops the canvas into 8-bit gray.
pub fn develop(canvas: &Canvas, film: &Film, salt: u64) -> GrayImage {
    let (w, h) = (canvas.width / SAMPLES, canvas.height / SAMPLES);
    let mut tones = vec![0.0f32; w * h];
    let share = 1.0 / (SAMPLES * SAMPLES) as f32;
    for (y, row) in tones.chunks_exact_mut(w).enumerate() {
        for (x, tone) in row.iter_mut().enumerate() {
            let mut sum = 0.0;
            for sy in 0..SAMPLES {
                let from = (y * SAMPLES + sy) * canvas.width + x * SAMPLES;
                sum += canvas.light[from..from + SAMPLES].iter().sum::<f32>();
            }
            *tone = tone_curve(sum * share * film.exposure);
        }
    }
    blur(&mut tones, w, h, film.blur);
    let random = &mut Random::named(&[salt, 0xF11]);
    let bytes = tones
        .iter()
        .map(|&t| (255.0 * t + random.about(0.5, film.noise)).clamp(0.0, 255.0) as u8)
        .collect();
    GrayImage::from_raw(w as u32, h as u32, bytes).expect("one byte was made for every pixel")
}

/// A camera's curve: a soft shoulder for highlights, the usual gamma of 1/2.2, a little more contrast.
fn tone_curve(light: f32) -> f32 {
    let l = light.max(0.0) * 1.55;
    let rolled = l * (1.0 + l * 0.12) / (1.0 + 0.75 * l);
    let tone = rolled.min(1.0).powf(1.0 / 2.2);
    tone + 0.75 * tone * (1.0 - tone) * (2.0 * tone - 1.0)
}

/// A 3-tap blur whose weight grows with the radius (at most about one pixel).
fn blur(tones: &mut [f32], w: usize, h: usize, radius: f32) {
    let side = 0.25 * radius.clamp(0.0, 1.0);
    let mut pass = |start: usize, step: usize, n: usize| {
        let mut before = tones[start];
        for i in 0..n {
            let here = tones[start + i * step];
            let after = tones[start + (i + 1).min(n - 1) * step];
            tones[start + i * step] = (1.0 - 2.0 * side) * here + side * (before + after);
            before = here;
        }
    };
    for y in 0..h {
        pass(y * w, 1, w);
    }
    for x in 0..w {
        pass(x, w, h);
    }
}
