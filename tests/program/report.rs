//! `report`: one page, its numbers those of `evaluate`, and nothing that a name could break.

use serde_json::Value;

use crate::support::{bundled_faces, scratch};
use crate::{enrolled, enrolled_without_background, picture, run, text};

/// What stands in the element that programs read.
fn embedded(page: &str) -> Value {
    let start = page.find(r#"id="evaluation">"#).unwrap() + r#"id="evaluation">"#.len();
    let end = start + page[start..].find("</script>").unwrap();
    serde_json::from_str(&page[start..end]).unwrap()
}

/// Wall-clock times are never the same twice.
fn without_times(mut object: Value) -> Value {
    let fields = object.as_object_mut().unwrap();
    // A report of a model does not know of photos that could not be used, nor was it made by the same command.
    let of_folder = [
        "failure_to",
        "no_face_rate",
        "including_failures",
        "photos_aligned",
        "conditions",
    ];
    fields.retain(|name, _| {
        !name.contains("time")
            && !name.contains("seconds")
            && !of_folder.iter().any(|part| name.contains(part))
    });
    object
}

#[test]
fn its_numbers_are_those_of_evaluate() {
    let folder = enrolled_without_background();
    let faces = text(bundled_faces());
    let protocol = ["--protocol", "first:4"];
    let said = run(
        folder.path(),
        [&["report", "-o", "r.html"][..], &protocol].concat(),
    )
    .done();
    assert!(said.stdout.is_empty() && said.stderr.contains("r.html"));
    let evaluate = [
        &["evaluate", faces, "--format", "json", "-q"][..],
        &["--background", "none"],
        &protocol,
    ]
    .concat();
    let evaluated = run(folder.path(), evaluate).done();
    let evaluated: Value = serde_json::from_str(&evaluated.stdout).unwrap();
    let page = std::fs::read_to_string(folder.path().join("r.html")).unwrap();
    assert_eq!(
        without_times(embedded(&page)),
        without_times(evaluated.clone())
    );
    // What a reader sees is the same, rounded.
    let shown = |field: &str| format!("<b>{:.1} %", evaluated[field].as_f64().unwrap() * 100.0);
    for field in ["rank1", "raw_pixels_rank1", "equal_error_rate"] {
        assert!(page.contains(&shown(field)), "{field}: {}", shown(field));
    }
    for words in [
        "Mean face",
        "basis face 1 (",
        "K = ",
        "CMC",
        "ROC",
        "Ada",
        "Noah",
        "Confusion",
    ] {
        assert!(page.contains(words), "nothing of {words}");
    }
    for foreign in ["http://", "https://", "src=\"//", "@import", "url("] {
        let there = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!there.contains(foreign), "{foreign}");
    }
    assert_eq!(page.matches("<script").count(), 1, "and that is data");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let about = std::fs::metadata(folder.path().join("r.html")).unwrap();
        assert_eq!(
            about.permissions().mode() & 0o077,
            0,
            "it holds photos of people"
        );
    }
}

/// Of a folder it says what the figures hold for, and how many photos could not be used, as `evaluate` does.
#[test]
fn conditions_and_failures_to_acquire_stand_on_the_page() {
    let folder = scratch();
    std::fs::create_dir_all(folder.path().join("more/Zoe")).unwrap();
    std::fs::write(folder.path().join("more/Zoe/1.jpg"), "a letter").unwrap();
    let faces = text(bundled_faces());
    let args = ["report", faces, "more", "-o", "r.html"];
    let args = [&args[..], &["--protocol", "first:4"]].concat();
    run(folder.path(), args).ended(3, &["1.jpg"]);
    let page = std::fs::read_to_string(folder.path().join("r.html")).unwrap();
    let object = embedded(&page);
    let close = |field: &str, share: f64| {
        let found = object[field].as_f64().unwrap();
        assert!((found - share).abs() < 1e-12, "{field}: {found}");
    };
    close("failure_to_acquire_rate", 1.0 / 113.0);
    close("failure_to_enrol_rate", 1.0 / 15.0);
    let conditions = object["conditions"].as_object().unwrap();
    let dataset = conditions["dataset"].as_str().unwrap();
    assert!(dataset.contains("in 113 photos given"), "{dataset}");
    for (name, value) in conditions {
        let row = format!("<th scope=\"row\">{name}</th><td>");
        let row = page.find(&row).unwrap_or_else(|| panic!("no row {name}"));
        let start: String = value.as_str().unwrap().chars().take(12).collect();
        assert!(page[row..].contains(&start), "{name}: {start}");
    }
    assert!(page.contains("failure to acquire"));
}

#[test]
fn names_cannot_break_out() {
    let folder = scratch();
    let hostile = [
        "<script>alert(1)<",
        "\"onmouseover=alert(1) x=\"",
        "'&amp;<img src=x onerror=alert(1)>",
        "a]]><!-- b",
        "{{ 7 * 7 }}",
        "plain",
    ];
    let mut table = csv::Writer::from_path(folder.path().join("labels.csv")).unwrap();
    table.write_record(["path", "person"]).unwrap();
    for (person, name) in (0_u32..).zip(hostile) {
        for photo in 0..3 {
            let file = format!("p{person}-{photo}.png");
            picture(
                &folder.path().join("faces").join(&file),
                40,
                48,
                person * 31 + photo,
            );
            let path = folder.path().join("faces").join(&file);
            table.write_record([text(&path), name]).unwrap();
        }
    }
    table.flush().unwrap();
    let args = [
        "report",
        "faces",
        "--labels",
        "labels.csv",
        "--framing",
        "as-is",
        "-o",
        "r.html",
    ];
    run(folder.path(), args).done();
    let page = std::fs::read_to_string(folder.path().join("r.html")).unwrap();
    assert_eq!(page.matches("<script").count(), 1);
    // In the JSON a quotation mark follows a backslash; markup comes before it.
    let markup = page.split("<script").next().unwrap();
    assert!(!page.contains("<img src=x") && !markup.contains("\"onmouseover"));
    assert!(page.contains("&#60;script") || page.contains("&lt;script"));
    let people = embedded(&page)["per_person"].clone();
    let names: Vec<&str> = people
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["person"].as_str().unwrap())
        .collect();
    assert!(hostile.iter().all(|name| names.contains(name)), "{names:?}");
}

#[test]
fn what_is_wrong_is_said() {
    let folder = enrolled();
    let usage = |args: &[&str], words: &[&str]| run(folder.path(), args).ended(2, words);
    usage(&["report"], &["--output"]);
    usage(&["report", "-o", "r.pdf"], &[".html"]);
    usage(
        &["report", "-o", "r.html", "--protocol", "guess"],
        &["leave-one-out"],
    );
    usage(&["report", "-o", "r.html", "--size", "20x20"], &["--size"]);
    run(folder.path(), ["report", "-o", "r.html", "-m", "none.npz"]).failed_saying(&["none.npz"]);
    run(folder.path(), ["report", "gone", "-o", "r.html"]).failed_saying(&["gone"]);
    run(
        folder.path(),
        ["report", "-o", "no/r.html", "--protocol", "first:7"],
    )
    .failed_saying(&["no", "does not exist"]);
    assert!(!folder.path().join("r.html").exists());
}
