//! Wrong use that the parser of the command line cannot see.

use clap::CommandFactory as _;
use clap::error::ErrorKind;

use super::args::Cli;

/// Ends the program as a value of an option does that cannot be used.
pub fn bad_value(message: impl std::fmt::Display) -> ! {
    end(ErrorKind::ValueValidation, message)
}

/// Ends the program as the parser does: with the message, the usage of the command that was given, and exit status 2.
pub fn end(kind: ErrorKind, message: impl std::fmt::Display) -> ! {
    let mut program = Cli::command();
    program.build();
    let given = std::env::args_os().find(|word| program.find_subcommand(word).is_some());
    let command = given.and_then(|name| program.find_subcommand_mut(name));
    match command {
        Some(command) => command.error(kind, message).exit(),
        None => program.error(kind, message).exit(),
    }
}
