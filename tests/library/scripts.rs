//! Whatever Python a script of this repository runs, the script installs all that it imports: on a fresh machine there is
//! nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What Python brings, as far as scripts here use it.
const STANDARD: &str = "argparse base64 collections csv hashlib json math os pathlib platform re resource selectors shutil signal socket \
     statistics struct subprocess sys tempfile threading time urllib zipfile zlib";

/// Modules that are called otherwise than their packages.
fn package(module: &str) -> &str {
    match module {
        "cv2" => "opencv-contrib-python-headless",
        "PIL" => "pillow",
        "sklearn" => "scikit-learn",
        "faiss" => "faiss-cpu",
        "eigenfaces" => "./python",
        module => module,
    }
}

/// The modules that Python code imports.
fn imports(code: &str) -> BTreeSet<String> {
    let modules = code.lines().flat_map(|line| {
        let line = line.trim_start();
        let after = line
            .strip_prefix("import ")
            .or_else(|| line.strip_prefix("from ").and_then(|rest| rest.split(" import ").next()));
        let names = after.unwrap_or_default().split(',');
        names.filter_map(|name| Some(name.split_whitespace().next()?.split('.').next()?.to_owned()))
    });
    modules.collect()
}

#[test]
fn every_script_installs_what_it_imports() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let standard: BTreeSet<&str> = STANDARD.split_whitespace().collect();
    let mut checked = 0;
    for script in [
        "benches/accuracy/run.sh",
        "benches/found/run.sh",
        "benches/peers/run.sh",
        "benches/python/run.sh",
        "benches/search/run.sh",
        "benches/small/run.sh",
        "benches/waiting/run.sh",
        "integrations/spark/test.sh",
    ] {
        let script = project.join(script);
        let text = fs::read_to_string(&script).unwrap().replace("\\\n", " ");
        let installs: Vec<&str> =
            text.lines().filter(|line| line.contains("install -q") || line.contains("install --quiet")).collect();
        let installs = installs.join(" ");
        assert!(!installs.is_empty(), "{} installs nothing", script.display());
        let installed: BTreeSet<&str> = installs.split(|c: char| c.is_whitespace() || ";'<".contains(c)).collect();
        let folder = script.parent().unwrap();
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let code = files
            .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
            .map(|path| fs::read_to_string(path).unwrap());
        let code: String = code.chain([text.clone()]).collect();
        for module in imports(&code) {
            // The package of this repository is built there.
            let is_built = module == "eigenfaces" && text.contains("bin/maturin");
            let is_own = is_built || folder.join(format!("{module}.py")).exists();
            if is_own || standard.contains(module.as_str()) {
                continue;
            }
            assert!(
                installed.contains(package(&module)),
                "{} uses {module}, but installs only: {installs}",
                script.display()
            );
            checked += 1;
        }
    }
    assert!(checked >= 10, "only {checked} imports were found");
}

#[test]
fn every_measured_table_has_its_place_and_its_script() {
    let read = |path: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    let script = read("benches/figures/remake.py").unwrap();
    let (_, tables) = script.split_once("TABLES = {").unwrap();
    let (tables, _) = tables.split_once("\n}\n").unwrap();
    // `"NAME": function,` of each document.
    let known: BTreeSet<&str> = tables.split('"').skip(1).step_by(2).filter(|name| !name.ends_with(".md")).collect();
    let documents = ["README.md", "docs/RECIPES.md"].map(|path| read(path).unwrap());
    let mut marked = BTreeSet::new();
    for document in &documents {
        for part in document.split("<!-- measured: ").skip(1) {
            let (name, rest) = part.split_once(" -->").unwrap();
            let (table, _) = rest.split_once("<!-- end -->").expect("an end of the table");
            assert!(table.contains("| ") || table.contains("```"), "{name} is empty");
            assert!(marked.insert(name), "{name} stands twice");
        }
    }
    assert_eq!(marked, known);
}
