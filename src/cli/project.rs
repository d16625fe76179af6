//! `eigenfaces project`: faces as weights, in a table or a scatter plot.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::error::ErrorKind;
use eigenfaces::dataset::{self, PhotoFile};
use eigenfaces::error::PhotoProblem;
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::matcher::Space;
use eigenfaces::recognizer::Recognizer;
use eigenfaces::render::scatter::{Dot, Group, Scatter, scatter};
use eigenfaces::store::{Destination, Outputs, Privacy};

use super::options::{Force, ModelSource, ending_in};
use super::output::print;
use super::photos::Photos;
use super::weights::{Row, Scale, Table, WeightsFormat};
use super::{ExitStatus, Output, Result, counted, files, learning, misuse, one_line, remedy, shown};

#[derive(Debug, Args)]
pub struct Project {
    /// Photos, or folders of photos
    #[arg(value_name = "PHOTO|FOLDER", required_unless_present_any = ["gallery", "plot"])]
    pub photos: Vec<PathBuf>,
    /// The enrolled faces too, with their names
    #[arg(long)]
    pub gallery: bool,
    /// Divide each weight by the standard deviation of the faces learned from (the covariance becomes I)
    #[arg(long)]
    pub whiten: bool,
    /// Write the weights to this file, readable by you only; its name says the form: .csv, .json or .npy
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    /// Write a scatter plot over the first two basis faces, readable by you only: the enrolled people in colours, the photos as stars
    #[arg(long, value_name = "FILE.svg|png", value_parser = ending_in(&["svg", "png"], ".svg or .png"))]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub origin: ModelSource,
}

pub fn run(args: &Project, model: &Path, output: &Output) -> Result<ExitStatus> {
    let form = form(args.output.as_deref(), output);
    let outputs = Outputs::new(files::inputs(&args.photos, &args.origin, model), args.force.into());
    let table_file = files::claim(&outputs, args.output.as_ref())?;
    let plot_file = files::claim(&outputs, args.plot.as_ref())?;
    let (recognizer, unlearned) = learning::recognizer(&args.origin, model, output)?;
    let space = &recognizer.display_space();
    let scale = if args.whiten { Scale::Whitened } else { Scale::Plain };
    let in_scale = |rows: Vec<Row>| Table { scale: Scale::Plain, rows }.in_scale(scale, space);
    let (probes, unusable) =
        if args.photos.is_empty() { (Vec::new(), 0) } else { of_photos(&args.photos, &recognizer, space, output)? };
    let used = probes.len() + recognizer.gallery().len();
    let probes = in_scale(probes);
    let gallery = in_scale(of_gallery(&recognizer, space));

    if let Some(file) = &plot_file {
        draw(file, &plot(space, &gallery, &probes))?;
        output.say(&format!("wrote {}", shown(file.path())));
    }
    let mut table = probes;
    if args.gallery {
        table.rows.extend(gallery.rows);
    }
    if args.gallery || !args.photos.is_empty() {
        deliver(&table, space, form, table_file.as_ref(), output)?;
    }
    Ok(ExitStatus::of_inputs(used, unlearned + unusable))
}

fn draw(file: &Destination, plot: &Scatter) -> Result<()> {
    let drawing = scatter(plot);
    if dataset::has_extension(file.path(), &["svg"]) {
        Ok(file.write(Privacy::Personal, drawing.to_svg().into_bytes())?)
    } else {
        files::picture(file, Privacy::Personal, &drawing.to_pixels().into())
    }
}

/// The form of the table; `None` for reading. Ends with a usage error where it cannot be told.
fn form(file: Option<&Path>, output: &Output) -> Option<WeightsFormat> {
    let unknown = "--output must end in .csv, .json or .npy, or --format say which it is";
    if output.is_text() {
        return file.map(|file| WeightsFormat::of(file).unwrap_or_else(|| misuse(ErrorKind::InvalidValue, unknown)));
    }
    Some(if output.is_table() { WeightsFormat::Csv } else { WeightsFormat::Json })
}

/// The weights of every face of every photo, and how many photos could not be used (each is named).
fn of_photos(named: &[PathBuf], recognizer: &Recognizer, space: &Space, output: &Output) -> Result<(Vec<Row>, usize)> {
    let photos = Photos::list(named, output)?;
    let progress = output.progress(photos.paths.len(), "projecting photos");
    let faces_of = |_: &PathBuf, file: &PhotoFile| {
        let faces = recognizer.preparation().prepare_all(&file.decode()?)?;
        if faces.is_empty() { Err(PhotoProblem::NoFace) } else { Ok(faces) }
    };
    let read = dataset::load_each(&photos.paths, faces_of, &|done| progress.reach(done));
    drop(progress);
    let (mut rows, mut unusable) = (Vec::new(), photos.unusable.len());
    let alone = photos.paths.len() == 1;
    for (path, faces) in photos.paths.into_iter().zip(read) {
        let faces = match faces {
            Ok(faces) => faces,
            Err(problem) if alone => return Err(eigenfaces::Error::photo(path, problem)),
            Err(problem) => {
                output.warn(&remedy::in_words(&eigenfaces::Error::photo(path, problem)));
                unusable += 1;
                continue;
            }
        };
        let pixels = faces.iter().flat_map(|face| &face.pixels).copied();
        let weights = space.project(&FaceMatrix::from_pixels(space.size(), pixels.collect())?);
        rows.extend((1..).zip(weights.column_iter()).map(|(face, weights)| Row {
            photo: eigenfaces::dataset::path_as_text(&path),
            face,
            person: None,
            weights: weights.iter().copied().collect(),
        }));
    }
    Ok((rows, unusable))
}

fn of_gallery(recognizer: &Recognizer, space: &Space) -> Vec<Row> {
    let gallery = recognizer.gallery();
    let weights = recognizer.shown_weights(space);
    let enrolled = gallery.enrolled().iter().zip(weights.column_iter());
    let rows = enrolled.map(|(face, weights)| Row {
        photo: face.source.clone(),
        face: 1,
        person: Some(gallery.people()[face.person].to_string()),
        weights: weights.iter().copied().collect(),
    });
    rows.collect()
}

fn deliver(
    table: &Table,
    space: &Space,
    form: Option<WeightsFormat>,
    file: Option<&Destination>,
    output: &Output,
) -> Result<()> {
    let Some(form) = form else { return in_words(table, space, output) };
    let bytes = table.to_bytes(form)?;
    let Some(file) = file else {
        return if form == WeightsFormat::Npy { print(&bytes) } else { output.text(&bytes) };
    };
    file.write(Privacy::Owner, bytes)?;
    let faces = counted(table.rows.len(), "face", "faces");
    output.say(&format!("wrote the weights of {faces} to {}", shown(file.path())));
    Ok(())
}

/// Leading weights that a line has room for.
const LEADING: usize = 5;

fn in_words(table: &Table, space: &Space, output: &Output) -> Result<()> {
    let digits = match (table.scale, space) {
        (Scale::Plain, Space::Linear(_)) => 1,
        (Scale::Whitened, _) | (Scale::Plain, Space::Scaled(_)) => 2,
        // Without a unit, and far below 1 as a rule.
        (Scale::Plain, Space::Kernel(..)) => 4,
    };
    for (at, row) in table.rows.iter().enumerate() {
        // A photo with several faces has several rows.
        let mut beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| table.rows.get(at));
        let several = beside.any(|other| other.photo == row.photo);
        let leading = row.weights.iter().take(LEADING);
        let leading: Vec<String> = leading.map(|weight| format!("{weight:.digits$}")).collect();
        let face = if several { format!(", face {}", row.face) } else { String::new() };
        let person = row.person.as_ref().map_or_else(String::new, |name| format!(" ({})", one_line(name)));
        let more = if row.weights.len() > LEADING { " ..." } else { "" };
        let (photo, leading) = (one_line(&row.photo), leading.join(" "));
        let weights = counted(row.weights.len(), "weight", "weights");
        output.line(&format!("{photo}{face}{person}: {leading}{more} ({weights})"))?;
    }
    Ok(())
}

fn axis_name(space: &Space) -> String {
    match space {
        Space::Linear(_) => "basis face".to_owned(),
        Space::Scaled(_) => "basis face of scaled pixels".to_owned(),
        Space::Kernel(space, _) => format!("component of the kernel {},", space.kernel()),
    }
}

fn plot(space: &Space, gallery: &Table, probes: &Table) -> Scatter {
    let shares = space.variance_ratios();
    let unit = if gallery.scale == Scale::Whitened { ", in standard deviations" } else { "" };
    let names = [0, 1].map(|axis| {
        let share = shares.get(axis).copied().unwrap_or(0.0) * 100.0;
        format!("{} {} ({share:.1} % of the variance){unit}", axis_name(space), axis + 1)
    });
    let at = |row: &Row, axis: usize| f64::from(row.weights.get(axis).copied().unwrap_or(0.0));
    let dot = |row: &Row, about: String| Dot { at: [0, 1].map(|axis| at(row, axis)), about };
    let mut people: Vec<Group> = Vec::new();
    for rows in gallery.rows.chunk_by(|a, b| a.person == b.person) {
        let name = rows[0].person.as_deref().unwrap_or_default();
        let dots = rows.iter().map(|row| dot(row, format!("{name}: {}", row.photo)));
        people.push(Group { name: name.to_owned(), dots: dots.collect() });
    }
    let stem = |row: &Row| {
        let stem = Path::new(&row.photo).file_stem();
        stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    };
    let faces = counted(gallery.rows.len(), "enrolled face", "enrolled faces");
    let title = format!("{faces} of {}", counted(people.len(), "person", "people"));
    Scatter {
        title: match probes.rows.len() {
            0 => title,
            count => format!("{title}, and {} (stars)", counted(count, "face", "faces")),
        },
        axes: names,
        people,
        probes: Group { name: String::new(), dots: probes.rows.iter().map(|row| dot(row, stem(row))).collect() },
    }
}
