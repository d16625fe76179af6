//! Pictures of extreme shape: small files that once took gigabytes where faces were looked for.

use std::fs;
use std::path::Path;

use image::{GrayImage, Luma};

use crate::support::{bundled_faces, scratch};
use crate::{picture, program, run};

/// Strips of a few hundred bytes to 2 kB, and a photo of twenty thousand columns, which is none.
fn draw(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    for (width, height) in [(1, 1_000_000), (65_535, 1), (20_000, 2_000)] {
        let path = folder.join(format!("{width}x{height}.png"));
        GrayImage::from_pixel(width, height, Luma([128])).save(path).unwrap();
    }
}

fn aligned(folder: &Path) {
    let faces = bundled_faces().to_str().unwrap();
    run(folder, ["enroll", faces, "--framing", "detect"]).done();
}

#[test]
fn each_strip_is_refused_in_a_line_and_the_rest_of_the_batch_is_done() {
    let folder = scratch();
    aligned(folder.path());
    draw(&folder.path().join("probes"));
    picture(&folder.path().join("probes/last.png"), 200, 200, 1);
    let said = run(folder.path(), ["identify", "probes", "--format", "csv"]);
    said.ended(3, &["1x1000000 pixels are more than", "strip of 65535x1"]);
    let lines = |text: &str, name: &str| text.lines().filter(|line| line.contains(name)).count();
    assert_eq!(lines(&said.stderr, "strip of"), 1, "{}", said.stderr);
    assert_eq!(lines(&said.stderr, "20000x2000"), 0, "{}", said.stderr);

    let enrolled = run(folder.path(), ["enroll", "probes", "--labels", "stem", "--framing", "detect"]);
    assert_ne!(enrolled.code, 0);
    assert!(enrolled.stderr.contains("strip of 65535x1"), "{}", enrolled.stderr);
}

/// The most memory a run of the program held at any time, in kB, asked of Linux while it runs.
#[cfg(target_os = "linux")]
fn peak_memory(folder: &Path, args: &[&str]) -> u64 {
    use std::process::Stdio;
    let mut child = program(folder)
        .args(args)
        .args(["--threads", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        peak = peak.max(kilobytes.map_or(0, |number| number.parse().unwrap()));
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    peak
}

/// Looking takes the decoded photo and no more than 64 MB besides, beyond what a small photo takes.
#[cfg(target_os = "linux")]
#[test]
fn looking_at_a_large_photo_takes_little_more_than_the_photo() {
    let folder = scratch();
    aligned(folder.path());
    draw(&folder.path().join("probes"));
    picture(&folder.path().join("small.png"), 100, 100, 1);
    let base = peak_memory(folder.path(), &["identify", "small.png"]);
    for (shape, pixels) in [("1x1000000", 1_000_000), ("65535x1", 65_535), ("20000x2000", 40_000_000)] {
        let photo = format!("probes/{shape}.png");
        let peak = peak_memory(folder.path(), &["identify", &photo]);
        // Decoded once as it was stored and once turned into gray.
        let limit = base + 2 * pixels / 1000 + 64_000;
        assert!(peak <= limit, "{shape}: {peak} kB, {base} kB for a small photo");
    }
}
