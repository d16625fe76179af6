//! `eigenfaces basis`: the mean face, the basis faces and the spectrum, to look at.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};

use eigenfaces::error::{Error, Result};
use eigenfaces::face_space::FaceSpace;
use eigenfaces::pca::minimize::Round;
use eigenfaces::pca::{ComponentCount, Pca, Solver};
use eigenfaces::recognizer::Recognizer;
use eigenfaces::render::plot::{self, Scree};
use eigenfaces::render::sheet::{Tile, sheet};
use eigenfaces::render::{gray, signed};
use eigenfaces::store::{self, Privacy, replace_file};
use image::{GrayImage, ImageFormat};

use super::args::Basis;
use super::output::{Output, counted, shown};
use super::{Outcome, folder_space};

pub fn run(args: &Basis, model: &Path, output: &Output) -> Result<Outcome> {
    if args.faces.is_empty() {
        let recognizer = store::load(model)?;
        let ratios = spectrum_beyond(&recognizer);
        write(args, recognizer.space(), &ratios, output)?;
        return Ok(Outcome::Done);
    }
    let learned = folder_space::learn(args, output)?;
    let space = &learned.space;
    write(args, space, &space.variance_ratios(), output)?;
    if let (Some(start), Some(end)) = (learned.rounds.first(), learned.rounds.last()) {
        Folder::make(&args.output)?.text("objective.csv", &objective(&learned.rounds))?;
        output.say(&format!(
            "objective: {:.4e} at the start, {:.4e} after {} (objective.csv); the span then turned by {:.0e} a round",
            start.objective,
            end.objective,
            counted(end.number, "round", "rounds"),
            end.residual
        ));
    }
    Ok(learned.outcome)
}

/// How a minimisation went, as a table.
fn objective(rounds: &[Round]) -> String {
    let mut csv = String::from("round,objective,residual\n");
    for round in rounds {
        let _ = writeln!(
            csv,
            "{},{},{}",
            round.number, round.objective, round.residual
        );
    }
    csv
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
        let mut png = Cursor::new(Vec::new());
        let path = self.0.join(name);
        image
            .write_to(&mut png, ImageFormat::Png)
            .map_err(|error| Error::Encode {
                path: path.clone(),
                reason: error.to_string(),
            })?;
        replace_file(&path, Privacy::Public, |out| out.write_all(png.get_ref()))
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
        replace_file(&self.0.join(name), Privacy::Public, |out| {
            out.write_all(text.as_bytes())
        })
    }
}
