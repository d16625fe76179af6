//! Enrolling photos that are in memory: what a program has that keeps its photos elsewhere than in folders.

use rayon::prelude::*;

use super::{Edit, Model, Options, Plan, Step, photo};
use crate::dataset::{Person, Photo};
use crate::error::{Error, Result};
use crate::gallery::LabeledFace;

impl Model {
    /// Enrols photos under names. `options.labels` takes no part. A photo that is there twice counts once.
    ///
    /// # Errors
    /// The first photo that cannot be used, by its number from 0; one photo under two names; faces that are all
    /// alike (one is enough).
    pub fn enroll_photos(photos: &[(Person, Photo)], options: &Options) -> Result<Self> {
        let shown: Vec<&Photo> = photos.iter().map(|(_, photo)| photo).collect();
        let chosen = options.preparation.choose_for(&shown)?;
        let prepared: Vec<_> =
            photos.par_iter().map(|(_, photo)| chosen.prepare(photo.content_hash(), || Ok(photo.luma()))).collect();
        let mut faces = Vec::with_capacity(photos.len());
        for (at, ((person, photo), face)) in photos.iter().zip(prepared).enumerate() {
            let face = face.map_err(|problem| Error::photo(photo::number(at), problem))?;
            faces.push(LabeledFace::new(person.clone(), "", photo.content_hash(), face));
        }
        let plan = Plan::of(Edit::Faces(chosen.preparation, faces, Step::Own), None, &())?;
        if let Some(dispute) = plan.outcome.repeats.disputed.first() {
            return Err(Error::PhotoOfOther { person: dispute.other_person.to_string() });
        }
        plan.learn(None, None, options.settings)
    }
}
