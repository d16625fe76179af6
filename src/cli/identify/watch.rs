//! `--watch`: photos are identified as they come, and frames of one moment are judged together: what one of them shows by
//! chance, the others do not.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use eigenfaces::background::{self, Background, ONE_MOMENT};
use eigenfaces::dataset::{self, PhotoFile};
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::locate::detect::overlap;
use eigenfaces::preparation::{Preparation, PreparedFace};
use eigenfaces::recognizer::Identification;

use super::BATCH;
use super::report::Reporter;
use crate::cli::webhook::Webhook;
use crate::cli::{Output, Result, counted};

/// Photos that came and have not been told of.
static LEFT: AtomicUsize = AtomicUsize::new(0);

/// The end of watching: says how many photos came that nothing was told of, and gives results a moment to be posted.
pub fn end(webhook: Option<&Webhook>, output: &Output) {
    if let left @ 1.. = LEFT.load(Ordering::SeqCst) {
        output.warn(&format!(
            "{} not looked at: once started again the program leaves what is there alone",
            counted(left, "photo that came was", "photos that came were")
        ));
    }
    webhook.into_iter().for_each(|webhook| webhook.end(output));
}

/// Identifies photos that came together, and tells of each moment. What cannot be printed is posted all the same.
/// Errors: results that cannot be printed; when the program itself is damaged.
pub fn look(photos: &[PathBuf], report: &Reporter<'_>) -> Result<()> {
    LEFT.store(photos.len(), Ordering::SeqCst);
    let preparation = report.recognizer.preparation();
    let ready = |_: &PathBuf, file: &PhotoFile| report.faces(file);
    dataset::stream_each(photos, BATCH, ready, &|_| {}, |batches| {
        for (photos, ready) in photos.chunks(BATCH.get()).zip(batches) {
            let (mut usable, mut prepared, mut printed) = (Vec::new(), Vec::new(), Ok(()));
            for (photo, ready) in photos.iter().zip(ready) {
                match ready {
                    Ok(faces) => {
                        usable.push(photo.clone());
                        prepared.push(faces);
                    }
                    Err(problem) => {
                        printed = printed.and(report.unusable(photo, &problem));
                        LEFT.fetch_sub(1, Ordering::SeqCst);
                    }
                }
            }
            let identify = |faces: &[_]| report.gallery.identify_prepared(report.recognizer, faces, report.query);
            let alone = identify(&prepared)?;
            let moments = moments(preparation, usable.into_iter().zip(prepared).collect(), &alone)?;
            let faces: Vec<_> = moments.iter().map(Moment::faces).collect();
            let found = identify(&faces)?;
            for (moment, found) in moments.iter().zip(&found) {
                printed = printed.and(report.moment(&moment.photos, found));
                LEFT.fetch_sub(moment.photos.len(), Ordering::SeqCst);
            }
            printed?;
        }
        Ok(())
    })
}

/// Minimum intersection over union of two boxes in one place.
const OVERLAP: f32 = 0.5;

/// Two faces that a camera sees in one place within seconds are frames of one moment where they differ by less than this, in
/// terms of two photos of one person: noise makes frames differ by more than [`ONE_MOMENT`]. Frames of
/// bursts with noise differ by 0.3 to 1.2, and two people by 1.4 or more (docs/notebook/recognition.md).
const SAME_PLACE: f64 = 1.0;

/// Photos of which all faces are frames of those of the first.
pub struct Moment {
    pub photos: Vec<PathBuf>,
    faces: Vec<Frames>,
}

/// A face of a moment's first photo, and its other frames.
struct Frames {
    /// Cluster index: see [`cluster_indices`].
    cluster: usize,
    face: PreparedFace,
    /// The pixels of all frames, added up.
    sum: Vec<u32>,
    count: u32,
}

impl Frames {
    fn of((cluster, face): (usize, PreparedFace)) -> Self {
        Self { cluster, sum: face.pixels.iter().copied().map(u32::from).collect(), face, count: 1 }
    }

    fn add(&mut self, face: &PreparedFace) {
        self.sum.iter_mut().zip(&face.pixels).for_each(|(sum, &pixel)| *sum += u32::from(pixel));
        self.count += 1;
    }

    /// The face in the first photo, with the mean of all frames for its pixels.
    fn mean(&self) -> PreparedFace {
        let mean = |&sum: &u32| ((sum + self.count / 2) / self.count) as u8;
        PreparedFace { pixels: self.sum.iter().map(mean).collect(), ..self.face.clone() }
    }
}

impl Moment {
    pub fn faces(&self) -> Vec<PreparedFace> {
        self.faces.iter().map(Frames::mean).collect()
    }

    /// Adds a photo if all its faces are frames of these; returns it otherwise.
    fn take(&mut self, photo: Photo) -> Option<Photo> {
        let own = |(cluster, _): &(usize, PreparedFace)| self.faces.iter().any(|face| face.cluster == *cluster);
        if photo.faces.is_empty() || !photo.faces.iter().all(own) {
            return Some(photo);
        }
        self.photos.push(photo.path);
        for (cluster, face) in &photo.faces {
            if let Some(frames) = self.faces.iter_mut().find(|own| own.cluster == *cluster) {
                frames.add(face);
            }
        }
        None
    }
}

/// A photo with its faces, each with its cluster index (same person, same burst).
struct Photo {
    path: PathBuf,
    faces: Vec<(usize, PreparedFace)>,
}

/// The cluster index of each face of these photos, in order (same person, same burst); `found` are the identifications of each
/// photo by itself.
fn cluster_indices(
    preparation: &Preparation,
    photos: &[(PathBuf, Vec<PreparedFace>)],
    found: &[Vec<Identification>],
) -> Result<Vec<usize>> {
    let pixels = photos.iter().flat_map(|(_, faces)| faces).flat_map(|face| face.pixels.iter().copied());
    let faces = FaceMatrix::from_pixels(preparation.size(), pixels.collect()).map_err(eigenfaces::Error::from)?;
    let background = Background::bundled()?;
    let mut clusters = vec![0; faces.len()];
    let places: Vec<(Option<&Path>, Option<[f32; 4]>)> = photos
        .iter()
        .flat_map(|(path, faces)| {
            let place = |face: &PreparedFace| face.region.location().map(|found| found.bounds);
            faces.iter().map(move |face| (path.parent(), place(face)))
        })
        .collect();
    let names: Vec<Option<&str>> = found.iter().flatten().map(Identification::name).collect();
    let is_one = |one: usize, other: usize, difference: f64| {
        // Two faces with different names are no frames of one face.
        if names[one].is_some() && names[other].is_some() && names[one] != names[other] {
            return false;
        }
        let [(folder, one), (other_folder, other)] = [one, other].map(|at| places[at]);
        let limit = match (one, other) {
            (Some(one), Some(other)) if folder == other_folder && overlap(one, other) > OVERLAP => SAME_PLACE,
            _ => ONE_MOMENT,
        };
        difference < limit
    };
    let frames = background::frames(background, &background.coordinates(&faces), is_one);
    for (cluster, frames) in frames.iter().enumerate() {
        frames.iter().for_each(|&at| clusters[at] = cluster);
    }
    Ok(clusters)
}

/// Photos that came together, by moment, in the order of their first photos: of those of a moment the ones that show most faces.
/// `found` is what each photo's faces show by themselves: frames that name two people are of two moments.
pub fn moments(
    preparation: &Preparation,
    photos: Vec<(PathBuf, Vec<PreparedFace>)>,
    found: &[Vec<Identification>],
) -> Result<Vec<Moment>> {
    let mut clusters = cluster_indices(preparation, &photos, found)?.into_iter();
    let clustered =
        photos.into_iter().map(|(path, faces)| Photo { path, faces: clusters.by_ref().zip(faces).collect() });
    let mut clustered: Vec<Photo> = clustered.collect();
    clustered.sort_by_key(|photo| Reverse(photo.faces.len()));
    let mut moments: Vec<Moment> = Vec::new();
    for photo in clustered {
        if let Some(Photo { path, faces }) = moments.iter_mut().try_fold(photo, |photo, moment| moment.take(photo)) {
            moments.push(Moment { photos: vec![path], faces: faces.into_iter().map(Frames::of).collect() });
        }
    }
    moments.sort_by(|a, b| eigenfaces::dataset::natural::paths(&a.photos[0], &b.photos[0]));
    Ok(moments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_that_lie_on_each_other_are_one_place() {
        let own = [10.0, 10.0, 20.0, 20.0];
        for (other, share) in [
            (own, 1.0),
            ([20.0, 10.0, 20.0, 20.0], 1.0 / 3.0),
            ([30.0, 10.0, 20.0, 20.0], 0.0),
            ([90.0, 90.0, 5.0, 5.0], 0.0),
            ([15.0, 15.0, 10.0, 10.0], 0.25),
        ] {
            assert!((overlap(own, other) - share).abs() < 1e-6, "{other:?}");
            assert_eq!(overlap(own, other), overlap(other, own));
        }
        assert_eq!(overlap([0.0; 4], [0.0; 4]), 0.0);
    }
}
