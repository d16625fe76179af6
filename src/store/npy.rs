//! NumPy's array format, version 1.0, as far as a model needs it: little-endian numbers and text, in C order.
//!
//! The header is a Python literal; only the spelling that NumPy itself writes is read. (The general parsers at hand allocate what
//! the header's length field asks for and recurse as deep as its brackets go; both are wrong for files from strangers.)
//!
//! Format: numpy.lib.format, "Format Version 1.0"; NEP 1.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::error::ArrayProblem;

const MAGIC: &[u8] = b"\x93NUMPY";
/// NumPy starts the numbers at a multiple of this.
const ALIGNMENT: usize = 64;
/// Magic, version, and the length of the rest.
const PREAMBLE: usize = 10;

/// An array without its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// Type of the elements: `<f4`, `|u1`, `<U12`.
    pub(super) descr: String,
    /// Length of each side; row by row (C order).
    pub(super) shape: Vec<usize>,
}

impl Header {
    /// The header of these numbers; an error if the shape does not fit them.
    pub(super) fn of<T: Number>(shape: &[usize], numbers: &[T]) -> io::Result<Self> {
        if count(shape) != Some(numbers.len()) {
            let what = format!("{} numbers do not have the shape {shape:?}", numbers.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        Ok(Self { descr: T::DESCR.to_owned(), shape: shape.to_vec() })
    }

    pub(super) fn of_bytes(count: usize) -> Self {
        Self { descr: <u8 as sealed::Number>::DESCR.to_owned(), shape: vec![count] }
    }

    /// The bytes before the numbers.
    pub(super) fn encode(&self) -> Vec<u8> {
        let sides: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        let shape = match sides.as_slice() {
            [only] => format!("({only},)"),
            sides => format!("({})", sides.join(", ")),
        };
        let descr = &self.descr;
        let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        let end = (PREAMBLE + text.len() + 1).next_multiple_of(ALIGNMENT);
        text.extend(std::iter::repeat_n(' ', end - PREAMBLE - text.len() - 1));
        text.push('\n');

        let mut bytes = [MAGIC, &[1, 0], &(text.len() as u16).to_le_bytes()].concat();
        bytes.extend_from_slice(text.as_bytes());
        bytes
    }

    /// The header of `member`, and the bytes after it. Trusts nothing, allocates less than eight times the header's length.
    pub(super) fn parse(member: &[u8]) -> Result<(Self, &[u8]), ArrayProblem> {
        let rest = member.strip_prefix(MAGIC).ok_or(ArrayProblem::NotNumPy)?;
        let (&[major, minor], rest) = rest.split_first_chunk().ok_or(ArrayProblem::NotNumPy)?;
        if (major, minor) != (1, 0) {
            return Err(ArrayProblem::Version { major, minor });
        }
        let (length, rest) = rest.split_first_chunk().ok_or(ArrayProblem::Header)?;
        let length = usize::from(u16::from_le_bytes(*length));
        let (text, content) = rest.split_at_checked(length).ok_or(ArrayProblem::Header)?;
        let text = str::from_utf8(text).map_err(|_| ArrayProblem::Header)?;
        Ok((Self::parse_text(text)?, content))
    }

    /// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`, blanks, a line feed.
    fn parse_text(text: &str) -> Result<Self, ArrayProblem> {
        let fields = || {
            let (descr, rest) = text.strip_prefix("{'descr': ")?.split_once(", 'fortran_order': ")?;
            let (order, rest) = rest.split_once(", 'shape': (")?;
            let (shape, rest) = rest.split_once("), }")?;
            // A structured type is a list, with no quotes around it: no element type that a model has.
            let descr = descr.strip_prefix('\'')?.strip_suffix('\'')?;
            let is_name = descr.len() <= 24 && descr.bytes().all(|byte| byte.is_ascii_graphic());
            let ends = rest.trim_start_matches(' ') == "\n";
            (is_name && ends).then(|| (descr.to_owned(), order, parse_shape(shape)))
        };
        match fields().ok_or(ArrayProblem::Header)? {
            (descr, "False", Some(shape)) => Ok(Self { descr, shape }),
            (_, "True", _) => Err(ArrayProblem::FortranOrder),
            _ => Err(ArrayProblem::Header),
        }
    }
}

/// `` (a single value), `3,`, `3, 4`: at most [`MOST_SIDES`] sides.
fn parse_shape(text: &str) -> Option<Vec<usize>> {
    /// A model has none with more than two.
    const MOST_SIDES: usize = 8;
    if text.is_empty() {
        return Some(Vec::new());
    }
    let sides = match text.strip_suffix(',') {
        Some(only) if !only.contains(',') => only,
        Some(_) => return None,
        None if !text.contains(',') => return None,
        None => text,
    };
    let digits = |side: &str| side.bytes().all(|b| b.is_ascii_digit()).then(|| side.parse().ok());
    let shape: Vec<usize> =
        sides.splitn(MOST_SIDES + 1, ", ").map(|side| digits(side).flatten()).collect::<Option<_>>()?;
    (shape.len() <= MOST_SIDES).then_some(shape)
}

/// Number of elements of a shape; `None` if that is more than memory has addresses.
pub(super) fn count(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1usize, |count, &side| count.checked_mul(side))
}

/// A kind of number that an array of a model can hold: `u8`, `u32`, `i64`, `f32`, `f64`.
pub trait Number: bytemuck::Pod + sealed::Number {}

pub(super) mod sealed {
    pub trait Number: Sized {
        const DESCR: &'static str;
        /// Whether faces can lead to such a number: floats that are finite, and so is what is computed of them.
        fn is_sensible(&self) -> bool;
        /// This number with its bytes in little-endian order (and back).
        fn little_endian(self) -> Self;
    }
}

macro_rules! numbers {
    ($($number:ty, $descr:literal, $value:ident => $sensible:expr, $little_endian:expr;)*) => {$(
        impl Number for $number {}
        impl sealed::Number for $number {
            const DESCR: &'static str = $descr;
            fn is_sensible(&self) -> bool {
                let $value = *self;
                $sensible
            }
            fn little_endian(self) -> Self {
                let $value = self;
                $little_endian
            }
        }
    )*};
}
numbers! {
    u8, "|u1", x => { let _ = x; true }, x;
    u32, "<u4", x => { let _ = x; true }, x.to_le();
    i64, "<i8", x => { let _ = x; true }, x.to_le();
    f32, "<f4", x => x.abs() <= 1e9, f32::from_bits(x.to_bits().to_le());
    f64, "<f8", x => x.abs() <= 1e18, f64::from_bits(x.to_bits().to_le());
}

/// Writes an `.npy` file, for `numpy.load`: numbers row by row, `shape` `[n, k]` being n rows of k.
///
/// # Errors
/// Kind [`InvalidInput`](io::ErrorKind::InvalidInput) if the shape does not fit the numbers; whatever `out` reports.
pub fn write_npy<T: Number>(out: &mut impl Write, shape: &[usize], numbers: &[T]) -> io::Result<()> {
    out.write_all(&Header::of::<T>(shape, numbers)?.encode())?;
    out.write_all(&to_bytes(numbers))
}

/// Reads an `.npy` file of floats, as [`write_npy`] and `numpy.save` write it: its shape, and the numbers row by row.
///
/// # Errors
/// What is wrong with it; a shape that does not fit the bytes among it, so a stranger's file cannot ask for memory.
pub fn read_npy(file: &[u8]) -> Result<(Vec<usize>, Vec<f64>), ArrayProblem> {
    let (Header { descr, shape }, content) = Header::parse(file)?;
    let is_of = |width: usize| count(&shape).and_then(|count| count.checked_mul(width)) == Some(content.len());
    let numbers = match descr.as_str() {
        "<f4" if is_of(4) => from_bytes::<f32>(content).into_iter().map(f64::from).collect(),
        "<f8" if is_of(8) => from_bytes(content),
        "<f4" | "<f8" => {
            return Err(ArrayProblem::Length { shape, bytes: content.len() });
        }
        _ => return Err(ArrayProblem::NoFloats { found: descr }),
    };
    Ok((shape, numbers))
}

/// The bytes of numbers, as they stand in the file.
pub(crate) fn to_bytes<T: Number>(numbers: &[T]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(bytemuck::cast_slice(numbers));
    }
    let swapped: Vec<T> = numbers.iter().map(|x| x.little_endian()).collect();
    Cow::Owned(bytemuck::cast_slice(&swapped).to_vec())
}

/// The numbers that stand in `bytes`, whose length must be a multiple of theirs.
pub(super) fn from_bytes<T: Number>(bytes: &[u8]) -> Vec<T> {
    let mut numbers: Vec<T> = bytemuck::allocation::pod_collect_to_vec(bytes);
    if cfg!(target_endian = "big") {
        numbers.iter_mut().for_each(|x| *x = x.little_endian());
    }
    numbers
}

/// The width of a text type such as `<U12`; `None` for any other type, and for `<U0`.
pub(super) fn text_width(descr: &str) -> Option<usize> {
    let digits = descr.strip_prefix("<U")?;
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten().filter(|&width| width > 0)
}

/// Text as NumPy keeps it: every line UTF-32, filled up with NUL to `width` characters.
pub(super) fn text_to_bytes(lines: &[impl AsRef<str>], width: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(lines.len() * width * 4);
    for line in lines {
        let filled = line.as_ref().chars().chain(std::iter::repeat('\0'));
        bytes.extend(filled.take(width).flat_map(|c| u32::from(c).to_le_bytes()));
    }
    bytes
}

/// One line of text, without the NULs at its end; `None` if it holds what is no character.
pub(super) fn line_from_bytes(bytes: &[u8]) -> Option<String> {
    let mut line = String::new();
    for code in bytes.as_chunks::<4>().0 {
        line.push(char::from_u32(u32::from_le_bytes(*code))?);
    }
    line.truncate(line.trim_end_matches('\0').len());
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(descr: &str, shape: &[usize]) -> Header {
        Header { descr: descr.to_owned(), shape: shape.to_vec() }
    }

    /// A header with that text, as a hostile file might have it.
    fn with_text(text: &str) -> Vec<u8> {
        let mut bytes = [MAGIC, &[1, 0], &(text.len() as u16).to_le_bytes()].concat();
        bytes.extend_from_slice(text.as_bytes());
        bytes
    }

    #[test]
    fn is_spelled_as_numpy_spells_it() {
        // np.save of np.zeros((3, 4), np.float32), NumPy 2.4
        let bytes = header("<f4", &[3, 4]).encode();
        assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00\x76\x00");
        let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }";
        assert_eq!(bytes[10..], *format!("{text:<117}\n").as_bytes());
        assert!(header("|u1", &[7]).encode().windows(4).any(|w| w == b"(7,)"));
        assert!(header("|u1", &[]).encode().windows(4).any(|w| w == b": ()"));
    }

    #[test]
    fn a_file_is_header_and_numbers() {
        let mut file = Vec::new();
        write_npy(&mut file, &[1, 2], &[1.5f32, -2.0]).unwrap();
        assert_eq!(file[..128], header("<f4", &[1, 2]).encode());
        assert_eq!(file[128..], [0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0]);
        assert!(write_npy(&mut file, &[2, 2], &[1.5f32, -2.0]).is_err());
    }

    #[test]
    fn comes_back() {
        for shape in [&[][..], &[0], &[7], &[3, 4], &[0, 9], &[1, 2, 3, 4, 5, 6, 7, 8], &[usize::MAX; 8]] {
            for descr in ["<f4", "|u1", "<U4096"] {
                let bytes = [header(descr, shape).encode(), b"rest".to_vec()].concat();
                assert_eq!(bytes.len() % ALIGNMENT, 4);
                assert_eq!(Header::parse(&bytes), Ok((header(descr, shape), &b"rest"[..])));
            }
        }
    }

    #[test]
    fn every_shortening_is_an_error() {
        let bytes = header("<f4", &[3, 4]).encode();
        for length in 0..bytes.len() {
            assert!(Header::parse(&bytes[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn strange_headers_are_errors() {
        use ArrayProblem::*;
        for (text, problem) in [
            ("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }\n", FortranOrder),
            ("{'descr': '<f4', 'fortran_order': None, 'shape': (3, 4), }\n", Header),
            ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }\n", Header),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (3), }\n", Header),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4,), }\n", Header),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }\n", Header),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (+3,), }\n", Header),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (,), }\n", Header),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }\n", Header),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1), }\n", Header),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } x\n", Header),
            ("{'descr': '\u{1b}[2J', 'fortran_order': False, 'shape': (3,), }\n", Header),
            ("{'shape': (3,), 'descr': '<f4', 'fortran_order': False, }\n", Header),
            (&"(".repeat(60_000), Header),
            ("", Header),
        ] {
            let shown = &text[..text.len().min(80)];
            assert_eq!(super::Header::parse(&with_text(text)), Err(problem), "{shown}");
        }
        let version_2 = [MAGIC, &[2, 0, 0xff, 0xff, 0xff, 0xff]].concat();
        assert_eq!(super::Header::parse(&version_2), Err(Version { major: 2, minor: 0 }));
        assert_eq!(super::Header::parse(b"PK\x03\x04"), Err(NotNumPy));
    }

    #[test]
    fn a_shape_too_large_for_memory_has_no_count() {
        assert_eq!(count(&[]), Some(1));
        assert_eq!(count(&[3, 0]), Some(0));
        assert_eq!(count(&[usize::MAX, 2]), None);
    }

    #[test]
    fn text_widths() {
        assert_eq!(text_width("<U12"), Some(12));
        for other in ["<U0", "<U", "<U+1", ">U12", "|S12", "<f4", "<U99999999999999999999"] {
            assert_eq!(text_width(other), None, "{other}");
        }
    }
}
