//! Scatter plots of faces by their weights, people in colours: flat, or in space from a fixed point of view.

use super::drawing::{Anchor, Color, Drawing, Marker, Point, Shape, Stroke};
use super::labels::{self, Area, Label};
use super::lettering;
use super::palette::mark;

const WIDTH: f32 = 980.0;
const HEIGHT: f32 = 760.0;
/// The plot within the drawing.
const AREA: Area = (84.0, 50.0, 950.0, 690.0);
const TICKS: f32 = 12.0;
const NAMES: f32 = 12.0;
const SMALL_NAMES: f32 = 10.0;
/// With more people than this, lines from every face to its person's middle would hide everything: an ellipse for each
/// person stands for them.
const CROWD: usize = 20;
const RADIUS: f32 = 3.8;
/// Where the plot has no room for all names, they are listed at its right.
const LEGEND: f32 = 230.0;
/// Corners of an ellipse.
const CORNERS: usize = 48;

/// One face.
#[derive(Debug, Clone)]
pub struct Dot {
    /// Its weights on the axes: two, or three.
    pub at: Vec<f64>,
    /// What a pointer over it is told (SVG only).
    pub about: String,
}

/// The faces of one person.
#[derive(Debug, Clone, Default)]
pub struct Group {
    /// The person's name.
    pub name: String,
    /// The faces.
    pub dots: Vec<Dot>,
}

/// What a scatter plot shows.
#[derive(Debug, Clone, Default)]
pub struct Scatter {
    /// What it is called.
    pub title: String,
    /// What each axis is called: two axes, or three.
    pub axes: Vec<String>,
    /// People, each in a colour and form of its own (forty are different).
    pub people: Vec<Group>,
    /// Faces that are not enrolled, as black stars.
    pub probes: Group,
}

/// Draws the plot: flat where there are two axes, in space where there are three.
pub fn scatter(plot: &Scatter) -> Drawing {
    let ranges: Vec<Range> = (0..plot.axes.len())
        .map(|axis| Range::of(plot, axis))
        .collect();
    let mut drawing = Drawing::new(WIDTH, HEIGHT, plot.title.clone());
    drawing.text((AREA.0, 28.0), Anchor::Start, 16.0, Color::INK, &plot.title);
    let view: Box<dyn View> = if plot.axes.len() > 2 {
        Box::new(Space { ranges })
    } else {
        Box::new(Flat { ranges })
    };
    view.axes(&mut drawing, &plot.axes);
    let (owners, labels) = faces(&mut drawing, plot, view.as_ref());
    let is_crowd = plot.people.len() > CROWD;
    let size = if is_crowd { SMALL_NAMES } else { NAMES };
    let mut named = drawing.clone();
    let left_over = labels::place(&mut named, &labels, size, AREA).len();
    match (left_over, is_crowd) {
        (0, _) => named,
        // Names in one place, not some here and some there.
        (_, false) => with_legend(drawing, plot, &owners),
        (count, true) => {
            let text =
                format!("{count} names have no room here: --people A,B,C shows those people only");
            let place = (AREA.2, AREA.3 + 60.0);
            named.text(place, Anchor::End, TICKS, Color::FAINT, text);
            named
        }
    }
}

/// How values become places.
trait View {
    /// Where on the drawing, and how near: 0 farthest, 1 nearest.
    fn place(&self, at: &[f64]) -> (Point, f32);

    /// The point of the floor below; `None` where there is no floor.
    fn floor(&self, at: &[f64]) -> Option<Point>;

    fn axes(&self, drawing: &mut Drawing, names: &[String]);
}

/// What an axis shows, ends included, and the ticks in it.
struct Range {
    low: f64,
    high: f64,
    step: f64,
}

impl Range {
    fn of(plot: &Scatter, axis: usize) -> Self {
        let dots = plot
            .people
            .iter()
            .chain([&plot.probes])
            .flat_map(|group| &group.dots);
        let values = dots.filter_map(|dot| dot.at.get(axis).copied());
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

struct Flat {
    ranges: Vec<Range>,
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
            drawing.text(
                (x, AREA.3 + 18.0),
                Anchor::Middle,
                TICKS,
                Color::FAINT,
                text,
            );
        }
        for (value, text) in up.ticks() {
            let ((_, y), _) = self.place(&[across.low, value]);
            drawing.line(&[(AREA.0, y), (AREA.2, y)], line);
            drawing.text(
                (AREA.0 - 8.0, y + 4.0),
                Anchor::End,
                TICKS,
                Color::FAINT,
                text,
            );
        }
        let middle = (AREA.0 + AREA.2) / 2.0;
        let [across, up] = names else { return };
        drawing.text(
            (middle, AREA.3 + 42.0),
            Anchor::Middle,
            13.0,
            Color::INK,
            format!("→ {across}"),
        );
        drawing.text(
            (10.0, AREA.1 - 6.0),
            Anchor::Start,
            13.0,
            Color::INK,
            format!("↑ {up}"),
        );
    }
}

/// The first two axes lie on the floor, the third stands up; seen from the front right, a little from above,
/// without perspective.
struct Space {
    ranges: Vec<Range>,
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
        let crossing = |axis: usize, at: f32| -> [[[f32; 3]; 3]; 1] {
            match axis {
                0 => [[[at, -1.0, -1.0], [at, 1.0, -1.0], [at, 1.0, 1.0]]],
                1 => [[[1.0, at, -1.0], [-1.0, at, -1.0], [-1.0, at, 1.0]]],
                _ => [[[-1.0, -1.0, at], [-1.0, 1.0, at], [1.0, 1.0, at]]],
            }
        };
        for (axis, range) in self.ranges.iter().enumerate().take(3) {
            let ticks: Vec<(f32, String)> = range
                .ticks()
                .map(|(value, text)| (2.0 * range.share(value) - 1.0, text))
                .collect();
            for at in ticks.iter().map(|(at, _)| *at).chain([-1.0, 1.0]) {
                for corners in crossing(axis, at) {
                    drawing.line(&corners.map(seen), line);
                }
            }
            for (at, text) in ticks {
                let (place, anchor) = match axis {
                    0 => (seen([at, -1.0, -1.0]), Anchor::Middle),
                    1 => (seen([1.0, at, -1.0]), Anchor::Start),
                    _ => (seen([-1.0, -1.0, at]), Anchor::End),
                };
                let place = match axis {
                    0 => (place.0 - 4.0, place.1 + 18.0),
                    1 => (place.0 + 8.0, place.1 + 12.0),
                    _ => (place.0 - 8.0, place.1 + 4.0),
                };
                drawing.text(place, anchor, TICKS - 1.0, Color::FAINT, text);
            }
        }
        let [along, back, up] = names else { return };
        let floor = seen([0.0, -1.0, -1.0]);
        drawing.text(
            (floor.0 - 16.0, floor.1 + 44.0),
            Anchor::End,
            13.0,
            Color::INK,
            along,
        );
        let side = seen([1.0, 0.0, -1.0]);
        drawing.text(
            (WIDTH - 10.0, side.1 + 44.0),
            Anchor::End,
            13.0,
            Color::INK,
            back,
        );
        let wall = seen([-1.0, -1.0, 1.0]);
        drawing.text(
            (wall.0 - 60.0, wall.1 - 22.0),
            Anchor::Start,
            13.0,
            Color::INK,
            up,
        );
    }
}

/// Draws the faces; returns the names to be written, each with its owner: people, and after them probes.
fn faces(drawing: &mut Drawing, plot: &Scatter, view: &dyn View) -> (Vec<usize>, Vec<Label>) {
    let is_crowd = plot.people.len() > CROWD;
    let mut marks = Vec::new();
    let (mut owners, mut labels) = (Vec::new(), Vec::new());
    for (number, group) in plot.people.iter().enumerate() {
        let (color, marker) = mark(number);
        let Some(center) = center(group) else {
            continue;
        };
        let (middle, nearness) = view.place(&center);
        drop_line(drawing, view, &center);
        let places: Vec<Point> = group.dots.iter().map(|dot| view.place(&dot.at).0).collect();
        for dot in &group.dots {
            let (at, near) = view.place(&dot.at);
            if is_crowd {
                marks.push((near - 2.0, speck(at, color, &dot.about)));
            } else {
                drawing.line(&[middle, at], Stroke::solid(color.lightened(0.35), 0.8));
                marks.push((near, shape(at, near, marker, color, &dot.about)));
            }
        }
        if is_crowd {
            drawing.line(
                &ellipse(middle, &places),
                Stroke::solid(color.lightened(0.7), 1.2),
            );
            marks.push((
                nearness,
                shape(middle, nearness, marker, color, &group.name),
            ));
        }
        owners.push(number);
        labels.push(Label {
            at: middle,
            text: group.name.clone(),
            color: Color(color.0.map(|level| (f32::from(level) * 0.72) as u8)),
        });
    }
    for (number, dot) in plot.probes.dots.iter().enumerate() {
        let (at, near) = view.place(&dot.at);
        drop_line(drawing, view, &dot.at);
        // Over everything that is enrolled.
        let star = shape(at, near, Marker::Star, Color([0, 0, 0]), &dot.about);
        marks.push((2.0, star));
        owners.push(plot.people.len() + number);
        labels.push(Label {
            at: (at.0, at.1 - 12.0),
            text: dot.about.clone(),
            color: Color([0, 0, 0]),
        });
    }
    marks.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, shape) in marks {
        drawing.push(shape);
    }
    (owners, labels)
}

/// Where there is a floor, a line down to it: without one nobody sees how far back a point lies.
fn drop_line(drawing: &mut Drawing, view: &dyn View, at: &[f64]) {
    if let Some(floor) = view.floor(at) {
        let line = Stroke::dashed(Color::FAINT.lightened(0.6), 0.8);
        drawing.line(&[view.place(at).0, floor], line);
        drawing.push(speck(floor, Color::FAINT, ""));
    }
}

/// A face of a person for whom an ellipse stands.
fn speck(at: Point, color: Color, about: &str) -> Shape {
    Shape::Mark {
        at,
        radius: RADIUS * 0.45,
        marker: Marker::Circle,
        fill: color.lightened(0.55),
        hover: about.to_owned(),
    }
}

/// One standard deviation around the middle of some points, in every direction.
fn ellipse(middle: Point, places: &[Point]) -> Vec<Point> {
    let count = places.len().max(2) as f32 - 1.0;
    let sum = |of: &dyn Fn(f32, f32) -> f32| -> f32 {
        let terms = places.iter().map(|at| of(at.0 - middle.0, at.1 - middle.1));
        terms.sum::<f32>() / count
    };
    let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
    // Half the difference and the root of the discriminant of the 2 x 2 covariance.
    let (mean, root) = ((xx + yy) / 2.0, ((xx - yy) / 2.0).hypot(xy));
    let (long, short) = ((mean + root).sqrt(), (mean - root).max(0.0).sqrt());
    let turn = 0.5 * (2.0 * xy).atan2(xx - yy);
    (0..=CORNERS)
        .map(|corner| {
            let angle = std::f32::consts::TAU * corner as f32 / CORNERS as f32;
            let (x, y) = (long * angle.cos(), short * angle.sin());
            (
                middle.0 + x * turn.cos() - y * turn.sin(),
                middle.1 + x * turn.sin() + y * turn.cos(),
            )
        })
        .collect()
}

fn shape(at: Point, near: f32, marker: Marker, color: Color, about: &str) -> Shape {
    let star = if marker == Marker::Star { 1.7 } else { 1.0 };
    Shape::Mark {
        at,
        radius: RADIUS * star * (0.7 + 0.45 * near),
        marker,
        fill: color.lightened(0.55 + 0.45 * near),
        hover: about.to_owned(),
    }
}

/// The mean of the faces; `None` where there are none.
fn center(group: &Group) -> Option<Vec<f64>> {
    let mut sum = group.dots.first()?.at.clone();
    for dot in &group.dots[1..] {
        for (sum, value) in sum.iter_mut().zip(&dot.at) {
            *sum += value;
        }
    }
    let count = group.dots.len() as f64;
    Some(sum.into_iter().map(|value| value / count).collect())
}

/// The drawing made wider, with the names of these people (and probes, numbered after them) listed.
fn with_legend(drawing: Drawing, plot: &Scatter, owners: &[usize]) -> Drawing {
    let mut wide = drawing.widened(LEGEND);
    let (left, line) = (WIDTH + 6.0, 16.0);
    let room = ((AREA.3 - AREA.1) / line) as usize;
    let fits = if owners.len() > room {
        room - 1
    } else {
        owners.len()
    };
    let letters = lettering::line_height(SMALL_NAMES + 1.0);
    for (row, &owner) in owners.iter().take(fits).enumerate() {
        let y = AREA.1 + line * (row as f32 + 0.5);
        let (name, mark) = match plot.people.get(owner) {
            Some(person) => (&person.name, mark(owner)),
            None => (
                &plot.probes.dots[owner - plot.people.len()].about,
                (Color([0, 0, 0]), Marker::Star),
            ),
        };
        wide.push(shape((left, y), 1.0, mark.1, mark.0, ""));
        let mut name = name.clone();
        while lettering::width(&name, letters) > LEGEND - 30.0 && name.pop().is_some() {}
        wide.text(
            (left + 12.0, y + 4.0),
            Anchor::Start,
            SMALL_NAMES + 1.0,
            Color::INK,
            name,
        );
    }
    if fits < owners.len() {
        let y = AREA.1 + line * (fits as f32 + 0.75);
        let more = format!("… and {} more", owners.len() - fits);
        wide.text(
            (left, y),
            Anchor::Start,
            SMALL_NAMES + 1.0,
            Color::FAINT,
            more,
        );
    }
    wide
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(people: usize, axes: usize, name: impl Fn(usize) -> String) -> Scatter {
        let dot = |seed: usize| Dot {
            at: (0..axes)
                .map(|axis| ((seed * 37 + axis * 91) % 1000) as f64 - 500.0)
                .collect(),
            about: format!("photo {seed}"),
        };
        Scatter {
            title: "Faces".to_owned(),
            axes: (1..=axes)
                .map(|axis| format!("basis face {axis} (9.5 %)"))
                .collect(),
            people: (0..people)
                .map(|person| Group {
                    name: name(person),
                    dots: (0..3).map(|at| dot(person * 3 + at)).collect(),
                })
                .collect(),
            probes: Group {
                name: String::new(),
                dots: vec![dot(7)],
            },
        }
    }

    #[test]
    fn every_person_is_named_somewhere() {
        for axes in [2, 3] {
            for people in [1, 14, 20] {
                let svg = scatter(&plot(people, axes, |at| format!("person-{at}!"))).to_svg();
                for at in 0..people {
                    assert!(svg.contains(&format!("person-{at}!<")), "{axes} axes, {at}");
                }
                assert_eq!(svg.matches("<title>photo ").count(), 3 * people + 1);
                assert!(svg.contains("basis face 2 (9.5 %)"));
            }
        }
    }

    #[test]
    fn nothing_or_one_point_breaks_nothing() {
        for axes in [0, 1, 2, 3] {
            let svg = scatter(&plot(0, axes, |_| String::new())).to_svg();
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
        }
    }

    #[test]
    fn of_a_crowd_everybody_has_an_ellipse_and_names_without_room_are_counted() {
        let long = |at: usize| format!("{} the {at}th", "very ".repeat(30));
        let svg = scatter(&plot(200, 2, long)).to_svg();
        assert!(svg.contains("names have no room here"), "most have none");
        let few = scatter(&plot(21, 2, |at| format!("p{at}"))).to_svg();
        for at in 0..21 {
            assert!(few.contains(&format!("<title>p{at}</title>")), "its middle");
        }
        assert!(!few.contains("NaN"));
    }

    #[test]
    fn ellipses_lie_along_their_points() {
        let along = [(0.0, 0.0), (10.0, 10.0), (20.0, 20.0)];
        let found = ellipse((10.0, 10.0), &along);
        assert!(found.iter().all(|at| (at.0 - at.1).abs() < 1e-3), "a line");
        let reach = found.iter().map(|at| at.0).fold(f32::MIN, f32::max);
        assert!(
            (reach - 20.0).abs() < 0.1,
            "one standard deviation: {reach}"
        );
        assert!(
            ellipse((1.0, 1.0), &[(1.0, 1.0)])
                .iter()
                .all(|at| *at == (1.0, 1.0))
        );
    }
}
