//! Every command block of README.md and of the pages with more of them is run, and must print what the page says.
//!
//! A block is ```console with `$ command` lines, each followed by what it prints. Numbers may differ by
//! one in the last place printed, as instruction sets round differently, and seconds may be any.

use std::path::Path;

use crate::support::{project, scratch};
use crate::{Run, program};

struct Step {
    command: String,
    printed: Vec<String>,
}

const PAGES: [&str; 3] = ["README.md", "docs/GUIDE.md", "docs/EVALUATION.md"];

fn blocks(page: &str) -> Vec<Vec<Step>> {
    let page = std::fs::read_to_string(project().join(page)).unwrap();
    let mut blocks = Vec::new();
    for block in page.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        let mut steps: Vec<Step> = Vec::new();
        for line in block.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => {
                    steps.push(Step { command: command.to_owned(), printed: Vec::new() });
                }
                None => steps.last_mut().unwrap().printed.push(line.to_owned()),
            }
        }
        blocks.push(steps);
    }
    blocks
}

/// The words of a command, `cargo run --release --` and `eigenfaces` both meaning the built program;
/// `None` for what is not ours to run here.
fn words(command: &str) -> Option<Vec<String>> {
    let ours = command.strip_prefix("cargo run --release -- ").or_else(|| command.strip_prefix("eigenfaces "))?;
    Some(ours.split_whitespace().map(str::to_owned).collect())
}

/// Commands of these pages that other programs run, or that this very test is part of.
const NOT_RUN: [&str; 4] = ["cargo test", "cargo install ", ".ci/run", "python3 "];

/// The number in a word such as `(96.5`, and the unit of its last place.
fn number(word: &str) -> Option<(f64, f64)> {
    let digits = word.trim_matches(|c: char| !c.is_ascii_digit());
    let places = digits.split_once('.').map_or(0, |(_, places)| places.len());
    Some((digits.parse().ok()?, 0.1_f64.powi(places as i32)))
}

fn alike(said: &str, expected: &str) -> bool {
    let (said, expected): (Vec<_>, Vec<_>) = (said.split_whitespace().collect(), expected.split_whitespace().collect());
    said.len() == expected.len()
        && said.iter().zip(&expected).enumerate().all(|(at, (said, wanted))| {
            let is_time = expected.get(at + 1) == Some(&"s");
            match (number(said), number(wanted)) {
                (Some(_), Some(_)) if is_time => true,
                (Some((a, _)), Some((b, unit))) => (a - b).abs() <= 1.001 * f64::max(unit, 1e-4 * b.abs()),
                _ => said == wanted,
            }
        })
}

#[test]
fn numbers_are_alike_to_the_precision_printed() {
    assert!(alike("Ada (99.2 %) in 3 s", "Ada (99.1 %) in 9 s"));
    assert!(!alike("Ada (99.3 %)", "Ada (99.1 %)"));
    assert!(!alike("confidence 0.0001", "confidence 0.9991"));
    assert!(alike("error of 62486", "error of 62484") && !alike("62486", "62479"));
}

#[test]
fn every_command_does_what_the_page_says() {
    let (ran, twice): (Vec<usize>, Vec<usize>) = PAGES.map(follow).into_iter().unzip();
    assert!(ran.iter().sum::<usize>() >= 15, "only {ran:?} were run");
    assert!(twice.iter().sum::<usize>() >= 2, "only {twice:?} were run twice");
}

/// Runs the commands of a page in their order; how many there were, and how many were run twice.
fn follow(page: &str) -> (usize, usize) {
    let folder = scratch();
    for name in ["faces", "assets"] {
        link(&project().join(name), &folder.path().join(name));
    }
    let (mut ran, mut twice) = (0, 0);
    for block in blocks(page) {
        for step in block {
            let Some(words) = words(&step.command) else {
                assert!(
                    NOT_RUN.iter().any(|known| step.command.starts_with(known)),
                    "{page} has a command that no test runs: {}",
                    step.command
                );
                continue;
            };
            let run = Run::of(program(folder.path()).args(&words).output().unwrap()).done();
            let said: Vec<&str> = run.stderr.lines().chain(run.stdout.lines()).collect();
            assert!(
                said.len() == step.printed.len()
                    && said.iter().zip(&step.printed).all(|(said, wanted)| alike(said, wanted)),
                "{}\nprints\n{}\nbut {page} says\n{}",
                step.command,
                said.join("\n"),
                step.printed.join("\n")
            );
            // Results stand there the second time, and are replaced if that is asked for.
            if words.iter().any(|word| word == "-o") {
                let mut again = program(folder.path());
                Run::of(again.args(&words).arg("--force").output().unwrap()).done();
                twice += 1;
            }
            ran += 1;
        }
    }
    (ran, twice)
}

fn link(from: &Path, to: &Path) {
    #[cfg(unix)]
    std::os::unix::fs::symlink(from, to).unwrap();
    #[cfg(windows)]
    std::os::windows::fs::symlink_dir(from, to).unwrap();
}
