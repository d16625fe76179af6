//! Our side of `benches/peers`: fits faces from an `.npy` file as often as asked, so that another program can
//! take turns with it.
//!
//! `fit_npy FACES.npy WxH` reads n x d bytes, a face a row, then answers each line of standard input with one
//! line: seconds, where something is timed.
//!
//! | question | what is timed |
//! |---|---|
//! | `kernels` | nothing: the names of the kernels of this processor |
//! | `fit auto`, `fit gram`, `fit covariance` | from bytes in memory to 100 basis faces and all weights |
//! | `fit stream` | the same, the faces given to an accumulator in chunks |
//! | `fit shuffled` | as `auto`, the faces in another order |
//! | `stages gram`, `stages covariance` | answers the seconds of each stage of a fit by name |
//! | `products KERNEL` | the uncentred products alone, of the smaller of n and d |
//! | `digest` | nothing: a hash of every bit of the last fit, weights in the order of the file |
//! | `dump PREFIX` | nothing: writes `PREFIX-basis.npy` (k x d) and `PREFIX-eigenvalues.npy` of the last fit |
//!
//! `fit_npy stream N` instead accumulates N drawn 64x64 faces chunk by chunk, solves, and prints the seconds of
//! drawing, accumulating and solving.

use std::error::Error;
use std::f64::consts::PI;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{BufReader, Read, Write};
use std::time::Instant;

use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::face_space::{FaceSpace, Weights};
use eigenfaces::pca::kernel::{self, Kernel};
use eigenfaces::pca::{Accumulator, Columns, ComponentCount, Components, InnerProducts, Pca, Solver};
use eigenfaces::store::write_npy;
use nalgebra::DMatrix;
use rayon::prelude::*;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Basis faces to fit.
const COMPONENTS: usize = 100;
/// Faces given to an accumulator at a time.
const CHUNK: usize = 1024;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["stream", faces] => stream(faces.parse()?),
        [path, size] => answer(&mut Bench::new(read_faces(path, size.parse()?)?)),
        _ => Err("usage: fit_npy FACES.npy WxH | fit_npy stream N".into()),
    }
}

/// Answers questions until there are no more.
fn answer(bench: &mut Bench) -> Result<()> {
    for line in std::io::stdin().lines() {
        let line = line?;
        let words: Vec<&str> = line.split(' ').collect();
        let answer = match words[..] {
            ["kernels"] => Kernel::available().into_iter().map(slug).collect::<Vec<_>>().join(" "),
            ["fit", route] => bench.fit(route)?.to_string(),
            ["stages", route] => bench.stages(route.parse()?)?,
            ["products", name] => bench.products(name)?.to_string(),
            ["digest"] => bench.digest()?,
            ["dump", prefix] => bench.dump(prefix)?,
            _ => return Err(format!("no such question: {line}").into()),
        };
        println!("{answer}");
    }
    Ok(())
}

/// The faces, and what came of them last.
struct Bench {
    faces: FaceMatrix,
    last: Option<(Components, Weights)>,
}

impl Bench {
    fn new(faces: FaceMatrix) -> Self {
        Self { faces, last: None }
    }

    /// Seconds from bytes to basis and weights.
    fn fit(&mut self, route: &str) -> Result<f64> {
        self.last = None;
        if route == "shuffled" {
            return self.fit_shuffled();
        }
        let start = Instant::now();
        let components = match route {
            "stream" => components_by_chunks(&self.faces)?,
            route => pca(route.parse()?).fit(&self.faces)?,
        };
        let weights = FaceSpace::new(self.faces.size(), &components).project(&self.faces);
        let seconds = start.elapsed().as_secs_f64();
        self.last = Some((components, weights));
        Ok(seconds)
    }

    /// Fits the faces in another order, and puts the weights back in the old one.
    fn fit_shuffled(&mut self) -> Result<f64> {
        let mut order: Vec<usize> = (0..self.faces.len()).collect();
        order.sort_by_key(|&j| j.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let faces = self.faces.select(&order)?;
        let start = Instant::now();
        let components = pca(Solver::Auto).fit(&faces)?;
        let shuffled = FaceSpace::new(faces.size(), &components).project(&faces);
        let seconds = start.elapsed().as_secs_f64();
        let mut weights = shuffled.clone();
        for (from, &to) in order.iter().enumerate() {
            weights.set_column(to, &shuffled.column(from));
        }
        self.last = Some((components, weights));
        Ok(seconds)
    }

    /// Where the time of a fit goes: the library's public steps one by one. What the whole takes beyond their sum
    /// is the order of the faces, scaling and signs.
    fn stages(&self, solver: Solver) -> Result<String> {
        let mut watch = Stopwatch::new();
        let components = pca(solver).fit(&self.faces)?;
        watch.lap("whole fit");
        FaceSpace::new(self.faces.size(), &components).project(&self.faces);
        watch.lap("weights");
        if components.solver == Solver::Covariance {
            let mut sums = Accumulator::new(self.faces.size().pixels())?;
            watch.lap("table");
            sums.add(&self.faces)?;
            watch.lap("products and sums");
            sums.fit(ComponentCount::Count(COMPONENTS))?;
            watch.lap("centre and solve");
            return Ok(watch.laps.join(", "));
        }
        let all: Vec<usize> = (0..self.faces.len()).collect();
        let products = InnerProducts::of(&self.faces);
        watch.lap("inner products");
        let space = products.fit(&all, ComponentCount::Count(COMPONENTS))?;
        watch.lap("centre and solve");
        space.with_components(&self.faces, COMPONENTS)?;
        watch.lap("mean and eigenfaces");
        Ok(watch.laps.join(", "))
    }

    /// Seconds of the uncentred products by one kernel: the table that a fit of these faces needs.
    fn products(&self, name: &str) -> Result<f64> {
        let kernel = Kernel::available().into_iter().find(|&kernel| slug(kernel) == name);
        let kernel = kernel.ok_or_else(|| format!("this processor has no kernel {name}"))?;
        let (d, n) = (self.faces.size().pixels(), self.faces.len());
        let columns = Columns::new(self.faces.as_slice(), d, n).ok_or("faces are not whole")?;
        let side = d.min(n);
        // Written to, or the first touch of fresh memory would be timed.
        let mut table = vec![1_i64; side * side];
        let start = Instant::now();
        if n < d {
            kernel::accumulate_gram(columns, kernel, &mut table)?;
        } else {
            kernel::accumulate_covariance(columns, kernel, &mut table)?;
        }
        Ok(start.elapsed().as_secs_f64())
    }

    fn digest(&self) -> Result<String> {
        let (components, weights) = self.last.as_ref().ok_or("nothing was fitted")?;
        let mut hasher = DefaultHasher::new();
        let doubles = components.basis.iter().chain(&components.mean).chain(&components.eigenvalues);
        doubles.for_each(|value| hasher.write_u64(value.to_bits()));
        weights.iter().for_each(|value| hasher.write_u32(value.to_bits()));
        Ok(format!("{:016x}", hasher.finish()))
    }

    fn dump(&self, prefix: &str) -> Result<String> {
        let (components, _) = self.last.as_ref().ok_or("nothing was fitted")?;
        let (d, k) = components.basis.shape();
        // Column after column of d x k is row after row of k x d.
        let mut basis = File::create(format!("{prefix}-basis.npy"))?;
        write_npy(&mut basis, &[k, d], components.basis.as_slice())?;
        let mut eigenvalues = File::create(format!("{prefix}-eigenvalues.npy"))?;
        write_npy(&mut eigenvalues, &[k], &components.eigenvalues)?;
        Ok(format!("{:?}", components.solver).to_lowercase())
    }
}

fn pca(solver: Solver) -> Pca {
    Pca { components: ComponentCount::Count(COMPONENTS), solver }
}

/// A kernel's name as one word.
fn slug(kernel: Kernel) -> String {
    kernel.name().to_lowercase().replace(' ', "-")
}

fn components_by_chunks(faces: &FaceMatrix) -> Result<Components> {
    let size = faces.size();
    let mut sums = Accumulator::new(size.pixels())?;
    for chunk in faces.as_slice().chunks(CHUNK * size.pixels()) {
        sums.add(&FaceMatrix::from_pixels(size, chunk.to_vec())?)?;
    }
    Ok(sums.fit(ComponentCount::Count(COMPONENTS))?)
}

/// Reads `.npy` version 1.0 as NumPy writes it for bytes: only the length of the header matters.
fn read_faces(path: &str, size: FaceSize) -> Result<FaceMatrix> {
    let mut file = BufReader::new(File::open(path)?);
    let mut preamble = [0; 10];
    file.read_exact(&mut preamble)?;
    let mut header = vec![0; usize::from(u16::from_le_bytes([preamble[8], preamble[9]]))];
    file.read_exact(&mut header)?;
    if !preamble.starts_with(b"\x93NUMPY\x01\x00") || !header.windows(5).any(|part| part == b"'|u1'") {
        return Err(format!("{path} holds no bytes in NumPy's format 1.0").into());
    }
    let mut pixels = Vec::new();
    file.read_to_end(&mut pixels)?;
    Ok(FaceMatrix::from_pixels(size, pixels)?)
}

/// Seconds between stages, in words.
struct Stopwatch {
    started: Instant,
    laps: Vec<String>,
}

impl Stopwatch {
    fn new() -> Self {
        Self { started: Instant::now(), laps: Vec::new() }
    }

    fn lap(&mut self, stage: &str) {
        self.laps.push(format!("{stage} {:.4}", self.started.elapsed().as_secs_f64()));
        self.started = Instant::now();
    }
}

/// Accumulates drawn faces in chunks, so that memory does not grow with their number.
fn stream(faces: usize) -> Result<()> {
    let size = FaceSize::new(64, 64)?;
    let artist = Artist::new(64);
    let mut sums = Accumulator::new(size.pixels())?;
    let (mut drawing, mut adding) = (0.0, 0.0);
    while sums.faces() < faces {
        let start = Instant::now();
        let count = CHUNK.min(faces - sums.faces());
        let chunk = FaceMatrix::from_pixels(size, artist.draw(sums.faces(), count))?;
        drawing += start.elapsed().as_secs_f64();
        let start = Instant::now();
        sums.add(&chunk)?;
        adding += start.elapsed().as_secs_f64();
    }
    let start = Instant::now();
    let components = sums.fit(ComponentCount::Count(COMPONENTS))?;
    let solving = start.elapsed().as_secs_f64();
    writeln!(std::io::stdout(), "{drawing} {adding} {solving}")?;
    if components.count() != COMPONENTS {
        return Err(format!("only {} components", components.count()).into());
    }
    Ok(())
}

/// Draws faces: smooth waves of random strength, λᵢ ~ i^-1.5, and a little noise.
struct Artist {
    /// d x waves, each already as strong as it is to be on average.
    waves: DMatrix<f32>,
}

impl Artist {
    const WAVES: usize = 160;
    /// Faces drawn by one thread at a time.
    const SHEET: usize = 64;

    fn new(side: usize) -> Self {
        let mut frequencies: Vec<(usize, usize)> = (0..40).flat_map(|u| (0..40).map(move |v| (u, v))).collect();
        frequencies.sort_by_key(|&(u, v)| (u * u + v * v, u));
        let cosine = |at: usize, frequency: usize| libm::cos(PI * (at as f64 + 0.5) * frequency as f64 / side as f64);
        let waves = DMatrix::from_fn(side * side, Self::WAVES, |pixel, wave| {
            let (u, v) = frequencies[wave + 1];
            let strength = 50.0 * libm::pow((wave + 1) as f64, -0.75);
            (strength * cosine(pixel % side, u) * cosine(pixel / side, v)) as f32
        });
        Self { waves }
    }

    /// Faces `first..first + count`, one after the other.
    fn draw(&self, first: usize, count: usize) -> Vec<u8> {
        let sheets: Vec<usize> = (first..first + count).step_by(Self::SHEET).collect();
        let pixels: Vec<Vec<u8>> =
            sheets.into_par_iter().map(|from| self.sheet(from, Self::SHEET.min(first + count - from))).collect();
        pixels.concat()
    }

    fn sheet(&self, first: usize, count: usize) -> Vec<u8> {
        let mut state = (first as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // Uniform, variance 1; the high bits of a linear congruence.
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f32 / (1 << 24) as f32 * 3.46 - 1.73
        };
        let strengths = DMatrix::from_fn(Self::WAVES, count, |_, _| noise());
        let faces = &self.waves * strengths;
        faces.iter().map(|value| (128.0 + value + 2.0 * noise()) as u8).collect()
    }
}
