//! Fingerprints of the photos given to a worker: 32 bytes, whatever the order.

use std::fmt;

use crate::dataset::ContentHash;

/// Photos as a multiset: the sum of their content hashes as whole numbers, modulo 2^256.
///
/// The sum depends on no order, and the photos of several parts have the sum of the parts' fingerprints. Two different
/// multitudes do not get the same one by accident; whoever means to forge one, can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Fingerprint(pub [u8; 32]);

impl Fingerprint {
    /// The fingerprint of one photo.
    pub fn of(photo: ContentHash) -> Self {
        Self(photo.0)
    }

    /// The fingerprint of two sets of photos together.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        let mut carry = 0;
        // The last byte is the least significant, as hexadecimal digits are read.
        for (to, from) in self.0.iter_mut().zip(other.0).rev() {
            let sum = u16::from(*to) + u16::from(from) + carry;
            *to = sum as u8;
            carry = sum >> 8;
        }
        self
    }
}

/// 64 hexadecimal digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ContentHash(self.0).fmt(f)
    }
}

impl FromIterator<Fingerprint> for Fingerprint {
    fn from_iter<I: IntoIterator<Item = Fingerprint>>(all: I) -> Self {
        all.into_iter().fold(Self::default(), Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(photo: &[u8]) -> Fingerprint {
        Fingerprint::of(ContentHash::of(photo))
    }

    #[test]
    fn order_and_grouping_do_not_matter_but_number_does() {
        let [a, b, c] = [b"a", b"b", b"c"].map(|photo| print(photo));
        assert_eq!(a.with(b).with(c), c.with(a.with(b)));
        assert_eq!(
            [b, c, a].into_iter().collect::<Fingerprint>(),
            a.with(c).with(b)
        );
        assert_ne!(a.with(a), a);
        assert_ne!(a.with(b), a.with(c));
        assert_eq!(a.with(Fingerprint::default()), a);
    }

    #[test]
    fn adds_as_numbers_do() {
        let mut almost = Fingerprint([255; 32]);
        let mut one = Fingerprint::default();
        one.0[31] = 1;
        assert_eq!(almost.with(one), Fingerprint::default());
        almost.0[0] = 0;
        assert_eq!(almost.with(one).0[..2], [1, 0]);
        assert!(one.to_string().ends_with("0001"));
    }
}
