//! `eigenfaces evaluate`: how well the people of a folder are recognised.

use eigenfaces::background::Prior;
use eigenfaces::dataset::{self, Person};
use eigenfaces::enrollment;
use eigenfaces::evaluate::{Keep, Plan};
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::locate::framing::Framing;
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::Settings;
use image::imageops;

use super::args::{Evaluate, Format};
use super::error::Result;
use super::evaluation_files::Wanted;
use super::outcome::Outcome;
use super::output::Output;
use super::{check, evaluation_json, evaluation_text, learning, pairs};

pub fn run(args: &Evaluate, output: &Output) -> Result<Outcome> {
    if args.check {
        return check::folder(args, output);
    }
    if let Some(table) = &args.pairs {
        return pairs::run(args, table, output);
    }
    let wanted = Wanted::claim(args)?;
    let options = args.learn.preparation_options();
    let read = enrollment::read_gallery(&args.faces, &args.labels, options, output)?;
    let (preparation, gallery) = (read.preparation, read.gallery);
    let settings = args.learn.settings(Settings::default());
    if settings.prior == Prior::Bundled {
        let names = gallery.people().iter().map(Person::as_str);
        learning::refuse_flattery(
            &args.faces[0],
            names,
            "--background none, which learns from the gallery alone",
        )?;
    }
    let (not_faces, skipped) = not_faces(args, &preparation, output)?;
    let outcome = Outcome::of_inputs(gallery.len(), read.skipped.len() + skipped);
    let plan = Plan {
        protocol: args.protocol,
        seed: args.seed,
        not_faces,
        keep: match args.scores {
            Some(_) => Keep::Everybody,
            None => Keep::Nearest,
        },
    };
    let evaluation = learning::evaluate(preparation, gallery.clone(), settings, &plan, output)?;
    if evaluation.open_set.is_none() && !args.not_faces.is_empty() {
        output.say("--not-faces is left out: with so few people nobody can play a stranger, and faces are not told from other pictures");
    }
    wanted.write(&evaluation, &gallery, output)?;
    match output.format {
        Format::Text => evaluation_text::print(&evaluation, &preparation, output)?,
        Format::Json => {
            output.json(evaluation_json::object(&evaluation, gallery.people()))?;
        }
        Format::Csv => evaluation_json::csv(&evaluation, output)?,
    }
    Ok(outcome)
}

/// Five crops of each picture of `--not-faces`, the whole and each quarter, prepared as faces that are taken as they
/// are; and the number of pictures that cannot be used.
fn not_faces(
    args: &Evaluate,
    faces: &Preparation,
    output: &Output,
) -> Result<(Option<FaceMatrix>, usize)> {
    if args.not_faces.is_empty() {
        return Ok((None, 0));
    }
    let listing = dataset::list_photos(&args.not_faces)?;
    let size = faces.size();
    let preparation = Preparation::new(size, Framing::AsIs).with_light(faces.light());
    let crops = dataset::load(
        &listing.photos,
        |_, file| {
            let picture = file.decode()?;
            let (width, height) = (picture.width() / 2, picture.height() / 2);
            let mut pixels = preparation.prepare(&picture)?.pixels;
            for (x, y) in [(0, 0), (width, 0), (0, height), (width, height)] {
                let quarter = imageops::crop_imm(&picture, x, y, width, height).to_image();
                pixels.extend(preparation.prepare(&quarter)?.pixels);
            }
            Ok(pixels)
        },
        &|_| {},
    );
    learning::report_skipped(&listing.skipped, output);
    learning::report_skipped(&crops.skipped, output);
    let skipped = crops.skipped.len() + listing.skipped.len();
    if crops.items.is_empty() {
        return Err(enrollment::none_usable(&args.not_faces, skipped).into());
    }
    let pixels = FaceMatrix::from_pixels(size, crops.items.concat())?;
    Ok((Some(pixels), skipped))
}
