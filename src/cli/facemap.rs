//! `eigenfaces facemap`: how unlike a face every part of a photo is.

use std::path::Path;

use eigenfaces::dataset::PhotoFile;
use eigenfaces::face_map::{FaceMaps, Measure, Place};
use eigenfaces::faceness;
use eigenfaces::render::heat::{HeatPage, heat};
use eigenfaces::store::{self, Outputs, Privacy};
use serde_json::json;

use super::args::Facemap;
use super::{Outcome, Output, Result, counted, files, one_line, shown};

pub fn run(args: &Facemap, model: &Path, output: &Output) -> Result<Outcome> {
    let outputs = Outputs::new([model, &args.photo], args.force.into());
    let destination = outputs.claim(&args.output)?;
    let recognizer = store::load(model)?;
    let space = recognizer.space();
    let leading = args.components.map_or_else(
        || faceness::leading(space.eigenvalues()),
        |count| count as usize,
    );
    if !eigenfaces::dataset::is_there(&args.photo) {
        return Err(eigenfaces::Error::missing(&args.photo));
    }
    let unusable = |problem| eigenfaces::Error::photo(&args.photo, problem);
    let file = PhotoFile::read(&args.photo).map_err(unusable)?;
    let maps = file
        .decode()
        .and_then(|photo| FaceMaps::new(space, leading, &photo, Measure::Likelihood))
        .map_err(unusable)?;
    let places = maps.places(usize::from(args.top));
    let (shades, range) = maps.shaded();
    let photo = &file.decode_color().map_err(unusable)?;
    let name = args.photo.file_name().unwrap_or_default();
    let page = heat(&HeatPage {
        title: format!("Face map of {}", one_line(&name.to_string_lossy())),
        photo,
        shades: &shades,
        range,
        places: &places,
    });
    files::picture(&destination, Privacy::Personal, &page.to_pixels().into())?;
    print(args, &places, output)?;
    output.say(&format!(
        "wrote {} (by {} at {}; each value at the middle of its part)",
        shown(&args.output),
        counted(leading.min(space.components()), "basis face", "basis faces"),
        counted(maps.scales().count(), "scale", "scales")
    ));
    Ok(Outcome::Done)
}

fn print(args: &Facemap, places: &[Place], output: &Output) -> Result<()> {
    // To a tenth of a pixel, as faces are located.
    let minimum = |place: &Place| {
        let edges = place.part.map(|edge| (edge * 10.0).round() / 10.0);
        json!({ "box": edges, "value": place.value, "scale": place.scale })
    };
    let minima = places.iter().map(minimum);
    let object = json!({
        "photo": args.photo.to_string_lossy(),
        "minima": minima.collect::<Vec<_>>(),
    });
    let columns = "photo,x,y,width,height,value";
    output.header(columns)?;
    output.record(columns, object, || {
        let in_words = |place: &Place| {
            let [x, y, width, height] = place.part;
            format!(
                "{}: {width:.0}x{height:.0} pixels at {x:.0},{y:.0}: unlikeliness {:.2} (lower is more like a face)",
                shown(&args.photo),
                place.value
            )
        };
        places.iter().map(in_words).collect::<Vec<_>>()
    })
}
