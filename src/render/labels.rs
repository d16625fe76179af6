//! Names beside what they name, without overlapping.

use super::drawing::{Anchor, Color, Drawing, Point, Stroke};
use super::lettering;

/// A rectangle: left, top, right, bottom.
pub type Area = (f32, f32, f32, f32);

/// Space between two names, in pixels.
const GAP: f32 = 1.5;

/// Distance at most of a name from its point, and the steps by which it is moved away.
const FARTHEST: f32 = 90.0;
const STEP: f32 = 9.0;
const DIRECTIONS: usize = 16;

/// A name further away than this gets a line to its point.
const NEAR: f32 = 16.0;

/// A name and the point that it belongs to.
#[derive(Debug, Clone)]
pub struct Label {
    pub at: Point,
    pub text: String,
    pub color: Color,
}

/// Writes each name near its point where there is room, first come, first served; returns those without.
pub fn place(drawing: &mut Drawing, labels: &[Label], size: f32, area: Area) -> Vec<usize> {
    let mut taken: Vec<Area> = Vec::new();
    let mut left_over = Vec::new();
    let mut written = Vec::new();
    for (at, label) in labels.iter().enumerate() {
        let width = lettering::width(&label.text, lettering::line_height(size));
        let room = offsets()
            .map(|(dx, dy)| (label.at.0 + dx, label.at.1 + dy))
            .map(|center| (center, around(center, width, size)))
            .find(|(_, own)| within(*own, area) && !taken.iter().any(|other| overlap(*own, *other)));
        match room {
            Some((center, own)) => {
                taken.push(own);
                written.push((label, center));
            }
            None => left_over.push(at),
        }
    }
    // Lines first, so that they cross no name.
    for (label, center) in &written {
        if (center.0 - label.at.0).hypot(center.1 - label.at.1) > NEAR {
            drawing.line(&[label.at, *center], Stroke::solid(label.color.lightened(0.8), 0.8));
        }
    }
    for (label, center) in written {
        drawing.text_over((center.0, center.1 + size * 0.35), Anchor::Middle, size, label.color, &label.text);
    }
    left_over
}

/// Ever further away, in all directions.
fn offsets() -> impl Iterator<Item = Point> {
    let around = (1..).map(|ring| ring as f32 * STEP).take_while(|&radius| radius <= FARTHEST).flat_map(|radius| {
        (0..DIRECTIONS).map(move |direction| {
            let angle = std::f32::consts::TAU * direction as f32 / DIRECTIONS as f32;
            (radius * angle.cos(), radius * angle.sin())
        })
    });
    std::iter::once((0.0, 0.0)).chain(around)
}

fn around(center: Point, width: f32, size: f32) -> Area {
    let (half_width, half_height) = (width / 2.0 + GAP, size * 0.5 + GAP);
    (center.0 - half_width, center.1 - half_height, center.0 + half_width, center.1 + half_height)
}

fn within(inner: Area, outer: Area) -> bool {
    inner.0 >= outer.0 && inner.1 >= outer.1 && inner.2 <= outer.2 && inner.3 <= outer.3
}

fn overlap(a: Area, b: Area) -> bool {
    a.0 < b.2 && b.0 < a.2 && a.1 < b.3 && b.1 < a.3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_make_room_for_each_other_or_are_left_over() {
        let label = |text: &str| Label { at: (60.0, 30.0), text: text.to_owned(), color: Color::INK };
        let mut drawing = Drawing::new(120.0, 60.0, "names");
        let names = ["Ada", "Boris", "Chiara", "a name that is far too long for this"];
        let labels = names.map(label);
        let left_over = place(&mut drawing, &labels, 11.0, (0.0, 0.0, 120.0, 60.0));
        assert_eq!(left_over, [3]);
        let svg = drawing.to_svg();
        assert!(names[..3].iter().all(|name| svg.contains(name)));
        assert!(!svg.contains(names[3]));
    }
}
