//! The order of `pub mod` lines in lib.rs is the layering: a file imports only from modules above its own.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The lines before the unit tests, which may look anywhere.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn modules_import_only_from_earlier_ones() {
    let lib = fs::read_to_string(project().join("src/lib.rs")).unwrap();
    let order: Vec<&str> = lib
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .collect();
    assert!(order.len() > 8, "lib.rs lists its modules: {order:?}");
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (layer, module) in order.iter().enumerate() {
        let folder = project().join("src").join(module);
        let mut files = vec![project().join("src").join(format!("{module}.rs"))];
        files.retain(|file| file.exists());
        if folder.is_dir() {
            files.extend(sources(&folder));
        }
        assert!(!files.is_empty(), "{module} has no file");
        for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
            seen += 1;
            for later in &order[layer + 1..] {
                if code(file).contains(&format!("crate::{later}")) {
                    wrong.push(format!("{} imports from {later}", file.display()));
                }
            }
        }
    }
    assert!(seen > 20, "only {seen} files were looked at");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// `pattern` may stand only in files whose path holds one of `allowed`.
fn only_in(pattern: &str, allowed: &[&str]) {
    let mut found = false;
    for file in sources(&project().join("src")) {
        if file.ends_with("tests.rs") {
            continue;
        }
        let name = file.strip_prefix(project()).unwrap().display().to_string();
        let uses = code(&file).lines().any(|line| {
            let line = line.trim_start();
            !line.starts_with("//") && line.contains(pattern)
        });
        found |= uses;
        assert!(
            !uses || allowed.iter().any(|allowed| name.contains(allowed)),
            "{name} uses {pattern}, which belongs in {allowed:?}"
        );
    }
    assert!(
        found,
        "{pattern} is used nowhere: is this rule out of date?"
    );
}

#[test]
fn third_parties_stay_in_their_places() {
    only_in("walkdir::", &["src/dataset/walk"]);
    only_in("kdtree::", &["src/gallery/index/tree.rs"]);
    only_in("clap::", &["src/cli/", "src/main.rs"]);
    only_in("rustfft::", &["src/face_map/correlate.rs"]);
    only_in("faer::", &["src/pca/"]);
    only_in("postgres::", &["src/database/"]);
    only_in("rustls::", &["src/database/tls.rs"]);
    only_in("signal_hook::", &["src/cli/mod.rs", "src/cli/interrupt.rs"]);
    only_in("unsafe {", &["src/pca/kernel/", "src/cli/interrupt.rs"]);
}

/// A database may hold anything: `Row::get` panics where a column is not as expected.
#[test]
fn columns_are_read_in_one_place() {
    only_in("try_get(", &["src/database/column.rs"]);
    let mut looked_at = 0;
    for file in sources(&project().join("src/database")) {
        let code: String = code(&file).split_whitespace().collect();
        for get in [
            "row.get(",
            "rows.get(",
            "about.get(",
            ")?.get(",
            ".get::<",
            ".get(0)",
            ".get(\"",
        ] {
            assert!(
                !code.contains(get),
                "{} reads a column by {get}",
                file.display()
            );
        }
        looked_at += 1;
    }
    assert!(looked_at > 10, "only {looked_at} files");
}

/// Every result goes where `Outputs` lets it; models, which are read first, have a way of their own.
#[test]
fn files_are_replaced_in_one_place() {
    only_in("replace_file(", &["src/store/"]);
    only_in("NamedTempFile", &["src/store/replace.rs"]);
    for file in sources(&project().join("src")) {
        for write in ["fs::write(", "File::create", "fs::copy(", "fs::rename("] {
            let is_test = file.ends_with("tests.rs");
            assert!(
                is_test || !code(&file).contains(write),
                "{} writes by {write}",
                file.display()
            );
        }
    }
}

#[test]
fn only_some_modules_touch_the_file_system() {
    only_in(
        "std::fs",
        &[
            "src/dataset/",
            "src/store/",
            "src/database/password.rs",
            "src/cli/",
            "src/server/",
        ],
    );
}
