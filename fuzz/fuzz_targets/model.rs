//! The reader of model files: any bytes give a recogniser that works, or an error.
//!
//! The first byte says how much of the work of a hostile maker is done for the fuzzer: 0 nothing, 1 the right checksum,
//! 2 the right checksum over a right container, whose members stand in the input as name, line feed, content, MARK.

#![no_main]

use std::path::Path;

use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::recognizer::QueryOptions;
use eigenfaces::store::{self, Archive};
use libfuzzer_sys::fuzz_target;

const MARK: &[u8] = b"\x01\xfe\x02";

fuzz_target!(|input: &[u8]| {
    let Some((how, bytes)) = input.split_first() else {
        return;
    };
    let bytes = match how % 3 {
        0 => bytes.to_vec(),
        1 => store::forge(bytes.to_vec()),
        _ => store::forge_members(&members(bytes)),
    };
    let Ok(archive) = Archive::from_bytes(Path::new("model.npz"), bytes) else {
        return;
    };
    match store::from_archive(&archive) {
        // What can be loaded can be used.
        Ok((recognizer, history)) => {
            let size = recognizer.preparation().size();
            let face = FaceMatrix::from_pixels(size, vec![99; size.pixels()]).unwrap();
            let found = recognizer.identify_faces(&face, QueryOptions::default());
            assert_eq!(found.len(), 1);
            assert!(history.fits(recognizer.gallery()));
        }
        Err(error) => {
            let _ = error.to_string();
        }
    }
});

fn members(mut bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut members = Vec::new();
    while !bytes.is_empty() {
        let end = bytes.windows(MARK.len()).position(|window| window == MARK);
        let (member, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
        bytes = rest.get(MARK.len()..).unwrap_or_default();
        let line = member.iter().position(|&byte| byte == b'\n').unwrap_or(member.len());
        let (name, content) = member.split_at(line);
        let name = String::from_utf8_lossy(name).into_owned();
        members.push((name, content.get(1..).unwrap_or_default().to_vec()));
    }
    members
}
