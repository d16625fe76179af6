//! Names of 128 bits.

use std::fmt::Write as _;

/// 128 bits as the field writes them: 8-4-4-4-12 hexadecimal digits.
pub fn in_groups(bytes: [u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.into_iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let _ = write!(text, "{byte:02x}");
    }
    text
}
