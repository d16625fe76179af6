//! Sidecars: XMP files beside photos, which other programs write too.
//!
//! A sidecar is read, added to, and replaced as a whole, unless another program has changed it meanwhile.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::place::Place;
use super::replace::{self, Existing, Privacy};
use crate::error::{Error, Result, WriteProblem};
use crate::xmp;

/// A photo's sidecar as it was read, where there is one.
#[derive(Debug)]
pub struct Sidecar {
    place: Place,
    content: Option<Vec<u8>>,
}

impl Sidecar {
    /// The sidecar of a photo: `photo.jpg.xmp`, as digiKam, darktable, immich and PhotoPrism have it.
    ///
    /// # Errors
    /// A symbolic link, a folder, or a file that cannot be read.
    pub fn of(photo: &Path) -> Result<Self> {
        let path = Self::path_of(photo);
        let place = Place::unlinked(&path)?;
        let content = read(&place.file).map_err(|error| place.error(error))?;
        Ok(Self { place, content })
    }

    /// The path of a photo's sidecar.
    pub fn path_of(photo: &Path) -> PathBuf {
        let mut path = photo.to_owned();
        path.as_mut_os_string().push(".xmp");
        path
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.place.named
    }

    /// Its bytes; `None` where there is none yet.
    pub fn content(&self) -> Option<&[u8]> {
        self.content.as_deref()
    }

    /// Whether it may hold names that this program gave.
    pub fn has_own_names(&self) -> bool {
        let namespace = b"ns.eigenfaces.org";
        let content = self.content.as_deref().unwrap_or_default();
        content
            .windows(namespace.len())
            .any(|window| window == namespace)
    }

    /// Replaces it as a whole, or leaves it as it is.
    ///
    /// # Errors
    /// [`Error::Write`]: among others, that another program has changed it since it was read.
    pub fn replace(self, content: &[u8]) -> Result<()> {
        let permit = || {
            let now = read(&self.place.file).map_err(|error| self.place.error(error))?;
            if now != self.content {
                return Err(Error::write(&self.place.named, WriteProblem::Changed));
            }
            Ok(match now {
                Some(_) => Existing::Replaceable,
                None => Existing::Nothing,
            })
        };
        // Other programs are to read it, whoever they run as: the umask decides, or the sidecar that is there.
        replace::install(&self.place, Privacy::Public, permit, |out| {
            out.write_all(content)
        })
    }
}

/// The bytes of a file, one more than a sidecar may have at most; `None` where there is no file.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
        Ok(about) if !about.is_file() => {
            return Err(io::Error::other("it is not an ordinary file"));
        }
        Ok(_) => {}
    }
    let mut content = Vec::new();
    File::open(path)?
        .take(xmp::MOST_BYTES as u64 + 1)
        .read_to_end(&mut content)?;
    Ok(Some(content))
}
