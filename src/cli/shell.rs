//! `eigenfaces completions` and `eigenfaces man`: what a package maintainer installs beside the program.

use std::io::{self, Write};
use std::iter;
use std::path::PathBuf;

use clap::{Command, CommandFactory};
use eigenfaces::store::{Outputs, Privacy};

use super::args::{Cli, Completions, Man};
use super::files::OutputDir;
use super::{Error, ExitStatus, Result, output};

pub fn completions(args: &Completions) -> Result<ExitStatus> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "eigenfaces", &mut script);
    print(&script)
}

/// Prints the manual page of every command, one after another, or writes each to a file of its own.
pub fn manual(args: &Man) -> Result<ExitStatus> {
    let mut program = Cli::command();
    program.build();
    let mut pages = Vec::new();
    add_pages(&program, &mut pages).map_err(Error::Print)?;
    let Some(folder) = &args.output else {
        let text: Vec<u8> = pages.into_iter().flat_map(|(_, page)| page).collect();
        return print(&text);
    };
    let folder = OutputDir::new(folder, Outputs::new(iter::empty::<PathBuf>(), args.force.into()));
    let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
    folder.check(&names)?;
    for (name, page) in pages {
        folder.claim(name)?.write(Privacy::Public, page)?;
    }
    Ok(ExitStatus::Done)
}

/// The pages of a command and of all below it, and the names of their files.
fn add_pages(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let mut page = Vec::new();
    section(command, &mut page)?;
    let name = command.get_display_name().unwrap_or(command.get_name());
    pages.push((format!("{name}.1"), page));
    command
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
        .try_for_each(|command| add_pages(command, pages))
}

fn section(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let version = command.get_version().unwrap_or_default();
    let man = clap_mangen::Man::new(command.clone()).source(format!("eigenfaces {version}"));
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    let is_program = command.get_name() == "eigenfaces";
    if is_program {
        man.render_subcommands_section(page)?;
    }
    for line in command.get_after_long_help().map(ToString::to_string).unwrap_or_default().lines() {
        match line {
            "Examples:" => writeln!(page, ".SH EXAMPLES\n.nf")?,
            "Exit status:" => writeln!(page, ".fi\n.SH \"EXIT STATUS\"\n.nf")?,
            line => writeln!(page, "{}", troff(line))?,
        }
    }
    writeln!(page, ".fi")?;
    if is_program { man.render_version_section(page) } else { Ok(()) }
}

/// Text in which nothing is a command of troff.
fn troff(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

fn print(text: &[u8]) -> Result<ExitStatus> {
    output::print(text)?;
    Ok(ExitStatus::Done)
}
