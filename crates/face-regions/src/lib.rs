#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
#![forbid(unsafe_code)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod area;
mod decide;
mod document;
mod edit;
mod embed;
mod embedded;
mod encoding;
mod face;
mod fragment;
mod matching;
mod names;
mod new_region;
mod orientation;
mod placing;
mod problem;
mod rdf;
mod region;
mod write;
mod writer;

pub use area::{Area, Dimensions};
pub use decide::Outcome;
pub use embed::{EmbedProblem, embed};
pub use embedded::embedded;
pub use encoding::MOST_BYTES;
pub use face::NamedFace;
pub use matching::matches;
pub use orientation::PhotoLayout;
pub use problem::XmpProblem;
pub use region::{Kind, Mark, Naming, Region, Regions, Source};
pub use write::{Content, OwnNames, Written, write};

use encoding::Decoded;
use rdf::Packet;

/// The orientation in a packet (`tiff:Orientation`, 1 to 8); `None` where it says none, or cannot be read.
pub fn orientation(packet: &[u8]) -> Option<u8> {
    let decoded = Decoded::new(packet).ok()?;
    let document = document::parse(decoded.text.trim_end_matches('\0')).ok()?;
    let text = Packet::of(&document).ok()?.values(names::ORIENTATION).find_map(rdf::Value::text)?;
    text.parse().ok().filter(|orientation| (1..=8).contains(orientation))
}

/// The regions of a packet: the bytes of a sidecar, or those that [`embedded()`] found.
///
/// Of regions whose numbers are missing or out of range, only the names are kept.
///
/// # Errors
/// Where the packet is no XMP that can be read.
pub fn read(packet: &[u8]) -> Result<Regions, XmpProblem> {
    let decoded = Decoded::new(packet)?;
    // Some writers end the packet in a photo with zeros.
    let document = document::parse(decoded.text.trim_end_matches('\0'))?;
    Ok(region::of(&Packet::of(&document)?).0)
}
