//! Kernels, rules for K, minimisation and scaled pixels, run as a user would.

use serde_json::Value;

use crate::run;
use crate::support::{bundled_faces, photo_of_ada, scratch};

fn faces() -> &'static str {
    bundled_faces().to_str().unwrap()
}

#[test]
fn a_model_with_a_kernel_identifies_and_says_that_it_has_no_basis_images() {
    let folder = scratch();
    let enroll = [
        "enroll",
        faces(),
        "--features",
        "pixels",
        "--copies",
        "none",
        "--size",
        "32x38",
    ];
    run(
        folder.path(),
        enroll.iter().chain(&["--kernel", "rbf:auto"]),
    )
    .done();
    let ada = photo_of_ada().to_str().unwrap();
    let found = run(folder.path(), ["identify", ada, "--format", "json"]).done();
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(
        found["faces"][0]["candidates"][0]["person"], "Ada",
        "{found}"
    );

    let info = run(folder.path(), ["info"]).done();
    assert!(info.stdout.contains("kernel rbf:auto"), "{}", info.stdout);
    let basis = run(folder.path(), ["basis", "-o", "basis", "--count", "3"]).done();
    assert!(basis.stderr.contains("no basis images"), "{}", basis.stderr);
    assert!(image::open(folder.path().join("basis/pre-images.png")).is_ok());

    // What a model holds is what learning it again gives, to the byte.
    let before = std::fs::read(folder.path().join("eigenfaces.npz")).unwrap();
    std::fs::remove_file(folder.path().join("eigenfaces.npz")).unwrap();
    run(
        folder.path(),
        enroll
            .iter()
            .chain(&["--kernel", "rbf:auto", "--threads", "1"]),
    )
    .done();
    assert!(before == std::fs::read(folder.path().join("eigenfaces.npz")).unwrap());
}

#[test]
fn every_kernel_enrols_and_identifies() {
    let folder = scratch();
    let ada = photo_of_ada().to_str().unwrap();
    for kernel in ["linear", "rbf:0.001", "poly:2", "cosine"] {
        let learning = [
            "--features",
            "pixels",
            "--copies",
            "none",
            "--size",
            "24x28",
        ];
        let rest = [
            "--faces",
            faces(),
            ada,
            "--kernel",
            kernel,
            "--format",
            "json",
        ];
        let args = ["identify"].into_iter().chain(learning).chain(rest);
        let found = run(folder.path(), args).done();
        let found: Value = serde_json::from_str(&found.stdout).unwrap();
        assert_eq!(
            found["faces"][0]["candidates"][0]["person"], "Ada",
            "{kernel}: {found}"
        );
    }
}

#[test]
fn rules_settle_the_number_of_components() {
    let folder = scratch();
    let mut counts = Vec::new();
    for rule in ["profile", "parallel", "0.99"] {
        let args = [
            "basis",
            "-o",
            rule,
            "--faces",
            faces(),
            "--size",
            "20x24",
            "--components",
            rule,
        ];
        run(folder.path(), args).done();
        let spectrum =
            std::fs::read_to_string(folder.path().join(rule).join("spectrum.csv")).unwrap();
        counts.push(spectrum.lines().count() - 1);
    }
    // The profile keeps the fewest, a share of the variance the most.
    assert!(
        0 < counts[0] && counts[0] < counts[1] && counts[1] < counts[2],
        "{counts:?}"
    );
    let minka = [
        "basis",
        "-o",
        "m",
        "--faces",
        faces(),
        "--size",
        "8x8",
        "--components",
        "minka",
    ];
    run(folder.path(), minka).done();
    let too_few = [
        "basis",
        "-o",
        "m",
        "--faces",
        faces(),
        "--size",
        "20x24",
        "--components",
        "minka",
    ];
    run(folder.path(), too_few).failed_saying(&["more faces (112) than pixels (480)", "parallel"]);
    run(
        folder.path(),
        [
            "basis",
            "-o",
            "m",
            "--faces",
            faces(),
            "--components",
            "some",
        ],
    )
    .ended(2, &["--components", "profile"]);
}

#[test]
fn minimising_shows_its_objective_and_finds_the_same_basis() {
    let folder = scratch();
    let basis = |out: &str, solver: &str| {
        let args = [
            "basis",
            "-o",
            out,
            "--faces",
            faces(),
            "--size",
            "24x28",
            "--components",
            "10",
            "--solver",
            solver,
        ];
        run(folder.path(), args).done()
    };
    let said = basis("minimised", "minimize").stderr;
    assert!(said.contains("objective: "), "{said}");
    basis("solved", "gram");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let objectives: Vec<f64> = read("minimised/objective.csv")
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(1).unwrap().parse().unwrap())
        .collect();
    assert!(
        objectives.len() > 3
            && objectives
                .windows(2)
                .all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12))
    );
    let values = |name: &str| -> Vec<f64> {
        let text = read(name);
        let rows = text.lines().skip(1);
        rows.map(|line| line.split(',').nth(1).unwrap().parse().unwrap())
            .collect()
    };
    let (a, b) = (
        values("minimised/spectrum.csv"),
        values("solved/spectrum.csv"),
    );
    assert_eq!(a.len(), 10);
    assert!(
        a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6 * b),
        "{a:?} {b:?}"
    );
    let args = [
        "basis",
        "-o",
        "x",
        "--faces",
        faces(),
        "--solver",
        "minimize",
    ];
    run(folder.path(), args).failed_saying(&["--components 20"]);
}

#[test]
fn scaled_pixels_are_shown_in_both_spaces() {
    let folder = scratch();
    let args = [
        "basis",
        "-o",
        "scaled",
        "--faces",
        faces(),
        "--size",
        "24x28",
        "--scale-pixels",
    ];
    let said = run(folder.path(), args).done().stderr;
    assert!(
        said.contains("sheet-gray.png") && said.contains("constant pixels carry nothing"),
        "{said}"
    );
    for name in ["sheet.png", "sheet-gray.png", "deviation.png"] {
        assert!(
            image::open(folder.path().join("scaled").join(name)).is_ok(),
            "{name}"
        );
    }
}

#[test]
fn wrong_use_is_said_in_a_line() {
    let folder = scratch();
    for wrong in ["rbf:0", "poly:0", "poly", "gauss", ""] {
        run(folder.path(), ["enroll", faces(), "--kernel", wrong]).ended(2, &["--kernel"]);
    }
    let parallel = [
        "enroll",
        faces(),
        "--features",
        "pixels",
        "--kernel",
        "cosine",
        "--components",
        "parallel",
    ];
    run(folder.path(), parallel).failed_saying(&["--components parallel", "--kernel"]);
    run(folder.path(), ["identify", "--kernel", "cosine", "x.png"])
        .ended(2, &["--kernel", "--faces"]);
    run(folder.path(), ["basis", "-o", "x", "--scale-pixels"]).ended(2, &["--faces"]);
}
