//! Examples and exit statuses of every command: what `--help` ends with, and sections of the manual page.

use clap::Command;

/// Notes on one command besides its options.
pub struct Notes {
    /// The command's name; empty for the program itself.
    command: &'static str,
    /// One to a line: the command line, ` ## `, and what it does.
    examples: &'static str,
    pub statuses: &'static [(&'static str, &'static str)],
    /// Further notes; may be empty.
    pub more: &'static str,
}

const USUAL: &[(&str, &str)] = &[
    ("0", "done"),
    ("1", "failed"),
    ("2", "wrong usage"),
    (
        "3",
        "done, but some inputs could not be used; each was named",
    ),
];

const VERIFY_STATUSES: &[(&str, &str)] = &[
    ("0", "the same person"),
    ("1", "not the same"),
    (
        "2",
        "trouble: wrong usage, a photo that cannot be used or shows no face, too few people enrolled to tell",
    ),
];

const SERVE_STATUSES: &[(&str, &str)] = &[
    ("0", "--check: the server answers"),
    (
        "1",
        "it cannot listen there, or the model cannot be read; --check: no answer in 5 seconds, or another one",
    ),
    ("2", "wrong usage"),
];

const SERVE_MORE: &str = "The address that is printed opens the page once. Programs send the key in the header x-api-key: docs/SERVE.md.";

const INFO_MORE: &str = "The checksum in a model guards against damage, not forgery: whoever alters a model can write a checksum that fits. Use models of people you trust only.";

const fn note(
    command: &'static str,
    statuses: &'static [(&'static str, &'static str)],
    more: &'static str,
    examples: &'static str,
) -> Notes {
    Notes {
        command,
        examples,
        statuses,
        more,
    }
}

const NOTES: &[Notes] = &[
    note("", USUAL, "", "
        eigenfaces enroll family ## learn from family/Ada/*.jpg, family/Boris/*.jpg, ...
        eigenfaces identify holiday ## say who is in each photo of a folder
        eigenfaces evaluate family ## measure how well that works
    "),
    note("enroll", USUAL, "", "
        eigenfaces enroll family ## learn from a folder with a sub-folder per person
        eigenfaces enroll family --check ## first see what is wrong with the photos
        eigenfaces enroll family --sync --yes ## follow the folder: erase what is gone from it
    "),
    note("identify", USUAL, "", "
        eigenfaces identify party.jpg --top 3 ## the three likeliest people for each face
        eigenfaces identify . --annotate marked ## copies of the photos with names drawn in
        eigenfaces identify . --sort-into People --link ## a folder of hard links for each person
        eigenfaces identify . --save-faces faces ## every face as a picture, to be sorted into folders
        curl -s URL | eigenfaces identify - ## a photo from standard input
    "),
    note("group", USUAL, "", "
        eigenfaces group Pictures -o names ## group the faces; name the groups in names/groups.csv or names/groups.html
        eigenfaces group --apply names/groups.csv --write-xmp ## enrol what was named, and write the names beside the photos
    "),
    note("export", USUAL, "", "
        eigenfaces export --postgres postgresql://me@host/faces ## bring the people into a database
    "),
    note("verify", VERIFY_STATUSES, "", "
        eigenfaces verify a.jpg b.jpg ## do two photos show one person?
        eigenfaces verify a.jpg --person Ada ## is this Ada?
    "),
    note("basis", USUAL, "", "
        eigenfaces basis -o basis ## the mean face and the basis faces of the model
        eigenfaces basis --faces photos -o basis ## the same of any folder of photos
    "),
    note("facemap", USUAL, "", "
        eigenfaces facemap group.jpg -o map.png ## where in a photo a face is likely
    "),
    note("serve", SERVE_STATUSES, SERVE_MORE, "
        eigenfaces serve --open ## open a page on this machine in the browser
        eigenfaces serve --listen 127.0.0.1:9000 -m family.npz ## another port, another model
    "),
    note("reconstruct", USUAL, "", "
        eigenfaces reconstruct ada.jpg -o ada.png ## a face rebuilt from more and more basis faces
        eigenfaces reconstruct ada.jpg -o ada.png --steps 0,10,40 ## at these steps only
    "),
    note("project", USUAL, "", "
        eigenfaces project photos -o weights.csv ## the weights of every face, as a table
        eigenfaces project --plot people.svg ## where the enrolled people lie
    "),
    note("people", USUAL, "", "
        eigenfaces people ## who is enrolled
        eigenfaces people add Mum party.jpg --face 2 ## enrol the second face from the left
        eigenfaces people rename Grandpa Opa ## the folder Grandpa still counts for Opa
        eigenfaces people undo ## take the last change back
    "),
    note("evaluate", USUAL, "", "
        eigenfaces evaluate faces ## leave one photo out at a time
        eigenfaces evaluate faces --protocol first:5 ## learn from the first five photos of everybody
        eigenfaces evaluate faces --scores scores.csv --failures wrong ## every score, and pictures of mistakes
    "),
    note("report", USUAL, "", "
        eigenfaces report -o report.html ## one page about the faces in the model
    "),
    note("lesson", USUAL, "", "
        eigenfaces lesson class -o lesson ## a page that explains the theory on the faces of a folder
    "),
    note("info", USUAL, INFO_MORE, "
        eigenfaces info ## what the model holds
        eigenfaces info --log ## all that became of it
        eigenfaces info --diagnose ## what to send with a report of a mistake
    "),
    note("completions", USUAL, "", "
        eigenfaces completions bash > /etc/bash_completion.d/eigenfaces ## for every user of bash
    "),
    note("man", USUAL, "", "
        eigenfaces man | man -l - ## read the manual page
    "),
];

/// The notes on a command, if it is one of this program.
pub fn of(command: &str) -> Option<&'static Notes> {
    NOTES.iter().find(|notes| notes.command == command)
}

/// The commands with their examples and exit statuses below their options.
pub fn added_to(program: Command) -> Command {
    let program = match of("") {
        Some(notes) => program.after_help(notes.text()),
        None => program,
    };
    NOTES.iter().fold(program, |program, notes| {
        match program.find_subcommand(notes.command).is_some() {
            true => program.mut_subcommand(notes.command, |it| it.after_help(notes.text())),
            false => program,
        }
    })
}

impl Notes {
    pub fn examples(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let lines = self.examples.lines().map(str::trim);
        lines.filter_map(|line| line.split_once(" ## "))
    }

    /// As `--help` ends.
    fn text(&self) -> String {
        let mut text = String::from("Examples:\n");
        for (line, what) in self.examples() {
            text += &format!("  {line}\n      {what}\n");
        }
        text += "\nExit status:\n";
        for (status, meaning) in self.statuses {
            text += &format!("  {status}  {meaning}\n");
        }
        if !self.more.is_empty() {
            text += &format!("\n{}\n", self.more);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::cli::args::Cli;

    /// The guide's blocks of commands whose output is not shown; those with output are run by tests/program/readme.rs.
    #[test]
    #[cfg(feature = "serve")]
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
        for command in program.get_subcommands() {
            let notes = of(command.get_name()).unwrap_or_else(|| panic!("{}", command.get_name()));
            assert!(notes.examples().next().is_some());
        }
        for notes in NOTES {
            if !notes.command.is_empty() && program.find_subcommand(notes.command).is_none() {
                continue;
            }
            for (line, _) in notes.examples() {
                let own = line.split("| ").find(|part| part.starts_with("eigenfaces"));
                let words = own.expect(line).split(['|', '>']).next().unwrap();
                let parsed = Cli::try_parse_from(words.split_whitespace());
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            }
        }
    }
}
