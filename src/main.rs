//! The `eigenfaces` program: parse, run, exit code.

mod cli;
#[cfg(feature = "serve")]
mod server;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main(&cli::parsed())
}
