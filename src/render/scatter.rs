//! Scatter plots of faces by two of their weights, people in colours.

use super::chart::Axis;
use super::drawing::{Anchor, Color, Drawing, Marker, Point, Shape, Stroke};
use super::labels::{self, Area, Label};
use super::lettering;
use crate::dataset::visible;
use crate::face_space::Weights;
use crate::gallery::Gallery;

const WIDTH: f32 = 980.0;
const HEIGHT: f32 = 760.0;
/// The plot within it.
const AREA: Area = (84.0, 50.0, 950.0, 690.0);
const TICKS: f32 = 12.0;
const NAMES: f32 = 12.0;
const SMALL_NAMES: f32 = 10.0;
/// With more people than this, an ellipse for each stands for the lines from faces to their person's middle.
const CROWD: usize = 20;
const RADIUS: f32 = 4.4;
/// Width of the list at the right, where the plot has no room for all names.
const LEGEND: f32 = 230.0;
const CORNERS: usize = 48;

/// Ten hues that stand apart on white, also for most who see colours differently (lightness varies too).
const HUES: [Color; 10] = [
    Color([31, 119, 180]),
    Color([214, 70, 40]),
    Color([44, 140, 60]),
    Color([148, 103, 189]),
    Color([225, 140, 0]),
    Color([120, 80, 60]),
    Color([220, 100, 170]),
    Color([90, 90, 90]),
    Color([150, 150, 20]),
    Color([20, 170, 185]),
];

const MARKERS: [Marker; 4] = [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond];

/// The mark of a group by its number: colours first, then forms; forty are different.
fn mark(number: usize) -> (Color, Marker) {
    (HUES[number % HUES.len()], MARKERS[number / HUES.len() % MARKERS.len()])
}

/// One face.
#[derive(Debug, Clone)]
pub struct Dot {
    /// Its weights on the axes.
    pub at: [f64; 2],
    /// Tooltip (SVG only).
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

/// The data of a scatter plot.
#[derive(Debug, Clone, Default)]
pub struct Scatter {
    /// The title.
    pub title: String,
    /// The names of the axes.
    pub axes: [String; 2],
    /// People, each in a colour and form of its own (forty are different).
    pub people: Vec<Group>,
    /// Faces that are not enrolled, as black stars.
    pub probes: Group,
}

/// The enrolled faces over the first two components of their space, as SVG: a word for a component, and their shares of
/// the variance. Of the people, who have numbers, those whose names are given are shown.
pub(super) fn of_gallery(
    gallery: &Gallery,
    weights: &Weights,
    (part, ratios): (&str, &[f64]),
    names: impl Iterator<Item = String>,
) -> String {
    let mut people: Vec<Group> = names.map(|name| Group { name, dots: Vec::new() }).collect();
    for (face, weights) in gallery.enrolled().iter().zip(weights.column_iter()) {
        let at = [0, 1].map(|axis| weights.get(axis).map_or(0.0, |&weight| f64::from(weight)));
        if let Some(group) = people.get_mut(face.person) {
            group.dots.push(Dot { at, about: format!("{}: {}", group.name, visible(&face.source)) });
        }
    }
    let axes = [0, 1].map(|axis| {
        let share = ratios.get(axis).copied().unwrap_or(0.0) * 100.0;
        format!("{part} {} ({share:.1} % of the variance)", axis + 1)
    });
    scatter(&Scatter { axes, people, ..Scatter::default() }).to_svg()
}

/// From weights to places on the drawing.
struct View([Axis; 2]);

impl View {
    fn of(plot: &Scatter) -> Self {
        let groups = || plot.people.iter().chain([&plot.probes]);
        Self([0, 1].map(|axis| {
            let values = groups().flat_map(|group| group.dots.iter().map(|dot| dot.at[axis]));
            let ends = (f64::INFINITY, f64::NEG_INFINITY);
            let (low, high) = values.fold(ends, |(low, high), at| (low.min(at), high.max(at)));
            let (low, high) = if low < high { (low, high) } else { (-1.0, 1.0) };
            let margin = 0.04 * (high - low);
            Axis::numbers(&plot.axes[axis], (low - margin, high + margin))
        }))
    }

    fn place(&self, at: [f64; 2]) -> Point {
        let x = AREA.0 + self.0[0].share(at[0]) * (AREA.2 - AREA.0);
        let y = AREA.3 - self.0[1].share(at[1]) * (AREA.3 - AREA.1);
        (x, y)
    }

    fn draw(&self, drawing: &mut Drawing) {
        let line = Stroke::solid(Color::GRID, 1.0);
        let [across, up] = &self.0;
        for value in across.ticks() {
            let (x, _) = self.place([value, 0.0]);
            drawing.line(&[(x, AREA.1), (x, AREA.3)], line);
            drawing.text((x, AREA.3 + 18.0), Anchor::Middle, TICKS, Color::FAINT, across.written(value));
        }
        for value in up.ticks() {
            let (_, y) = self.place([0.0, value]);
            drawing.line(&[(AREA.0, y), (AREA.2, y)], line);
            drawing.text((AREA.0 - 8.0, y + 4.0), Anchor::End, TICKS, Color::FAINT, up.written(value));
        }
        let (across, up) = (format!("→ {}", across.name), format!("↑ {}", up.name));
        drawing.text(((AREA.0 + AREA.2) / 2.0, AREA.3 + 42.0), Anchor::Middle, 13.0, Color::INK, across);
        drawing.text((10.0, AREA.1 - 6.0), Anchor::Start, 13.0, Color::INK, up);
    }
}

/// Draws the plot.
pub fn scatter(plot: &Scatter) -> Drawing {
    let mut drawing = Drawing::new(WIDTH, HEIGHT, plot.title.clone());
    drawing.text((AREA.0, 28.0), Anchor::Start, 16.0, Color::INK, &plot.title);
    let view = View::of(plot);
    view.draw(&mut drawing);
    let (legend, labels) = faces(&mut drawing, plot, &view);
    let is_crowd = plot.people.len() > CROWD;
    let size = if is_crowd { SMALL_NAMES } else { NAMES };
    let mut named = drawing.clone();
    let left_over = labels::place(&mut named, &labels, size, AREA).len();
    match (left_over, is_crowd) {
        (0, _) => named,
        // Names in one place, not some here and some there.
        (_, false) => with_legend(drawing, &legend, &labels),
        (count, true) => {
            let text = format!("{count} names have no room here");
            named.text((AREA.2, AREA.3 + 60.0), Anchor::End, TICKS, Color::FAINT, text);
            named
        }
    }
}

type Mark = (Color, Marker);

/// Draws the faces; returns the names to be written, people before probes, and the marks that go with them.
fn faces(drawing: &mut Drawing, plot: &Scatter, view: &View) -> (Vec<Mark>, Vec<Label>) {
    let is_crowd = plot.people.len() > CROWD;
    // What stands for people lies over faces, and probes over everything that is enrolled.
    let (mut under, mut over) = (Vec::new(), Vec::new());
    let (mut legend, mut labels) = (Vec::new(), Vec::new());
    for (number, group) in plot.people.iter().enumerate() {
        let (color, marker) = mark(number);
        let Some(middle) = center(group).map(|center| view.place(center)) else { continue };
        let places: Vec<Point> = group.dots.iter().map(|dot| view.place(dot.at)).collect();
        for (dot, &at) in group.dots.iter().zip(&places) {
            if is_crowd {
                under.push(speck(at, color, &dot.about));
            } else {
                drawing.line(&[middle, at], Stroke::solid(color.lightened(0.35), 0.8));
                under.push(shape(at, marker, color, &dot.about));
            }
        }
        if is_crowd {
            drawing.line(&ellipse(middle, &places), Stroke::solid(color.lightened(0.7), 1.2));
            over.push(shape(middle, marker, color, &group.name));
        }
        legend.push((color, marker));
        let darker = Color(color.0.map(|level| (f32::from(level) * 0.72) as u8));
        labels.push(Label { at: middle, text: group.name.clone(), color: darker });
    }
    let black = Color([0, 0, 0]);
    for dot in &plot.probes.dots {
        let at = view.place(dot.at);
        over.push(shape(at, Marker::Star, black, &dot.about));
        legend.push((black, Marker::Star));
        labels.push(Label { at: (at.0, at.1 - 12.0), text: dot.about.clone(), color: black });
    }
    under.into_iter().chain(over).for_each(|it| drawing.push(it));
    (legend, labels)
}

/// A face of a person for whom an ellipse stands.
fn speck(at: Point, color: Color, about: &str) -> Shape {
    let (radius, fill) = (RADIUS * 0.45, color.lightened(0.55));
    Shape::Mark { at, radius, marker: Marker::Circle, fill, hover: about.to_owned() }
}

/// One standard deviation around the middle of some points, in every direction.
fn ellipse(middle: Point, places: &[Point]) -> Vec<Point> {
    let count = places.len().max(2) as f32 - 1.0;
    let sum = |of: &dyn Fn(f32, f32) -> f32| -> f32 {
        places.iter().map(|at| of(at.0 - middle.0, at.1 - middle.1)).sum::<f32>() / count
    };
    let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
    // Half the difference and the root of the discriminant of the 2 x 2 covariance.
    let (mean, root) = ((xx + yy) / 2.0, ((xx - yy) / 2.0).hypot(xy));
    let (long, short) = ((mean + root).sqrt(), (mean - root).max(0.0).sqrt());
    let turn = 0.5 * (2.0 * xy).atan2(xx - yy);
    let corner = |corner: usize| {
        let angle = std::f32::consts::TAU * corner as f32 / CORNERS as f32;
        let (x, y) = (long * angle.cos(), short * angle.sin());
        (middle.0 + x * turn.cos() - y * turn.sin(), middle.1 + x * turn.sin() + y * turn.cos())
    };
    (0..=CORNERS).map(corner).collect()
}

fn shape(at: Point, marker: Marker, color: Color, about: &str) -> Shape {
    let star = if marker == Marker::Star { 1.7 } else { 1.0 };
    Shape::Mark { at, radius: RADIUS * star, marker, fill: color, hover: about.to_owned() }
}

/// The mean of the faces; `None` where there are none.
fn center(group: &Group) -> Option<[f64; 2]> {
    let count = group.dots.len();
    let mean = |axis: usize| group.dots.iter().map(|dot| dot.at[axis]).sum::<f64>() / count as f64;
    (count > 0).then(|| [mean(0), mean(1)])
}

/// The drawing made wider, with these names listed beside their marks.
fn with_legend(drawing: Drawing, legend: &[Mark], labels: &[Label]) -> Drawing {
    let mut wide = drawing.widened(LEGEND);
    let (left, line) = (WIDTH + 6.0, 16.0);
    let room = ((AREA.3 - AREA.1) / line) as usize;
    let fits = if labels.len() > room { room - 1 } else { labels.len() };
    let size = SMALL_NAMES + 1.0;
    let letters = lettering::line_height(size);
    for (row, (label, &(color, marker))) in labels.iter().zip(legend).take(fits).enumerate() {
        let y = AREA.1 + line * (row as f32 + 0.5);
        wide.push(shape((left, y), marker, color, ""));
        let mut name = label.text.clone();
        while lettering::width(&name, letters) > LEGEND - 30.0 && name.pop().is_some() {}
        wide.text((left + 12.0, y + 4.0), Anchor::Start, size, Color::INK, name);
    }
    if fits < labels.len() {
        let below = (left, AREA.1 + line * (fits as f32 + 0.75));
        wide.text(below, Anchor::Start, size, Color::FAINT, format!("… and {} more", labels.len() - fits));
    }
    wide
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(people: usize, name: impl Fn(usize) -> String) -> Scatter {
        let dot = |seed: usize| Dot {
            at: [0, 1].map(|axis| ((seed * 37 + axis * 91) % 1000) as f64 - 500.0),
            about: format!("photo {seed}"),
        };
        Scatter {
            title: "Faces".to_owned(),
            axes: [1, 2].map(|axis| format!("basis face {axis} (9.5 %)")),
            people: (0..people)
                .map(|person| Group { name: name(person), dots: (0..3).map(|at| dot(person * 3 + at)).collect() })
                .collect(),
            probes: Group { name: String::new(), dots: vec![dot(7)] },
        }
    }

    #[test]
    fn forty_marks_are_different() {
        let marks: Vec<_> = (0..40).map(mark).collect();
        for (at, one) in marks.iter().enumerate() {
            assert!(!marks[..at].contains(one), "{at}");
        }
    }

    #[test]
    fn every_person_is_named_somewhere() {
        for people in [1, 14, 20] {
            let svg = scatter(&plot(people, |at| format!("person-{at}!"))).to_svg();
            for at in 0..people {
                assert!(svg.contains(&format!("person-{at}!<")), "{at}");
            }
            assert_eq!(svg.matches("<title>photo ").count(), 3 * people + 1);
            assert!(svg.contains("basis face 2 (9.5 %)"));
        }
    }

    #[test]
    fn nothing_or_one_point_breaks_nothing() {
        let svg = scatter(&plot(0, |_| String::new())).to_svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn of_a_crowd_everybody_has_an_ellipse_and_names_without_room_are_counted() {
        let long = |at: usize| format!("{} the {at}th", "very ".repeat(30));
        let svg = scatter(&plot(200, long)).to_svg();
        assert!(svg.contains("names have no room here"), "most have none");
        let few = scatter(&plot(21, |at| format!("p{at}"))).to_svg();
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
        assert!((reach - 20.0).abs() < 0.1, "one standard deviation: {reach}");
        assert!(ellipse((1.0, 1.0), &[(1.0, 1.0)]).iter().all(|at| *at == (1.0, 1.0)));
    }
}
