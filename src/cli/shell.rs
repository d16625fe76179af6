//! `eigenfaces completions` and `eigenfaces man`: what a package maintainer installs beside the program.

use std::io::{self, Write};

use clap::{Command, CommandFactory};

use super::args::{Cli, Completions};
use super::error::{Error, Result};
use super::examples;
use super::outcome::Outcome;
use super::stdout;

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
    let Some(notes) = examples::of(if is_program { "" } else { command.get_name() }) else {
        return Ok(());
    };
    writeln!(page, ".SH EXAMPLES")?;
    for (line, what) in notes.examples() {
        writeln!(page, ".TP\n\\fB{}\\fR\n{}", troff(line), troff(what))?;
    }
    writeln!(page, ".SH \"EXIT STATUS\"")?;
    for (status, meaning) in notes.statuses {
        writeln!(page, ".TP\n\\fB{status}\\fR\n{}", troff(meaning))?;
    }
    if !notes.more.is_empty() {
        writeln!(page, ".SH NOTES\n{}", troff(notes.more))?;
    }
    if is_program {
        man.render_version_section(page)?;
    }
    Ok(())
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
