//! A photo that was not learned from: projected, rebuilt, named.

use minijinja::{Value, context};

use super::clusters::signed;
use super::{Lesson, distance_from, gray, grouped, percent, tile};
use crate::error::Result;
use crate::face_space::FaceSpace;
use crate::text::counted;

const WRITTEN: usize = 5;

impl Lesson<'_> {
    /// Face space learned from all photos but the lesson's; `None` where there are fewer than two, or they are one picture.
    pub(super) fn space_of_others(&self) -> Result<Option<FaceSpace>> {
        let components = self.pca.fit(&self.gallery.faces().select(&self.others())?);
        Ok(components.ok().map(|components| FaceSpace::new(self.gallery.faces().size(), &components)))
    }

    fn others(&self) -> Vec<usize> {
        (0..self.gallery.len()).filter(|&at| at != self.shown).collect()
    }

    /// The lesson's face in the space of all other photos.
    pub(super) fn new_face(&self, space: &FaceSpace) -> Result<Value> {
        let faces = self.gallery.faces();
        let others = self.others();
        let learned = faces.select(&others)?;
        let shown = faces.select(&[self.shown])?;
        let (known, own) = (space.project(&learned), space.project(&shown));
        let squared = |at: usize| f64::from((known.column(at) - own.column(0)).norm_squared());
        let mut near: Vec<(f64, usize)> = (0..others.len()).map(|at| (squared(at), others[at])).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let person = |face: usize| self.gallery.enrolled()[face].person;
        let other = near.iter().find(|found| person(found.1) != person(near[0].1));
        let photo = |&(squared, face): &(f64, usize)| self.tile(face, format!("distance {}", grouped(squared.sqrt())));
        let weights: Vec<f32> = own.iter().copied().collect();
        let residual = space.residual(shown.face(0), &weights);
        let left_out = distance_from(space, &shown);
        let learned_into = distance_from(self.space, &shown);
        let written: Vec<String> = weights.iter().take(WRITTEN).map(|&w| signed(f64::from(w))).collect();
        let more = if weights.len() > WRITTEN { ", …" } else { "" };
        Ok(context! {
            learned => others.len(),
            weights => format!("{}{more}", written.join(", ")),
            rebuilt => tile(
                gray(faces.size(), &space.rebuild(&weights)),
                "rebuilt",
                format!("from {}", counted(weights.len(), "weight", "weights")),
            ),
            nearest => photo(&near[0]),
            second => other.map(photo),
            is_right => person(near[0].1) == person(self.shown),
            is_learned => others.iter().any(|&face| person(face) == person(self.shown)),
            // Gray levels a pixel from face space, and from the one that it was learned into.
            residual => format!("{left_out:.1}"),
            residual_learned => format!("{learned_into:.1}"),
            explained => percent(1.0 - (residual.distance / residual.from_mean.max(f64::MIN_POSITIVE)).powi(2)),
            fits_worse => left_out > learned_into,
        })
    }
}
