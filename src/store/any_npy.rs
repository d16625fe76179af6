//! Arrays of numbers that people saved with NumPy: of any type of number, in either order of bytes and of sides, and in any
//! version of the format. A model's own arrays have one form each: see `npy.rs`.

use super::npy::{Header, Order, count};
use crate::error::ArrayProblem;

/// Reads an `.npy` file of numbers, as [`write_npy`](super::write_npy) and `numpy.save` write it: its shape, and the numbers
/// row by row. Whole numbers beyond 53 bits are rounded.
///
/// # Errors
/// What is wrong with it; a shape that does not fit the bytes among it, so a stranger's file cannot ask for memory.
pub fn read_npy(file: &[u8]) -> Result<(Vec<usize>, Vec<f64>), ArrayProblem> {
    let (header, order, content) = Header::parse_any(file)?;
    let Some(kind) = Kind::of(&header.descr) else {
        return Err(ArrayProblem::NotNumbers {
            found: header.descr,
        });
    };
    let wanted = count(&header.shape).and_then(|count| count.checked_mul(kind.width));
    if wanted != Some(content.len()) {
        return Err(ArrayProblem::Length {
            shape: header.shape,
            bytes: content.len(),
        });
    }
    let numbers = content.chunks_exact(kind.width);
    let numbers: Vec<f64> = numbers.map(|bytes| kind.number(bytes)).collect();
    let numbers = match order {
        Order::RowByRow => numbers,
        Order::ColumnByColumn => row_by_row(&header.shape, &numbers),
    };
    Ok((header.shape, numbers))
}

/// Numbers of which the first side runs fastest, with the last running fastest.
fn row_by_row(shape: &[usize], numbers: &[f64]) -> Vec<f64> {
    let place = |mut at: usize| {
        // The index on each side, from the last, and the numbers that one step on it passes.
        let mut step = numbers.len();
        let mut place = 0;
        for side in shape.iter().rev() {
            step /= side;
            place += at % side * step;
            at /= side;
        }
        place
    };
    (0..numbers.len()).map(|at| numbers[place(at)]).collect()
}

/// A type of numbers.
struct Kind {
    /// Bytes of a number.
    width: usize,
    is_highest_first: bool,
    /// The number that these bits stand for, the lowest of them its own.
    of_bits: fn(u64) -> f64,
}

impl Kind {
    /// The type of NumPy's name; `None` for text, complex numbers and the like.
    fn of(descr: &str) -> Option<Self> {
        let (order, name) = descr.split_at_checked(1)?;
        let (width, of_bits): (usize, fn(u64) -> f64) = match name {
            "b1" | "u1" => (1, |bits| bits as f64),
            "u2" => (2, |bits| bits as f64),
            "u4" => (4, |bits| bits as f64),
            "u8" => (8, |bits| bits as f64),
            "i1" => (1, |bits| f64::from(bits as i8)),
            "i2" => (2, |bits| f64::from(bits as i16)),
            "i4" => (4, |bits| f64::from(bits as i32)),
            "i8" => (8, |bits| bits as i64 as f64),
            "f2" => (2, |bits| half(bits as u16)),
            "f4" => (4, |bits| f64::from(f32::from_bits(bits as u32))),
            "f8" => (8, f64::from_bits),
            _ => return None,
        };
        let is_highest_first = match (order, width) {
            ("|", 1) => false,
            ("<", 2..) => false,
            (">", 2..) => true,
            _ => return None,
        };
        Some(Self {
            width,
            is_highest_first,
            of_bits,
        })
    }

    fn number(&self, bytes: &[u8]) -> f64 {
        let joined = |bits: u64, &byte: &u8| bits << 8 | u64::from(byte);
        (self.of_bits)(match self.is_highest_first {
            true => bytes.iter().fold(0, joined),
            false => bytes.iter().rfold(0, joined),
        })
    }
}

/// A number of 16 bits (IEEE 754 binary16).
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let fraction = f64::from(bits & 0x3ff);
    sign * match i32::from(bits >> 10 & 0x1f) {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::write_npy;

    /// An array as NumPy saves it, of these bytes.
    fn file(version: u8, descr: &str, order: &str, shape: &str, content: &[u8]) -> Vec<u8> {
        let text =
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let length = text.len() as u32;
        let length = match version {
            1 => (length as u16).to_le_bytes().to_vec(),
            _ => length.to_le_bytes().to_vec(),
        };
        [
            b"\x93NUMPY",
            &[version, 0][..],
            &length,
            text.as_bytes(),
            content,
        ]
        .concat()
    }

    #[test]
    fn every_type_of_number_is_read() {
        let cases: [(&str, &[u8], f64); 16] = [
            ("|b1", &[1], 1.0),
            ("|u1", &[200], 200.0),
            ("|i1", &[0xfe], -2.0),
            ("<u2", &[1, 2], 513.0),
            (">i2", &[0xff, 0xfe], -2.0),
            ("<i4", &[0xfe, 0xff, 0xff, 0xff], -2.0),
            (">u4", &[0, 0, 1, 0], 256.0),
            ("<i8", &[3, 0, 0, 0, 0, 0, 0, 0], 3.0),
            (">i8", &[0, 0, 0, 0, 0, 0, 0, 3], 3.0),
            (">u8", &[0, 0, 0, 0, 0, 0, 1, 0], 256.0),
            ("<f2", &[0x00, 0xc0], -2.0),
            (">f2", &[0x35, 0x55], 0.333251953125),
            ("<f2", &[1, 0], 5.960464477539063e-8),
            (">f4", &[0x3f, 0xc0, 0, 0], 1.5),
            ("<f4", &[0, 0, 0xc0, 0x3f], 1.5),
            (">f8", &[0xc0, 0, 0, 0, 0, 0, 0, 0], -2.0),
        ];
        for (descr, content, number) in cases {
            for version in 1..=3 {
                let file = file(version, descr, "False", "(1,)", content);
                assert_eq!(read_npy(&file), Ok((vec![1], vec![number])), "{descr}");
            }
        }
        for other in ["<c8", "<U3", "|O", "<f16", "=i4", "|V8"] {
            let found = other.to_owned();
            assert_eq!(
                read_npy(&file(1, other, "False", "(1,)", &[0; 8])),
                Err(ArrayProblem::NotNumbers { found })
            );
        }
    }

    #[test]
    fn columns_become_rows() {
        let columns = [0, 3, 1, 4, 2, 5];
        let file = file(1, "|u1", "True", "(2, 3)", &columns);
        let rows = (0..6).map(f64::from).collect();
        assert_eq!(read_npy(&file), Ok((vec![2, 3], rows)));
        // numpy.asfortranarray of arange(8) in 2 x 2 x 2
        let cube = self::file(1, "|u1", "True", "(2, 2, 2)", &[0, 4, 2, 6, 1, 5, 3, 7]);
        let rows = (0..8).map(f64::from).collect();
        assert_eq!(read_npy(&cube), Ok((vec![2, 2, 2], rows)));
        let none = self::file(1, "|u1", "True", "(0, 3)", &[]);
        assert_eq!(read_npy(&none), Ok((vec![0, 3], vec![])));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut file = Vec::new();
        write_npy(&mut file, &[1, 2], &[1.5f32, -2.0]).unwrap();
        assert_eq!(read_npy(&file), Ok((vec![1, 2], vec![1.5, -2.0])));
        for length in 0..file.len() {
            assert!(read_npy(&file[..length]).is_err(), "{length}");
        }
        let huge = self::file(2, "<f4", "True", "(9999999999, 9999999999)", &[]);
        assert!(matches!(read_npy(&huge), Err(ArrayProblem::Length { .. })));
        assert_eq!(read_npy(b"text"), Err(ArrayProblem::NotNumPy));
        let fourth = self::file(4, "<f4", "False", "(0,)", &[]);
        assert!(matches!(
            read_npy(&fourth),
            Err(ArrayProblem::Version { major: 4, .. })
        ));
    }
}
