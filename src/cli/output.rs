//! Output: data to stdout, messages and progress to stderr.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

pub use eigenfaces::dataset::{guarded as cell, unguarded as from_cell};
pub use eigenfaces::decision::{percent, share};
pub use eigenfaces::records::{Record, SCHEMA, with_schema};
use eigenfaces::text::escaped;
pub use eigenfaces::text::{counted, csv_rows as table, faces_of_people, one_line, shown};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;

use super::options::{Color, Format, Global};
use super::{Error, Result};

/// Bars are shown for work that takes longer than this.
const BAR_AFTER: Duration = Duration::from_millis(500);

#[derive(Debug, Clone, Copy)]
pub struct Output {
    pub format: Format,
    /// Whether every file that is passed over is named, however many there are.
    pub names_all: bool,
    /// Whether photos are expected to be face crops: then no notice says that they are taken as they are.
    pub expects_crops: bool,
    pub quiet: bool,
    color: bool,
}

impl Output {
    pub fn is_text(&self) -> bool {
        self.format == Format::Text
    }

    pub fn is_table(&self) -> bool {
        self.format == Format::Csv
    }

    /// The only result, as an object for scripts: nothing where words are wanted.
    pub fn fields(&self, object: &Value) -> Result<()> {
        self.print_result(object, None)
    }

    /// The only result: lines for reading, or an object, whose fields are the rows of a table.
    pub fn print_result(&self, object: &Value, lines: impl IntoIterator<Item = String>) -> Result<()> {
        let rows = object.as_object().into_iter().flatten().map(|(field, value)| vec![field.clone(), in_a_cell(value)]);
        self.records("field,value", [Record::new(object.clone(), lines).with_rows(rows)])
    }

    /// Results of one kind, in the form asked for; a table has a header with these columns, `a,b,c`.
    pub fn records(&self, columns: &str, all: impl IntoIterator<Item = Record>) -> Result<()> {
        self.header(columns)?;
        let mut all = all.into_iter();
        all.try_for_each(|record| self.record(columns, record))
    }

    /// The header of a table, where one is asked for.
    pub fn header(&self, columns: &str) -> Result<()> {
        if self.is_table() { self.line(columns) } else { Ok(()) }
    }

    /// One of several results. As rows of a table, where it has none of its own: a list of objects is a row for each of them,
    /// with their own fields, and those that they have in common.
    pub fn record(&self, columns: &str, record: Record) -> Result<()> {
        match self.format {
            Format::Text => record.text.iter().try_for_each(|line| self.line(line)),
            Format::Json => self.json(record.json),
            Format::Csv => {
                record.rows.unwrap_or_else(|| rows(columns, &record.json)).iter().try_for_each(|row| self.csv(row))
            }
        }
    }

    pub fn new(global: &Global) -> Self {
        let color = match global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        };
        Self { format: global.format, names_all: global.verbose, expects_crops: false, quiet: global.quiet, color }
    }

    /// A message for the reader on stderr; nothing under --quiet.
    pub fn say(&self, message: &str) {
        if !self.quiet {
            self.always_say(message);
        }
    }

    /// As [`say`](Self::say), under --quiet too.
    pub fn always_say(&self, message: &str) {
        // A closed stderr leaves nobody to tell.
        let _ = writeln!(io::stderr(), "{}", one_line(message));
    }

    /// Which file was written, how large it is, and how long all took.
    pub fn say_written(&self, path: &Path, started: Instant) {
        let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let seconds = started.elapsed().as_secs_f64();
        self.say(&format!("{}: {}, {seconds:.2} s", shown(path), bytes(size)));
    }

    /// A line of data on stdout: one, whatever the names in it hold.
    /// Errors: a closed pipe, or a full disk behind it.
    pub fn line(&self, text: &str) -> Result<()> {
        print(format!("{}\n", one_line(text)).as_bytes())
    }

    /// An object of JSON Lines on stdout, with the version of its fields' meaning.
    pub fn json(&self, object: Value) -> Result<()> {
        print(format!("{}\n", in_json(&with_schema(object).to_string())).as_bytes())
    }

    /// A row of comma-separated values on stdout, quoted where needed.
    pub fn csv(&self, fields: &[String]) -> Result<()> {
        self.text(&table([fields.iter().map(|field| cell(field))]))
    }

    /// Text of several lines on stdout. Programs get names of files as they are; a terminal nothing that would move its cursor.
    pub fn text(&self, text: &[u8]) -> Result<()> {
        if io::stdout().is_terminal() { print(on_a_terminal(text).as_bytes()) } else { print(text) }
    }

    /// Something went wrong with one of many inputs; said even under --quiet.
    pub fn warn(&self, message: &str) {
        let yellow = self.colored("33", &one_line(message));
        let _ = writeln!(io::stderr(), "{yellow}");
    }

    fn colored(&self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub fn interrupted(&self, message: &str) {
        // What a progress bar, or the terminal's ^C, has left in this line.
        let line = if io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
        let _ = writeln!(io::stderr(), "{line}{}", one_line(message));
    }

    pub fn fail(&self, message: &str) {
        let red = self.colored("1;31", "error:");
        let _ = writeln!(io::stderr(), "{red} {}", one_line(message));
    }

    /// A progress bar of `total` steps on stderr: on a terminal only, and only once it takes a while.
    pub fn progress(&self, total: usize, what: &'static str) -> Progress {
        // One without a length stays hidden.
        let length = (!self.quiet && io::stderr().is_terminal()).then_some(total as u64);
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
            bar.set_style(style);
        }
        bar.set_message(what);
        Progress { bar, started: Instant::now() }
    }
}

fn rows(columns: &str, object: &Value) -> Vec<Vec<String>> {
    let mut lists = object.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_array());
    let list = lists.find(|list| list.iter().all(Value::is_object));
    let items = list.map_or(std::slice::from_ref(object), Vec::as_slice);
    let row = |item: &Value| {
        let cell = |column: &str| {
            let edge = ["x", "y", "width", "height"].iter().position(|edge| *edge == column);
            let found = item.get(column).or_else(|| item.get("box")?.get(edge?)).or_else(|| object.get(column));
            found.filter(|value| !value.is_null()).map_or_else(String::new, in_a_cell)
        };
        columns.split(',').map(cell).collect()
    };
    items.iter().map(row).collect()
}

fn in_a_cell(value: &Value) -> String {
    value.as_str().map(str::to_owned).unwrap_or_else(|| value.to_string())
}

/// A bar that appears when the work turns out to be long, and vanishes with the value.
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
}

impl Progress {
    pub fn reach(&self, done: usize) {
        if self.bar.is_hidden()
            && self.bar.length().is_some()
            && io::stderr().is_terminal()
            && self.started.elapsed() > BAR_AFTER
        {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(done as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Escapes control characters in JSON, where the text of a string says what the string holds. Unlike `one_line` it
/// loses nothing: outside of strings JSON has none of these characters.
fn in_json(text: &str) -> String {
    escaped(text, |safe, letter| {
        for unit in letter.encode_utf16(&mut [0; 2]) {
            let _ = write!(safe, "\\u{unit:04x}");
        }
    })
}

/// Text of several lines, each as [`one_line`] has it.
fn on_a_terminal(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.split('\n').map(one_line).collect::<Vec<_>>().join("\n")
}

/// The verb that goes with a count: "keeps" or "keep".
pub fn keep(count: usize) -> &'static str {
    if count == 1 { "keeps" } else { "keep" }
}

/// A number of bytes with a unit: KB, MB or GB.
pub fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} bytes"),
        1_000..1_000_000 => format!("{:.0} KB", count as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}

/// Errors: standard output is closed; a closed pipe, or a full disk behind it.
pub fn print(bytes: &[u8]) -> Result<()> {
    check_open().and_then(|()| io::stdout().write_all(bytes)).map_err(Error::Print)
}

/// Flushes standard output, which is buffered by line.
pub fn flush() -> io::Result<()> {
    io::stdout().flush()
}

/// Errors: standard output was closed when the program started.
pub fn check_open() -> io::Result<()> {
    #[cfg(unix)]
    if unix::WAS_CLOSED.load(std::sync::atomic::Ordering::Relaxed) {
        return Err(io::Error::other("standard output is closed"));
    }
    Ok(())
}

/// Before `main`, Rust's runtime opens the null device in place of a closed standard output, and all that is printed would
/// vanish. So whether it was closed is looked at before that.
#[cfg(unix)]
mod unix {
    use std::sync::atomic::{AtomicBool, Ordering};

    pub static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

    // SAFETY: The loader calls the functions of this section once, before `main`. This one is called with whatever
    // arguments the system passes, reads none of them, and neither allocates nor uses the runtime.
    #[allow(unsafe_code)]
    #[used]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    static BEFORE_MAIN: extern "C" fn() = look;

    extern "C" fn look() {
        WAS_CLOSED.store(rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use eigenfaces::text::is_safe;

    use super::*;

    #[test]
    fn what_strangers_named_cannot_disturb_the_terminal() {
        assert_eq!(one_line("Ada\n\u{1b}[31m顔\u{202e}"), "Ada\\n\\u{1b}[31m顔\\u{202e}");
        assert_eq!(one_line(&one_line("\u{200f}\t")), "\\u{200f}\\t");
        assert_eq!(one_line("A\u{200b}da"), "A\\u{200b}da", "not to be taken for Ada");
    }

    #[test]
    fn tables_stay_in_their_lines() {
        let rows = [["photo", "w1"], ["evil\u{1b}]0;owned\u{7}\u{1b}[31m.png", "1"]];
        assert_eq!(on_a_terminal(&table(rows)), "photo,w1\nevil\\u{1b}]0;owned\\u{7}\\u{1b}[31m.png,1\n");
    }

    #[test]
    fn no_cell_is_a_formula() {
        for text in ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "-inf"] {
            assert_eq!(cell(text), format!("'{text}"));
            assert_eq!(from_cell(&cell(text)), text);
        }
        for text in ["", "-0.25", "+1e3", "Ada", "'Ada", "a=b", "12"] {
            assert_eq!(cell(text), text);
            assert_eq!(from_cell(&cell(text)), text);
        }
    }

    #[test]
    fn json_keeps_what_it_escapes() {
        let name = "Ada\n\u{1b}\u{9b}31m\u{202e}顔\u{2028}";
        let line = in_json(&serde_json::json!({ "person": name }).to_string());
        assert!(line.chars().all(is_safe), "{line}");
        let object: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(object["person"], name);
    }
}
