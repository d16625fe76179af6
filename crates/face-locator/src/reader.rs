//! Reads the little-endian numbers of model files.

/// The bytes not read yet. A value that is missing or out of range is `None`.
pub(crate) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn word(&mut self) -> Option<[u8; 4]> {
        self.take(4)?.try_into().ok()
    }

    /// A whole number of at most `most`.
    pub fn count(&mut self, most: usize) -> Option<usize> {
        let count = usize::try_from(u32::from_le_bytes(self.word()?)).ok()?;
        (count <= most).then_some(count)
    }

    /// A finite number.
    pub fn float(&mut self) -> Option<f32> {
        Some(f32::from_le_bytes(self.word()?)).filter(|number| number.is_finite())
    }

    pub fn floats(&mut self, count: usize) -> Option<Vec<f32>> {
        (0..count).map(|_| self.float()).collect()
    }
}
