//! A face map in colour over its photo, with a scale, rings around the best places, and what is measured.

use image::{GrayAlphaImage, LumaA, Rgb, RgbImage, imageops};

use super::drawing::{Anchor, Color, Drawing, Point, Stroke};
use super::lettering;
use crate::face_map::LocalMinimum;

/// Photos are shown about this wide at most, and small ones enlarged to this at least.
const WIDEST: u32 = 1000;
const NARROWEST: u32 = 480;
const MARGIN: f32 = 16.0;
const TITLE: f32 = 16.0;
const TEXT: f32 = 12.0;
/// Height of the title and the lines above the photo, and of the scale below it.
const ABOVE: f32 = 64.0;
const BELOW: f32 = 58.0;
const BAR: f32 = 12.0;
/// Opacity of the colour over the photo.
const COVER: f32 = 0.55;
const CORNERS: usize = 48;

/// From the lowest value to the highest, light to dark, so that it can be read without colours too (viridis, reversed).
const COLORS: [[u8; 3]; 6] =
    [[253, 231, 37], [122, 209, 81], [34, 168, 132], [42, 120, 142], [65, 68, 135], [68, 1, 84]];

/// A face map as a page.
#[derive(Debug, Clone)]
pub struct HeatPage<'a> {
    /// The title.
    pub title: String,
    /// The photo.
    pub photo: &'a RgbImage,
    /// The map: 0 the lowest value, 255 the highest, transparent where nothing was measured; of any size.
    pub shades: &'a GrayAlphaImage,
    /// The values that 0 and 255 stand for.
    pub range: [f64; 2],
    /// The lowest places, lowest first.
    pub places: &'a [LocalMinimum],
}

/// Draws the page.
pub fn heat(page: &HeatPage<'_>) -> Drawing {
    let zoom = zoom(page.photo.dimensions());
    let (width, height) = page.photo.dimensions();
    let size = (width as f32 * zoom, height as f32 * zoom);
    let letters = lettering::line_height(TEXT);
    let text = ABOUT
        .iter()
        .map(|line| lettering::width(line, letters))
        .chain([lettering::width(&page.title, lettering::line_height(TITLE))])
        .fold(size.0, f32::max);
    let mut drawing = Drawing::new(text + 2.0 * MARGIN, size.1 + ABOVE + BELOW, page.title.clone());
    drawing.text((MARGIN, 24.0), Anchor::Start, TITLE, Color::INK, &page.title);
    for (line, text) in (0_u8..).zip(ABOUT) {
        drawing.text((MARGIN, 42.0 + 15.0 * f32::from(line)), Anchor::Start, TEXT, Color::FAINT, text);
    }
    let corner = (MARGIN, ABOVE);
    drawing.picture(corner, size, covered(page.photo, page.shades));
    for (number, place) in (1..).zip(page.places) {
        ring(&mut drawing, corner, zoom, number, place);
    }
    scale(&mut drawing, (MARGIN, ABOVE + size.1 + 12.0), page);
    drawing
}

fn zoom((width, height): (u32, u32)) -> f32 {
    let long = width.max(height).max(1);
    if long > WIDEST { WIDEST as f32 / long as f32 } else { NARROWEST.div_ceil(long).max(1) as f32 }
}

const ABOUT: [&str; 2] = [
    "How unlike a face each part of the photo is, its light evened out, at the size that fits best.",
    "Light: like a face. Each value stands at the middle of its part, so the border has none.",
];

fn covered(photo: &RgbImage, shades: &GrayAlphaImage) -> RgbImage {
    let (width, height) = photo.dimensions();
    let shades = imageops::resize(shades, width, height, imageops::FilterType::Triangle);
    RgbImage::from_fn(width, height, |x, y| {
        let [r, g, b] = photo.get_pixel(x, y).0.map(f32::from);
        let gray = 0.299 * r + 0.587 * g + 0.114 * b;
        let LumaA([shade, alpha]) = *shades.get_pixel(x, y);
        let color = color(f32::from(shade) / 255.0);
        let cover = COVER * f32::from(alpha) / 255.0;
        Rgb(color.0.map(|level| (cover * f32::from(level) + (1.0 - cover) * gray).round() as u8))
    })
}

/// The colour of a share from the lowest value (0) to the highest (1).
fn color(share: f32) -> Color {
    let place = share.clamp(0.0, 1.0) * (COLORS.len() - 1) as f32;
    let at = (place as usize).min(COLORS.len() - 2);
    let part = place - at as f32;
    Color(std::array::from_fn(|channel| {
        let (from, to) = (COLORS[at][channel], COLORS[at + 1][channel]);
        (f32::from(from) * (1.0 - part) + f32::from(to) * part).round() as u8
    }))
}

fn ring(drawing: &mut Drawing, corner: Point, zoom: f32, number: usize, place: &LocalMinimum) {
    let [x, y, width, height] = place.part.map(|edge| edge as f32 * zoom);
    let middle = (corner.0 + x + width / 2.0, corner.1 + y + height / 2.0);
    let corner_of_ring = |at: usize| {
        let angle = std::f32::consts::TAU * at as f32 / CORNERS as f32;
        (middle.0 + width / 2.0 * angle.cos(), middle.1 + height / 2.0 * angle.sin())
    };
    let ring: Vec<Point> = (0..=CORNERS).map(corner_of_ring).collect();
    drawing.line(&ring, Stroke::solid(Color([0, 0, 0]), 4.0));
    drawing.line(&ring, Stroke::solid(Color([255, 255, 255]), 2.0));
    let above = (middle.1 - height / 2.0 - 5.0).max(corner.1 + TEXT);
    let text = format!("{number}: {:.2}", place.value);
    drawing.text_over((middle.0, above), Anchor::Middle, TEXT + 1.0, Color([0, 0, 0]), text);
}

/// The bar that says which colour is which value.
fn scale(drawing: &mut Drawing, (left, top): Point, page: &HeatPage<'_>) {
    let width = 240.0;
    drawing.picture((left, top), (width, BAR), RgbImage::from_fn(240, 1, |x, _| Rgb(color(x as f32 / 239.0).0)));
    let [low, high] = page.range;
    let under = top + BAR + 15.0;
    for (share, text) in [(0.0, low), (0.5, (low + high) / 2.0), (1.0, high)] {
        let anchor = match share {
            0.0 => Anchor::Start,
            1.0 => Anchor::End,
            _ => Anchor::Middle,
        };
        drawing.text((left + width * share, under), anchor, TEXT, Color::INK, format!("{text:.2}"));
    }
    drawing.text((left + width + 12.0, top + BAR), Anchor::Start, TEXT, Color::FAINT, "and more");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_what_it_shows() {
        let photo = RgbImage::from_pixel(120, 90, Rgb([100, 150, 200]));
        let shades = GrayAlphaImage::from_fn(60, 45, |x, _| LumaA([(x * 4) as u8, 255]));
        let place = LocalMinimum { part: [10.0, 10.0, 30.0, 40.0], scale: 1.0, value: 0.87 };
        let page = heat(&HeatPage {
            title: "Face map of a.jpg".to_owned(),
            photo: &photo,
            shades: &shades,
            range: [0.5, 7.25],
            places: &[place],
        });
        let svg = page.to_svg();
        for text in ["Face map of a.jpg", "1: 0.87", "7.25", "the border has none"] {
            assert!(svg.contains(text), "{text}");
        }
        assert_eq!((color(0.0).0, color(1.0).0), (COLORS[0], COLORS[5]));
    }
}
