//! The front door for photos: any bytes become a gray image within the limits and a face, or an error.

#![no_main]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use eigenfaces::dataset::decode;
use eigenfaces::dataset::{ContentHash, Limits, PhotoFile};
use eigenfaces::face_matrix::FaceSize;
use eigenfaces::locate::framing::Framing;
use eigenfaces::preparation::Preparation;
use libfuzzer_sys::fuzz_target;

/// Small, so that time goes into headers and not into pixels.
const LIMITS: Limits = Limits {
    max_pixels: 1 << 18,
    max_file_bytes: 1 << 20,
    max_memory: 32 << 20,
};

fuzz_target!(|bytes: &[u8]| {
    // A decoder's panic is caught by `decode` and reported as a damaged file; only what gets out is a finding.
    static SILENCE: Once = Once::new();
    SILENCE.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    if catch_unwind(AssertUnwindSafe(|| look_at(bytes))).is_err() {
        std::process::abort();
    }
});

fn look_at(bytes: &[u8]) {
    let file = PhotoFile::from_bytes(bytes.to_vec(), &LIMITS);
    assert_eq!(file.content_hash(), ContentHash::of(bytes));
    let photo = match file.decode() {
        Ok(photo) => photo,
        Err(problem) => {
            // What is wrong is said in one line that cannot disturb a terminal.
            assert!(!problem.to_string().contains(|c: char| c.is_control()));
            return;
        }
    };
    let pixels = u64::from(photo.width()) * u64::from(photo.height());
    assert!(pixels > 0 && pixels <= LIMITS.max_pixels);
    assert!(decode::sniff(bytes).is_some());
    let size = FaceSize::new(24, 28).unwrap();
    if let Ok(face) = Preparation::new(size, Framing::AsIs).prepare(&photo) {
        assert_eq!(face.pixels.len(), size.pixels());
    }
}
