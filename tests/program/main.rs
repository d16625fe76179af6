//! The built program, run as a user would.

#[path = "../support/mod.rs"]
mod support;

mod annotate;
mod as_people_have_them;
mod bad_input;
mod bad_models;
mod changes;
mod crowd;
mod damage;
mod diagnose;
mod elongated;
mod evaluate;
mod evaluate_numpy;
mod exiftool;
mod facemap;
mod framing;
mod group;
#[cfg(feature = "heic")]
mod heic;
mod hostile;
#[cfg(feature = "serve")]
mod integrations;
#[cfg(unix)]
mod interrupted;
mod killed;
mod lesson;
mod light;
mod main_job;
mod names_inside;
mod outputs;
mod own_background;
mod people;
mod photo_managers;
#[cfg(all(unix, feature = "postgres"))]
mod postgres;
mod powerless;
#[cfg(unix)]
mod privacy;
mod project;
mod random_galleries;
mod readme;
mod real_files;
mod reconstruct;
#[cfg(feature = "serve")]
mod serve;
mod shown_faces;
mod sync;
mod theory;
mod verify;
mod watch;
mod wrong_turns;

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

/// What a run of the program left behind.
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Run {
    fn of(output: Output) -> Self {
        let run = Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        assert!(!run.stderr.contains("panicked"), "a panic: {}", run.stderr);
        run
    }

    /// Ended well, saying nothing of trouble.
    fn done(self) -> Self {
        assert_eq!(self.code, 0, "{}", self.stderr);
        self
    }

    /// Failed with exit code 1 and one line that holds all of these words.
    fn failed_saying(self, words: &[&str]) -> Self {
        self.ended(1, words);
        let errors = self.stderr.lines().filter(|line| line.starts_with("error: ")).count();
        assert_eq!(errors, 1, "one line says what is wrong: {}", self.stderr);
        self
    }

    /// Ended with that exit code, having said all of these words on stderr.
    fn ended(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "nothing of {word:?} in: {}", self.stderr);
        }
    }
}

/// A path as an argument.
fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// The program, to be run in that folder, as if in nobody's environment. The log's time is always the same, so that
/// equal models are equal files.
fn program(folder: &Path) -> Command {
    prepared(Command::new(env!("CARGO_BIN_EXE_eigenfaces")), folder)
}

fn prepared(mut command: Command, folder: &Path) -> Command {
    command
        .current_dir(folder)
        .env("SOURCE_DATE_EPOCH", "1795236101")
        .env_remove("EIGENFACES_MODEL")
        .env_remove("NO_COLOR");
    command
}

/// Runs the program in that folder.
fn run<S: AsRef<std::ffi::OsStr>>(folder: &Path, args: impl IntoIterator<Item = S>) -> Run {
    Run::of(program(folder).args(args).output().expect("the program can be started"))
}

/// A folder with the bundled people enrolled in `eigenfaces.npz`; they are learned once for all tests.
fn enrolled() -> tempfile::TempDir {
    static MODEL: OnceLock<Vec<u8>> = OnceLock::new();
    with_bundled(&MODEL, &[])
}

/// Likewise, without the background model: all is learned from the bundled people alone.
fn enrolled_without_background() -> tempfile::TempDir {
    static MODEL: OnceLock<Vec<u8>> = OnceLock::new();
    with_bundled(&MODEL, &["--background", "none"])
}

fn with_bundled(learned: &OnceLock<Vec<u8>>, options: &[&str]) -> tempfile::TempDir {
    let folder = support::scratch();
    let model = folder.path().join("eigenfaces.npz");
    let bytes = learned.get_or_init(|| {
        let faces = support::bundled_faces().to_str().unwrap();
        run(folder.path(), ["enroll", faces].iter().chain(options)).done();
        std::fs::read(&model).unwrap()
    });
    std::fs::write(&model, bytes).unwrap();
    folder
}

/// Writes a gray picture with something on it, different for each `seed`.
fn picture(path: &Path, width: u32, height: u32, seed: u32) {
    std::fs::create_dir_all(path.parent().expect("a file in a folder")).unwrap();
    let image = image::GrayImage::from_fn(width, height, |x, y| {
        let wave = f64::from(x * (seed % 7 + 1)) / 9.0 + f64::from(y * (seed % 5 + 2)) / 7.0;
        image::Luma([(127.0 + 90.0 * libm::sin(wave + f64::from(seed))) as u8])
    });
    image.save(path).unwrap();
}

/// The program at work; nobody types anything to it.
fn at_work(folder: &Path, args: &[&str]) -> Child {
    let mut command = program(folder);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// The end of a run whose answers nobody reads: `eigenfaces ... | head`.
fn unread(folder: &Path, args: &[&str]) -> Output {
    let mut child = at_work(folder, args);
    drop(child.stdout.take());
    child.wait_with_output().unwrap()
}

/// Another photo of whom this one shows, with noise of its own: no two numbers give the same pixels.
fn another(photo: &[u8], number: usize) -> Vec<u8> {
    let mut photo = image::load_from_memory(photo).unwrap().into_luma8();
    let mut state = (number as u32).wrapping_mul(2_654_435_761);
    for pixel in photo.iter_mut() {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *pixel = pixel.saturating_add((state >> 29) as u8);
    }
    let mut png = std::io::Cursor::new(Vec::new());
    photo.write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}
