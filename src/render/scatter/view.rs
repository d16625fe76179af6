//! From weights to places on the drawing: flat, or in space from a fixed point of view.

use super::super::drawing::{Anchor, Color, Drawing, Point, Stroke};
use super::super::labels::Area;

pub(super) const WIDTH: f32 = 980.0;
/// The plot within it.
pub(super) const AREA: Area = (84.0, 50.0, 950.0, 690.0);
pub(super) const TICKS: f32 = 12.0;

pub(super) trait View {
    /// The place on the drawing, and its nearness: 0 farthest, 1 nearest.
    fn place(&self, at: &[f64]) -> (Point, f32);

    /// The point of the floor below; `None` where there is no floor.
    fn floor(&self, at: &[f64]) -> Option<Point>;

    fn axes(&self, drawing: &mut Drawing, names: &[String]);
}

/// The range of an axis, ends included, and the ticks in it.
pub(super) struct Range {
    low: f64,
    high: f64,
    step: f64,
}

impl Range {
    /// The range of all of these values.
    pub fn of(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (low, high) = if low < high { (low, high) } else { (-1.0, 1.0) };
        let margin = 0.04 * (high - low);
        let (low, high) = (low - margin, high + margin);
        let rough = (high - low) / 6.0;
        let decade = 10_f64.powf(rough.log10().floor());
        let factor = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .find(|factor| factor * decade >= rough);
        Self {
            low,
            high,
            step: factor.unwrap_or(10.0) * decade,
        }
    }

    /// 0 at the low end, 1 at the high one.
    fn share(&self, value: f64) -> f32 {
        ((value - self.low) / (self.high - self.low)) as f32
    }

    fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        let (first, last) = (
            (self.low / self.step).ceil(),
            (self.high / self.step).floor(),
        );
        let digits = (-self.step.log10().floor()).max(0.0) as usize;
        let step = self.step;
        (first as i64..=last as i64).map(move |tick| {
            let value = tick as f64 * step;
            (value, format!("{value:.digits$}"))
        })
    }
}

/// Writes the name of an axis.
fn name_axis(drawing: &mut Drawing, at: Point, anchor: Anchor, name: impl Into<String>) {
    drawing.text(at, anchor, 13.0, Color::INK, name);
}

pub(super) struct Flat {
    pub ranges: Vec<Range>,
}

impl View for Flat {
    fn place(&self, at: &[f64]) -> (Point, f32) {
        let share = |axis: usize| match (self.ranges.get(axis), at.get(axis)) {
            (Some(range), Some(&value)) => range.share(value),
            _ => 0.5,
        };
        let x = AREA.0 + share(0) * (AREA.2 - AREA.0);
        let y = AREA.3 - share(1) * (AREA.3 - AREA.1);
        ((x, y), 1.0)
    }

    fn floor(&self, _: &[f64]) -> Option<Point> {
        None
    }

    fn axes(&self, drawing: &mut Drawing, names: &[String]) {
        let line = Stroke::solid(Color::GRID, 1.0);
        let [across, up] = self.ranges.as_slice() else {
            return;
        };
        for (value, text) in across.ticks() {
            let ((x, _), _) = self.place(&[value, up.low]);
            drawing.line(&[(x, AREA.1), (x, AREA.3)], line);
            let at = (x, AREA.3 + 18.0);
            drawing.text(at, Anchor::Middle, TICKS, Color::FAINT, text);
        }
        for (value, text) in up.ticks() {
            let ((_, y), _) = self.place(&[across.low, value]);
            drawing.line(&[(AREA.0, y), (AREA.2, y)], line);
            let at = (AREA.0 - 8.0, y + 4.0);
            drawing.text(at, Anchor::End, TICKS, Color::FAINT, text);
        }
        let [across, up] = names else { return };
        let below = ((AREA.0 + AREA.2) / 2.0, AREA.3 + 42.0);
        name_axis(drawing, below, Anchor::Middle, format!("→ {across}"));
        let above = (10.0, AREA.1 - 6.0);
        name_axis(drawing, above, Anchor::Start, format!("↑ {up}"));
    }
}

/// The first two axes lie on the floor, the third stands up; seen from the front right, a little from above,
/// without perspective.
pub(super) struct Space {
    pub ranges: Vec<Range>,
}

/// Turned about the upright axis, and lifted, in degrees.
const TURN: f32 = 35.0;
const LIFT: f32 = 22.0;

impl Space {
    /// From the unit cube about the origin (-1 to 1) to the drawing, and the nearness.
    fn seen([x, y, z]: [f32; 3]) -> (Point, f32) {
        let (turn, lift) = (TURN.to_radians(), LIFT.to_radians());
        let right = x * turn.cos() + y * turn.sin();
        let back = -x * turn.sin() + y * turn.cos();
        let up = z * lift.cos() + back * lift.sin();
        let depth = back * lift.cos() - z * lift.sin();
        let scale = (AREA.2 - AREA.0).min(AREA.3 - AREA.1) / 2.0 / 1.42;
        let middle = ((AREA.0 + AREA.2) / 2.0, (AREA.1 + AREA.3) / 2.0 - 8.0);
        let place = (middle.0 + right * scale * 1.12, middle.1 - up * scale);
        (place, (0.5 - depth / 3.6).clamp(0.0, 1.0))
    }

    fn cube(&self, at: &[f64]) -> [f32; 3] {
        std::array::from_fn(|axis| match (self.ranges.get(axis), at.get(axis)) {
            (Some(range), Some(&value)) => 2.0 * range.share(value) - 1.0,
            _ => 0.0,
        })
    }
}

impl View for Space {
    fn place(&self, at: &[f64]) -> (Point, f32) {
        Self::seen(self.cube(at))
    }

    fn floor(&self, at: &[f64]) -> Option<Point> {
        let [x, y, _] = self.cube(at);
        Some(Self::seen([x, y, -1.0]).0)
    }

    fn axes(&self, drawing: &mut Drawing, names: &[String]) {
        let line = Stroke::solid(Color::GRID, 1.0);
        let seen = |corner: [f32; 3]| Self::seen(corner).0;
        // The floor and the two walls at the back: for each axis the lines that cross it.
        let crossing = |axis: usize, at: f32| match axis {
            0 => [[at, -1.0, -1.0], [at, 1.0, -1.0], [at, 1.0, 1.0]],
            1 => [[1.0, at, -1.0], [-1.0, at, -1.0], [-1.0, at, 1.0]],
            _ => [[-1.0, -1.0, at], [-1.0, 1.0, at], [1.0, 1.0, at]],
        };
        for (axis, range) in self.ranges.iter().enumerate().take(3) {
            let ticks: Vec<(f32, String)> = range
                .ticks()
                .map(|(value, text)| (2.0 * range.share(value) - 1.0, text))
                .collect();
            for at in ticks.iter().map(|(at, _)| *at).chain([-1.0, 1.0]) {
                drawing.line(&crossing(axis, at).map(seen), line);
            }
            for (at, text) in ticks {
                let (corner, anchor, (dx, dy)) = match axis {
                    0 => ([at, -1.0, -1.0], Anchor::Middle, (-4.0, 18.0)),
                    1 => ([1.0, at, -1.0], Anchor::Start, (8.0, 12.0)),
                    _ => ([-1.0, -1.0, at], Anchor::End, (-8.0, 4.0)),
                };
                let (x, y) = seen(corner);
                let place = (x + dx, y + dy);
                drawing.text(place, anchor, TICKS - 1.0, Color::FAINT, text);
            }
        }
        let [along, back, up] = names else { return };
        let (x, y) = seen([0.0, -1.0, -1.0]);
        name_axis(drawing, (x - 16.0, y + 44.0), Anchor::End, along);
        let (_, y) = seen([1.0, 0.0, -1.0]);
        name_axis(drawing, (WIDTH - 10.0, y + 44.0), Anchor::End, back);
        let (x, y) = seen([-1.0, -1.0, 1.0]);
        name_axis(drawing, (x - 60.0, y - 22.0), Anchor::Start, up);
    }
}
