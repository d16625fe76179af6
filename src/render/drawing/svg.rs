//! A drawing as SVG text: sharp at any size, readable in any browser, no network.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::DynamicImage;

use crate::dataset::visible;
use crate::render::png;

use super::{Anchor, Color, Drawing, Marker, Point, Shape, Stroke};

impl Drawing {
    /// The drawing as SVG, one shape a line.
    pub fn to_svg(&self) -> String {
        let mut svg = format!(
            concat!(
                r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" "##,
                r##"role="img" font-family="system-ui, sans-serif">"##,
                "\n<title>{t}</title>\n",
                r##"<rect width="{w}" height="{h}" fill="#fff"/>"##,
                "\n"
            ),
            w = self.width,
            h = self.height,
            t = escaped(&self.title)
        );
        for shape in &self.shapes {
            draw(&mut svg, shape);
            svg.push('\n');
        }
        svg.push_str("</svg>\n");
        svg
    }
}

fn draw(svg: &mut String, shape: &Shape) {
    let _ = match shape {
        Shape::Rect { at, size, fill, hover } => {
            let (place, fill) = (place(*at, *size), hex(*fill));
            write!(svg, r#"<rect {place} fill="{fill}"{}"#, end("rect", hover))
        }
        Shape::Line { points, stroke } => write!(
            svg,
            r#"<polyline points="{}" fill="none" {} stroke-linejoin="round"/>"#,
            coordinates(points),
            pen(*stroke)
        ),
        Shape::Mark { at, radius, marker: Marker::Circle, fill, hover } => write!(
            svg,
            r##"<circle cx="{:.2}" cy="{:.2}" r="{radius:.2}" fill="{}" stroke="#fff" stroke-width="0.8"{}"##,
            at.0,
            at.1,
            hex(*fill),
            end("circle", hover)
        ),
        Shape::Mark { at, radius, marker, fill, hover } => write!(
            svg,
            r##"<polygon points="{}" fill="{}" stroke="#fff" stroke-width="0.8"{}"##,
            coordinates(&marker.corners(*at, *radius)),
            hex(*fill),
            end("polygon", hover)
        ),
        Shape::Text { at, text, size, color, anchor, halo } => write!(
            svg,
            r#"<text x="{:.2}" y="{:.2}" font-size="{size}" fill="{}"{}{}>{}</text>"#,
            at.0,
            at.1,
            hex(*color),
            match anchor {
                Anchor::Start => "",
                Anchor::Middle => r#" text-anchor="middle""#,
                Anchor::End => r#" text-anchor="end""#,
            },
            if *halo {
                r##" stroke="#fff" stroke-width="3" stroke-linejoin="round" paint-order="stroke""##
            } else {
                ""
            },
            escaped(text)
        ),
        Shape::Picture { at, size, image } => write!(
            svg,
            r#"<image {} preserveAspectRatio="none" style="image-rendering:pixelated" href="{}"/>"#,
            place(*at, *size),
            data_uri(image)
        ),
    };
}

/// A picture as a `data:` URI with a PNG in it.
pub fn data_uri(image: &DynamicImage) -> String {
    // Of a kind that PNG knows: it cannot fail but for a picture of no pixels.
    format!("data:image/png;base64,{}", STANDARD.encode(png(image).unwrap_or_default()))
}

/// Text for XML and HTML, within elements and attributes. Characters that XML does not know become U+FFFD.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in visible(text).chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            letter if letter.is_control() => safe.push('\u{fffd}'),
            letter => safe.push(letter),
        }
    }
    safe
}

fn place(at: Point, size: Point) -> String {
    format!(r#"x="{:.2}" y="{:.2}" width="{:.2}" height="{:.2}""#, at.0, at.1, size.0, size.1)
}

fn coordinates(points: &[Point]) -> String {
    points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect::<Vec<_>>().join(" ")
}

fn pen(stroke: Stroke) -> String {
    let dashes = |[on, off]: [f32; 2]| format!(r#" stroke-dasharray="{on} {off}""#);
    let dash = stroke.dash.map_or_else(String::new, dashes);
    format!(r#"stroke="{}" stroke-width="{}"{dash}"#, hex(stroke.color), stroke.width)
}

fn hex(Color([red, green, blue]): Color) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The end of an element's tag, with what a pointer over it is told.
fn end(element: &str, hover: &str) -> String {
    if hover.is_empty() { "/>".to_owned() } else { format!("><title>{}</title></{element}>", escaped(hover)) }
}
