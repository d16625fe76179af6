//! The program: one file per command. Only here is anything printed.

mod args;
mod background;
mod basis;
mod copies;
mod diagnose;
mod enroll;
mod evaluate;
mod evaluation;
#[cfg(feature = "postgres")]
mod export;
mod facemap;
mod files;
mod group;
mod identify;
mod info;
#[cfg(unix)]
mod interrupt;
mod learning;
mod lesson;
mod model_changes;
mod options;
mod output;
mod people;
mod photos;
mod project;
mod reconstruct;
mod remedy;
#[cfg(feature = "serve")]
mod serve;
mod shell;
mod verify;
mod webhook;
mod weights;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use args::{Cli, Command};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches};
pub use eigenfaces::{Error, Result};
pub use output::{Output, Record, bytes, counted, faces_of_people, keep, one_line, percent, share, shown};

/// The parsed command line. Ends with a usage error, or after showing help.
pub fn parsed() -> Cli {
    let typed: Vec<OsString> = std::env::args_os().collect();
    Cli::command()
        .try_get_matches_from(&typed)
        .and_then(|matches| {
            let command = matches.subcommand_name().unwrap_or_default();
            eigenfaces::store::name_lock_holder(&format!("eigenfaces {command}"));
            let cli = Cli::from_arg_matches(&matches)?;
            refuse_unused(&cli, &matches);
            Ok(cli)
        })
        .unwrap_or_else(|error| {
            // Of a wrong name after `help`, clap suggests no right one; of a wrong command it does.
            let asked = match typed.as_slice() {
                [name, help, command, ..] if help == "help" => Some([name, command]),
                _ => None,
            };
            let suggested = asked
                .filter(|_| error.kind() == ErrorKind::InvalidSubcommand)
                .and_then(|command| Cli::command().try_get_matches_from(command).err());
            end_by(&suggested.unwrap_or(error))
        })
}

/// Ends where options of all commands are given to one that has no use for them: whoever types them expects something.
fn refuse_unused(cli: &Cli, matches: &ArgMatches) {
    let Some((name, given)) = matches.subcommand() else { return };
    for option in cli.command.unused() {
        if given.value_source(option) == Some(ValueSource::CommandLine) {
            misuse(ErrorKind::ArgumentConflict, format!("`{name}` has no use for --{option}"));
        }
    }
}

/// Ends with what clap has to say: a usage error, or help, which has to reach its reader.
fn end_by(said: &clap::Error) -> ! {
    if said.use_stderr() {
        said.exit();
    }
    let code = match output::check_open().and_then(|()| said.print()).and_then(|()| output::flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let _ = writeln!(std::io::stderr(), "error: {}", Error::Print(error));
            1
        }
        _ => 0,
    };
    std::process::exit(code)
}

pub fn main(cli: &Cli) -> ExitCode {
    // A file that grows beyond `ulimit -f` is then an error like a full disk, and not the end of the process. Where no handler can
    // be had, the process dies as it did: the old model is safe all the same.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
    let output = Output::new(&cli.global);
    #[cfg(unix)]
    interrupt::watch(output, code_of_failure(cli));
    let done = run(cli, &output);
    let flushed = output::flush().map_err(Error::Print);
    match done.and_then(|outcome| flushed.map(|()| outcome)) {
        Ok(outcome) => ExitCode::from(outcome.code()),
        // The reader has gone, which is their right: `eigenfaces ... | head`.
        Err(Error::Print(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            output.fail(&remedy::in_words(&error));
            ExitCode::from(code_of_failure(cli))
        }
    }
}

/// As `cmp` and `grep` have it: of `verify`, 1 is an answer.
fn code_of_failure(cli: &Cli) -> u8 {
    if matches!(cli.command, Command::Verify(_)) { 2 } else { 1 }
}

/// Starts as many threads as asked for or one a core. Where the system refuses, this one works alone, to the same results.
fn start_threads(asked: Option<u16>) -> Result<()> {
    if rayon::ThreadPoolBuilder::new().num_threads(usize::from(asked.unwrap_or(0))).build_global().is_ok() {
        return Ok(());
    }
    // No other global pool can be made after one that failed.
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().map_err(|error| {
        Error::Told(format!("no thread can be started ({error}); close other programs or raise the limit (ulimit -u)"))
    })?;
    std::mem::forget(alone);
    Ok(())
}

fn begin_thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(work).map(|_| ()).map_err(|error| Error::Told(format!("no thread can be started ({error})")))
}

fn run(cli: &Cli, output: &Output) -> Result<ExitStatus> {
    start_threads(cli.global.threads)?;
    let model = cli.global.model.as_path();
    match &cli.command {
        Command::Enroll(args) => enroll::run(args, model, output),
        Command::Identify(args) => identify::run(args, model, output),
        Command::Group(args) => group::run(args, model, output),
        #[cfg(feature = "postgres")]
        Command::Export(args) => export::run(args, model, output),
        #[cfg(not(feature = "postgres"))]
        Command::Export(_) => Err(not_built("PostgreSQL", "postgres")),
        Command::Verify(args) => verify::run(args, model, output),
        Command::Basis(args) => basis::run(args, model, output),
        Command::Facemap(args) => facemap::run(args, model, output),
        Command::Reconstruct(args) => reconstruct::run(args, model, output),
        Command::Project(args) => project::run(args, model, output),
        Command::People(args) => people::run(args, model, output),
        Command::Evaluate(args) => evaluate::run(args, output),
        Command::Lesson(args) => lesson::run(args, model, output),
        Command::Background(args) => background::run(args, output),
        Command::Info(args) if cli.global.verbose && !args.log => diagnose::run(model, output),
        Command::Info(args) => info::run(args, model, output),
        Command::Completions(args) => shell::completions(args),
        Command::Man(args) => shell::manual(args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(args, model, output),
        #[cfg(not(feature = "serve"))]
        Command::Serve(_) => Err(not_built("the server", "serve")),
    }
}

#[cfg(not(all(feature = "postgres", feature = "serve")))]
fn not_built(part: &str, feature: &str) -> Error {
    Error::Told(format!(
        "this program was built without {part}: in a checkout, cargo install --path . --features {feature}"
    ))
}

/// The outcome of a command that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    Done,
    /// Done, but some inputs could not be used; each was named.
    SomeUnusable,
    /// Not one of several inputs could be used; each was named.
    NoneUsable,
    /// `verify`: the same person.
    Same,
    /// `verify`: not the same person.
    Different,
}

impl ExitStatus {
    /// From how many inputs could be used and how many could not.
    pub fn of_inputs(used: usize, unusable: usize) -> Self {
        match (used, unusable) {
            (_, 0) => Self::Done,
            (0, _) => Self::NoneUsable,
            _ => Self::SomeUnusable,
        }
    }

    pub fn code(self) -> u8 {
        match self {
            Self::Done | Self::Same => 0,
            Self::NoneUsable | Self::Different => 1,
            Self::SomeUnusable => 3,
        }
    }
}

/// Ends the program as a value of an option does that cannot be used.
pub fn bad_value(message: impl std::fmt::Display) -> ! {
    misuse(ErrorKind::ValueValidation, message)
}

/// Ends the program as the parser does: with the message, the usage of the command that was given, and exit status 2.
pub fn misuse(kind: ErrorKind, message: impl std::fmt::Display) -> ! {
    let mut program = Cli::command();
    program.build();
    let given = std::env::args_os().find(|word| program.find_subcommand(word).is_some());
    let command = given.and_then(|name| program.find_subcommand_mut(name));
    match command {
        Some(command) => command.error(kind, message).exit(),
        None => program.error(kind, message).exit(),
    }
}
