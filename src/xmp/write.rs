//! Writes named faces into a sidecar, new or existing.

use super::area::Dimensions;
use super::decide::{Decision, Outcome, decide};
use super::encoding::Decoded;
use super::face::{Face, NamedFace};
use super::parser;
use super::problem::XmpProblem;
use super::rdf::Packet;
use super::region;
use super::writer::Writer;

/// The result of [`write()`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The sidecar.
    pub content: Content,
    /// The result for each face, in the order given.
    pub outcomes: Vec<Outcome>,
}

/// The bytes of a sidecar after writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The sidecar stays as it is; where there is none, none is needed.
    Unchanged,
    /// The new bytes of the sidecar.
    Changed(Vec<u8>),
}

/// A sidecar without properties, in the form that exiftool writes (Adobe XMP Specification Part 1, 7.3 and 7.4).
const EMPTY_SIDECAR: &str = "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>
<x:xmpmeta xmlns:x=\"adobe:ns:meta/\" x:xmptk=\"eigenfaces\">
<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">
</rdf:RDF>
</x:xmpmeta>
<?xpacket end=\"w\"?>
";

/// Writes named faces into the sidecar of a photo: MWG regions, and the names as keywords (`dc:subject` and, below
/// `People`, `lr:hierarchicalSubject`).
///
/// `existing` are the bytes of the sidecar, where there is one; `photo` is the size of the photo as stored. All that
/// is in the sidecar stays byte by byte, but for names and confidences that this program wrote before and that nobody
/// has changed since. A face that another region names already is left alone, and so are the place and size of
/// regions. Keywords are added and never removed; a name with a `|`, which separates the levels of hierarchical
/// keywords, gets none of these. Writing the same faces again changes nothing.
///
/// # Errors
/// Where the sidecar cannot be read, cannot be added to without loss, or belongs to a photo of other proportions; where
/// a name or a confidence cannot be written. The sidecar must then be left as it is.
pub fn write(
    existing: Option<&[u8]>,
    photo: Dimensions,
    faces: &[NamedFace<'_>],
) -> Result<Written, XmpProblem> {
    if photo.is_empty() {
        return Err(XmpProblem::NoPixels { photo });
    }
    let faces = faces.iter().map(Face::of).collect::<Result<Vec<_>, _>>()?;
    let bytes = existing.unwrap_or(EMPTY_SIDECAR.as_bytes());
    let decoded = Decoded::new(bytes)?;
    let (text, decisions) = merged(&decoded.text, photo, &faces)?;
    let content = match text {
        None => Content::Unchanged,
        Some(text) => Content::Changed(decoded.encode(text)?),
    };
    let outcomes = decisions.into_iter().map(|decision| decision.outcome);
    Ok(Written {
        content,
        outcomes: outcomes.collect(),
    })
}

/// The text with the faces in it; none where nothing changes.
fn merged(
    text: &str,
    photo: Dimensions,
    faces: &[Face<'_>],
) -> Result<(Option<String>, Vec<Decision>), XmpProblem> {
    let document = parser::parse(text)?;
    let packet = Packet::of(&document)?;
    if faces.is_empty() {
        return Ok((None, Vec::new()));
    }
    region::refuse_other_photo(region::dimensions(&packet), photo)?;
    let found = region::all(&packet);
    let decisions = decide(&found, faces);
    let mut writer = Writer::new(&packet, photo);
    writer.change_regions(&found, faces, &decisions)?;
    writer.add_regions(faces, &decisions)?;
    writer.add_keywords(faces, &decisions)?;
    let Some(result) = writer.finish(text) else {
        return Ok((None, decisions));
    };
    // What could not be read again must not reach a disk.
    parser::parse(&result)?;
    Ok((Some(result), decisions))
}
