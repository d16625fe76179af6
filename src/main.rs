//! The `eigenfaces` program: parse, run, exit code.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main(&cli::parsed())
}
