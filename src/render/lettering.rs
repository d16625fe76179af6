//! Text in pictures, set in Hack (Latin, Greek, Cyrillic) by `ab_glyph`.

use std::sync::OnceLock;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};

fn font() -> &'static FontRef<'static> {
    static FONT: OnceLock<FontRef<'static>> = OnceLock::new();
    FONT.get_or_init(|| {
        FontRef::try_from_slice(epaint_default_fonts::HACK_REGULAR)
            .expect("the font that comes with the program is whole")
    })
}

/// The width in pixels of a line of text set `height` pixels high.
pub fn width(text: &str, height: f32) -> f32 {
    let font = font().as_scaled(PxScale::from(height));
    text.chars().map(|letter| font.h_advance(font.glyph_id(letter))).sum()
}

/// The height of a line of text of a size (em) in pixels: from the highest letter to the lowest.
pub fn line_height(size: f32) -> f32 {
    let font = font();
    size * font.height_unscaled() / font.units_per_em().unwrap_or(1.0)
}

/// The pixels (also beyond any picture) of a line of text from x on the baseline y, `height` high, with coverage 0 to 1.
pub fn ink(text: &str, x: f32, y: f32, height: f32, mut cover: impl FnMut(i32, i32, f32)) {
    let font = font().as_scaled(PxScale::from(height));
    let mut pen = point(x, y);
    for letter in text.chars() {
        let glyph = font.glyph_id(letter).with_scale_and_position(height, pen);
        pen.x += font.h_advance(glyph.id);
        let Some(outline) = font.outline_glyph(glyph) else { continue };
        let corner = outline.px_bounds().min;
        outline.draw(|dx, dy, coverage| {
            cover((corner.x + dx as f32) as i32, (corner.y + dy as f32) as i32, coverage.clamp(0.0, 1.0));
        });
    }
}

/// A text and its end, or as much of the text as fits with it, with an ellipsis; or as much of the end.
pub fn fitting(text: &str, end: &str, fits: impl Fn(&str) -> bool) -> String {
    let whole = format!("{text}{end}");
    if fits(&whole) {
        return whole;
    }
    let mut kept = text.to_owned();
    while kept.pop().is_some() {
        let shorter = format!("{}…{end}", kept.trim_end());
        if fits(&shorter) {
            return shorter;
        }
    }
    let mut rest = end.to_owned();
    while !fits(&rest) && rest.pop().is_some() {}
    rest
}

/// Whether every letter of a text can be set: the font has it, and it stands by itself, from left to right.
pub fn can_write(text: &str) -> bool {
    text.chars().all(|letter| {
        let joins_or_turns = matches!(letter,
            '\u{300}'..='\u{36f}' | '\u{590}'..='\u{8ff}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe00}'..='\u{feff}');
        !joins_or_turns && font().glyph_id(letter).0 != 0
    })
}

#[cfg(test)]
mod tests {
    use super::super::drawing::{Anchor, Color, Drawing};
    use super::*;

    #[test]
    fn text_darkens_pixels_inside_its_width_only() {
        let mut inked = Vec::new();
        ink("Ada 12 %", 2.0, 13.0, 14.0, |x, _, cover| {
            inked.extend((cover > 0.5).then_some(x));
        });
        let end = 2.0 + width("Ada 12 %", 14.0);
        assert!(!inked.is_empty());
        assert!(inked.iter().all(|&x| x >= 2 && x < end as i32 + 2));
    }

    #[test]
    fn scripts_that_can_be_set() {
        for name in ["Ada Lovelace", "Zoë Ångström", "Łukasz Żółć", "Юрий", "Αλέξανδρος", "O'Neil-2"]
        {
            assert!(can_write(name), "{name}");
        }
        for name in ["顔", "김민수", "أحمد", "דוד", "राम", "e\u{301}va", "\u{202e}adA"] {
            assert!(!can_write(name), "{name}");
        }
    }

    #[test]
    fn text_beyond_the_edges_is_cut() {
        let mut drawing = Drawing::new(10.0, 10.0, "");
        for at in [(-7.0, 8.0), (500.0, 500.0)] {
            let text = "a long line 顔 \u{1b}[0m";
            drawing.text(at, Anchor::Start, 14.0, Color::INK, text);
        }
        assert_eq!(drawing.to_pixels().dimensions(), (10, 10));
    }
}
