//! `eigenfaces reconstruct`: a face rebuilt from more and more basis faces.

use std::path::{Path, PathBuf};

use clap::Args;
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::kernel_pca::pre_image::PreImageMethod;
use eigenfaces::matcher::Space;
use eigenfaces::recognizer::Recognizer;
use eigenfaces::reconstruction::{Reconstruction, ReconstructionError, Steps, default_steps};
use eigenfaces::render::strip::{Panel, Row, strip};
use eigenfaces::render::{gray, parts};
use eigenfaces::store::{Outputs, Privacy};
use serde_json::json;

use super::options::{Force, ModelSource, ending_in};
use super::weights::{Scale, Table};
use super::{ExitStatus, Output, Record, Result, counted, files, learning, one_line, photos, share, shown};

#[derive(Debug, Args)]
pub struct Reconstruct {
    /// The photo whose face is rebuilt; of several faces in it, the largest and most central
    #[arg(value_name = "PHOTO", required_unless_present = "from_weights", conflicts_with = "from_weights")]
    pub photo: Option<PathBuf>,
    /// Picture to write, readable by you only
    #[arg(short, long, value_name = "FILE.png", value_parser = ending_in(&["png"], ".png"))]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    /// Rebuild faces from their weights, as `eigenfaces project` writes them (.csv, .json or .npy)
    #[arg(long, value_name = "FILE")]
    pub from_weights: Option<PathBuf>,
    /// The weights in the .npy are whitened (the others say so themselves)
    #[arg(long, requires = "from_weights")]
    pub whiten: bool,
    #[command(flatten)]
    pub origin: ModelSource,
}

const MOST_ROWS: usize = 50;

pub fn run(args: &Reconstruct, model: &Path, output: &Output) -> Result<ExitStatus> {
    let given: Vec<_> = args.photo.iter().chain(&args.from_weights).cloned().collect();
    let outputs = Outputs::new(files::inputs(&given, &args.origin, model), args.force.into());
    let destination = outputs.claim(&args.output)?;
    let (recognizer, unlearned) = learning::recognizer(&args.origin, model, output)?;
    let space = &recognizer.display_space();
    let faces = match (&args.photo, &args.from_weights) {
        (Some(photo), _) => vec![from_photo(photo, &recognizer, space, output)?],
        (None, Some(weights)) => from_weights(args, weights, space)?,
        (None, None) => Vec::new(), // clap asks for one of them
    };
    let rebuilt = Rebuilt::all(faces, space);
    let rows: Vec<Row> = rebuilt.iter().take(MOST_ROWS).map(|face| face.row(space, rebuilt.len())).collect();
    let picture = strip(&format!("A face rebuilt from more and more {}", parts(space).1), &rows);
    files::picture(&destination, Privacy::Personal, &picture.to_pixels().into())?;
    if rebuilt.len() > MOST_ROWS {
        output.say(&format!("only the first {MOST_ROWS} of {} faces are drawn", rebuilt.len()));
    }
    output.say(&format!("wrote {}", shown(&args.output)));
    if let Space::Kernel(kernel, _) = space {
        output.say(&format!(
            "the space of the kernel {} has no basis faces: each step is an approximate pre-image of its leading weights",
            kernel.kernel()
        ));
    }
    output.records(
        "photo,face,reference,components,rms,explained,psnr",
        rebuilt.iter().map(|face| record(face, space)),
    )?;
    Ok(ExitStatus::of_inputs(rebuilt.len(), unlearned))
}

struct Face {
    name: String,
    number: usize,
    weights: Vec<f32>,
    original: Original,
}

/// The picture that a rebuilt face is compared with.
enum Original {
    /// The face as the model saw it: d gray levels.
    Photo(Vec<f32>),
    /// There is none: the face rebuilt from all weights.
    AllWeights,
}

impl Original {
    fn name(&self) -> &'static str {
        if let Self::Photo(_) = self { "photo" } else { "all-weights" }
    }
}

fn from_photo(photo: &Path, recognizer: &Recognizer, space: &Space, output: &Output) -> Result<Face> {
    let pixels = photos::main_face(photo, recognizer.preparation(), output)?.pixels;
    let levels = pixels.iter().map(|&pixel| f32::from(pixel)).collect();
    let weights = space.project(&FaceMatrix::from_pixels(space.size(), pixels)?).as_slice().to_vec();
    Ok(Face { name: photo.to_string_lossy().into_owned(), number: 1, weights, original: Original::Photo(levels) })
}

fn from_weights(args: &Reconstruct, path: &Path, space: &Space) -> Result<Vec<Face>> {
    let npy = if args.whiten { Scale::Whitened } else { Scale::Plain };
    let table = Table::read(path, space, npy)?.in_scale(Scale::Plain, space);
    let count = table.rows.len();
    let faces = table.rows.into_iter().enumerate().map(|(at, row)| Face {
        name: match (row.photo.as_str(), count) {
            ("", 1) => path.to_string_lossy().into_owned(),
            ("", _) => format!("{}, row {}", path.to_string_lossy(), at + 1),
            (photo, _) => photo.to_owned(),
        },
        number: row.face,
        weights: row.weights,
        original: Original::AllWeights,
    });
    Ok(faces.collect())
}

struct Rebuilt {
    face: Face,
    steps: Vec<(Reconstruction, ReconstructionError)>,
}

impl Rebuilt {
    fn all(faces: Vec<Face>, space: &Space) -> Vec<Self> {
        let steps: Vec<Vec<usize>> = faces.iter().map(|face| default_steps(face.weights.len())).collect();
        let rebuilt = |steps: &[Vec<usize>]| {
            let wanted = faces.iter().zip(steps).map(|(face, steps)| Steps { weights: &face.weights, steps });
            Reconstruction::of_faces(space, &wanted.collect::<Vec<_>>()).into_iter()
        };
        let all = faces.iter().map(|face| vec![face.weights.len()]);
        let rebuilt = rebuilt(&steps).zip(rebuilt(&all.collect::<Vec<_>>()));
        let mean = space.mean();
        let mut with_errors = Vec::with_capacity(rebuilt.len());
        for (face, (steps, mut in_full)) in faces.into_iter().zip(rebuilt) {
            let original = match &face.original {
                Original::Photo(levels) => levels.clone(),
                Original::AllWeights => in_full.remove(0).levels,
            };
            let steps = steps.into_iter().map(|step| {
                let error = step.error(mean.as_slice(), &original);
                (step, error)
            });
            with_errors.push(Self { steps: steps.collect(), face });
        }
        with_errors
    }

    fn row(&self, space: &Space, of: usize) -> Row {
        let mut panels = Vec::with_capacity(self.steps.len() + 1);
        if let Original::Photo(levels) = &self.face.original {
            panels.push(Panel {
                image: gray(space.size(), levels).into(),
                lines: vec!["the photo".to_owned(), "as the model sees it".to_owned()],
            });
        }
        panels.extend(self.steps.iter().map(|(step, error)| Panel {
            image: gray(space.size(), &step.levels).into(),
            lines: vec![
                match step.components {
                    0 => "mean face".to_owned(),
                    count => counted(count, parts(space).0, parts(space).1),
                },
                format!("RMS error {:.1}", error.rms),
                format!("{} explained", share(error.explained)),
                format!("PSNR {}", decibels(error)),
            ],
        }));
        Row { heading: if of > 1 { one_line(&self.face.name) } else { String::new() }, panels }
    }
}

fn decibels(error: &ReconstructionError) -> String {
    error.psnr().map_or_else(|| "exact".to_owned(), |psnr| format!("{psnr:.1} dB"))
}

fn method(step: &Reconstruction) -> Option<&'static str> {
    step.pre_image.map(|method| match method {
        PreImageMethod::Ridge => "ridge",
        PreImageMethod::FixedPoint { converged: true, .. } => "fixed-point",
        PreImageMethod::FixedPoint { converged: false, .. } => "fixed-point-unsettled",
    })
}

fn record(Rebuilt { face, steps }: &Rebuilt, space: &Space) -> Record {
    let of_step = |(step, error): &(Reconstruction, ReconstructionError)| {
        let mut object = json!({
            "components": step.components,
            "rms": error.rms,
            "explained": error.explained,
            "psnr": error.psnr(),
        });
        if let Some(method) = method(step) {
            object["pre_image"] = method.into();
        }
        object
    };
    let object = json!({
        "photo": face.name,
        "face": face.number,
        "reference": face.original.name(),
        "steps": steps.iter().map(of_step).collect::<Vec<_>>(),
    });
    Record::new(object, in_words(face, steps, space))
}

fn in_words(face: &Face, steps: &[(Reconstruction, ReconstructionError)], space: &Space) -> Vec<String> {
    let compared = match face.original {
        Original::Photo(_) => "",
        Original::AllWeights => ", compared with the face of all its weights",
    };
    let mut lines = vec![
        format!("{}{compared}", one_line(&face.name)),
        format!("  {:>11}  RMS error (gray levels)  explained     PSNR", parts(space).1),
    ];
    lines.extend(steps.iter().map(|(step, error)| {
        // Rounded to what is printed: no "-0.0".
        let explained = (error.explained * 1e3).round() / 10.0 + 0.0;
        format!("  {:>11}  {:>23.1}  {explained:>7.1} %  {:>7}", step.components, error.rms, decibels(error))
    }));
    lines
}
