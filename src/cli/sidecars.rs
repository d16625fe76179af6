//! Names written into sidecars, where photo managers read them (`--write-xmp`).

use std::path::Path;

use eigenfaces::dataset::{PhotoFile, is_standard_input};
use eigenfaces::store::Sidecar;
use eigenfaces::xmp::{
    Content, NamedFace, Outcome, Region, Written, XmpProblem, named_faces, stored_areas, write,
};

use super::error::{Error, Result};
use super::output::{Output, counted, shown};

/// Whether sidecars are written, or it is only said what would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    Done,
    Told,
}

pub struct Named<'a> {
    /// Left, top, width and height in the upright photo.
    pub bounds: [f32; 4],
    pub name: &'a str,
    /// `None` where a person gave the name.
    pub confidence: Option<f64>,
}

pub struct Sidecars {
    writing: Writing,
    photos: usize,
    names: usize,
}

impl Sidecars {
    pub fn new(writing: Writing) -> Self {
        Self {
            writing,
            photos: 0,
            names: 0,
        }
    }

    /// Writes the names of a photo's faces into its sidecar. A face that a person has named elsewhere, in the photo itself or in
    /// Lightroom's `photo.xmp`, is left alone.
    ///
    /// # Errors
    /// A photo that cannot be read; a sidecar that cannot be read or written, which is left as it is.
    pub fn add(&mut self, photo: &Path, faces: &[Named<'_>], output: &Output) -> Result<()> {
        if faces.is_empty() || is_standard_input(photo) {
            return Ok(());
        }
        let unusable = |problem| eigenfaces::Error::photo(photo, problem);
        let sidecar = Sidecar::of(photo)?;
        let wrong = |problem: XmpProblem| Error::about(sidecar.path(), problem);
        let file = PhotoFile::read(photo).map_err(unusable)?;
        let (displayed, exif) = file.header().map_err(unusable)?;
        let bounds: Vec<[f32; 4]> = faces.iter().map(|face| face.bounds).collect();
        let (stored, areas) = stored_areas(displayed, exif, &bounds);
        let mut named: Vec<NamedFace<'_>> = faces
            .iter()
            .zip(&areas)
            .map(|(face, &area)| NamedFace {
                area,
                name: face.name,
                confidence: face.confidence,
            })
            .collect();
        for packet in file.xmp(photo) {
            // One that cannot be read says nothing here; the sidecar itself is refused below.
            let regions = named_faces(&packet, stored).unwrap_or_default();
            self.keep_names(&mut named, &regions, sidecar.path(), output);
        }
        if named.is_empty() {
            return Ok(());
        }
        let Written { content, outcomes } =
            write(sidecar.content(), stored, &named).map_err(wrong)?;
        let path = sidecar.path().to_owned();
        if let Content::Changed(bytes) = content {
            if self.writing == Writing::Done {
                sidecar.replace(&bytes)?;
            }
            self.photos += 1;
        }
        self.count(&path, &named, &outcomes, output);
        Ok(())
    }

    /// Leaves out the faces that have a name already, given by a person.
    fn keep_names(
        &self,
        faces: &mut Vec<NamedFace<'_>>,
        regions: &[Region],
        sidecar: &Path,
        output: &Output,
    ) {
        faces.retain(|face| {
            let same = |region: &&Region| region.area.same_face(&face.area).is_some();
            let Some(name) = regions
                .iter()
                .find(same)
                .and_then(|region| region.name.as_deref())
            else {
                return true;
            };
            if name != face.name {
                self.say_kept(sidecar, name, face.name, output);
            }
            false
        });
    }

    fn say_kept(&self, sidecar: &Path, name: &str, guess: &str, output: &Output) {
        output.say(&format!(
            "{}: {name} stays, which a person gave; {guess} is not written",
            shown(sidecar)
        ));
    }

    fn count(
        &mut self,
        sidecar: &Path,
        faces: &[NamedFace<'_>],
        outcomes: &[Outcome],
        output: &Output,
    ) {
        for (face, outcome) in faces.iter().zip(outcomes) {
            match outcome {
                Outcome::Added | Outcome::Named | Outcome::Updated { .. } => {
                    self.names += 1;
                    if self.writing == Writing::Told {
                        output.say(&format!(
                            "{}: {} would be written",
                            shown(sidecar),
                            face.name
                        ));
                    }
                }
                Outcome::NamedAlready { name } if name != face.name => {
                    self.say_kept(sidecar, name, face.name, output);
                }
                Outcome::Unchanged | Outcome::NamedAlready { .. } | Outcome::NameRemoved { .. } => {
                }
            }
        }
    }

    pub fn report(&self, output: &Output) {
        let done = match self.writing {
            Writing::Done => "wrote",
            Writing::Told => "would write",
        };
        output.say(&format!(
            "{done} {} into {}",
            counted(self.names, "name", "names"),
            counted(self.photos, "sidecar", "sidecars")
        ));
    }
}
