//! The zip container, in one canonical form: what can be read is exactly what can be written.
//!
//! docs/MODEL-FORMAT.md has the form. NumPy, Python's `zipfile` and the usual unzip programs read it.
//!
//! The reader walks the local headers from the start and compares every header, and the whole directory at the end,
//! with what the writer would have written for the same names, sizes and checksums. Nothing is left to interpret:
//! overlapping, hidden or compressed members, two directories that disagree, or foreign zip64 fields cannot occur.
//! This is why no general zip reader is used here; such a one must be lenient.
//!
//! Format: APPNOTE.TXT 6.3.10 (PKWARE), sections 4.3.7 to 4.3.16 and 4.5.3.

use std::collections::HashSet;
use std::ops::Range;

const LOCAL_HEADER: u32 = 0x0403_4b50;
const DIRECTORY_HEADER: u32 = 0x0201_4b50;
const ZIP64_END: u32 = 0x0606_4b50;
const ZIP64_LOCATOR: u32 = 0x0706_4b50;
const END: u32 = 0x0605_4b50;

/// "Needs zip version 4.5", the one that brought zip64.
const VERSION: u16 = 45;
/// Made on Unix, which gives a meaning to `OWNER_ONLY`.
const MADE_BY_UNIX: u16 = (3 << 8) | VERSION;
/// 1 January 1980, the first day that zip knows.
const FIRST_DAY: u16 = (1 << 5) | 1;
/// An ordinary file that only its owner may read, once unpacked: it is biometric data.
const OWNER_ONLY: u32 = 0o100_600 << 16;
/// The name is UTF-8, which that of no member of a model needs to say.
const UTF_8: u16 = 1 << 11;
/// Tag and length of the field of the time at which a file was written, in UTC (Info-ZIP's extended timestamp).
const TIME_FIELD: u16 = 0x5455;
const TIME_LENGTH: u16 = 9;
/// Values of 16-bit and 32-bit fields that stand in the zip64 field instead.
const SEE_ZIP64_16: u16 = u16::MAX;
const SEE_ZIP64_32: u32 = u32::MAX;
const ZIP64_FIELD: u16 = 1;

/// Position of the name in a local header.
const NAME_AT: usize = 30;
/// Longest name of a member, in bytes.
const LONGEST_NAME: usize = 64;
/// Length of the zip64 field in a local header, which follows the name.
const ZIP64_LENGTH: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) crc32: u32,
    /// Bytes of content.
    pub(super) size: u64,
    /// Position of its local header in the file.
    pub(super) offset: u64,
    /// Seconds since 1970 at which it was written; none of members of a model, which are the same whenever they are written.
    pub(super) modified: Option<u32>,
}

impl Entry {
    /// The place of its content in the file. An entry that was read lies in the file, so that no sum is too large.
    pub(super) fn content(&self) -> Range<usize> {
        let start = self.offset as usize + NAME_AT + self.name.len() + ZIP64_LENGTH;
        start..start + self.size as usize
    }

    fn time_length(&self) -> u16 {
        self.modified.map_or(0, |_| TIME_LENGTH)
    }
}

/// Letters, digits, `_`, `-` and `.`: nothing that could be a path, an escape sequence or a second spelling.
pub(super) fn is_good_name(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.len())
        && !name.starts_with('.')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
}

/// The bytes before the content of a member.
pub(super) fn local_header(entry: &Entry) -> Vec<u8> {
    let mut out = Record::new(LOCAL_HEADER);
    out.u16(VERSION);
    out.description(entry);
    out.u16(ZIP64_LENGTH as u16 + entry.time_length());
    out.bytes(entry.name.as_bytes());
    out.u16(ZIP64_FIELD).u16(16).u64(entry.size).u64(entry.size);
    out.time(entry);
    out.0
}

/// Whether a file begins as [`local_header`] of a member of that name does, as far as the file goes.
pub(super) fn starts_with_member(bytes: &[u8], name: &str) -> bool {
    let header = local_header(&Entry { name: name.to_owned(), crc32: 0, size: 0, offset: 0, modified: None });
    let agree = |range: Range<usize>| {
        let end = range.end.min(bytes.len());
        bytes.get(range.start..end).is_none_or(|found| found == &header[range.start..end])
    };
    // Between the two lie the checksum and the sizes.
    agree(0..14) && agree(NAME_AT - 4..NAME_AT + name.len())
}

/// The bytes after the last member, up to and without the comment that ends the file.
pub(super) fn directory(entries: &[Entry], start: u64, comment: u16) -> Vec<u8> {
    let mut out = Record(Vec::new());
    for entry in entries {
        out.u32(DIRECTORY_HEADER).u16(MADE_BY_UNIX).u16(VERSION);
        out.description(entry);
        out.u16(28 + entry.time_length()).u16(0); // length of the fields below, of a comment
        out.u16(0).u16(0).u32(OWNER_ONLY); // disk, kind of content, rights
        out.u32(SEE_ZIP64_32).bytes(entry.name.as_bytes());
        out.u16(ZIP64_FIELD).u16(24).u64(entry.size).u64(entry.size).u64(entry.offset);
        out.time(entry);
    }
    let size = out.0.len() as u64;
    let count = entries.len() as u64;

    out.u32(ZIP64_END).u64(44).u16(MADE_BY_UNIX).u16(VERSION);
    out.u32(0).u32(0).u64(count).u64(count).u64(size).u64(start);

    out.u32(ZIP64_LOCATOR).u32(0).u64(start + size).u32(1);

    out.u32(END).u16(0).u16(0).u16(SEE_ZIP64_16).u16(SEE_ZIP64_16);
    out.u32(SEE_ZIP64_32).u32(SEE_ZIP64_32).u16(comment);
    out.0
}

/// The first member of an archive.
/// Errors: what is wrong, in a few words.
pub(super) fn first(bytes: &[u8]) -> Result<Entry, String> {
    parse_member(bytes, 0).ok_or_else(|| broken_at(0))
}

/// All members of an archive; `bytes` are without the comment that ends the file.
///
/// Allocates less than twice the bytes that the headers take in the file.
/// Errors: what is wrong, in a few words.
pub(super) fn members(bytes: &[u8], comment: u16) -> Result<Vec<Entry>, String> {
    let mut members = Vec::new();
    let mut names = HashSet::new();
    let mut at = 0;
    while read_u32(bytes, at) == Some(LOCAL_HEADER) {
        let member = parse_member(bytes, at).ok_or_else(|| broken_at(at))?;
        if !names.insert(member.name.clone()) {
            return Err(format!("two members are called {}", member.name));
        }
        at = member.content().end;
        members.push(member);
    }
    if bytes[at..] == directory(&members, at as u64, comment) {
        return Ok(members);
    }
    Err(format!("unexpected zip directory at byte {at}"))
}

fn broken_at(at: usize) -> String {
    format!("unexpected zip header at byte {at}")
}

/// The member whose local header stands at `at`; `None` unless the header is exactly ours and the content is there.
fn parse_member(bytes: &[u8], at: usize) -> Option<Entry> {
    let found = bytes.get(at..)?;
    let name_length = usize::from(u16::from_le_bytes(found.get(26..28)?.try_into().ok()?));
    let name = str::from_utf8(found.get(NAME_AT..)?.get(..name_length)?).ok()?;
    let size_at = NAME_AT + name_length + 4;
    let entry = Entry {
        name: is_good_name(name).then(|| name.to_owned())?,
        crc32: read_u32(found, 14)?,
        size: u64::from_le_bytes(found.get(size_at..size_at + 8)?.try_into().ok()?),
        offset: at as u64,
        modified: None,
    };
    let header = local_header(&entry);
    let end = header.len().checked_add(usize::try_from(entry.size).ok()?)?;
    (found.starts_with(&header) && end <= found.len()).then_some(entry)
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..)?.get(..4)?.try_into().ok()?))
}

/// Little-endian fields, one after the other.
struct Record(Vec<u8>);

impl Record {
    fn new(signature: u32) -> Self {
        Self(signature.to_le_bytes().to_vec())
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    fn u16(&mut self, value: u16) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    fn u32(&mut self, value: u32) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    fn u64(&mut self, value: u64) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    /// The fields that a local header and the directory share: flags (whether the name is UTF-8), method (none), time, checksum, sizes, name.
    fn description(&mut self, entry: &Entry) -> &mut Self {
        let flags = if entry.name.is_ascii() { 0 } else { UTF_8 };
        let [time, day] = entry.modified.map_or([0, FIRST_DAY], in_two_seconds);
        self.u16(flags).u16(0).u16(time).u16(day);
        self.u32(entry.crc32);
        self.u32(SEE_ZIP64_32).u32(SEE_ZIP64_32);
        self.u16(entry.name.len() as u16) // at most LONGEST_NAME
    }

    fn time(&mut self, entry: &Entry) {
        if let Some(modified) = entry.modified {
            self.u16(TIME_FIELD).u16(TIME_LENGTH - 4);
            self.bytes(&[1]).u32(modified);
        }
    }
}

/// A time as zip itself has it, here in UTC: to two seconds, and not before 1980.
fn in_two_seconds(seconds: u32) -> [u16; 2] {
    let (year, month, day) = date(u64::from(seconds) / 86_400);
    if year < 1980 {
        return [0, FIRST_DAY];
    }
    let of_day = seconds % 86_400;
    let [hour, minute, second] = [of_day / 3600, of_day / 60 % 60, of_day % 60];
    let time = (hour << 11) | (minute << 5) | (second / 2);
    let day = ((year - 1980) << 9) | (month << 5) | day;
    [time as u16, day as u16]
}

/// The day of the Gregorian calendar a number of days after 1 January 1970.
pub fn date(days: u64) -> (u64, u64, u64) {
    // The calendar repeats after 400 years. Years are counted from March, so that the odd day of February is their last, and
    // five months from March on have 153 days (Howard Hinnant, chrono-Compatible Low-Level Date Algorithms).
    const CYCLE: u64 = 146_097;
    const MARCH_OF_YEAR_0: u64 = 719_468;
    let days = days + MARCH_OF_YEAR_0;
    let (cycle, left) = (days / CYCLE, days % CYCLE);
    let year = (left - left / 1460 + left / 36_524 - left / 146_096) / 365;
    let left = left - (365 * year + year / 4 - year / 100);
    let month = (5 * left + 2) / 153;
    let day = left - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (400 * cycle + year + u64::from(month < 3), month, day)
}
