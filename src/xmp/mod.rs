//! Face regions and names in XMP, where digiKam, Lightroom, immich, PhotoPrism and exiftool read and write them.
//!
//! [`read`] gives the regions of a sidecar or of the packet in a JPEG file ([`packet_of_jpeg`]); [`write()`] adds named
//! faces to a sidecar, new or existing, of which every other byte stays. All is done on bytes in memory.
//!
//! | text | said of |
//! |---|---|
//! | Adobe XMP Specification Part 1 (ISO 16684-1) | packets and the forms of properties |
//! | MWG Guidelines for Handling Image Metadata 2.0, "Image Regions" | `mwg-rs:Regions` |
//! | Microsoft Photo 1.2, "People Tagging Overview" | `MP:RegionInfo` |
//!
//! Regions lie in the photo as stored; [`stored_areas`] leads there from the photo as displayed.
//!
//! This program marks the regions that it names by two fields of its own namespace, `http://ns.eigenfaces.org/1.0/`,
//! in `mwg-rs:Extensions`: `eigenfaces:Name` and `eigenfaces:Confidence`. Where `mwg-rs:Name` is no longer the same as
//! `eigenfaces:Name`, a person has corrected it ([`Naming`]).

mod area;
mod decide;
mod document;
mod edit;
mod encoding;
mod face;
mod fragment;
mod jpeg;
mod matching;
mod names;
mod new_region;
mod orientation;
mod parser;
mod problem;
mod rdf;
mod region;
mod scopes;
mod tag;
mod write;
mod writer;

pub use area::{Area, Dimensions};
pub use decide::Outcome;
pub use encoding::MOST_BYTES;
pub use face::NamedFace;
pub use jpeg::packet_of_jpeg;
pub use matching::matches;
pub use orientation::stored_areas;
pub use problem::XmpProblem;
pub use region::{Fit, Kind, Mark, Naming, Region, Regions, Source};
pub use write::{Content, Written, write};

use encoding::Decoded;
use rdf::Packet;

/// The regions of a packet: the bytes of a sidecar, or those that [`packet_of_jpeg`] found.
///
/// Regions whose numbers are missing or out of range are passed over.
///
/// # Errors
/// Where the packet is no XMP that can be read.
pub fn read(packet: &[u8]) -> Result<Regions, XmpProblem> {
    let decoded = Decoded::new(packet)?;
    // Some writers end the packet in a JPEG file with zeros.
    let document = parser::parse(decoded.text.trim_end_matches('\0'))?;
    let packet = Packet::of(&document)?;
    let found = region::all(&packet).into_iter();
    Ok(Regions {
        dimensions: region::dimensions(&packet),
        list: found.map(|found| found.region).collect(),
    })
}

/// The faces of a packet that a person, or another program, has named.
///
/// # Errors
/// Those of [`read`]; [`XmpProblem::OtherPhoto`] where faces were named when the photo, whose size as stored is given, had
/// other proportions.
pub fn named_faces(packet: &[u8], photo: Dimensions) -> Result<Vec<Region>, XmpProblem> {
    let regions = read(packet)?;
    let is_named =
        |region: &Region| region.kind == Kind::Face && matches!(region.naming(), Naming::Person(_));
    let named: Vec<Region> = regions.list.into_iter().filter(is_named).collect();
    if !named.is_empty() {
        region::refuse_other_photo(regions.dimensions, photo)?;
    }
    Ok(named)
}
