//! The table of labels: any bytes label photos or are refused in one line.

#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use eigenfaces::dataset::{LabelRule, list_labeled};
use libfuzzer_sys::fuzz_target;

/// A folder with three photos, made once a process.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("eigenfaces-fuzz-{}", std::process::id()));
        fs::create_dir_all(folder.join("photos/b")).unwrap();
        for photo in ["a.png", "b/1.jpg", "ä 2.pgm"] {
            fs::write(folder.join("photos").join(photo), photo).unwrap();
        }
        folder
    })
}

fuzz_target!(|bytes: &[u8]| {
    let folder = folder();
    let table = folder.join("labels.csv");
    fs::write(&table, bytes).unwrap();
    match list_labeled(&[folder.join("photos")], &LabelRule::Csv(table)) {
        Ok(listing) => {
            for photo in &listing.photos {
                assert!(photo.path.starts_with(folder));
                assert!(!photo.person.as_str().contains(|c: char| c.is_control()));
            }
        }
        Err(error) => assert!(!error.to_string().contains(['\n', '\r', '\u{1b}']), "{error:?}"),
    }
});
