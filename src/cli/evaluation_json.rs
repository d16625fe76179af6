//! An evaluation as JSON and CSV; field names are stable, scripts depend on them.

use eigenfaces::dataset::Person;
use eigenfaces::evaluate::{Evaluation, NotAFace, OpenSet, Rate, RocPoint};
use serde_json::{Value, json};

use super::error::Result;
use super::output::Output;

pub fn object(evaluation: &Evaluation, people: &[Person]) -> Value {
    let found = &evaluation.identification;
    let name = |person: usize| people.get(person).map(Person::as_str);
    let per_person = found.per_person.iter().map(|one| {
        json!({
            "person": name(one.person),
            "probes": one.probes,
            "right": one.right,
        })
    });
    let confusion = found
        .confusion
        .iter()
        .filter(|cell| cell.person != cell.named)
        .map(|cell| {
            json!({
                "person": name(cell.person),
                "named": name(cell.named),
                "count": cell.count,
            })
        });
    let compression = &evaluation.compression;
    json!({
        "protocol": evaluation.protocol.to_string(),
        "seed": evaluation.seed,
        "people": evaluation.people,
        "faces": evaluation.faces,
        "folds": evaluation.folds,
        "probes": evaluation.probes,
        "never_tried": evaluation.never_tried,
        "rank1": found.rank1.mean,
        "rank1_standard_deviation": found.rank1.standard_deviation,
        "rank5": found.cmc.get(4).map(|rate| rate.mean),
        "cmc": found.cmc.iter().map(|rate| rate.mean).collect::<Vec<_>>(),
        "rank1_interval": found.rank1.interval,
        "compared_by": evaluation.settings.prior.name(),
        "features": evaluation.settings.comparison.features.name(),
        "metric": evaluation.settings.comparison.metric.name(),
        "baselines": baselines(evaluation),
        "raw_pixels_rank1_interval": evaluation.raw_pixels_rank1.interval,
        "equal_error_rate_interval": evaluation.verification.equal_error_interval,
        "raw_pixels_rank1": evaluation.raw_pixels_rank1.mean,
        "raw_pixels_rank1_standard_deviation": evaluation.raw_pixels_rank1.standard_deviation,
        "equal_error_rate": evaluation.verification.equal_error_rate,
        "verification_area": evaluation.verification.area,
        "genuine_claims": evaluation.verification.genuine,
        "impostor_claims": evaluation.verification.impostors,
        "roc": roc(&evaluation.verification.roc),
        "open_set": evaluation.open_set.as_ref().map(open_set),
        "compression": {
            "pixels": compression.pixels,
            "components": compression.components,
            "share": compression.share,
            "bytes_a_face": compression.bytes_a_face,
            "variance": compression.variance,
            "components_in_folds": [compression.components_in_folds.0, compression.components_in_folds.1],
        },
        "k_curve_protocol": evaluation.k_curve_protocol.to_string(),
        "k_curve": evaluation.k_curve,
        "per_person": per_person.collect::<Vec<_>>(),
        "confusion": confusion.collect::<Vec<_>>(),
        "times": evaluation.times,
    })
}

fn roc(points: &[RocPoint]) -> Vec<[f64; 2]> {
    let pair = |point: &RocPoint| [point.false_accepts, point.true_accepts];
    points.iter().map(pair).collect()
}

/// Rank-1 of each method, all on the folds of `k_curve_protocol`.
fn baselines(evaluation: &Evaluation) -> Vec<Value> {
    let baselines = evaluation.baselines.iter().map(|baseline| {
        json!({
            "method": baseline.method.name(),
            "rank1": baseline.rank1.map(|rate| rate.mean),
            "rank1_interval": baseline.rank1.map(|rate| rate.interval),
            "rank1_standard_deviation": baseline.rank1.and_then(|rate| rate.standard_deviation),
        })
    });
    baselines.collect()
}

fn rates(open_set: &OpenSet) -> [(&'static str, &Rate); 7] {
    [
        (
            "detection_identification_rate_at_far_1pct",
            &open_set.identification_at_1_percent,
        ),
        (
            "detection_identification_rate_at_far_10pct",
            &open_set.identification_at_10_percent,
        ),
        (
            "raw_pixels_detection_identification_rate_at_far_1pct",
            &open_set.raw_pixels_at_1_percent,
        ),
        (
            "raw_pixels_detection_identification_rate_at_far_10pct",
            &open_set.raw_pixels_at_10_percent,
        ),
        ("false_accept_rate", &open_set.strangers_named),
        ("named_rightly", &open_set.named_rightly),
        ("named_wrongly", &open_set.named_wrongly),
    ]
}

fn open_set(open_set: &OpenSet) -> Value {
    let mut object = json!({
        "splits": open_set.splits,
        "enrolled": open_set.enrolled,
        "genuine": open_set.genuine,
        "strangers": open_set.strangers,
        "strangers_given": open_set.given,
        "obeys_protocol": false,
        "aim_missed": open_set.misses_aim(),
        "expected_calibration_error": open_set.confidence.calibration_error,
        "expected_calibration_error_adaptive": open_set.confidence.adaptive_calibration_error,
        "reliability": open_set.confidence.bins,
        "not_a_face": not_a_face(&open_set.not_a_face),
    });
    for (name, rate) in rates(open_set) {
        object[name] = rate.mean.into();
        object[format!("{name}_interval")] = json!(rate.interval);
        if let Some(spread) = rate.standard_deviation {
            object[format!("{name}_standard_deviation")] = spread.into();
        }
    }
    object
}

/// The figures of each kind of pictures; those of kinds that there are none of are null.
fn not_a_face(found: &NotAFace) -> Value {
    let pictures = found.pictures.as_ref();
    let mut object = json!({
        "faces_refused": found.faces_refused,
        "pictures": pictures.map(|kind| kind.count),
    });
    for (name, kind) in [
        ("noise", Some(&found.noise)),
        ("blurred_noise", Some(&found.blurred_noise)),
        ("upside_down", Some(&found.upside_down)),
        ("pictures", pictures),
    ] {
        let by_distance = kind.map(|kind| roc(&kind.roc_by_distance));
        for (figure, value) in [
            ("area", json!(kind.map(|kind| kind.area))),
            (
                "area_by_distance",
                json!(kind.map(|kind| kind.area_by_distance)),
            ),
            ("refused", json!(kind.map(|kind| kind.refused))),
            ("roc", json!(kind.map(|kind| roc(&kind.roc)))),
            ("roc_by_distance", json!(by_distance)),
        ] {
            object[format!("{name}_{figure}")] = value;
        }
    }
    object
}

/// The figures as one table: each with its 95 % interval and, over repeats, its standard deviation where it has them.
/// Names are those of the JSON fields, those within another after a dot.
pub fn csv(evaluation: &Evaluation, output: &Output) -> Result<()> {
    output.line("figure,value,low,high,standard_deviation")?;
    let put = |figure: &str, value: f64, interval: Option<[f64; 2]>, spread: Option<f64>| {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        output.csv(&[
            figure.to_owned(),
            value.to_string(),
            number(interval.map(|[low, _]| low)),
            number(interval.map(|[_, high]| high)),
            number(spread),
        ])
    };
    let plain = |figure: &str, value: f64| put(figure, value, None, None);
    let rate = |figure: &str, rate: &Rate| {
        put(
            figure,
            rate.mean,
            Some(rate.interval),
            rate.standard_deviation,
        )
    };
    for (figure, count) in [
        ("people", evaluation.people),
        ("faces", evaluation.faces),
        ("folds", evaluation.folds),
        ("probes", evaluation.probes),
        ("never_tried", evaluation.never_tried),
    ] {
        plain(figure, count as f64)?;
    }
    rate("rank1", &evaluation.identification.rank1)?;
    for (rank, found) in (1..).zip(&evaluation.identification.cmc).skip(1) {
        rate(&format!("rank{rank}"), found)?;
    }
    let verification = &evaluation.verification;
    put(
        "equal_error_rate",
        verification.equal_error_rate,
        Some(verification.equal_error_interval),
        None,
    )?;
    plain("verification_area", verification.area)?;
    rate("raw_pixels_rank1", &evaluation.raw_pixels_rank1)?;
    for baseline in &evaluation.baselines {
        if let Some(found) = &baseline.rank1 {
            rate(&format!("baselines.{}", baseline.method.name()), found)?;
        }
    }
    if let Some(open_set) = &evaluation.open_set {
        for (figure, found) in rates(open_set) {
            rate(&format!("open_set.{figure}"), found)?;
        }
        let off_by = open_set.confidence.calibration_error;
        plain("open_set.expected_calibration_error", off_by)?;
    }
    plain("compression.share", evaluation.compression.share)?;
    for point in &evaluation.k_curve {
        let figure = format!("eigenfaces.{}.rank1", point.components);
        put(&figure, point.rank1, Some(point.rank1_interval), None)?;
    }
    Ok(())
}
