//! `eigenfaces evaluate`: how well the people of a folder are recognised.

use eigenfaces::dataset::{self, Limits};
use eigenfaces::error::Result;
use eigenfaces::evaluate::{self, Apart, Evaluation, OpenSet, Plan, Rate};
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::gallery::Gallery;
use eigenfaces::locate::framing::Framing;
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::Settings;
use image::imageops;

use super::args::{Evaluate, Format};
use super::output::{Output, counted};
use super::{Outcome, check, evaluation_json, learning, pairs};

pub fn run(args: &Evaluate, output: &Output) -> Result<Outcome> {
    if args.check {
        return check::folder(args, output);
    }
    if let Some(table) = &args.pairs {
        return pairs::run(args, table, output);
    }
    let collected = learning::collect(
        &args.faces,
        &args.labels,
        learning::Onto::Nothing,
        &args.learn,
        output,
    )?;
    learning::report_skipped(&collected.skipped, output);
    learning::report_parts(&collected, output);
    if let Some(survey) = &collected.survey {
        learning::report_framing(survey, output);
    }
    let preparation = collected.preparation;
    let (gallery, repeats) = Gallery::assemble(preparation.size(), collected.folder.new)?;
    let disputed = learning::disputes(&repeats);
    learning::report_skipped(&disputed, output);
    let unusable = collected.skipped.len() + disputed.len();
    let outcome = Outcome::of_inputs(gallery.len(), unusable);
    let plan = Plan {
        protocol: args.protocol,
        seed: args.seed,
        not_faces: not_faces(args, &preparation, output)?,
    };
    let settings = args.learn.settings(Settings::default());
    let folds = plan.protocol.folds(&gallery, plan.seed)?.len();
    learning::report_slow_folds(settings, folds, output);
    let progress = output.progress(folds, "learning and trying");
    let people = gallery.people().to_vec();
    let evaluation = evaluate::evaluate(preparation, gallery, settings, &plan, &|done| {
        progress.reach(done.min(folds));
    })?;
    drop(progress);
    match output.format {
        Format::Text => text(&evaluation, output)?,
        Format::Json => {
            output.json(evaluation_json::object(&evaluation, &people))?;
        }
        Format::Csv => evaluation_json::csv(&evaluation, &people, output)?,
    }
    Ok(outcome)
}

/// Five crops of each picture of `--not-faces`, the whole and each quarter, prepared as faces that are taken as they
/// are.
fn not_faces(args: &Evaluate, faces: &Preparation, output: &Output) -> Result<Option<FaceMatrix>> {
    if args.not_faces.is_empty() {
        return Ok(None);
    }
    let listing = dataset::list_photos(&args.not_faces)?;
    let size = faces.size();
    let preparation = Preparation::new(size, Framing::AsIs).with_light(faces.light());
    let crops = dataset::load(
        &listing.photos,
        &Limits::default(),
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
    if crops.items.is_empty() {
        return Err(learning::none_usable(
            &args.not_faces,
            crops.skipped.len() + listing.skipped.len(),
        ));
    }
    FaceMatrix::from_pixels(size, crops.items.concat()).map(Some)
}

/// A share as figures are given: per cent with one decimal.
fn share(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// With its spread, if there is one.
fn rate(rate: Rate) -> String {
    match rate.standard_deviation {
        None => share(rate.mean),
        Some(spread) => format!("{} ± {:.1}", share(rate.mean), spread * 100.0),
    }
}

fn text(evaluation: &Evaluation, output: &Output) -> Result<()> {
    let row = |what: &str, figure: &str, meaning: &str| {
        output.line(format!("{what:<18} {figure:>13}  {meaning}").trim_end())
    };
    output.line(&heading(evaluation))?;
    output.line("")?;
    let found = &evaluation.identification;
    row(
        "rank-1",
        &rate(found.rank1),
        "of the probes are nearest to their own person",
    )?;
    if let Some(fifth) = found.cmc.get(4) {
        row(
            "rank-5",
            &rate(*fifth),
            "have their own person among the five nearest",
        )?;
    }
    row(
        "plain pixels",
        &rate(evaluation.raw_pixels_rank1),
        "rank-1 of the nearest photo by plain distance: what eigenfaces must beat",
    )?;
    let verification = &evaluation.verification;
    row(
        "equal error rate",
        &share(verification.equal_error_rate),
        &format!(
            "of {} are rejected where as many of {} are accepted",
            counted(verification.genuine, "true claim", "true claims"),
            counted(verification.impostors, "false one", "false ones")
        ),
    )?;
    match &evaluation.open_set {
        Some(open_set) => open_set_rows(open_set, &row)?,
        None => output.line("strangers          too few people, or too few with a second photo, to let some play strangers")?,
    }
    let size = &evaluation.compression;
    row(
        "compression",
        &share(size.share),
        &format!(
            "{} ({} bytes) instead of {} pixels, keeping {} of the variance",
            counted(size.components, "weight", "weights"),
            size.bytes_a_face,
            size.pixels,
            share(size.variance)
        ),
    )?;
    if let Some(point) = evaluation.at_one_percent() {
        row(
            "  to 1 % or less",
            &share(point.rank1),
            &format!(
                "rank-1 of eigenfaces proper with {} ({} bytes) a face, {} of its pixels",
                counted(point.components, "weight", "weights"),
                point.components * size_of::<f32>(),
                share(point.components as f64 / size.pixels as f64)
            ),
        )?;
    }
    output.line("")?;
    curve(evaluation, output)?;
    let times = &evaluation.times;
    output.say(&format!(
        "time: {:.2} s to learn and calibrate once, {:.4} s to identify a face, {:.2} s for all folds, {:.2} s for the \
         first K, {:.2} s for strangers",
        times.learning, times.identifying_a_face, times.folds, times.k_curve, times.open_set
    ));
    let suspects = &evaluation.suspects;
    let doubtful =
        suspects.duplicates.len() + suspects.mislabelled.len() + suspects.not_faces.len();
    if doubtful > 0 {
        output.say(&format!(
            "{} wrong in the folder: see evaluate --check",
            counted(doubtful, "thing looks", "things look")
        ));
    }
    Ok(())
}

fn heading(evaluation: &Evaluation) -> String {
    let never = match evaluation.never_tried {
        0 => String::new(),
        count => format!(" ({} never tried)", counted(count, "face", "faces")),
    };
    format!(
        "{} of {}, {}: learned anew {}, {}{never}",
        counted(evaluation.faces, "face", "faces"),
        counted(evaluation.people, "person", "people"),
        evaluation.protocol,
        counted(evaluation.folds, "time", "times"),
        counted(evaluation.probes, "probe", "probes"),
    )
}

fn open_set_rows(open_set: &OpenSet, row: &dyn Fn(&str, &str, &str) -> Result<()>) -> Result<()> {
    row(
        "with strangers",
        &rate(open_set.identification_at_1_percent),
        &format!(
            "of those enrolled are identified where 1 % of strangers pass (plain pixels: {})",
            share(open_set.raw_pixels_at_1_percent.mean)
        ),
    )?;
    row(
        "",
        &rate(open_set.identification_at_10_percent),
        &format!(
            "where 10 % pass (plain pixels: {}); people split {}, {} enrolled",
            share(open_set.raw_pixels_at_10_percent.mean),
            counted(open_set.splits, "time", "times"),
            open_set.enrolled
        ),
    )?;
    row(
        "as decided",
        &share(open_set.strangers_named),
        &format!(
            "of strangers get a name (aim: 1 %); of those enrolled {} get theirs, {} another's",
            share(open_set.named_rightly),
            share(open_set.named_wrongly)
        ),
    )?;
    row(
        "confidence",
        &share(open_set.confidence.calibration_error),
        &format!(
            "is how far it is from the truth on average ({} in bins of equal weight)",
            share(open_set.confidence.adaptive_calibration_error)
        ),
    )?;
    let kinds = &open_set.not_a_face;
    let from = |area: fn(&Apart) -> f64| {
        let told = |kind: &Apart| format!("{:.3}", area(kind));
        let pictures = kinds.pictures.as_ref();
        let pictures = pictures.map(|kind| format!("{} from pictures given, ", told(kind)));
        let others = format!(
            "{} from blurred noise, {}{} from faces upside down",
            told(&kinds.blurred_noise),
            pictures.unwrap_or_default(),
            told(&kinds.upside_down)
        );
        (told(&kinds.noise), others)
    };
    let (noise, others) = from(|kind| kind.area);
    row(
        "face or not",
        &noise,
        &format!("tells faces from noise, {others} (1: always, 0.5: never)"),
    )?;
    let (noise, others) = from(|kind| kind.area_by_distance);
    row(
        "  by distance",
        &noise,
        &format!("from noise by the distance from face space alone, {others}"),
    )
}

/// The curve over K as a table.
fn curve(evaluation: &Evaluation, output: &Output) -> Result<()> {
    output.line(&format!(
        "Eigenfaces proper, the first K of them ({}):",
        evaluation.k_curve_protocol
    ))?;
    output.line("    K   variance   rank-1   J learned   J unseen   PSNR unseen")?;
    for point in &evaluation.k_curve {
        output.line(&format!(
            "{:>5} {:>10} {:>8} {:>11.4} {:>10.4} {:>10.1} dB",
            point.components,
            share(point.variance),
            share(point.rank1),
            point.error_learned,
            point.error_unseen,
            point.psnr_unseen
        ))?;
    }
    output.line("J: squared error of the faces rebuilt from K weights, of the total variation: of faces learned from, and unseen")
}
