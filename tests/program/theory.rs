//! Kernels, rules for K, minimisation and scaled pixels, run as a user would.

use serde_json::Value;

use crate::run;
use crate::support::{bundled_faces, photo_of_ada, scratch};

fn faces() -> &'static str {
    bundled_faces().to_str().unwrap()
}

#[test]
fn a_plain_picture_is_no_face_though_it_lies_near_everybody() {
    let folder = scratch();
    run(folder.path(), ["enroll", faces(), "--background", "none", "--framing", "as-is"]).done();
    let noise =
        |x: u32, y: u32| image::Luma([110 + (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503)) as u8 % 5]);
    image::GrayImage::from_pixel(96, 112, image::Luma([110])).save(folder.path().join("gray.png")).unwrap();
    image::GrayImage::from_fn(96, 112, noise).save(folder.path().join("flat.png")).unwrap();
    for picture in ["gray.png", "flat.png"] {
        assert_eq!(run(folder.path(), ["identify", picture]).done().stdout, format!("{picture}: not a face\n"));
        run(folder.path(), ["verify", picture, "--person", "Ada"]).ended(2, &["does not look like a face"]);
    }
}

#[test]
fn a_model_with_a_kernel_identifies_and_says_that_it_has_no_basis_images() {
    let folder = scratch();
    let enroll = ["enroll", faces(), "--size", "32x38"];
    run(folder.path(), enroll.iter().chain(&["--kernel", "rbf:auto"])).done();
    let ada = photo_of_ada().to_str().unwrap();
    let found = run(folder.path(), ["identify", ada, "--format", "json"]).done();
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(found["faces"][0]["candidates"][0]["person"], "Ada", "{found}");

    let info = run(folder.path(), ["info"]).done();
    assert!(info.stdout.contains("kernel rbf:auto"), "{}", info.stdout);
    let basis = run(folder.path(), ["basis", "-o", "basis", "--components", "3"]).done();
    assert!(basis.stderr.contains("no basis images"), "{}", basis.stderr);
    assert!(image::open(folder.path().join("basis/pre-images.png")).is_ok());

    // What a model holds is what learning it again gives, to the byte.
    let before = std::fs::read(folder.path().join("eigenfaces.npz")).unwrap();
    std::fs::remove_file(folder.path().join("eigenfaces.npz")).unwrap();
    run(folder.path(), enroll.iter().chain(&["--kernel", "rbf:auto", "--threads", "1"])).done();
    assert!(before == std::fs::read(folder.path().join("eigenfaces.npz")).unwrap());
}

#[test]
fn every_kernel_enrols_and_identifies() {
    let folder = scratch();
    let ada = photo_of_ada().to_str().unwrap();
    for (at, kernel) in ["linear", "rbf:0.001", "poly:2", "cosine"].iter().enumerate() {
        let model = format!("{at}.npz");
        let learning = ["--size", "24x28", "--kernel", kernel, "-m", &model];
        run(folder.path(), ["enroll", faces()].iter().chain(&learning)).done();
        let args = ["identify", ada, "--format", "json", "-m", &model];
        let found = run(folder.path(), args).done();
        let found: Value = serde_json::from_str(&found.stdout).unwrap();
        assert_eq!(found["faces"][0]["candidates"][0]["person"], "Ada", "{kernel}: {found}");
    }
}

#[test]
fn rules_settle_the_number_of_components() {
    let folder = scratch();
    let mut counts = Vec::new();
    for rule in ["profile", "parallel", "0.99"] {
        let args = ["basis", "-o", rule, "--faces", faces(), "--size", "20x24", "--components", rule];
        run(folder.path(), args).done();
        let spectrum = std::fs::read_to_string(folder.path().join(rule).join("spectrum.csv")).unwrap();
        counts.push(spectrum.lines().count() - 1);
    }
    // The profile keeps the fewest, a share of the variance the most.
    assert!(0 < counts[0] && counts[0] < counts[1] && counts[1] < counts[2], "{counts:?}");
    run(folder.path(), ["basis", "-o", "m", "--faces", faces(), "--components", "some"])
        .ended(2, &["--components", "profile"]);
}

#[test]
fn minimising_shows_its_objective_and_finds_the_same_basis() {
    let folder = scratch();
    let basis = |out: &str, solver: &str| {
        let args =
            ["basis", "-o", out, "--faces", faces(), "--size", "24x28", "--components", "10", "--solver", solver];
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
    assert!(objectives.len() > 3 && objectives.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12)));
    let values = |name: &str| -> Vec<f64> {
        let text = read(name);
        let rows = text.lines().skip(1);
        rows.map(|line| line.split(',').nth(1).unwrap().parse().unwrap()).collect()
    };
    let (a, b) = (values("minimised/spectrum.csv"), values("solved/spectrum.csv"));
    assert_eq!(a.len(), 10);
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6 * b), "{a:?} {b:?}");
    let args = ["basis", "-o", "x", "--faces", faces(), "--solver", "minimize"];
    run(folder.path(), args).failed_saying(&["--components 20"]);
}

#[test]
fn scaled_pixels_are_shown_in_both_spaces() {
    let folder = scratch();
    let args = ["basis", "-o", "scaled", "--faces", faces(), "--size", "24x28", "--scale-pixels"];
    let said = run(folder.path(), args).done().stderr;
    assert!(said.contains("sheet-gray.png") && said.contains("constant pixels carry nothing"), "{said}");
    for name in ["sheet.png", "sheet-gray.png", "deviation.png"] {
        assert!(image::open(folder.path().join("scaled").join(name)).is_ok(), "{name}");
    }
}

/// Words after a command.
fn told(folder: &std::path::Path, line: &str) -> crate::Run {
    run(folder, line.split(' '))
}

#[test]
fn scaled_pixels_recognise_and_are_shown_by_every_command() {
    let folder = scratch();
    let at = folder.path();
    let enroll = [faces(), "--scale-pixels", "--size", "32x38"];
    run(at, ["enroll"].iter().chain(&enroll)).done();
    let ada = photo_of_ada().to_str().unwrap();
    let found = run(at, ["identify", ada, "--explain", "why.png"]).done();
    assert!(found.stdout.contains("Ada"), "{}", found.stdout);
    let info = told(at, "info").done().stdout;
    assert!(info.contains("scaled pixels"), "{info}");
    let info: Value = serde_json::from_str(&told(at, "info --format json").done().stdout).unwrap();
    assert_eq!(info["scaled_pixels"], true);

    let said = told(at, "basis -o basis --components 4").done().stderr;
    assert!(said.contains("sheet-gray.png"), "{said}");
    assert!(image::open(at.join("basis/sheet-gray.png")).is_ok());

    // Whitened, the faces and mirror images learned from have the variance 1; so have scaled pixels in all.
    let weights = told(at, "project --gallery --whiten --format json").done();
    let first: Vec<Vec<f64>> = weights
        .stdout
        .lines()
        .map(|line| {
            let object: Value = serde_json::from_str(line).unwrap();
            serde_json::from_value(object["whitened"].clone()).unwrap()
        })
        .collect();
    let squares: f64 = first.iter().flatten().map(|z| z * z).sum();
    let mean = squares / (first.len() * first[0].len()) as f64;
    assert!((mean - 1.0).abs() < 0.05, "{mean}");

    let rebuilt = run(at, ["reconstruct", ada, "-o", "ada.png", "--format", "json"]).done();
    let rebuilt: Value = serde_json::from_str(&rebuilt.stdout).unwrap();
    let steps = rebuilt["steps"].as_array().unwrap();
    assert!(steps.last().unwrap()["explained"].as_f64().unwrap() > 0.9, "{rebuilt}");

    // What a model holds is what learning it again gives, to the byte; and it can be taken back.
    let before = std::fs::read(at.join("eigenfaces.npz")).unwrap();
    std::fs::remove_file(at.join("eigenfaces.npz")).unwrap();
    run(at, ["enroll", "--threads", "1"].iter().chain(&enroll)).done();
    assert!(before == std::fs::read(at.join("eigenfaces.npz")).unwrap());
    run(at, ["enroll", faces(), "--scale-pixels=no"]).done();
    let info = told(at, "info").done().stdout;
    assert!(!info.contains("scaled pixels"), "{info}");
}

#[test]
fn the_weights_of_a_kernel_are_what_is_shown_and_rebuilt_from() {
    let folder = scratch();
    let at = folder.path();
    let enroll = ["--size", "24x28", "--kernel", "rbf:auto"];
    run(at, ["enroll", faces()].iter().chain(&enroll)).done();
    let info = told(at, "info").done().stdout;
    assert!(info.contains("kernel space"), "{info}");
    let ada = photo_of_ada().to_str().unwrap();

    let rebuilt = run(at, ["reconstruct", ada, "-o", "ada.png", "--format", "json"]).done();
    assert!(rebuilt.stderr.contains("pre-image"), "{}", rebuilt.stderr);
    let rebuilt: Value = serde_json::from_str(&rebuilt.stdout).unwrap();
    let last = rebuilt["steps"].as_array().unwrap().last().unwrap();
    assert_eq!(last["pre_image"], "fixed-point", "{rebuilt}");
    let error = last["rms"].as_f64().unwrap();
    assert!(error < 20.0, "{error}");

    // From the weights that project writes, the same face.
    run(at, ["project", ada, "-o", "ada.csv"]).done();
    let again = told(at, "reconstruct --from-weights ada.csv -o again.png --format json").done();
    let again: Value = serde_json::from_str(&again.stdout).unwrap();
    let last = again["steps"].as_array().unwrap().last().unwrap();
    assert_eq!(last["rms"], 0.0, "{again}");

    // Variances of a radial basis function are below 2; those of gray levels are in the thousands.
    let weights = told(at, "project --gallery --format json --plot dots.svg").done();
    let first: Value = serde_json::from_str(weights.stdout.lines().next().unwrap()).unwrap();
    let first: Vec<f64> = serde_json::from_value(first["weights"].clone()).unwrap();
    assert!(first.iter().all(|weight| weight.abs() < 1.5), "{first:?}");
    let plot = std::fs::read_to_string(at.join("dots.svg")).unwrap();
    assert!(plot.contains("component of the kernel rbf:auto"));
}

#[test]
fn a_kernel_scales_no_pixels() {
    let folder = scratch();
    let at = folder.path();
    let both = ["enroll", faces(), "--scale-pixels", "--kernel", "rbf:auto"];
    run(at, both).ended(2, &["--kernel", "--scale-pixels"]);
    run(at, ["enroll", faces(), "--scale-pixels=maybe"]).ended(2, &["yes or no"]);
    let kernel = ["enroll", faces(), "--kernel", "cosine", "--size", "24x28"];
    run(at, kernel).done();
    run(at, ["enroll", faces(), "--scale-pixels"]).ended(2, &["--kernel"]);
}

#[test]
fn wrong_use_is_said_in_a_line() {
    let folder = scratch();
    for wrong in ["rbf:0", "poly:0", "poly", "gauss", ""] {
        run(folder.path(), ["enroll", faces(), "--kernel", wrong]).ended(2, &["--kernel"]);
    }
    let parallel = ["enroll", faces(), "--kernel", "cosine", "--components", "parallel"];
    run(folder.path(), parallel).failed_saying(&["parallel", "--components, --kernel"]);
    run(folder.path(), ["identify", "--kernel", "cosine", "x.png"]).ended(2, &["--kernel"]);
    run(folder.path(), ["basis", "-o", "x", "--scale-pixels"]).ended(2, &["--faces"]);
}
