//! Options that several commands have.

use std::ops::RangeBounds;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use eigenfaces::dataset::{LabelRule, has_extension};
use eigenfaces::decision::{Acceptance, FALSE_ACCEPT_TARGET};
use eigenfaces::store::Overwrite;

pub const DEFAULT_MODEL: &str = "eigenfaces.npz";

/// Options of every command, which help shows behind those of the command.
#[derive(Debug, Clone, Args)]
#[command(next_display_order = 900)]
pub struct Global {
    /// The model file
    #[arg(
        short,
        long,
        global = true,
        value_name = "FILE",
        env = "EIGENFACES_MODEL",
        default_value = DEFAULT_MODEL
    )]
    pub model: PathBuf,
    /// Form of results
    ///
    /// For reading, as JSON Lines, or as CSV.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// Print results and errors only
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Name every file that is passed over; of `info`, tell what a report of a mistake needs
    ///
    /// Otherwise five files with one reason are named, and how many more there are.
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Number of threads [default: one a core]
    ///
    /// Results do not depend on it.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Colours
    ///
    /// Messages are coloured on a terminal, unless NO_COLOR is set.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For reading
    #[default]
    Text,
    /// JSON Lines: one object a line
    Json,
    /// Comma-separated values with a header
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

/// How a change of the model is made.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ChangeOptions {
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Erase faces, and let the folder's names replace others, without asking
    #[arg(short, long)]
    pub yes: bool,
}

/// Whatever is typed behind a command that this build is without.
#[cfg(not(all(feature = "postgres", feature = "serve")))]
#[derive(Debug, Args)]
pub struct NotBuilt {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _typed: Vec<std::ffi::OsString>,
}

/// Which files a result may replace.
#[derive(Debug, Clone, Copy, Args)]
pub struct Force {
    /// Overwrite existing files (never an input)
    ///
    /// Without it only files in a folder that an earlier run made for results are replaced.
    #[arg(long)]
    pub force: bool,
}

impl From<Force> for Overwrite {
    fn from(force: Force) -> Self {
        if force.force { Self::AnyFile } else { Self::Results }
    }
}

/// Where the recogniser comes from: the model, or folders that are learned from in memory.
#[derive(Debug, Clone, Args)]
pub struct ModelSource {
    /// Learn from this folder in memory instead of reading a model
    #[arg(long, value_name = "DIR")]
    pub faces: Vec<PathBuf>,
    #[command(flatten)]
    pub labels: Labels,
}

/// Where the labels of FACES, or of --faces, come from.
#[derive(Debug, Clone, Args)]
pub struct Labels {
    /// Labels: folder, stem, xmp, or a CSV file
    ///
    /// Where names come from: the folders, the files' names, faces named in a photo manager, or a table with path,person.
    #[arg(long = "labels", value_name = "RULE", default_value = "folder", requires = "faces")]
    pub rule: LabelRule,
}

/// When a name is given, and when two photos pass as one person.
#[derive(Debug, Clone, Copy, Args)]
pub struct AcceptanceOptions {
    /// False-accept rate of strangers
    ///
    /// Lower means fewer strangers named and more members missed.
    #[arg(long, value_name = "SHARE", default_value_t = FALSE_ACCEPT_TARGET, value_parser = within(1e-6..=0.5, "a share from 0.000001 to 0.5, such as 0.01"))]
    pub far: f64,
    /// Minimum confidence for a match, instead of --far
    ///
    /// Below one half it is more likely wrong than right.
    #[arg(long, value_name = "CONFIDENCE", value_parser = within(0.0..=1.0, "a confidence from 0 to 1, such as 0.9"), conflicts_with = "far")]
    pub threshold: Option<f64>,
}

impl From<AcceptanceOptions> for Acceptance {
    fn from(accept: AcceptanceOptions) -> Self {
        accept.threshold.map_or(Self::FalseAccepts(accept.far), Self::Confidence)
    }
}

/// A number that must lie in a range; `expected` says which.
pub fn within(
    range: impl RangeBounds<f64> + Clone + Send + Sync + 'static,
    expected: &'static str,
) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text: &str| match text.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(format!("expected {expected}")),
    }
}

/// A path whose name ends in one of these, whatever the case; `wanted` names them.
pub fn ending_in(
    known: &'static [&'static str],
    wanted: &'static str,
) -> impl Fn(&str) -> Result<PathBuf, String> + Clone + Send + Sync + 'static {
    move |text| {
        let path = PathBuf::from(text);
        has_extension(&path, known).then_some(path).ok_or_else(|| format!("expected a name that ends in {wanted}"))
    }
}
