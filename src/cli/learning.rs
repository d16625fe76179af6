//! From folders to faces to a recogniser: shared by `enroll` and `identify --faces`.

use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap::error::ErrorKind;
use eigenfaces::dataset::{self, Dataset, LabelRule, LabeledPhoto, Limits, PhotoFile, Skipped};
use eigenfaces::error::{Error, PhotoProblem, Result};
use eigenfaces::face_matrix::FaceSize;
use eigenfaces::gallery::LabeledFace;
use eigenfaces::normalize::resize::{self, Shape};
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::Settings;

use super::args::{Cli, Learn};
use super::output::{Output, counted, shown};

impl Learn {
    /// Ends with a usage error where an option of learning was given although nothing is learned.
    pub fn refuse_given(&self, without: &str) {
        let given = [
            ("--size", self.size.is_some()),
            ("--components", self.components.is_some()),
            ("--solver", self.solver.is_some()),
            ("--metric", self.metric.is_some()),
            ("--clusters", self.clusters.is_some()),
        ];
        if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
            let message = format!(
                "{option} is an option of learning: a model is used as it was learned; give {without} too"
            );
            Cli::command()
                .error(ErrorKind::MissingRequiredArgument, message)
                .exit();
        }
    }

    /// The library's settings: what the user gave, over what a model already has or the defaults.
    pub fn settings(&self, otherwise: Settings) -> Settings {
        Settings {
            components: self.components.unwrap_or(otherwise.components),
            solver: self.solver.unwrap_or(otherwise.solver),
            metric: self.metric.unwrap_or(otherwise.metric),
            clusters: self.clusters.unwrap_or(otherwise.clusters),
        }
    }
}

/// Faces made ready from labelled folders.
pub struct Collected {
    pub preparation: Preparation,
    pub faces: Vec<LabeledFace>,
    pub skipped: Vec<Skipped>,
    /// Photos of another shape than the model's faces, which lost their edges.
    pub cropped: usize,
}

/// Lists, reads and prepares the photos. The size is the given one or is chosen from the photos.
pub fn collect(
    roots: &[PathBuf],
    labels: &LabelRule,
    preparation: Option<Preparation>,
    learn: &Learn,
    output: &Output,
) -> Result<Collected> {
    for root in roots {
        // A pipe can be read once only, and photos are looked at twice.
        let special = root
            .metadata()
            .is_ok_and(|about| !about.is_dir() && !about.is_file());
        if special {
            let reason = "it is a pipe or device, not a photo or folder".to_owned();
            return Err(Error::UnreadablePath {
                path: root.clone(),
                reason,
            });
        }
    }
    let listing = dataset::list_labeled(roots, labels)?;
    let mut skipped = listing.skipped;
    let preparation = match (preparation, learn.size) {
        (Some(preparation), _) => preparation,
        (None, Some(size)) => Preparation::new(size),
        (None, None) => Preparation::new(chosen_size(&listing.photos, roots, &skipped, output)?),
    };
    let progress = output.progress(listing.photos.len(), "reading photos");
    let prepared = dataset::load(
        &listing.photos,
        &Limits::default(),
        |photo: &LabeledPhoto, file| {
            let face = preparation.prepare(&file.decode()?)?;
            let labeled = LabeledFace {
                person: photo.person.clone(),
                source: photo.path.to_string_lossy().into_owned(),
                hash: file.content_hash(),
                pixels: face.pixels,
            };
            Ok((labeled, face.fit))
        },
        &|done| progress.reach(done),
    );
    drop(progress);
    let Dataset {
        items,
        skipped: unusable,
    } = prepared;
    skipped.extend(unusable);
    let cropped = items
        .iter()
        .filter(|(_, fit)| fit.shape == Shape::Cropped)
        .count();
    let faces = items.into_iter().map(|(face, _)| face).collect();
    Ok(Collected {
        preparation,
        faces,
        skipped,
        cropped,
    })
}

/// The size of faces that suits the photos.
pub fn chosen_size<P: AsRef<Path> + Sync>(
    photos: &[P],
    roots: &[PathBuf],
    skipped: &[Skipped],
    output: &Output,
) -> Result<FaceSize> {
    if let Some(size) = resize::choose_size(&dataset::photo_sizes(photos)) {
        return Ok(size);
    }
    // Not one photo can be used: say why of each.
    let limits = Limits::default();
    let read = |_: &P, file: &PhotoFile| {
        let (width, height) = file.decode()?.dimensions();
        Err::<(), _>(PhotoProblem::TooSmall {
            width,
            height,
            min: FaceSize::MIN_SIDE,
        })
    };
    let unusable = dataset::load(photos, &limits, read, &|_| {}).skipped;
    report_skipped(skipped, output);
    report_skipped(&unusable, output);
    Err(Error::NoneUsable {
        path: roots.first().cloned().unwrap_or_default(),
        count: skipped.len() + unusable.len(),
    })
}

/// Names every skipped file with its reason.
pub fn report_skipped(skipped: &[Skipped], output: &Output) {
    for skip in skipped {
        output.warn(&format!("skipped {}: {}", shown(&skip.path), skip.problem));
    }
}

/// One line about photos that lost their edges, if any did.
pub fn report_cropped(collected: &Collected, output: &Output) {
    if collected.cropped > 0 {
        output.say(&format!(
            "{} cropped in the middle to the shape {} (choose another with --size)",
            counted(collected.cropped, "photo was", "photos were"),
            collected.preparation.size()
        ));
    }
}
