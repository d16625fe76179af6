//! A drawing as pixels.

use image::imageops::{self, FilterType};
use image::{Rgb, RgbImage};
use tiny_skia::{FillRule, IntSize, LineJoin, Paint, Path, PathBuilder, Pixmap, StrokeDash, Transform};

use super::{Anchor, Color, Drawing, Marker, Point, Shape, Stroke};
use crate::render::lettering;

/// The longest side of a picture: 16 bits, as most programs that read PNG have it.
const LONGEST: f32 = 30_000.0;

/// Width of the white rim of a mark, and of text over data, in pixels.
const RIM: f32 = 0.8;
const HALO: i32 = 2;

impl Drawing {
    /// The drawing as pixels. What is beyond 30,000 pixels of a side is cut.
    pub fn to_pixels(&self) -> RgbImage {
        let side = |length: f32| length.ceil().clamp(1.0, LONGEST) as u32;
        drawn_on(RgbImage::from_pixel(side(self.width), side(self.height), Rgb([255; 3])), &self.shapes)
    }
}

pub(in crate::render) fn drawn_on(picture: RgbImage, shapes: &[Shape]) -> RgbImage {
    let pixels = picture.pixels().flat_map(|&Rgb([r, g, b])| [r, g, b, 255]);
    let size = IntSize::from_wh(picture.width(), picture.height());
    let canvas = size.and_then(|size| Pixmap::from_vec(pixels.collect(), size));
    let Some(mut canvas) = canvas else { return picture };
    for shape in shapes {
        draw(&mut canvas, shape);
    }
    // Everything is drawn over opaque pixels: what is premultiplied is as it was.
    let pixels = canvas.data().as_chunks::<4>().0.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
    RgbImage::from_raw(canvas.width(), canvas.height(), pixels).unwrap_or(picture)
}

fn draw(canvas: &mut Pixmap, shape: &Shape) {
    match shape {
        Shape::Rect { at, size, fill, .. } => {
            if let Some(rect) = tiny_skia::Rect::from_xywh(at.0, at.1, size.0, size.1) {
                canvas.fill_rect(rect, &paint(*fill), Transform::identity(), None);
            }
        }
        Shape::Line { points, stroke } => {
            if let Some(path) = path(points.iter().copied(), Ends::Open) {
                draw_line(canvas, &path, *stroke);
            }
        }
        Shape::Mark { at, radius, marker, fill, .. } => {
            let outline = if *marker == Marker::Circle {
                PathBuilder::from_circle(at.0, at.1, *radius)
            } else {
                path(marker.corners(*at, *radius).into_iter(), Ends::Joined)
            };
            if let Some(outline) = outline {
                canvas.fill_path(&outline, &paint(*fill), FillRule::Winding, Transform::identity(), None);
                draw_line(canvas, &outline, Stroke::solid(Color::WHITE, RIM));
            }
        }
        Shape::Text { at, text, size, color, anchor, halo } => {
            let width = lettering::width(text, lettering::line_height(*size));
            let left = match anchor {
                Anchor::Start => at.0,
                Anchor::Middle => at.0 - width / 2.0,
                Anchor::End => at.0 - width,
            };
            write(canvas, text, (left, at.1), *size, *color, *halo);
        }
        Shape::Picture { at, size, image } => {
            let side = |length: f32| length.round().clamp(1.0, LONGEST) as u32;
            let enlarged = imageops::resize(&image.to_rgb8(), side(size.0), side(size.1), FilterType::Nearest);
            for (x, y, pixel) in enlarged.enumerate_pixels() {
                let (x, y) = (at.0.round() as i64 + i64::from(x), at.1.round() as i64 + i64::from(y));
                blend(canvas, (x, y), Color(pixel.0), 1.0);
            }
        }
    }
}

fn write(canvas: &mut Pixmap, text: &str, at: Point, size: f32, color: Color, halo: bool) {
    let mut covered = Vec::new();
    lettering::ink(text, at.0, at.1, lettering::line_height(size), |x, y, coverage| {
        covered.push((x, y, coverage));
    });
    if halo {
        for &(x, y, coverage) in &covered {
            for dx in -HALO..=HALO {
                for dy in -HALO..=HALO {
                    blend(canvas, (i64::from(x + dx), i64::from(y + dy)), Color::WHITE, coverage * 0.5);
                }
            }
        }
    }
    for (x, y, coverage) in covered {
        blend(canvas, (i64::from(x), i64::from(y)), color, coverage);
    }
}

fn blend(canvas: &mut Pixmap, (x, y): (i64, i64), color: Color, coverage: f32) {
    let (width, height) = (i64::from(canvas.width()), i64::from(canvas.height()));
    if x < 0 || y < 0 || x >= width || y >= height {
        return;
    }
    let at = 4 * (y * width + x) as usize;
    for (level, new) in canvas.data_mut()[at..at + 3].iter_mut().zip(color.0) {
        *level = (f32::from(*level) * (1.0 - coverage) + f32::from(new) * coverage).round() as u8;
    }
}

enum Ends {
    Open,
    Joined,
}

fn path(mut points: impl Iterator<Item = Point>, ends: Ends) -> Option<Path> {
    let mut builder = PathBuilder::new();
    let (x, y) = points.next()?;
    builder.move_to(x, y);
    points.for_each(|(x, y)| builder.line_to(x, y));
    if matches!(ends, Ends::Joined) {
        builder.close();
    }
    builder.finish()
}

fn draw_line(canvas: &mut Pixmap, path: &Path, stroke: Stroke) {
    let pen = tiny_skia::Stroke {
        width: stroke.width,
        line_join: LineJoin::Round,
        dash: stroke.dash.and_then(|lengths| StrokeDash::new(lengths.to_vec(), 0.0)),
        ..tiny_skia::Stroke::default()
    };
    canvas.stroke_path(path, &paint(stroke.color), &pen, Transform::identity(), None);
}

fn paint(color: Color) -> Paint<'static> {
    let mut paint = Paint::default();
    let [red, green, blue] = color.0;
    paint.set_color_rgba8(red, green, blue, 255);
    paint
}
