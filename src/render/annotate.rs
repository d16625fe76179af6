//! Photos with what was found drawn into them: a frame around each face, turned as the head is, and a label.
//!
//! Who is known has a solid green frame, who is not a dashed orange one, and what is no face a gray one,
//! crossed out: colours that colour-blind people tell apart (Okabe & Ito 2008), and never the only sign.

use image::RgbImage;
use image::imageops::{self, FilterType};

use super::drawing::{Anchor, Color, Shape, Stroke, drawn_on};
use super::lettering;
use crate::decision::Decision;
use crate::locate::Location;
use crate::locate::align::Point;

fn color(decision: Decision) -> Color {
    match decision {
        Decision::Known => Color([0, 158, 115]),
        Decision::Unknown => Color([230, 159, 0]),
        Decision::NotAFace => Color([170, 170, 170]),
    }
}

/// The mark that is drawn on a face.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Its box and eyes; `None` where the whole photo was taken for a face.
    pub location: Option<Location>,
    /// The decision about it.
    pub decision: Decision,
    /// The label; where the photo is too narrow, its end is left out.
    pub name: String,
    /// The text after the name, such as the confidence; never left out.
    pub addition: String,
    /// The replacement of the label where that would cover a face or another label; may be empty.
    pub number: String,
}

/// Photos whose shorter side is below this are enlarged by a whole factor, so that letters can be read...
const SMALLEST: u32 = 240;
/// ... but not beyond this on their longer side.
const LARGEST_ENLARGED: u32 = 2000;

/// The smallest letters, and the share of the photo's shorter side that letters of large faces have.
const SMALLEST_LETTERS: f32 = 14.0;
const LETTERS: f32 = 1.0 / 30.0;

/// Around the letters of a label, in heights of a letter; and where they stand, from the top.
const PADDING: f32 = 0.25;
const BASELINE: f32 = 0.79;

const INK: Color = Color([0, 0, 0]);
/// Outside of frames, so that they are seen on any ground.
const HALO: Color = Color([20, 20, 20]);

/// Draws the marks into a photo. Small photos come back larger, by a whole factor.
pub fn annotate(photo: RgbImage, marks: &[Mark]) -> RgbImage {
    let zoom = zoom(photo.dimensions());
    let picture = match zoom {
        1 => photo,
        _ => imageops::resize(&photo, photo.width() * zoom, photo.height() * zoom, FilterType::CatmullRom),
    };
    let style = Style::of(&picture);
    let frames: Vec<Frame> = marks.iter().map(|mark| Frame::of(mark, zoom as f32, &picture, &style)).collect();
    let both = frames.iter().zip(marks);
    let mut shapes: Vec<Shape> = both.flat_map(|(frame, mark)| frame.shapes(mark.decision)).collect();
    for (written, mark) in placed(marks, &frames, &picture, &style).into_iter().zip(marks) {
        shapes.extend(label(written, color(mark.decision)));
    }
    drawn_on(picture, &shapes)
}

struct Written {
    text: String,
    letters: f32,
    area: Area,
}

/// The labels of all marks: whole where they cover no face and no other label, and else as little as the number.
fn placed(marks: &[Mark], frames: &[Frame], picture: &RgbImage, style: &Style) -> Vec<Written> {
    let mut labels: Vec<Area> = Vec::new();
    let mut written = Vec::new();
    for (frame, mark) in frames.iter().zip(marks) {
        let letters = style.letters_for(frame);
        let place = |text: String| {
            let size = [lettering::width(&text, letters) + 2.0 * PADDING * letters, (1.0 + PADDING) * letters];
            let (area, covered) = frame.place(size, picture, &labels, frames);
            (Written { text, letters, area }, covered)
        };
        let (mut label, covered) = place(fitting(mark, letters, style.label_width(frame, letters)));
        if covered > 0.0 && !mark.number.is_empty() {
            (label, _) = place(mark.number.clone());
        }
        labels.push(label.area);
        written.push(label);
    }
    written
}

fn zoom((width, height): (u32, u32)) -> u32 {
    let (short, long) = (width.min(height).max(1), width.max(height).max(1));
    SMALLEST.div_ceil(short).min(LARGEST_ENLARGED / long).max(1)
}

struct Style {
    letters: f32,
    most: f32,
    width: f32,
}

impl Style {
    fn of(picture: &RgbImage) -> Self {
        let short = picture.width().min(picture.height()) as f32;
        // Even a strip of a few pixels has room for its label.
        let most = picture.height() as f32 / (1.0 + PADDING);
        Self { letters: (short * LETTERS).max(SMALLEST_LETTERS).min(most), most, width: picture.width() as f32 }
    }

    fn stroke(&self) -> f32 {
        (self.letters / 8.0).max(1.5)
    }

    /// Long names would hide the neighbours: some 28 letters, more only where the face is as wide.
    fn label_width(&self, frame: &Frame, letters: f32) -> f32 {
        frame.bounds.width().max(14.0 * letters).min(self.width)
    }

    /// Smaller for small faces, down to half.
    fn letters_for(&self, frame: &Frame) -> f32 {
        (frame.bounds.width() / 5.0).clamp(self.letters / 2.0, self.letters).max(SMALLEST_LETTERS).min(self.most)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Area {
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
}

impl Area {
    fn width(&self) -> f32 {
        self.right - self.left
    }

    fn overlap(&self, other: &Self) -> f32 {
        let across = self.right.min(other.right) - self.left.max(other.left);
        let down = self.bottom.min(other.bottom) - self.top.max(other.top);
        across.max(0.0) * down.max(0.0)
    }
}

struct Frame {
    /// In order around it.
    corners: [Point; 4],
    bounds: Area,
    stroke: f32,
}

impl Frame {
    fn of(mark: &Mark, zoom: f32, picture: &RgbImage, style: &Style) -> Self {
        let stroke = style.stroke();
        let corners = match &mark.location {
            Some(location) => turned(location).map(|corner| corner.map(|at| at * zoom)),
            None => {
                let [right, bottom] = [picture.width(), picture.height()].map(|side| side as f32 - 1.0 - stroke);
                [[stroke, stroke], [right, stroke], [right, bottom], [stroke, bottom]]
            }
        };
        let on = |axis: usize| corners.iter().map(move |corner| corner[axis]);
        let [left, top] = [0, 1].map(|axis| on(axis).fold(f32::INFINITY, f32::min));
        let [right, bottom] = [0, 1].map(|axis| on(axis).fold(f32::NEG_INFINITY, f32::max));
        Self { corners, bounds: Area { left, top, right, bottom }, stroke }
    }

    fn shapes(&self, decision: Decision) -> Vec<Shape> {
        // Points lie in the middle of pixels.
        let [a, b, c, d] = self.corners.map(|[x, y]| (x + 0.5, y + 0.5));
        // The first side twice, so that all corners are joined.
        let around = vec![a, b, c, d, a, b];
        let lines = match decision {
            Decision::Known => vec![around],
            Decision::Unknown => around.windows(2).take(4).map(<[_]>::to_vec).collect(),
            Decision::NotAFace => vec![around, vec![a, c], vec![b, d]],
        };
        let dash = |line: &[(f32, f32)]| {
            let length = (line[1].0 - line[0].0).hypot(line[1].1 - line[0].1);
            // A dash at each end.
            let gaps = ((length / (4.0 * self.stroke) - 1.0) / 2.0).round();
            let dash = length / (2.0 * gaps.clamp(1.0, 1000.0) + 1.0);
            (decision == Decision::Unknown).then_some([dash; 2])
        };
        let drawn = |color: Color, width: f32| {
            let shape = move |line: &Vec<(f32, f32)>| Shape::Line {
                points: line.clone(),
                stroke: Stroke { dash: dash(line), ..Stroke::solid(color, width) },
            };
            lines.iter().map(shape).collect::<Vec<_>>()
        };
        [drawn(HALO, self.stroke * 1.8), drawn(color(decision), self.stroke)].concat()
    }

    /// Position of the label of this size, where it covers least of other labels, then of faces; and how much it covers.
    fn place(&self, [width, height]: [f32; 2], picture: &RgbImage, labels: &[Area], frames: &[Self]) -> (Area, f32) {
        let Area { left, top, right, bottom } = self.bounds;
        let out = self.stroke;
        let (middle, centre) = ((left + right - width) / 2.0, (top + bottom - height) / 2.0);
        let places = [
            [left - out, top - height - out],
            [left - out, bottom + out],
            [right + out - width, top - height - out],
            [right + out - width, bottom + out],
            [middle, top - height - out],
            [middle, bottom + out],
            [left - out - width, centre],
            [right + out, centre],
            [left - out, top + out],
            [left - out, bottom - height - out],
        ];
        let inside = |[x, y]: [f32; 2]| {
            let left = x.min(picture.width() as f32 - width).max(0.0);
            let top = y.min(picture.height() as f32 - height).max(0.0);
            Area { left, top, right: left + width, bottom: top + height }
        };
        let cost = |area: &Area| {
            let on_labels: f32 = labels.iter().map(|label| area.overlap(label)).sum();
            let on_faces: f32 = frames.iter().map(|frame| area.overlap(&frame.bounds)).sum();
            100.0 * on_labels + on_faces
        };
        let areas = places.map(inside).map(|area| (area, cost(&area)));
        areas.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or(areas[0])
    }
}

/// The corners of a face's box, turned about its middle as far as the eyes are.
fn turned(location: &Location) -> [Point; 4] {
    let [left, top, width, height] = location.bounds;
    let [[x1, y1], [x2, y2]] = location.eyes;
    let length = (x2 - x1).hypot(y2 - y1);
    let (cos, sin) = if length > 0.0 { ((x2 - x1) / length, (y2 - y1) / length) } else { (1.0, 0.0) };
    let (x, y) = (left + width / 2.0, top + height / 2.0);
    [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(|(u, v)| {
        let (u, v) = (u * width, v * height);
        [x + cos * u - sin * v, y + sin * u + cos * v]
    })
}

fn fitting(mark: &Mark, letters: f32, most: f32) -> String {
    let fits = |text: &str| lettering::width(text, letters) + 2.0 * PADDING * letters <= most;
    lettering::fitting(&mark.name, &mark.addition, fits)
}

fn label(written: Written, ground: Color) -> [Shape; 2] {
    let Written { text, letters, area } = written;
    let (left, top) = (area.left.round(), area.top.round());
    let size = (area.right.round() - left, area.bottom.round() - top);
    let ground = Shape::Rect { at: (left, top), size, fill: ground, hover: String::new() };
    let baseline = area.top + (PADDING / 2.0 + BASELINE) * letters;
    let (at, size) = ((area.left + PADDING * letters, baseline), letters / lettering::line_height(1.0));
    let text = Shape::Text { at, text, size, color: INK, anchor: Anchor::Start, halo: false };
    [ground, text]
}

#[cfg(test)]
mod tests;
