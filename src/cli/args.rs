//! What a user can type. Values are parsed into the library's own types here, so that a wrong one is a
//! usage error (exit code 2) that names the option.

/// The end of `--help`: commands with what they do, and the exit status.
macro_rules! examples {
    ($($line:literal => $what:literal,)+) => {
        examples!($($line => $what,)+; "  0  done\n  1  failed\n  2  wrong usage\n  3  done, but some inputs could not be used; each was named")
    };
    ($($line:literal => $what:literal,)+; $status:literal) => {
        concat!("Examples:\n", $("  ", $line, "\n      ", $what, "\n",)+ "\nExit status:\n", $status)
    };
}

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::background::LearnBackground;
use super::basis::Basis;
use super::enroll::Enroll;
use super::evaluate::Evaluate;
#[cfg(feature = "postgres")]
use super::export::Export;
use super::facemap::Facemap;
use super::group::Group;
use super::identify::Identify;
use super::info::Info;
use super::lesson::Lesson;
#[cfg(not(all(feature = "postgres", feature = "serve")))]
use super::options::NotBuilt;
use super::options::{Force, Global};
use super::people::People;
use super::project::Project;
use super::reconstruct::Reconstruct;
#[cfg(feature = "serve")]
use super::serve::Serve;
use super::verify::Verify;

#[cfg(not(feature = "postgres"))]
type Export = NotBuilt;

#[cfg(not(feature = "serve"))]
type Serve = NotBuilt;

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
            Self::Basis(_) | Self::Lesson(_) | Self::Serve(_) => &["format"],
            Self::Completions(_) | Self::Man(_) => &["model", "format"],
            _ => &[],
        }
    }
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
            for line in examples.lines().filter(|line| !line.starts_with("      ")).skip(1) {
                let own = line.split("| ").find(|part| part.trim().starts_with("eigenfaces"));
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
