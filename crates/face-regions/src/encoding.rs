//! The encodings of XMP packets (Adobe XMP Specification Part 1, 7.1): text from bytes and back, without loss.

use std::borrow::Cow;

use super::problem::XmpProblem;

/// The largest packet that is read or written, in bytes.
pub const MOST_BYTES: usize = 4 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16LittleEndian,
    Utf16BigEndian,
}

/// The text of a packet, and all that is needed to write it as it was.
#[derive(Debug)]
pub(super) struct Decoded<'a> {
    /// The text without byte order mark.
    pub text: Cow<'a, str>,
    form: Encoding,
    /// The byte order mark, empty where there is none.
    mark: &'static [u8],
}

impl<'a> Decoded<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, XmpProblem> {
        check_size(bytes)?;
        let (form, mark): (Encoding, &'static [u8]) = match bytes {
            [0xEF, 0xBB, 0xBF, ..] => (Encoding::Utf8, &[0xEF, 0xBB, 0xBF]),
            [0xFF, 0xFE, ..] => (Encoding::Utf16LittleEndian, &[0xFF, 0xFE]),
            [0xFE, 0xFF, ..] => (Encoding::Utf16BigEndian, &[0xFE, 0xFF]),
            [b'<', 0, ..] => (Encoding::Utf16LittleEndian, &[]),
            [0, b'<', ..] => (Encoding::Utf16BigEndian, &[]),
            _ => (Encoding::Utf8, &[]),
        };
        let content = bytes.get(mark.len()..).unwrap_or_default();
        let (text, expected) = match form {
            Encoding::Utf8 => (std::str::from_utf8(content).ok().map(Cow::Borrowed), "UTF-8"),
            Encoding::Utf16LittleEndian => (utf16(content, u16::from_le_bytes).map(Cow::Owned), "UTF-16"),
            Encoding::Utf16BigEndian => (utf16(content, u16::from_be_bytes).map(Cow::Owned), "UTF-16"),
        };
        let text = text.ok_or(XmpProblem::Encoding { expected })?;
        Ok(Self { text, form, mark })
    }

    pub(super) fn encode(&self, text: String) -> Result<Vec<u8>, XmpProblem> {
        let content = match self.form {
            Encoding::Utf8 => text.into_bytes(),
            Encoding::Utf16LittleEndian => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Encoding::Utf16BigEndian => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        };
        let bytes = [self.mark, &content].concat();
        check_size(&bytes)?;
        Ok(bytes)
    }
}

fn check_size(packet: &[u8]) -> Result<(), XmpProblem> {
    if packet.len() > MOST_BYTES {
        return Err(XmpProblem::TooLarge { bytes: packet.len(), limit: MOST_BYTES });
    }
    Ok(())
}

/// The text of UTF-16; none where a half is missing.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        return None;
    }
    char::decode_utf16(pairs.iter().copied().map(unit)).collect::<Result<_, _>>().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_comes_back_as_it_was() {
        let text = "<a>Ö 𝄞</a>";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let packets = [
            text.as_bytes().to_vec(),
            [&[0xEF, 0xBB, 0xBF], text.as_bytes()].concat(),
            [&[0xFF, 0xFE], little.as_slice()].concat(),
            [&[0xFE, 0xFF], big.as_slice()].concat(),
            little,
            big,
        ];
        for packet in packets {
            let decoded = Decoded::new(&packet).expect("a text");
            assert_eq!(decoded.text, text);
            assert_eq!(decoded.encode(text.to_owned()), Ok(packet.clone()));
        }
    }

    #[test]
    fn broken_text_is_refused() {
        for bytes in [b"<a>\xFF</a>".as_slice(), b"\xFF\xFE<\0a", b"\xFF\xFE\x00\xD8<\0"] {
            assert!(matches!(Decoded::new(bytes), Err(XmpProblem::Encoding { .. })));
        }
    }
}
