//! A lesson: one self-contained page for teachers that walks through the theory on given faces. Every number on it is
//! computed from them.
//!
//! The template is templates/lesson.html; it escapes whatever it is given but for the drawings, which escape their own text.

mod both_ways;
mod clusters;
mod new_face;
mod trouble;
mod weights;

use image::DynamicImage;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::drawing::data_uri;
use super::{file_name, gray, scatter, scree, signed, template};
use crate::dataset::visible;
use crate::decision::share as percent;
use crate::error::{Error, PcaError, Result};
use crate::face_matrix::FaceMatrix;
use crate::face_space::{FaceSpace, Weights};
use crate::gallery::Gallery;
use crate::matcher::Space;
use crate::pca::Pca;
use crate::recognizer::Recognizer;
use crate::reconstruction::{Reconstruction, Steps, default_steps};
use crate::text::counted;

/// Basis faces shown, photos shown as the nearest, people on the map, and pixels in each direction of the table.
const BASIS_SHOWN: usize = 8;
const NEAREST_SHOWN: usize = 4;
const PEOPLE_SHOWN: usize = 12;
const PATCH: u32 = 6;

const TEMPLATE: &str = include_str!("../../../templates/lesson.html");

/// A picture, what it is called, and what is said of it.
fn tile(image: impl Into<DynamicImage>, name: impl Into<String>, note: impl Into<String>) -> Value {
    context! { picture => picture(image.into()), name => name.into(), note => note.into() }
}

/// The page as HTML, on the faces of this recogniser.
///
/// # Errors
/// One face alone, which has no variance; [`Error::Inconsistent`] where the parts do not belong together.
pub fn html(recognizer: &Recognizer) -> Result<String> {
    let gallery = recognizer.gallery();
    let space = recognizer.space();
    if gallery.len() < 2 {
        return Err(PcaError::TooFewFaces(gallery.len()).into());
    }
    if space.components() == 0 {
        return Err(Error::Inconsistent);
    }
    let lesson = Lesson {
        gallery,
        space,
        weights: space.project(gallery.faces()),
        shown: chosen(gallery),
        pca: recognizer.settings().pca,
    };
    template::rendered(TEMPLATE, lesson.page()?)
}

/// The face that the lesson is about: the first of the middle one of those people who have two photos or more.
fn chosen(gallery: &Gallery) -> usize {
    let counts = gallery.counts();
    let several: Vec<usize> = (0..counts.len()).filter(|&at| counts[at] > 1).collect();
    let person = several.get(several.len() / 2).copied().unwrap_or(0);
    (0..gallery.len()).find(|face| gallery.enrolled()[*face].person == person).unwrap_or(0)
}

struct Lesson<'a> {
    gallery: &'a Gallery,
    space: &'a FaceSpace,
    /// Of all faces, k x n.
    weights: Weights,
    shown: usize,
    pca: Pca,
}

impl Lesson<'_> {
    fn page(&self) -> Result<Value> {
        let (gallery, space) = (self.gallery, self.space);
        let size = space.size();
        let mean = self.mean();
        let ratios = space.variance_ratios();
        let people = gallery.people().len();
        // Over n faces, as `info` has it; the eigenvalues are over n - 1.
        let total = space.projection_error(gallery.faces()).total_variation;
        let steps = self.steps();
        let (right, tried) = self.recognised();
        let space_of_others = self.space_of_others()?;
        let (left, top) = (size.width() / 4, size.height() * 2 / 5);
        let levels = gallery.faces().face(self.shown).iter();
        let difference: Vec<f32> = levels.zip(&mean).map(|(&level, mean)| f32::from(level) - mean).collect();
        Ok(context! {
            heading => format!("{} of {}", counted(gallery.len(), "face", "faces"), counted(people, "person", "people")),
            size => format!("{} x {}", size.width(), size.height()),
            pixels => size.pixels(),
            faces => gallery.len(),
            face => self.tile(self.shown, visible(&file_name(&gallery.enrolled()[self.shown].source))),
            patch => Serde(self.patch(left, top)),
            patch_place => format!("{PATCH} x {PATCH} pixels, {left} from the left and {top} from the top, near an eye"),
            difference => picture(signed(size, &difference).into()),
            variance => grouped(total),
            deviation => format!("{:.1}", (total / size.pixels() as f64).sqrt()),
            mean => picture(gray(size, &mean).into()),
            first_share => percent(ratios.first().copied().unwrap_or(0.0)),
            kept => space.components(),
            kept_share => percent(space.variance_kept()),
            basis => self.basis(&ratios),
            walk => self.walk(&mean),
            both_ways => self.both_ways()?,
            eigenvalues => self.eigenvalues(&ratios),
            shares => self.shares(&ratios),
            total_variance => grouped(space.total_variance()),
            by_weight => self.weight_by_weight(&mean),
            clusters => self.clusters(),
            new_face => space_of_others.as_ref().map(|space| self.new_face(space)).transpose()?,
            trouble => self.trouble()?,
            scree => scree("basis face", &ratios, space.components()),
            last_step => steps.len().saturating_sub(1),
            steps,
            map_note => if people > PEOPLE_SHOWN { format!(" (the first {PEOPLE_SHOWN} people)") } else { String::new() },
            other_weights => match space.components().saturating_sub(2) {
                0 => String::new(),
                1 => "weight".to_owned(),
                count => format!("{count} weights"),
            },
            scatter => self.scatter(&ratios),
            nearest => self.nearest(),
            right,
            tried,
            people,
            no_faces => self.no_faces(space_of_others.as_ref().unwrap_or(space))?,
            version => env!("CARGO_PKG_VERSION"),
        })
    }

    fn mean(&self) -> Vec<f32> {
        self.space.mean().iter().map(|&level| level as f32).collect()
    }

    fn name(&self, face: usize) -> String {
        self.gallery.people()[self.gallery.enrolled()[face].person].to_string()
    }

    fn tile(&self, face: usize, note: String) -> Value {
        tile(self.gallery.faces().image(face).unwrap_or_default(), self.name(face), note)
    }

    fn patch(&self, left: u32, top: u32) -> Vec<Vec<u8>> {
        let face = self.gallery.faces().face(self.shown);
        let width = self.space.size().width();
        let row = |y: u32| {
            let start = (y * width + left) as usize;
            face.get(start..(start + PATCH as usize).min(face.len())).unwrap_or_default().to_vec()
        };
        (top..top + PATCH).map(row).collect()
    }

    fn basis(&self, ratios: &[f64]) -> Vec<Value> {
        let tiles = (1..).zip(self.space.basis().column_iter().zip(ratios)).take(BASIS_SHOWN);
        tiles
            .map(|(number, (column, ratio))| {
                let face = signed(self.space.size(), column.as_slice());
                tile(face, format!("basis face {number}"), format!("{} of the variance", percent(*ratio)))
            })
            .collect()
    }

    /// The mean face, and what lies two standard deviations from it along the first basis face.
    fn walk(&self, mean: &[f32]) -> Vec<Value> {
        let spread = self.space.eigenvalues().first().copied().unwrap_or(0.0).sqrt() as f32;
        let step = |(steps, name): (f32, &str)| {
            let direction = self.space.basis().column(0);
            let levels = mean.iter().zip(direction.iter());
            let levels: Vec<f32> = levels.map(|(mean, direction)| mean + steps * spread * direction).collect();
            tile(gray(self.space.size(), &levels), name, "")
        };
        [(-2.0, "two back"), (0.0, "the mean face"), (2.0, "two forward")].map(step).into()
    }

    fn steps(&self) -> Vec<Value> {
        let space = Space::Linear(std::sync::Arc::new(self.space.clone()));
        let steps = default_steps(self.space.components());
        let weights: Vec<f32> = self.weights.column(self.shown).iter().copied().collect();
        let wanted = Steps { weights: &weights, steps: &steps };
        let original: Vec<f32> = self.gallery.faces().face(self.shown).iter().map(|&level| f32::from(level)).collect();
        let rebuilt = Reconstruction::of_faces(&space, &[wanted]).into_iter().flatten();
        rebuilt
            .map(|step| {
                let error = step.error(self.space.mean().as_slice(), &original);
                let (off, explained) = (error.rms, percent(error.explained));
                let name = match step.components {
                    0 => "K = 0: the mean face".to_owned(),
                    count => format!("K = {count}"),
                };
                let note = format!("off by {off:.1} gray levels, {explained} of the difference explained");
                tile(gray(self.space.size(), &step.levels), name, note)
            })
            .collect()
    }

    fn scatter(&self, ratios: &[f64]) -> String {
        let names = self.gallery.people().iter().take(PEOPLE_SHOWN).map(ToString::to_string);
        scatter::of_gallery(self.gallery, &self.weights, ("basis face", ratios), names)
    }

    fn distance(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (self.weights.column(a), self.weights.column(b));
        a.iter().zip(b.iter()).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt()
    }

    fn nearest(&self) -> Vec<Value> {
        let others = (0..self.gallery.len()).filter(|&other| other != self.shown);
        let mut others: Vec<(f64, usize)> = others.map(|other| (self.distance(self.shown, other), other)).collect();
        others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let tile = |(distance, face)| self.tile(face, format!("distance {}", grouped(distance)));
        others.into_iter().take(NEAREST_SHOWN).map(tile).collect()
    }

    /// Photos whose nearest other photo shows the same person, and all whose person has another photo.
    fn recognised(&self) -> (usize, usize) {
        let counts = self.gallery.counts();
        let person = |face: usize| self.gallery.enrolled()[face].person;
        let tried: Vec<usize> = (0..self.gallery.len()).filter(|&face| counts[person(face)] > 1).collect();
        let is_right = |face: &&usize| {
            let nearest = (0..self.gallery.len())
                .filter(|other| other != *face)
                .min_by(|&a, &b| self.distance(**face, a).total_cmp(&self.distance(**face, b)));
            nearest.map(person) == Some(person(**face))
        };
        (tried.iter().filter(is_right).count(), tried.len())
    }

    /// The face as it is, upside down, and with its pixels in another order: each with its distance from a face space.
    fn no_faces(&self, space: &FaceSpace) -> Result<Vec<Value>> {
        let face = self.gallery.faces().face(self.shown).to_vec();
        let upside_down: Vec<u8> = face.iter().rev().copied().collect();
        let shuffled: Vec<u8> = order(face.len()).map(|at| face[at]).collect();
        let other = |(pixels, name): (Vec<u8>, &str)| -> Result<Value> {
            let matrix = FaceMatrix::from_pixels(self.space.size(), pixels)?;
            let a_pixel = distance_from(space, &matrix);
            let note = format!("{a_pixel:.1} gray levels a pixel from face space");
            Ok(tile(matrix.image(0).unwrap_or_default(), name, note))
        };
        [(face, "the face"), (upside_down, "upside down"), (shuffled, "the same pixels, mixed up")]
            .into_iter()
            .map(other)
            .collect()
    }
}

/// The distance of a picture (a matrix of one face) from a face space, in gray levels a pixel.
fn distance_from(space: &FaceSpace, picture: &FaceMatrix) -> f64 {
    let residual = space.residual(picture.face(0), space.project(picture).as_slice());
    residual.distance / (picture.size().pixels() as f64).sqrt()
}

/// Every position below `count` once, far from its neighbours: steps of about the golden section.
fn order(count: usize) -> impl Iterator<Item = usize> {
    let golden = (count as f64 * 0.618) as usize;
    let step = (golden.max(1)..=count.max(1)).find(|&step| common_divisor(step, count) == 1).unwrap_or(1);
    (0..count).map(move |at| at * step % count)
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

fn picture(image: DynamicImage) -> String {
    data_uri(&image)
}

/// A whole number with its thousands apart.
fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_mixed_up_and_none_is_lost() {
        for count in [1, 2, 64, 4736, 10304] {
            let mut all: Vec<usize> = order(count).collect();
            all.sort_unstable();
            assert_eq!(all, (0..count).collect::<Vec<_>>(), "{count}");
        }
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(grouped(1_234_567.4), "1,234,567");
        assert_eq!(grouped(999.0), "999");
        assert_eq!(grouped(0.0), "0");
    }
}
