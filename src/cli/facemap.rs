//! `eigenfaces facemap`: how unlike a face every part of a photo is.

use std::path::{Path, PathBuf};

use clap::Args;
use eigenfaces::dataset::{PhotoFile, path_as_text};
use eigenfaces::face_map::{FaceMaps, LocalMinimum, Measure};
use eigenfaces::face_score;
use eigenfaces::render::heat::{HeatPage, heat};
use eigenfaces::store::{self, Outputs, Privacy};
use serde_json::json;

use super::options::{Force, ending_in};
use super::{ExitStatus, Output, Record, Result, counted, files, one_line, shown};

#[derive(Debug, Args)]
pub struct Facemap {
    /// A photo (`-` is standard input), usually larger than a face
    #[arg(value_name = "PHOTO")]
    pub photo: PathBuf,
    /// The picture to write, readable by you only: the map in colour over the photo, with a scale and a ring around the best places
    #[arg(short, long, value_name = "FILE.png", value_parser = ending_in(&["png"], ".png"))]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    /// Use the leading N basis faces [default: those that carry 90 % of the variance; with many, anything can be rebuilt]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub components: Option<u32>,
    /// Report the N lowest places
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub top: u16,
}

pub fn run(args: &Facemap, model: &Path, output: &Output) -> Result<ExitStatus> {
    let destination = Outputs::new([model, &args.photo], args.force.into()).claim(&args.output)?;
    let recognizer = store::load(model)?;
    let space = recognizer.space();
    let leading = args.components.map_or_else(|| face_score::leading(space.eigenvalues()), |count| count as usize);
    let unusable = |problem| eigenfaces::Error::photo(&args.photo, problem);
    let file = PhotoFile::open(&args.photo)?;
    let maps =
        file.decode().and_then(|photo| FaceMaps::new(space, leading, &photo, Measure::Likelihood)).map_err(unusable)?;
    let places = maps.places(usize::from(args.top));
    let (shades, range) = maps.shaded();
    let photo = &file.decode_color().map_err(unusable)?;
    let page = heat(&HeatPage {
        title: format!("Face map of {}", one_line(&args.photo.file_name().unwrap_or_default().to_string_lossy())),
        photo,
        shades: &shades,
        range,
        places: &places,
    });
    files::picture(&destination, Privacy::Personal, &page.to_pixels().into())?;
    output.records("photo,x,y,width,height,value", [record(&args.photo, &places)])?;
    let faces = counted(leading.min(space.components()), "basis face", "basis faces");
    let (file, scales) = (shown(&args.output), counted(maps.scales().count(), "scale", "scales"));
    output.say(&format!("wrote {file} (by {faces} at {scales}; each value at the middle of its part)"));
    Ok(ExitStatus::Done)
}

/// The places, to a tenth of a pixel, as faces are located.
fn record(photo: &Path, places: &[LocalMinimum]) -> Record {
    let minimum = |place: &LocalMinimum| {
        let edges = place.part.map(|edge| (edge * 10.0).round() / 10.0);
        json!({ "box": edges, "value": place.value, "scale": place.scale })
    };
    let in_words = |place: &LocalMinimum| {
        let [x, y, width, height] = place.part;
        format!(
            "{}: {width:.0}x{height:.0} pixels at {x:.0},{y:.0}: unlikeliness {:.2} (lower is more like a face)",
            shown(photo),
            place.value
        )
    };
    let minima: Vec<_> = places.iter().map(minimum).collect();
    Record::new(json!({ "photo": path_as_text(photo), "minima": minima }), places.iter().map(in_words))
}
