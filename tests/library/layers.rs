//! The order of `mod` lines in lib.rs is the layering: a file imports only from modules above its own.

use std::collections::{BTreeMap, BTreeSet};
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
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned()
}

#[test]
fn modules_import_only_from_earlier_ones() {
    let lib = fs::read_to_string(project().join("src/lib.rs")).unwrap();
    let order: Vec<&str> = lib
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
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
    assert!(found, "{pattern} is used nowhere: is this rule out of date?");
}

#[test]
fn third_parties_stay_in_their_places() {
    only_in("walkdir::", &["src/dataset/walk"]);
    only_in("kdtree::", &["src/matcher/tree.rs"]);
    only_in("clap::", &["src/cli/"]);
    only_in("tokio_postgres::", &["src/database/"]);
    only_in("rustls::", &["src/database/address.rs"]);
    only_in("signal_hook::", &["src/cli/mod.rs", "src/cli/interrupt.rs"]);
    only_in("unsafe {", &["src/cli/interrupt.rs"]);
    only_in("unsafe(", &["src/cli/output.rs"]);
    only_in("hyper::", &["src/server/connections.rs", "src/server/zipped.rs"]);
}

/// A database may hold anything: `Row::get` panics where a column is not as expected.
#[test]
fn columns_are_read_in_one_place() {
    only_in("try_get(", &["src/database/column.rs"]);
    let mut looked_at = 0;
    for file in sources(&project().join("src/database")) {
        let code: String = code(&file).split_whitespace().collect();
        for get in ["row.get(", "rows.get(", "about.get(", ")?.get(", ".get::<", ".get(0)", ".get(\""] {
            assert!(!code.contains(get), "{} reads a column by {get}", file.display());
        }
        looked_at += 1;
    }
    assert!(looked_at > 10, "only {looked_at} files");
}

/// Every result goes where `Outputs` lets it; models, which are read first, have a way of their own.
#[test]
fn files_are_replaced_in_one_place() {
    only_in("replace_file(", &["src/store/"]);
    // `serve --open` leads the browser by a file that goes by itself, and replaces nothing.
    only_in("NamedTempFile", &["src/store/replace.rs", "src/server/opening.rs"]);
    for file in sources(&project().join("src")) {
        for write in ["fs::write(", "File::create", "fs::copy(", "fs::rename("] {
            let is_test = file.ends_with("tests.rs");
            assert!(is_test || !code(&file).contains(write), "{} writes by {write}", file.display());
        }
    }
}

#[test]
fn only_some_modules_touch_the_file_system() {
    only_in(
        "std::fs",
        &["src/dataset/", "src/store/", "src/albums/sorter.rs", "src/database/password.rs", "src/cli/", "src/server/"],
    );
}

/// The paths that a use with braces stands for.
fn expanded(path: &str) -> Vec<String> {
    let (Some(open), Some(close)) = (path.find('{'), path.rfind('}')) else { return vec![path.trim().to_owned()] };
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for letter in path[open + 1..close].chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        match (letter, parts.last_mut()) {
            (',', _) if depth == 0 => parts.push(String::new()),
            (_, Some(last)) => last.push(letter),
            _ => {}
        }
    }
    let parts = parts.iter().map(|part| part.trim());
    let parts = parts.filter(|part| !part.is_empty());
    parts.flat_map(|part| expanded(&format!("{}{part}", path[..open].trim()))).collect()
}

/// What a file imports, or names by a path from `crate` or `super`.
fn named_paths(code: &str) -> Vec<String> {
    let lines = code.lines().map(str::trim_start);
    let code: String = lines.filter(|line| !line.starts_with("//")).flat_map(|line| [line, "\n"]).collect();
    let mut paths = Vec::new();
    let mut open: Option<String> = None;
    for line in code.lines() {
        let begins = line.strip_prefix("use ").or_else(|| {
            let (visible, path) = line.split_once(" use ")?;
            visible.starts_with("pub").then_some(path)
        });
        match (&mut open, begins) {
            (Some(path), _) => path.push_str(line),
            (None, Some(path)) => open = Some(path.to_owned()),
            (None, None) => {}
        }
        if line.ends_with(';')
            && let Some(path) = open.take()
        {
            paths.extend(expanded(path.trim_end_matches(';')));
        }
    }
    let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let from_root = words.filter(|word| word.starts_with("crate::") || word.starts_with("super::"));
    paths.extend(from_root.map(str::to_owned));
    paths
}

type Module = Vec<String>;

/// The module that a path leads to; `None` outside of this crate.
fn module_of(path: &str, from: &Module, modules: &BTreeMap<Module, BTreeSet<Module>>) -> Option<Module> {
    let mut segments = path.split("::").peekable();
    let mut at = from.clone();
    match *segments.peek()? {
        "crate" => at.clear(),
        "self" | "super" => {}
        child => {
            at.push(child.to_owned());
            if !modules.contains_key(&at) {
                return None;
            }
            at.pop();
        }
    }
    for segment in segments {
        match segment {
            "crate" | "self" => {}
            "super" => {
                at.pop();
            }
            name => {
                at.push(name.to_owned());
                if !modules.contains_key(&at) {
                    at.pop();
                    break;
                }
            }
        }
    }
    Some(at)
}

/// A way from a module back to itself over imports, if there is one.
fn circle(
    at: &Module,
    way: &mut Vec<Module>,
    done: &mut BTreeSet<Module>,
    imports: &BTreeMap<Module, BTreeSet<Module>>,
) -> Option<Vec<Module>> {
    if let Some(start) = way.iter().position(|earlier| earlier == at) {
        return Some(way[start..].to_vec());
    }
    if done.contains(at) {
        return None;
    }
    way.push(at.clone());
    let found = imports[at].iter().find_map(|next| circle(next, way, done, imports));
    way.pop();
    done.insert(at.clone());
    found
}

/// What a folder's `mod.rs` shares with the files of the folder is no circle.
#[test]
fn files_do_not_import_each_other_in_a_circle() {
    let root = project().join("src");
    let mut files: BTreeMap<Module, PathBuf> = BTreeMap::new();
    for file in sources(&root) {
        let path = file.strip_prefix(&root).unwrap().with_extension("");
        let mut module: Module = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if let Some("mod" | "lib" | "main") = module.last().map(String::as_str) {
            module.pop();
        }
        if module.last().is_none_or(|name| name != "tests") {
            files.insert(module, file);
        }
    }
    let mut imports: BTreeMap<Module, BTreeSet<Module>> =
        files.keys().map(|module| (module.clone(), BTreeSet::new())).collect();
    for (module, file) in &files {
        let targets: BTreeSet<Module> = named_paths(&code(file))
            .iter()
            .filter_map(|path| module_of(path, module, &imports))
            .filter(|target| !module.starts_with(target))
            .collect();
        imports.insert(module.clone(), targets);
    }
    let seen: usize = imports.values().map(BTreeSet::len).sum();
    assert!(seen > 300, "only {seen} imports were seen");
    let mut done = BTreeSet::new();
    for module in files.keys() {
        let found = circle(module, &mut Vec::new(), &mut done, &imports);
        assert_eq!(found, None, "these import each other in a circle");
    }
}
