//! Links of the documents lead somewhere: to files that are there, and to headings in them; so do paths of documents in comments.
//! Functions that links name are defined in the files they lead to.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files below `folder` whose name ends in one of `endings`.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && name != "target" && name != ".git" {
            found.extend(files(&path, endings));
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
    found
}

/// Text without blocks of code.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// The headings of a document, as links name them.
fn anchors(document: &str) -> BTreeSet<String> {
    let headings = document.lines().filter(|line| line.starts_with('#'));
    let kept = |c: &char| c.is_alphanumeric() || "_- ".contains(*c);
    let anchor = |line: &str| -> String {
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        heading.chars().filter(kept).collect()
    };
    let anchors = headings.map(anchor);
    anchors.map(|anchor| anchor.replace(' ', "-")).collect()
}

/// Whether a source file defines a function, given as `name`, or `Type::name` for one in an `impl` of the type.
fn defines(source: &str, function: &str) -> bool {
    let (of, name) = function.rsplit_once("::").unwrap_or(("", function));
    let starts = [format!("fn {name}("), format!("fn {name}<")];
    let is_impl = |line: &str| line.starts_with("impl") && line.contains(of);
    source
        .split("\n}\n")
        .any(|block| (of.is_empty() || block.lines().any(is_impl)) && starts.iter().any(|it| block.contains(it)))
}

#[test]
fn links_of_documents_lead_somewhere() {
    if !project().join("python").exists() {
        eprintln!("skipped: this is the package, which lacks what some links lead to");
        return;
    }
    let (mut followed, mut functions, mut wrong) = (0, 0, Vec::new());
    for page in files(project(), &[".md"]) {
        let text = prose(&fs::read_to_string(&page).unwrap());
        let pieces: Vec<&str> = text.split("](").collect();
        for link in pieces.windows(2) {
            let label = link[0].rsplit('[').next().unwrap();
            let target = link[1].split([')', ' ']).next().unwrap();
            if target.starts_with("http") {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let to = match path {
                "" => page.clone(),
                path => page.parent().unwrap().join(path),
            };
            let is_there = match anchor {
                "" if path.ends_with(".rs") => {
                    functions += 1;
                    fs::read_to_string(&to).is_ok_and(|source| defines(&source, label.trim_matches('`')))
                }
                "" => to.exists(),
                anchor => fs::read_to_string(&to).is_ok_and(|document| anchors(&prose(&document)).contains(anchor)),
            };
            followed += 1;
            if !is_there {
                wrong.push(format!("{}: [{label}]({target})", page.display()));
            }
        }
    }
    assert!(followed > 50 && functions >= 9, "only {followed} links, {functions} to functions");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn documents_that_comments_name_are_there() {
    let (mut named, mut wrong) = (0, Vec::new());
    for file in files(project(), &[".rs", ".py", ".sh", ".md", ".html"]) {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for rest in text.split("docs/").skip(1) {
            let is_path = |c: char| c.is_ascii_alphanumeric() || "-/".contains(c);
            let path: String = rest.chars().take_while(|c| is_path(*c)).collect();
            if !rest[path.len()..].starts_with(".md") {
                continue;
            }
            named += 1;
            let document = project().join(format!("docs/{path}.md"));
            if !document.exists() {
                wrong.push(format!("{}: docs/{path}.md", file.display()));
            }
        }
    }
    assert!(named > 50, "only {named} documents");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
