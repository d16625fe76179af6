//! Learns where eyes are: `cargo run --release --features maintainer --example train_eyes -- IMAGES.tsv -o eyes.bin`
//!
//! IMAGES.tsv has a line a photo: its path (from the folder named like the list, or from the list's own
//! folder), then x and y of the image-left eye and of the other, in pixels; further columns and lines that
//! begin with `#` or `file` are skipped. Several lists may be given. `--judge OTHER.tsv` measures the result
//! on people it has not seen. Same lists, same weights, bit for bit.

mod photos;
mod regression;
mod samples;

use std::error::Error;
use std::path::PathBuf;

use clap::Parser;
use eigenfaces::locate::align::EyePlacement;
use eigenfaces::locate::descent::Frame;
use eigenfaces::locate::eyes::EyeModel;

use photos::MarkedFace;
use samples::Samples;

/// The features of each step: first the whole face, then closer and closer to the eyes.
const FRAMES: [Frame; 6] = [
    EyePlacement { inset: 0.33, level: 0.40 },
    EyePlacement { inset: 0.30, level: 0.40 },
    EyePlacement { inset: 0.26, level: 0.42 },
    EyePlacement { inset: 0.23, level: 0.45 },
    EyePlacement { inset: 0.23, level: 0.45 },
    EyePlacement { inset: 0.20, level: 0.47 },
];

#[derive(Parser)]
struct Arguments {
    /// Lists of photos with marked eyes.
    #[arg(required = true)]
    lists: Vec<PathBuf>,
    /// The file of the weights.
    #[arg(short, long)]
    output: PathBuf,
    /// A list of other people, to measure the result on.
    #[arg(long)]
    judge: Option<PathBuf>,
    /// Disturbed starts for each photo and for its mirror image.
    #[arg(long, default_value_t = 8)]
    starts: usize,
    /// Weight of the ridge penalty, as a share of the features' mean variance.
    #[arg(long, default_value_t = 0.1)]
    ridge: f64,
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments = Arguments::parse();
    let mut faces = Vec::new();
    for list in &arguments.lists {
        faces.extend(photos::read(list)?);
    }
    eprintln!("{} faces found in the photos, and marked", faces.len());

    let model = train(&faces, &arguments)?;
    let bytes = model.to_bytes();
    std::fs::write(&arguments.output, &bytes)?;
    eprintln!("{}: {} bytes", arguments.output.display(), bytes.len());
    if let Some(list) = &arguments.judge {
        judge(&EyeModel::from_bytes(&bytes)?, &photos::read(list)?);
    }
    Ok(())
}

/// Learns step after step; each is trained on where the steps before it leave faces they have not seen.
fn train(faces: &[MarkedFace], arguments: &Arguments) -> Result<EyeModel, Box<dyn Error + Send + Sync>> {
    let start = samples::mean_eyes(faces);
    let mut samples = Samples::new(faces, start, arguments.starts);
    let mut steps = Vec::new();
    for frame in FRAMES {
        eprintln!("step {}: starts {:.2} % off", steps.len() + 1, 100.0 * samples.mean_error());
        let fitted = regression::fit(&samples, frame, arguments.ridge)?;
        samples.advance(&fitted.by_fold);
        steps.push(fitted.whole);
    }
    eprintln!("ends {:.2} % off", 100.0 * samples.mean_error());
    Ok(EyeModel::new(start, steps))
}

/// Prints how far off the worse eye is, in per cent of the distance between the eyes.
fn judge(model: &EyeModel, faces: &[MarkedFace]) {
    let mut errors: Vec<f32> =
        faces.iter().map(|face| samples::error(model.find(&face.photo, face.bounds).eyes, face.eyes)).collect();
    errors.sort_by(f32::total_cmp);
    let within =
        |limit: f32| 100.0 * errors.iter().filter(|error| **error <= limit).count() as f32 / errors.len() as f32;
    println!(
        "{} faces: median of the worse eye {:.2} %, mean {:.2} %; within 5 %: {:.1} %, 10 %: {:.1} %, 20 %: {:.1} %",
        errors.len(),
        100.0 * errors.get(errors.len() / 2).copied().unwrap_or(f32::NAN),
        100.0 * errors.iter().sum::<f32>() / errors.len() as f32,
        within(0.05),
        within(0.1),
        within(0.2),
    );
}
