//! The places in a photo of faces that were named in it.

use std::cmp::Ordering;

use super::matching::matches;
use super::orientation::{Frame, PhotoLayout};
use super::{Region, Regions, XmpProblem};

impl Regions {
    /// Whether a person, or another program, has named faces.
    pub fn name_faces(&self) -> bool {
        !self.unplaced.is_empty() || self.list.iter().any(Region::is_named_face)
    }

    /// The faces that a person, or another program, has named, in the photo as stored.
    ///
    /// # Errors
    /// [`XmpProblem::OtherPhoto`] where faces were named when the photo had other proportions; [`XmpProblem::NotPlaced`] and
    /// [`XmpProblem::Turned`] where it is not known where they are.
    pub fn named_faces(&self, photo: &PhotoLayout) -> Result<Vec<Region>, XmpProblem> {
        let named: Vec<&Region> = self.list.iter().filter(|it| it.is_named_face()).collect();
        // Of the forms of two programs, one is enough.
        let is_elsewhere = |name: &&String| named.iter().any(|it| it.name.as_ref() == Some(*name));
        if let Some(name) = self.unplaced.iter().find(|name| !is_elsewhere(name)) {
            return Err(XmpProblem::NotPlaced { name: name.clone() });
        }
        if named.is_empty() {
            return Ok(Vec::new());
        }
        let frame = self.frame(photo)?;
        let stored =
            named.into_iter().map(|region| Region { area: photo.to_stored(region.area, frame), ..region.clone() });
        Ok(stored.collect())
    }

    /// The way round the regions were written for: by the size they were made for, else by the faces they lie on.
    pub(super) fn frame(&self, photo: &PhotoLayout) -> Result<Frame, XmpProblem> {
        let fits = |frame| self.fits(photo.size(frame));
        let fits_turned = photo.is_turned() && fits(Frame::Displayed);
        match (self.dimensions, fits(Frame::Stored)) {
            (_, true) if fits_turned => {}
            (Some(_), false) if fits_turned => return Ok(Frame::Displayed),
            (Some(named_in), false) => return Err(XmpProblem::OtherPhoto { named_in, photo: photo.stored() }),
            _ => return Ok(Frame::Stored),
        }
        let named: Vec<Region> = self.list.iter().filter(|region| region.is_named_face()).cloned().collect();
        // This program writes for the photo as stored.
        if named.is_empty() || self.list.iter().any(|region| region.mark.is_some()) {
            return Ok(Frame::Stored);
        }
        let on_faces = |frame| {
            let placed = |region: &Region| Region { area: photo.to_stored(region.area, frame), ..region.clone() };
            let mut pairs = matches(&named.iter().map(placed).collect::<Vec<_>>(), photo.faces());
            pairs.sort_unstable();
            pairs
        };
        let (stored, displayed) = (on_faces(Frame::Stored), on_faces(Frame::Displayed));
        match stored.len().cmp(&displayed.len()) {
            Ordering::Greater => Ok(Frame::Stored),
            Ordering::Less => Ok(Frame::Displayed),
            Ordering::Equal if !stored.is_empty() && stored == displayed => Ok(Frame::Stored),
            Ordering::Equal => Err(XmpProblem::Turned { name: named[0].name.clone().unwrap_or_default() }),
        }
    }
}
