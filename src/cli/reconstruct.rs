//! `eigenfaces reconstruct`: a face rebuilt from more and more basis faces.

use std::path::Path;

use eigenfaces::error::Result;
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::face_space::FaceSpace;
use eigenfaces::recognizer::Recognizer;
use eigenfaces::reconstruction::{Reconstruction, ReconstructionError, default_steps};
use eigenfaces::render::gray;
use eigenfaces::render::strip::{Panel, Row, strip};
use serde_json::json;

use super::args::{Format, Reconstruct};
use super::output::{Output, counted, one_line, shown};
use super::weights::{Scale, Table};
use super::{Outcome, files, learning, photos};

/// More faces than this are rebuilt, but not drawn: a picture is to be looked at.
const MOST_ROWS: usize = 50;

pub fn run(args: &Reconstruct, model: &Path, output: &Output) -> Result<Outcome> {
    let (recognizer, unlearned) = learning::recognizer(&args.origin, model, output)?;
    let space = recognizer.space();
    let faces = match (&args.photo, &args.from_weights) {
        (Some(photo), _) => vec![from_photo(photo, &recognizer, output)?],
        (None, Some(weights)) => from_weights(args, weights, space)?,
        (None, None) => Vec::new(), // clap asks for one of them
    };
    let rebuilt: Vec<Rebuilt> = faces
        .into_iter()
        .map(|face| Rebuilt::new(face, &args.steps, space))
        .collect();
    let rows: Vec<Row> = rebuilt
        .iter()
        .take(MOST_ROWS)
        .map(|face| face.row(space, rebuilt.len()))
        .collect();
    let picture = strip("A face rebuilt from more and more basis faces", &rows);
    files::picture(&args.output, &picture.to_pixels().into())?;
    if rebuilt.len() > MOST_ROWS {
        output.say(&format!(
            "only the first {MOST_ROWS} of {} faces are drawn",
            rebuilt.len()
        ));
    }
    output.say(&format!("wrote {}", shown(&args.output)));
    print(&rebuilt, output)?;
    Ok(Outcome::of_inputs(rebuilt.len(), unlearned))
}

/// A face to rebuild.
struct Face {
    name: String,
    number: usize,
    weights: Vec<f32>,
    original: Original,
}

/// What the rebuilt face is compared with.
enum Original {
    /// The face as the model saw it: d pixels.
    Photo(Vec<u8>),
    /// There is none: the face rebuilt from all weights.
    AllWeights,
}

impl Original {
    fn name(&self) -> &'static str {
        match self {
            Self::Photo(_) => "photo",
            Self::AllWeights => "all-weights",
        }
    }
}

fn from_photo(photo: &Path, recognizer: &Recognizer, output: &Output) -> Result<Face> {
    let pixels = photos::main_face(photo, recognizer, output)?;
    let space = recognizer.space();
    let face = FaceMatrix::from_pixels(space.size(), pixels.clone())?;
    Ok(Face {
        name: photo.to_string_lossy().into_owned(),
        number: 1,
        weights: space.project(&face).as_slice().to_vec(),
        original: Original::Photo(pixels),
    })
}

fn from_weights(args: &Reconstruct, path: &Path, space: &FaceSpace) -> Result<Vec<Face>> {
    let npy = if args.whitened {
        Scale::Whitened
    } else {
        Scale::Plain
    };
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

/// A face with its steps, each with what it lacks.
struct Rebuilt {
    face: Face,
    steps: Vec<(Reconstruction, ReconstructionError)>,
}

impl Rebuilt {
    fn new(face: Face, steps: &[usize], space: &FaceSpace) -> Self {
        let all = face.weights.len();
        let steps = if steps.is_empty() {
            default_steps(all)
        } else {
            // More than there are means all there are.
            steps.iter().map(|&step| step.min(all)).collect()
        };
        let original: Vec<f32> = match &face.original {
            Original::Photo(pixels) => pixels.iter().map(|&pixel| f32::from(pixel)).collect(),
            Original::AllWeights => space.rebuild(&face.weights),
        };
        let steps = Reconstruction::steps(space, &face.weights, &steps)
            .into_iter()
            .map(|step| {
                let error = step.error(space, &original);
                (step, error)
            })
            .collect();
        Self { face, steps }
    }

    fn row(&self, space: &FaceSpace, of: usize) -> Row {
        let mut panels = Vec::with_capacity(self.steps.len() + 1);
        if let Original::Photo(pixels) = &self.face.original {
            let levels: Vec<f32> = pixels.iter().map(|&pixel| f32::from(pixel)).collect();
            panels.push(Panel {
                image: gray(space.size(), &levels).into(),
                lines: vec!["the photo".to_owned(), "as the model sees it".to_owned()],
            });
        }
        panels.extend(self.steps.iter().map(|(step, error)| Panel {
            image: gray(space.size(), &step.levels).into(),
            lines: vec![
                match step.components {
                    0 => "mean face".to_owned(),
                    count => counted(count, "basis face", "basis faces"),
                },
                format!("RMS error {:.1}", error.rms),
                format!("{:.1} % explained", error.explained * 100.0),
                format!("PSNR {}", decibels(error)),
            ],
        }));
        let heading = if of > 1 {
            one_line(&self.face.name)
        } else {
            String::new()
        };
        Row { heading, panels }
    }
}

fn decibels(error: &ReconstructionError) -> String {
    error
        .psnr()
        .map_or_else(|| "exact".to_owned(), |psnr| format!("{psnr:.1} dB"))
}

fn print(rebuilt: &[Rebuilt], output: &Output) -> Result<()> {
    if output.format == Format::Csv {
        output.line("photo,face,reference,components,rms,explained,psnr")?;
    }
    for rebuilt in rebuilt {
        let (face, steps) = (&rebuilt.face, &rebuilt.steps);
        match output.format {
            Format::Text => {
                let compared = match face.original {
                    Original::Photo(_) => "",
                    Original::AllWeights => ", compared with the face of all its weights",
                };
                output.line(&format!("{}{compared}", one_line(&face.name)))?;
                output.line("  basis faces  RMS error (gray levels)  explained     PSNR")?;
                for (step, error) in steps {
                    output.line(&format!(
                        "  {:>11}  {:>23.1}  {:>7.1} %  {:>7}",
                        step.components,
                        error.rms,
                        error.explained * 100.0,
                        decibels(error)
                    ))?;
                }
            }
            Format::Csv => {
                for (step, error) in steps {
                    output.csv(&[
                        face.name.clone(),
                        face.number.to_string(),
                        face.original.name().to_owned(),
                        step.components.to_string(),
                        error.rms.to_string(),
                        error.explained.to_string(),
                        error
                            .psnr()
                            .map_or_else(String::new, |psnr| psnr.to_string()),
                    ])?;
                }
            }
            Format::Json => {
                let steps: Vec<_> = steps
                    .iter()
                    .map(|(step, error)| {
                        json!({
                            "components": step.components,
                            "rms": error.rms,
                            "explained": error.explained,
                            "psnr": error.psnr(),
                        })
                    })
                    .collect();
                let object = json!({
                    "photo": face.name,
                    "face": face.number,
                    "reference": face.original.name(),
                    "steps": steps,
                });
                output.line(&object.to_string())?;
            }
        }
    }
    Ok(())
}
