//! Draws photos of people who do not exist, so that no real person's face need be in this repository.
//!
//! A head is a parametric surface in centimetres (skull, face, hair, ears, neck, clothes), drawn once for a
//! person; expression, pose, light and the camera's faults are drawn for every photo. Sheets of points are lit
//! (two lamps with shadows, a fill light, hollows) and drawn into a depth buffer with four samples to a pixel.
//!
//! ```text
//! cargo run --release --example render_people -- -o faces                       # the bundled people
//! cargo run --release --example render_people -- --subject probes -o assets/probes
//! cargo run --release --example render_people -- --subject group --framing scene --size 360x150 -o assets/scenes
//! cargo run --release --example render_people -- --people 10000 --images 20 --size 64x64 --layout flat -o /tmp/crowd
//! ```

mod body;
mod eyes;
mod face;
mod geometry;
mod hair;
mod head;
mod light;
mod options;
pub mod person;
mod photo;
pub mod portrait;
mod random;
pub mod raster;
mod shape;
mod sheet;
pub mod shot;
mod still_life;

use clap::Parser;
use image::GrayImage;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use options::{Layout, Options, Subject};
use person::Person;
use portrait::Portrait;
use raster::Canvas;
use rayon::prelude::*;
use std::error::Error;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::ExitCode;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The first image that is not among the bundled ones.
const FIRST_PROBE_IMAGE: u64 = 9;
/// Bundled people who are drawn again as probes.
const PROBED: [u64; 6] = [1, 2, 3, 6, 9, 14];
/// Who stands beside whom in the group photo: two of the bundled people, and a stranger in the middle.
const GROUP: [u64; 3] = [1, 28, 6];
/// People beyond the bundled ones who look like none of them.
const STRANGERS: [u64; 2] = [28, 32];

const LANDMARKS_HEADER: &str = "file\tleft_eye_x\tleft_eye_y\tright_eye_x\tright_eye_y\tnose_x\tnose_y\
    \tmouthL_x\tmouthL_y\tmouthR_x\tmouthR_y\n";

/// One photo to draw.
struct Order {
    person: u64,
    image: u64,
    /// Path below the output folder.
    file: String,
}

fn main() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(e) if e.use_stderr() => {
            // One line: what is wrong and what would be right; the rest only points to --help.
            let message = e.to_string();
            let said: Vec<&str> = message
                .lines()
                .take_while(|l| !l.is_empty())
                .map(str::trim)
                .collect();
            eprintln!("{}", said.join(" "));
            return ExitCode::from(2);
        }
        Err(help) => help.exit(),
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Outcome<()> {
    let orders = match options.subject {
        Subject::People => order_people(options),
        Subject::Probes => order_probes(options),
        Subject::Group => return draw_group(options),
    };
    make_folders(options, &orders)?;
    let session = options.session();
    let rows: Vec<String> = orders
        .par_iter()
        .map_init(
            || Canvas::new(session.width, session.height),
            |canvas, order| {
                let person = Person::draw(session.seed, order.person);
                let portrait =
                    portrait::photograph(&session, &person, order.person, order.image, canvas);
                save(&portrait.image, &options.output.join(&order.file))?;
                Ok(landmark_row(&order.file, &portrait))
            },
        )
        .collect::<Outcome<_>>()?;
    if options.subject == Subject::Probes {
        save(
            &still_life::photograph(&session, 0),
            &options.output.join("not-a-face.png"),
        )?;
    }
    if let Some(path) = &options.landmarks {
        let text = LANDMARKS_HEADER.to_owned() + &rows.concat();
        fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    }
    Ok(())
}

fn order_people(options: &Options) -> Vec<Order> {
    let people = options.first_person..options.first_person + options.people;
    people
        .flat_map(|person| {
            let name = person::name(person);
            let images = options.first_image..options.first_image + options.images;
            images.map(move |image| {
                let file = match options.layout {
                    Layout::Folders => format!("{name}/{image}.png"),
                    Layout::Flat => format!("{name} {image}.png"),
                };
                Order {
                    person,
                    image,
                    file,
                }
            })
        })
        .collect()
}

fn order_probes(options: &Options) -> Vec<Order> {
    let image = options.first_image.max(FIRST_PROBE_IMAGE);
    let known = PROBED.iter().enumerate().map(|(i, &person)| Order {
        person,
        image: image + i as u64,
        file: format!("{}.png", person::name(person).to_lowercase()),
    });
    let strangers = STRANGERS.iter().enumerate().map(|(i, &person)| Order {
        person,
        image,
        file: format!("stranger-{}.png", i + 1),
    });
    known.chain(strangers).collect()
}

/// `group.png`: people who are known and a stranger, side by side.
fn draw_group(options: &Options) -> Outcome<()> {
    let session = options.session();
    let image = options.first_image.max(FIRST_PROBE_IMAGE);
    let mut canvas = Canvas::new(session.width, session.height);
    let picture = portrait::group(&session, &GROUP, image, &mut canvas);
    fs::create_dir_all(&options.output)
        .map_err(|e| format!("cannot make folder {}: {e}", options.output.display()))?;
    save(&picture, &options.output.join("group.png"))
}

fn make_folders(options: &Options, orders: &[Order]) -> Outcome<()> {
    let mut last = None;
    for order in orders {
        let folder = Path::new(&order.file).parent();
        if folder != last {
            let path = folder.map_or(options.output.clone(), |f| options.output.join(f));
            fs::create_dir_all(&path)
                .map_err(|e| format!("cannot make folder {}: {e}", path.display()))?;
            last = folder;
        }
    }
    Ok(())
}

fn save(image: &GrayImage, path: &Path) -> Outcome<()> {
    let write = || -> Outcome<()> {
        let mut file = BufWriter::new(File::create(path)?);
        let encoder =
            PngEncoder::new_with_quality(&mut file, CompressionType::Best, FilterType::Adaptive);
        image.write_with_encoder(encoder)?;
        Ok(file.flush()?)
    };
    write().map_err(|e| format!("cannot write {}: {e}", path.display()).into())
}

fn landmark_row(file: &str, portrait: &Portrait) -> String {
    let mut row = file.to_owned();
    for (x, y) in portrait.landmarks {
        // Writing to a string cannot fail.
        let _ = write!(row, "\t{x:.2}\t{y:.2}");
    }
    row + "\n"
}
