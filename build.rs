//! Finds the face detector's trained model in the package that publishes it and puts a copy into OUT_DIR.
//!
//! The `rustface` package on crates.io contains the trained SeetaFace model. As a dependency of this build it is
//! unpacked already, so nothing is downloaded and nothing is copied into this repository.
//! Where it lies is asked of `cargo metadata` (right for registries, vendored sources and patches alike);
//! should that fail, the registry's source folders are searched.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The model's place inside the package, and its size: a wrong or cut file must stop the build.
const MODEL_IN_PACKAGE: &str = "model/seeta_fd_frontal_v1.0.bin";
const MODEL_BYTES: u64 = 1_209_904;
const PACKAGE: &str = "rustface";

/// Names a model file outright, for builds where Cargo cannot be asked.
const OVERRIDE: &str = "EIGENFACES_DETECTOR_MODEL";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=Cargo.lock");
    println!("cargo::rerun-if-env-changed={OVERRIDE}");

    let model = find_model().ok_or_else(|| {
        format!(
            "the face detector's model was not found beside the sources of `{PACKAGE}`; \
             run `cargo fetch`, or set {OVERRIDE} to a copy of {MODEL_IN_PACKAGE}"
        )
    })?;
    println!("cargo::rerun-if-changed={}", model.display());
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    fs::copy(&model, out.join("face_detector.bin"))?;
    Ok(())
}

fn find_model() -> Option<PathBuf> {
    let named = env::var_os(OVERRIDE).map(PathBuf::from);
    let complete = |path: &PathBuf| fs::metadata(path).is_ok_and(|file| file.len() == MODEL_BYTES);
    named
        .into_iter()
        .chain(package_folder_by_metadata().map(in_package))
        .chain(package_folders_in_registries().into_iter().map(in_package))
        .find(complete)
}

fn in_package(folder: PathBuf) -> PathBuf {
    folder.join(MODEL_IN_PACKAGE)
}

/// What Cargo itself says. Offline: everything this build needs is on disk by now.
fn package_folder_by_metadata() -> Option<PathBuf> {
    let output = Command::new(env::var_os("CARGO")?)
        .args([
            "metadata",
            "--offline",
            "--format-version",
            "1",
            "--filter-platform",
        ])
        .arg(env::var_os("TARGET")?)
        .arg("--manifest-path")
        .arg(Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).join("Cargo.toml"))
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    let packages = metadata["packages"].as_array()?;
    let package = packages.iter().find(|package| package["name"] == PACKAGE)?;
    Path::new(package["manifest_path"].as_str()?)
        .parent()
        .map(Path::to_path_buf)
}

/// Unpacked packages of every registry (`$CARGO_HOME/registry/src/REGISTRY/PACKAGE-VERSION`), and the
/// neighbours of this package, which is itself unpacked there when it is built as a dependency.
fn package_folders_in_registries() -> Vec<PathBuf> {
    let cargo_home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    let registries = cargo_home.map(|home| home.join("registry").join("src"));
    let mut sources: Vec<PathBuf> = registries
        .iter()
        .flat_map(|folder| entries(folder))
        .collect();
    let own = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    sources.extend(own.as_deref().and_then(Path::parent).map(Path::to_path_buf));

    let mut packages: Vec<PathBuf> = sources
        .iter()
        .flat_map(|source| entries(source))
        .filter(|path| {
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            name.strip_prefix(PACKAGE)
                .is_some_and(|rest| rest.starts_with('-'))
        })
        .collect();
    packages.sort();
    packages
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(read) = fs::read_dir(folder) else {
        return Vec::new();
    };
    read.flatten().map(|entry| entry.path()).collect()
}
