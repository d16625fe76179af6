//! From folders to faces to a recogniser: shared by `enroll` and all that take `--faces`.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap::error::ErrorKind;
use eigenfaces::background::Prior;
use eigenfaces::dataset::{
    self, ContentHash, Dataset, LabelRule, LabeledPhoto, Limits, PhotoFile, Skipped, Spellings,
};
use eigenfaces::error::{Error, PhotoProblem, Result};
use eigenfaces::face_matrix::FaceSize;
use eigenfaces::gallery::{Dispute, FolderView, Gallery, LabeledFace, Repeats, Sighting};
use eigenfaces::kernel_pca::Kernel;
use eigenfaces::locate::Locator;
use eigenfaces::locate::framing::{self, Crops, Framing, FramingRule, Look, Survey};
use eigenfaces::matcher::{Features, PixelScale};
use eigenfaces::normalize::resize::{self, Shape};
use eigenfaces::preparation::{Part, Preparation};
use eigenfaces::recognizer::{Identifier, Recognizer, Settings};
use eigenfaces::store;

use super::args::{Cli, Learn, Origin, Prepare};
use super::enroll;
use super::output::{Output, counted, one_line, shown};

impl Learn {
    /// Ends with a usage error where an option of learning was given although nothing is learned.
    pub fn refuse_given(&self, without: &str) {
        let given = [
            ("--framing", self.prepare.framing.is_some()),
            ("--size", self.prepare.size.is_some()),
            ("--normalize", self.prepare.normalize.is_some()),
            ("--background", self.background.is_some()),
            ("--components", self.components.is_some()),
            ("--solver", self.solver.is_some()),
        ];
        let mut given = given.into_iter().chain(self.comparing());
        if let Some((option, _)) = given.find(|(_, given)| *given) {
            let message = format!(
                "{option} is an option of learning: a model is used as it was learned; give {without} too"
            );
            Cli::command()
                .error(ErrorKind::MissingRequiredArgument, message)
                .exit();
        }
    }

    /// The library's settings: what the user gave, over what a model already has or the defaults. Ends with a usage
    /// error where pixels are to be scaled and something else is to be compared.
    pub fn settings(&self, otherwise: Settings) -> Settings {
        let pixel_scale = self.scale_pixels.unwrap_or(otherwise.pixel_scale);
        let scales = pixel_scale == PixelScale::Deviation;
        let other = match (self.features, self.kernel) {
            (Some(Features::Texture), _) => Some("--features texture"),
            (_, Some(kernel)) if kernel != Kernel::Linear => Some("--kernel"),
            _ => None,
        };
        if let (true, Some(other)) = (scales, other) {
            let message = format!(
                "{other} compares no scaled pixels; --scale-pixels is for --features pixels or fused without a kernel (--scale-pixels=no leaves pixels as they are)"
            );
            Cli::command()
                .error(ErrorKind::ArgumentConflict, message)
                .exit();
        }
        let features = self.features.unwrap_or(otherwise.features);
        Settings {
            prior: self.prior(otherwise.prior),
            components: self.components.unwrap_or(otherwise.components),
            solver: self.solver.unwrap_or(otherwise.solver),
            features: match features {
                // Texture has no pixels to scale.
                Features::Auto if scales => Features::Pixels,
                features => features,
            },
            pixel_scale,
            copies: self.copies.unwrap_or(otherwise.copies),
            kernel: self.kernel.unwrap_or(otherwise.kernel),
            metric: self.metric.unwrap_or(otherwise.metric),
            clusters: self.clusters.unwrap_or(otherwise.clusters),
        }
    }

    /// The options that say how to compare without background model, and whether each was given.
    fn comparing(&self) -> [(&'static str, bool); 6] {
        [
            ("--features", self.features.is_some()),
            ("--copies", self.copies.is_some()),
            ("--kernel", self.kernel.is_some()),
            ("--scale-pixels", self.scale_pixels.is_some()),
            ("--metric", self.metric.is_some()),
            ("--clusters", self.clusters.is_some()),
        ]
    }

    /// What is known beforehand. Whoever says how to compare wants nothing to be known; ends with a usage error where
    /// both were asked for.
    fn prior(&self, otherwise: Prior) -> Prior {
        let compares = self.comparing().into_iter().find(|(_, given)| *given);
        match (self.background, compares) {
            (Some(Prior::Bundled), Some((option, _))) => {
                let message = format!(
                    "{option} says how to compare without the background model; leave out --background bundled or {option}"
                );
                Cli::command()
                    .error(ErrorKind::ArgumentConflict, message)
                    .exit();
            }
            (Some(asked), _) => asked,
            (None, Some(_)) => Prior::None,
            (None, None) => otherwise,
        }
    }

    /// Whether a model's photos are prepared as the user asks; the model's way cannot be changed.
    pub fn agree_with(&self, preparation: &Preparation, model: &Path) -> Result<()> {
        if let Some(size) = self.prepare.size
            && size != preparation.size()
        {
            return Err(Error::OtherSize {
                path: model.to_owned(),
                has: preparation.size().to_string(),
                asked: size.to_string(),
            });
        }
        if let Some(asked) = self.prepare.normalize
            && asked != preparation.light()
        {
            return Err(Error::OtherLight {
                path: model.to_owned(),
                has: preparation.light().name(),
                asked: asked.name(),
            });
        }
        match self.prepare.framing {
            Some(FramingRule::Given(asked)) if asked != preparation.framing() => {
                Err(Error::OtherFraming {
                    path: model.to_owned(),
                    has: preparation.framing().name(),
                    asked: asked.name(),
                })
            }
            _ => Ok(()),
        }
    }
}

/// What names people: a recogniser, or of one in a file no more than that takes.
pub enum Naming {
    Recognizer(Box<Recognizer>),
    Identifier(Box<Identifier>),
}

impl Naming {
    /// What names people.
    pub fn identifier(&self) -> &Identifier {
        match self {
            Self::Recognizer(recognizer) => recognizer.identifier(),
            Self::Identifier(identifier) => identifier,
        }
    }
}

/// As [`recognizer`], but of a model only what naming people takes.
pub fn naming(origin: &Origin, model: &Path, output: &Output) -> Result<(Naming, usize)> {
    if origin.faces.is_empty() {
        origin.learn.refuse_given("--faces DIR");
        let identifier = store::load_identifier(model)?;
        return Ok((Naming::Identifier(Box::new(identifier)), 0));
    }
    let (recognizer, unlearned) = recognizer(origin, model, output)?;
    Ok((Naming::Recognizer(Box::new(recognizer)), unlearned))
}

/// The recogniser to use, from the model or learned in memory from `--faces`, and how many files of the latter
/// could not be used.
pub fn recognizer(origin: &Origin, model: &Path, output: &Output) -> Result<(Recognizer, usize)> {
    if origin.faces.is_empty() {
        origin.learn.refuse_given("--faces DIR");
        return Ok((store::load(model)?, 0));
    }
    let collected = collect(
        &origin.faces,
        &origin.labels,
        Onto::Nothing,
        &origin.learn,
        output,
    )?;
    report_skipped(&collected.skipped, output);
    report_parts(&collected, output);
    // Ready-made crops are the expected case; that faces are looked for is worth a word.
    if let Some(survey) = &collected.survey
        && survey.framing == Framing::Detect
    {
        report_framing(survey, output);
    }
    let settings = origin.learn.settings(Settings::default());
    let (gallery, repeats) = Gallery::assemble(collected.preparation.size(), collected.folder.new)?;
    let disputed = disputes(&repeats);
    report_skipped(&disputed, output);
    let recognizer = Recognizer::learn(collected.preparation, gallery, settings)?;
    if let Some(warning) = enroll::weak(&recognizer) {
        output.say(&warning);
    }
    Ok((recognizer, collected.skipped.len() + disputed.len()))
}

/// Faces made ready from labelled folders.
pub struct Collected {
    pub preparation: Preparation,
    /// What the folders show.
    pub folder: FolderView,
    pub skipped: Vec<Skipped>,
    /// Photos of another shape than the model's faces, which lost their edges.
    pub cropped: usize,
    /// Photos with several faces, of which one was taken.
    pub crowded: usize,
    /// Photos in which no face was found, aligned by where the eyes stand in the others.
    pub assumed: usize,
    /// The look at the photos that the framing was decided from, if it was.
    pub survey: Option<Survey>,
}

/// What the faces of a folder are to join.
#[derive(Clone, Copy)]
pub enum Onto<'a> {
    /// Nothing: how photos are prepared is chosen for them.
    Nothing,
    /// What is in a model.
    Model(&'a Recognizer),
    /// A basis that was learned from other photos, prepared in this way.
    Basis(&'a Preparation),
}

impl<'a> Onto<'a> {
    /// A model, if there is one.
    pub fn model(model: Option<&'a Recognizer>) -> Self {
        model.map_or(Self::Nothing, Self::Model)
    }

    /// How photos are prepared, if that is settled.
    fn preparation(self) -> Option<Preparation> {
        match self {
            Self::Nothing => None,
            Self::Model(model) => Some(*model.preparation()),
            Self::Basis(preparation) => Some(*preparation),
        }
    }

    /// Photos that need not be looked at again.
    fn enrolled(self) -> HashSet<ContentHash> {
        match self {
            Self::Model(model) => model
                .gallery()
                .enrolled()
                .iter()
                .map(|face| face.hash)
                .collect(),
            Self::Nothing | Self::Basis(_) => HashSet::new(),
        }
    }
}

/// Lists, reads and prepares the photos. Framing and size are those of the model, if there is one, or as
/// the user says, or chosen from the photos. What is enrolled is known by its hash, and not even decoded.
pub fn collect(
    roots: &[PathBuf],
    labels: &LabelRule,
    onto: Onto<'_>,
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
    report_spellings(&listing.spellings, output);
    let mut skipped = listing.skipped;
    let (preparation, survey) = match onto.preparation() {
        Some(preparation) => (preparation, None),
        None => {
            let crops = match learn.prior(Prior::default()) {
                Prior::Bundled => Crops::Align,
                Prior::None => Crops::Keep,
            };
            chosen_preparation(
                &listing.photos,
                roots,
                &skipped,
                &learn.prepare,
                crops,
                output,
            )?
        }
    };
    let enrolled = onto.enrolled();
    let progress = output.progress(listing.photos.len(), "reading photos");
    let prepared = dataset::load(
        &listing.photos,
        &Limits::default(),
        |photo: &LabeledPhoto, file| {
            let sighting = Sighting {
                person: photo.person.clone(),
                source: photo.path.to_string_lossy().into_owned(),
                hash: file.content_hash(),
            };
            if enrolled.contains(&sighting.hash) {
                return Ok(Read::Known(sighting));
            }
            let face = preparation.prepare(&file.decode()?)?;
            let labeled = LabeledFace {
                person: sighting.person,
                source: sighting.source,
                hash: sighting.hash,
                pixels: face.pixels,
            };
            Ok(Read::New(labeled, face.part))
        },
        &|done| progress.reach(done),
    );
    drop(progress);
    let Dataset {
        items,
        skipped: unusable,
    } = prepared;
    skipped.extend(unusable);
    if items.is_empty() && !matches!(onto, Onto::Model(_)) && !skipped.is_empty() {
        report_skipped(&skipped, output);
        return Err(none_usable(roots, skipped.len()));
    }
    let mut collected = Collected {
        preparation,
        folder: FolderView::default(),
        skipped,
        cropped: 0,
        crowded: 0,
        assumed: 0,
        survey,
    };
    for item in items {
        collected.take(item);
    }
    let unusable = collected.skipped.iter().filter(|skipped| is_there(skipped));
    collected.folder.unusable = unusable
        .map(|skipped| skipped.path.to_string_lossy().into_owned())
        .collect();
    Ok(collected)
}

/// Says which folders are taken for one person's.
fn report_spellings(spellings: &[Spellings], output: &Output) {
    for Spellings { person, folders } in spellings {
        output.say(&format!(
            "{} folders are all taken for {person}, for their names differ only in blanks or in how letters are encoded (NFC, NFD): give different people different names",
            folders.len()
        ));
    }
}

/// What became of one photo.
enum Read {
    Known(Sighting),
    New(LabeledFace, Part),
}

impl Collected {
    fn take(&mut self, read: Read) {
        let (face, part) = match read {
            Read::Known(sighting) => return self.folder.known.push(sighting),
            Read::New(face, part) => (face, part),
        };
        match part {
            Part::Whole(fit) => self.cropped += usize::from(fit.shape == Shape::Cropped),
            Part::Found { of, .. } => self.crowded += usize::from(of > 1),
            Part::Assumed => self.assumed += 1,
        }
        self.folder.new.push(face);
    }
}

/// Whether what was skipped may be a photo all the same, which could only not be used this time.
fn is_there(skipped: &Skipped) -> bool {
    use PhotoProblem::{BadPersonName, NoPerson, NotLabeled, TwoPersons};
    let is_nobody = matches!(
        skipped.problem,
        NoPerson | BadPersonName { .. } | NotLabeled { .. } | TwoPersons { .. }
    );
    let gone = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    !is_nobody
        && !skipped
            .path
            .symlink_metadata()
            .is_err_and(|error| gone(&error))
}

/// Photos that are said to show two people, as files that were passed over.
pub fn disputes(repeats: &Repeats) -> Vec<Skipped> {
    let skipped = |dispute: &Dispute| Skipped {
        path: PathBuf::from(&dispute.source),
        problem: PhotoProblem::SamePhoto {
            other: match dispute.other_source.as_str() {
                "" => "one that is enrolled".to_owned(),
                source => source.to_owned(),
            },
            person: dispute.other_person.to_string(),
        },
    };
    repeats.disputed.iter().map(skipped).collect()
}

/// Photos narrower than this are taken as they are: enlarged they would show no more.
const TEXTURED_WIDTH: u32 = 32;

/// How photos are made ready where nothing settles it yet: as the user says, or as suits them. With it the look at
/// them that the framing was decided from, if it was.
pub fn chosen_preparation<P: AsRef<Path> + Sync>(
    photos: &[P],
    roots: &[PathBuf],
    skipped: &[Skipped],
    asked: &Prepare,
    crops: Crops,
    output: &Output,
) -> Result<(Preparation, Option<Survey>)> {
    let survey = match asked.framing {
        Some(FramingRule::Given(Framing::AsIs)) => None,
        _ => Some(surveyed(photos, crops)),
    };
    let framing = match (asked.framing.unwrap_or_default(), &survey) {
        (FramingRule::Given(framing), _) => framing,
        (FramingRule::Auto, Some(survey)) => survey.framing,
        (FramingRule::Auto, None) => Framing::default(),
    };
    let size = match (asked.size, framing) {
        (Some(size), _) => size,
        (None, Framing::Detect) => FaceSize::ALIGNED,
        (None, Framing::AsIs) => {
            let own = chosen_size(photos, roots, skipped, output)?;
            match crops {
                // The background model looks at faces of one size.
                Crops::Align if own.width() >= TEXTURED_WIDTH => FaceSize::ALIGNED,
                Crops::Align | Crops::Keep => own,
            }
        }
    };
    let preparation = Preparation::new(size, framing)
        .with_light(asked.normalize.unwrap_or_default())
        .with_crop_eyes(match framing {
            Framing::Detect => survey.as_ref().and_then(|survey| survey.crop_eyes),
            Framing::AsIs => None,
        });
    let decided = survey.filter(|_| asked.framing.unwrap_or_default() == FramingRule::Auto);
    Ok((preparation, decided))
}

/// A look at some of the photos.
fn surveyed<P: AsRef<Path> + Sync>(photos: &[P], crops: Crops) -> Survey {
    framing::survey(photos, crops, |photo| {
        let photo =
            PhotoFile::read(photo.as_ref(), &Limits::default()).and_then(|file| file.decode());
        Look::at(&photo.ok()?, Locator::shared().ok()?).ok()
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
    Err(none_usable(roots, skipped.len() + unusable.len()))
}

pub fn none_usable(roots: &[PathBuf], count: usize) -> Error {
    Error::NoneUsable {
        path: roots.first().cloned().unwrap_or_default(),
        count,
    }
}

/// Folds from which on it is worth saying that few would do.
const MANY_FOLDS: usize = 50;

/// One line where learning again from a part of the faces is slow, and done often.
pub fn report_slow_folds(settings: Settings, folds: usize, output: &Output) {
    let what = match (settings.kernel, settings.pixel_scale) {
        (Kernel::Linear, PixelScale::Plain) => return,
        (Kernel::Linear, PixelScale::Deviation) => "scaled pixels",
        _ => "a kernel",
    };
    if folds >= MANY_FOLDS {
        output.say(&format!(
            "with {what} each of {folds} folds learns all anew from the photos; --protocol k-fold:10 is done much sooner"
        ));
    }
}

/// So many files are named for one kind of reason; the others are counted.
const NAMED: usize = 5;

/// Names skipped files with their reasons: all of them where the user wants that, or else a few for every kind of reason.
pub fn report_skipped(skipped: &[Skipped], output: &Output) {
    let mut of_kind: HashMap<_, usize> = HashMap::new();
    for skip in skipped {
        let count = of_kind
            .entry(std::mem::discriminant(&skip.problem))
            .or_default();
        *count += 1;
        if *count <= NAMED || output.names_all {
            output.warn(&format!("skipped {}: {}", shown(&skip.path), skip.problem));
        }
    }
    let more: usize = of_kind
        .into_values()
        .map(|count| count.saturating_sub(NAMED))
        .sum();
    if more > 0 && !output.names_all {
        output.warn(&format!(
            "skipped {more} more for the same reasons; --verbose names them all"
        ));
    }
}

/// One line each about photos that lost their edges and about photos with several faces, if there are any.
pub fn report_parts(collected: &Collected, output: &Output) {
    if collected.cropped > 0 {
        output.say(&format!(
            "{} cropped in the middle to the shape {} (choose another with --size)",
            counted(collected.cropped, "photo was", "photos were"),
            collected.preparation.size()
        ));
    }
    if collected.crowded > 0 {
        output.say(&format!(
            "{} several faces; the largest and most central was taken",
            counted(collected.crowded, "photo shows", "photos show")
        ));
    }
    if collected.assumed > 0 {
        output.say(&format!(
            "no face was found in {}, aligned as the other crops are",
            counted(collected.assumed, "photo", "photos")
        ));
    }
    report_numbered(&collected.folder.new, output);
}

/// So many photos of one person, told apart by a number, may well be photos of as many people.
const MANY_OF_ONE: usize = 10;

/// A line where all photos are said to be of one person because they lie in one folder as `Person000001.pgm` and so
/// on: nobody is told apart then, and that may not be meant.
fn report_numbered(faces: &[LabeledFace], output: &Output) {
    let Some(first) = faces.first() else {
        return;
    };
    let name = first.person.as_str();
    let is_numbered = |face: &LabeledFace| {
        let path = Path::new(&face.source);
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().replace('_', " "));
        let number = stem.as_deref().and_then(|stem| stem.strip_prefix(name));
        let is_folder = path
            .parent()
            .and_then(Path::file_name)
            .is_some_and(|folder| folder.to_string_lossy() == name);
        let is_of_number = |c: char| c.is_ascii_digit() || " -.#()".contains(c);
        face.person == first.person
            && !is_folder
            && number.is_some_and(|number| number.chars().all(is_of_number))
    };
    if faces.len() >= MANY_OF_ONE && faces.iter().all(is_numbered) {
        output.say(&format!(
            "all {} photos are named {} and a number, so they count as photos of one person; where each shows somebody \
             else, say who in a table of path,person: --labels FILE.csv",
            faces.len(),
            one_line(name)
        ));
    }
}

/// One line about how photos are taken, where that was decided from a look at them.
pub fn report_framing(survey: &Survey, output: &Output) {
    output.say(&match survey.framing {
        Framing::AsIs => "photos are taken as they are, as faces already cropped (--framing detect looks for faces)".to_owned(),
        Framing::Detect => format!(
            "faces are found and aligned by the eyes: {} of {} looked at show one (--framing as-is takes photos whole)",
            survey.with_face,
            counted(survey.looked_at, "photo", "photos"),
        ),
    });
}
