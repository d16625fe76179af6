//! Drawings: a list of shapes that becomes SVG or pixels, so that both show the same.

mod raster;
mod svg;

pub(super) use raster::drawn_on;
pub use svg::data_uri;

use image::DynamicImage;

/// A colour: red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color(pub [u8; 3]);

impl Color {
    /// Text and axes.
    pub const INK: Self = Self([34, 34, 34]);
    /// Color of the background: captions, ticks.
    pub const FAINT: Self = Self([96, 96, 96]);
    pub const GRID: Self = Self([226, 226, 226]);
    pub const WHITE: Self = Self([255, 255, 255]);

    /// This colour laid over white, with an opacity from 0 (white) to 1 (itself).
    pub fn lightened(self, opacity: f32) -> Self {
        Self(self.0.map(|level| (255.0 + (f32::from(level) - 255.0) * opacity.clamp(0.0, 1.0)).round() as u8))
    }
}

/// A point in pixels from the upper left corner.
pub type Point = (f32, f32);

/// The shape of a data point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    Circle,
    /// A square on its side.
    Square,
    /// A triangle, point up.
    Triangle,
    /// A square on its corner.
    Diamond,
    Star,
}

impl Marker {
    /// Corners about a point with the area of a disc of this radius; none for the disc itself.
    fn corners(self, (x, y): Point, radius: f32) -> Vec<Point> {
        let regular = |count: usize, radii: &[f32], turn: f32| {
            let corner = |at: usize| {
                let angle = std::f32::consts::TAU * at as f32 / count as f32 + turn;
                let radius = radius * radii[at % radii.len()];
                (x + radius * angle.sin(), y - radius * angle.cos())
            };
            (0..count).map(corner).collect()
        };
        match self {
            Self::Circle => Vec::new(),
            Self::Square => regular(4, &[1.25], std::f32::consts::FRAC_PI_4),
            Self::Triangle => regular(3, &[1.5], 0.0),
            Self::Diamond => regular(4, &[1.35], 0.0),
            Self::Star => regular(10, &[1.6, 0.75], 0.0),
        }
    }
}

/// The part of a text that stands at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    pub color: Color,
    pub width: f32,
    /// Lengths of dashes and of the gaps between them; none where it is solid.
    pub dash: Option<[f32; 2]>,
}

impl Stroke {
    pub fn solid(color: Color, width: f32) -> Self {
        Self { color, width, dash: None }
    }

    pub fn dashed(color: Color, width: f32) -> Self {
        Self { dash: Some([5.0, 4.0]), ..Self::solid(color, width) }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    Rect {
        at: Point,
        size: Point,
        fill: Color,
        /// Tooltip (SVG only); may be empty.
        hover: String,
    },
    Line {
        /// Two points or more.
        points: Vec<Point>,
        stroke: Stroke,
    },
    /// A data point, with a thin white rim so that neighbours can be told apart.
    Mark {
        at: Point,
        /// Its radius (of a disc of the same area).
        radius: f32,
        marker: Marker,
        fill: Color,
        /// Tooltip (SVG only); may be empty.
        hover: String,
    },
    Text {
        /// The point on its baseline.
        at: Point,
        text: String,
        /// Its size (em) in pixels.
        size: f32,
        color: Color,
        anchor: Anchor,
        /// With a white rim, for text over data.
        halo: bool,
    },
    /// A picture, enlarged by whole pixels.
    Picture { at: Point, size: Point, image: Box<DynamicImage> },
}

/// A drawing on white.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    width: f32,
    height: f32,
    title: String,
    shapes: Vec<Shape>,
}

impl Drawing {
    /// An empty drawing; the title is told to those who cannot see it (SVG only).
    pub(super) fn new(width: f32, height: f32, title: impl Into<String>) -> Self {
        Self { width, height, title: title.into(), shapes: Vec::new() }
    }

    /// Width and height in pixels.
    pub fn size(&self) -> Point {
        (self.width, self.height)
    }

    /// This drawing with more room at the right.
    pub(super) fn widened(mut self, by: f32) -> Self {
        self.width += by;
        self
    }

    pub(super) fn push(&mut self, shape: Shape) {
        self.shapes.push(shape);
    }

    pub(super) fn line(&mut self, points: &[Point], stroke: Stroke) {
        self.push(Shape::Line { points: points.to_vec(), stroke });
    }

    pub(super) fn text(&mut self, at: Point, anchor: Anchor, size: f32, color: Color, text: impl Into<String>) {
        self.push(Shape::Text { at, text: text.into(), size, color, anchor, halo: false });
    }

    pub(super) fn text_over(&mut self, at: Point, anchor: Anchor, size: f32, color: Color, text: impl Into<String>) {
        self.text(at, anchor, size, color, text);
        if let Some(Shape::Text { halo, .. }) = self.shapes.last_mut() {
            *halo = true;
        }
    }

    pub(super) fn picture(&mut self, at: Point, size: Point, image: impl Into<DynamicImage>) {
        self.push(Shape::Picture { at, size, image: Box::new(image.into()) });
    }
}

#[cfg(test)]
mod tests {
    use image::{GrayImage, Luma};

    use super::*;

    fn everything() -> Drawing {
        let mut drawing = Drawing::new(100.0, 60.0, "a <title> & more");
        drawing.push(Shape::Rect {
            at: (0.0, 0.0),
            size: (10.0, 10.0),
            fill: Color([200, 0, 0]),
            hover: String::new(),
        });
        drawing.line(&[(20.0, 5.0), (60.0, 5.0)], Stroke::solid(Color([0, 0, 200]), 3.0));
        drawing.push(Shape::Mark {
            at: (80.0, 30.0),
            radius: 8.0,
            marker: Marker::Star,
            fill: Color([0, 150, 0]),
            hover: "<script>alert('x')</script>".to_owned(),
        });
        drawing.text((5.0, 50.0), Anchor::Start, 12.0, Color::INK, "\"Ada\" <&> \u{1}");
        let image = GrayImage::from_fn(2, 2, |x, y| Luma([if x == y { 255 } else { 0 }]));
        drawing.picture((30.0, 20.0), (20.0, 20.0), image);
        drawing
    }

    #[test]
    fn pixels_are_where_shapes_are() {
        let image = everything().to_pixels();
        assert_eq!(image.dimensions(), (100, 60));
        let at = |x, y| image.get_pixel(x, y).0;
        assert_eq!(at(5, 5), [200, 0, 0]);
        assert_eq!(at(40, 5), [0, 0, 200]);
        assert_eq!(at(80, 30), [0, 150, 0]);
        assert_eq!((at(35, 25), at(45, 25)), ([255; 3], [0; 3]));
        assert_eq!(at(99, 59), [255; 3]);
        let inked = (0..40).any(|x| (40..52).any(|y| at(x, y)[0] < 100));
        assert!(inked, "the text is written");
    }

    #[test]
    fn svg_says_names_and_never_runs_them() {
        let svg = everything().to_svg();
        assert!(svg.contains("&lt;script&gt;") && !svg.contains("<script"));
        assert!(svg.contains("a &lt;title&gt; &amp; more"));
        assert!(svg.contains("data:image/png;base64,"));
        assert!(!svg.contains('\u{1}'), "XML knows no such character");
    }
}
