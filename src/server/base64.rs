//! Base64 as clients write it: with line breaks, with or without padding, in either alphabet, as a data URL.

use ::base64::Engine;
use ::base64::alphabet::STANDARD;
use ::base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);

/// The bytes that a text stands for.
/// Errors: what in it is no base64, and where.
pub fn decoded(text: &str) -> Result<Vec<u8>, String> {
    // As browsers write it: data:image/png;base64,...
    let start = text.find("base64,").map_or(0, |at| at + "base64,".len());
    let mut letters = Vec::with_capacity(text.len() - start);
    for (place, letter) in (1..).zip(text.chars()).skip(text[..start].chars().count()) {
        match letter {
            'A'..='Z' | 'a'..='z' | '0'..='9' | '+' | '/' | '=' => letters.push(letter as u8),
            '-' => letters.push(b'+'),
            '_' => letters.push(b'/'),
            letter if letter.is_whitespace() => {}
            letter => return Err(format!("it has {letter:?} at place {place}")),
        }
    }
    let padding = letters.iter().rev().take_while(|&&letter| letter == b'=');
    letters.truncate(letters.len() - padding.count());
    let inner = letters.iter().filter(|&&letter| letter == b'=').count();
    if inner > 0 {
        return Err("it goes on after its end, a '='".to_owned());
    }
    let decoded = GeneralPurpose::new(&STANDARD, LENIENT).decode(letters);
    decoded.map_err(|_| "its last letter is missing".to_owned())
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
            " ++//\r\nPj8=\n",
            "++//\tPj\n8\n=",
            "data:image/png;base64,++//Pj8=",
            "data:image/png;base64,\n++//\nPj8",
        ] {
            assert_eq!(decoded(text).unwrap(), bytes, "{text:?}");
        }
        assert_eq!(decoded("").unwrap(), b"");
        for (text, why) in [
            ("++é/", "'é' at place 3"),
            ("base64,++*/", "'*' at place 10"),
            ("+", "last letter"),
            ("++//+", "last letter"),
            ("Pj8=Pj8=", "after its end"),
        ] {
            let told = decoded(text).unwrap_err();
            assert!(told.contains(why), "{text}: {told}");
        }
    }
}
