//! Whatever bytes a photo has: the packets inside it are found or refused, and read.

#![no_main]

use eigenfaces::xmp::{MOST_BYTES, PhotoLayout, embedded, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let photo = PhotoLayout::new((40, 30), 8, &[[10.0, 10.0, 10.0, 10.0]]);
    for packet in embedded(bytes).unwrap_or_default() {
        assert!(packet.len() <= bytes.len().max(MOST_BYTES + 1));
        if let Ok(regions) = read(&packet) {
            let _ = regions.named_faces(&photo);
        }
    }
});
