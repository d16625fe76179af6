//! The orientation that a program wrote into a photo's sidecar only.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use image::metadata::Orientation;

use super::extension::has_extension;
use super::named::NameSources;
use super::open::{is_standard_input, open_file};
use crate::xmp;

/// The orientation in `photo.jpg.xmp`, or in `photo.xmp` of this photo; a sidecar that cannot be read turns nothing.
pub(super) fn by_sidecar(photo: &Path) -> Orientation {
    let upright = Orientation::NoTransforms;
    if is_standard_input(photo) || has_extension(photo, &["xmp"]) {
        return upright;
    }
    let own = orientation(&beside(photo), |_| true);
    let is_of_photo = |packet: &[u8]| {
        let regions = xmp::read(packet).ok();
        regions.and_then(|regions| NameSources::default().belongs(&regions, photo)) == Some(true)
    };
    let told = own.or_else(|| orientation(&photo.with_extension("xmp"), is_of_photo));
    told.and_then(Orientation::from_exif).unwrap_or(upright)
}

fn beside(photo: &Path) -> PathBuf {
    let mut path = photo.to_owned();
    path.as_mut_os_string().push(".xmp");
    path
}

fn orientation(sidecar: &Path, is_of_photo: impl Fn(&[u8]) -> bool) -> Option<u8> {
    // Most photos have none.
    sidecar.symlink_metadata().ok()?;
    let mut packet = Vec::new();
    open_file(sidecar).ok()?.take(xmp::MOST_BYTES as u64).read_to_end(&mut packet).ok()?;
    xmp::orientation(&packet).filter(|_| is_of_photo(&packet))
}

/// Whether EXIF's number leaves a photo as it lies; cameras without a sensor write it always.
pub(super) fn says_nothing(exif: u8) -> bool {
    !(2..=8).contains(&exif)
}

/// Size and EXIF's number of a photo that the sidecar turns, if the photo itself says nothing.
pub(super) fn header(((width, height), exif): ((u32, u32), u8), turned: Orientation) -> ((u32, u32), u8) {
    match turned.to_exif() {
        turned if !says_nothing(exif) || says_nothing(turned) => ((width, height), exif),
        turned @ 5..=8 => ((height, width), turned),
        turned => ((width, height), turned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::PhotoFile;

    fn sidecar(attributes: &str) -> String {
        format!(
            "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description xmlns:tiff='http://ns.adobe.com/tiff/1.0/' xmlns:photoshop='http://ns.adobe.com/photoshop/1.0/' {attributes}/></rdf:RDF>"
        )
    }

    #[test]
    fn a_sidecar_turns_its_photo() {
        let folder = tempfile::tempdir().unwrap();
        let photo = folder.path().join("a.pgm");
        std::fs::write(&photo, b"P5\n2 1\n255\n\x01\x02").unwrap();
        let decoded = || PhotoFile::read(&photo).unwrap().decode().unwrap();
        assert_eq!(decoded().dimensions(), (2, 1));
        std::fs::write(
            folder.path().join("a.xmp"),
            sidecar("tiff:Orientation='6' photoshop:SidecarForExtension='JPG'"),
        )
        .unwrap();
        assert_eq!(decoded().dimensions(), (2, 1), "another photo's");
        std::fs::write(
            folder.path().join("a.xmp"),
            sidecar("tiff:Orientation='6' photoshop:SidecarForExtension='PGM'"),
        )
        .unwrap();
        assert_eq!(decoded().dimensions(), (1, 2));
        std::fs::write(folder.path().join("a.xmp"), sidecar("tiff:Orientation='6'")).unwrap();
        assert_eq!(decoded().dimensions(), (1, 2), "no other photo has its name");
        std::fs::write(folder.path().join("a.CR2"), "").unwrap();
        assert_eq!(decoded().dimensions(), (2, 1), "it may be the raw file's");
        std::fs::write(folder.path().join("a.pgm.xmp"), sidecar("tiff:Orientation='3'")).unwrap();
        assert_eq!(decoded().as_raw(), &[2, 1]);
        let ((width, height), exif) = PhotoFile::read(&photo).unwrap().header().unwrap();
        assert_eq!((width, height, exif), (2, 1, 3));
        for bad in ["9", "x", ""] {
            std::fs::write(folder.path().join("a.pgm.xmp"), sidecar(&format!("tiff:Orientation='{bad}'"))).unwrap();
            let _ = decoded();
        }
    }

    #[test]
    fn what_the_photo_says_goes_first() {
        assert_eq!(header(((3, 2), 6), Orientation::Rotate180), ((3, 2), 6));
        assert_eq!(header(((3, 2), 1), Orientation::Rotate90), ((2, 3), 6));
    }
}
