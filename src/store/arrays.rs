//! Arrays of an archive: numbers and text, each checked against its header and the bytes that are there.

use std::borrow::Cow;

use super::Archive;
use super::archive::{Source, unread};
use super::disk::Disk;
use super::npy::{self, Header, Number};
use crate::error::{ArrayProblem, Error, ModelProblem, Result};

/// The longest header of an array: its preamble and as much text as 16 bits can count.
const LONGEST_HEADER: usize = 10 + u16::MAX as usize;

/// An array that is there.
struct Found<'a> {
    /// Its number among the members.
    member: usize,
    header: Header,
    /// The bytes of the header.
    start: Cow<'a, [u8]>,
    /// Number of bytes that follow.
    length: usize,
}

impl Archive {
    /// The shape that an array says it has. Trust it only together with a getter.
    pub fn shape(&self, array: &str) -> Result<Vec<usize>> {
        self.array_of(array).map(|found| found.header.shape)
    }

    /// The numbers of an array of exactly that shape, row by row. Floats are finite, and far from where sums of their
    /// squares would not be.
    pub fn array<T: Number>(&self, array: &str, shape: &[usize]) -> Result<Vec<T>> {
        let numbers = self.any_array(array, shape)?;
        match numbers.iter().position(|number: &T| !number.is_sensible()) {
            None => Ok(numbers),
            Some(at) => Err(self.refuse_array(array, ArrayProblem::Number { at })),
        }
    }

    /// An array, whatever its numbers are.
    pub fn any_array<T: Number>(&self, array: &str, shape: &[usize]) -> Result<Vec<T>> {
        let found = self.numbers::<T>(array, shape)?;
        let Source::Disk(disk) = &self.source else {
            return self
                .rest(found.member, &found.start)
                .map(|bytes| npy::from_bytes(&bytes));
        };
        // Straight to where they are to stay.
        let mut numbers = bytemuck::zeroed_vec(found.length / size_of::<T>());
        self.read_from(disk, &found, bytemuck::cast_slice_mut(&mut numbers))?;
        Ok(npy::from_little_endian(numbers))
    }

    /// An array of bytes, copied only where the file is not in memory.
    pub fn bytes(&self, array: &str, shape: &[usize]) -> Result<Cow<'_, [u8]>> {
        let found = self.numbers::<u8>(array, shape)?;
        self.rest(found.member, &found.start)
    }

    /// The `n` lines of a text array.
    pub fn text(&self, array: &str, n: usize) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        self.each_line(array, n, &mut |_, line| {
            lines.push(line);
            Ok(())
        })?;
        Ok(lines)
    }

    /// Each of the `n` lines of a text array, with its number.
    ///
    /// # Errors
    /// That of `each`, too.
    pub fn each_line(
        &self,
        array: &str,
        n: usize,
        each: &mut dyn FnMut(usize, String) -> Result<()>,
    ) -> Result<()> {
        let found = self.array_of(array)?;
        let descr = &found.header.descr;
        let width = npy::text_width(descr).ok_or_else(|| {
            let (found, expected) = (descr.clone(), "<U".to_owned());
            self.refuse_array(array, ArrayProblem::Type { found, expected })
        })?;
        // Saturated, it fits no content, unless there are no lines.
        let line = width.saturating_mul(4);
        check_shape(&found.header.shape, &[n], line, found.length)
            .map_err(|problem| self.refuse_array(array, problem))?;
        let content = self.rest(found.member, &found.start)?;
        for (row, bytes) in content.chunks_exact(line).enumerate() {
            let line = npy::line_from_bytes(bytes)
                .ok_or_else(|| self.refuse_array(array, ArrayProblem::Text { row }))?;
            each(row, line)?;
        }
        Ok(())
    }

    fn refuse_array(&self, array: &str, problem: ArrayProblem) -> Error {
        self.refuse(ModelProblem::Array {
            array: array.to_owned(),
            problem,
        })
    }

    /// An array by what its header says.
    fn array_of(&self, array: &str) -> Result<Found<'_>> {
        let missing = || self.refuse_array(array, ArrayProblem::Missing);
        let number = self.number(&format!("{array}.npy")).ok_or_else(missing)?;
        let content = self.members[number].content();
        let window = match &self.source {
            Source::Memory(bytes) => Cow::Borrowed(bytes.get(content.clone()).unwrap_or_default()),
            Source::Disk(disk) => {
                let window = disk.window(content.start, content.len().min(LONGEST_HEADER));
                Cow::Owned(window.map_err(|source| unread(&self.path, source))?)
            }
        };
        let (header, rest) =
            Header::parse(&window).map_err(|problem| self.refuse_array(array, problem))?;
        let before = window.len() - rest.len();
        let start = match window {
            Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..before]),
            Cow::Owned(mut bytes) => {
                bytes.truncate(before);
                Cow::Owned(bytes)
            }
        };
        Ok(Found {
            member: number,
            header,
            start,
            length: content.len() - before,
        })
    }

    /// An array of exactly that type and shape.
    fn numbers<T: Number>(&self, array: &str, shape: &[usize]) -> Result<Found<'_>> {
        let found = self.array_of(array)?;
        let is_so = || {
            if found.header.descr != T::DESCR {
                return Err(ArrayProblem::Type {
                    found: found.header.descr.clone(),
                    expected: T::DESCR.to_owned(),
                });
            }
            check_shape(&found.header.shape, shape, size_of::<T>(), found.length)
        };
        is_so().map_err(|problem| self.refuse_array(array, problem))?;
        Ok(found)
    }

    fn read_from(&self, disk: &Disk, found: &Found<'_>, rest: &mut [u8]) -> Result<()> {
        let member = &self.members[found.member];
        self.settle(disk.read(found.member, member, &found.start, rest))
    }
}

/// That an array has the shape it should have, and the bytes that this shape needs.
fn check_shape(
    found: &[usize],
    expected: &[usize],
    element: usize,
    length: usize,
) -> Result<(), ArrayProblem> {
    if found != expected {
        return Err(ArrayProblem::Shape {
            found: found.to_vec(),
            expected: expected.to_vec(),
        });
    }
    let needed = npy::count(found).and_then(|count| count.checked_mul(element));
    if needed != Some(length) {
        return Err(ArrayProblem::Length {
            shape: found.to_vec(),
            bytes: length,
        });
    }
    Ok(())
}
