//! Colours and marks that tell people apart.

use super::drawing::{Color, Marker};

/// Ten hues that stand apart on white, also for most who see colours differently (lightness varies too).
const HUES: [Color; 10] = [
    Color([31, 119, 180]),
    Color([214, 70, 40]),
    Color([44, 140, 60]),
    Color([148, 103, 189]),
    Color([225, 140, 0]),
    Color([120, 80, 60]),
    Color([220, 100, 170]),
    Color([90, 90, 90]),
    Color([150, 150, 20]),
    Color([20, 170, 185]),
];

const MARKERS: [Marker; 4] = [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond];

/// The mark of a group by its number: colours first, then forms; forty are different.
pub fn mark(number: usize) -> (Color, Marker) {
    let form = number / HUES.len() % MARKERS.len();
    (HUES[number % HUES.len()], MARKERS[form])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forty_marks_are_different() {
        let marks: Vec<_> = (0..40).map(mark).collect();
        for (at, one) in marks.iter().enumerate() {
            assert!(!marks[..at].contains(one), "{at}");
        }
    }
}
