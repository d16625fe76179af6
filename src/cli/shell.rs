//! `eigenfaces completions` and `eigenfaces man`: what a package maintainer installs beside the program.

use std::io::{self, Write};

use clap::{Command, CommandFactory};

use super::args::{Cli, Completions};
use super::{Error, Outcome, Result, stdout};

pub fn completions(args: &Completions) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "eigenfaces", &mut script);
    print(&script)
}

pub fn manual() -> Result<Outcome> {
    let mut page = Vec::new();
    let mut program = Cli::command();
    program.build();
    section(&program, &mut page).map_err(Error::Print)?;
    for command in program
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
    {
        section(command, &mut page).map_err(Error::Print)?;
    }
    print(&page)
}

/// The manual page of one command.
fn section(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let man = clap_mangen::Man::new(command.clone());
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    let is_program = command.get_name() == "eigenfaces";
    if is_program {
        man.render_subcommands_section(page)?;
    }
    let notes = command.get_after_long_help().map(ToString::to_string);
    for line in notes.unwrap_or_default().lines() {
        match line {
            "Examples:" => writeln!(page, ".SH EXAMPLES\n.nf")?,
            "Exit status:" => writeln!(page, ".fi\n.SH \"EXIT STATUS\"\n.nf")?,
            line => writeln!(page, "{}", troff(line))?,
        }
    }
    writeln!(page, ".fi")?;
    match is_program {
        true => man.render_version_section(page),
        false => Ok(()),
    }
}

/// Text in which nothing is a command of troff.
fn troff(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    match text.starts_with(['.', '\'']) {
        true => format!("\\&{text}"),
        false => text,
    }
}

fn print(text: &[u8]) -> Result<Outcome> {
    stdout::print(text).map_err(Error::Print)?;
    Ok(Outcome::Done)
}
