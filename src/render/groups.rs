//! A page on which groups of faces are looked at and named: self-contained, it asks nothing of any server. What is typed
//! is saved as the table that `eigenfaces group --apply` reads.
//!
//! The template is templates/groups.html; it escapes whatever it is given.

use std::io::Cursor;

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, GrayImage};

use crate::error::{Error, Result};
use crate::grouping::Proposal;

/// Quality of the faces on the page: a few kilobytes each.
const QUALITY: u8 = 85;

/// Maximum number of faces shown: a page of them takes some 20 MB.
const MOST_FACES: usize = 6_000;

/// A face of a group.
#[derive(Debug, Clone)]
pub struct Face {
    /// The face.
    pub picture: GrayImage,
    /// The path of its photo.
    pub photo: String,
    /// Its number in the photo, counted from 1.
    pub number: usize,
    /// Left, top, width and height in the photo.
    pub bounds: [f32; 4],
}

#[derive(Template)]
#[template(path = "groups.html")]
struct Page<'a> {
    several: Vec<Shown<'a>>,
    single: Vec<Shown<'a>>,
    faces: usize,
    left_out: usize,
    version: &'static str,
}

struct Shown<'a> {
    number: usize,
    /// The group that may be the same person, with its number; the likeliest only.
    perhaps: Option<usize>,
    faces: &'a [Face],
}

impl Face {
    fn picture_in_page(&self) -> String {
        jpeg_data_uri(&self.picture)
    }

    fn bounds_in_words(&self) -> String {
        let edges = self.bounds.map(|edge| format!("{edge:.1}"));
        edges.join(",")
    }
}

/// The page. Groups, each of at least one face, are numbered from 1 in this order; proposals name them by position.
///
/// # Errors
/// When the program itself is damaged.
pub fn page(groups: &[Vec<Face>], proposals: &[Proposal]) -> Result<String> {
    let faces = groups.iter().map(Vec::len).sum();
    let mut room = MOST_FACES;
    let (mut several, mut single) = (Vec::new(), Vec::new());
    for (at, group) in groups.iter().enumerate() {
        if room == 0 {
            break;
        }
        // Single faces, which come last, are told which group they may belong to, and not the other way round.
        let perhaps = proposals.iter().find_map(|proposal| match proposal.groups {
            [one, other] if other == at => Some(one),
            [one, other] if one == at => Some(other),
            _ => None,
        });
        let perhaps = perhaps.filter(|&other| groups[other].len() > 1);
        let shown = Shown {
            number: at + 1,
            perhaps: perhaps.map(|other| other + 1),
            faces: &group[..group.len().min(room)],
        };
        room -= shown.faces.len();
        match shown.faces.len() {
            1 => single.push(shown),
            _ => several.push(shown),
        }
    }
    let shown: usize = several.iter().map(|group| group.faces.len()).sum();
    let page = Page {
        faces,
        left_out: faces - shown - single.len(),
        several,
        single,
        version: env!("CARGO_PKG_VERSION"),
    };
    page.render().map_err(|_| Error::Inconsistent)
}

/// A small picture for pages that show many: as JPEG, in the page itself.
pub fn jpeg_data_uri(picture: &GrayImage) -> String {
    let mut jpeg = Cursor::new(Vec::new());
    let (width, height) = picture.dimensions();
    // Into memory, and of a kind that JPEG knows: it cannot fail but for a picture of no pixels.
    let _ = JpegEncoder::new_with_quality(&mut jpeg, QUALITY).encode(
        picture.as_raw(),
        width,
        height,
        ExtendedColorType::L8,
    );
    let encoded = STANDARD.encode(jpeg.get_ref());
    format!("data:image/jpeg;base64,{encoded}")
}
