//! Charts: curves, bars and marks over two axes, small enough to be read on a telephone.

use super::drawing::{Anchor, Color, Drawing, Marker, Point, Shape, Stroke};

const WIDTH: f32 = 460.0;
const HEIGHT: f32 = 330.0;
const LEFT: f32 = 64.0;
/// So far from the edge that the last number has room for its right half.
const RIGHT: f32 = 434.0;
const TOP: f32 = 46.0;
const BOTTOM: f32 = 274.0;
const LETTERS: f32 = 13.0;

/// Colours of curves, in order.
pub const CURVES: [Color; 4] =
    [Color([31, 95, 150]), Color([190, 70, 40]), Color([110, 110, 110]), Color([60, 130, 70])];

#[derive(Debug, Clone)]
pub struct Axis {
    pub(super) name: String,
    range: (f64, f64),
    /// Equal factors are equally long; what is not above zero stands at the low end.
    logarithmic: bool,
    /// Numbers are shares, written as per cent.
    percent: bool,
}

/// A series drawn over the axes. Names may be empty.
#[derive(Debug, Clone)]
pub enum Series {
    Curve(String, Vec<(f64, f64)>, Color),
    /// A mark at each point, with what a pointer over it is told.
    Marks(String, Vec<(f64, f64, String)>, Color),
    /// A bar from the low end to each value, one wide, at 1, 2, ...; the first ones in full colour.
    Bars(Vec<f64>, usize, Color),
    /// A broken line across.
    Level(String, f64),
    /// A broken line upright.
    Upright(String, f64),
}

/// A chart as SVG; the series in the order of drawing.
pub fn svg(title: &str, x: Axis, y: Axis, series: &[Series]) -> String {
    Axes { x, y, right: RIGHT }.titled(title, series).to_svg()
}

/// A chart as [`svg`] makes it, with other series over an axis of their own at the right.
pub fn svg_with_right(title: &str, x: Axis, [y, other]: [Axis; 2], [series, others]: [&[Series]; 2]) -> String {
    let right = RIGHT - 50.0;
    let mut drawing = Axes { x: x.clone(), y, right }.titled(title, series);
    let axes = Axes { x, y: other, right };
    axes.name_right(&mut drawing);
    axes.all(&mut drawing, others);
    drawing.to_svg()
}

struct Axes {
    x: Axis,
    y: Axis,
    /// The right end of the horizontal axis.
    right: f32,
}

impl Axes {
    fn titled(&self, title: &str, series: &[Series]) -> Drawing {
        let mut drawing = Drawing::new(WIDTH, HEIGHT, title);
        drawing.text((8.0, 20.0), Anchor::Start, 15.0, Color::INK, title);
        self.draw(&mut drawing);
        self.all(&mut drawing, series);
        drawing
    }

    fn all(&self, drawing: &mut Drawing, series: &[Series]) {
        let mut legend = 0;
        for series in series {
            self.series(drawing, series, &mut legend);
        }
    }

    /// The numbers and the name of a vertical axis that stands at the right.
    fn name_right(&self, drawing: &mut Drawing) {
        for tick in self.y.ticks() {
            let at = (self.right + 6.0, self.place((0.0, tick)).1 + 4.0);
            drawing.text(at, Anchor::Start, LETTERS, Color::FAINT, self.y.written(tick));
        }
        drawing.text((WIDTH - 8.0, TOP - 9.0), Anchor::End, LETTERS, Color::INK, self.y.name.as_str());
    }

    fn place(&self, (x, y): (f64, f64)) -> Point {
        (LEFT + self.x.share(x) * (self.right - LEFT), BOTTOM - self.y.share(y) * (BOTTOM - TOP))
    }

    fn draw(&self, drawing: &mut Drawing) {
        let grid = Stroke::solid(Color::GRID, 1.0);
        for tick in self.x.ticks() {
            let (x, _) = self.place((tick, 0.0));
            drawing.line(&[(x, TOP), (x, BOTTOM)], grid);
            drawing.text((x, BOTTOM + 17.0), Anchor::Middle, LETTERS, Color::FAINT, self.x.written(tick));
        }
        for tick in self.y.ticks() {
            let (_, y) = self.place((0.0, tick));
            drawing.line(&[(LEFT, y), (self.right, y)], grid);
            drawing.text((LEFT - 6.0, y + 4.0), Anchor::End, LETTERS, Color::FAINT, self.y.written(tick));
        }
        drawing.line(&[(LEFT, BOTTOM), (self.right, BOTTOM)], Stroke::solid(Color::INK, 1.0));
        let below = ((LEFT + self.right) / 2.0, BOTTOM + 40.0);
        drawing.text(below, Anchor::Middle, LETTERS, Color::INK, self.x.name.as_str());
        drawing.text((8.0, TOP - 9.0), Anchor::Start, LETTERS, Color::INK, self.y.name.as_str());
    }

    fn series(&self, drawing: &mut Drawing, series: &Series, legend: &mut usize) {
        match series {
            Series::Curve(name, points, color) => {
                let points: Vec<Point> = points.iter().map(|&point| self.place(point)).collect();
                if points.len() > 1 {
                    drawing.line(&points, Stroke::solid(*color, 2.2));
                }
                self.name(drawing, name, *color, legend);
            }
            Series::Marks(name, points, color) => {
                for (x, y, hover) in points {
                    let (at, hover) = (self.place((*x, *y)), hover.clone());
                    drawing.push(Shape::Mark { at, radius: 4.0, marker: Marker::Circle, fill: *color, hover });
                }
                self.name(drawing, name, *color, legend);
            }
            Series::Bars(values, kept, color) => {
                for (at, &value) in values.iter().enumerate() {
                    let (left, top) = self.place((at as f64 + 0.55, value));
                    let (right, _) = self.place((at as f64 + 1.45, value));
                    let size = ((right - left).max(0.3), (BOTTOM - top).max(0.0));
                    let fill = if at < *kept { *color } else { color.lightened(0.35) };
                    let hover = format!("{}: {}", at + 1, self.y.exactly(value));
                    drawing.push(Shape::Rect { at: (left, top), size, fill, hover });
                }
            }
            Series::Level(name, at) => {
                let (_, y) = self.place((0.0, *at));
                drawing.line(&[(LEFT, y), (self.right, y)], Stroke::dashed(Color::FAINT, 1.4));
                // Below the line where the name of the axis stands above it.
                let below = if y - LETTERS - 5.0 < TOP { LETTERS + 8.0 } else { 0.0 };
                drawing.text_over((LEFT + 6.0, y - 5.0 + below), Anchor::Start, LETTERS, Color::INK, name);
            }
            Series::Upright(name, at) => {
                let (x, _) = self.place((*at, 0.0));
                drawing.line(&[(x, TOP), (x, BOTTOM)], Stroke::dashed(Color::FAINT, 1.4));
                // On the right, where bars are low, if there is room.
                let length = 0.6 * LETTERS * name.chars().count() as f32;
                let (anchor, x) =
                    if x + 6.0 + length > self.right { (Anchor::End, x - 6.0) } else { (Anchor::Start, x + 6.0) };
                drawing.text_over((x, (TOP + BOTTOM) / 2.0), anchor, LETTERS, Color::INK, name);
            }
        }
    }

    /// Names curves at the right, one below the other: at the foot, or where errors fall towards it, at the top.
    fn name(&self, drawing: &mut Drawing, name: &str, color: Color, legend: &mut usize) {
        if name.is_empty() {
            return;
        }
        let row = 18.0 * *legend as f32;
        let y = if self.y.logarithmic { TOP + 18.0 + row } else { BOTTOM - 12.0 - row };
        *legend += 1;
        drawing.text_over((self.right - 8.0, y), Anchor::End, LETTERS, color, name);
    }
}

impl Axis {
    /// An axis of numbers as they are.
    pub fn numbers(name: &str, range: (f64, f64)) -> Self {
        Self { name: name.to_owned(), range, logarithmic: false, percent: false }
    }

    /// An axis of shares, written as per cent.
    pub fn shares(name: &str, range: (f64, f64)) -> Self {
        Self { percent: true, ..Self::numbers(name, range) }
    }

    /// This axis with equal factors equally long.
    pub fn logarithmic(self) -> Self {
        Self { logarithmic: true, ..self }
    }

    fn scaled(&self, value: f64) -> f64 {
        if self.logarithmic { value.max(self.range.0.max(f64::MIN_POSITIVE)).log10() } else { value }
    }

    /// 0 at the low end, 1 at the high one; what is beyond is drawn at the end.
    pub(super) fn share(&self, value: f64) -> f32 {
        let (low, high) = (self.scaled(self.range.0), self.scaled(self.range.1));
        if high > low { ((self.scaled(value) - low) / (high - low)).clamp(0.0, 1.0) as f32 } else { 0.5 }
    }

    /// Round numbers, six at most.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let (low, high) = self.range;
        if self.logarithmic {
            let (first, last) = (self.scaled(low).ceil() as i32, self.scaled(high).floor() as i32);
            if last - first < 2 {
                // Few decades need ticks within them.
                let within =
                    (first - 1..=last).flat_map(|decade| [1.0, 2.0, 5.0].map(|factor| factor * 10_f64.powi(decade)));
                return within.filter(|tick| (low..=high).contains(tick)).collect();
            }
            let step = ((last - first) / 5 + 1).max(1) as usize;
            return (first..=last).step_by(step).map(|decade| 10_f64.powi(decade)).collect();
        }
        if high <= low {
            return vec![low];
        }
        let rough = (high - low) / 5.0;
        let decade = 10_f64.powf(rough.log10().floor());
        let factor = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|factor| factor * decade >= rough * 0.999);
        let step = factor.unwrap_or(10.0) * decade;
        let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
        (first..=last).map(|tick| tick as f64 * step).collect()
    }

    pub(super) fn written(&self, value: f64) -> String {
        let value = if self.percent { value * 100.0 } else { value };
        // No 0.30000000000000004, and no -0.
        let rounded = format!("{value:.4}");
        let short = rounded.trim_end_matches('0').trim_end_matches('.');
        // Small ones, and large powers of ten, in a form that fits beside the axis: 1e-4, 1e6.
        let short = match value.abs() {
            tiny if tiny > 0.0 && tiny < 0.000_999 => format!("{value:.0e}"),
            large if self.logarithmic && large >= 99_999.0 => format!("{value:.0e}"),
            _ if short == "-0" => "0".to_owned(),
            _ => short.to_owned(),
        };
        if self.percent { format!("{short} %") } else { short }
    }

    fn exactly(&self, value: f64) -> String {
        if self.percent { format!("{:.2} %", value * 100.0) } else { format!("{value:.4}") }
    }
}

/// The power of ten at or below a share, 0.1 at the most.
pub fn decade_below(share: f64) -> f64 {
    10_f64.powf(share.max(1e-12).log10().floor().min(-1.0))
}

/// The power of ten at or above a share.
pub fn decade_above(share: f64) -> f64 {
    10_f64.powf(share.max(1e-12).log10().ceil())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let linear = |low, high| Axis::numbers("n", (low, high)).ticks();
        assert_eq!(linear(1.0, 10.0), [2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(linear(0.0, 1.0).len(), 6);
        assert!((linear(0.83, 1.0).len() as i64 - 4).abs() <= 2);
        let decades = Axis::shares("n", (1e-4, 1.0)).logarithmic();
        let written: Vec<_> = decades.ticks().into_iter().map(|tick| decades.written(tick)).collect();
        assert_eq!(written, ["0.01 %", "0.1 %", "1 %", "10 %", "100 %"]);
        let share = Axis::shares("n", (0.0, 1.0));
        assert_eq!(share.written(0.3), "30 %");
        assert_eq!(share.written(1e-6), "1e-4 %");
        assert_eq!(share.written(1e-5), "0.001 %");
        assert_eq!(share.written(0.0), "0 %");
        let sizes = Axis::numbers("n", (14.0, 1e6)).logarithmic();
        assert_eq!(sizes.written(1e6), "1e6");
        assert_eq!(sizes.written(1e4), "10000");
    }

    #[test]
    fn nothing_is_written_over_the_name_of_the_axis_or_beyond_the_edge() {
        let [across, share] = ["across", "share"].map(|name| Axis::shares(name, (0.0, 1.0)));
        let level = [Series::Level("level".to_owned(), 1.0)];
        let svg = svg("t", across, share, &level);
        let height = |text: &str| -> f32 {
            let before = svg.split(&format!(">{text}<")).next().unwrap();
            let y = before.rsplit("y=\"").next().unwrap();
            y.split('"').next().unwrap().parse().unwrap()
        };
        assert!(height("level") > height("share") + LETTERS, "{svg}");
        // Half of "100 %", in letters that are .6 as wide as high at most.
        const { assert!(RIGHT + 5.0 * 0.6 * LETTERS / 2.0 < WIDTH) };
    }

    #[test]
    fn odd_numbers_break_nothing() {
        for range in [(0.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
            let linear = [Axis::numbers("x", range), Axis::shares("y", range)];
            for axes in [linear.clone(), linear.map(Axis::logarithmic)] {
                let series = [
                    Series::Curve("c".to_owned(), vec![(0.0, 0.0), (1.0, 7.0)], CURVES[0]),
                    Series::Bars(vec![0.0, 1.0], 1, CURVES[1]),
                    Series::Level("l".to_owned(), 0.0),
                    Series::Upright("u".to_owned(), -1.0),
                ];
                let [x, y] = axes;
                let logarithmic = x.logarithmic;
                let svg = svg("t", x, y, &series);
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{range:?} {logarithmic}");
            }
        }
    }
}
