//! The program: one file per command. Only here is anything printed.

mod annotate;
pub mod args;
mod basis;
mod check;
mod enroll;
mod evaluate;
mod evaluation_json;
mod facemap;
mod files;
mod folder_space;
mod identify;
mod info;
mod json;
mod learning;
mod output;
mod people;
mod shell;

use std::process::ExitCode;

use eigenfaces::error::{Error, Result};

use args::{Cli, Command};
use output::Output;

/// How a command ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was done.
    Done,
    /// Done, but some inputs could not be used; each was named.
    SomeUnusable,
    /// Not one of several inputs could be used; each was named.
    NoneUsable,
}

impl Outcome {
    /// From how many inputs could be used and how many could not.
    fn of_inputs(used: usize, unusable: usize) -> Self {
        match (used, unusable) {
            (_, 0) => Self::Done,
            (0, _) => Self::NoneUsable,
            _ => Self::SomeUnusable,
        }
    }

    fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::NoneUsable => 1,
            Self::SomeUnusable => 3,
        }
    }
}

/// Runs the command and reports the final error, if any.
pub fn main(cli: &Cli) -> ExitCode {
    let output = Output::new(&cli.global);
    match run(cli, &output) {
        Ok(outcome) => ExitCode::from(outcome.code()),
        // The reader has gone, which is their right: `eigenfaces ... | head`.
        Err(Error::Print(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            output.fail(&error.to_string());
            ExitCode::from(1)
        }
    }
}

/// Starts the threads once, so many as asked for or one a core. Where the system refuses, this one works alone:
/// results do not depend on it.
fn start_threads(asked: Option<u16>) -> Result<()> {
    let threads = usize::from(asked.unwrap_or(0));
    if rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .is_ok()
    {
        return Ok(());
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build_global()
        .map_err(|error| Error::Threads {
            reason: error.to_string(),
        })
}

fn run(cli: &Cli, output: &Output) -> Result<Outcome> {
    start_threads(cli.global.threads)?;
    let model = cli.global.model.as_path();
    match &cli.command {
        Command::Enroll(args) => enroll::run(args, model, output),
        Command::Identify(args) => identify::run(args, model, output),
        Command::Basis(args) => basis::run(args, model, output),
        Command::Facemap(args) => facemap::run(args, model, output),
        Command::People(args) => people::run(args, model, output),
        Command::Evaluate(args) => evaluate::run(args, output),
        Command::Info => info::run(model, output),
        Command::Completions(args) => shell::completions(args),
        Command::Man => shell::manual(),
    }
}
