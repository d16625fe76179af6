//! Faces that are added: written down at once, and learned together soon after.

use std::sync::Arc;
use std::time::{Duration, Instant};

use eigenfaces::dataset::{ContentHash, Person};
use eigenfaces::enrollment::PhotoFaces;
use eigenfaces::gallery::LabeledFace;
use eigenfaces::model::{Plan, Step};
use eigenfaces::store::Addition;
use eigenfaces::{FaceChoice, Model, Photo};

use super::Service;
use super::changes::Changes;
use super::progress::Progress;
use super::snapshot::Snapshot;
use crate::cli::error::Result;
use crate::cli::model_changes;
use crate::server::failure::{Answer, Failure};
use crate::server::locked;
use crate::server::workers::Background;

/// Pause after the last added face before all are learned together.
const BURST: Duration = Duration::from_millis(300);

/// Whoever asks waits until faces that were added are learned, if the first of them came no longer ago than this. Where
/// learning takes longer, or faces are added all the time, nobody waits for it.
const LEARNING: Duration = Duration::from_secs(2);

impl Service {
    /// The gallery with all that was added, unless a job is changing it, learning fails, or takes long: then without.
    pub async fn up_to_date(self: &Arc<Self>) -> Snapshot {
        let mut progress = self.progress.subscribe();
        let now = *progress.borrow();
        let waited = now.since.map_or(Duration::ZERO, |since| since.elapsed());
        if let (false, Some(left)) = (now.is_ready(), LEARNING.checked_sub(waited)) {
            self.learn_after(Duration::ZERO);
            let learned = progress.wait_for(Progress::is_ready);
            let _ = tokio::time::timeout(left, learned).await;
        }
        self.snapshot()
    }

    /// Adds the main face of a photo. It is on disk when this returns, and learned soon after. `refuse` looks at the
    /// faces that were found. Returns the hash by which the face is known.
    ///
    /// # Errors
    /// A photo without a face, or that was refused; it is enrolled as somebody else; a disk that is full.
    pub async fn add_soon(
        self: &Arc<Self>,
        person: Person,
        photo: Photo,
        refuse: impl Fn(&PhotoFaces) -> Answer<()> + Send + Sync + 'static,
    ) -> Answer<ContentHash> {
        let (photo, refuse) = (Arc::new(photo), Arc::new(refuse));
        loop {
            let snapshot = self.snapshot();
            let (person, photo, refuse) = (person.clone(), Arc::clone(&photo), Arc::clone(&refuse));
            if snapshot.varied().is_none() {
                // The model is made, or has one face.
                let change = move |model: Option<&Model>| {
                    let preparation = Model::preparation(model);
                    let faces = PhotoFaces::of(&preparation, &photo)?;
                    refuse(&faces)?;
                    let face = main_face(&faces, &person)?;
                    Ok(Plan::of_face(face, preparation, Step::Own, model)?)
                };
                return Ok(self.change(None, change).await?.0);
            }
            let added = self.work(move |service| {
                let preparation = snapshot.preparation();
                let faces = PhotoFaces::of(&preparation, &photo)?;
                refuse(&faces)?;
                let face = main_face(&faces, &person)?;
                service.write_down(Addition { preparation, face })
            });
            if let Some(hash) = added.await? {
                self.learn_after(BURST);
                return Ok(hash);
            }
        }
    }

    /// Writes a face into the journal, unless its photo is there. Returns the hash by which the face is known; none where the
    /// gallery takes faces that are prepared otherwise by now.
    fn write_down(&self, addition: Addition) -> Answer<Option<ContentHash>> {
        let mut journal = locked(&self.journal);
        if self.progress.borrow().is_ending {
            return Err(Failure::ending());
        }
        let snapshot = self.snapshot();
        let Some(model) = snapshot.varied() else {
            return Ok(None);
        };
        if !snapshot.preparation().agrees_with(&addition.preparation) {
            return Ok(None);
        }
        let face = &addition.face;
        let enrolled = model.gallery().photo_of(face);
        let enrolled = enrolled.map(|photo| (photo.person, photo.hash));
        let mut added = journal.additions().iter().rev();
        let added = added.find(|other| other.face.is_of_photo(face));
        let added = added.map(|other| (other.face.person.clone(), other.face.hash));
        let hash = match enrolled.or(added) {
            Some((person, hash)) if person == face.person => hash,
            Some((person, _)) => {
                let person = person.to_string();
                return Err(eigenfaces::Error::PhotoOfOther { person }.into());
            }
            None => {
                let hash = face.hash;
                journal.add(addition)?;
                hash
            }
        };
        let unlearned = journal.additions().len();
        self.progress.send_modify(|progress| {
            progress.unlearned = unlearned;
            progress.added += 1;
            progress.since.get_or_insert_with(Instant::now);
            progress.has_failed = false;
        });
        Ok(Some(hash))
    }

    /// Learns what was added, after a pause in which nothing more is added, or when it has waited long enough.
    pub(super) fn learn_after(self: &Arc<Self>, pause: Duration) {
        let service = Arc::clone(self);
        tokio::spawn(async move {
            let added = service.progress.borrow().added;
            tokio::time::sleep(pause).await;
            if !service.progress.borrow().is_due(added) {
                return;
            }
            let mut changes = Arc::clone(&service.changes).lock_owned().await;
            // They may have been learned while this waited for its turn.
            if !service.progress.borrow().is_due(added) {
                return;
            }
            let learner = Arc::clone(&service);
            let work = move || Ok(learner.learn_additions(&mut changes)?);
            // What fails now fails the next change, which tells of it.
            if let Err(failure) = service.workers.behind(Background::Change, work).await {
                service.output.warn(&format!(
                    "faces that were added cannot be learned and stay in the journal: {}",
                    failure.message
                ));
                let failed = |progress: &mut Progress| progress.has_failed = true;
                service.progress.send_modify(failed);
            }
        });
    }

    pub(super) fn learn_additions(&self, changes: &mut Changes) -> Result<()> {
        let additions = locked(&self.journal).additions().to_vec();
        if additions.is_empty() {
            return Ok(());
        }
        let (before, begun) = (self.snapshot().model, Instant::now());
        let (model, disputes) = Model::with_additions(before.as_deref().cloned(), &additions)?;
        model_changes::report_disputes(&disputes, &self.file, &self.output);
        // Others may have been added by a change made meanwhile.
        let added = faces_of(model.as_ref()).saturating_sub(faces_of(before.as_deref()));
        if added > 0 {
            self.keep(changes, model.map(Arc::new))?;
        }
        let mut journal = locked(&self.journal);
        journal.forget(additions.len())?;
        let unlearned = journal.additions().len();
        self.progress.send_modify(|progress| {
            progress.unlearned = unlearned;
            progress.since = (unlearned > 0).then_some(begun);
            progress.has_failed = false;
        });
        Ok(())
    }
}

fn faces_of(model: Option<&Model>) -> usize {
    model.map_or(0, |model| model.gallery().len())
}

fn main_face(faces: &PhotoFaces, person: &Person) -> Answer<LabeledFace> {
    let at = faces.position(FaceChoice::Main)?;
    let face = faces.labeled(at, person, "");
    Ok(face.ok_or(eigenfaces::error::PhotoProblem::NoFace)?)
}
