//! An evaluation as text, JSON and CSV: all from its list of figures.

use eigenfaces::background::Prior;
use eigenfaces::decision::FALSE_ACCEPT_TARGET;
use eigenfaces::evaluate::{DRAWS, Detail, Evaluation, Figure, OpenSet, Section};
use eigenfaces::kernel_pca::Kernel;
use eigenfaces::matcher::PixelScale;
use serde_json::Value;

use super::{Output, Result, counted, faces_of_people, learning, share};

/// The figures in the format asked for; as text between a heading and the end of the page.
pub fn print(
    figures: &[Figure],
    object: Value,
    output: &Output,
    text: impl Fn(&[Figure]) -> Result<()>,
) -> Result<()> {
    if output.is_text() {
        return text(figures);
    }
    output.header(Figure::COLUMNS)?;
    let rows = || figures.iter().map(Figure::row);
    output.entry(|| object, Vec::new, rows)
}

/// The figures for reading, a line each; `after` says what belongs behind those of a section.
pub fn rows(
    figures: &[Figure],
    seed: u64,
    output: &Output,
    after: impl Fn(Section) -> Result<()>,
) -> Result<()> {
    let shown = |figure: &&Figure| figure.detail == Detail::Main;
    let shown: Vec<&Figure> = figures.iter().filter(shown).collect();
    for section in shown.chunk_by(|a, b| a.section == b.section) {
        let subject = section[0].section;
        let heading = match subject {
            Section::Groups => Some(subject.title()),
            _ => None,
        };
        if let Some(heading) = heading {
            output.line("")?;
            output.line(&format!("{heading}:"))?;
        }
        match subject {
            Section::Baselines => {}
            _ => section.iter().try_for_each(|figure| row(figure, output))?,
        }
        after(subject)?;
    }
    output.line("")?;
    output.line(&format!(
        "intervals: 95 %, {DRAWS} draws of people by seed {seed}; where all draws agree, Wilson's of as many tries as people"
    ))
}

fn row(figure: &Figure, output: &Output) -> Result<()> {
    let line = format!(
        "{:<18} {:>22}  {}",
        figure.label,
        figure.in_words(),
        figure.meaning
    );
    output.line(line.trim_end())
}

fn note(text: &str, output: &Output) -> Result<()> {
    output.line(&format!("{:43}{text}", ""))
}

/// An evaluation of photos for reading.
pub fn text(evaluation: &Evaluation, figures: &[Figure], output: &Output) -> Result<()> {
    output.line(&heading(evaluation))?;
    output.line(&compared_by(evaluation))?;
    output.line("")?;
    rows(figures, evaluation.seed, output, |section| {
        match (section, &evaluation.open_set) {
            (Section::Strangers, Some(open_set)) => {
                strangers_notes(open_set, evaluation.seed, output)
            }
            (Section::Verification, None) => output.line(
                "strangers: too few people, or too few with a second photo, to let some play strangers; give photos of others by --strangers",
            ),
            _ => Ok(()),
        }
    })?;
    output.line("")?;
    output.line(&format!(
        "{} ({}):",
        Section::Baselines.title(),
        evaluation.k_curve_protocol
    ))?;
    let baselines = figures
        .iter()
        .filter(|figure| figure.section == Section::Baselines);
    baselines
        .into_iter()
        .try_for_each(|figure| row(figure, output))?;
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
            "{} wrong in the folder: see enroll --check",
            counted(doubtful, "thing looks", "things look")
        ));
    }
    Ok(())
}

/// What was evaluated, in a line.
pub fn heading(evaluation: &Evaluation) -> String {
    let never = match evaluation.never_tried {
        0 => String::new(),
        count => format!(" ({} never tried)", counted(count, "face", "faces")),
    };
    format!(
        "{}, {}: learned anew {}, {}{never}",
        faces_of_people(evaluation.faces, evaluation.people),
        evaluation.protocol,
        counted(evaluation.folds, "time", "times"),
        counted(evaluation.probes, "probe", "probes"),
    )
}

fn strangers_notes(open_set: &OpenSet, seed: u64, output: &Output) -> Result<()> {
    if let Some(verdict) = missed_aim(open_set) {
        note(&verdict, output)?;
    }
    let enrolled = match open_set.given {
        Some(_) => format!("all {} people", open_set.enrolled),
        None => format!("at least {} people", open_set.enrolled),
    };
    let strangers = match open_set.given {
        Some(given) => format!(
            ", {} by --strangers",
            counted(given, "stranger", "strangers")
        ),
        None => ", the others are strangers to them".to_owned(),
    };
    note(
        &format!(
            "strangers, decisions and confidence: {} by seed {seed}, {enrolled} enrolled with half of their photos{strangers}; \
             --protocol has no part in it",
            counted(open_set.splits, "split", "splits"),
        ),
        output,
    )
}

/// That more strangers get a name than was aimed at, if they do.
fn missed_aim(open_set: &OpenSet) -> Option<String> {
    let named = open_set.strangers_named.mean;
    (named > FALSE_ACCEPT_TARGET).then(|| {
        let aim = FALSE_ACCEPT_TARGET * 100.0;
        if open_set.misses_aim() {
            format!(
                "the aim is missed: {} where {aim:.0} % was asked; a smaller identify --far lets fewer pass",
                share(named)
            )
        } else {
            format!(
                "above the aim of {aim:.0} %, by no more than chance does with so few strangers"
            )
        }
    })
}

/// The method that the figures are of.
fn compared_by(evaluation: &Evaluation) -> String {
    let settings = evaluation.settings;
    match settings.prior {
        Prior::Bundled => {
            return "compared by the background model of how people differ; --background none compares by what these faces alone teach".to_owned();
        }
        Prior::Own(own) => return format!("compared by {}", learning::learned_from(own)),
        Prior::None => {}
    }
    let space = match (settings.distance.kernel, settings.distance.pixel_scale) {
        (Kernel::Linear, PixelScale::Plain) => "pixels".to_owned(),
        (Kernel::Linear, PixelScale::Deviation) => "scaled pixels".to_owned(),
        (kernel, _) => format!("the kernel {kernel}"),
    };
    format!(
        "compared by the weights of {space}, metric {}; learned from these faces alone",
        settings.distance.metric.name()
    )
}

fn curve(evaluation: &Evaluation, output: &Output) -> Result<()> {
    output.line(&format!(
        "Eigenfaces by the number of weights K, metric {} ({}):",
        evaluation.settings.distance.metric.name(),
        evaluation.k_curve_protocol
    ))?;
    output.line("    K   variance   rank-1   J learned   J unseen   PSNR unseen")?;
    for point in &evaluation.k_curve {
        output.line(&format!(
            "{:>5} {:>10} {:>8} {:>11.4} {:>10.4} {:>10.1} dB",
            point.components,
            share(point.variance),
            share(point.rank1.mean),
            point.error_learned,
            point.error_unseen,
            point.psnr_unseen
        ))?;
    }
    output.line("J: squared error of the faces rebuilt from K weights, of the total variation: of faces learned from, and unseen")
}
