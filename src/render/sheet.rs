//! A contact sheet: pictures in rows, each with a line of text below.

use image::{GrayImage, Luma, imageops};

use super::lettering;

const MARGIN: u32 = 8;
const LETTERS: f32 = 13.0;
const LABEL: u32 = 18;
/// Tiles narrower than this are enlarged by whole factors, so that small faces can be seen.
const NARROWEST: u32 = 72;
/// Rows are about this wide.
const WIDTH: u32 = 1120;

/// One picture and the text below it.
#[derive(Debug, Clone)]
pub struct Tile {
    /// The picture; all tiles of a sheet have one size.
    pub image: GrayImage,
    /// A short line, cut at the width of the tile.
    pub label: String,
}

/// Lays tiles of one size out in rows, left to right, on white, above a note, which may be empty. No tiles give an image
/// of margins only.
pub fn sheet(tiles: &[Tile], note: &str) -> GrayImage {
    sheet_of_groups(tiles, 1, note)
}

/// As [`sheet`], of tiles that belong together in groups of `together`, which no row breaks.
pub fn sheet_of_groups(tiles: &[Tile], together: u32, note: &str) -> GrayImage {
    let (width, height) = tiles.first().map_or((1, 1), |tile| tile.image.dimensions());
    let zoom = NARROWEST.div_ceil(width.max(1)).max(1);
    let (cell_width, cell_height) = (width * zoom + MARGIN, height * zoom + LABEL + MARGIN);
    let columns = (WIDTH / cell_width / together * together)
        .clamp(1, tiles.len().max(1) as u32)
        .max(together);
    let rows = (tiles.len() as u32).div_ceil(columns);
    let note = wrapped(note, (columns * cell_width - MARGIN) as f32);
    let mut sheet = GrayImage::from_pixel(
        columns * cell_width + MARGIN,
        rows * cell_height
            + MARGIN
            + match note.len() as u32 {
                0 => 0,
                lines => lines * LABEL + MARGIN,
            },
        Luma([255]),
    );
    for (at, tile) in (0_u32..).zip(tiles) {
        let left = MARGIN + at % columns * cell_width;
        let top = MARGIN + at / columns * cell_height;
        let enlarged = imageops::resize(
            &tile.image,
            width * zoom,
            height * zoom,
            imageops::FilterType::Nearest,
        );
        imageops::replace(&mut sheet, &enlarged, i64::from(left), i64::from(top));
        let label = fitting(&tile.label, (width * zoom) as f32);
        lettering::write(
            &mut sheet,
            &label,
            left as f32,
            (top + height * zoom + 2) as f32,
            LETTERS,
            40,
        );
    }
    for (line, top) in note
        .iter()
        .zip((rows * cell_height + MARGIN..).step_by(LABEL as usize))
    {
        lettering::write(&mut sheet, line, MARGIN as f32, top as f32, LETTERS, 40);
    }
    sheet
}

/// A text in lines that are no wider than this, broken between words.
fn wrapped(text: &str, width: f32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if lettering::width(&format!("{line} {word}"), LETTERS) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The text, or as much of its beginning as fits with an ellipsis.
fn fitting(text: &str, width: f32) -> String {
    if lettering::width(text, LETTERS) <= width {
        return text.to_owned();
    }
    let mut kept: String = text.to_owned();
    while !kept.is_empty() && lettering::width(&format!("{kept}…"), LETTERS) > width {
        kept.pop();
    }
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_stand_in_rows_and_keep_their_pixels() {
        let tiles: Vec<_> = (0..15)
            .map(|shade| Tile {
                image: GrayImage::from_pixel(100, 60, Luma([shade * 10])),
                label: format!("{shade}"),
            })
            .collect();
        let noted = sheet(&tiles, "what is shown");
        assert_eq!(noted.height(), 2 * 86 + 8 + 26);
        let sheet = sheet(&tiles, "");
        assert_eq!(sheet.dimensions(), (10 * 108 + 8, 2 * 86 + 8));
        assert_eq!(sheet.get_pixel(8 + 108 * 4 + 50, 86 + 8 + 30)[0], 140);
    }

    #[test]
    fn notes_are_broken_between_words() {
        let lines = wrapped("what is shown in this sheet", 90.0);
        assert!(
            lines.len() > 1
                && lines
                    .iter()
                    .all(|line| lettering::width(line, LETTERS) <= 90.0)
        );
        assert_eq!(lines.join(" "), "what is shown in this sheet");
        assert!(wrapped("", 90.0).is_empty());
    }

    #[test]
    fn no_row_breaks_a_group() {
        let tile = Tile {
            image: GrayImage::from_pixel(100, 60, Luma([9])),
            label: String::new(),
        };
        // Ten would fit in a row.
        let sheet = sheet_of_groups(&vec![tile; 12], 4, "");
        assert_eq!(sheet.dimensions(), (8 * 108 + 8, 2 * 86 + 8));
    }

    #[test]
    fn long_labels_end_in_an_ellipsis_within_the_tile() {
        let label = fitting("a name that goes on and on", 72.0);
        assert!(label.ends_with('…') && lettering::width(&label, LETTERS) <= 72.0);
        assert_eq!(fitting("Ada", 72.0), "Ada");
    }
}
