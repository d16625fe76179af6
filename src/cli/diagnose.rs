//! `eigenfaces info --verbose`: what a report of a mistake needs, and nothing of anybody: no name, no path, no key.

use std::path::Path;

use eigenfaces::error::ModelProblem;
use eigenfaces::recognizer::Recognizer;
use eigenfaces::{Error, records, store};
use serde_json::{Value, json};

use super::{ExitStatus, Output, Result, bytes, counted, info};

pub fn run(path: &Path, output: &Output) -> Result<ExitStatus> {
    let model = Model::read(path);
    let threads = counted(rayon::current_num_threads(), "thread works", "threads work");
    let program = [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("system", system().join(", ")),
        ("instructions", listed(&instructions())),
        ("features", listed(&features())),
        ("cores", format!("{}; {threads}", counted(cores(), "core", "cores"))),
        (
            "model",
            match &model {
                Model::Missing => "there is none at the place given".to_owned(),
                Model::Unusable(fault) => format!("cannot be used: {fault}"),
                Model::Read { size, .. } => bytes(*size),
            },
        ),
    ];
    let facts = if let Model::Read { recognizer, .. } = &model { Some(info::facts(recognizer)) } else { None };
    output.print_result(&object(&model), info::listed(program.into_iter().chain(facts.into_iter().flatten())))?;
    Ok(ExitStatus::Done)
}

/// The state of the file at the model's path.
enum Model {
    Missing,
    /// It is there and cannot be used, for this reason.
    Unusable(String),
    Read {
        size: u64,
        recognizer: Box<Recognizer>,
    },
}

impl Model {
    fn read(path: &Path) -> Self {
        match store::load(path) {
            Ok(recognizer) => Self::Read {
                size: std::fs::metadata(path).map_or(0, |metadata| metadata.len()),
                recognizer: Box::new(recognizer),
            },
            Err(Error::Model { problem, .. }) => match problem {
                ModelProblem::Missing => Self::Missing,
                // Their reasons quote what stands in the file.
                ModelProblem::Layout { .. } => Self::Unusable("is not laid out as a model is".to_owned()),
                ModelProblem::Json { .. } => Self::Unusable("has a text field with unexpected contents".to_owned()),
                ModelProblem::Array { .. } => Self::Unusable("has an array with unexpected contents".to_owned()),
                // They quote nothing.
                problem => Self::Unusable(problem.to_string()),
            },
            // Other messages name files.
            Err(_) => Self::Unusable("cannot be read".to_owned()),
        }
    }
}

fn object(model: &Model) -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "system": std::env::consts::OS,
        "architecture": std::env::consts::ARCH,
        "build": system().get(2..).unwrap_or_default(),
        "instructions": instructions(),
        "features": features(),
        "cores": cores(),
        "threads": rayon::current_num_threads(),
        "model": match model {
            Model::Missing => Value::Null,
            Model::Unusable(fault) => json!({ "problem": fault }),
            Model::Read { size, recognizer } => {
                let mut object = records::model(recognizer);
                if let Some(fields) = object.as_object_mut() {
                    fields.insert("bytes".to_owned(), (*size).into());
                }
                object
            }
        },
    })
}

/// Operating system, architecture, and then the properties of this build.
pub fn system() -> Vec<&'static str> {
    let told_apart = [
        (cfg!(target_env = "gnu"), "gnu"),
        (cfg!(target_env = "musl"), "musl"),
        (cfg!(target_env = "msvc"), "msvc"),
        (cfg!(target_feature = "crt-static"), "static"),
        (cfg!(debug_assertions), "with debug assertions"),
    ];
    [std::env::consts::OS, std::env::consts::ARCH].into_iter().chain(applying(&told_apart)).collect()
}

fn features() -> Vec<&'static str> {
    applying(&[
        (cfg!(feature = "postgres"), "postgres"),
        (cfg!(feature = "serve"), "serve"),
        (cfg!(feature = "heic"), "heic"),
    ])
}

/// The vector instructions of this machine that make a difference here.
#[cfg(target_arch = "x86_64")]
pub fn instructions() -> Vec<&'static str> {
    applying(&[
        (is_x86_feature_detected!("sse4.1"), "sse4.1"),
        (is_x86_feature_detected!("avx"), "avx"),
        (is_x86_feature_detected!("avx2"), "avx2"),
        (is_x86_feature_detected!("fma"), "fma"),
        (is_x86_feature_detected!("avxvnni"), "avxvnni"),
        (is_x86_feature_detected!("avx512f"), "avx512f"),
        (is_x86_feature_detected!("avx512bw"), "avx512bw"),
        (is_x86_feature_detected!("avx512vnni"), "avx512vnni"),
        (is_x86_feature_detected!("sha"), "sha"),
    ])
}

/// The vector instructions of this machine that make a difference here.
#[cfg(target_arch = "aarch64")]
pub fn instructions() -> Vec<&'static str> {
    applying(&[
        (std::arch::is_aarch64_feature_detected!("neon"), "neon"),
        (std::arch::is_aarch64_feature_detected!("sha2"), "sha2"),
    ])
}

/// No instructions are chosen at run time here.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn instructions() -> Vec<&'static str> {
    Vec::new()
}

fn applying(told: &[(bool, &'static str)]) -> Vec<&'static str> {
    told.iter().filter(|(applies, _)| *applies).map(|(_, name)| *name).collect()
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

pub fn listed(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
