//! Explanation of a face's name in pictures that need no manual.

use image::{DynamicImage, RgbImage};

use super::drawing::Color;
use super::strip::{Panel, Row};
use super::{file_name, gray, signed};
use crate::compare::EvidenceFor;
use crate::decision::percent;
use crate::error::Result;
use crate::face_matrix::{FaceMatrix, FaceSize};
use crate::matcher::{CELLS, DistanceParts};
use crate::preparation::PreparedFace;
use crate::recognizer::{Explanation, Identification, Probes, QueryOptions, Recognizer};
use crate::reconstruction::Reconstruction;

/// Colors of differences and of likenesses; of evidence for the first person and for the second.
const APART: Color = Color([214, 40, 30]);
const TOGETHER: Color = Color([40, 90, 200]);
const FOR_FIRST: Color = Color([20, 140, 60]);
const FOR_SECOND: Color = Color([225, 125, 0]);

const BASIS_SHOWN: usize = 6;

/// Letters of a line below a picture.
const CAPTION: usize = 24;

/// Cells whose share is told.
const STRONGEST: usize = 8;

/// The rows of pictures for one prepared face: what the model saw and made of it; where it differs from the
/// people it is nearest to; and by which basis faces. `heading` says what was decided.
///
/// # Errors
/// Pixels that are no face of the model's size.
pub fn rows(
    recognizer: &Recognizer,
    face: &PreparedFace,
    query: QueryOptions,
    heading: impl FnOnce(&Identification) -> String,
) -> Result<Vec<Row>> {
    let size = recognizer.preparation().size();
    let pixels = &face.pixels;
    // Of the runner-up too, the confidence is told.
    let query = QueryOptions { top: 2, ..query };
    let found = recognizer.identify_probes(Probes::prepared(size, std::iter::once(face))?, query);
    let weights = recognizer.space().project(&FaceMatrix::from_pixels(size, pixels.clone())?);
    let why = &recognizer.explain(pixels)?;
    let explained = Explained { recognizer, found: &found[0], why, pixels, weights: weights.as_slice(), size };
    let mut faces = explained.faces(heading(explained.found));
    // Places where the face speaks for the nearest person rather than for the next, by the background model.
    let why = explained.why;
    if let ([first, second], Some(map)) = (&why.nearest[..], &why.evidence_map) {
        faces.panels.push(explained.decision("what decides", map, [first, second]));
    }
    let mut rows = vec![faces, explained.places(), explained.basis_faces()];
    rows.retain(|row| !row.panels.is_empty());
    Ok(rows)
}

struct Explained<'a> {
    recognizer: &'a Recognizer,
    found: &'a Identification,
    why: &'a Explanation,
    pixels: &'a [u8],
    weights: &'a [f32],
    size: FaceSize,
}

impl Explained<'_> {
    fn name(&self, side: &EvidenceFor) -> String {
        self.recognizer.gallery().people()[side.person].as_str().chars().take(30).collect()
    }

    fn picture(&self, pixels: &[u8]) -> DynamicImage {
        let levels: Vec<f32> = pixels.iter().map(|&pixel| f32::from(pixel)).collect();
        gray(self.size, &levels).into()
    }

    /// The face, what face space makes of it, what is left over, and the nearest photos.
    fn faces(&self, heading: String) -> Row {
        let space = self.recognizer.space();
        let levels: Vec<f32> = self.pixels.iter().map(|&pixel| f32::from(pixel)).collect();
        let k = space.components();
        let rebuilt = Reconstruction { components: k, levels: space.rebuild(self.weights), pre_image: None };
        let error = rebuilt.error(space.mean().as_slice(), &levels);
        let left_over: Vec<f32> = levels.iter().zip(&rebuilt.levels).map(|(a, b)| a - b).collect();
        let limit = self.recognizer.comparer().face_score_limit();
        let mut panels = vec![
            panel(self.picture(self.pixels), ["the photo", "as the model saw it"]),
            panel(
                gray(self.size, &rebuilt.levels).into(),
                [
                    format!("rebuilt from {k} basis faces"),
                    format!("{:.0} % explained", (error.explained * 100.0).round() + 0.0),
                    format!("looks like a face: {:.2}", self.found.face_score),
                    format!("({limit:.2} is needed)"),
                ],
            ),
            panel(
                signed(self.size, &left_over).into(),
                ["what is left over".to_owned(), format!("{:.1} gray levels (RMS)", error.rms)],
            ),
        ];
        for (side, place) in self.why.nearest.iter().zip(["nearest", "next"]) {
            let source = &self.recognizer.gallery().enrolled()[side.face].source;
            let person = &self.recognizer.gallery().people()[side.person];
            let candidate = self.found.candidates.iter().find(|candidate| candidate.person == *person);
            let mut lines = vec![
                format!("{place}: {}", self.name(side)),
                caption(&file_name(source)),
                format!("distance {:.3}", side.distance),
            ];
            lines.extend(candidate.map(|candidate| format!("confidence {}", percent(candidate.confidence))));
            panels.push(panel(self.picture(&side.pixels), lines));
        }
        Row { heading, panels }
    }

    fn places(&self) -> Row {
        let sides = &self.why.nearest;
        let parts: Option<Vec<&DistanceParts>> = sides.iter().map(|side| side.parts.as_ref()).collect();
        let Some(parts) = parts else { return Row::default() };
        let cells: Vec<&[f64]> = parts.iter().map(|parts| &parts.of_cells[..]).collect();
        let largest = largest(cells.iter().copied().flatten());
        let against = |(side, cells): (&EvidenceFor, &&[f64])| {
            let lines = [
                format!("against {}", self.name(side)),
                "red: sets apart".to_owned(),
                "blue: brings together".to_owned(),
                format!("{STRONGEST} of {} parts make", cells.len()),
                format!("{:.0} % of the distance", strongest(cells) * 100.0),
            ];
            panel(self.map(cells, largest, (APART, TOGETHER)), lines)
        };
        let mut panels: Vec<Panel> = sides.iter().zip(&cells).map(against).collect();
        if let ([first, second], [to_first, to_second]) = (&sides[..], &cells[..]) {
            let map: Vec<f64> = to_second.iter().zip(*to_first).map(|(b, a)| b - a).collect();
            panels.push(self.decision("what decides between them", &map, [first, second]));
        }
        Row { heading: "Where the photo differs from those nearest photos".to_owned(), panels }
    }

    /// Cells above zero speak for the first side, those below for the second.
    fn decision(&self, title: &str, cells: &[f64], [first, second]: [&EvidenceFor; 2]) -> Panel {
        let (first, second) =
            (format!("green: for {}", self.name(first)), format!("orange: for {}", self.name(second)));
        panel(self.map(cells, largest(cells), (FOR_FIRST, FOR_SECOND)), [title.to_owned(), first, second])
    }

    /// By which basis faces it differs, with their shares of the squared distance.
    fn basis_faces(&self) -> Row {
        let sides = &self.why.nearest;
        let decides = sides.iter().all(|side| side.parts.is_some());
        let of_side = |side: &EvidenceFor| match &side.parts {
            Some(parts) => shares(&parts.of_basis),
            None => shares(&self.plain(side)),
        };
        let shares: Vec<Vec<f64>> = sides.iter().map(of_side).collect();
        let scaled = self.recognizer.matcher().and_then(|matcher| matcher.space().scaled());
        let basis = scaled.map_or_else(|| self.recognizer.space().basis(), |space| space.face_space().basis());
        let strength = |at: usize| match &shares[..] {
            [only] => only[at].abs(),
            [first, second] => first[at].abs().max(second[at].abs()),
            _ => 0.0,
        };
        let mut order: Vec<usize> = (0..basis.ncols()).collect();
        order.sort_by(|&a, &b| strength(b).total_cmp(&strength(a)).then(a.cmp(&b)));
        let panels = order.into_iter().take(BASIS_SHOWN).map(|at| {
            let mut lines = vec![format!("basis face {}", at + 1)];
            for (side, shares) in sides.iter().zip(&shares) {
                lines.push(format!("{}: {:.0} %", self.name(side), shares[at] * 100.0));
            }
            panel(signed(self.size, basis.column(at).as_slice()).into(), lines)
        });
        Row {
            heading: if decides {
                "What decides, by basis face: shares of the squared distance to each"
            } else {
                "Besides, by basis face: how the pixels differ, in shares of the squared distance (something else decides)"
            }
            .to_owned(),
            panels: if sides.is_empty() { Vec::new() } else { panels.collect() },
        }
    }

    /// The contribution of each basis face to the squared distance between the weights of pixels.
    fn plain(&self, side: &EvidenceFor) -> Vec<f64> {
        let other = self.recognizer.weights().column(side.face);
        self.weights.iter().zip(other.iter()).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).collect()
    }

    /// The face, tinted cell by cell: the first colour above zero, the second below.
    fn map(&self, cells: &[f64], largest: f64, (above, below): (Color, Color)) -> DynamicImage {
        let (width, height) = (self.size.width(), self.size.height());
        let map = RgbImage::from_fn(width, height, |x, y| {
            let column = x as usize * CELLS.0 / width as usize;
            let row = y as usize * CELLS.1 / height as usize;
            let value = cells.get(row * CELLS.0 + column).copied().unwrap_or(0.0);
            let strength = if largest > 0.0 { (value.abs() / largest) as f32 } else { 0.0 };
            let level = f32::from(self.pixels[(y * width + x) as usize]);
            // The face stands back, so that colours can be told on its dark parts.
            let paper = 110.0 + level * 145.0 / 255.0;
            let tint = if value > 0.0 { above } else { below };
            image::Rgb(tint.0.map(|color| {
                let mixed = paper * (1.0 - 0.85 * strength) + f32::from(color) * 0.85 * strength;
                mixed.round() as u8
            }))
        });
        map.into()
    }
}

fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().map(|value| value.abs()).fold(0.0, f64::max)
}

fn panel<S: Into<String>>(image: DynamicImage, lines: impl IntoIterator<Item = S>) -> Panel {
    Panel { image, lines: lines.into_iter().map(Into::into).collect() }
}

fn shares(parts: &[f64]) -> Vec<f64> {
    let sum: f64 = parts.iter().sum();
    parts.iter().map(|part| if sum > 0.0 { part / sum } else { 0.0 }).collect()
}

/// The share of the strongest cells in the squared distance.
fn strongest(cells: &[f64]) -> f64 {
    let mut sorted = shares(cells);
    sorted.sort_by(|a, b| b.total_cmp(a));
    sorted.iter().take(STRONGEST).sum()
}

/// The name of a file, not longer than a caption: of long ones beginning and end, where numbers stand.
fn caption(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    match letters.len() {
        0..=CAPTION => name.to_owned(),
        count => {
            let (start, end) = (&letters[..CAPTION / 2 - 1], &letters[count - CAPTION / 2..]);
            start.iter().chain(&['…']).chain(end).collect()
        }
    }
}
