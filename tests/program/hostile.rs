//! Input from strangers: names, links, pipes, pictures, tables and models that were made to do harm.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::{photo_of_ada, scratch};
use crate::{Run, at_work, enrolled, picture, program, run};

/// Runs the program, and fails where it does not end by itself.
fn ends(folder: &Path, args: &[&str]) -> Run {
    let mut child = at_work(folder, args);
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{args:?} still waits after a minute");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Run::of(child.wait_with_output().unwrap())
}

/// Photos of each of these people, two a person.
fn faces(folder: &Path, people: &[&str]) {
    for (number, person) in (0..).zip(people) {
        for photo in 0..2 {
            let path = folder.join(format!("faces/{person}/{photo}.png"));
            picture(&path, 40, 50, number * 10 + photo);
        }
    }
}

#[test]
fn one_name_is_one_person_however_it_is_encoded() {
    let (composed, decomposed) = ("Zo\u{eb}", "Zoe\u{308}");
    let folder = scratch();
    faces(folder.path(), &[composed, decomposed, "Ada", "Boris"]);
    let folders = fs::read_dir(folder.path().join("faces")).unwrap().count();
    if folders < 4 {
        eprintln!("skipped: this file system has one encoding only");
        return;
    }
    let said = run(folder.path(), ["enroll", "faces"]).done();
    let told = "2 folders are all taken for Zo\u{eb}";
    assert!(said.stderr.contains(told), "{}", said.stderr);
    let people = || run(folder.path(), ["people", "--format", "csv"]).done().stdout;
    assert_eq!(people(), "person,faces\nAda,2\nBoris,2\nZo\u{eb},4\n");
    // Whichever way the name is typed, all faces go.
    run(folder.path(), ["people", "remove", decomposed, "--yes"]).done();
    assert_eq!(people(), "person,faces\nAda,2\nBoris,2\n");
    run(folder.path(), ["people", "rename", "Boris", decomposed]).done();
    assert_eq!(people(), format!("person,faces\nAda,2\n{composed},2\n"));
    run(folder.path(), ["people", "rename", "Ada", composed]).failed_saying(&["is enrolled already"]);
}

#[test]
fn names_that_do_not_look_as_they_are_are_refused() {
    let folder = scratch();
    let bad = ["Ad\u{202e}a", "Bo\u{200b}ris", "\u{2066}Cleo", "D\u{feff}ora"];
    let all = [&bad[..], &["Eve", "Finn", "Gus"]].concat();
    faces(folder.path(), &all);
    let said = run(folder.path(), ["enroll", "faces"]);
    said.ended(3, &["cannot be seen"]);
    // Five files with one reason are named, the others counted.
    assert_eq!(said.stderr.matches("cannot be seen").count(), 5);
    assert!(said.stderr.contains("skipped 3 more"), "{}", said.stderr);
    assert!(!said.stderr.contains(['\u{202e}', '\u{2066}']), "{}", said.stderr);
    // Files may be called anything; where their paths are shown it is written out.
    fs::rename(folder.path().join("faces/Eve/0.png"), folder.path().join("faces/Eve/\u{202e}gnp.0.png")).unwrap();
    run(folder.path(), ["people", "rename", "Eve", "E\u{200b}ve"]).failed_saying(&["cannot be a person's name"]);
    run(folder.path(), ["lesson", "faces", "-o", "r.html"]).ended(3, &[]);
    let page = fs::read_to_string(folder.path().join("r.html")).unwrap();
    assert!(page.contains("faces/Eve/\\u{202e}gnp.0.png"));
    assert!(page.contains("Finn") && !page.contains(['\u{202e}', '\u{2066}', '\u{200b}']));
}

#[cfg(unix)]
#[test]
fn a_link_does_not_take_the_photos_of_a_real_folder() {
    let folder = scratch();
    faces(folder.path(), &["s1", "s2", "s3"]);
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, folder.path().join(at)).unwrap();
    link("../s2", "faces/s1/zlink");
    link("s3", "faces/a");
    let said = run(folder.path(), ["enroll", "faces"]);
    said.ended(3, &["s1/zlink", "labelled 's2'"]);
    let people = run(folder.path(), ["people", "--format", "csv"]).done().stdout;
    assert_eq!(people, "person,faces\ns1,2\ns2,2\ns3,2\n");
    // Nor where the link is in another of the folders given, and that comes first.
    fs::create_dir(folder.path().join("b")).unwrap();
    link("../faces/s3", "b/nobody");
    run(folder.path(), ["enroll", "b", "faces", "-m", "two.npz"]);
    let people = run(folder.path(), ["people", "-m", "two.npz", "--format", "csv"]);
    assert_eq!(people.done().stdout, "person,faces\ns1,2\ns2,2\ns3,2\n");
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_not_waited_for() {
    let folder = enrolled();
    let pipe = folder.path().join("pipe.png");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo is there");
    for name in ["pipe.txt", "pipe.csv", "pipe.json", "pipe.npz"] {
        let pipe = folder.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()));
    }
    let ada = photo_of_ada().to_str().unwrap();
    for args in [
        vec!["identify", "pipe.png"],
        vec!["identify", "pipe.npz"],
        vec!["identify", "/dev/zero"],
        vec!["identify", ada, "-m", "pipe.npz"],
        vec!["facemap", "pipe.png", "-o", "x.png"],
        vec!["reconstruct", "pipe.png", "-o", "x.png"],
        vec!["reconstruct", "--from-weights", "pipe.csv", "-o", "x.png"],
        vec!["verify", "pipe.png", ada],
        vec!["project", "pipe.png"],
        vec!["enroll", "pipe.png"],
        vec!["enroll", ada, "--labels", "pipe.csv"],
        vec!["basis", "-o", "x", "--faces", "pipe.png"],
        vec!["identify", ada, "--explain", "pipe.png"],
        vec!["identify", ada, "--faces", "pipe.png"],
    ] {
        let failed = ends(folder.path(), &args);
        let said = failed.stderr.lines().any(|line| line.starts_with("error: "));
        let code = if args[0] == "verify" { 2 } else { 1 };
        assert!(said && failed.code == code, "{args:?}: {}", failed.stderr);
    }
    ends(folder.path(), &["identify", "pipe.png"]).failed_saying(&["pipe or device", "identify -"]);
    ends(folder.path(), &["identify", ada, "pipe.png"]).ended(3, &["pipe or device"]);
    if Path::new("/proc/kmsg").exists() {
        ends(folder.path(), &["identify", "/proc/kmsg"]).failed_saying(&["/proc/kmsg"]);
    }
    // What is asked for is read: a program's own input, and what the shell passes as a file.
    let shell = |script: &str| {
        let mut command = program(folder.path());
        let program = command.get_program().to_owned();
        command = std::process::Command::new("bash");
        command.current_dir(folder.path()).args(["-c", script]);
        Run::of(command.arg(program).arg(ada).output().unwrap())
    };
    for script in [
        "cat \"$1\" | \"$0\" identify /dev/stdin",
        "\"$0\" identify /dev/stdin < \"$1\"",
        "\"$0\" identify <(cat \"$1\")",
        "\"$0\" verify - --person Ada < \"$1\"",
    ] {
        let said = shell(script).done();
        assert!(said.stdout.contains(": Ada ("), "{script}: {}", said.stdout);
    }
    shell("cat \"$1\" | \"$0\" facemap - -o map.png").done();
    let added = shell("cat \"$1\" | \"$0\" people add Ann -").done();
    assert!(added.stderr.contains("1 face of Ann (new) from standard input"), "{}", added.stderr);
}

/// A program that reads a table finds the photos in it.
#[cfg(unix)]
#[test]
fn names_of_files_in_tables_are_the_files_names() {
    let folder = crate::enrolled();
    let name = "two\nlines.png";
    std::fs::copy(crate::support::photo_of_ada(), folder.path().join(name)).unwrap();
    let table = run(folder.path(), ["identify", name, "--format", "csv"]).done();
    let mut rows = csv::Reader::from_reader(table.stdout.as_bytes());
    let row = rows.records().next().unwrap().unwrap();
    assert_eq!(&row[0], name);
}

/// Two photos whose names differ in a byte that is no text are told apart everywhere.
#[cfg(target_os = "linux")]
#[test]
fn names_of_other_bytes_are_written_alike_and_taken_back() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let folder = scratch();
    let at = folder.path();
    std::fs::create_dir_all(at.join("faces/Cy")).unwrap();
    let name = |byte: u8| [b"faces/Cy/x", &[byte][..], b".png"].concat();
    for (photo, byte) in [(1, 0xf0), (2, 0xf1), (3, 0xf2)] {
        let photo = crate::support::bundled_faces().join(format!("Ada/{photo}.png"));
        std::fs::copy(photo, at.join(OsStr::from_bytes(&name(byte)))).unwrap();
    }
    run(at, ["enroll", "faces"]).done();
    let told = |args: &[&str]| run(at, args).done().stdout;
    for text in
        [told(&["people", "list", "--photos", "--format", "csv"]), told(&["identify", "faces", "--format", "csv"])]
    {
        assert!(text.contains(r"faces/Cy/x\xf0.png") && text.contains(r"faces/Cy/x\xf1.png"), "{text}");
    }
    let json = told(&["identify", "faces", "--format", "json"]);
    assert!(json.contains(r"faces/Cy/x\\xf0.png") && json.contains(r"faces/Cy/x\\xf1.png"), "{json}");
    let photo = name(0xf1);
    run(at, [OsStr::new("people"), OsStr::new("remove"), OsStr::new("-y"), OsStr::from_bytes(&photo)]).done();
    let left = told(&["people", "list", "--photos", "--format", "csv"]);
    assert!(left.contains(r"x\xf0.png") && !left.contains(r"x\xf1.png"), "{left}");
}

#[test]
fn no_cell_of_a_table_is_a_formula() {
    let folder = scratch();
    let names = ["=1+1", "@SUM(A1)", "+cmd", "-2+3", "Ada"];
    faces(folder.path(), &names);
    run(folder.path(), ["enroll", "faces"]).done();
    let table = run(folder.path(), ["people", "--format", "csv"]).done().stdout;
    for name in &names[..4] {
        assert!(table.contains(&format!("\n'{name},2\n")), "{table}");
    }
    assert!(table.contains("\nAda,2\n"), "{table}");
    // JSON says what is.
    let json = run(folder.path(), ["people", "--format", "json"]).done().stdout;
    assert!(json.contains("\"=1+1\""), "{json}");
    let weights = run(folder.path(), ["project", "--gallery", "-o", "w.csv"]);
    weights.done();
    let weights = fs::read_to_string(folder.path().join("w.csv")).unwrap();
    assert!(weights.contains(",'=1+1,"), "{weights}");
    let numbers = weights.lines().nth(1).unwrap().split(',').skip(3);
    let mut negative = 0;
    for number in numbers {
        negative += usize::from(number.starts_with('-'));
        number.parse::<f64>().unwrap();
    }
    assert!(negative > 0, "numbers stay numbers, also negative ones");
    run(folder.path(), ["reconstruct", "--from-weights", "w.csv", "-o", "r.png"]).done();
}

/// A PNG of a few pixels with a colour profile of so many bytes, all zero, packed 258 to 13 bits.
fn png_with_profile(unpacked: u32) -> Vec<u8> {
    let mut bits: Vec<u8> = Vec::new();
    let (mut word, mut held) = (0_u32, 0);
    let mut put = |value: u32, count: u32| {
        for bit in 0..count {
            word |= ((value >> bit) & 1) << held;
            held += 1;
            if held == 8 {
                bits.push(word as u8);
                (word, held) = (0, 0);
            }
        }
    };
    // A last block with fixed codes, which are sent from their first bit on: a literal zero, and then copies of 258
    // bytes from one byte before.
    put(0b011, 3);
    put(0b0000_1100, 8);
    let copies = (unpacked - 1) / 258;
    for _ in 0..copies {
        put(0b1010_0011, 8);
        put(0, 5);
    }
    put(0, 7 + 8);
    let length = u64::from(copies) * 258 + 1;
    let adler = (((length % 65_521) as u32) << 16) | 1;
    let profile = [b"icc\0\0\x78\x01".as_slice(), &bits, &adler.to_be_bytes()].concat();
    let mut chunk = b"iCCP".to_vec();
    chunk.extend(profile);
    let mut png = std::io::Cursor::new(Vec::new());
    image::open(photo_of_ada()).unwrap().write_to(&mut png, image::ImageFormat::Png).unwrap();
    let mut png = png.into_inner();
    let length = (chunk.len() as u32 - 4).to_be_bytes();
    let checksum = crc32fast::hash(&chunk).to_be_bytes();
    png.splice(33..33, [&length[..], &chunk, &checksum].concat());
    png
}

/// Runs a command with so many kilobytes of address space.
#[cfg(target_os = "linux")]
fn within(kilobytes: u32, folder: &Path, args: &str) -> Run {
    let script = format!("ulimit -v {kilobytes}; exec \"$0\" {args}");
    let mut command = std::process::Command::new("sh");
    command.current_dir(folder).args(["-c", &script, env!("CARGO_BIN_EXE_eigenfaces")]);
    Run::of(command.output().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn a_profile_that_unpacks_to_a_gigabyte_takes_no_memory() {
    let folder = enrolled();
    fs::write(folder.path().join("small.png"), png_with_profile(100_000)).unwrap();
    fs::write(folder.path().join("bomb.png"), png_with_profile(1 << 30)).unwrap();
    for name in ["small.png", "bomb.png"] {
        let args = format!("identify {name} --threads 1");
        let said = within(400_000, folder.path(), &args).done();
        assert!(said.stdout.contains(": Ada ("), "{}", said.stdout);
        // Its size is read from the header alone when faces are learned.
        fs::create_dir_all(folder.path().join("faces/Bob")).unwrap();
        let to = folder.path().join("faces/Bob").join(name);
        fs::copy(folder.path().join(name), to).unwrap();
    }
    let learned = "enroll faces -m bob.npz --framing as-is --threads 1";
    within(400_000, folder.path(), learned).done();
}

/// 400 faces, two threads, 600 MB of address space, whatever the machine's caches are.
#[cfg(target_os = "linux")]
#[test]
fn learning_takes_little_address_space() {
    let folder = scratch();
    for person in 0..20 {
        for photo in 0..10 {
            let path = folder.path().join(format!("faces/p{person}/{photo}.png"));
            picture(&path, 92, 112, person * 10 + photo);
        }
    }
    let enrolled = within(600_000, folder.path(), "enroll faces --framing as-is --threads 2").done();
    assert!(enrolled.stderr.contains("enrolled 200 faces of 20 people"), "{}", enrolled.stderr);
    let evaluate = "evaluate faces --framing as-is --protocol first:5 --report r.html --threads 2";
    within(600_000, folder.path(), evaluate).done();
}

/// Too little memory is an error like others, whenever it is noticed: a line, exit code 1, and the old model stays.
#[cfg(target_os = "linux")]
#[test]
fn refused_memory_is_an_error() {
    let folder = scratch();
    faces(folder.path(), &["Ada", "Boris", "Cleo"]);
    run(folder.path(), ["enroll", "faces"]).done();
    let model = fs::read(folder.path().join("eigenfaces.npz")).unwrap();
    for person in 0..15 {
        for photo in 0..10 {
            let path = folder.path().join(format!("more/p{person}/{photo}.png"));
            picture(&path, 92, 112, person * 10 + photo);
        }
    }
    let mut refused = 0;
    for kilobytes in [40_000, 50_000, 60_000, 70_000, 80_000] {
        let mut command = std::process::Command::new("sh");
        let script = format!("ulimit -v {kilobytes}; exec \"$0\" enroll more --quiet --threads 1");
        command.current_dir(folder.path()).env("RUST_BACKTRACE", "0").args([
            "-c",
            &script,
            env!("CARGO_BIN_EXE_eigenfaces"),
        ]);
        let output = command.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        // With less than the program itself takes, the system does not even start it.
        if output.status.success() {
            break;
        }
        if !stderr.contains("memory") {
            continue;
        }
        assert_eq!(output.status.code(), Some(1), "{kilobytes}: {stderr}");
        // A file too large to be read is said to be so. Otherwise: Rust's own words, twice where saying so took memory too, and its note of how to learn where that was.
        let first = stderr.lines().next().unwrap();
        let is_said = first.ends_with("(out of memory); check that it is there and its permissions");
        assert!(is_said || first.starts_with("memory allocation of "), "{stderr}");
        let is_rusts = |line: &str| {
            line.starts_with("memory allocation of ") || line.contains("backtrace") || line.is_empty() || is_said
        };
        assert!(stderr.lines().all(is_rusts), "{kilobytes}: {stderr}");
        assert!(stderr.lines().count() <= 4, "{kilobytes}: {stderr}");
        assert!(fs::read(folder.path().join("eigenfaces.npz")).unwrap() == model);
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 3, "{kilobytes}: neither lock nor temporary file is left");
        refused += 1;
    }
    assert!(refused > 0, "memory was never refused");
    run(folder.path(), ["people", "rename", "Ada", "Eve"]).done();
}

#[test]
fn a_model_with_numbers_beyond_reason_is_refused() {
    let folder = scratch();
    faces(folder.path(), &["Ada", "Boris", "Cleo"]);
    run(folder.path(), ["enroll", "faces"]).done();
    let model = folder.path().join("eigenfaces.npz");
    let sound = fs::read(&model).unwrap();
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(&sound)).unwrap();
    let mut members = Vec::new();
    for at in 0..archive.len() {
        let mut member = archive.by_index(at).unwrap();
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut member, &mut content).unwrap();
        members.push((member.name().unwrap().into_owned(), content));
    }
    let mut forged = 0;
    for at in 0..members.len() {
        let (name, content) = &members[at];
        let text = String::from_utf8_lossy(&content[..content.len().min(200)]);
        let huge: Vec<u8> = match () {
            () if text.contains("'<f4'") => 3e38_f32.to_le_bytes().to_vec(),
            () if text.contains("'<f8'") => 1e300_f64.to_le_bytes().to_vec(),
            () => continue,
        };
        let name = name.trim_end_matches(".npy").to_owned();
        let mut changed = members.clone();
        let start = changed[at].1.len() - huge.len();
        changed[at].1.splice(start.., huge);
        fs::write(&model, eigenfaces::store::forge_members(&changed)).unwrap();
        let info = run(folder.path(), ["info"]);
        let report = run(folder.path(), ["identify", "faces/Ada/0.png", "--top", "3"]);
        let people = run(folder.path(), ["project", "--gallery"]);
        for said in [info, report, people] {
            assert!(!said.stdout.contains("NaN") && !said.stdout.contains("inf"), "{name}: {}", said.stdout);
        }
        // Who looks at all of it refuses it.
        run(folder.path(), ["people"]).failed_saying(&[&name, "out of range"]);
        forged += 1;
    }
    assert!(forged >= 6, "only {forged} arrays of numbers");
    let meta = String::from_utf8(members[0].1.clone()).unwrap();
    let at = meta.find("\"total_variance\": ").unwrap();
    let number = &meta[at..at + meta[at..].find(',').unwrap()];
    members[0].1 = meta.replace(number, "\"total_variance\": 1e300").into_bytes();
    fs::write(&model, eigenfaces::store::forge_members(&members)).unwrap();
    run(folder.path(), ["identify", "faces/Ada/0.png"]).failed_saying(&["meta.json", "out of range"]);
    // One that is sound and far too long is refused by whoever reads it.
    members[0].1 = (meta + &" ".repeat(1 << 20)).into_bytes();
    fs::write(&model, eigenfaces::store::forge_members(&members)).unwrap();
    let readers: [&[&str]; 4] =
        [&["info"], &["people"], &["identify", "faces/Ada/0.png"], &["people", "rename", "Ada", "A"]];
    for reader in readers {
        run(folder.path(), reader).failed_saying(&["eigenfaces.npz", "is not laid out as a model is"]);
    }
}
