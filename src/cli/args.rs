//! What a user can type. Values are parsed into the library's own types here, so that a wrong one is a
//! usage error (exit code 2) that names the option.

/// What `--help` ends with: commands with what they do, and the exit status.
macro_rules! examples {
    ($($line:literal => $what:literal,)+) => {
        examples!($($line => $what,)+; "  0  done\n  1  failed\n  2  wrong usage\n  3  done, but some inputs could not be used; each was named")
    };
    ($($line:literal => $what:literal,)+; $status:literal) => {
        concat!("Examples:\n", $("  ", $line, "\n      ", $what, "\n",)+ "\nExit status:\n", $status)
    };
}

mod database;
mod evaluate;
pub mod group;
mod identify;
mod learn;
mod people;
mod pictures;
#[cfg(feature = "serve")]
mod serve;
mod verify;
mod webhook;

use std::ffi::OsStr;
use std::ops::RangeBounds;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use eigenfaces::dataset::LabelRule;
use eigenfaces::decision::{Acceptance, FALSE_ACCEPT_TARGET};
use eigenfaces::store::Overwrite;

pub use database::{DatabaseOptions, Export};
pub use evaluate::Evaluate;
pub use group::Group;
pub use identify::Identify;
pub use learn::{BackgroundModel, LearnBackground, LearningOptions, Prepare};
pub use people::{AddFace, List, People, PeopleAction, Remove};
pub use pictures::{Basis, Facemap, Lesson, Project, Reconstruct};
#[cfg(feature = "serve")]
pub use serve::{Key, Serve};
pub use verify::Verify;
pub use webhook::WebhookUrl;

/// Face recognition by eigenfaces: learn from labelled folders, say who is in a photo, look at the basis faces.
#[derive(Debug, Parser)]
#[command(
    name = "eigenfaces",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_long_help = examples!(
        "eigenfaces enroll family" => "learn from family/Ada/*.jpg, family/Boris/*.jpg, ...",
        "eigenfaces identify holiday" => "say who is in each photo of a folder",
        "eigenfaces evaluate family" => "measure how well that works",
    )
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// The model file where none is given.
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
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORMAT"
    )]
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

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Learn from labelled folders: a sub-folder per person
    #[command(visible_alias = "enrol")]
    #[command(after_long_help = examples!(
        "eigenfaces enroll family" => "learn from a folder with a sub-folder per person",
        "eigenfaces enroll family --check" => "first see what is wrong with the photos",
        "eigenfaces enroll family --sync --yes" => "follow the folder: erase what is gone from it",
    ))]
    Enroll(Enroll),
    /// Say who is in each photo
    #[command(after_long_help = examples!(
        "eigenfaces identify party.jpg --top 3" => "the three likeliest people for each face",
        "eigenfaces identify . --annotate marked" => "copies of the photos with names drawn in",
        "eigenfaces identify . --sort-into People --link" => "a folder of hard links for each person",
        "curl -s URL | eigenfaces identify -" => "a photo from standard input",
    ))]
    Identify(Identify),
    /// Put the faces of a photo folder into groups of probably one person each, to be named group by group
    #[command(after_long_help = examples!(
        "eigenfaces group Pictures -o names" => "group the faces; name the groups in names/groups.csv",
        "eigenfaces group --apply names/groups.csv --write-xmp" => "enrol what was named, and write the names beside the photos",
    ))]
    Group(Group),
    /// Bring the people of the model into a PostgreSQL database, for many machines to ask
    #[command(after_long_help = examples!(
        "eigenfaces export --postgres postgresql://me@host/faces" => "bring the people into a database",
    ))]
    Export(Export),
    /// Open a page on this machine to try photos, look at people and put mistakes right; programs ask the same port
    #[command(after_long_help = examples!(
        "eigenfaces serve --open" => "open a page on this machine in the browser",
        "eigenfaces serve --listen 127.0.0.1:9000 -m family.npz" => "another port, another model",
        ; "  0  --check: the server answers\n  1  it cannot listen there, or the model cannot be read; --check: no answer in 5 seconds, or another one\n  2  wrong usage\n\nThe address that is printed opens the page once. Programs send the key in the header x-api-key: docs/SERVE.md."
    ))]
    Serve(Serve),
    /// Say whether two photos show the same person, or a photo an enrolled one
    #[command(after_long_help = examples!(
        "eigenfaces verify a.jpg b.jpg" => "do two photos show one person?",
        "eigenfaces verify a.jpg --person Ada" => "is this Ada?",
        ; "  0  the same person\n  1  not the same\n  2  trouble: wrong usage, a photo that cannot be used or shows no face, too few people enrolled to tell"
    ))]
    Verify(Verify),
    /// Write the mean face, the basis faces and the spectrum as pictures and a table
    #[command(after_long_help = examples!(
        "eigenfaces basis -o basis" => "the mean face and the basis faces of the model",
        "eigenfaces basis --faces photos -o basis" => "the same of any folder of photos",
    ))]
    Basis(Basis),
    /// Map where a photo looks like a face: how unlike a face every part of it is
    #[command(after_long_help = examples!(
        "eigenfaces facemap group.jpg -o map.png" => "where in a photo a face is likely",
    ))]
    Facemap(Facemap),
    /// Rebuild a face from more and more basis faces, side by side in one picture
    #[command(after_long_help = examples!(
        "eigenfaces reconstruct ada.jpg -o ada.png" => "a face rebuilt from more and more basis faces",
    ))]
    Reconstruct(Reconstruct),
    /// Turn faces into weights: a table, or a scatter plot of people
    #[command(after_long_help = examples!(
        "eigenfaces project photos -o weights.csv" => "the weights of every face, as a table",
        "eigenfaces project --plot people.svg" => "where the enrolled people lie",
    ))]
    Project(Project),
    /// List, add, rename, merge or remove the people enrolled, or take the last change back
    #[command(after_long_help = examples!(
        "eigenfaces people" => "who is enrolled",
        "eigenfaces people add Mum party.jpg --face 2" => "enrol the second face from the left",
        "eigenfaces people rename Grandpa Opa" => "the folder Grandpa still counts for Opa",
        "eigenfaces people undo" => "take the last change back",
    ))]
    People(People),
    /// Measure how well the people of a folder are recognised
    #[command(after_long_help = examples!(
        "eigenfaces evaluate faces" => "leave one photo out at a time",
        "eigenfaces evaluate faces --protocol first:5" => "learn from the first five photos of everybody",
        "eigenfaces evaluate faces --scores scores.csv" => "every score, as a table",
    ))]
    Evaluate(Evaluate),
    /// Write a page for teachers that walks through the theory on these faces, from the mean face to the nearest one
    #[command(after_long_help = examples!(
        "eigenfaces lesson class -o lesson" => "a page that explains the theory on the faces of a folder",
    ))]
    Lesson(Lesson),
    /// Learn how faces differ from photos of one's own, to compare by instead of by the bundled background model
    #[command(after_long_help = examples!(
        "eigenfaces background staff -o staff.npz --source 'badge photos of 2026' --license 'consent of 3 March'" => "learn from a folder with a sub-folder per person",
        "eigenfaces enroll visitors --background staff.npz" => "compare others by it",
    ))]
    Background(LearnBackground),
    /// Say what the model holds
    #[command(after_long_help = examples!(
        "eigenfaces info" => "what the model holds",
        "eigenfaces info --log" => "all that became of it",
        "eigenfaces info --verbose" => "what to send with a report of a mistake",
        ; "  0  done\n  1  failed\n  2  wrong usage\n\nThe checksum in a model guards against damage, not forgery: whoever alters a model can write a checksum that fits. Use models of people you trust only."
    ))]
    Info(Info),
    /// Print a completion script for a shell
    #[command(after_long_help = examples!(
        "eigenfaces completions bash > /etc/bash_completion.d/eigenfaces" => "for every user of bash",
    ))]
    Completions(Completions),
    /// Print the manual pages of all commands (troff)
    #[command(after_long_help = examples!(
        "eigenfaces man | man -l -" => "read the manual",
        "eigenfaces man -o man1" => "a file for each command: eigenfaces.1, eigenfaces-identify.1, ...",
    ))]
    Man(Man),
}

impl Command {
    /// The options of [`Global`] that mean nothing to it.
    pub fn unused(&self) -> &'static [&'static str] {
        match self {
            Self::Evaluate(_) | Self::Background(_) => &["model"],
            Self::Basis(_) | Self::Lesson(_) => &["format"],
            Self::Serve(_) => &["format"],
            Self::Completions(_) | Self::Man(_) => &["model", "format"],
            _ => &[],
        }
    }
}

#[derive(Debug, Args)]
pub struct Enroll {
    /// Folders with a sub-folder per person, or photos named after people
    #[arg(required = true, value_name = "FACES")]
    pub faces: Vec<PathBuf>,
    #[command(flatten)]
    pub labels: Labels,
    /// Enrol nothing and write nothing; list what is wrong with the photos: the same picture under two people, probable wrong labels, no faces
    #[arg(long)]
    pub check: bool,
    /// Make the model follow the folders: what is new, changed or moved there is taken over, what is gone is erased. Faces of photos elsewhere, and names that were given in the model, stay, or it asks
    #[arg(long)]
    pub sync: bool,
    /// The folders straight in FACES are people even where their photos lie in folders further down
    #[arg(long)]
    pub nested: bool,
    /// Keep no paths of photos in the model, neither of these nor of those enrolled before
    #[arg(long)]
    pub no_sources: bool,
    #[command(flatten)]
    pub change: ChangeOptions,
    #[command(flatten)]
    pub learn: LearningOptions,
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

#[cfg(not(feature = "serve"))]
pub type Serve = NotBuilt;

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
        if force.force {
            Self::AnyFile
        } else {
            Self::Results
        }
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
    #[arg(
        long = "labels",
        value_name = "RULE",
        default_value = "folder",
        requires = "faces"
    )]
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
        match accept.threshold {
            Some(least) => Self::Confidence(least),
            None => Self::FalseAccepts(accept.far),
        }
    }
}

/// A number that must lie in a range; `expected` says which.
fn within(
    range: impl RangeBounds<f64> + Clone + Send + Sync + 'static,
    expected: &'static str,
) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text: &str| match text.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(format!("expected {expected}")),
    }
}

/// A path whose name ends in one of these, whatever the case; `wanted` names them.
fn ending_in(
    known: &'static [&'static str],
    wanted: &'static str,
) -> impl Fn(&str) -> Result<PathBuf, String> + Clone + Send + Sync + 'static {
    move |text| {
        let path = PathBuf::from(text);
        let is_known = |own: &OsStr| known.iter().any(|known| own.eq_ignore_ascii_case(known));
        match path.extension().is_some_and(is_known) {
            true => Ok(path),
            false => Err(format!("expected a name that ends in {wanted}")),
        }
    }
}

#[derive(Debug, Args)]
pub struct Info {
    /// Show the change log: when how many faces of whom were enrolled and removed
    #[arg(long)]
    pub log: bool,
}

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct Man {
    /// Write a file for each command to this folder instead; made where it is missing
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::Cli;

    /// The guide's blocks of commands whose output is not shown; those with output are run by tests/program/readme.rs.
    #[test]
    fn commands_of_the_guide_can_be_typed() {
        let guide = include_str!("../../docs/GUIDE.md");
        let blocks = guide.split("```sh\n").skip(1);
        let lines = blocks.flat_map(|block| block.split("```").next().unwrap_or_default().lines());
        let mut typed = 0;
        for line in lines {
            let words = line.split('#').next().unwrap_or_default();
            let parsed = Cli::try_parse_from(words.split_whitespace());
            assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            typed += 1;
        }
        assert!(typed >= 5);
    }

    #[test]
    fn every_command_has_examples_that_can_be_typed() {
        let program = Cli::command();
        for command in std::iter::once(&program).chain(program.get_subcommands()) {
            let help = command.get_after_long_help();
            let help = help.unwrap_or_else(|| panic!("{}", command.get_name()));
            let help = help.to_string();
            let (examples, _) = help.split_once("\nExit status:\n").unwrap();
            let mut typed = 0;
            for line in examples
                .lines()
                .filter(|line| !line.starts_with("      "))
                .skip(1)
            {
                let own = line
                    .split("| ")
                    .find(|part| part.trim().starts_with("eigenfaces"));
                let words = own.expect(line).split(['|', '>']).next().unwrap();
                let parsed = Cli::try_parse_from(words.split_whitespace());
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
                typed += 1;
            }
            assert!(typed > 0, "{}", command.get_name());
        }
    }

    #[test]
    fn identify_is_explained_on_a_screen() {
        let mut program = Cli::command();
        program.build();
        let identify = program.find_subcommand_mut("identify").unwrap();
        let help = identify.render_help().to_string();
        assert!(help.lines().count() <= 40, "{help}");
    }
}
