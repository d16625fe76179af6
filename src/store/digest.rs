//! The checksum of a model file.
//!
//! SHA-256 of the SHA-256 digests of consecutive blocks of 256 KiB (the last one shorter). Blocks can be hashed
//! side by side, and the result does not depend on how many threads did it.
//!
//! The digest guards against damage, not against malice: whoever alters a model can also write a new digest.

use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

/// Bytes hashed as one block: small enough to share a 5 MB model out evenly, large enough to cost nothing.
const BLOCK: usize = 256 * 1024;

pub(super) type Digest = [u8; 32];

/// The digest of bytes that lie in memory, by all threads.
pub(super) fn of(bytes: &[u8]) -> Digest {
    let blocks: Vec<Digest> = bytes.par_chunks(BLOCK).map(|block| Sha256::digest(block).into()).collect();
    Sha256::digest(blocks.as_flattened()).into()
}

/// The digest of bytes that pass by.
#[derive(Default)]
pub(super) struct Hasher {
    block: Sha256,
    in_block: usize,
    blocks: Sha256,
}

impl Hasher {
    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - self.in_block));
            self.block.update(now);
            self.in_block += now.len();
            if self.in_block == BLOCK {
                self.close_block();
            }
            bytes = later;
        }
    }

    pub(super) fn finish(mut self) -> Digest {
        if self.in_block > 0 {
            self.close_block();
        }
        self.blocks.finalize().into()
    }

    fn close_block(&mut self) {
        self.blocks.update(self.block.finalize_reset());
        self.in_block = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passing_by_in_any_pieces_gives_the_digest_of_the_whole() {
        let bytes: Vec<u8> = (0..2 * BLOCK + 77).map(|i| ((i * i) >> 3) as u8).collect();
        for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, bytes.len()] {
            for piece in [1000, BLOCK, 3 * BLOCK] {
                let mut hasher = Hasher::default();
                bytes[..length].chunks(piece).for_each(|piece| hasher.update(piece));
                assert_eq!(hasher.finish(), of(&bytes[..length]), "{length} bytes by {piece}");
            }
        }
    }

    #[test]
    fn one_block_is_sha_256_of_sha_256() {
        let expected: Digest = Sha256::digest(Sha256::digest(b"face")).into();
        assert_eq!(of(b"face"), expected);
    }
}
