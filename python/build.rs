//! Packs the rendered faces of the repository into the extension module, so that examples run without a download.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../faces");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut faces: Vec<(String, String, PathBuf)> = Vec::new();
    for person in fs::read_dir(&folder)? {
        let person = person?.path();
        if !person.is_dir() {
            continue;
        }
        for photo in fs::read_dir(&person)? {
            let photo = photo?.path();
            if photo.extension().is_some_and(|extension| extension == "png") {
                let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
                let (Some(person), Some(file)) = (name(&person), name(&photo)) else {
                    continue;
                };
                faces.push((person, file, photo.canonicalize()?));
            }
        }
    }
    if faces.is_empty() {
        return Err(format!("{} has no faces", folder.display()).into());
    }
    faces.sort();
    let mut code = String::from("pub const FACES: &[(&str, &[u8])] = &[\n");
    for (person, _, path) in faces {
        writeln!(code, "    ({person:?}, include_bytes!({path:?})),")?;
    }
    code.push_str("];\n");
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("faces.rs");
    fs::write(out, code)?;
    Ok(())
}
