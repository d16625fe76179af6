//! What a user can type. Values are parsed into the library's own types here, so that a wrong one is a
//! usage error (exit code 2) that names the option.

mod distributed;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
#[cfg(feature = "postgres")]
use eigenfaces::database::GivenAddress;
use eigenfaces::dataset::{LabelRule, Person};
use eigenfaces::decision::{Acceptance, FALSE_ACCEPT_TARGET};
use eigenfaces::evaluate::split::Protocol;
use eigenfaces::face_matrix::FaceSize;
use eigenfaces::gallery::ClusterRule;
use eigenfaces::kernel_pca::Kernel;
use eigenfaces::locate::framing::FramingRule;
use eigenfaces::matcher::{Copies, Features, PixelScale};
use eigenfaces::metric::Metric;
use eigenfaces::normalize::Light;
use eigenfaces::pca::{ComponentCount, Solver};

pub use distributed::{MergeParts, Partial, Plan};

/// Face recognition by eigenfaces: learn from labelled folders, say who is in a photo, look at the basis faces.
#[derive(Debug, Parser)]
#[command(
    name = "eigenfaces",
    version,
    propagate_version = true,
    max_term_width = 100
)]
#[command(
    after_help = "Exit codes: 0 done; 1 failed; 2 usage; 3 done, but some inputs could not be used."
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// The model file
    #[arg(
        short,
        long,
        global = true,
        value_name = "FILE",
        env = "EIGENFACES_MODEL",
        default_value = "eigenfaces.npz"
    )]
    pub model: PathBuf,
    /// How results are printed: for reading, as JSON Lines, or as CSV; weights also as a NumPy array
    #[arg(long, global = true, value_enum, default_value_t)]
    pub format: AnyFormat,
    /// Print results and errors only
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// How many threads may work; results do not depend on it [default: one a core]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// When to colour messages (NO_COLOR is respected)
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,
}

/// How results are printed, by any command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum AnyFormat {
    /// For reading
    #[default]
    Text,
    /// JSON Lines: one object a line
    Json,
    /// Comma-separated values with a header
    Csv,
    /// A NumPy array (`project` only)
    Npy,
}

impl AnyFormat {
    /// How lines are printed; `None` where nothing is printed in lines.
    pub fn in_lines(self) -> Option<Format> {
        match self {
            Self::Text => Some(Format::Text),
            Self::Json => Some(Format::Json),
            Self::Csv => Some(Format::Csv),
            Self::Npy => None,
        }
    }
}

/// How results are printed in lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For reading.
    Text,
    /// JSON Lines: one object a line.
    Json,
    /// Comma-separated values with a header.
    Csv,
}

/// When messages are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Learn from labelled folders: a sub-folder per person
    Enroll(Enroll),
    /// Say who is in each photo
    Identify(Identify),
    /// Bring the people of the model into a PostgreSQL database, for many machines to ask
    #[cfg(feature = "postgres")]
    Export(Export),
    /// Say whether two photos show the same person, or a photo an enrolled one
    #[command(
        after_help = "Exit codes: 0 the same person; 1 not the same; 2 trouble: wrong usage, a photo that cannot be used or shows no face, too few people enrolled to tell."
    )]
    Verify(Verify),
    /// Write the mean face, the basis faces and the spectrum as pictures and a table
    Basis(Basis),
    /// Show how far every part of a photo lies from face space
    Facemap(Facemap),
    /// Rebuild a face from more and more basis faces, side by side in one picture
    Reconstruct(Reconstruct),
    /// Turn faces into weights: a table, or a scatter plot of people
    Project(Project),
    /// List, rename, merge or remove the people enrolled
    People(People),
    /// Measure how well the people of a folder are recognised, or find what is wrong with its photos
    Evaluate(Evaluate),
    /// Write one HTML page about a gallery: basis faces, scatter, figures, the worst confusions, what to correct
    Report(Report),
    /// Say what the model holds
    Info(Info),
    /// Settle how photos become sums, for learning that many workers share (docs/SCALE.md)
    Plan(Plan),
    /// Sum up one worker's share of the photos
    #[command(
        after_help = "Exit codes: 0 done; 1 failed; 2 usage; 3 done, and the part is written, but some photos could not be used."
    )]
    Partial(Partial),
    /// Make one basis, or one part, of the parts of all workers; in any order
    Merge(MergeParts),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print the manual page (troff)
    Man,
}

/// `enroll`
#[derive(Debug, Args)]
pub struct Enroll {
    /// Folders with a sub-folder per person, or photos named after people
    #[arg(required = true, value_name = "FACES")]
    pub faces: Vec<PathBuf>,
    /// Where labels come from: `folder`, `stem` (file names), or a CSV file with path,person
    #[arg(long, value_name = "RULE", default_value = "folder")]
    pub labels: LabelRule,
    /// Enrol nothing and write nothing; list what is wrong with the photos: the same picture under two people, probable wrong labels, no faces
    #[arg(long)]
    pub check: bool,
    /// Make the model follow the folders: what is new, changed or moved there is taken over, what is gone is erased
    #[arg(long)]
    pub sync: bool,
    /// Keep the model's basis as it is, and place new faces in it: for a basis that was published
    #[arg(long, conflicts_with_all = ["components", "solver", "features", "kernel", "scale_pixels"])]
    pub keep_basis: bool,
    /// Place the faces in a basis learned by many workers, as `eigenfaces merge` wrote it, into a new model
    #[arg(long, value_name = "BASIS.npz", conflicts_with_all = ["components", "solver", "features", "kernel", "scale_pixels", "keep_basis", "check", "sync"])]
    pub basis: Option<PathBuf>,
    /// Keep no paths of photos in the model, neither of these nor of those enrolled before
    #[arg(long)]
    pub no_sources: bool,
    #[command(flatten)]
    pub deed: Deed,
    #[command(flatten)]
    pub learn: Learn,
}

/// `evaluate`
#[derive(Debug, Args)]
pub struct Evaluate {
    /// Folders with a sub-folder per person, or photos named after people
    #[arg(required = true, value_name = "FACES")]
    pub faces: Vec<PathBuf>,
    /// Where labels come from: `folder`, `stem` (file names), or a CSV file with path,person
    #[arg(long, value_name = "RULE", default_value = "folder")]
    pub labels: LabelRule,
    /// What is learned from and what is tried: leave-one-out, k-fold:K, first:N (the first N photos a person are learned from), or random:NxR (N random ones, R times)
    #[arg(long, value_name = "PROTOCOL", default_value_t)]
    pub protocol: Protocol,
    /// Decides where chance is asked for; the same seed gives the same figures
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Pictures without faces, to be told from faces besides those that are made up
    #[arg(long, value_name = "DIR", conflicts_with = "check")]
    pub not_faces: Vec<PathBuf>,
    /// Instead of measuring, list what is wrong with the photos: the same picture under two people, probable wrong labels, no faces
    #[arg(long, conflicts_with_all = ["protocol", "seed"])]
    pub check: bool,
    #[command(flatten)]
    pub learn: Learn,
}

/// How a change of the model is made.
#[derive(Debug, Clone, Copy, Args)]
pub struct Deed {
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Erase faces without asking
    #[arg(short, long)]
    pub yes: bool,
}

/// Options of learning; all of them are kept in the model, so that a probe is treated like the gallery.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of learning")]
pub struct Learn {
    /// How photos become faces: `as-is` takes them whole, `detect` finds faces and aligns them by the eyes, `auto` decides from a look at some of them [default: auto]
    #[arg(long, value_name = "FRAMING")]
    pub framing: Option<FramingRule>,
    /// Size of the faces [default: chosen from the photos, at most 3,600 pixels such as 54x66; 54x65 where faces are detected]
    #[arg(long, value_name = "WxH")]
    pub size: Option<FaceSize>,
    /// How differences of light are evened out: none, equalize, clahe, tan-triggs, local or gradient [default: none]
    #[arg(long, value_name = "RECIPE")]
    pub normalize: Option<Light>,
    /// How many eigenfaces: `auto`, a count such as 40, a share of variance such as 0.95, or a rule (profile, minka, parallel) [default: auto]
    #[arg(long, value_name = "K")]
    pub components: Option<ComponentCount>,
    /// Route to the eigenfaces: auto, gram, covariance, randomized (few of very many), or minimize (to see and to check) [default: auto]
    #[arg(long, value_name = "SOLVER")]
    pub solver: Option<Solver>,
    /// What of the faces is compared: texture, pixels (classic eigenfaces), fused (both), or auto (texture, unless faces are tiny) [default: auto]
    #[arg(long, value_name = "FEATURES")]
    pub features: Option<Features>,
    /// What each enrolled face stands for besides itself: none, mirrored, shifted (and mirrored), or auto [default: auto]
    #[arg(long, value_name = "COPIES")]
    pub copies: Option<Copies>,
    /// Kernel PCA instead of linear PCA: linear, rbf:auto, rbf:GAMMA, poly:DEGREE[,C], or cosine [default: linear]
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<Kernel>,
    /// Divide each pixel by its standard deviation first, so that all count alike; pixels are compared then, unless --features fused compares texture too [default: no]
    #[arg(
        long,
        value_name = "yes|no",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "yes"
    )]
    pub scale_pixels: Option<PixelScale>,
    /// How faces are compared: euclidean, root, whitened or within, each also with -cosine, or cosine [default: within-cosine]
    #[arg(long, value_name = "METRIC")]
    pub metric: Option<Metric>,
    /// Clusters a person: `auto`, `faces` (nearest single face), or a number of centroids [default: auto]
    #[arg(long, value_name = "RULE")]
    pub clusters: Option<ClusterRule>,
}

/// `identify`
#[derive(Debug, Args)]
pub struct Identify {
    /// Photos, or folders of photos
    #[arg(required = true, value_name = "PHOTO|FOLDER")]
    pub photos: Vec<PathBuf>,
    /// Write a copy of each photo to this folder, with a frame, name and confidence at each face; made where it is missing
    #[arg(long, value_name = "DIR")]
    pub annotate: Option<PathBuf>,
    /// Show this many candidates a photo
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub top: u16,
    /// Among thousands of people, look only at those whose mean face is near: faster for many photos; how much that misses is measured and told
    #[arg(long, conflicts_with = "explain")]
    pub approximate: bool,
    #[command(flatten)]
    pub acceptance: Accept,
    /// Write one picture that shows why: what the model saw, whom it is nearest to, and where it differs
    #[arg(long, value_name = "FILE.png", value_parser = png)]
    pub explain: Option<PathBuf>,
    #[cfg(feature = "postgres")]
    #[command(flatten)]
    pub elsewhere: Elsewhere,
    #[command(flatten)]
    pub origin: Origin,
}

/// A gallery that is not the model's.
#[cfg(feature = "postgres")]
#[derive(Debug, Clone, Args)]
pub struct Elsewhere {
    /// Look for people in the PostgreSQL database that `eigenfaces export` filled, as postgresql://USER@HOST/DATABASE; the model still tells how photos become weights
    #[arg(long, value_name = "URL", conflicts_with_all = ["faces", "explain", "approximate"])]
    pub gallery: Option<GivenAddress>,
    /// How the database looks for them: `none` at everybody, with the answers of the model file; `hnsw` faster, by an index that may miss some
    #[arg(
        long,
        value_enum,
        value_name = "INDEX",
        default_value_t,
        requires = "gallery"
    )]
    pub index: DatabaseIndex,
}

/// An index of a database over people's weights.
#[cfg(feature = "postgres")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum DatabaseIndex {
    /// Everybody is looked at
    #[default]
    None,
    /// A graph of near points
    Hnsw,
}

/// `export`
#[cfg(feature = "postgres")]
#[derive(Debug, Args)]
pub struct Export {
    /// The database, as postgresql://USER@HOST/DATABASE; a password is better kept in PGPASSWORD or ~/.pgpass
    #[arg(long, value_name = "URL")]
    pub postgres: GivenAddress,
    /// Also make an index, for `identify --index hnsw`, or drop it [default: as the database has it]
    #[arg(long, value_enum, value_name = "INDEX")]
    pub index: Option<DatabaseIndex>,
    #[command(flatten)]
    pub deed: Deed,
}

/// Where the recogniser comes from: the model, or folders that are learned from in memory.
#[derive(Debug, Clone, Args)]
pub struct Origin {
    /// Learn from this folder in memory instead of reading a model
    #[arg(long, value_name = "DIR")]
    pub faces: Vec<PathBuf>,
    /// Where the labels of --faces come from: `folder`, `stem` (file names), or a CSV file with path,person
    #[arg(
        long,
        value_name = "RULE",
        default_value = "folder",
        requires = "faces"
    )]
    pub labels: LabelRule,
    #[command(flatten)]
    pub learn: Learn,
}

/// When a name is given, and when two photos pass as one person.
#[derive(Debug, Clone, Copy, Args)]
pub struct Accept {
    /// Share of strangers that may pass: less of them means more who are known are refused
    #[arg(long, value_name = "SHARE", default_value_t = FALSE_ACCEPT_TARGET, value_parser = share)]
    pub far: f64,
    /// Confidence from which on it is yes, instead of --far; below one half it is more likely wrong than right
    #[arg(long, value_name = "CONFIDENCE", value_parser = confidence, conflicts_with = "far")]
    pub threshold: Option<f64>,
}

impl From<Accept> for Acceptance {
    fn from(accept: Accept) -> Self {
        match accept.threshold {
            Some(least) => Self::Confidence(least),
            None => Self::FalseAccepts(accept.far),
        }
    }
}

/// A confidence that can be asked for.
fn confidence(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(least) if (0.0..=1.0).contains(&least) => Ok(least),
        _ => Err("expected a confidence from 0 to 1, such as 0.9".to_owned()),
    }
}

/// A share of strangers that makes sense as a target.
fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (1e-6..=0.5).contains(&share) => Ok(share),
        _ => Err("expected a share from 0.000001 to 0.5, such as 0.01".to_owned()),
    }
}

/// `verify`
#[derive(Debug, Args)]
pub struct Verify {
    /// A photo; of several faces in it, the largest and most central
    #[arg(value_name = "PHOTO")]
    pub photo: PathBuf,
    /// The photo to compare it with; the people in neither need be enrolled
    #[arg(
        value_name = "PHOTO",
        required_unless_present = "person",
        conflicts_with = "person"
    )]
    pub other: Option<PathBuf>,
    /// Compare with this enrolled person instead
    #[arg(long, value_name = "NAME")]
    pub person: Option<Person>,
    #[command(flatten)]
    pub acceptance: Accept,
    #[command(flatten)]
    pub origin: Origin,
}

/// `basis`
#[derive(Debug, Args)]
pub struct Basis {
    /// Folder to write to; made where it is missing
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Learn the basis faces of all photos in this folder instead of reading a model; there may be any number
    #[arg(long, value_name = "DIR")]
    pub faces: Vec<PathBuf>,
    /// Size of the faces of --faces [default: chosen from the photos]
    #[arg(long, value_name = "WxH", requires = "faces")]
    pub size: Option<FaceSize>,
    /// How differences of light in --faces are evened out: none, equalize, clahe, tan-triggs, local or gradient [default: none]
    #[arg(long, value_name = "RECIPE", requires = "faces")]
    pub normalize: Option<Light>,
    /// How many eigenfaces of --faces: `auto`, a count such as 40, a share of variance such as 0.95, or a rule (profile, minka, parallel) [default: auto]
    #[arg(long, value_name = "K", requires = "faces")]
    pub components: Option<ComponentCount>,
    /// Route to the eigenfaces of --faces; `minimize` also writes objective.csv, round by round [default: auto]
    #[arg(long, value_name = "SOLVER", requires = "faces")]
    pub solver: Option<Solver>,
    /// Divide each pixel of --faces by its standard deviation first; basis faces are then shown in both spaces
    #[arg(long, requires = "faces", conflicts_with = "solver")]
    pub scale_pixels: bool,
    /// Write the leading N basis faces only [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub count: Option<u32>,
}

/// `facemap`
#[derive(Debug, Args)]
pub struct Facemap {
    /// A photo, usually larger than a face
    #[arg(value_name = "PHOTO")]
    pub photo: PathBuf,
    /// The picture to write: the darker, the nearer to face space
    #[arg(short, long, value_name = "FILE.png", value_parser = png)]
    pub output: PathBuf,
    /// Scale the photo by this factor first, so that its faces get the size of the model's [default: many scales, for faces of any size; with another measure than likelihood 1]
    #[arg(long, value_name = "FACTOR", value_parser = scale)]
    pub scale: Option<f64>,
    /// What is told of each part: how unlike a face it is with its light evened out (`likelihood`, 1 is usual for a face), the `distance` from face space in gray levels a pixel, or that over the part's own `contrast`
    #[arg(long, value_enum, default_value_t, value_name = "MEASURE")]
    pub measure: MapMeasure,
    /// Use the leading N basis faces [default: those that carry 90 % of the variance; with many, anything can be rebuilt]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub count: Option<u32>,
    /// Tell of the N lowest places
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub top: u16,
}

/// What a face map tells of each part of a photo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum MapMeasure {
    /// How unlike a face the part is, its light evened out
    #[default]
    Likelihood,
    /// The distance from face space, in gray levels a pixel
    Distance,
    /// The distance over the part's own contrast
    Contrast,
}

/// A factor by which a photo can sensibly be scaled.
fn scale(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(factor) if (0.01..=10.0).contains(&factor) => Ok(factor),
        _ => Err("expected a factor from 0.01 to 10, such as 0.5".to_owned()),
    }
}

/// `reconstruct`
#[derive(Debug, Args)]
pub struct Reconstruct {
    /// The photo whose face is rebuilt; of several faces in it, the largest and most central
    #[arg(
        value_name = "PHOTO",
        required_unless_present = "from_weights",
        conflicts_with = "from_weights"
    )]
    pub photo: Option<PathBuf>,
    /// Picture to write
    #[arg(short, long, value_name = "FILE.png", value_parser = png)]
    pub output: PathBuf,
    /// How many basis faces to use at each step [default: 0,1,5,10,20,50,... and all; 0 is the mean face]
    #[arg(long, value_name = "N,N,...", value_delimiter = ',')]
    pub steps: Vec<usize>,
    /// Rebuild faces from their weights, as `eigenfaces project` writes them (.csv, .json or .npy)
    #[arg(long, value_name = "FILE")]
    pub from_weights: Option<PathBuf>,
    /// The weights in the .npy are whitened (.csv and .json say so themselves)
    #[arg(long, requires = "from_weights")]
    pub whitened: bool,
    #[command(flatten)]
    pub origin: Origin,
}

/// The path of a picture that is written as PNG.
fn png(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("png") => Ok(path),
        _ => Err("expected a name that ends in .png".to_owned()),
    }
}

/// `project`
#[derive(Debug, Args)]
pub struct Project {
    /// Photos, or folders of photos
    #[arg(value_name = "PHOTO|FOLDER", required_unless_present_any = ["gallery", "plot"])]
    pub photos: Vec<PathBuf>,
    /// The enrolled faces too, with their names
    #[arg(long)]
    pub gallery: bool,
    /// Divide each weight by the standard deviation of the faces learned from (the covariance becomes I)
    #[arg(long)]
    pub whiten: bool,
    /// Write the weights to this file, readable by you only; its name says the form: .csv, .json or .npy
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a scatter plot: the enrolled people in colours, the photos as stars
    #[arg(long, value_name = "FILE.svg|png", value_parser = svg_or_png)]
    pub plot: Option<PathBuf>,
    /// Basis faces on the axes of the plot: two make it flat, three a view in space [default: 1,2]
    #[arg(long, value_name = "N,N[,N]", requires = "plot", value_parser = axes)]
    pub axes: Option<Axes>,
    #[command(flatten)]
    pub origin: Origin,
}

/// The basis faces on the axes of a plot, from 1: two or three different ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axes(pub Vec<usize>);

fn axes(text: &str) -> Result<Axes, String> {
    let numbers: Option<Vec<usize>> = text
        .split(',')
        .map(|number| number.trim().parse().ok())
        .collect();
    let mut numbers = numbers.unwrap_or_default();
    let axes = Axes(numbers.clone());
    numbers.sort_unstable();
    numbers.dedup();
    if (2..=3).contains(&axes.0.len()) && numbers.len() == axes.0.len() && numbers[0] > 0 {
        Ok(axes)
    } else {
        Err("expected two or three different basis faces such as 1,2 or 1,2,3".to_owned())
    }
}

/// The path of a drawing.
fn svg_or_png(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let known = |extension: &std::ffi::OsStr| {
        extension.eq_ignore_ascii_case("svg") || extension.eq_ignore_ascii_case("png")
    };
    if path.extension().is_some_and(known) {
        Ok(path)
    } else {
        Err("expected a name that ends in .svg or .png".to_owned())
    }
}

/// `report`
#[derive(Debug, Args)]
pub struct Report {
    /// Folders with a sub-folder per person; without any, the faces in the model
    #[arg(value_name = "FACES")]
    pub faces: Vec<PathBuf>,
    /// Page to write, readable by you only: it holds the photos it shows
    #[arg(short, long, value_name = "FILE.html", value_parser = html)]
    pub output: PathBuf,
    /// Where labels come from: `folder`, `stem` (file names), or a CSV file with path,person
    #[arg(
        long,
        value_name = "RULE",
        default_value = "folder",
        requires = "faces"
    )]
    pub labels: LabelRule,
    /// What is learned from and what is tried, as in `evaluate`
    #[arg(long, value_name = "PROTOCOL", default_value_t)]
    pub protocol: Protocol,
    /// Decides where chance is asked for; the same seed gives the same figures
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub learn: Learn,
}

/// The path of a page.
fn html(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let known = |extension: &std::ffi::OsStr| {
        extension.eq_ignore_ascii_case("html") || extension.eq_ignore_ascii_case("htm")
    };
    if path.extension().is_some_and(known) {
        Ok(path)
    } else {
        Err("expected a name that ends in .html".to_owned())
    }
}

/// `people`
#[derive(Debug, Args)]
pub struct People {
    #[command(subcommand)]
    pub action: Option<PeopleAction>,
}

#[derive(Debug, Subcommand)]
pub enum PeopleAction {
    /// List the people and how many faces each has (the default)
    List(List),
    /// Give a person another name
    Rename(Rename),
    /// Make several people one
    Merge(Merge),
    /// Erase people or single photos; all that is learned is learned again without them
    Remove(Remove),
}

/// `people list`
#[derive(Debug, Default, Args)]
pub struct List {
    /// These people only
    #[arg(value_name = "PERSON")]
    pub people: Vec<String>,
    /// List their photos, with the beginning of each one's hash and where it came from
    #[arg(long)]
    pub photos: bool,
}

/// `people rename`
#[derive(Debug, Args)]
pub struct Rename {
    /// Who
    pub person: String,
    /// The new name
    pub name: String,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `people merge`
#[derive(Debug, Args)]
pub struct Merge {
    /// Whose faces are another's
    #[arg(required = true, value_name = "PERSON")]
    pub people: Vec<String>,
    /// Whose they are
    #[arg(long, value_name = "PERSON")]
    pub into: String,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `people remove`
#[derive(Debug, Args)]
pub struct Remove {
    /// Whom to erase
    #[arg(value_name = "PERSON", required_unless_present = "photos")]
    pub people: Vec<String>,
    /// Erase this photo only: where it came from, 8 or more digits of its hash, or the file itself
    #[arg(long = "photo", value_name = "PHOTO")]
    pub photos: Vec<String>,
    #[command(flatten)]
    pub deed: Deed,
}

/// `info`
#[derive(Debug, Args)]
pub struct Info {
    /// Tell all that became of the gallery: when how many faces of whom were enrolled and removed
    #[arg(long)]
    pub log: bool,
}

/// `completions`
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}
