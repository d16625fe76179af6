//! Faces that were named in photo managers: XMP in files beside a photo and in the photo itself.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::PhotoFile;
use super::damaged::io_reason;
use super::extension::{RAW_EXTENSIONS, has_extension, has_image_extension};
use super::open::open_file;
use super::picasa;

use crate::xmp::{self, PhotoLayout, Region, Regions, XmpProblem};

/// The names of faces beside photos and inside them; each folder is listed once.
#[derive(Debug, Default)]
pub struct NameSources {
    folders: Mutex<HashMap<PathBuf, Arc<Sidecars>>>,
}

/// The files of a folder that names may stand in.
#[derive(Debug, Default)]
struct Sidecars {
    /// XMP files as they are spelt, by their names in lower case.
    xmp: HashMap<String, Vec<OsString>>,
    /// The names of photos by the name of the sidecar, in lower case, that each would have without its extension.
    photos: HashMap<String, Vec<String>>,
    picasa: Option<OsString>,
}

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
    /// Errors: Names whose place in the photo is not known.
    pub fn named_faces(&self, photo: &PhotoLayout) -> Result<Vec<Region>, NameFault> {
        self.regions.named_faces(photo).map_err(|problem| NameFault::of(self.sidecar.as_deref(), problem))
    }
}

/// Names that cannot be read, or that belong to an unknown place in the photo.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", .sidecar.as_deref().map_or("names in the photo itself".into(), Path::to_string_lossy))]
pub struct NameFault {
    sidecar: Option<PathBuf>,
    reason: String,
}

impl NameFault {
    fn of(sidecar: Option<&Path>, problem: XmpProblem) -> Self {
        Self { sidecar: sidecar.map(Path::to_owned), reason: problem.to_string() }
    }
}

impl NameSources {
    /// Other photos of the same name, raw files apart, whose sidecar Lightroom's `photo.xmp` would be too.
    pub fn namesakes(&self, photo: &Path) -> Vec<String> {
        let is_raw = |name: &str| has_extension(Path::new(name), RAW_EXTENSIONS);
        let own = photo.file_name().unwrap_or_default().to_string_lossy();
        let mut others = self.of_stem(photo);
        others.retain(|name| *name != own && !is_raw(name));
        others
    }

    /// The regions of everything that may name faces of a photo, but for the sidecar `except`, or the photo itself: files beside it
    /// (`photo.jpg.xmp`, and `photo.xmp` as Lightroom has it, in letters of whatever case), and the photo itself.
    pub fn of(&self, photo: &Path, file: &PhotoFile, except: Option<&Path>) -> Result<Vec<NameSource>, NameFault> {
        let mut sources = Vec::new();
        for sidecar in self.beside(photo) {
            if Some(sidecar.as_path()) == except {
                continue;
            }
            let content = read(&sidecar).map_err(|error| unreadable(&sidecar, &error))?;
            let regions = xmp::read(&content).map_err(|problem| NameFault::of(Some(&sidecar), problem))?;
            if self.is_of(&sidecar, &regions, photo)? {
                sources.push(NameSource { sidecar: Some(sidecar), regions });
            }
        }
        sources.extend(self.picasa(photo)?);
        if except == Some(photo) {
            return Ok(sources);
        }
        let fault = |problem| NameFault::of(None, problem);
        for packet in xmp::embedded(file.bytes()).map_err(fault)? {
            let regions = xmp::read(&packet).map_err(fault)?;
            sources.push(NameSource { sidecar: None, regions });
        }
        Ok(sources)
    }

    /// Whether a sidecar belongs to this photo: `photo.jpg.xmp` does, `photo.xmp` only if it names no other extension.
    /// Errors: it names faces, may be one of several photos', and does not say whose.
    fn is_of(&self, sidecar: &Path, regions: &Regions, photo: &Path) -> Result<bool, NameFault> {
        let name = sidecar.file_name().unwrap_or_default();
        if name.to_string_lossy().to_lowercase() == sidecar_name(photo.file_name().unwrap_or_default()) {
            return Ok(true);
        }
        if let Some(belongs) = self.belongs(regions, photo) {
            return Ok(belongs);
        }
        if !regions.name_faces() {
            return Ok(true);
        }
        let photos = self.of_stem(photo);
        Err(NameFault {
            sidecar: Some(sidecar.to_owned()),
            reason: format!(
                "it may be that of {} and does not say which; rename it after its photo: {}.xmp",
                photos.join(" or "),
                photos[0]
            ),
        })
    }

    /// Whether what `photo.xmp` says is of this photo; `None` where it does not say whose it is, and others have that name.
    pub(super) fn belongs(&self, regions: &Regions, photo: &Path) -> Option<bool> {
        match &regions.extension {
            Some(extension) => Some(has_extension(photo, &[extension.as_str()])),
            None => (self.of_stem(photo).len() < 2).then_some(true),
        }
    }

    /// The photos in its folder that are called as this one but for the extension, itself among them.
    fn of_stem(&self, photo: &Path) -> Vec<String> {
        let key = sidecar_name(photo.file_stem().unwrap_or_default());
        self.sidecars(photo.parent().unwrap_or(Path::new(""))).photos.get(&key).cloned().unwrap_or_default()
    }

    fn picasa(&self, photo: &Path) -> Result<Option<NameSource>, NameFault> {
        let (Some(folder), Some(name)) = (photo.parent(), photo.file_name()) else { return Ok(None) };
        let Some(ini) = self.sidecars(folder).picasa.as_ref().map(|ini| folder.join(ini)) else { return Ok(None) };
        let content = read(&ini).map_err(|error| unreadable(&ini, &error))?;
        let regions = picasa::regions(&String::from_utf8_lossy(&content), &name.to_string_lossy());
        Ok((!regions.list.is_empty()).then_some(NameSource { sidecar: Some(ini), regions }))
    }

    fn beside(&self, photo: &Path) -> Vec<PathBuf> {
        let (Some(folder), Some(name)) = (photo.parent(), photo.file_name()) else { return Vec::new() };
        let whole = sidecar_name(name);
        let stem = sidecar_name(photo.file_stem().unwrap_or(name));
        let sidecars = self.sidecars(folder);
        let keys = [Some(&whole), Some(&stem).filter(|stem| **stem != whole)];
        let spelt = keys.into_iter().flatten().filter_map(|key| sidecars.xmp.get(key));
        spelt.flatten().map(|name| folder.join(name)).filter(|sidecar| sidecar != photo).collect()
    }

    fn sidecars(&self, folder: &Path) -> Arc<Sidecars> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(folders.entry(folder.to_owned()).or_insert_with(|| Arc::new(listed(folder))))
    }
}

/// The name of the sidecar of a photo of this name, in lower case.
fn sidecar_name(photo: &OsStr) -> String {
    photo.to_string_lossy().to_lowercase() + ".xmp"
}

fn listed(folder: &Path) -> Sidecars {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut sidecars = Sidecars::default();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let lower = name.to_string_lossy().to_lowercase();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        if lower.ends_with(".xmp") {
            sidecars.xmp.entry(lower).or_default().push(name);
        } else if picasa::FILES.contains(&lower.as_str()) {
            sidecars.picasa = Some(name);
        } else if has_image_extension(Path::new(&name)) {
            let key = sidecar_name(Path::new(&name).file_stem().unwrap_or_default());
            sidecars.photos.entry(key).or_default().push(name.to_string_lossy().into_owned());
        }
    }
    sidecars.xmp.values_mut().for_each(|names| names.sort());
    sidecars.photos.values_mut().for_each(|names| names.sort());
    sidecars
}

fn unreadable(sidecar: &Path, error: &io::Error) -> NameFault {
    NameFault {
        sidecar: Some(sidecar.to_owned()),
        reason: format!("cannot be read ({}); check its permissions", io_reason(error)),
    }
}

fn read(sidecar: &Path) -> io::Result<Vec<u8>> {
    let mut packet = Vec::new();
    // One byte too many is refused by whoever reads the packet.
    let mut file = open_file(sidecar)?.take(xmp::MOST_BYTES as u64 + 1);
    file.read_to_end(&mut packet)?;
    Ok(packet)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Limits;

    const NAMED: &str = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description \
        xmlns:photoshop='http://ns.adobe.com/photoshop/1.0/' xmlns:MP='http://ns.microsoft.com/photo/1.2/' \
        xmlns:i='http://ns.microsoft.com/photo/1.2/t/RegionInfo#' xmlns:g='http://ns.microsoft.com/photo/1.2/t/Region#' FOR>\
        <MP:RegionInfo rdf:parseType='Resource'><i:Regions><rdf:Bag><rdf:li g:PersonDisplayName='Rose' g:Rectangle='0.2, 0.4, 0.1, 0.2'/>\
        </rdf:Bag></i:Regions></MP:RegionInfo></rdf:Description></rdf:RDF>";

    #[test]
    fn a_sidecar_is_its_own_photos() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let photo = PhotoFile::from_bytes(b"P5\n1 1\n255\n\0".to_vec(), &Limits::default());
        let of = |name: &str| NameSources::default().of(&at(name), &photo, None);
        fs::write(at("a.png"), b"x").unwrap();
        fs::write(at("a.xmp"), NAMED.replace("FOR", "")).unwrap();
        assert_eq!(of("a.png").unwrap().len(), 1);
        fs::write(at("a.jpg"), b"x").unwrap();
        let fault = of("a.png").unwrap_err().to_string();
        assert!(fault.contains("a.jpg or a.png"), "{fault}");
        let of_png = NAMED.replace("FOR", "photoshop:SidecarForExtension='PNG'");
        fs::write(at("a.xmp"), of_png).unwrap();
        assert_eq!((of("a.png").unwrap().len(), of("a.jpg").unwrap().len()), (1, 0));
        fs::write(at(".picasa.ini"), "[Contacts2]\nab=Bo;;\n[a.jpg]\nfaces=rect64(40004000c000c000),ab\n").unwrap();
        let sources = of("a.jpg").unwrap();
        assert_eq!(sources[0].regions.list[0].name.as_deref(), Some("Bo"));
    }
}
