//! The error of this module.

use super::area::Dimensions;

/// A reason why an XMP packet is not read, or why nothing is written into it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum XmpProblem {
    /// The packet is larger than [`MOST_BYTES`](super::MOST_BYTES).
    #[error(
        "the XMP is {bytes} bytes long, the limit is {limit}; move the sidecar away to have a new one written"
    )]
    TooLarge {
        /// The size of the packet.
        bytes: usize,
        /// The largest size that is read.
        limit: usize,
    },
    /// The packet has too many elements or too deep ones.
    #[error(
        "the XMP has more than {limit} {items}; move the sidecar away to have a new one written"
    )]
    TooComplex {
        /// The thing there are too many of.
        items: &'static str,
        /// The largest number that is read.
        limit: usize,
    },
    /// The packet is neither UTF-8 nor UTF-16, the encodings that sidecars are written in.
    #[error("the XMP is not valid {expected}; convert it to UTF-8")]
    Encoding {
        /// The encoding that the packet seemed to have, or those that are read.
        expected: &'static str,
    },
    /// The packet is not well-formed XML.
    #[error(
        "the XMP is not well-formed at byte {at}: {reason}; repair it, or move the sidecar away to have a new one written"
    )]
    Malformed {
        /// The offset in bytes, counted in the packet as UTF-8 without byte order mark.
        at: usize,
        /// The rule that is broken.
        reason: String,
    },
    /// The packet has a document type declaration, which XMP does not allow (Adobe XMP Specification Part 1, 7.1).
    #[error("the XMP has a DOCTYPE, which XMP does not allow; remove the declaration")]
    Doctype,
    /// The packet is XML without exactly one `rdf:RDF` element where XMP has it.
    #[error(
        "the file is XML but not XMP: {found} rdf:RDF elements instead of one; move it away to have a new sidecar written"
    )]
    NotXmp {
        /// The number of `rdf:RDF` elements found.
        found: usize,
    },
    /// A property has a form that nothing can be added to without loss.
    #[error(
        "the sidecar has {property} in a form that cannot be added to; save the photo's metadata once with exiftool or digiKam"
    )]
    Unsupported {
        /// The property's usual name.
        property: &'static str,
    },
    /// The regions of the sidecar are those of a photo of other proportions, such as one before it was cropped.
    #[error(
        "the regions of the sidecar are for a photo of {sidecar} pixels, this one has {photo}; correct the sidecar in the program that wrote it"
    )]
    OtherPhoto {
        /// The size in the sidecar.
        sidecar: Dimensions,
        /// The size of the photo.
        photo: Dimensions,
    },
    /// The photo has no pixels.
    #[error("the photo is {photo} pixels large; give the size of the photo as stored")]
    NoPixels {
        /// The size given.
        photo: Dimensions,
    },
    /// A name is empty or has characters that XML cannot hold.
    #[error("the name {name:?} is empty or has control characters; give the person another name")]
    Name {
        /// The name given.
        name: String,
    },
    /// A confidence is no number from 0 to 1.
    #[error("the confidence of {name:?} is not a number from 0 to 1; give one that is")]
    Confidence {
        /// The name it belongs to.
        name: String,
    },
}
