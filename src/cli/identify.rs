//! `eigenfaces identify`: who is in each photo.

pub mod gallery;
pub mod report;
mod results;
pub mod watch;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::error::ErrorKind;
use eigenfaces::albums::{Others, SortBy, Sorter, Watched};
use eigenfaces::dataset::{self, PhotoFile};
use eigenfaces::error::PhotoProblem;
use eigenfaces::preparation::{FaceBox, PreparedFace};
use eigenfaces::recognizer::{Identification, QueryOptions};
use eigenfaces::store::{FileStamp, NamesIn, Outputs};
use gallery::{DatabaseOptions, Gallery};
use rayon::prelude::*;
use report::{Reporter, Unread};
use results::{ExplanationSheet, Results};

use super::copies::Copies;
use super::options::{AcceptanceOptions, Force, ModelSource, ending_in};
use super::photos::Photos;
use super::webhook::{Webhook, WebhookUrl};
use super::{ExitStatus, Output, Result, files, learning, misuse, remedy};

#[derive(Debug, Args)]
pub struct Identify {
    /// Photos, or folders of photos; - reads one from standard input
    #[arg(required = true, value_name = "PHOTO|FOLDER")]
    pub photos: Vec<PathBuf>,
    /// Wait for new photos in these folders, and identify each as it comes
    ///
    /// With --format json a line each, until it is ended (Ctrl-C). Photos that are there at the start are left alone. A file is looked at when it has not changed for a second, and again when it is written anew. Frames of one moment that come together are one photo, judged by all of them.
    #[arg(long, conflicts_with_all = ["annotate", "explain", "sort_into", "write_xmp"])]
    pub watch: bool,
    /// With --watch: post each line of JSON to this address, such as <http://homeassistant:8123/api/webhook/ID>
    ///
    /// Tried again until it is taken or refused. Others on this machine can read a command line: in the environment's EIGENFACES_WEBHOOK they cannot. http alone: what is beyond this network is reached through a proxy.
    #[arg(long, value_name = "URL", requires = "watch", value_parser = WebhookUrl::given)]
    pub webhook: Option<WebhookUrl>,
    /// Write copies with frames and names to this folder
    ///
    /// A copy of each photo that shows a face, with frame and number at each, and the names of those known or probable; beside photos of several, PHOTO.names.svg, a page to print. Readable by you only. The folder is made where it is missing.
    #[arg(long, value_name = "DIR")]
    pub annotate: Option<PathBuf>,
    #[command(flatten)]
    pub sorting: Sorting,
    #[command(flatten)]
    pub xmp: Xmp,
    /// Look at the face in this box too, which need not be found: pixels of the upright photo
    #[arg(long, value_name = "X,Y,WIDTH,HEIGHT", allow_hyphen_values = true, conflicts_with = "watch")]
    pub at: Option<FaceBox>,
    /// Show this many candidates a photo
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub top: u16,
    #[command(flatten)]
    pub acceptance: AcceptanceOptions,
    /// Write one picture that shows why
    ///
    /// What the model saw, whom it is nearest to, and where it differs; readable by you only.
    #[arg(long, value_name = "FILE.png", value_parser = ending_in(&["png"], ".png"))]
    pub explain: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub database: DatabaseOptions,
    #[command(flatten)]
    pub origin: ModelSource,
}

impl Identify {
    /// Whether it writes anything besides its answers.
    pub fn writes_files(&self) -> bool {
        let (sorting, xmp) = (&self.sorting, self.xmp);
        self.annotate.is_some()
            || sorting.link
            || sorting.copy
            || xmp.write_xmp.is_some() && !xmp.dry_run
            || self.explain.is_some()
    }
}

/// Photos that `identify` sorts by person.
#[derive(Debug, Clone, Args)]
pub struct Sorting {
    /// Sort photos into a folder per person below this one
    ///
    /// Alone, it says what would be done. A photo of several people stands in each one's folder.
    #[arg(long, value_name = "DIR")]
    pub sort_into: Option<PathBuf>,
    /// Sort by hard links, which take no space
    #[arg(long, requires = "sort_into", conflicts_with = "copy")]
    pub link: bool,
    /// Sort by copies
    #[arg(long, requires = "sort_into")]
    pub copy: bool,
    /// Sort the others too, into `unknown` and `no-face`
    #[arg(long, requires = "sort_into")]
    pub sort_all: bool,
}

/// Names that are written beside photos.
#[derive(Debug, Clone, Copy, Args)]
pub struct Xmp {
    /// Write names into XMP files beside the photos, or into the photos
    ///
    /// Names and places of faces: `beside`, as photo.jpg.xmp, where digiKam, darktable, immich and PhotoPrism read them; `inside`, in JPEG, PNG, WebP and TIFF files, where Lightroom reads them; `lightroom`, as photo.xmp, which Lightroom reads beside raw files. What a person named there or elsewhere stays, and names written there earlier that no longer hold are withdrawn.
    #[arg(long, value_name = "WHERE", num_args = 0..=1, require_equals = true, default_missing_value = "beside")]
    pub write_xmp: Option<NamesIn>,
    /// With --write-xmp: say what would be written
    #[arg(long, requires = "write_xmp", conflicts_with_all = ["sort_into", "annotate", "explain"])]
    pub dry_run: bool,
}

impl Sorting {
    /// As the user wants it; `None` where nothing is to be sorted.
    pub fn sorter(&self) -> Option<Sorter<'_>> {
        let by = match (self.link, self.copy) {
            (true, _) => Some(SortBy::Link),
            (_, true) => Some(SortBy::Copy),
            _ => None,
        };
        let others = if self.sort_all { Others::Sorted } else { Others::Stay };
        Some(Sorter::new(self.sort_into.as_deref()?, by, others))
    }
}

/// Photos identified at a time: bounds memory, and results appear while the rest is worked on. As many as two passes
/// over a large gallery take.
const BATCH: NonZeroUsize = NonZeroUsize::new(480).unwrap();

pub fn run(args: &Identify, model: &Path, output: &Output) -> Result<ExitStatus> {
    refuse_a_pipe(args);
    // Pictures that this program made in a folder of photos are not read.
    let (mut watched, mut photos) = match args.watch {
        true => (Some(Watched::begin(&args.photos)?), Photos::default()),
        false => (None, Photos::list(&args.photos, output)?),
    };
    if let Some(folder) = &args.sorting.sort_into {
        photos.leave_out(folder, &args.photos, output)?;
    }
    let outputs = Outputs::new(files::inputs(&photos.paths, &args.origin, model), args.force.into());
    let explanation = files::claim(&outputs, args.explain.as_ref())?;
    let (recognizer, unlearned) = learning::recognizer(&args.origin, model, output)?;
    let gallery = Gallery::open(args, &recognizer, model)?;
    let webhook = if args.watch { Webhook::begin(args.webhook.as_ref(), output)? } else { None };
    let report = Reporter {
        recognizer: &recognizer,
        drawn: args.at,
        gallery: &gallery,
        output,
        query: QueryOptions { top: usize::from(args.top), acceptance: args.acceptance.into() },
        unread: if args.writes_files() || webhook.is_some() { Unread::GoesOn } else { Unread::Ends },
        webhook,
    };
    let explanation = explanation.as_ref().map(ExplanationSheet::new);
    let copies = args.annotate.as_ref().map(|folder| Copies::plan(folder, &photos.paths, &outputs)).transpose()?;
    let mut results = Results::new(args, &report, explanation, unlearned + photos.unusable.len());
    report.begin()?;
    let Some(watched) = &mut watched else {
        // Alone, a photo's problem is the program's.
        let problems = if photos.paths.len() == 1 && output.is_text() { Problems::End } else { Problems::AreTold };
        look(&photos, &report, copies.as_ref(), &mut results, problems)?;
        return results.finish();
    };
    let (webhook, output) = (report.webhook.clone(), *output);
    let end = move || watch::end(webhook.as_ref(), &output);
    #[cfg(unix)]
    super::interrupt::before_interrupt(end.clone());
    output.say("waiting for new photos; Ctrl-C ends this");
    let ended = wait(watched, args, model, &report);
    end();
    ended
}

/// Identifies new photos, by the model as it is when they come, until the program is told to end, or nobody reads what is printed.
fn wait(watched: &mut Watched, args: &Identify, model: &Path, report: &Reporter<'_>) -> Result<ExitStatus> {
    let (mut opened_as, mut told, mut changed) = (FileStamp::of(model), None, None);
    loop {
        let photos = watched.next(|note| report.output.warn(note));
        let now = FileStamp::of(model);
        if opened_as != now {
            let opened = learning::recognizer(&args.origin, model, report.output);
            let with_gallery = |(recognizer, _)| -> Result<_> {
                let gallery = Gallery::open(args, &recognizer, model)?;
                Ok((recognizer, gallery))
            };
            match opened.and_then(with_gallery) {
                Ok(opened) => (changed, opened_as, told) = (Some(opened), now, None),
                // It is tried again with every photo.
                Err(_) if told == Some(now) => {}
                Err(error) => {
                    told = Some(now);
                    let words = remedy::in_words(&error);
                    report.output.warn(&format!("{words}; the people it had are looked for further"));
                }
            }
        }
        let report = match &changed {
            Some((recognizer, gallery)) => Reporter { recognizer, gallery, ..report.clone() },
            None => report.clone(),
        };
        watch::look(&photos, &report)?;
    }
}

/// The treatment of a photo that cannot be used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Problems {
    AreTold,
    End,
}

/// Identifies all photos, batch by batch, while the next are read.
fn look(
    all: &Photos,
    report: &Reporter<'_>,
    copies: Option<&Copies>,
    results: &mut Results<'_>,
    problems: Problems,
) -> Result<()> {
    let photos = &all.paths;
    let mut unusable = all.unusable.iter().peekable();
    let mut record_before = |at: usize| -> Result<()> {
        while let Some((_, skipped)) = unusable.next_if(|(before, _)| *before <= at) {
            report.record(&skipped.path, &skipped.problem)?;
        }
        Ok(())
    };
    let (gallery, recognizer, query) = (report.gallery, report.recognizer, report.query);
    let ready = |photo: &PathBuf, file: &PhotoFile| {
        // Other files are read again for their copies.
        let is_kept = copies.is_some() && dataset::is_standard_input(photo);
        Ok((report.faces(file)?, is_kept.then(|| file.clone())))
    };
    let take = |batches: &mut dyn Iterator<Item = Vec<Ready>>| -> Result<()> {
        let mut at = 0;
        for (batch, mut ready) in photos.chunks(BATCH.get()).zip(batches) {
            let faces = |ready: &mut Ready| ready.as_mut().map(|(faces, _)| std::mem::take(faces)).unwrap_or_default();
            let faces: Vec<Vec<PreparedFace>> = ready.iter_mut().map(faces).collect();
            let found = gallery.identify_prepared(recognizer, &faces, query)?;
            let copy = |((photo, ready), found): ((&PathBuf, &Ready), &Vec<Identification>)| match (copies, ready) {
                (Some(copies), Ok((_, kept))) => copies.write(photo, kept.as_ref(), found),
                _ => Ok(()),
            };
            let copied: Vec<Result<()>> = batch.par_iter().zip(&ready).zip(&found).map(copy).collect();
            for (((photo, ready), found), copied) in batch.iter().zip(ready).zip(found).zip(copied) {
                record_before(at)?;
                at += 1;
                copied?;
                match ready {
                    Ok(_) => results.add(photo, &found)?,
                    Err(problem) if problems == Problems::End => {
                        return Err(eigenfaces::Error::photo(photo.clone(), problem));
                    }
                    Err(problem) => results.add_problem(photo, &problem)?,
                }
            }
        }
        Ok(())
    };
    dataset::stream_each(photos, BATCH, ready, &|_| {}, take)?;
    record_before(photos.len())
}

/// Ends with a usage error where a photo would have to be read twice that can be read once only.
fn refuse_a_pipe(args: &Identify) {
    let mut photos = args.photos.iter();
    if !photos.any(|photo| dataset::is_standard_input(photo)) {
        return;
    }
    let message = match (&args.explain, &args.sorting.sort_into) {
        (Some(_), _) => {
            "--explain looks at a photo twice, and standard input can be read once: save the photo as a file"
        }
        (None, Some(_)) => "--sort-into sorts files, and standard input is none: save the photo as a file",
        (None, None) if args.xmp.write_xmp.is_some() => {
            "--write-xmp writes beside a file, and standard input is none: save the photo as a file"
        }
        (None, None) => return,
    };
    misuse(ErrorKind::ArgumentConflict, message)
}

/// The faces of a photo, and its file where that can be read once only; or the photo's fault.
type Ready = std::result::Result<(Vec<PreparedFace>, Option<PhotoFile>), PhotoProblem>;
