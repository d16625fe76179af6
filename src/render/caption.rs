//! A caption sheet: the outline of a photo with a number at each face, and below it the names, to be printed beside it.

use super::drawing::{Anchor, Color, Drawing, Stroke};
use super::lettering;

/// Width of the sheet, and what is left free around it.
const WIDTH: f32 = 800.0;
const MARGIN: f32 = 24.0;

/// Size of the names, distance of their lines, and least width of a column of them.
const LETTERS: f32 = 14.0;
const LINE: f32 = 20.0;
const COLUMN: f32 = 180.0;

/// The largest numbers, and their size as a share of the face's width.
const LARGEST: f32 = 26.0;
const NUMBER: f32 = 0.45;

/// The sheet of a photo of this width and height: the box of each face (left, top, width, height), and who it is.
pub fn caption(title: &str, (width, height): (u32, u32), faces: &[([f32; 4], String)]) -> Drawing {
    let scale = (WIDTH - 2.0 * MARGIN) / width.max(1) as f32;
    let outline = height as f32 * scale;
    let names: Vec<String> = (1..).zip(faces).map(|(number, (_, name))| format!("{number}  {name}")).collect();
    let letters = lettering::line_height(LETTERS);
    let column = names.iter().map(|name| lettering::width(name, letters)).fold(COLUMN, f32::max) + MARGIN;
    let columns = (((WIDTH - MARGIN) / column) as usize).max(1);
    let rows = names.len().div_ceil(columns).max(1);
    let above = 2.0 * MARGIN + LETTERS;
    let mut drawing = Drawing::new(WIDTH, above + outline + (rows + 1) as f32 * LINE + MARGIN, title);
    drawing.text((MARGIN, MARGIN + LETTERS), Anchor::Start, LETTERS, Color::INK, title);
    frame(&mut drawing, [MARGIN, above, width as f32 * scale, outline], Color::FAINT);
    for (number, ([left, top, width, height], _)) in (1..).zip(faces) {
        let [x, y, w, h] = [left * scale + MARGIN, top * scale + above, width * scale, height * scale];
        frame(&mut drawing, [x, y, w, h], Color::INK);
        let size = (w * NUMBER).min(LARGEST);
        drawing.text((x + w / 2.0, y + h / 2.0 + size * 0.35), Anchor::Middle, size, Color::INK, format!("{number}"));
    }
    for (at, name) in names.into_iter().enumerate() {
        let (left, row) = (MARGIN + (at / rows) as f32 * column, at % rows);
        drawing.text((left, above + outline + (row + 2) as f32 * LINE), Anchor::Start, LETTERS, Color::INK, name);
    }
    drawing
}

fn frame(drawing: &mut Drawing, [x, y, w, h]: [f32; 4], color: Color) {
    drawing.line(&[(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)], Stroke::solid(color, 1.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_face_has_its_number_in_the_outline_and_in_the_list() {
        let face = |at: usize| ([100.0 * at as f32, 50.0, 80.0, 80.0], format!("Person <{at}>"));
        let faces: Vec<_> = (0..30).map(face).collect();
        let svg = caption("class.jpg", (3000, 400), &faces).to_svg();
        for number in 1..=30 {
            assert!(svg.contains(&format!(">{number}</text>")));
            assert!(svg.contains(&format!(">{number}  Person &lt;{}&gt;</text>", number - 1)));
        }
        assert!(caption("none", (0, 0), &[]).to_svg().contains("none"));
    }
}
