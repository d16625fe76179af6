//! Faces with names.

use super::document::{SPACE, is_character};
use super::{Area, XmpProblem};

/// A face and the name to be written for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NamedFace<'a> {
    /// The place in the photo as stored.
    pub area: Area,
    /// The person's name.
    pub name: &'a str,
    /// The confidence that the name is right, from 0 to 1; `None` where a person gave the name.
    pub confidence: Option<f64>,
}

/// A face whose texts are as they are written.
#[derive(Debug)]
pub(super) struct Face<'a> {
    /// The area, rounded.
    pub area: Area,
    /// The name, without white space around it.
    pub name: &'a str,
    /// The confidence with three decimals; `None` where a person gave the name.
    pub confidence: Option<String>,
}

impl<'a> Face<'a> {
    pub(super) fn of(face: &NamedFace<'a>) -> Result<Self, XmpProblem> {
        let name = face.name.trim_matches(SPACE);
        let readable = |c: char| is_character(c) && !c.is_control();
        if name.is_empty() || !name.chars().all(readable) {
            return Err(XmpProblem::Name { name: face.name.to_owned() });
        }
        let is_share = |confidence: f64| (0.0..=1.0).contains(&confidence);
        if !face.confidence.is_none_or(is_share) {
            return Err(XmpProblem::Confidence { name: name.to_owned() });
        }
        Ok(Self {
            area: face.area.rounded(),
            name,
            // Without the sign of -0.
            confidence: face.confidence.map(|confidence| format!("{:.3}", confidence.abs())),
        })
    }
}
