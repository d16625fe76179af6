//! Options of learning as the library's, and its notices in words: shared by `enroll` and all that take `--faces`.

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::error::ErrorKind;
use eigenfaces::background::{OwnBackground, Prior, people_trained_on};
use eigenfaces::dataset::Skipped;
use eigenfaces::enrollment::{Notice, Observer, PreparationOptions};
use eigenfaces::evaluate::{self, Evaluation};
use eigenfaces::face_matrix::FaceSize;
use eigenfaces::gallery::Gallery;
use eigenfaces::kernel_pca::Kernel;
use eigenfaces::locate::framing::{Crops, Framing, FramingRule};
use eigenfaces::matcher::{DistanceSettings, Metric, PixelScale};
use eigenfaces::pca::{ComponentCount, Pca, Solver};
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::{Recognizer, Settings};
use eigenfaces::store;

use super::options::ModelSource;
use super::{Error, Output, Result, bad_value, counted, misuse, one_line, remedy, shown};

/// A background model, as a user names it.
#[derive(Debug, Clone)]
pub enum BackgroundModel {
    Bundled,
    None,
    /// Learned for each fold of `--pairs` from the people of the others.
    OtherFolds,
    /// A file that `eigenfaces background` wrote.
    File(PathBuf),
}

impl BackgroundModel {
    fn named(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "bundled" => Self::Bundled,
            "none" => Self::None,
            "other-folds" => Self::OtherFolds,
            path => Self::File(path.into()),
        })
    }

    /// The background model itself.
    /// Errors: A file that is none.
    pub fn open(&self) -> eigenfaces::Result<Prior> {
        match self {
            Self::Bundled => Ok(Prior::Bundled),
            Self::None => Ok(Prior::None),
            Self::OtherFolds => bad_value("--background other-folds is for evaluate --pairs alone"),
            Self::File(path) => store::load_background(path).map(Prior::Own),
        }
    }
}

/// How photos are made ready.
#[derive(Debug, Clone, Default, Args)]
pub struct Prepare {
    /// Framing of faces: as-is, detect or auto [default: auto]
    ///
    /// `as-is` takes photos whole, `detect` finds faces and aligns them by the eyes, `auto` aligns what is found and takes tiny photos whole.
    #[arg(long, value_name = "FRAMING")]
    pub framing: Option<FramingRule>,
    /// Size of the faces [default: 64x74; for photos taken as they are without background model, their own shape with at most 3,600 pixels, such as 54x66]
    #[arg(long, hide_short_help = true, value_name = "WxH")]
    pub size: Option<FaceSize>,
}

/// Options of learning; all of them are kept in the model, so that a probe is treated like the gallery.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options of learning")]
pub struct LearningOptions {
    #[command(flatten)]
    pub prepare: Prepare,
    /// Background model: bundled, none, or a file that `eigenfaces background` wrote [default: bundled]
    ///
    /// What is known before anybody is enrolled: `bundled`, how faces of thousands of other people differ; a file, how those of one's own people do; or `none`, to compare by what these faces alone teach, as eigenfaces theory has it (the default with --kernel, --scale-pixels or --metric).
    #[arg(long, value_name = "bundled|none|FILE", value_parser = BackgroundModel::named)]
    pub background: Option<BackgroundModel>,
    /// Number of eigenfaces, or a rule for it [default: auto]
    ///
    /// `auto`, a count such as 40, a share of variance such as 0.95, or a rule (profile, parallel).
    #[arg(long, value_name = "K")]
    pub components: Option<ComponentCount>,
    /// Eigensolver: auto, gram, covariance, or minimize (iterative, for teaching) [default: auto]
    #[arg(long, hide_short_help = true, value_name = "SOLVER")]
    pub solver: Option<Solver>,
    /// Kernel PCA instead of linear PCA: linear, rbf:auto, rbf:GAMMA, poly:DEGREE[,C], or cosine [default: linear]
    #[arg(long, hide_short_help = true, value_name = "KERNEL")]
    pub kernel: Option<Kernel>,
    /// Divide each pixel by its standard deviation first, so that all count alike [default: no]
    #[arg(
        hide_short_help = true,
        long,
        value_name = "yes|no",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "yes"
    )]
    pub scale_pixels: Option<PixelScale>,
    /// Distance between weights: euclidean, or whitened (each over its standard deviation) [default: whitened]
    #[arg(long, hide_short_help = true, value_name = "METRIC")]
    pub metric: Option<Metric>,
}

impl LearningOptions {
    /// The library's settings: what the user gave, over what a model already has or the defaults. Ends with a usage
    /// error where a kernel of scaled pixels is asked for.
    /// Errors: a file given as background model that is none.
    pub fn settings(&self, otherwise: Settings) -> Result<Settings> {
        let Settings { prior, pca, distance } = otherwise;
        let distance = DistanceSettings {
            kernel: self.kernel.unwrap_or(distance.kernel),
            pixel_scale: self.scale_pixels.unwrap_or(distance.pixel_scale),
            metric: self.metric.unwrap_or(distance.metric),
        };
        if distance.refuse_invalid().is_err() {
            let message = "a kernel compares gray levels as they are: leave out --kernel or --scale-pixels (--scale-pixels=no leaves pixels as they are)";
            misuse(ErrorKind::ArgumentConflict, message);
        }
        let (components, solver) = (self.components.unwrap_or(pca.components), self.solver.unwrap_or(pca.solver));
        Ok(Settings { prior: self.prior(prior)?, pca: Pca { components, solver }, distance })
    }

    /// The first option given of those that say how to compare without background model.
    fn comparing(&self) -> Option<(&'static str, bool)> {
        let options = [
            ("--kernel", self.kernel.is_some()),
            ("--scale-pixels", self.scale_pixels.is_some()),
            ("--metric", self.metric.is_some()),
        ];
        options.into_iter().find(|(_, given)| *given)
    }

    /// Preparation of photos, as far as the user chose it.
    /// Errors: as of [`Self::settings`].
    pub fn preparation_options(&self) -> Result<PreparationOptions> {
        let crops = if self.prior(Prior::default())? == Prior::None { Crops::Keep } else { Crops::Align };
        Ok(self.prepare.options(crops))
    }

    /// The prior asked for; none with settings of the classic comparison. Ends with a usage error where both were asked for.
    fn prior(&self, otherwise: Prior) -> Result<Prior> {
        let named = self.background.as_ref().map(BackgroundModel::open).transpose()?;
        Ok(match (named, self.comparing()) {
            (Some(Prior::Bundled | Prior::Own(_)), Some((option, _))) => {
                let message = format!(
                    "{option} says how to compare without a background model; leave out --background or {option}"
                );
                misuse(ErrorKind::ArgumentConflict, message);
            }
            (Some(asked), _) => asked,
            (None, Some(_)) => Prior::None,
            (None, None) => otherwise,
        })
    }

    /// Whether a model's photos are prepared as the user asks; the model's way cannot be changed.
    pub fn agree_with(&self, preparation: &Preparation, model: &Path) -> Result<()> {
        if let Some(size) = self.prepare.size
            && size != preparation.size()
        {
            return Err(Error::about(
                model,
                format_args!(
                    "holds faces of {} pixels, so {size} cannot be added; leave --size out, or enrol into a new model with --model",
                    preparation.size()
                ),
            ));
        }
        match self.prepare.framing {
            Some(FramingRule::Given(asked)) if asked != preparation.framing() => Err(Error::OtherFraming {
                path: model.to_owned(),
                has: preparation.framing().name(),
                asked: asked.name(),
            }),
            _ => Ok(()),
        }
    }
}

impl Prepare {
    pub fn options(&self, crops: Crops) -> PreparationOptions {
        PreparationOptions { framing: self.framing.unwrap_or_default(), size: self.size, crops }
    }
}

/// The recogniser to use, from the model or learned in memory from `--faces`, and how many files of the latter could not be used.
pub fn recognizer(origin: &ModelSource, model: &Path, output: &Output) -> Result<(Recognizer, usize)> {
    if origin.faces.is_empty() {
        return Ok((store::load(model)?, 0));
    }
    let mut observer = *output;
    observer.expects_crops = true;
    let options = PreparationOptions::default();
    let read = eigenfaces::Model::plan_folders(&origin.faces, &origin.labels.rule, options, &observer)?;
    let recognizer = Recognizer::learn(read.preparation, read.outcome.gallery, Settings::default())?;
    if let Some(warning) = recognizer.confidence_warning() {
        output.say(&warning);
    }
    Ok((recognizer, read.skipped.len()))
}

/// The provenance of a background model, in words.
pub fn learned_from(own: OwnBackground) -> String {
    let from = own.provenance();
    let (photos, people) = (counted(from.photos, "photo", "photos"), counted(from.people, "person", "people"));
    format!("a background model of {photos} of {people}: {}", one_line(&from.source))
}

/// Says so where there are fewer components than --components asked for.
pub fn tell_fewer(asked: Option<ComponentCount>, components: usize, output: &Output) {
    if let Some(ComponentCount::Count(count)) = asked
        && count > components
    {
        let components = counted(components, "component", "components");
        output.say(&format!("--components {count}: these faces have {components}, all of which are kept"));
    }
}

/// Refuses to measure the bundled background model on people whom it was learned from.
pub fn refuse_flattery<'a>(path: &Path, names: impl Iterator<Item = &'a str> + Clone, remedy: &str) -> Result<()> {
    let people = names.clone().count();
    match people_trained_on(names) {
        0 => Ok(()),
        known => Err(Error::about(
            path,
            format_args!(
                "the bundled background model was learned from {known} of its {people} people, so figures would flatter; \
                 leave them out, or add {remedy}"
            ),
        )),
    }
}

/// Folds from which on it is worth saying that few would do.
const MANY_FOLDS: usize = 50;

/// The evaluation of a gallery; says so where learning again from a part of the faces is slow, and done often.
pub fn evaluate(
    preparation: Preparation,
    gallery: Gallery,
    settings: Settings,
    plan: &evaluate::Options,
    output: &Output,
) -> Result<Evaluation> {
    let folds = plan.protocol.folds(&gallery, plan.seed)?.len();
    let slow = match (settings.distance.kernel, settings.distance.pixel_scale) {
        (Kernel::Linear, PixelScale::Plain) => None,
        (Kernel::Linear, PixelScale::Deviation) => Some("scaled pixels"),
        _ => Some("a kernel"),
    };
    if let Some(what) = slow.filter(|_| folds >= MANY_FOLDS) {
        output.say(&format!(
            "with {what} each of {folds} folds learns all anew from the photos; --protocol k-fold:10 is done much sooner"
        ));
    }
    let progress = output.progress(folds, "learning and trying");
    evaluate::evaluate(preparation, gallery, settings, plan, &|done| progress.reach(done.min(folds)))
}

/// Maximum number of files named for one kind of reason; the others are counted.
const NAMED: usize = 5;

/// Names skipped files with their reasons: all of them where the user wants that, or else a few for every kind of reason.
pub fn report_skipped(skipped: &[Skipped], output: &Output) {
    let mut of_kind: HashMap<_, usize> = HashMap::new();
    for skip in skipped {
        let count = of_kind.entry(std::mem::discriminant(&skip.problem)).or_default();
        *count += 1;
        if *count <= NAMED || output.names_all {
            let problem = remedy::of_photo(&skip.problem);
            output.warn(&format!("skipped {}: {problem}", shown(&skip.path)));
        }
    }
    let more: usize = of_kind.into_values().map(|count| count.saturating_sub(NAMED)).sum();
    if more > 0 && !output.names_all {
        output.warn(&format!("skipped {more} more for the same reasons; --verbose names them all"));
    }
}

/// The program as an observer: files that are passed over, notices and progress go to stderr.
impl Observer for Output {
    fn reading(&self, photos: usize) -> Box<dyn Fn(usize) + Sync + '_> {
        let progress = self.progress(photos, "reading photos");
        Box::new(move |done| progress.reach(done))
    }

    fn skipped(&self, skipped: &[Skipped]) {
        report_skipped(skipped, self);
    }

    fn say(&self, message: &str) {
        Output::say(self, message);
    }

    fn warn(&self, message: &str) {
        Output::warn(self, message);
    }

    fn notice(&self, notice: &Notice<'_>) {
        match notice {
            Notice::Framing(survey) if self.expects_crops && survey.framing == Framing::AsIs => {}
            notice => self.say(&notice.to_string()),
        }
    }
}
