//! The end of a model file: the zip archive's comment, which holds the checksum of every byte before it.
//!
//! Because the comment comes last and has a fixed length, the checksum covers headers, contents, directory and all;
//! a changed byte anywhere is noticed before anything else is looked at.

use super::digest::{self, Digest};
use super::zip;
use crate::dataset::ContentHash;

/// The bytes before the digest. They name the digest, so that a later one can be told apart.
const MARK: &[u8] = b"eigenfaces sha256/256k ";
/// The mark, and the digest in hexadecimal digits.
pub(super) const LENGTH: usize = MARK.len() + 2 * size_of::<Digest>();

pub(super) fn of(digest: &Digest) -> Vec<u8> {
    [MARK, ContentHash(*digest).to_string().as_bytes()].concat()
}

/// Whether bytes end in a seal, right or wrong.
pub(super) fn is_present(bytes: &[u8]) -> bool {
    bytes.len() >= LENGTH && bytes[bytes.len() - LENGTH..].starts_with(MARK)
}

/// The content before the seal; `None` if the seal is not that of these bytes.
pub(super) fn open(bytes: &[u8]) -> Option<&[u8]> {
    let (body, seal) = bytes.split_at_checked(bytes.len().checked_sub(LENGTH)?)?;
    (seal == of(&digest::of(body))).then_some(body)
}

/// `body` with the right seal after it. Only tests and fuzzers need it: to forge what a hostile maker could write.
#[doc(hidden)]
pub fn forge(mut body: Vec<u8>) -> Vec<u8> {
    body.extend_from_slice(&of(&digest::of(&body)));
    body
}

/// A file of those members, laid out and sealed right, whatever they are called and hold. For tests and fuzzers too.
#[doc(hidden)]
pub fn forge_members(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut body, mut entries) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let entry = zip::Entry {
            name: name.clone(),
            crc32: crc32fast::hash(content),
            size: content.len() as u64,
            offset: body.len() as u64,
            modified: None,
        };
        body.extend(zip::local_header(&entry));
        body.extend_from_slice(content);
        entries.push(entry);
    }
    body.extend(zip::directory(&entries, body.len() as u64, LENGTH as u16));
    forge(body)
}
