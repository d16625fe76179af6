//! Lines with smooth edges, drawn into colour pictures.

use image::{Rgb, RgbImage};

use crate::locate::align::Point;

/// Lays a colour over a pixel, as much of it as `cover` (0 to 1) says; nothing outside the picture.
pub(super) fn blend(image: &mut RgbImage, x: i32, y: i32, color: Rgb<u8>, cover: f32) {
    let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else {
        return;
    };
    if let Some(pixel) = image.get_pixel_mut_checked(x, y) {
        for (level, ink) in pixel.0.iter_mut().zip(color.0) {
            *level = (f32::from(*level) * (1.0 - cover) + f32::from(ink) * cover).round() as u8;
        }
    }
}

/// A straight line from one point to another with round ends, `width` pixels wide.
pub(super) fn line(image: &mut RgbImage, [from, to]: [Point; 2], width: f32, color: Rgb<u8>) {
    let reach = width / 2.0 + 1.0;
    let along = [to[0] - from[0], to[1] - from[1]];
    let squared = along[0] * along[0] + along[1] * along[1];
    let span = |axis: usize, side: u32| {
        let first = (from[axis].min(to[axis]) - reach).max(0.0) as i32;
        let last = (from[axis].max(to[axis]) + reach).min(side as f32) as i32;
        first..=last
    };
    for y in span(1, image.height()) {
        for x in span(0, image.width()) {
            let off = [x as f32 - from[0], y as f32 - from[1]];
            let place = match squared {
                0.0 => 0.0,
                _ => ((off[0] * along[0] + off[1] * along[1]) / squared).clamp(0.0, 1.0),
            };
            let distance = (off[0] - place * along[0]).hypot(off[1] - place * along[1]);
            let cover = (width / 2.0 + 0.5 - distance).clamp(0.0, 1.0);
            if cover > 0.0 {
                blend(image, x, y, color, cover);
            }
        }
    }
}

/// Cuts a line into dashes of about this length, with gaps as long between them, a dash at each end.
pub(super) fn dashes([from, to]: [Point; 2], length: f32) -> Vec<[Point; 2]> {
    let whole = (to[0] - from[0]).hypot(to[1] - from[1]);
    let gaps = ((whole / length - 1.0) / 2.0).round().clamp(1.0, 1000.0) as usize;
    let pieces = 2 * gaps + 1;
    let point = |piece: usize| {
        let share = piece as f32 / pieces as f32;
        [0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis]))
    };
    (0..pieces)
        .step_by(2)
        .map(|piece| [point(piece), point(piece + 1)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_as_wide_as_asked_and_stays_in_the_picture() {
        let mut image = RgbImage::new(40, 30);
        line(
            &mut image,
            [[5.0, 15.0], [35.0, 15.0]],
            4.0,
            Rgb([200, 100, 0]),
        );
        let column: u32 = (0..30).map(|y| u32::from(image.get_pixel(20, y)[0])).sum();
        assert_eq!(column, 4 * 200);
        assert_eq!(image.get_pixel(20, 15).0, [200, 100, 0]);
        for far in [-1e9, 1e9, f32::NAN] {
            line(&mut image, [[far, 3.0], [20.0, far]], 3.0, Rgb([255; 3]));
            line(
                &mut RgbImage::new(0, 0),
                [[0.0, far], [1.0, 1.0]],
                3.0,
                Rgb([255; 3]),
            );
        }
    }

    #[test]
    fn dashes_begin_and_end_with_the_line() {
        let dashes = dashes([[0.0, 0.0], [90.0, 0.0]], 10.0);
        assert_eq!(dashes.len(), 5);
        assert_eq!((dashes[0][0], dashes[4][1]), ([0.0, 0.0], [90.0, 0.0]));
    }
}
