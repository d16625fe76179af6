//! `eigenfaces basis`: the mean face, the basis faces and the spectrum, to look at.

mod folder_space;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use eigenfaces::background::{Background, Channel, FACE};
use eigenfaces::face_matrix::FaceSize;
use eigenfaces::face_space::FaceSpace;
use eigenfaces::kernel_pca::KernelSpace;
use eigenfaces::kernel_pca::pre_image::{PreImages, RIDGE};
use eigenfaces::matcher::Space;
use eigenfaces::pca::minimize::Round;
use eigenfaces::pca::{ComponentCount, Solver};
use eigenfaces::recognizer::Recognizer;
use eigenfaces::render::sheet::{Tile, sheet, sheet_of_groups};
use eigenfaces::render::{along_components, gray, parts, scree, signed};
use eigenfaces::scaled_space::ScaledSpace;
use eigenfaces::store::{self, Outputs, Privacy};
use image::GrayImage;

use super::files::OutputDir;
use super::options::Force;
use super::{ExitStatus, Output, Result, bad_value, counted, learning, shown};
use folder_space::How;

#[derive(Debug, Args)]
pub struct Basis {
    /// Folder to write to; made where it is missing
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    /// Show what the background model that comes with the program is made of instead: where in a face its directions look, and how much people differ along each
    #[arg(long, conflicts_with_all = ["faces", "components"])]
    pub background: bool,
    /// Learn the basis faces of all photos in this folder instead of reading a model; there may be any number
    #[arg(long, value_name = "DIR")]
    pub faces: Vec<PathBuf>,
    /// Size of the faces of --faces [default: chosen from the photos]
    #[arg(long, value_name = "WxH", requires = "faces")]
    pub size: Option<FaceSize>,
    /// How many eigenfaces: a count such as 40; of --faces also `auto`, a share of variance such as 0.95, or a rule (profile, parallel) [default: all of the model, auto of --faces]
    #[arg(long, value_name = "K")]
    pub components: Option<ComponentCount>,
    /// Route to the eigenfaces of --faces; `minimize` also writes objective.csv, round by round [default: auto]
    #[arg(long, value_name = "SOLVER", requires = "faces")]
    pub solver: Option<Solver>,
    /// Divide each pixel of --faces by its standard deviation first; basis faces are then shown in both spaces
    #[arg(long, requires = "faces", conflicts_with = "solver")]
    pub scale_pixels: bool,
}

/// Files that are written whatever is asked for.
const ALWAYS: [&str; 4] = ["mean.png", "sheet.png", "scree.svg", "spectrum.csv"];
const OBJECTIVE: &str = "objective.csv";
const DEVIATION: &str = "deviation.png";
const SHEET_GRAY: &str = "sheet-gray.png";

/// The file of a basis face, counted from 1.
fn basis_face(number: usize) -> String {
    format!("basis-{number:03}.png")
}

pub fn run(args: &Basis, model: &Path, output: &Output) -> Result<ExitStatus> {
    let folder = output_dir(args, model)?;
    if args.background {
        return background(args, &folder, output);
    }
    if args.faces.is_empty() {
        if !matches!(args.components, None | Some(ComponentCount::Count(_))) {
            bad_value("--components: of a model it is a count, such as 40");
        }
        let recognizer = store::load(model)?;
        let space = recognizer.display_space();
        // A kernel has no basis: the faces are shown in their linear space, and pre-images beside it.
        let linear = if let Space::Kernel(..) = &space { recognizer.linear_space() } else { space.clone() };
        learning::tell_fewer(args.components, linear.components(), output);
        write(args, &folder, &linear, &recognizer.shown_ratios(&linear), output)?;
        if let Space::Kernel(space, _) = &space {
            pre_images(&folder, &recognizer, space, output)?;
        }
        return Ok(ExitStatus::Done);
    }
    let learned = folder_space::learn(args, output)?;
    let space = match &learned.how {
        How::Scaled(scaled) => Space::Scaled(Arc::new(ScaledSpace::new(learned.size, scaled))),
        How::Solved(components) | How::Minimised(components, _) => {
            Space::Linear(Arc::new(FaceSpace::new(learned.size, components)))
        }
    };
    learning::tell_fewer(args.components, space.components(), output);
    write(args, &folder, &space, &space.variance_ratios(), output)?;
    if let How::Minimised(_, rounds) = &learned.how {
        write_objective(&folder, rounds, output)?;
    }
    Ok(learned.outcome)
}

/// Directions of each channel that are pictured.
const DIRECTIONS: usize = 14;

fn background(args: &Basis, folder: &OutputDir, output: &Output) -> Result<ExitStatus> {
    let model = Background::bundled()?;
    folder.check(&["background.png", "background.csv"])?;
    let mut tiles = Vec::new();
    let mut csv = String::from("channel,component,between_people\n");
    for channel in Channel::ALL {
        for (at, between) in model.between_people(channel).iter().enumerate() {
            let _ = writeln!(csv, "{},{},{between}", channel.name(), at + 1);
            if let Some(mut strength) = model.strength_by_place(channel, at).filter(|_| at < DIRECTIONS) {
                let most = strength.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
                strength.iter_mut().for_each(|value| *value *= 255.0 / most);
                tiles.push(Tile {
                    image: gray(FACE, &strength),
                    label: format!("{} {}: {between:.2}", channel.name(), at + 1),
                });
            }
        }
    }
    folder.picture("background.png", Privacy::Public, &sheet(&tiles, "").into())?;
    folder.text("background.csv", Privacy::Public, csv)?;
    output.say(&format!(
        "wrote background.png and background.csv to {}: where in a face each direction of the background model looks (white most), and the variance between people along it, that between photos of one person being 1; {} directions of each of two descriptions",
        shown(&args.output),
        model.components()
    ));
    Ok(ExitStatus::Done)
}

/// Writes the course of a minimisation: a table, and its two ends in words.
fn write_objective(folder: &OutputDir, rounds: &[Round], output: &Output) -> Result<()> {
    let mut csv = String::from("round,objective,residual\n");
    for round in rounds {
        let _ = writeln!(csv, "{},{},{}", round.number, round.objective, round.residual);
    }
    folder.text(OBJECTIVE, Privacy::Public, csv)?;
    if let (Some(start), Some(end)) = (rounds.first(), rounds.last()) {
        let (start, end, rounds) = (start.objective, end.objective, counted(end.number, "round", "rounds"));
        output.say(&format!("objective: {start:.4e} at the start, {end:.4e} after {rounds} (objective.csv)"));
    }
    Ok(())
}

/// The basis faces of scaled pixels in gray levels too, and what each pixel was divided by.
fn write_scaled(args: &Basis, folder: &OutputDir, space: &ScaledSpace, output: &Output) -> Result<()> {
    let (size, shown) = (space.face_space().size(), Space::Scaled(Arc::new(space.clone())));
    let deviations: Vec<f32> = space.deviations().iter().map(|&v| v as f32).collect();
    let largest = deviations.iter().copied().fold(1.0, f32::max);
    let brightened: Vec<f32> = deviations.iter().map(|v| v / largest * 255.0).collect();
    let picture = gray(size, &brightened);
    folder.picture(DEVIATION, Privacy::Public, &picture.clone().into())?;
    let mut tiles = vec![Tile { image: picture, label: "deviation".to_owned() }];
    let basis = space.basis_in_gray_levels();
    let faces = basis.column_iter().zip(shown.variance_ratios());
    let faces = faces.take(count(args, &shown)).enumerate();
    tiles.extend(faces.map(|(at, (face, ratio))| Tile {
        image: signed(size, face.as_slice()),
        label: format!("{}: {}", at + 1, variance(ratio)),
    }));
    folder.picture(SHEET_GRAY, Privacy::Public, &sheet(&tiles, "").into())?;
    let constant = counted(space.constant_pixels(), "constant pixel", "constant pixels");
    output.say(&format!(
        "each pixel was divided by its standard deviation (deviation.png, white is {largest:.0} gray levels; {constant} carry nothing): sheet.png has the basis faces of scaled pixels, sheet-gray.png the same in gray levels"
    ));
    Ok(())
}

/// Number of basis faces to write.
fn count(args: &Basis, space: &Space) -> usize {
    let all = space.components();
    if let Some(ComponentCount::Count(count)) = args.components { count.min(all) } else { all }
}

/// Components of a kernel that are pictured, and faces that are rebuilt.
const PICTURED: usize = 12;

/// A kernel space has no basis images. What can be looked at are pre-images: of the first components, of two
/// standard deviations down and up along each; and of some enrolled faces, beside them.
fn pre_images(folder: &OutputDir, recognizer: &Recognizer, space: &KernelSpace, output: &Output) -> Result<()> {
    let size = recognizer.space().size();
    let Some(images) = PreImages::learn(space, space.components(), RIDGE) else { return Ok(()) };
    let mut tiles = Vec::new();
    for (number, [down, up]) in (1..).zip(along_components(size, space, &images, PICTURED)) {
        tiles.extend(
            [("-2 sd", down), ("+2 sd", up)].map(|(name, image)| Tile { image, label: format!("{number}: {name}") }),
        );
    }
    let faces = recognizer.gallery().faces();
    let chosen: Vec<usize> = (0..faces.len()).step_by(faces.len().div_ceil(PICTURED).max(1)).collect();
    let chosen = faces.select(&chosen)?;
    for (face, weights) in (0..chosen.len()).zip(space.weights(&chosen).column_iter()) {
        let rebuilt = images.rebuild(weights.as_slice());
        tiles.extend(chosen.image(face).map(|image| Tile { image, label: "enrolled".to_owned() }));
        tiles.push(Tile {
            label: format!("off by {:.1}", rebuilt.rms(chosen.face(face))),
            image: gray(size, &rebuilt.levels),
        });
    }
    let note = format!(
        "approximate pre-images of the kernel {}: each component from -2 to +2 standard deviations (sd), \
         then enrolled faces and what is rebuilt of them (off by: root mean square of the difference in gray levels, 0 to 255)",
        space.kernel()
    );
    folder.picture("pre-images.png", Privacy::Public, &sheet_of_groups(&tiles, 2, &note).into())?;
    output.say(&format!(
        "faces are compared by the kernel {}, whose space has no basis images: those written are of the linear face space; pre-images.png shows approximate pre-images, two standard deviations down and up along each component, and of some enrolled faces",
        space.kernel()
    ));
    Ok(())
}

/// `ratios` are the shares of the variance of as many components as are known, kept or not.
fn write(args: &Basis, folder: &OutputDir, space: &Space, ratios: &[f64], output: &Output) -> Result<()> {
    let basis = match space {
        Space::Linear(space) => space.basis(),
        Space::Scaled(space) => space.face_space().basis(),
        Space::Kernel(..) => return Ok(()),
    };
    let count = count(args, space);
    folder.check(&ALWAYS)?;
    folder.check(&(1..=count).map(basis_face).collect::<Vec<_>>())?;

    let levels: Vec<f32> = space.mean().iter().map(|&level| level as f32).collect();
    let mean = gray(space.size(), &levels);
    let faces: Vec<GrayImage> = (0..count).map(|at| signed(space.size(), basis.column(at).as_slice())).collect();
    folder.picture("mean.png", Privacy::Public, &mean.clone().into())?;
    let progress = output.progress(count, "writing basis faces");
    for (at, face) in faces.iter().enumerate() {
        folder.picture(basis_face(at + 1), Privacy::Public, &face.clone().into())?;
        progress.reach(at + 1);
    }
    drop(progress);
    folder.forget((count + 1..).map(basis_face));
    folder.picture("sheet.png", Privacy::Public, &contact_sheet(space, mean, faces).into())?;
    folder.text("scree.svg", Privacy::Public, scree(parts(space).0, ratios, space.components()))?;
    folder.text("spectrum.csv", Privacy::Public, spectrum(space))?;
    let (faces, to) = (counted(count, "basis face", "basis faces"), shown(&args.output));
    output.say(&format!(
        "wrote the mean face, {faces}, sheet.png, scree.svg and spectrum.csv to {to} (mid-gray is zero in a basis face)"
    ));
    if let Space::Scaled(space) = space { write_scaled(args, folder, space, output) } else { Ok(()) }
}

/// Caption: the meaning of the shades of basis faces.
const CONTRAST: &str = "Shares of the variance. Mid-gray is 0; each basis face is stretched by itself, so that its largest value is black or white.";

/// A share of the variance with two significant digits.
fn variance(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        10.0.. => format!("{percent:.0} %"),
        1.0.. => format!("{percent:.1} %"),
        0.1.. => format!("{percent:.2} %"),
        0.01.. => format!("{percent:.3} %"),
        _ => "< 0.01 %".to_owned(),
    }
}

fn contact_sheet(space: &Space, mean: GrayImage, faces: Vec<GrayImage>) -> GrayImage {
    let mut tiles = vec![Tile { image: mean, label: "mean face".to_owned() }];
    let labeled = faces.into_iter().zip(space.variance_ratios()).enumerate();
    tiles.extend(labeled.map(|(at, (image, ratio))| Tile { image, label: format!("{}: {}", at + 1, variance(ratio)) }));
    sheet(&tiles, CONTRAST)
}

fn spectrum(space: &Space) -> String {
    let mut csv = String::from("component,eigenvalue,ratio,cumulative\n");
    let mut sum = 0.0;
    for (at, (value, ratio)) in space.eigenvalues().iter().zip(space.variance_ratios()).enumerate() {
        sum += ratio;
        let _ = writeln!(csv, "{},{value},{ratio},{sum}", at + 1);
    }
    csv
}

/// The folder of results, in which what is known not to be replaceable is refused before anything is learned.
fn output_dir(args: &Basis, model: &Path) -> Result<OutputDir> {
    let mut inputs = args.faces.clone();
    if inputs.is_empty() {
        inputs.push(model.to_owned());
    }
    let folder = OutputDir::new(&args.output, Outputs::new(inputs, args.force.into()));
    folder.check(&ALWAYS)?;
    if args.scale_pixels {
        folder.check(&[DEVIATION, SHEET_GRAY])?;
    }
    if args.solver == Some(Solver::Minimize) {
        folder.check(&[OBJECTIVE])?;
    }
    Ok(folder)
}
