//! The `eigenfaces` program, whose code is the library's `cli`: so its unit tests are those of one crate.

fn main() -> std::process::ExitCode {
    eigenfaces::program()
}
