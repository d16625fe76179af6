//! An evaluation for reading.

use eigenfaces::background::Prior;
use eigenfaces::decision::FALSE_ACCEPT_TARGET;
use eigenfaces::evaluate::{Apart, BaselineMethod, Evaluation, OpenSet, Rate};
use eigenfaces::kernel_pca::Kernel;
use eigenfaces::matcher::Feature;
use eigenfaces::preparation::Preparation;

use super::error::Result;
use super::output::{Output, counted};

/// A share as figures are given: per cent with one decimal.
fn share(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// With its 95 % interval, and its spread if there is one.
fn rate(rate: Rate) -> String {
    let spread = rate
        .standard_deviation
        .map_or_else(String::new, |spread| format!(" ± {:.1}", spread * 100.0));
    format!("{}{spread} {}", share(rate.mean), interval(rate.interval))
}

fn interval([low, high]: [f64; 2]) -> String {
    format!("({:.1} to {:.1})", low * 100.0, high * 100.0)
}

pub fn print(evaluation: &Evaluation, preparation: &Preparation, output: &Output) -> Result<()> {
    let row = |what: &str, figure: &str, meaning: &str| {
        output.line(format!("{what:<16} {figure:>22}  {meaning}").trim_end())
    };
    output.line(&heading(evaluation))?;
    output.line(&compared_by(evaluation, preparation))?;
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
        &format!(
            "{} {}",
            share(verification.equal_error_rate),
            interval(verification.equal_error_interval)
        ),
        &format!(
            "error rate where false rejections equal false acceptances ({}, {})",
            counted(verification.genuine, "true claim", "true claims"),
            counted(verification.impostors, "false one", "false ones")
        ),
    )?;
    match &evaluation.open_set {
        Some(open_set) => open_set_rows(open_set, evaluation.seed, &row)?,
        None => output.line(
            "strangers: too few people, or too few with a second photo, to let some play strangers; give photos of others by --strangers",
        )?,
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
                "rank-1 of the table below with {} ({} bytes) a face, {} of its pixels",
                counted(point.components, "weight", "weights"),
                point.components * size_of::<f32>(),
                share(point.components as f64 / size.pixels as f64)
            ),
        )?;
    }
    output.line("")?;
    baselines(evaluation, output)?;
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

fn open_set_rows(
    open_set: &OpenSet,
    seed: u64,
    row: &dyn Fn(&str, &str, &str) -> Result<()>,
) -> Result<()> {
    row(
        "with strangers",
        &rate(open_set.identification_at_1_percent),
        &format!(
            "of those enrolled are identified where 1 % of strangers pass (plain pixels: {})",
            rate(open_set.raw_pixels_at_1_percent)
        ),
    )?;
    row(
        "",
        &rate(open_set.identification_at_10_percent),
        &format!(
            "where 10 % pass (plain pixels: {})",
            rate(open_set.raw_pixels_at_10_percent)
        ),
    )?;
    row(
        "as decided",
        &rate(open_set.strangers_named),
        &format!(
            "of strangers get a name (aim: {:.0} %); of those enrolled {} get theirs, {} another's",
            FALSE_ACCEPT_TARGET * 100.0,
            rate(open_set.named_rightly),
            rate(open_set.named_wrongly)
        ),
    )?;
    if let Some(verdict) = missed_aim(open_set) {
        row("", "", &verdict)?;
    }
    row(
        "confidence",
        &share(open_set.confidence.calibration_error),
        &format!(
            "average gap between stated confidence and accuracy ({} in bins of equal weight)",
            share(open_set.confidence.adaptive_calibration_error)
        ),
    )?;
    row(
        "",
        "",
        &format!(
            "strangers, decisions and confidence: {} by seed {seed}, {} enrolled with half of their photos{}; --protocol has \
             no part in it",
            counted(open_set.splits, "split", "splits"),
            match open_set.given {
                Some(_) => format!("all {} people", open_set.enrolled),
                None => format!("at least {} people", open_set.enrolled),
            },
            match open_set.given {
                Some(given) => format!(
                    ", {} by --strangers",
                    counted(given, "stranger", "strangers")
                ),
                None => ", the others are strangers to them".to_owned(),
            }
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

/// The method and the preparation that the figures are of.
fn compared_by(evaluation: &Evaluation, preparation: &Preparation) -> String {
    let settings = evaluation.settings;
    if settings.prior == Prior::Bundled {
        return "compared by the background model of how people differ; --background none compares by what these faces alone teach".to_owned();
    }
    let views = settings.comparison.features.shares(preparation.size());
    let views = views.iter().map(|(view, _)| match view {
        Feature::Pixels => "pixels",
        Feature::Texture => "texture",
    });
    let kernel = match settings.comparison.kernel {
        Kernel::Linear => String::new(),
        kernel => format!(", kernel {kernel}"),
    };
    format!(
        "compared by the weights of {}{kernel}, metric {}; learned from these faces alone",
        views.collect::<Vec<_>>().join(" and "),
        settings.comparison.metric.name()
    )
}

/// The methods of the textbooks, on the same folds.
fn baselines(evaluation: &Evaluation, output: &Output) -> Result<()> {
    output.line(&format!(
        "Rank-1 of other methods on the same folds ({}):",
        evaluation.k_curve_protocol
    ))?;
    for baseline in &evaluation.baselines {
        let found = match baseline.rank1 {
            Some(found) => rate(found),
            None => "needs people with two photos or more".to_owned(),
        };
        let how = match baseline.method {
            BaselineMethod::Asked => "the method of the figures above",
            BaselineMethod::Pixels => "nearest photo by the distance between pixels",
            BaselineMethod::Eigenfaces => {
                "nearest photo by the Euclidean distance between weights (Turk & Pentland 1991)"
            }
            BaselineMethod::Fisherfaces => {
                "nearest photo by discriminants of the weights (Belhumeur et al. 1997)"
            }
            BaselineMethod::PatternHistograms => {
                "nearest photo by histograms of local binary patterns (Ahonen et al. 2004)"
            }
        };
        output.line(&format!(
            "  {:<14} {found:>22}  {how}",
            baseline.method.name()
        ))?;
    }
    Ok(())
}

fn curve(evaluation: &Evaluation, output: &Output) -> Result<()> {
    output.line(&format!(
        "Eigenfaces by the number of weights K, metric {} ({}):",
        evaluation.settings.comparison.metric.name(),
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
