//! What a model file keeps of the enrolled photos, from which the frame of its crops is derived.
//!
//! `origins` is n x 6: width and height of the photo, then left and upper distance of both eyes in ten-thousandths. A face
//! that was taken whole has six zeros; a photo in which no face was found has its own width and height and no eyes, and
//! its gray values stand in `unlocated`, one photo's after the other's.

use std::io::{self, Write};

use image::GrayImage;

use super::{Archive, ArchiveWriter};
use crate::error::{ModelProblem, Result};
use crate::gallery::Gallery;
use crate::preparation::{Origin, UNLOCATED_SIDE};

pub(super) fn write<W: Write>(archive: &mut ArchiveWriter<W>, gallery: &Gallery) -> io::Result<()> {
    let mut rows: Vec<u32> = Vec::with_capacity(6 * gallery.len());
    let mut unlocated: Vec<u8> = Vec::new();
    for face in gallery.enrolled() {
        rows.extend(match &face.origin {
            Origin::Whole => [0; 6],
            Origin::Found { photo, eyes } => {
                let [left, right] = eyes.map(|eye| eye.map(u32::from));
                [photo.0, photo.1, left[0], left[1], right[0], right[1]]
            }
            Origin::Unlocated(kept) => {
                unlocated.extend_from_slice(kept.as_raw());
                [kept.width(), kept.height(), 0, 0, 0, 0]
            }
        });
    }
    archive.add_array("origins", &[gallery.len(), 6], &rows)?;
    archive.add_array("unlocated", &[unlocated.len()], &unlocated)
}

pub(super) fn read(archive: &Archive, n: usize) -> Result<Vec<Origin>> {
    let senseless = || archive.refuse(ModelProblem::layout("origins that do not fit their photos"));
    let rows: Vec<u32> = archive.array("origins", &[n, 6])?;
    let (rows, _) = rows.as_chunks::<6>();
    let length = |row: &[u32; 6]| match is_unlocated(row) {
        true => row[0] as usize * row[1] as usize,
        false => 0,
    };
    if rows
        .iter()
        .any(|row| is_unlocated(row) && row[0].max(row[1]) > UNLOCATED_SIDE)
    {
        return Err(senseless());
    }
    let unlocated = archive.bytes("unlocated", &[rows.iter().map(length).sum()])?;
    let mut rest = unlocated.as_ref();
    let origins = rows.iter().map(|row| {
        if *row == [0; 6] {
            return Some(Origin::Whole);
        }
        let (kept, after) = rest.split_at_checked(length(row))?;
        rest = after;
        if is_unlocated(row) {
            let kept = GrayImage::from_raw(row[0], row[1], kept.to_vec());
            return kept.map(Origin::Unlocated);
        }
        let eye = |at: usize| {
            Some([
                u16::try_from(row[at]).ok()?,
                u16::try_from(row[at + 1]).ok()?,
            ])
        };
        Some(Origin::Found {
            photo: (row[0], row[1]),
            eyes: [eye(2)?, eye(4)?],
        })
    });
    origins.collect::<Option<Vec<_>>>().ok_or_else(senseless)
}

fn is_unlocated(row: &[u32; 6]) -> bool {
    row[..2] != [0; 2] && row[2..] == [0; 4]
}
