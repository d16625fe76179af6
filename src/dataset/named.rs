//! Faces that were named in photo managers: XMP in files beside a photo and in the photo itself.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::PhotoFile;
use super::damaged::io_reason;
use super::open::open_file;
use crate::xmp::{self, PhotoLayout, Region, Regions, XmpProblem};

/// The names of faces beside photos and inside them; each folder is listed once.
#[derive(Debug, Default)]
pub struct NameSources {
    folders: Mutex<HashMap<PathBuf, Arc<Sidecars>>>,
}

/// The XMP files of a folder as they are spelt, by their names in lower case.
type Sidecars = HashMap<String, Vec<OsString>>;

/// The regions of one packet of a photo.
#[derive(Debug)]
pub struct NameSource {
    /// The file beside the photo; `None` for the photo itself.
    pub sidecar: Option<PathBuf>,
    /// What it says.
    pub regions: Regions,
}

impl NameSource {
    /// The faces that a person, or another program, has named, in the photo as stored.
    ///
    /// # Errors
    /// Names whose place in the photo is not known.
    pub fn named_faces(&self, photo: &PhotoLayout) -> Result<Vec<Region>, NameFault> {
        let fault = |problem| NameFault::of(self.sidecar.as_deref(), problem);
        self.regions.named_faces(photo).map_err(fault)
    }
}

/// Names that cannot be read, or that belong to an unknown place in the photo.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct NameFault {
    sidecar: Option<PathBuf>,
    reason: String,
}

impl NameFault {
    fn of(sidecar: Option<&Path>, problem: XmpProblem) -> Self {
        Self {
            sidecar: sidecar.map(Path::to_owned),
            reason: problem.to_string(),
        }
    }
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.sidecar {
            Some(sidecar) => write!(f, "{}: {}", sidecar.display(), self.reason),
            None => write!(f, "names in the photo itself: {}", self.reason),
        }
    }
}

impl NameSources {
    /// The regions of everything that may name faces of a photo, but for the sidecar `except`: files beside it
    /// (`photo.jpg.xmp`, and `photo.xmp` as Lightroom has it, in letters of whatever case), and the photo itself.
    ///
    /// # Errors
    /// The first that cannot be read.
    pub fn of(
        &self,
        photo: &Path,
        file: &PhotoFile,
        except: Option<&Path>,
    ) -> Result<Vec<NameSource>, NameFault> {
        let mut sources = Vec::new();
        for sidecar in self.beside(photo) {
            if Some(sidecar.as_path()) == except {
                continue;
            }
            let content = read(&sidecar).map_err(|error| NameFault {
                sidecar: Some(sidecar.clone()),
                reason: format!(
                    "cannot be read ({}); check its permissions",
                    io_reason(&error)
                ),
            })?;
            let fault = |problem| NameFault::of(Some(&sidecar), problem);
            let regions = xmp::read(&content).map_err(fault)?;
            let sidecar = Some(sidecar);
            sources.push(NameSource { sidecar, regions });
        }
        let fault = |problem| NameFault::of(None, problem);
        for packet in xmp::embedded(file.bytes()).map_err(fault)? {
            let regions = xmp::read(&packet).map_err(fault)?;
            let sidecar = None;
            sources.push(NameSource { sidecar, regions });
        }
        Ok(sources)
    }

    /// The XMP files beside a photo.
    fn beside(&self, photo: &Path) -> Vec<PathBuf> {
        let (Some(folder), Some(name)) = (photo.parent(), photo.file_name()) else {
            return Vec::new();
        };
        let whole = sidecar_name(name);
        let stem = sidecar_name(photo.file_stem().unwrap_or(name));
        let sidecars = self.sidecars(folder);
        let keys = [Some(&whole), Some(&stem).filter(|stem| **stem != whole)];
        let spelt = keys
            .into_iter()
            .flatten()
            .filter_map(|key| sidecars.get(key));
        let spelt = spelt.flatten().map(|name| folder.join(name));
        spelt.filter(|sidecar| sidecar != photo).collect()
    }

    fn sidecars(&self, folder: &Path) -> Arc<Sidecars> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let listed = || Arc::new(listed(folder));
        Arc::clone(folders.entry(folder.to_owned()).or_insert_with(listed))
    }
}

/// The name of the sidecar of a photo of this name, in lower case.
fn sidecar_name(photo: &OsStr) -> String {
    photo.to_string_lossy().to_lowercase() + ".xmp"
}

fn listed(folder: &Path) -> Sidecars {
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let mut sidecars = Sidecars::new();
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let lower = name.to_string_lossy().to_lowercase();
        if lower.ends_with(".xmp") && !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            sidecars.entry(lower).or_default().push(name);
        }
    }
    sidecars.values_mut().for_each(|names| names.sort());
    sidecars
}

fn read(sidecar: &Path) -> io::Result<Vec<u8>> {
    let mut packet = Vec::new();
    // One byte too many is refused by whoever reads the packet.
    let mut file = open_file(sidecar)?.take(xmp::MOST_BYTES as u64 + 1);
    file.read_to_end(&mut packet)?;
    Ok(packet)
}
