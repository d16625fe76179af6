//! Arrays of an archive: numbers and text, each checked against its header and the bytes that are there.

use super::Archive;
use super::npy::{self, Header, Number};
use crate::error::{ArrayProblem, Error, ModelProblem, Result};

impl Archive {
    /// The shape that an array says it has. Trust it only together with a getter.
    pub fn shape(&self, array: &str) -> Result<Vec<usize>> {
        self.array_of(array).map(|(header, _)| header.shape)
    }

    /// The numbers of an array of exactly that shape, row by row. Floats, and sums of their squares, are finite.
    pub fn array<T: Number>(&self, array: &str, shape: &[usize]) -> Result<Vec<T>> {
        let numbers = self.any_array(array, shape)?;
        match numbers.iter().position(|number: &T| !number.is_sensible()) {
            None => Ok(numbers),
            Some(at) => Err(self.refuse_array(array, ArrayProblem::Number { at })),
        }
    }

    /// An array, whatever its numbers are.
    pub fn any_array<T: Number>(&self, array: &str, shape: &[usize]) -> Result<Vec<T>> {
        Ok(npy::from_bytes(self.numbers::<T>(array, shape)?))
    }

    /// An array of bytes.
    pub fn bytes(&self, array: &str, shape: &[usize]) -> Result<&[u8]> {
        self.numbers::<u8>(array, shape)
    }

    /// The `n` lines of a text array.
    pub fn text(&self, array: &str, n: usize) -> Result<Vec<String>> {
        let (header, content) = self.array_of(array)?;
        let width = npy::text_width(&header.descr).ok_or_else(|| {
            let (found, expected) = (header.descr.clone(), "<U".to_owned());
            self.refuse_array(array, ArrayProblem::Type { found, expected })
        })?;
        // Saturated, it fits no content, unless there are no lines.
        let line = width.saturating_mul(4);
        check_shape(&header.shape, &[n], line, content.len()).map_err(|problem| self.refuse_array(array, problem))?;
        let lines = content.chunks_exact(line).enumerate();
        let read = |(row, bytes)| {
            npy::line_from_bytes(bytes).ok_or_else(|| self.refuse_array(array, ArrayProblem::Text { row }))
        };
        lines.map(read).collect()
    }

    fn refuse_array(&self, array: &str, problem: ArrayProblem) -> Error {
        self.refuse(ModelProblem::Array { array: array.to_owned(), problem })
    }

    /// An array's header, and the bytes that follow it.
    fn array_of(&self, array: &str) -> Result<(Header, &[u8])> {
        let missing = || self.refuse_array(array, ArrayProblem::Missing);
        let member = self.content(&format!("{array}.npy")).ok_or_else(missing)?;
        Header::parse(member).map_err(|problem| self.refuse_array(array, problem))
    }

    /// The bytes of an array of exactly that type and shape.
    fn numbers<T: Number>(&self, array: &str, shape: &[usize]) -> Result<&[u8]> {
        let (header, content) = self.array_of(array)?;
        if header.descr != T::DESCR {
            let (found, expected) = (header.descr, T::DESCR.to_owned());
            return Err(self.refuse_array(array, ArrayProblem::Type { found, expected }));
        }
        check_shape(&header.shape, shape, size_of::<T>(), content.len())
            .map_err(|problem| self.refuse_array(array, problem))?;
        Ok(content)
    }
}

/// That an array has the shape it should have, and the bytes that this shape needs.
fn check_shape(found: &[usize], expected: &[usize], element: usize, length: usize) -> Result<(), ArrayProblem> {
    if found != expected {
        return Err(ArrayProblem::Shape { found: found.to_vec(), expected: expected.to_vec() });
    }
    let needed = npy::count(found).and_then(|count| count.checked_mul(element));
    if needed != Some(length) {
        return Err(ArrayProblem::Length { shape: found.to_vec(), bytes: length });
    }
    Ok(())
}
