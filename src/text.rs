//! Words of messages: counts with their nouns, paths and names that stay in their line, rows of tables.

use std::fmt::Write as _;
use std::path::Path;

/// `1 face`, `2 faces`: a count with its noun.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `112 faces of 14 people`.
pub fn faces_of_people(faces: usize, people: usize) -> String {
    format!("{} of {}", counted(faces, "face", "faces"), counted(people, "person", "people"))
}

/// A path in a message.
pub fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy())
}

/// Text without control characters: strangers' file names and names in models must not disturb a terminal or break a line.
pub fn one_line(text: &str) -> String {
    escaped(text, |safe, letter| {
        let _ = write!(safe, "{}", letter.escape_default());
    })
}

/// The text with `escape` written for every character that is not safe in a line.
pub(crate) fn escaped(text: &str, escape: impl Fn(&mut String, char)) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_safe(letter) {
            safe.push(letter);
        } else {
            escape(&mut safe, letter);
        }
    }
    safe
}

/// Whether a character stays in its line and in its place.
pub(crate) fn is_safe(letter: char) -> bool {
    // Marks, embeddings, overrides and isolates of the direction can make a line read otherwise than it is.
    let turns =
        matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // What takes no room lets two names look alike; joiners (200C, 200D) do too, but Persian is written with them.
    let hides = matches!(letter, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}');
    !(letter.is_control() || turns || hides || letter == '\u{2028}' || letter == '\u{2029}')
}

/// Rows of comma-separated values, each field quoted where needed.
pub fn csv_rows<R>(rows: impl IntoIterator<Item = R>) -> Vec<u8>
where
    R: IntoIterator<Item: AsRef<[u8]>>,
{
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for row in rows {
        // Into memory, and rows may differ in length: it cannot fail.
        let _ = writer.write_record(row);
    }
    writer.into_inner().unwrap_or_default()
}
