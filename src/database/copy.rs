//! Rows in the form of `COPY ... WITH (FORMAT binary)`: the fastest way in.

use super::vector;

pub(super) struct Rows {
    bytes: Vec<u8>,
}

impl Rows {
    pub fn new() -> Self {
        let mut bytes = b"PGCOPY\n\xff\r\n\0".to_vec();
        // Flags, and the length of what else a header could have.
        bytes.extend([0; 8]);
        Self { bytes }
    }

    /// Begins a row of so many fields.
    pub fn row(&mut self, fields: i16) -> &mut Self {
        self.bytes.extend(fields.to_be_bytes());
        self
    }

    pub fn number(&mut self, value: i64) -> &mut Self {
        self.field(&value.to_be_bytes())
    }

    /// Bytes, or text.
    pub fn field(&mut self, value: &[u8]) -> &mut Self {
        self.length(value.len());
        self.bytes.extend(value);
        self
    }

    pub fn point(&mut self, coordinates: &[f32]) -> &mut Self {
        self.length(4 + coordinates.len() * 4);
        vector::put(coordinates, &mut self.bytes);
        self
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.extend((-1_i16).to_be_bytes());
        self.bytes
    }

    /// Fields are of a face: far below 2 GB.
    fn length(&mut self, bytes: usize) {
        self.bytes.extend((bytes as i32).to_be_bytes());
    }
}
