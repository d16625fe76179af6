//! Evaluating a folder, and checking it: figures in words and for scripts, wrong input.

use std::path::Path;

use serde_json::Value;

use crate::support::{bundled_faces, scratch};
use crate::{Run, picture, run};

fn evaluate(folder: &Path, faces: &Path, more: &[&str]) -> Run {
    let mut args = vec!["evaluate", faces.to_str().unwrap()];
    args.extend(more);
    run(folder, args)
}

/// A part of the bundled people, small and quick.
const QUICK: [&str; 8] = ["--background", "none", "--protocol", "first:4", "--size", "24x28", "--components", "20"];

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).expect("one JSON object")
}

/// As few photos as an evaluation takes leave fewer dimensions than people.
#[test]
fn two_photos_of_each_are_enough() {
    let folder = scratch();
    for person in ["Ada", "Boris", "Chiara", "Dmitri", "Esther", "Farid"] {
        let to = folder.path().join("few").join(person);
        std::fs::create_dir_all(&to).unwrap();
        for photo in ["1.png", "2.png"] {
            std::fs::copy(bundled_faces().join(person).join(photo), to.join(photo)).unwrap();
        }
    }
    for background in ["bundled", "none"] {
        for protocol in ["leave-one-out", "k-fold:2", "first:1"] {
            let args = ["evaluate", "few", "--background", background, "--protocol", protocol];
            run(folder.path(), args).done();
        }
    }
}

#[test]
fn the_figures_are_the_same_in_words_and_for_scripts() {
    let folder = scratch();
    let text = evaluate(folder.path(), bundled_faces(), &QUICK).done();
    let with_format = |format| [&QUICK[..], &["--format", format]].concat();
    let object = json(&evaluate(folder.path(), bundled_faces(), &with_format("json")).done());
    let csv = evaluate(folder.path(), bundled_faces(), &with_format("csv")).done();

    let number = |name: &str| object.pointer(name).and_then(Value::as_f64);
    let percent = |name: &str| format!("{:.1} %", number(name).expect(name) * 100.0);
    for (row, field) in [
        ("rank-1", "/rank1"),
        ("rank-5", "/rank5"),
        ("plain pixels", "/raw_pixels_rank1"),
        ("equal error rate", "/equal_error_rate"),
        ("with strangers", "/open_set/detection_identification_rate_at_far_10pct"),
        ("as decided", "/open_set/false_accept_rate"),
        ("confidence", "/open_set/expected_calibration_error"),
        ("compression", "/compression/share"),
    ] {
        let line = text.stdout.lines().find(|line| line.starts_with(row));
        let line = line.unwrap_or_else(|| panic!("no {row} in: {}", text.stdout));
        assert!(line.contains(&percent(field)), "{field} in: {line}");
        let name = field.trim_start_matches('/').replace('/', ".");
        let start = format!("{name},");
        let row = csv.stdout.lines().find_map(|line| line.strip_prefix(&start));
        let cell = row.and_then(|row| row.split(',').next());
        let cell: Option<f64> = cell.and_then(|cell| cell.parse().ok());
        assert_eq!(cell, number(field), "{name}");
    }
    let header = csv.stdout.lines().next();
    let columns = "figure,value,low,high,standard_deviation,interval,wilson_low,wilson_high,failures";
    assert_eq!(header, Some(columns));
    let interval = |name: &str| -> Vec<f64> {
        let ends = object.pointer(name).and_then(Value::as_array).expect(name);
        ends.iter().filter_map(Value::as_f64).collect()
    };
    for (rate, ends) in
        [("/rank1", "/rank1_interval"), ("/open_set/false_accept_rate", "/open_set/false_accept_rate_interval")]
    {
        let (rate, ends) = (number(rate).unwrap(), interval(ends));
        assert!(ends[0] <= rate && rate <= ends[1] && ends[0] < ends[1], "{ends:?}");
    }
    let methods: Vec<&str> =
        object["baselines"].as_array().unwrap().iter().filter_map(|baseline| baseline["method"].as_str()).collect();
    let expected = ["as asked", "plain pixels", "eigenfaces"];
    assert_eq!(methods, expected);
    assert_eq!(object["baselines"][0]["rank1"], object["rank1"]);
    assert_eq!(object["baselines"][1]["rank1"], object["raw_pixels_rank1"]);
    for method in methods {
        assert!(text.stdout.contains(method), "{method} in: {}", text.stdout);
    }
    assert!(text.stdout.contains("--protocol has no part in it"), "{}", text.stdout);
    assert_eq!(object["protocol"], "first:4");
    assert_eq!((&object["people"], &object["faces"]), (&14.into(), &112.into()));
    assert_eq!(object["probes"], 56);
    assert_eq!(object["cmc"].as_array().unwrap().len(), 10);
    assert_eq!(object["cmc"][0], object["rank1"]);
    assert_eq!(object["rank1_standard_deviation"], Value::Null);
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "nothing is written");
}

#[test]
fn what_is_random_is_the_same_again() {
    let folder = scratch();
    let faces = folder.path().join("faces");
    for person in ["Ada", "Boris", "Chiara", "Dmitri"] {
        for photo in 1..=8 {
            let photo = format!("{person}/{photo}.png");
            copy(&bundled_faces().join(&photo), &faces.join(&photo));
        }
    }
    let again = || {
        let args = "--protocol random:4x2 --size 24x28 --format json";
        let args: Vec<&str> = args.split(' ').collect();
        let mut object = json(&evaluate(folder.path(), &faces, &args).done());
        object["times"] = Value::Null;
        object
    };
    let first = again();
    assert_eq!(first, again());
    assert!(first["rank1_standard_deviation"].is_number());
}

#[test]
fn what_cannot_be_evaluated_is_said() {
    let folder = scratch();
    let wrong = evaluate(folder.path(), bundled_faces(), &["--protocol", "k-fold:1"]);
    wrong.ended(2, &["--protocol", "k-fold:10"]);
    let nowhere = Path::new("nowhere");
    evaluate(folder.path(), nowhere, &[]).failed_saying(&["nowhere", "no such file"]);

    for photo in 0..3 {
        picture(&folder.path().join(format!("one/Ada/{photo}.png")), 30, 36, photo);
    }
    let one = folder.path().join("one");
    evaluate(folder.path(), &one, &[]).failed_saying(&["1 person", "2 or more"]);
    for person in 0..6 {
        picture(&folder.path().join(format!("single/p{person}/1.png")), 30, 36, person);
    }
    let single = folder.path().join("single");
    evaluate(folder.path(), &single, &[]).failed_saying(&["leave-one-out", "no photo to try", "anybody has is 1;"]);
    let many = ["--protocol", "first:9"];
    evaluate(folder.path(), bundled_faces(), &many).failed_saying(&["first:9", "no photo to try", "anybody has is 8;"]);
}

#[test]
fn two_people_are_enough_though_not_for_strangers() {
    let folder = scratch();
    for photo in 0..3 {
        picture(&folder.path().join(format!("two/Ada/{photo}.png")), 30, 36, photo);
        picture(&folder.path().join(format!("two/Ben/{photo}.png")), 30, 36, photo + 40);
    }
    let two = folder.path().join("two");
    let classic = ["--background", "none"];
    let text = evaluate(folder.path(), &two, &classic).done();
    assert!(text.stdout.contains("too few people"), "{}", text.stdout);
    let args = [&classic[..], &["--format", "json"]].concat();
    let object = json(&evaluate(folder.path(), &two, &args).done());
    assert_eq!(object["open_set"], Value::Null);
    assert_eq!(object["cmc"].as_array().unwrap().len(), 2);
    assert_eq!(object["rank5"], Value::Null);
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    std::fs::copy(from, to).unwrap();
}

#[test]
fn faults_of_a_folder_are_listed_and_nothing_is_written() {
    let folder = scratch();
    let faces = folder.path().join("faces");
    for person in ["Ada", "Boris", "Chiara", "Dmitri", "Esther"] {
        let person = bundled_faces().join(person);
        for photo in std::fs::read_dir(&person).unwrap() {
            let photo = photo.unwrap().path();
            let name = Path::new(person.file_name().unwrap()).join(photo.file_name().unwrap());
            copy(&photo, &faces.join(name));
        }
    }
    let enroll = |more: &[&str]| run(folder.path(), [&["enroll", "faces"], more].concat());
    let clean = enroll(&["--check"]).done();
    assert_eq!(clean.stdout, "", "nothing is wrong with the bundled faces");
    assert!(clean.stderr.contains("nothing to correct"), "{}", clean.stderr);

    copy(&faces.join("Ada/1.png"), &faces.join("Boris/twin.png"));
    std::fs::rename(faces.join("Chiara/3.png"), faces.join("Dmitri/9.png")).unwrap();
    picture(&faces.join("Esther/odd.png"), 96, 112, 3);
    let check = ["--check", "--format", "json"];
    let found = enroll(&check).done();
    let findings: Vec<Value> = found.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let about = |finding: &str, photo: &str| {
        findings.iter().any(|object| {
            let names = |field: &str| object[field].as_str().is_some_and(|p| p.ends_with(photo));
            object["finding"] == finding && (names("photo") || names("other_photo"))
        })
    };
    assert!(about("same-picture", "Ada/1.png") && about("same-picture", "Boris/twin.png"));
    assert!(about("wrong-label", "Dmitri/9.png"), "{}", found.stdout);
    assert!(about("not-a-face", "Esther/odd.png"), "{}", found.stdout);

    // Without `--check` the photo under two names is passed over.
    assert!(!folder.path().join("eigenfaces.npz").exists());
    enroll(&[]).ended(3, &["Ada/1.png", "Boris/twin.png"]);
    let table = run(folder.path(), ["enroll", "faces", "--check", "--format", "csv", "-m", "none.npz"]).done();
    assert_eq!(table.stdout.lines().count(), findings.len() + 1);
}

#[test]
fn every_score_is_written_where_asked() {
    let folder = scratch();
    let files = ["--scores", "scores.csv"];
    let args = [&QUICK[..], &files, &["--metric", "euclidean", "--format", "json"]].concat();
    // Twice: the second run replaces what the first wrote, where it may.
    evaluate(folder.path(), bundled_faces(), &args).done();
    evaluate(folder.path(), bundled_faces(), &args).failed_saying(&["scores.csv", "--force"]);
    let args = [&args[..], &["--force"]].concat();
    let object = json(&evaluate(folder.path(), bundled_faces(), &args).done());
    let scores = std::fs::read_to_string(folder.path().join("scores.csv")).unwrap();
    let rows: Vec<Vec<&str>> = scores.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0].join(","), "set,repeat,photo,person,candidate,rank,distance,confidence,decision");
    let of_set = |set: &'static str| rows.iter().filter(move |row| row[0] == set);
    assert_eq!(of_set("closed").count(), 56 * 14, "every probe with every person");
    let first: Vec<_> = of_set("closed").filter(|row| row[5] == "1").collect();
    let right = first.iter().filter(|row| row[3] == row[4]).count();
    // The open set, from which its figures can be made again.
    let strangers: Vec<_> = of_set("stranger").collect();
    assert_eq!(strangers.len() as u64, object["open_set"]["strangers"]);
    let named = strangers.iter().filter(|row| row[8] == "known").count();
    let share = named as f64 / strangers.len() as f64;
    let told = object["open_set"]["false_accept_rate"].as_f64().unwrap();
    assert!((share - told).abs() < 1e-9, "{share} {told}");
    assert_eq!(of_set("enrolled").count() as u64, object["open_set"]["genuine"]);
    let rank1 = object["rank1"].as_f64().unwrap();
    assert!((right as f64 / 56.0 - rank1).abs() < 1e-9, "{right} of 56, {rank1}");
}

/// A club of three learns what it may trust from photos of others.
#[test]
fn strangers_are_photos_of_others_where_they_are_given() {
    let folder = scratch();
    let copy = |person: &str, to: &str| {
        let to = folder.path().join(to);
        std::fs::create_dir_all(&to).unwrap();
        for number in 1..=6 {
            let name = format!("{number}.png");
            let from = bundled_faces().join(person).join(&name);
            std::fs::copy(from, to.join(name)).unwrap();
        }
    };
    for person in ["Ada", "Boris", "Chiara"] {
        copy(person, &format!("club/{person}"));
    }
    let club = folder.path().join("club");
    // Without others, one of the three at a time plays the stranger; by what three people alone teach, none is told from them.
    let quick = ["--protocol", "k-fold:2", "--format", "json"];
    let alone = json(&evaluate(folder.path(), &club, &quick).done());
    assert_eq!(alone["open_set"]["enrolled"], 2);
    assert!(alone["open_set"]["strangers_given"].is_null());
    let classic = ["--protocol", "k-fold:2", "--background", "none"];
    let classic = evaluate(folder.path(), &club, &classic).done();
    assert!(classic.stdout.contains("--strangers"), "{}", classic.stdout);
    copy("Farid", "others/1");
    copy("Keiko", "others/2");
    // One of the club among them is no stranger.
    std::fs::copy(club.join("Ada/1.png"), folder.path().join("others/1/a.png")).unwrap();
    let args = ["--protocol", "k-fold:2", "--strangers", "others", "--format", "json"];
    let with = evaluate(folder.path(), &club, &args).done();
    assert!(with.stderr.contains("1 photo of people who are enrolled"), "{}", with.stderr);
    let open_set = &json(&with)["open_set"];
    assert_eq!(open_set["strangers_given"], 12);
    assert_eq!(open_set["enrolled"], 3);
    assert_eq!(open_set["strangers"], 12 * 8);
    assert!(open_set["genuine"].as_u64().unwrap() > 0);
    let wrong = [&args[..3], &["nowhere"]].concat();
    evaluate(folder.path(), &club, &wrong).failed_saying(&["nowhere"]);
}

#[test]
fn a_page_is_written_again_to_the_byte() {
    let folder = scratch();
    let asked = ["--report", "e.html", "-q"];
    let args = [&QUICK[..], &asked].concat();
    let page = |threads: &str| {
        let args = [&args[..], &["--force"]].concat();
        let faces = bundled_faces().to_str().unwrap();
        let mut command = crate::program(folder.path());
        command
            .env("SOURCE_DATE_EPOCH", "1700000000")
            .env("RAYON_NUM_THREADS", threads)
            .args(["evaluate", faces])
            .args(args);
        assert!(command.output().unwrap().status.success());
        std::fs::read_to_string(folder.path().join("e.html")).unwrap()
    };
    let first = page("1");
    assert_eq!(first, page("3"));
    for words in [
        "2023-11-14",
        "SHA-256",
        "FNMR at FMR 1 %",
        "failure_to_acquire_rate",
        "wilson-over-people",
        "Detection error trade-off",
        "Searches, 10 people enrolled or more",
        "CMC",
        "ROC",
    ] {
        assert!(first.contains(words), "nothing of {words}");
    }
    assert_eq!(first.matches("<script").count(), 1, "and that is data");
}

#[test]
fn photos_without_a_face_count_as_failures() {
    let folder = scratch();
    let faces = folder.path().join("faces");
    for person in ["Ada", "Boris", "Chiara"] {
        for photo in 1..=4 {
            let photo = format!("{person}/{photo}.png");
            copy(&bundled_faces().join(&photo), &faces.join(&photo));
        }
    }
    std::fs::write(faces.join("Ada/5.jpg"), "no picture").unwrap();
    std::fs::create_dir_all(faces.join("Dmitri")).unwrap();
    std::fs::write(faces.join("Dmitri/1.jpg"), "").unwrap();
    let told = evaluate(folder.path(), &faces, &["--format", "json"]);
    told.ended(3, &["5.jpg"]);
    let object = json(&told);
    let number = |name: &str| object[name].as_f64().unwrap();
    assert!((number("failure_to_acquire_rate") - 2.0 / 14.0).abs() < 1e-12);
    assert_eq!(number("failure_to_enrol_rate"), 0.25, "Dmitri");
    assert_eq!(number("no_face_rate"), 0.0);
    assert!((number("rank1_including_failures") - number("rank1") * 12.0 / 14.0).abs() < 1e-9);
}

/// Writes `g.csv`, a table of `--labels` that puts the bundled people into groups.
pub fn write_groups(folder: &Path, group: impl Fn(&str, usize) -> String) {
    let mut table = String::from("path,person,group\n");
    for person in std::fs::read_dir(bundled_faces()).unwrap() {
        let person = person.unwrap().path();
        let name = person.file_name().unwrap().to_str().unwrap();
        for (at, photo) in std::fs::read_dir(&person).into_iter().flatten().enumerate() {
            let photo = photo.unwrap().path();
            table += &format!("{},{name},{}\n", photo.display(), group(name, at));
        }
    }
    std::fs::write(folder.join("g.csv"), table).unwrap();
}

#[test]
fn groups_are_told_apart() {
    let folder = scratch();
    let with = [&QUICK[..], &["--format", "json", "--labels", "g.csv"]].concat();
    let named = |name: &str, _: usize| match name {
        "Ada" | "Chiara" => "x".to_owned(),
        _ => "y".to_owned(),
    };
    write_groups(folder.path(), named);
    let object = json(&evaluate(folder.path(), bundled_faces(), &with).done());
    let groups = object["groups"].as_array().unwrap();
    assert_eq!((groups.len(), &groups[0]["group"], &groups[0]["people"]), (2, &"x".into(), &2.into()));
    assert!(groups[1]["fnmr"].is_number() && groups[1]["fnmr_interval"][1].is_number());
    assert!(!object["group_ratios"].as_array().unwrap().is_empty());
    write_groups(folder.path(), |_, at| (at % 2).to_string());
    evaluate(folder.path(), bundled_faces(), &with).failed_saying(&["g.csv", "a person has one"]);
}

/// The object that stands on a page for programs to read.
fn embedded(page: &str) -> Value {
    let (_, rest) = page.split_once(r#"id="evaluation">"#).unwrap();
    serde_json::from_str(rest.split("</script>").next().unwrap()).unwrap()
}

#[test]
fn the_page_has_the_figures_of_json_conditions_and_no_network() {
    let folder = scratch();
    let args = [&QUICK[..], &["--format", "json", "--report", "e.html"]].concat();
    let mut object = json(&evaluate(folder.path(), bundled_faces(), &args).done());
    let page = std::fs::read_to_string(folder.path().join("e.html")).unwrap();
    object.as_object_mut().unwrap().remove("times");
    assert_eq!(embedded(&page), object);
    // What a reader sees is the same, rounded.
    for field in ["rank1", "raw_pixels_rank1", "equal_error_rate"] {
        let shown = format!("{:.1} %", object[field].as_f64().unwrap() * 100.0);
        let name = field.replace('_', "_<wbr>");
        let row = format!("<code>{name}</code></th><td class=\"n\">{shown}");
        assert!(page.contains(&row), "{row}");
    }
    for (name, value) in object["conditions"].as_object().unwrap() {
        let row = format!("<th scope=\"row\">{name}</th><td>");
        let row = page.find(&row).unwrap_or_else(|| panic!("no row {name}"));
        let start: String = value.as_str().unwrap().chars().take(12).collect();
        assert!(page[row..].contains(&start), "{name}: {start}");
    }
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for foreign in ["http://", "https://", "src=\"//", "@import", "url("] {
        assert!(!page.contains(foreign), "{foreign}");
    }
}

#[test]
fn names_cannot_break_out_of_the_page() {
    let folder = scratch();
    let hostile = [
        "<script>alert(1)<",
        "\"onmouseover=alert(1) x=\"",
        "'&amp;<img src=x onerror=alert(1)>",
        "a]]><!-- b",
        "{{ 7 * 7 }}",
        "plain",
    ];
    let mut labels = csv::Writer::from_path(folder.path().join("labels.csv")).unwrap();
    labels.write_record(["path", "person", "group"]).unwrap();
    for (person, name) in (0_u32..).zip(hostile) {
        for photo in 0..3 {
            let path = folder.path().join(format!("faces/p{person}-{photo}.png"));
            picture(&path, 40, 48, person * 31 + photo);
            labels.write_record([path.to_str().unwrap(), name, name]).unwrap();
        }
    }
    labels.flush().unwrap();
    let args = "--labels labels.csv --framing as-is --report r.html -q";
    let args: Vec<&str> = args.split(' ').collect();
    evaluate(folder.path(), Path::new("faces"), &args).done();
    let page = std::fs::read_to_string(folder.path().join("r.html")).unwrap();
    assert_eq!(page.matches("<script").count(), 1, "and that is data");
    // In the JSON a quotation mark follows a backslash; markup comes before it.
    let markup = page.split("<script").next().unwrap();
    assert!(!page.contains("<img src=x") && !markup.contains("\"onmouseover"));
    assert!(page.contains("&#60;script") || page.contains("&lt;script"));
    let people = embedded(&page)["per_person"].clone();
    let names: Vec<&str> = people.as_array().unwrap().iter().map(|person| person["person"].as_str().unwrap()).collect();
    assert!(hostile.iter().all(|name| names.contains(name)), "{names:?}");
}

#[test]
fn what_a_page_cannot_be_is_said() {
    let folder = scratch();
    let faces = bundled_faces();
    let usage = |args: &[&str], words| evaluate(folder.path(), faces, args).ended(2, words);
    usage(&["--report", "r.pdf"], &[".html"]);
    evaluate(folder.path(), faces, &["--report", "no/r.html"]).failed_saying(&["no", "does not exist"]);
}
