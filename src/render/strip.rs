//! Strips: pictures side by side, each with lines of text below it; rows of them, each with a heading.

use image::DynamicImage;

use super::drawing::{Anchor, Color, Drawing};
use super::lettering;

const MARGIN: f32 = 14.0;
const TITLE: f32 = 16.0;
const LETTERS: f32 = 12.0;
const LINE: f32 = 16.0;
const HEADING: f32 = 13.0;
/// Pictures narrower than this are enlarged by a whole factor.
const NARROWEST: u32 = 108;

/// A picture and the lines below it.
#[derive(Debug, Clone)]
pub struct Panel {
    /// The picture.
    pub image: DynamicImage,
    /// The text below it, the first line in ink, the others fainter.
    pub lines: Vec<String>,
}

/// Panels side by side.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// The heading above them; may be empty.
    pub heading: String,
    /// The panels, from left to right.
    pub panels: Vec<Panel>,
}

/// Rows of panels under a title; narrow pictures are enlarged by a whole factor, so that pixels stay sharp.
pub fn strip(title: &str, rows: &[Row]) -> Drawing {
    let laid: Vec<RowLayout> = rows.iter().map(RowLayout::out).collect();
    let heading = lettering::width(title, lettering::line_height(TITLE));
    let width = laid.iter().map(|row| row.width).fold(heading + MARGIN, f32::max);
    let height: f32 = laid.iter().map(|row| row.height).sum();
    let above = MARGIN + TITLE + 8.0;
    let mut drawing = Drawing::new(width + MARGIN, above + height, title);
    drawing.text((MARGIN, MARGIN + TITLE - 3.0), Anchor::Start, TITLE, Color::INK, title);
    let mut top = above;
    for (row, laid) in rows.iter().zip(&laid) {
        row.draw(&mut drawing, top, laid);
        top += laid.height;
    }
    drawing
}

struct RowLayout {
    /// Left edge of each panel, and the width and height of its picture.
    panels: Vec<(f32, (f32, f32))>,
    pictures: f32,
    width: f32,
    height: f32,
}

impl RowLayout {
    fn out(row: &Row) -> Self {
        let letters = lettering::line_height(LETTERS);
        let sized = |panel: &Panel| {
            let (width, height) = (panel.image.width(), panel.image.height());
            let zoom = NARROWEST.div_ceil(width.max(1)).max(1) as f32;
            let size = (width as f32 * zoom, height as f32 * zoom);
            (panel.lines.iter().map(|line| lettering::width(line, letters)).fold(size.0, f32::max).ceil(), size)
        };
        let sizes: Vec<(f32, (f32, f32))> = row.panels.iter().map(sized).collect();
        // Columns of one width, so that the pictures of a row stand evenly.
        let column = sizes.iter().map(|(width, _)| *width).fold(0.0, f32::max);
        let mut left = MARGIN;
        let mut panels = Vec::with_capacity(sizes.len());
        for (_, size) in sizes {
            panels.push((left, size));
            left += column + MARGIN;
        }
        let heading = lettering::width(&row.heading, lettering::line_height(HEADING));
        let pictures = panels.iter().map(|(_, (_, height))| *height).fold(0.0, f32::max);
        let lines = row.panels.iter().map(|panel| panel.lines.len()).max();
        let above = if row.heading.is_empty() { 0.0 } else { HEADING + 9.0 };
        let height = above + pictures + LINE * lines.unwrap_or(0) as f32 + MARGIN;
        Self { panels, pictures, width: left.max(MARGIN + heading + MARGIN), height }
    }
}

impl Row {
    fn draw(&self, drawing: &mut Drawing, mut top: f32, laid: &RowLayout) {
        if !self.heading.is_empty() {
            drawing.text((MARGIN, top + HEADING - 2.0), Anchor::Start, HEADING, Color::INK, &self.heading);
            top += HEADING + 9.0;
        }
        for (panel, &(left, size)) in self.panels.iter().zip(&laid.panels) {
            drawing.picture((left, top), size, panel.image.clone());
            for (number, line) in panel.lines.iter().enumerate() {
                let baseline = top + laid.pictures + LINE * (number as f32 + 0.9);
                let color = if number == 0 { Color::INK } else { Color::FAINT };
                drawing.text((left, baseline), Anchor::Start, LETTERS, color, line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use image::GrayImage;

    use super::*;

    #[test]
    fn panels_are_as_wide_as_what_they_say() {
        let panel =
            |text: &str| Panel { image: GrayImage::new(40, 50).into(), lines: vec![text.to_owned(), "x".to_owned()] };
        let row = |text: &str| Row { heading: String::new(), panels: vec![panel(text), panel("x")] };
        let narrow = strip("t", &[row("x")]).size();
        assert_eq!(narrow, (2.0 * 120.0 + 4.0 * MARGIN, 150.0 + 2.0 * LINE + 2.0 * MARGIN + TITLE + 8.0));
        let wide = strip("t", &[row("a line that is longer than its picture is wide")]).size();
        assert!(wide.0 > narrow.0 && wide.1 == narrow.1);
        assert!(strip("t", &[]).size().0 > MARGIN);
    }
}
