//! What the program writes: docs/PRIVACY.md lists every file, and whoever is erased is in none that belongs to the model.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use eigenfaces::background::Background;
use eigenfaces::dataset::ContentHash;
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::store;

use crate::run;
use crate::support::{bundled_faces, photo_of_ada, probes, project, scratch};

/// All files below a folder, by their paths from there.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => drop(found.insert(path.strip_prefix(folder).unwrap().to_owned())),
            }
        }
    }
    found
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

/// The rows of docs/PRIVACY.md's table of files: what writes them, their mode, and whether erasing reaches them.
fn listed() -> Vec<(String, String, bool)> {
    let page = fs::read_to_string(project().join("docs/PRIVACY.md")).unwrap();
    let (_, table) = page.split_once("| file | mode |").unwrap();
    let rows = table.lines().skip(2);
    let rows = rows.take_while(|line| line.starts_with('|')).map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let reaches = cells[4].starts_with("yes");
        (cells[1].replace('`', ""), cells[2].to_owned(), reaches)
    });
    rows.collect()
}

/// Every command that writes, with the row of the table that stands for what it writes, and the place of that.
const WRITERS: [(&str, &[&str], &str); 15] = [
    ("NAME", &["enroll", "faces"], "eigenfaces.npz"),
    ("FOLDER/eigenfaces.faces", &["group", "album"], "album/eigenfaces.faces"),
    ("group -o DIR", &["group", "album", "-o", "groups"], "groups"),
    ("identify --annotate DIR", &["identify", "album", "--annotate", "annotated"], "annotated"),
    ("identify --explain FILE", &["identify", "album/x.png", "--explain", "why.png"], "why.png"),
    ("identify --sort-into DIR --copy", &["identify", "album", "--sort-into", "sorted", "--copy"], "sorted"),
    ("PHOTO.xmp", &["identify", "album", "--write-xmp"], "album/x.png.xmp"),
    ("basis -o DIR", &["basis", "-o", "basis"], "basis"),
    ("reconstruct -o FILE", &["reconstruct", "album/x.png", "-o", "again.png"], "again.png"),
    ("project -o FILE", &["project", "--gallery", "-o", "weights.csv"], "weights.csv"),
    ("project --plot FILE", &["project", "--plot", "plot.svg"], "plot.svg"),
    ("facemap -o FILE", &["facemap", "album/x.png", "-o", "map.png"], "map.png"),
    ("evaluate --scores FILE", &["evaluate", "faces", "--scores", "scores.csv"], "scores.csv"),
    ("evaluate --report FILE", &["evaluate", "faces", "--report", "report.html"], "report.html"),
    ("lesson -o DIR", &["lesson", "-o", "lesson"], "lesson"),
];

/// In which files a person is found: by name in the usual encodings, by pixels, hash, or coordinates of a face.
fn holding(folder: &Path, traces: &[Vec<u8>]) -> BTreeSet<PathBuf> {
    let begins = |bytes: &[u8]| usize::from(u16::from_le_bytes([bytes[0], bytes[1]]));
    let mut is_begun = vec![false; 1 << 16];
    for trace in traces {
        is_begun[begins(trace)] = true;
    }
    let holds = |path: &PathBuf| {
        let content = fs::read(folder.join(path)).unwrap();
        let mut path = path.to_string_lossy().into_owned().into_bytes();
        path.push(b'\n');
        let content = [path, content].concat();
        let mut pairs = content.windows(2).enumerate().filter(|(_, pair)| is_begun[begins(pair)]);
        pairs.any(|(at, _)| traces.iter().any(|trace| content[at..].starts_with(trace)))
    };
    files(folder).into_iter().filter(holds).collect()
}

const NAME: &str = "Zoë Quist";

/// All that may give away the face of a photo, and the name.
fn traces(model: &Path, photo: &Path) -> Vec<Vec<u8>> {
    let utf16 = |order: fn(u16) -> [u8; 2]| NAME.encode_utf16().flat_map(order).collect();
    let percent: String = NAME
        .bytes()
        .map(|byte| match byte {
            b' '..=b'~' if byte != b' ' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect();
    let latin: Vec<u8> = NAME.chars().map(|letter| letter as u8).collect();
    let mut traces = vec![
        NAME.as_bytes().to_vec(),
        "Zoe\u{308} Quist".as_bytes().to_vec(),
        utf16(u16::to_le_bytes),
        utf16(u16::to_be_bytes),
        latin,
        percent.into_bytes(),
        b"Zo\\u00eb Quist".to_vec(),
        "Zo&#235; Quist".as_bytes().to_vec(),
        b"Quist".to_vec(),
    ];
    let hash = ContentHash::of(&fs::read(photo).unwrap());
    traces.push(hash.0.to_vec());
    traces.push(hash.to_string().into_bytes());
    let recognizer = store::load(model).unwrap();
    let at = recognizer.gallery().position(hash).unwrap();
    let (gallery, size) = (recognizer.gallery(), recognizer.preparation().size());
    let pixels = gallery.faces().face(at);
    traces.push(pixels[pixels.len() / 2..][..64].to_vec());
    let face = FaceMatrix::from_pixels(size, pixels.to_vec()).unwrap();
    let background = Background::bundled().unwrap().coordinates(&face);
    let weights = recognizer.weights().column(at).into_owned();
    for numbers in [background.as_slice(), weights.as_slice()] {
        let some = numbers.iter().take(4).flat_map(|number| number.to_le_bytes());
        traces.push(some.collect());
    }
    traces
}

#[test]
fn every_file_is_listed_and_whoever_is_erased_is_in_none_of_the_models() {
    let scratch = scratch();
    let folder = scratch.path();
    for person in ["Ada", "Boris", "Chiara", "Dmitri"] {
        copied(&bundled_faces().join(person), &folder.join("faces").join(person));
    }
    let theirs = folder.join("faces").join(NAME);
    copied(&bundled_faces().join("Esther"), &theirs);
    fs::create_dir(folder.join("album")).unwrap();
    fs::copy(photo_of_ada(), folder.join("album/x.png")).unwrap();
    fs::copy(theirs.join("1.png"), folder.join("album/y.png")).unwrap();
    fs::copy(probes().join("stranger-1.png"), folder.join("album/z.png")).unwrap();
    let given = files(folder);

    let rows = listed();
    let mut met = BTreeSet::new();
    let mut before = given.clone();
    for (row, command, place) in WRITERS {
        let (_, mode, _) = rows
            .iter()
            .find(|(listed, ..)| listed == row)
            .unwrap_or_else(|| panic!("docs/PRIVACY.md does not list {row}"));
        met.insert(row);
        let done = run(folder, command);
        assert!([0, 3].contains(&done.code), "{command:?}: {}", done.stderr);
        let after = files(folder);
        let new: Vec<&PathBuf> = after.difference(&before).collect();
        let is_kept = |path: &&&PathBuf| path.ends_with("eigenfaces.faces") || path.starts_with(place);
        if row != "PHOTO.xmp" {
            assert_eq!(new.iter().filter(is_kept).count(), new.len(), "{command:?}: {new:?}");
        }
        assert!(folder.join(place).exists(), "{command:?} wrote no {place}");
        #[cfg(unix)]
        for path in new {
            use std::os::unix::fs::PermissionsExt;
            if path.ends_with(".eigenfaces-results") {
                continue; // The marker of a folder of results says nothing of anybody.
            }
            let rights = fs::metadata(folder.join(path)).unwrap().permissions().mode() & 0o777;
            let is_private = rights == 0o600;
            let as_listed = match mode.as_str() {
                "0600" => is_private,
                _ => !is_private,
            };
            assert!(as_listed, "{row}: {} has mode {rights:o}", path.display());
        }
        before = after;
    }
    let passing =
        ["DIR of --sort-into --link", ".NAME.lock", ".NAME.????????.eigenfaces-tmp", "~/eigenfaces-open-*.html"];
    for (row, ..) in &rows {
        let is_met = met.contains(row.as_str()) || passing.contains(&row.as_str());
        assert!(is_met, "{row} is listed, and nothing here writes it");
    }

    // Now they are erased.
    let model = folder.join("eigenfaces.npz");
    let traces = traces(&model, &theirs.join("1.png"));
    let of_model = |path: &Path| {
        let name = path.to_string_lossy();
        name == "eigenfaces.npz" || name.starts_with(".eigenfaces.npz")
    };
    let found = holding(folder, &traces);
    assert!(found.iter().any(|path| of_model(path)), "the traces are found while they are there");
    for index in ["album/eigenfaces.faces", "report.html"] {
        assert!(found.contains(Path::new(index)), "{index} is known to hold them");
    }
    // A crash has left half a model.
    let left = folder.join(".eigenfaces.npz.aBcDeFgH.eigenfaces-tmp");
    fs::copy(&model, &left).unwrap();
    run(folder, ["people", "rename", "Ada", "Zoë Quist the Second"]).done();
    run(folder, ["people", "rename", "Zoë Quist the Second", "Ada", "--forget"]).done();
    run(folder, ["people", "remove", NAME, "--yes"]).done();
    let found = holding(folder, &traces);
    let found: Vec<&PathBuf> = found.iter().filter(|path| of_model(path)).collect();
    assert_eq!(found, Vec::<&PathBuf>::new(), "these still tell of whoever was erased");
    assert!(!left.exists());

    // What lies beside photos goes with the photos.
    fs::remove_file(folder.join("album/y.png")).unwrap();
    run(folder, ["group", "album"]).done();
    let found = holding(&folder.join("album"), &traces);
    assert!(!found.contains(Path::new("eigenfaces.faces")), "{found:?}");
}
