//! Writes named faces into a sidecar, new or existing.

use super::decide::{Decision, Outcome, decide};
use super::document;
use super::encoding::Decoded;
use super::face::{Face, NamedFace};
use super::orientation::Frame;
use super::rdf::Packet;
use super::region::{self, FoundRegion, Naming};
use super::writer::Writer;
use super::{PhotoLayout, XmpProblem};

/// The result of [`write()`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The sidecar.
    pub content: Content,
    /// The result for each face, in the order given.
    pub outcomes: Vec<Outcome>,
    /// The names that this program gave to other faces, and that were withdrawn.
    pub withdrawn: Vec<String>,
}

/// What becomes of names that this program gave to faces that are not among those to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnNames {
    /// They stay.
    Keep,
    /// They are withdrawn, with the regions that it added for them, unless a person has changed these.
    Withdraw,
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
/// `existing` are the bytes of the sidecar, where there is one. All that is in the sidecar stays byte by byte, but for
/// names, confidences and keywords that this program wrote before and that nobody has changed since: keywords that no region
/// has as its name any more are withdrawn. If all regions are its own and the photo has been cropped since, they are replaced.
/// A face that another region names already is left alone, and so are the place and size of regions. A guess whose region somebody
/// has removed is not added again: its name stays listed among this program's keywords. A name with a `|`,
/// which separates the levels of hierarchical keywords, gets none of these. Writing the same faces again changes nothing.
///
/// # Errors
/// Where the sidecar cannot be read, cannot be added to without loss, or names faces whose place in the photo is not known;
/// where a name or a confidence cannot be written. The sidecar must then be left as it is.
pub fn write(
    existing: Option<&[u8]>,
    photo: &PhotoLayout,
    faces: &[NamedFace<'_>],
    own: OwnNames,
) -> Result<Written, XmpProblem> {
    if photo.stored().is_empty() {
        return Err(XmpProblem::NoPixels { photo: photo.stored() });
    }
    let faces = faces.iter().map(Face::of).collect::<Result<Vec<_>, _>>()?;
    let decoded = Decoded::new(existing.unwrap_or(EMPTY_SIDECAR.as_bytes()))?;
    let merged = merged(&decoded.text, photo, faces, own)?;
    let encoded = merged.text.map(|text| decoded.encode(text)).transpose()?;
    let content = encoded.map_or(Content::Unchanged, Content::Changed);
    let outcomes = merged.decisions.into_iter().map(|decision| decision.outcome);
    Ok(Written { content, outcomes: outcomes.collect(), withdrawn: merged.withdrawn })
}

struct Merged {
    /// The text with the faces in it; none where nothing changes.
    text: Option<String>,
    decisions: Vec<Decision>,
    withdrawn: Vec<String>,
}

/// Whether the regions of a sidecar were made for the photo as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Validity {
    Current,
    /// The photo had other proportions.
    Outdated,
}

fn merged(text: &str, photo: &PhotoLayout, mut faces: Vec<Face<'_>>, own: OwnNames) -> Result<Merged, XmpProblem> {
    let document = document::parse(text)?;
    let packet = Packet::of(&document)?;
    if faces.is_empty() && own == OwnNames::Keep {
        return Ok(Merged { text: None, decisions: Vec::new(), withdrawn: Vec::new() });
    }
    let (regions, found) = region::of(&packet);
    regions.named_faces(photo)?;
    let is_own = |found: &FoundRegion<'_>| matches!(found.region.naming(), Naming::Program(_)) && found.is_ours();
    // Where the photo was cropped since this program wrote all that is there, nobody else's name is lost with its places.
    let only_own = regions.list.len() == found.len() && found.iter().all(is_own);
    let (frame, validity) = match regions.frame(photo) {
        Err(XmpProblem::OtherPhoto { .. }) if only_own => (Frame::Stored, Validity::Outdated),
        frame => (frame?, Validity::Current),
    };
    for face in &mut faces {
        face.area = photo.in_frame(face.area, frame).rounded();
    }
    let mut writer = Writer::new(&packet, photo.size(frame));
    let removed = writer.removed_names(&regions);
    let mut decisions = decide(if validity == Validity::Current { &found } else { &[] }, &faces);
    // A name that a person gives, or that goes to a region which is there, is not the one that was removed.
    let is_guess =
        |face: &Face<'_>, decision: &Decision| decision.outcome == Outcome::Added && face.confidence.is_some();
    let given = faces.iter().zip(&decisions).filter(|(face, it)| it.outcome.is_written() && !is_guess(face, it));
    let given: Vec<&str> = given.map(|(face, _)| face.name).collect();
    for (face, decision) in faces.iter().zip(&mut decisions) {
        if is_guess(face, decision) && removed.contains(&face.name) && !given.contains(&face.name) {
            decision.outcome = Outcome::NameRemoved { name: face.name.to_owned() };
        }
    }
    let is_written = |at| decisions.iter().any(|decision| decision.region == Some(at));
    let is_left = |at: &usize| {
        let is_own = matches!(found[*at].region.naming(), Naming::Program(_));
        let is_withdrawn = own == OwnNames::Withdraw || validity == Validity::Outdated;
        is_withdrawn && is_own && !is_written(*at)
    };
    let left: Vec<usize> = (0..found.len()).filter(is_left).collect();
    writer.change_regions(&found, &faces, &decisions)?;
    let withdrawn = left.iter().map(|&at| writer.withdraw_region(&found[at])).collect::<Result<Vec<_>, _>>()?;
    writer.add_regions(&faces, &decisions)?;
    if validity == Validity::Outdated && !faces.is_empty() {
        writer.renew_dimensions()?;
    }
    // The names that faces have from now on.
    let mut names: Vec<&str> =
        faces.iter().zip(&decisions).filter(|(_, it)| it.outcome.is_written()).map(|(face, _)| face.name).collect();
    let kept = found.iter().enumerate().filter(|(at, _)| !is_written(*at) && !left.contains(at));
    names.extend(kept.filter_map(|(_, found)| found.region.name.as_deref()));
    writer.write_keywords(&faces, &decisions, &names, &removed)?;
    let text = writer.finish(text);
    if let Some(text) = &text {
        // What could not be read again must not reach a disk.
        document::parse(text)?;
    }
    Ok(Merged { text, decisions, withdrawn })
}
