//! Sidecars: XMP files beside photos, which other programs write too.
//!
//! A sidecar is read, added to, and replaced as a whole, unless another program has changed it meanwhile.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::replace::{self, Existing, Privacy};
use super::target::TargetFile;
use crate::error::{Error, Result, WriteProblem};
use crate::xmp::{self, EmbedProblem};

/// The kind of file that names are written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NamesIn {
    /// `photo.jpg.xmp` beside the photo, as digiKam, darktable, immich and PhotoPrism have it.
    #[default]
    Beside,
    /// The photo itself, as Lightroom has it for JPEGs.
    Inside,
    /// `photo.xmp` beside the photo, as Lightroom has it for raw files.
    Lightroom,
}

impl FromStr for NamesIn {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "beside" => Ok(Self::Beside),
            "inside" => Ok(Self::Inside),
            "lightroom" => Ok(Self::Lightroom),
            _ => {
                Err("expected `beside` (photo.jpg.xmp), `inside` (in the photo) or `lightroom` (photo.xmp)".to_owned())
            }
        }
    }
}

/// A photo's sidecar as it was read, where there is one; or the XMP in the photo.
#[derive(Debug)]
pub struct Sidecar {
    place: TargetFile,
    content: Option<Vec<u8>>,
    /// The photo, where its own XMP is meant.
    photo: Option<Vec<u8>>,
}

impl Sidecar {
    /// The sidecar of a photo, or its own XMP.
    /// Errors: A symbolic link, a folder, or a file that cannot be read; a photo with several packets.
    pub fn of(photo: &Path, names: NamesIn) -> Result<Self> {
        let path = match names {
            NamesIn::Beside => Self::path_of(photo),
            NamesIn::Lightroom => photo.with_extension("xmp"),
            NamesIn::Inside => photo.to_owned(),
        };
        let place = TargetFile::unlinked(&path)?;
        if names != NamesIn::Inside {
            let content = read(&place.file).map_err(|error| place.error(error))?;
            return Ok(Self { place, content, photo: None });
        }
        let file = fs::read(&place.file).map_err(|error| place.error(error))?;
        let wrong = |problem| Error::write(&path, WriteProblem::Xmp(problem));
        let packets = xmp::embedded(&file).map_err(|_| wrong(EmbedProblem::Damaged))?;
        if packets.len() > 1 {
            return Err(wrong(EmbedProblem::Several));
        }
        Ok(Self { place, content: packets.first().map(|packet| packet.to_vec()), photo: Some(file) })
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
        self.content.as_deref().unwrap_or_default().windows(namespace.len()).any(|window| window == namespace)
    }

    /// Whether it is protected: replacing a file asks its folder alone for permission.
    pub fn is_read_only(&self) -> bool {
        fs::metadata(&self.place.file).is_ok_and(|file| file.permissions().readonly())
    }

    /// Replaces it as a whole, or leaves it as it is.
    /// Errors: [`Error::Write`]: among others, that another program has changed it since it was read.
    pub fn replace(self, content: &[u8]) -> Result<()> {
        let problem = |problem| Error::write(&self.place.named, problem);
        let (was, new) = match &self.photo {
            Some(photo) => {
                let new = xmp::embed(photo, content).map_err(|error| problem(WriteProblem::Xmp(error)))?;
                (&self.photo, Cow::Owned(new))
            }
            None => (&self.content, Cow::Borrowed(content)),
        };
        let permit = || {
            let now = if self.photo.is_some() { fs::read(&self.place.file).map(Some) } else { read(&self.place.file) };
            match now.map_err(|error| self.place.error(error))? {
                now if now != *was => Err(problem(WriteProblem::Changed)),
                Some(_) => Ok(Existing::Replaceable),
                None => Ok(Existing::Nothing),
            }
        };
        // Other programs are to read it, whoever they run as: the umask decides, or the sidecar that is there.
        replace::install(&self.place, Privacy::Public, permit, |out| out.write_all(&new))
    }
}

/// The bytes of a file, one more than a sidecar may have at most; `None` where there is no file.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
        Ok(about) if !about.is_file() => return Err(io::Error::other("it is not an ordinary file")),
        Ok(_) => {}
    }
    let mut content = Vec::new();
    File::open(path)?.take(xmp::MOST_BYTES as u64 + 1).read_to_end(&mut content)?;
    Ok(Some(content))
}
