//! Tables (CSV) as spreadsheets and editors save them.

use std::borrow::Cow;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use unicode_normalization::UnicodeNormalization as _;

use super::damaged::{io_reason, one_line};
use super::file_path::path_from_text;
use super::open::open_file;

/// The rows of a table, without empty ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// In their order, the heading among them.
    pub rows: Vec<TableRow>,
    /// The encoding of the file.
    pub encoding: TableEncoding,
}

/// A row that is not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRow {
    /// Its line in the file, from 1.
    pub line: u64,
    /// As they stand between the separators.
    pub fields: Vec<String>,
}

/// The encoding of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableEncoding {
    /// UTF-8 or UTF-16.
    Unicode,
    /// Windows-1252, as spreadsheets on Western European Windows save it. No file says so: it is what is left.
    Windows1252,
}

/// Separators of fields, likelier ones first where a file can be read by several: commas stand in paths too.
const SEPARATORS: [u8; 3] = [b'\t', b';', b','];

/// Rows that the separator is told from, at most.
const LOOKED_AT: usize = 200;

/// Reads a table: UTF-8 or UTF-16 with or without a byte order mark, or Windows-1252; fields separated by commas, semicolons
/// or tabs, which a first line `sep=;` may say; lines ended in whatever way.
pub fn read_table(path: &Path) -> Result<Table, String> {
    let mut bytes = Vec::new();
    open_file(path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "there is no such file; check the spelling".to_owned(),
        _ => io_reason(&error),
    })?;
    parse_table(&bytes)
}

fn parse_table(bytes: &[u8]) -> Result<Table, String> {
    let (text, encoding) = decoded(bytes)?;
    // A byte order mark that a program took for three letters, and wrote after one of its own.
    let text = text.trim_start_matches(['\u{feff}']);
    let text = text.strip_prefix("ï»¿").unwrap_or(text);
    let first = text.split(['\r', '\n']).next().unwrap_or_default();
    let (separator, text, lines_before) = match first.trim_matches('"').as_bytes() {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', separator] if separator.is_ascii() => {
            let rest = &text[first.len()..];
            let rest = rest.strip_prefix('\r').unwrap_or(rest);
            (*separator, rest.strip_prefix('\n').unwrap_or(rest), 1)
        }
        _ => (separator_of(text), text, 0),
    };
    let mut rows = Vec::new();
    let (mut line, mut counted) = (lines_before + 1, 0);
    for record in reader(text, separator).records() {
        let record = record.map_err(|error| one_line(&error.to_string()))?;
        // Where the last row ended: before the second half of its `\r\n`, and before empty lines.
        let ended = record.position().map_or(0, |at| at.byte() as usize);
        let start = text[ended..].find(|letter| !matches!(letter, '\r' | '\n'));
        let start = ended + start.unwrap_or_default();
        line += line_ends(&text[counted..start]);
        counted = start;
        if record.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        rows.push(TableRow { line, fields: record.iter().map(str::to_owned).collect() });
    }
    Ok(Table { rows, encoding })
}

/// The number of `\n`, `\r\n` and `\r` in a text.
fn line_ends(text: &str) -> u64 {
    let count = |end: &str| text.matches(end).count();
    (count("\n") + count("\r") - count("\r\n")) as u64
}

fn decoded(bytes: &[u8]) -> Result<(Cow<'_, str>, TableEncoding), String> {
    let (encoding, content) = match (Encoding::for_bom(bytes), bytes) {
        (Some((encoding, mark)), _) => (encoding, &bytes[mark..]),
        // Separators and line breaks of UTF-16 have a zero beside them.
        (None, [1..=255, 0, ..]) => (UTF_16LE, bytes),
        (None, [0, 1..=255, ..]) => (UTF_16BE, bytes),
        (None, _) => (UTF_8, bytes),
    };
    match encoding.decode_without_bom_handling_and_without_replacement(content) {
        Some(text) => Ok((text, TableEncoding::Unicode)),
        None if encoding == UTF_8 && !content.contains(&0) => {
            let (text, _) = WINDOWS_1252.decode_without_bom_handling(content);
            Ok((text, TableEncoding::Windows1252))
        }
        None => Err(format!("it is no valid {}: save it as CSV UTF-8", encoding.name())),
    }
}

fn reader(text: &str, separator: u8) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(separator).from_reader(text.as_bytes())
}

/// The separator by which most first rows have as many fields as the first, and more than one; quotes hide it.
fn separator_of(text: &str) -> u8 {
    let mut best = (0, b',');
    let separates = |separator: &u8| {
        let mut outside = text.split('"').step_by(2);
        outside.any(|text| text.as_bytes().contains(separator))
    };
    for separator in SEPARATORS.into_iter().filter(separates) {
        let mut reader = reader(text, separator);
        let lengths = reader.records().take(LOOKED_AT).map_while(Result::ok);
        let lengths: Vec<usize> = lengths.map(|record| record.len()).collect();
        let first = lengths.first().filter(|&&first| first > 1);
        let alike = lengths.iter().filter(|length| Some(*length) == first).count();
        if alike > best.0 {
            best = (alike, separator);
        }
    }
    best.1
}

/// Text that a spreadsheet takes for text: what it would take for a formula gets an apostrophe before it. Numbers stay.
pub fn guarded(text: &str) -> String {
    let is_number = text.parse().is_ok_and(f64::is_finite);
    if text.starts_with(FORMULA) && !is_number { format!("'{text}") } else { text.to_owned() }
}

/// The text of a cell that [`guarded`] wrote.
pub fn unguarded(cell: &str) -> &str {
    let text = cell.strip_prefix('\'');
    text.filter(|text| text.starts_with(FORMULA)).unwrap_or(cell)
}

/// First characters of what spreadsheets take for formulas.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// The paths that a field of a table may mean, likelier ones first: as this program wrote it, with a guard and bytes
/// that are written out; as it stands; as it was before a program misread its encoding; and as other systems write
/// it: accents in or beside their letters (NFC, NFD), and backslashes between folders.
pub fn spellings_of_path(field: &str) -> Vec<PathBuf> {
    let unguarded = unguarded(field);
    let mut spellings = vec![path_from_text(unguarded), unguarded.into(), field.into()];
    spellings.extend(misread(unguarded).map(PathBuf::from));
    for text in [unguarded, &unguarded.replace('\\', "/")] {
        spellings.extend([text.nfc().collect::<String>(), text.nfd().collect()].map(PathBuf::from));
    }
    spellings.dedup();
    spellings
}

/// A text as it was, where a program took UTF-8 for Windows-1252 (`Zoë` became `ZoÃ«`); `None` where none can have.
pub fn misread(text: &str) -> Option<String> {
    let (bytes, _, is_lossy) = WINDOWS_1252.encode(text);
    let before = String::from_utf8(bytes.into_owned()).ok()?;
    (!is_lossy && before != text).then_some(before)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fields(bytes: &[u8]) -> Vec<Vec<String>> {
        let rows = parse_table(bytes).expect("a table").rows;
        rows.into_iter().map(|row| row.fields).collect()
    }

    /// A text in each encoding of Unicode, with and without a mark.
    fn encoded(text: &str) -> Vec<Vec<u8>> {
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        vec![
            text.as_bytes().to_vec(),
            [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
            [b"\xFF\xFE", little.as_slice()].concat(),
            [b"\xFE\xFF", big.as_slice()].concat(),
            little,
            big,
        ]
    }

    #[test]
    fn spreadsheets_may_save_a_table_in_their_ways() {
        let expected = [["path", "person"], ["a, b.jpg", "Zoë"], ["c.jpg", "小野;\n1"]];
        for separator in [",", ";", "\t"] {
            for line_end in ["\n", "\r\n", "\r"] {
                for sep in [String::new(), format!("sep={separator}{line_end}")] {
                    let empty = [separator, line_end, line_end].concat();
                    let text = format!(
                        "{sep}path{separator}person{line_end}\"a, b.jpg\"{separator}Zoë{line_end}{empty}c.jpg{separator}\"小野;\n1\"{line_end}{separator} {separator}{line_end}"
                    );
                    for bytes in encoded(&text) {
                        assert_eq!(fields(&bytes), expected, "{text:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn rows_know_their_lines() {
        for end in ["\n", "\r\n", "\r"] {
            for (before, first) in [("", 1), ("sep=,\n", 2)] {
                let text = "path,person\na,\"two\nlines\"\n\n,\nb,Bo\n".replace('\n', end);
                let table = parse_table([before, &text].concat().as_bytes()).expect("a table");
                let lines: Vec<u64> = table.rows.iter().map(|row| row.line - first).collect();
                assert_eq!(lines, [0, 1, 5], "{text:?}");
            }
        }
    }

    #[test]
    fn paths_are_spelt_as_other_systems_have_them() {
        for field in ["Zoe\u{308}/1.jpg", "Zo\u{eb}/1.jpg", "Zoe\u{308}\\1.jpg"] {
            let spellings = spellings_of_path(field);
            for path in ["Zoe\u{308}/1.jpg", "Zo\u{eb}/1.jpg"] {
                assert!(spellings.contains(&path.into()), "{field}: {spellings:?}");
            }
        }
    }

    #[test]
    fn what_is_no_unicode_is_windows_1252() {
        let table = parse_table(b"path;person\r\nZo\xEB/1.jpg;Zo\xEB \x80\r\n").expect("a table");
        assert_eq!(table.encoding, TableEncoding::Windows1252);
        assert_eq!(table.rows[1].fields, ["Zoë/1.jpg", "Zoë €"]);
        assert!(parse_table(b"\xFF\xFEa").is_err());
        assert!(parse_table(b"a,\xEB\0").is_err());
        let mark_read_as_text = "\u{feff}ï»¿path,person\n";
        assert_eq!(fields(mark_read_as_text.as_bytes()), [["path", "person"]]);
    }

    #[test]
    fn commas_within_fields_do_not_separate_them() {
        let text = b"Berlin, 2024/a.jpg;Ada\nBerlin, 2024/b.jpg;Bo\n";
        assert_eq!(fields(text)[1], ["Berlin, 2024/b.jpg", "Bo"]);
        let rows = parse_table(b"sep=;\na,b;c\n").expect("a table").rows;
        assert_eq!((rows[0].line, rows[0].fields.len()), (2, 2));
        assert_eq!(fields(b""), Vec::<Vec<String>>::new());
        assert_eq!(fields(b"one\n"), [["one"]]);
    }

    #[test]
    fn a_misread_text_is_found_again() {
        let before = "Ferien Zoë – Łódź";
        let (misread_text, _) = WINDOWS_1252.decode_without_bom_handling(before.as_bytes());
        assert_eq!(misread(&misread_text).as_deref(), Some(before));
        for sound in [before, "Zoë", "plain", "小野"] {
            assert_eq!(misread(sound), None);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_table_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(table) = parse_table(&bytes) {
                for row in &table.rows {
                    prop_assert!(row.fields.iter().any(|field| !field.trim().is_empty()));
                }
            }
        }

        #[test]
        fn what_a_writer_writes_comes_back(
            rows in prop::collection::vec(prop::collection::vec("[a-zé \",;\n]{0,6}x", 2..3), 1..6),
            at in 0..3_usize,
        ) {
            let mut writer = csv::WriterBuilder::new().delimiter(SEPARATORS[at]).quote_style(csv::QuoteStyle::Always).from_writer(Vec::new());
            for row in &rows {
                writer.write_record(row).expect("written");
            }
            let bytes = writer.into_inner().expect("written");
            for bytes in encoded(std::str::from_utf8(&bytes).expect("text")) {
                prop_assert_eq!(&fields(&bytes), &rows);
            }
        }
    }
}
