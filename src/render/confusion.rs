//! The confusion matrix as a drawing.

use super::drawing::{Anchor, Color, Drawing, Shape};
use super::lettering;
use crate::evaluate::Confusion;

const CELL: f32 = 24.0;
const LETTERS: f32 = 11.0;
const RIGHT: Color = Color([31, 95, 150]);
const WRONG: Color = Color([196, 50, 20]);
const EMPTY: Color = Color([243, 243, 243]);

/// Room for names, in pixels, and for the numbers above the columns.
const NAMES: (f32, f32) = (30.0, 220.0);
const NUMBERS: f32 = 20.0;

/// A row for each person whose photos were tried, a column for each they were taken for, in the same order.
/// The colour says right or wrong, its depth the share of the row; a pointer over a cell is told both names.
pub fn matrix(people: &[&str], confusion: &[Confusion]) -> Drawing {
    let letters = lettering::line_height(LETTERS);
    let people: Vec<String> = (1..)
        .zip(people)
        .map(|(number, name)| format!("{number} {name}"))
        .collect();
    let widths = people.iter().map(|name| lettering::width(name, letters));
    let names = widths.fold(NAMES.0, f32::max).min(NAMES.1);
    let side = CELL * people.len() as f32;
    let mut drawing = Drawing::new(
        names + side + 16.0,
        side + 12.0 + NUMBERS,
        "Confusion matrix",
    );
    let place = |row: usize, column: usize| {
        (
            names + 12.0 + CELL * column as f32,
            6.0 + NUMBERS + CELL * row as f32,
        )
    };
    for column in 0..people.len() {
        let (x, _) = place(0, column);
        let at = (x + CELL / 2.0, NUMBERS);
        let number = (column + 1).to_string();
        drawing.text(at, Anchor::Middle, LETTERS, Color::FAINT, number);
    }
    for (row, name) in people.iter().enumerate() {
        let mut shown = name.clone();
        while lettering::width(&shown, letters) > names && shown.pop().is_some() {}
        let (_, y) = place(row, 0);
        drawing.text(
            (names + 6.0, y + CELL / 2.0 + 4.0),
            Anchor::End,
            LETTERS,
            Color::INK,
            shown,
        );
        let (x, y) = place(row, 0);
        drawing.rect((x, y), (side - 1.0, CELL - 1.0), EMPTY);
    }
    let mut tried = vec![0; people.len()];
    for cell in confusion {
        if let Some(tried) = tried.get_mut(cell.person) {
            *tried += cell.count;
        }
    }
    for cell in confusion {
        let (Some(person), Some(named)) = (people.get(cell.person), people.get(cell.named)) else {
            continue;
        };
        let (count, of) = (cell.count, tried[cell.person]);
        let share = count as f32 / of.max(1) as f32;
        let (color, hover) = if cell.person == cell.named {
            (RIGHT, format!("{person}: {count} of {of} right"))
        } else {
            let hover = format!("{person} taken for {named}: {count} of {of}");
            (WRONG, hover)
        };
        drawing.push(Shape::Rect {
            at: place(cell.person, cell.named),
            size: (CELL - 1.0, CELL - 1.0),
            fill: color.lightened(0.2 + 0.5 * share),
            hover,
        });
        let (x, y) = place(cell.person, cell.named);
        let middle = (x + CELL / 2.0, y + CELL / 2.0 + 4.0);
        let count = count.to_string();
        drawing.text(middle, Anchor::Middle, LETTERS, Color([0, 0, 0]), count);
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_cells_tell_both_names() {
        let cell = |person, named, count| Confusion {
            person,
            named,
            count,
        };
        let svg = matrix(&["Ada", "Bo <b>"], &[cell(0, 0, 3), cell(0, 1, 1)]).to_svg();
        assert!(svg.contains("1 Ada taken for 2 Bo &lt;b&gt;: 1 of 4"));
        assert!(svg.contains("1 Ada: 3 of 4 right") && svg.contains(">3</text>"));
    }
}
