//! Base64 as clients write it: with line breaks, padding or too much of it, in either alphabet, as a data URL.

use ::base64::alphabet::STANDARD;
use ::base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use ::base64::{DecodeError, Engine};

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::RequireNone)
    .with_decode_allow_trailing_bits(true);

pub fn decoded(text: &str) -> Result<Vec<u8>, DecodeError> {
    // As browsers write it: data:image/png;base64,...
    let text = match text.split_once(',') {
        Some((head, rest)) if head.to_ascii_lowercase().ends_with("base64") => rest,
        _ => text,
    };
    let text = text.trim_end_matches(|letter: char| letter == '=' || letter.is_ascii_whitespace());
    let standard = text.bytes().filter(|letter| !letter.is_ascii_whitespace()).map(|letter| match letter {
        b'-' => b'+',
        b'_' => b'/',
        letter => letter,
    });
    GeneralPurpose::new(&STANDARD, LENIENT).decode(standard.collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_as_clients_write_it() {
        let bytes = [0xfb, 0xef, 0xff, 0x3e, 0x3f];
        for text in [
            "++//Pj8=",
            "++//Pj8",
            "--__Pj8=",
            "--__Pj8",
            "++//Pj8==",
            "DATA:IMAGE/PNG;BASE64,++//Pj8=",
            " ++//\r\nPj8=\n",
            "++//\tPj\n8\n=",
            "data:image/png;base64,++//Pj8=",
            "data:image/png;base64,\n++//\nPj8",
        ] {
            assert_eq!(decoded(text).unwrap(), bytes, "{text:?}");
        }
        assert_eq!(decoded("").unwrap(), b"");
        for text in ["++é/", "base64,++*/", "+", "++//+", "Pj8=Pj8="] {
            assert!(decoded(text).is_err(), "{text}");
        }
    }
}
