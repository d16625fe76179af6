//! Text in pictures, set in Hack (Latin, Greek, Cyrillic) by `ab_glyph`.

use std::sync::OnceLock;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use image::{GrayImage, Luma};

fn font() -> &'static FontRef<'static> {
    static FONT: OnceLock<FontRef<'static>> = OnceLock::new();
    FONT.get_or_init(|| {
        FontRef::try_from_slice(epaint_default_fonts::HACK_REGULAR)
            .expect("the font that comes with the program is whole")
    })
}

/// The width in pixels of a line of text set `height` pixels high.
pub fn width(text: &str, height: f32) -> f32 {
    let font = font().as_scaled(PxScale::from(height));
    text.chars()
        .map(|letter| font.h_advance(font.glyph_id(letter)))
        .sum()
}

/// Writes a line of text with its upper left corner at (x, y), `height` pixels high, blended over the
/// picture; what falls outside is cut.
pub fn write(image: &mut GrayImage, text: &str, x: f32, y: f32, height: f32, shade: u8) {
    let font = font().as_scaled(PxScale::from(height));
    let mut pen = point(x, y + font.ascent());
    for letter in text.chars() {
        let glyph = font.glyph_id(letter).with_scale_and_position(height, pen);
        pen.x += font.h_advance(glyph.id);
        let Some(outline) = font.outline_glyph(glyph) else {
            continue;
        };
        let corner = outline.px_bounds().min;
        outline.draw(|dx, dy, coverage| {
            let (px, py) = (corner.x + dx as f32, corner.y + dy as f32);
            if px < 0.0 || py < 0.0 || px >= image.width() as f32 || py >= image.height() as f32 {
                return;
            }
            let pixel = image.get_pixel_mut(px as u32, py as u32);
            let cover = coverage.clamp(0.0, 1.0);
            let blended = f32::from(pixel[0]) * (1.0 - cover) + f32::from(shade) * cover;
            *pixel = Luma([blended.round() as u8]);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_darkens_pixels_inside_its_width_only() {
        let mut image = GrayImage::from_pixel(120, 20, Luma([255]));
        write(&mut image, "Ada 12 %", 2.0, 2.0, 14.0, 0);
        let ink = |image: &GrayImage, from: u32, to: u32| {
            (from..to).any(|x| (0..20).any(|y| image.get_pixel(x, y)[0] < 128))
        };
        let end = 2.0 + width("Ada 12 %", 14.0);
        assert!(ink(&image, 2, end as u32));
        assert!(!ink(&image, end as u32 + 2, 120));
    }

    #[test]
    fn text_beyond_the_edges_is_cut() {
        let mut image = GrayImage::from_pixel(10, 10, Luma([255]));
        write(&mut image, "a long line 顔 \u{1b}[0m", -7.0, -3.0, 14.0, 0);
        write(&mut image, "x", 500.0, 500.0, 14.0, 0);
    }
}
