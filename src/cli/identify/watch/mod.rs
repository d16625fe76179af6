//! `--watch`: photos are identified as they come.

mod folders;
mod moments;

use std::path::PathBuf;

use eigenfaces::dataset::{self, PhotoFile};

use super::BATCH;
use super::report::Report;
use crate::cli::Result;
pub use folders::Watched;
use moments::{Moment, moments};

/// Identifies photos that came together, and tells of each moment.
/// Errors: results that cannot be printed; when the program itself is damaged.
pub fn look(photos: &[PathBuf], report: &Report<'_>) -> Result<()> {
    let preparation = report.recognizer.preparation();
    let ready = |_: &PathBuf, file: &PhotoFile| report.faces(file);
    dataset::stream_each(photos, BATCH, ready, &|_| {}, |batches| {
        for (photos, ready) in photos.chunks(BATCH.get()).zip(batches) {
            let (mut usable, mut prepared) = (Vec::new(), Vec::new());
            for (photo, ready) in photos.iter().zip(ready) {
                match ready {
                    Ok(faces) => {
                        usable.push(photo.clone());
                        prepared.push(faces);
                    }
                    Err(problem) => report.problem(photo, &problem)?,
                }
            }
            let identify = |faces: &[_]| {
                let (gallery, recognizer) = (report.gallery, report.recognizer);
                gallery.identify_prepared(recognizer, faces, report.query)
            };
            let alone = identify(&prepared)?;
            let frames = usable.into_iter().zip(prepared).collect();
            let moments = moments(preparation, frames, &alone)?;
            let faces: Vec<_> = moments.iter().map(Moment::faces).collect();
            let found = identify(&faces)?;
            for (moment, found) in moments.iter().zip(&found) {
                report.moment(&moment.photos, found)?;
            }
        }
        Ok(())
    })
}
