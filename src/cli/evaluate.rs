//! `eigenfaces evaluate`: how well the people of a folder are recognised.

use std::path::PathBuf;

use eigenfaces::background::Prior;
use eigenfaces::dataset::{self, Person, PhotoFile};
use eigenfaces::enrollment;
use eigenfaces::error::PhotoProblem;
use eigenfaces::evaluate::{Keep, Plan};
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::gallery::Gallery;
use eigenfaces::locate::framing::Framing;
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::Settings;
use image::imageops;

use super::args::{Evaluate, Format};
use super::error::Result;
use super::evaluation_files::Wanted;
use super::outcome::Outcome;
use super::output::{Output, counted};
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
    let read = enrollment::read_gallery(&args.faces, &args.labels.rule, options, output)?;
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
    let (strangers, unusable) = Strangers::read(args, &preparation, &gallery, output)?;
    let (strangers, sources) = strangers.map(|all| (all.faces, all.sources)).unzip();
    let (not_faces, skipped) = not_faces(args, &preparation, output)?;
    let failed = read.skipped.len() + unusable + skipped;
    let outcome = Outcome::of_inputs(gallery.len(), failed);
    let plan = Plan {
        protocol: args.protocol,
        seed: args.seed,
        strangers,
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
    let sources = sources.unwrap_or_default();
    wanted.write(&evaluation, &plan, &gallery, &sources, output)?;
    match output.format {
        Format::Text => evaluation_text::print(&evaluation, &preparation, output)?,
        Format::Json => {
            output.json(evaluation_json::object(&evaluation, gallery.people()))?;
        }
        Format::Csv => evaluation_json::csv(&evaluation, output)?,
    }
    Ok(outcome)
}

/// Faces of people who are not in the gallery, one a photo.
struct Strangers {
    faces: FaceMatrix,
    /// Their photos.
    sources: Vec<String>,
}

impl Strangers {
    /// The main face of each photo of `--strangers`, and the number of photos that cannot be used. Photos that are in the
    /// gallery too are left out.
    fn read(
        args: &Evaluate,
        preparation: &Preparation,
        gallery: &Gallery,
        output: &Output,
    ) -> Result<(Option<Self>, usize)> {
        if args.strangers.is_empty() {
            return Ok((None, 0));
        }
        let photo = |path: &PathBuf, file: &PhotoFile| {
            let face = preparation.prepare(&file.decode()?)?;
            Ok((path.to_string_lossy().into_owned(), face.pixels))
        };
        let (read, skipped) = read_all(&args.strangers, photo, output)?;
        let count = read.len();
        let is_enrolled = |pixels: &[u8]| gallery.faces().faces().any(|face| face == pixels);
        let (sources, pixels): (Vec<String>, Vec<Vec<u8>>) = read
            .into_iter()
            .filter(|(_, pixels)| !is_enrolled(pixels))
            .unzip();
        if sources.len() < count {
            let photos = counted(count - sources.len(), "photo", "photos");
            output.say(&format!(
                "--strangers: {photos} of people who are enrolled left out: no strangers"
            ));
        }
        if sources.is_empty() {
            return Err(enrollment::none_usable(&args.strangers, skipped).into());
        }
        let faces = FaceMatrix::from_pixels(preparation.size(), pixels.concat())?;
        Ok((Some(Self { faces, sources }), skipped))
    }
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
    let size = faces.size();
    let preparation = Preparation::new(size, Framing::AsIs).with_light(faces.light());
    let crops = |_: &PathBuf, file: &PhotoFile| {
        let picture = file.decode()?;
        let (width, height) = (picture.width() / 2, picture.height() / 2);
        let mut pixels = preparation.prepare(&picture)?.pixels;
        for (x, y) in [(0, 0), (width, 0), (0, height), (width, height)] {
            let quarter = imageops::crop_imm(&picture, x, y, width, height).to_image();
            pixels.extend(preparation.prepare(&quarter)?.pixels);
        }
        Ok(pixels)
    };
    let (crops, skipped) = read_all(&args.not_faces, crops, output)?;
    let pixels = FaceMatrix::from_pixels(size, crops.concat())?;
    Ok((Some(pixels), skipped))
}

/// What `make` makes of each photo in some folders, and the number of files that cannot be used, which are named.
fn read_all<T: Send>(
    folders: &[PathBuf],
    make: impl Fn(&PathBuf, &PhotoFile) -> std::result::Result<T, PhotoProblem> + Sync,
    output: &Output,
) -> Result<(Vec<T>, usize)> {
    let listing = dataset::list_photos(folders)?;
    let read = dataset::load(&listing.photos, make, &|_| {});
    learning::report_skipped(&listing.skipped, output);
    learning::report_skipped(&read.skipped, output);
    let skipped = listing.skipped.len() + read.skipped.len();
    match read.items.is_empty() {
        true => Err(enrollment::none_usable(folders, skipped).into()),
        false => Ok((read.items, skipped)),
    }
}
