//! Face regions and names in XMP, where digiKam, Lightroom, immich, PhotoPrism and exiftool read and write them.
//!
//! [`read`] gives the regions of a sidecar or of a packet inside a photo ([`embedded()`]); [`write()`] adds named faces to a
//! sidecar, new or existing, of which every other byte stays. All is done on bytes in memory.
//!
//! | text | said of |
//! |---|---|
//! | Adobe XMP Specification Part 1 (ISO 16684-1) | packets and the forms of properties |
//! | MWG Guidelines for Handling Image Metadata 2.0, "Image Regions" | `mwg-rs:Regions` |
//! | Microsoft Photo 1.2, "People Tagging Overview" | `MP:RegionInfo` |
//!
//! Regions lie in the photo as stored; [`PhotoLayout`] leads there from the photo as displayed, for which some programs
//! wrote them.
//!
//! This program marks the regions that it names by fields of its own namespace, `http://ns.eigenfaces.org/1.0/`, in
//! `mwg-rs:Extensions`: `eigenfaces:Name`, `eigenfaces:Confidence` and, where it added the region, `eigenfaces:Area`. Where
//! `mwg-rs:Name` is no longer the same as `eigenfaces:Name`, a person has corrected it ([`Naming`]). The keywords that it
//! added are listed in `eigenfaces:Subject` and `eigenfaces:HierarchicalSubject`. So what it wrote it can withdraw, and no
//! more than that.

mod area;
mod decide;
mod document;
mod edit;
mod embedded;
mod encoding;
mod face;
mod fragment;
mod matching;
mod names;
mod new_region;
mod orientation;
mod parser;
mod placing;
mod problem;
mod rdf;
mod region;
mod scopes;
mod tag;
mod write;
mod writer;

pub use area::{Area, Dimensions};
pub use decide::Outcome;
pub use embedded::embedded;
pub use encoding::MOST_BYTES;
pub use face::NamedFace;
pub use matching::matches;
pub use orientation::PhotoLayout;
pub use problem::XmpProblem;
pub use region::{Fit, Kind, Mark, Naming, Region, Regions, Source};
pub use write::{Content, OwnNames, Written, write};

use encoding::Decoded;
use rdf::Packet;

/// The regions of a packet: the bytes of a sidecar, or those that [`embedded()`] found.
///
/// Of regions whose numbers are missing or out of range, only the names are kept.
///
/// # Errors
/// Where the packet is no XMP that can be read.
pub fn read(packet: &[u8]) -> Result<Regions, XmpProblem> {
    let decoded = Decoded::new(packet)?;
    // Some writers end the packet in a photo with zeros.
    let document = parser::parse(decoded.text.trim_end_matches('\0'))?;
    Ok(region::of(&Packet::of(&document)?).0)
}
