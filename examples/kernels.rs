//! Rank-1 by every kernel under cross-validation, and how long fitting takes beside linear PCA:
//! `cargo run --release --features maintainer --example kernels -- FACES` (a sub-folder a person).
//!
//! Ten splits, five photos of each person learned, the rest tried; nearest face in the angle of weights whitened within
//! persons, the default metric. K and γ are chosen by nobody: 99 % of the variance, or as the kernel says.

use std::time::Instant;

use eigenfaces::dataset::LabelRule;
use eigenfaces::enrollment::{self, PreparationOptions};
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::kernel_pca::{Kernel, KernelPca};
use eigenfaces::locate::framing::{Crops, Framing, FramingRule};
use eigenfaces::matcher::{Augmentation, Comparison, Features, Matcher};
use eigenfaces::pca::{ComponentCount, Pca, Solver};

const KERNELS: [&str; 12] = [
    "linear",
    "cosine",
    "rbf:auto",
    "rbf:0.0005",
    "rbf:0.002",
    "rbf:0.005",
    "rbf:0.01",
    "rbf:0.02",
    "rbf:0.05",
    "poly:2",
    "poly:3",
    "poly:5",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("give a folder of faces")?;
    let options = PreparationOptions {
        framing: FramingRule::Given(Framing::AsIs),
        crops: Crops::Keep,
        ..PreparationOptions::default()
    };
    let read = enrollment::read_gallery(&[folder.into()], &LabelRule::Folder, options, &())?;
    let gallery = read.gallery;
    let all = gallery.persons();
    println!("{} faces of {}", gallery.len(), read.preparation.size());
    for text in KERNELS {
        let kernel: Kernel = text.parse()?;
        let comparison = Comparison {
            features: Features::Pixels,
            copies: Augmentation::None,
            kernel,
            ..Comparison::default()
        };
        let features = comparison.feature_matrices(gallery.faces());
        let (mut right, mut tried) = (0, 0);
        for seed in 0..10 {
            let (learned, probes) = split(&all, seed);
            let persons: Vec<usize> = learned.iter().map(|&face| all[face]).collect();
            let people = gallery.people().len();
            let matcher = Matcher::learn(
                &features,
                &learned,
                &persons,
                people,
                comparison,
                Pca::default(),
            )?;
            let coordinates = matcher.coordinates(&gallery.faces().select(&probes)?);
            for (probe, face) in coordinates.column_iter().zip(&probes) {
                let found = matcher.rank(probe.as_slice(), 1);
                right += usize::from(found.first().is_some_and(|m| m.person == all[*face]));
                tried += 1;
            }
        }
        let time = fastest(|| fit(gallery.faces(), kernel));
        println!(
            "{text:12} rank-1 {:.2} %   fit {:.1} ms",
            100.0 * right as f64 / tried as f64,
            time * 1e3
        );
    }
    for text in KERNELS {
        // Interleaved, so that both meet the same load.
        let kernel: Kernel = text.parse()?;
        let (mut ours, mut linear) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..20 {
            ours = ours.min(seconds(|| fit(gallery.faces(), kernel)));
            linear = linear.min(seconds(|| fit_linear(gallery.faces())));
        }
        println!("{text:12} {:.2} times linear PCA", ours / linear);
    }
    Ok(())
}

fn fit(faces: &FaceMatrix, kernel: Kernel) {
    let components = ComponentCount::Count(100);
    let _ = std::hint::black_box(KernelPca { kernel, components }.fit(faces));
}

fn fit_linear(faces: &FaceMatrix) {
    let pca = Pca {
        components: ComponentCount::Count(100),
        solver: Solver::Auto,
    };
    let _ = std::hint::black_box(pca.fit(faces));
}

fn seconds(work: impl Fn()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn fastest(work: impl Fn()) -> f64 {
    (0..10)
        .map(|_| seconds(&work))
        .fold(f64::INFINITY, f64::min)
}

/// Five photos of each person, drawn by the seed, and the rest.
fn split(persons: &[usize], seed: u64) -> (Vec<usize>, Vec<usize>) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut drawn: Vec<(usize, u64, usize)> = (0..persons.len())
        .map(|face| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (persons[face], state >> 20, face)
        })
        .collect();
    drawn.sort_unstable();
    let (mut learned, mut probes) = (Vec::new(), Vec::new());
    for group in drawn.chunk_by(|a, b| a.0 == b.0) {
        for (at, &(_, _, face)) in group.iter().enumerate() {
            if at < 5 {
                learned.push(face)
            } else {
                probes.push(face)
            }
        }
    }
    learned.sort_unstable();
    probes.sort_unstable();
    (learned, probes)
}
