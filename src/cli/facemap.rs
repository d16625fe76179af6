//! `eigenfaces facemap`: how far every part of a photo lies from face space.

use std::path::Path;

use eigenfaces::dataset::{Limits, PhotoFile};
use eigenfaces::error::{Error, PhotoProblem, Result};
use eigenfaces::face_map::{self, FaceMap, Measure, Minimum};
use eigenfaces::face_matrix::FaceSize;
use eigenfaces::likeness;
use eigenfaces::store;
use serde_json::json;

use super::args::{Facemap, Format, MapMeasure};
use super::output::{Output, counted, shown};
use super::{Outcome, files};

/// Pixels of the largest photo that is mapped, scaled: some seconds of work.
const MOST_PIXELS: f64 = 25e6;

pub fn run(args: &Facemap, model: &Path, output: &Output) -> Result<Outcome> {
    let recognizer = store::load(model)?;
    let space = recognizer.space();
    let leading = args.count.map_or_else(
        || likeness::leading(space.eigenvalues()),
        |count| count as usize,
    );
    if args.photo.symlink_metadata().is_err() {
        let path = args.photo.clone();
        return Err(Error::NoSuchPath { path });
    }
    let map = PhotoFile::read(&args.photo, &Limits::default())
        .and_then(|file| file.decode())
        .and_then(|photo| {
            let pixels = f64::from(photo.width()) * f64::from(photo.height());
            if pixels * args.scale.powi(2) > MOST_PIXELS {
                return Err(PhotoProblem::Unfit {
                    reason: format!(
                        "{}x{} pixels are too many for a face map; take a smaller --scale",
                        photo.width(),
                        photo.height()
                    ),
                });
            }
            let measure = match args.measure {
                MapMeasure::Distance => Measure::Distance,
                MapMeasure::Contrast => Measure::Contrast,
            };
            FaceMap::new(
                space,
                leading,
                &face_map::scaled(&photo, args.scale),
                measure,
            )
        })
        .map_err(|problem| Error::Photo {
            path: args.photo.clone(),
            problem,
        })?;
    files::picture(&args.output, &map.picture().into())?;
    print(
        args,
        &map.minima(usize::from(args.top)),
        space.size(),
        output,
    )?;
    output.say(&format!(
        "wrote {} (by {}; black is the lowest, white the highest; each value at the middle of its part)",
        shown(&args.output),
        counted(leading.min(space.components()), "basis face", "basis faces")
    ));
    Ok(Outcome::Done)
}

fn print(args: &Facemap, minima: &[Minimum], size: FaceSize, output: &Output) -> Result<()> {
    let unit = match args.measure {
        MapMeasure::Distance => "gray levels a pixel from face space",
        MapMeasure::Contrast => "of its contrast from face space",
    };
    let boxes = minima
        .iter()
        .map(|minimum| (minimum.value, part(minimum, size, args.scale)));
    match output.format {
        Format::Text => {
            for (value, [x, y, width, height]) in boxes {
                output.line(&format!(
                    "{}: {width:.0}x{height:.0} pixels at {x:.0},{y:.0} are {value:.2} {unit}",
                    shown(&args.photo)
                ))?;
            }
            Ok(())
        }
        Format::Json => {
            let minima: Vec<_> = boxes
                .map(|(value, part)| json!({ "box": part, "value": value }))
                .collect();
            let object = json!({
                "photo": args.photo.to_string_lossy(),
                "scale": args.scale,
                "measure": match args.measure {
                    MapMeasure::Distance => "distance",
                    MapMeasure::Contrast => "contrast",
                },
                "minima": minima,
            });
            output.line(&object.to_string())
        }
        Format::Csv => {
            output.line("photo,x,y,width,height,value")?;
            for (value, part) in boxes {
                let mut row = vec![args.photo.to_string_lossy().into_owned()];
                row.extend(part.map(|edge| format!("{edge:.1}")));
                row.push(format!("{value:.6}"));
                output.csv(&row)?;
            }
            Ok(())
        }
    }
}

/// The part of the photo as it was before scaling: left, top, width and height.
fn part(minimum: &Minimum, size: FaceSize, scale: f64) -> [f64; 4] {
    [minimum.x, minimum.y, size.width(), size.height()].map(|edge| f64::from(edge) / scale)
}
