//! Whatever bytes a table has: it is read into rows that hold something, or refused in one line.

#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use eigenfaces::dataset::{misread, read_table};
use libfuzzer_sys::fuzz_target;

fn table() -> &'static PathBuf {
    static TABLE: OnceLock<PathBuf> = OnceLock::new();
    TABLE.get_or_init(|| std::env::temp_dir().join(format!("eigenfaces-fuzz-{}.csv", std::process::id())))
}

fuzz_target!(|bytes: &[u8]| {
    fs::write(table(), bytes).unwrap();
    match read_table(table()) {
        Ok(read) => {
            for row in &read.rows {
                assert!(row.fields.iter().any(|field| !field.trim().is_empty()));
                for field in &row.fields {
                    let _ = misread(field);
                }
            }
        }
        Err(problem) => assert!(!problem.contains(['\n', '\r', '\u{1b}']), "{problem:?}"),
    }
});
