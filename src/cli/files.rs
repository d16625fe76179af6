//! Files that commands write, each as a whole or not at all.

use std::io::{Cursor, Write as _};
use std::path::Path;

use eigenfaces::error::{Error, Result};
use eigenfaces::store::{Privacy, replace_file};
use image::{DynamicImage, ImageFormat};

/// Writes a picture as PNG.
pub fn picture(path: &Path, image: &DynamicImage) -> Result<()> {
    let mut png = Cursor::new(Vec::new());
    image
        .write_to(&mut png, ImageFormat::Png)
        .map_err(|error| Error::Encode {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
    public(path, png.get_ref())
}

/// Writes what may be read by whom the umask lets.
pub fn public(path: &Path, bytes: &[u8]) -> Result<()> {
    replace_file(path, Privacy::Public, |out| out.write_all(bytes))
}

/// Writes what only the owner may read: biometric data.
pub fn private(path: &Path, bytes: &[u8]) -> Result<()> {
    replace_file(path, Privacy::Owner, |out| out.write_all(bytes))
}
