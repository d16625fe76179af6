//! pgvector's type `vector`, as it travels: two 16-bit numbers (how many coordinates, and 0), then the coordinates in
//! single precision, all with the highest byte first.

use std::error::Error;

use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// The most coordinates that a `vector` can have.
pub(super) const MOST: usize = 16_000;

/// The most that an HNSW index takes.
pub(super) const MOST_INDEXED: usize = 2_000;

#[derive(Debug)]
pub(super) struct Sent<'a>(pub &'a [f32]);

#[derive(Debug)]
pub(super) struct Received(pub Vec<f32>);

/// The bytes of a point of at most [`MOST`] coordinates.
pub(super) fn put(coordinates: &[f32], out: &mut impl Extend<u8>) {
    let dimensions = coordinates.len() as u16;
    out.extend(dimensions.to_be_bytes());
    out.extend([0, 0]);
    for value in coordinates {
        out.extend(value.to_be_bytes());
    }
}

impl ToSql for Sent<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        put(self.0, out);
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        ty.name() == "vector"
    }

    to_sql_checked!();
}

impl FromSql<'_> for Received {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let [high, low, _, _, values @ ..] = raw else { return Err("a vector without a head".into()) };
        let dimensions = usize::from(u16::from_be_bytes([*high, *low]));
        let (values, rest) = values.as_chunks::<4>();
        if values.len() != dimensions || !rest.is_empty() {
            return Err("a vector of another length than it says".into());
        }
        Ok(Self(values.iter().map(|bytes| f32::from_be_bytes(*bytes)).collect()))
    }

    fn accepts(ty: &Type) -> bool {
        ty.name() == "vector"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_received_to_the_bit() {
        let point = [0.0, -0.0, 1.5e-40, -3.25, f32::MAX];
        let mut bytes = Vec::new();
        put(&point, &mut bytes);
        assert_eq!(bytes[..6], [0, 5, 0, 0, 0, 0]);
        let back = Received::from_sql(&Type::UNKNOWN, &bytes).unwrap().0;
        assert_eq!(back.map_bits(), point.to_vec().map_bits());
        for wrong in [&bytes[..3], &bytes[..bytes.len() - 1], &bytes[..8]] {
            assert!(Received::from_sql(&Type::UNKNOWN, wrong).is_err());
        }
    }

    trait Bits {
        fn map_bits(self) -> Vec<u32>;
    }

    impl Bits for Vec<f32> {
        fn map_bits(self) -> Vec<u32> {
            self.into_iter().map(f32::to_bits).collect()
        }
    }
}
