//! `eigenfaces completions` and `eigenfaces man`: what a package maintainer installs beside the program.

use std::io::Write;

use clap::CommandFactory;
use eigenfaces::error::{Error, Result};

use super::Outcome;
use super::args::{Cli, Completions};

pub fn completions(args: &Completions) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "eigenfaces", &mut script);
    print(&script)
}

pub fn manual() -> Result<Outcome> {
    let mut page = Vec::new();
    let mut command = Cli::command();
    command.build();
    clap_mangen::Man::new(command.clone())
        .render(&mut page)
        .map_err(Error::Print)?;
    for command in command
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
    {
        let man = clap_mangen::Man::new(command.clone());
        man.render_title(&mut page)
            .and_then(|()| man.render_name_section(&mut page))
            .and_then(|()| man.render_synopsis_section(&mut page))
            .and_then(|()| man.render_options_section(&mut page))
            .map_err(Error::Print)?;
    }
    print(&page)
}

fn print(text: &[u8]) -> Result<Outcome> {
    std::io::stdout().write_all(text).map_err(Error::Print)?;
    Ok(Outcome::Done)
}
