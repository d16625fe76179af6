//! The error of this crate.

use super::area::Dimensions;

const SAVE_AGAIN: &str = "restore it from a backup, or save the photo's metadata again in the program that wrote it";

const NAME_AGAIN: &str = "name the faces again in the program that they were named in";

/// A reason why an XMP packet is not read, or why nothing is written into it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum XmpProblem {
    /// The packet is larger than [`MOST_BYTES`](super::MOST_BYTES).
    #[error("the XMP is {bytes} bytes long, the limit is {limit}; {}", SAVE_AGAIN)]
    TooLarge {
        /// The size of the packet.
        bytes: usize,
        /// The largest size that is read.
        limit: usize,
    },
    /// The packet has too many elements or too deep ones.
    #[error("the XMP has more than {limit} {items}; {}", SAVE_AGAIN)]
    TooComplex {
        /// The thing there are too many of.
        items: &'static str,
        /// The largest number that is read.
        limit: usize,
    },
    /// The packet is neither UTF-8 nor UTF-16, the encodings that sidecars are written in.
    #[error("the XMP is not valid {expected}; {}", SAVE_AGAIN)]
    Encoding {
        /// The encoding that the packet seemed to have, or those that are read.
        expected: &'static str,
    },
    /// The packet is not well-formed XML.
    #[error("the XMP is damaged or cut short ({reason}); {}", SAVE_AGAIN)]
    Malformed {
        /// The rule that is broken, and where.
        reason: String,
    },
    /// The packet has a document type declaration, which XMP does not allow (Adobe XMP Specification Part 1, 7.1).
    #[error("the XMP has a DOCTYPE, which XMP does not allow; {}", SAVE_AGAIN)]
    Doctype,
    /// The packet is XML without exactly one `rdf:RDF` element where XMP has it.
    #[error("XML but not XMP: {found} rdf:RDF elements instead of one; {}", SAVE_AGAIN)]
    NotXmp {
        /// The number of `rdf:RDF` elements found.
        found: usize,
    },
    /// A property has a form that nothing can be added to without loss.
    #[error("the XMP has {property} in a form that cannot be added to; {}", SAVE_AGAIN)]
    Unsupported {
        /// The property's usual name.
        property: &'static str,
    },
    /// The regions are those of a photo of other proportions, such as one before it was cropped.
    #[error("the faces were named in a photo of {named_in} pixels, this one has {photo}; {}", NAME_AGAIN)]
    OtherPhoto {
        /// The size in the packet.
        named_in: Dimensions,
        /// The size of the photo.
        photo: Dimensions,
    },
    /// A packet inside a photo is not whole: a part is missing, or its checksum is wrong.
    #[error("the XMP is damaged or cut short; {}", SAVE_AGAIN)]
    Incomplete,
    /// A face is named, but its place is missing or no place in the photo.
    #[error("{name:?} is named without a place in the photo; {}", NAME_AGAIN)]
    NotPlaced {
        /// The name given.
        name: String,
    },
    /// The photo is turned when displayed, and nothing tells whether its regions are for it as stored or as displayed.
    #[error(
        "it is not clear whom {name:?} names: the photo is turned when displayed, and neither way round the names lie on its faces; {}",
        NAME_AGAIN
    )]
    Turned {
        /// The first of the names.
        name: String,
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
