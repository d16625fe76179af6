//! Names written into sidecars or photos, where photo managers read them (`--write-xmp`).

use std::path::Path;

use crate::dataset::{NameSources, PhotoFile, is_page, is_standard_input};
use crate::enrollment::Observer;
use crate::error::{Error, Result};
use crate::store::{NamesIn, Sidecar, has_other_names};
use crate::text::{counted, shown};
use crate::xmp::{Content, NamedFace, Outcome, OwnNames, PhotoLayout, Region, Written, XmpProblem, write};

/// Whether sidecars are written, or it is a dry run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    Done,
    Told,
}

#[derive(Debug)]
pub struct NameAt<'a> {
    /// Left, top, width and height in the upright photo.
    pub bounds: [f32; 4],
    pub name: &'a str,
    /// `None` where a person gave the name.
    pub confidence: Option<f64>,
}

/// The sidecars of one run, and what was done to them.
#[derive(Debug)]
pub struct Sidecars {
    writing: Writing,
    names_in: NamesIn,
    own: OwnNames,
    sources: NameSources,
    photos: usize,
    names: usize,
    withdrawn: usize,
    /// Names that were not written, for a person had given another.
    kept: usize,
}

impl Sidecars {
    pub fn new(writing: Writing, names_in: NamesIn, own: OwnNames) -> Self {
        Self { writing, names_in, own, sources: NameSources::default(), photos: 0, names: 0, withdrawn: 0, kept: 0 }
    }

    /// Writes names of a photo's faces, all of which are at `faces`, into its sidecar. A face that a person has named elsewhere,
    /// in the photo itself or in Lightroom's `photo.xmp`, is left alone.
    /// Errors: a photo or anything about names in or beside it that cannot be read or placed: then nothing is written.
    pub fn add(
        &mut self,
        photo: &Path,
        faces: &[[f32; 4]],
        named: &[NameAt<'_>],
        observer: &dyn Observer,
    ) -> Result<()> {
        if is_standard_input(photo) {
            return Ok(());
        }
        if is_page(photo) {
            let page = "names are not written for a page of a file: save the pages as photos";
            return if named.is_empty() { Ok(()) } else { Err(Error::about(photo, page)) };
        }
        let sidecar = Sidecar::of(photo, self.names_in)?;
        let is_shared = self.names_in == NamesIn::Lightroom;
        let namesakes = if is_shared { self.sources.namesakes(photo) } else { Vec::new() };
        if let Some(other) = namesakes.first() {
            let shared = format_args!(
                "{} would be the sidecar of {other} too; --write-xmp writes beside each, --write-xmp=inside into the photo",
                shown(sidecar.path())
            );
            return Err(Error::about(photo, shared));
        }
        let may_withdraw = self.own == OwnNames::Withdraw && sidecar.has_own_names();
        if named.is_empty() && !may_withdraw {
            return Ok(());
        }
        let unusable = |problem| Error::photo(photo, problem);
        let file = PhotoFile::read(photo).map_err(unusable)?;
        let (displayed, exif) = file.header().map_err(unusable)?;
        // Faces were found in the decoded photo, which is smaller where the photo is very large.
        let reduction = file.reduction().map_err(unusable)? as f32;
        let in_photo = |bounds: &[f32; 4]| bounds.map(|edge| edge * reduction);
        let faces: Vec<[f32; 4]> = faces.iter().map(in_photo).collect();
        let layout = PhotoLayout::new(displayed, exif, &faces);
        let unwritten = |fault: String| {
            let reason = "no name is written for it, because one that a person gave could be lost";
            Error::about(photo, format_args!("{reason}: {fault}"))
        };
        let sources = self.sources.of(photo, &file, Some(sidecar.path()));
        let sources = sources.map_err(|fault| unwritten(fault.to_string()))?;
        let mut given = Vec::new();
        for source in &sources {
            given.extend(source.named_faces(&layout).map_err(|fault| unwritten(fault.to_string()))?);
        }
        let named = named.iter().filter_map(|face| {
            let area = layout.area(&in_photo(&face.bounds))?;
            Some(NamedFace { area, name: face.name, confidence: face.confidence })
        });
        let mut named: Vec<NamedFace<'_>> = named.collect();
        // Faces that have a name already, given by a person, are left out.
        named.retain(|face| {
            let same = |region: &&Region| region.area.same_face(&face.area).is_some();
            let name = given.iter().find(same).and_then(|region| region.name.as_deref());
            if let Some(name) = name.filter(|name| *name != face.name) {
                self.say_kept(sidecar.path(), &given_by_person(name), face.name, observer);
            }
            name.is_none()
        });
        if named.is_empty() && !may_withdraw {
            return Ok(());
        }
        let wrong = |problem: XmpProblem| unwritten(format!("{}: {problem}", shown(sidecar.path())));
        let written = write(sidecar.content(), &layout, &named, self.own).map_err(wrong)?;
        let path = sidecar.path().to_owned();
        if let Content::Changed(bytes) = &written.content {
            if sidecar.is_read_only() {
                let protected = format_args!("no name is written for it: {} is read-only", shown(&path));
                return Err(Error::about(photo, protected));
            }
            if self.writing == Writing::Done {
                if self.names_in == NamesIn::Inside && has_other_names(photo) {
                    let says = "has other names (hard links), which keep the photo as it was";
                    observer.say(&format!("{} {says}", shown(photo)));
                }
                sidecar.replace(bytes)?;
            }
            self.photos += 1;
        }
        self.count(&path, &named, &written, observer);
        Ok(())
    }

    fn say_kept(&mut self, sidecar: &Path, reason: &str, guess: &str, observer: &dyn Observer) {
        self.kept += 1;
        observer.say(&format!("{}: {reason}; {guess} is not written", shown(sidecar)));
    }

    fn count(&mut self, sidecar: &Path, faces: &[NamedFace<'_>], written: &Written, observer: &dyn Observer) {
        self.withdrawn += written.withdrawn.len();
        for name in &written.withdrawn {
            let done = if self.writing == Writing::Done { "is withdrawn" } else { "would be withdrawn" };
            observer.say(&format!("{}: {name} {done}", shown(sidecar)));
        }
        for (face, outcome) in faces.iter().zip(&written.outcomes) {
            match outcome {
                Outcome::Added | Outcome::Named | Outcome::Updated { .. } => {
                    self.names += 1;
                    if self.writing == Writing::Told {
                        observer.say(&format!("{}: {} would be written", shown(sidecar), face.name));
                    }
                }
                Outcome::NamedAlready { name } if name != face.name => {
                    self.say_kept(sidecar, &given_by_person(name), face.name, observer);
                }
                Outcome::NameRemoved { .. } => self.say_kept(sidecar, "a name was removed there", face.name, observer),
                Outcome::Unchanged | Outcome::NamedAlready { .. } => {}
            }
        }
    }

    /// Numbers of sidecars that were written, of names in them, and of names that were not written since a person had given another.
    pub fn counts(&self) -> [usize; 3] {
        [self.photos, self.names, self.kept]
    }

    pub fn report(&self, observer: &dyn Observer) {
        let (wrote, withdrew) = match self.writing {
            Writing::Done => ("wrote", "withdrew"),
            Writing::Told => ("would write", "would withdraw"),
        };
        let withdrawn = match self.withdrawn {
            0 => String::new(),
            count => format!("; {withdrew} {} written earlier", counted(count, "name", "names")),
        };
        let (one, many) = if self.names_in == NamesIn::Inside { ("photo", "photos") } else { ("sidecar", "sidecars") };
        let (names, files) = (counted(self.names, "name", "names"), counted(self.photos, one, many));
        observer.say(&format!("{wrote} {names} into {files}{withdrawn}"));
    }
}

fn given_by_person(name: &str) -> String {
    format!("{name} stays, which a person gave")
}
