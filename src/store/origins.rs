//! The data of enrolled photos that the frame of crops is derived from: `origins` and `kept` of docs/MODEL-FORMAT.md.

use std::io::{self, Write};

use image::GrayImage;

use super::{Archive, ArchiveWriter};
use crate::error::Result;
use crate::gallery::Gallery;
use crate::locate::framing::RelativeEyes;
use crate::preparation::{KEPT_SIDE, KeptEyes, Origin};

const COLUMNS: usize = 7;

/// The meaning of the last number of a row.
const NOT_KEPT: u32 = 0;
const KEPT: u32 = 1;
const KEPT_SURE: u32 = 2;

pub(super) fn write<W: Write>(archive: &mut ArchiveWriter<W>, gallery: &Gallery) -> io::Result<()> {
    let mut rows: Vec<u32> = Vec::with_capacity(COLUMNS * gallery.len());
    let mut kept: Vec<&[u8]> = Vec::new();
    for face in gallery.enrolled() {
        rows.extend(match &face.origin {
            Origin::Whole => [0; COLUMNS],
            Origin::Found { photo, eyes } => row(*photo, *eyes, NOT_KEPT),
            Origin::Kept { photo, eyes } => {
                kept.push(photo.as_raw());
                let state = if let KeptEyes::Sure(_) = eyes { KEPT_SURE } else { KEPT };
                row(photo.dimensions(), eyes.places().unwrap_or_default(), state)
            }
        });
    }
    archive.add_array("origins", &[gallery.len(), COLUMNS], &rows)?;
    archive.add_bytes("kept", &kept)
}

pub(super) fn read(archive: &Archive, n: usize) -> Result<Vec<Origin>> {
    let misfit = || archive.misfit("origins that do not fit their photos");
    let rows: Vec<u32> = archive.array("origins", &[n, COLUMNS])?;
    let (rows, _) = rows.as_chunks::<COLUMNS>();
    let length = |row: &[u32; COLUMNS]| if is_kept(row) { row[0] as usize * row[1] as usize } else { 0 };
    if rows.iter().any(|row| is_kept(row) && row[0].max(row[1]) > KEPT_SIDE) {
        return Err(misfit());
    }
    let mut rest = archive.bytes("kept", &[rows.iter().map(length).sum()])?;
    let origins = rows.iter().map(|row| {
        if *row == [0; COLUMNS] {
            return Some(Origin::Whole);
        }
        let (kept, after) = rest.split_at_checked(length(row))?;
        rest = after;
        let eye = |at: usize| Some([u16::try_from(row[at]).ok()?, u16::try_from(row[at + 1]).ok()?]);
        let (photo, eyes) = ((row[0], row[1]), [eye(2)?, eye(4)?]);
        if !is_kept(row) {
            return Some(Origin::Found { photo, eyes });
        }
        Some(Origin::Kept {
            photo: GrayImage::from_raw(photo.0, photo.1, kept.to_vec())?,
            eyes: match row[COLUMNS - 1] {
                KEPT_SURE => KeptEyes::Sure(eyes),
                _ if eyes == RelativeEyes::default() => KeptEyes::None,
                _ => KeptEyes::Doubtful(eyes),
            },
        })
    });
    origins.collect::<Option<Vec<_>>>().ok_or_else(misfit)
}

fn row(photo: (u32, u32), [left, right]: RelativeEyes, state: u32) -> [u32; COLUMNS] {
    let [left, right] = [left, right].map(|eye| eye.map(u32::from));
    [photo.0, photo.1, left[0], left[1], right[0], right[1], state]
}

fn is_kept(row: &[u32; COLUMNS]) -> bool {
    row[COLUMNS - 1] != NOT_KEPT
}
