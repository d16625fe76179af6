//! A contact sheet: pictures in rows, each with a line of text below.

use image::{DynamicImage, GrayImage};

use super::drawing::{Anchor, Color, Drawing};
use super::lettering;

const MARGIN: u32 = 8;
/// Height of a line, and the distance of its baseline from its top.
const LETTERS: f32 = 13.0;
const BASELINE: f32 = 10.366;
const INK: Color = Color([40, 40, 40]);
const LABEL: u32 = 18;
/// Tiles narrower than this are enlarged by whole factors, so that small faces can be seen.
const NARROWEST: u32 = 72;
const WIDTH: u32 = 1120;

/// One picture and the text below it.
#[derive(Debug, Clone)]
pub struct Tile {
    /// The picture; all tiles of a sheet have one size.
    pub image: GrayImage,
    /// A short line, cut at the width of the tile.
    pub label: String,
}

/// Tiles of one size in rows on white, above a note, which may be empty; no tiles give margins only.
pub fn sheet(tiles: &[Tile], note: &str) -> GrayImage {
    sheet_of_groups(tiles, 1, note)
}

/// As [`sheet`], of tiles that belong together in groups of `together`, which no row breaks.
pub fn sheet_of_groups(tiles: &[Tile], together: u32, note: &str) -> GrayImage {
    let (width, height) = tiles.first().map_or((1, 1), |tile| tile.image.dimensions());
    let zoom = NARROWEST.div_ceil(width.max(1)).max(1);
    let (cell_width, cell_height) = (width * zoom + MARGIN, height * zoom + LABEL + MARGIN);
    let columns = (WIDTH / cell_width / together * together).clamp(1, tiles.len().max(1) as u32).max(together);
    let rows = (tiles.len() as u32).div_ceil(columns);
    let note = wrapped(note, (columns * cell_width - MARGIN) as f32);
    let note_height = if note.is_empty() { 0 } else { note.len() as u32 * LABEL + MARGIN };
    let tiles_height = rows * cell_height + MARGIN;
    let mut drawing = Drawing::new((columns * cell_width + MARGIN) as f32, (tiles_height + note_height) as f32, "");
    let write = |drawing: &mut Drawing, text: &str, left: u32, top: u32| {
        let at = (left as f32, top as f32 + BASELINE);
        drawing.text(at, Anchor::Start, LETTERS / lettering::line_height(1.0), INK, text);
    };
    let size = ((width * zoom) as f32, (height * zoom) as f32);
    for (at, tile) in (0_u32..).zip(tiles) {
        let left = MARGIN + at % columns * cell_width;
        let top = MARGIN + at / columns * cell_height;
        drawing.picture((left as f32, top as f32), size, tile.image.clone());
        write(&mut drawing, &fitting(&tile.label, size.0), left, top + height * zoom + 2);
    }
    for (line, top) in note.iter().zip((tiles_height..).step_by(LABEL as usize)) {
        write(&mut drawing, line, MARGIN, top);
    }
    DynamicImage::from(drawing.to_pixels()).into_luma8()
}

fn text_width(text: &str) -> f32 {
    lettering::width(text, LETTERS)
}

/// A text in lines that are no wider than this, broken between words.
fn wrapped(text: &str, width: f32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}")) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn fitting(text: &str, width: f32) -> String {
    lettering::fitting(text, "", |text| text_width(text) <= width)
}

#[cfg(test)]
mod tests {
    use image::Luma;

    use super::*;

    #[test]
    fn tiles_stand_in_rows_and_keep_their_pixels() {
        let tiles: Vec<_> = (0..15)
            .map(|shade| Tile { image: GrayImage::from_pixel(100, 60, Luma([shade * 10])), label: format!("{shade}") })
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
        assert!(lines.len() > 1 && lines.iter().all(|line| text_width(line) <= 90.0));
        assert_eq!(lines.join(" "), "what is shown in this sheet");
        assert!(wrapped("", 90.0).is_empty());
    }

    #[test]
    fn no_row_breaks_a_group() {
        let tile = Tile { image: GrayImage::from_pixel(100, 60, Luma([9])), label: String::new() };
        // Ten would fit in a row.
        let sheet = sheet_of_groups(&vec![tile; 12], 4, "");
        assert_eq!(sheet.dimensions(), (8 * 108 + 8, 2 * 86 + 8));
    }

    #[test]
    fn long_labels_end_in_an_ellipsis_within_the_tile() {
        let label = fitting("a name that goes on and on", 72.0);
        assert!(label.ends_with('…') && text_width(&label) <= 72.0);
        assert_eq!(fitting("Ada", 72.0), "Ada");
    }
}
