//! Faces that clients add one by one: whoever's turn it is has all that came meanwhile learned together.

use std::sync::Arc;

use eigenfaces::dataset::{ContentHash, Person};
use eigenfaces::enrollment::PhotoFaces;
use eigenfaces::error::{Error, PhotoProblem};
use eigenfaces::gallery::LabeledFace;
use eigenfaces::model::{Edit, Plan, Step};
use eigenfaces::preparation::Preparation;
use eigenfaces::{FaceChoice, Model, Photo};

use super::Service;
use crate::server::failure::{Answer, Failure};
use crate::server::locked;

/// Faces that have arrived and are not learned, in order.
pub(super) type Arrivals = Vec<Arc<Prepared>>;

type Prepared = (Preparation, LabeledFace);

/// A face among the arrivals; none of them when dropped.
struct Arrival<'a> {
    service: &'a Service,
    face: Arc<Prepared>,
}

impl Drop for Arrival<'_> {
    fn drop(&mut self) {
        locked(&self.service.arrivals).retain(|face| !Arc::ptr_eq(face, &self.face));
    }
}

impl Service {
    /// Adds the main face of a photo; it is in the model file when this returns. `refuse` looks at the faces that were found.
    /// Returns the hash by which the face is known.
    /// Errors: a photo without a face, or that was refused; it is enrolled as somebody else; those of [`change`](Self::change).
    pub async fn add(
        self: &Arc<Self>,
        person: Person,
        photo: Photo,
        refuse: impl FnOnce(&PhotoFaces) -> Answer<()> + Send + 'static,
    ) -> Answer<ContentHash> {
        let prepare = move |service: &Self| {
            let preparation = service.snapshot().preparation();
            let faces = PhotoFaces::of(&preparation, &photo)?;
            refuse(&faces)?;
            let face = faces.labeled(faces.position(FaceChoice::Main)?, &person, "");
            Ok((preparation, face.ok_or(PhotoProblem::NoFace)?))
        };
        let face = Arc::new(self.work(prepare).await?);
        locked(&self.arrivals).push(Arc::clone(&face));
        let arrival = Arrival { service: self, face };
        let service = Arc::clone(self);
        let change = move |model: Option<&Model>| {
            let preparation = Model::preparation(model);
            // Each stays until its own turn: where this one fails, it is tried again.
            let arrived = locked(&service.arrivals).clone();
            let fitting = arrived.iter().filter(|face| preparation.agrees_with(&face.0));
            let faces = fitting.map(|face| face.1.clone()).collect();
            Ok((Plan::of(Edit::Faces(preparation, faces, Step::Own), model, &())?, ()))
        };
        let (_, state) = self.change(None, change).await?;
        let face = &arrival.face.1;
        match state.model()?.gallery().photo_of(face) {
            Some(photo) if photo.person == face.person => Ok(photo.hash),
            Some(photo) => Err(Error::PhotoOfOther { person: photo.person.to_string() }.into()),
            None => Err(Failure::conflict("the gallery was changed meanwhile: send the photo again")),
        }
    }
}
