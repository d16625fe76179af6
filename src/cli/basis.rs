//! `eigenfaces basis`: the mean face, the basis faces and the spectrum, to look at.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use eigenfaces::error::{Error, Result};
use eigenfaces::face_space::FaceSpace;
use eigenfaces::pca::{ComponentCount, Pca, Solver};
use eigenfaces::recognizer::Recognizer;
use eigenfaces::render::plot::{self, Scree};
use eigenfaces::render::sheet::{Tile, sheet};
use eigenfaces::render::{gray, signed};
use eigenfaces::store;
use image::GrayImage;

use super::args::Basis;
use super::output::{Output, counted, shown};
use super::{Outcome, files, folder_space};

pub fn run(args: &Basis, model: &Path, output: &Output) -> Result<Outcome> {
    if args.faces.is_empty() {
        let recognizer = store::load(model)?;
        let ratios = spectrum_beyond(&recognizer);
        write(args, recognizer.space(), &ratios, output)?;
        return Ok(Outcome::Done);
    }
    let (space, outcome) = folder_space::learn(args, output)?;
    write(args, &space, &space.variance_ratios(), output)?;
    Ok(outcome)
}

/// `ratios` are the shares of the variance of as many components as are known, kept or not.
fn write(args: &Basis, space: &FaceSpace, ratios: &[f64], output: &Output) -> Result<()> {
    let count = args.count.map_or(space.components(), |count| {
        (count as usize).min(space.components())
    });
    let folder = Folder::make(&args.output)?;

    let levels: Vec<f32> = space.mean().iter().map(|&level| level as f32).collect();
    let mean = gray(space.size(), &levels);
    let faces: Vec<GrayImage> = (0..count)
        .map(|at| signed(space.size(), space.basis().column(at).as_slice()))
        .collect();
    folder.picture("mean.png", &mean)?;
    let progress = output.progress(count, "writing basis faces");
    for (at, face) in faces.iter().enumerate() {
        folder.picture(&format!("basis-{:03}.png", at + 1), face)?;
        progress.reach(at + 1);
    }
    drop(progress);
    folder.forget_basis_beyond(count);
    folder.picture("sheet.png", &contact_sheet(space, mean, faces))?;
    let scree = plot::scree(Scree {
        ratios,
        kept: space.components(),
    });
    folder.text("scree.svg", &scree)?;
    folder.text("spectrum.csv", &spectrum(space))?;
    output.say(&format!(
        "wrote the mean face, {}, sheet.png, scree.svg and spectrum.csv to {} (mid-gray is zero in a basis face)",
        counted(count, "basis face", "basis faces"),
        shown(&args.output)
    ));
    Ok(())
}

/// Up to this many components, those left out are worth finding again for the plot.
const WORTH_FINDING: usize = 1000;

/// Each eigenvalue over the total variance, those left out too where they are quickly found again from the
/// enrolled faces.
fn spectrum_beyond(recognizer: &Recognizer) -> Vec<f64> {
    let (space, faces) = (recognizer.space(), recognizer.gallery().faces());
    let everything = Pca {
        components: ComponentCount::Share(1.0),
        solver: Solver::Auto,
    };
    if faces.len().min(space.pixels()) > WORTH_FINDING {
        return space.variance_ratios();
    }
    everything.fit(faces).map_or_else(
        |_| space.variance_ratios(),
        |components| components.variance_ratios(),
    )
}

fn contact_sheet(space: &FaceSpace, mean: GrayImage, faces: Vec<GrayImage>) -> GrayImage {
    let mut tiles = vec![Tile {
        image: mean,
        label: "mean face".to_owned(),
    }];
    let labeled = faces.into_iter().zip(space.variance_ratios()).enumerate();
    tiles.extend(labeled.map(|(at, (image, ratio))| Tile {
        image,
        label: format!("{}: {:.1} %", at + 1, ratio * 100.0),
    }));
    sheet(&tiles)
}

fn spectrum(space: &FaceSpace) -> String {
    let mut csv = String::from("component,eigenvalue,ratio,cumulative\n");
    let mut sum = 0.0;
    for (at, (value, ratio)) in space
        .eigenvalues()
        .iter()
        .zip(space.variance_ratios())
        .enumerate()
    {
        sum += ratio;
        let _ = writeln!(csv, "{},{value},{ratio},{sum}", at + 1);
    }
    csv
}

/// The folder that results are written to, each file as a whole.
struct Folder(PathBuf);

impl Folder {
    fn make(path: &Path) -> Result<Self> {
        std::fs::create_dir_all(path).map_err(|source| Error::MakeFolder {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self(path.to_owned()))
    }

    fn picture(&self, name: &str, image: &GrayImage) -> Result<()> {
        files::picture(&self.0.join(name), &image.clone().into())
    }

    /// Removes basis faces that an earlier, longer run left here: they belong to no spectrum any more.
    fn forget_basis_beyond(&self, count: usize) {
        let left_over = (count + 1..).map(|at| self.0.join(format!("basis-{at:03}.png")));
        for path in left_over.take_while(|path| path.is_file()) {
            // What cannot be removed is no reason to fail: all that was asked for is written.
            let _ = std::fs::remove_file(path);
        }
    }

    fn text(&self, name: &str, text: &str) -> Result<()> {
        files::public(&self.0.join(name), text.as_bytes())
    }
}
