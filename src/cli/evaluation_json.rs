//! An evaluation as JSON and CSV; field names are stable, scripts depend on them.

use eigenfaces::dataset::Person;
use eigenfaces::error::Result;
use eigenfaces::evaluate::{Evaluation, OpenSet, Rate, RocPoint};
use serde_json::{Value, json};

use super::output::Output;

/// The whole evaluation as one object.
pub fn object(evaluation: &Evaluation, people: &[Person]) -> Value {
    let found = &evaluation.identification;
    let mean = |rate: Option<&Rate>| rate.map(|rate| rate.mean);
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
        "rank5": mean(found.cmc.get(4)),
        "cmc": found.cmc.iter().map(|rate| rate.mean).collect::<Vec<_>>(),
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

fn open_set(open_set: &OpenSet) -> Value {
    let kinds = &open_set.not_a_face;
    let pictures = kinds.pictures.as_ref();
    json!({
        "splits": open_set.splits,
        "enrolled": open_set.enrolled,
        "genuine": open_set.genuine,
        "strangers": open_set.strangers,
        "detection_identification_rate_at_far_1pct": open_set.identification_at_1_percent.mean,
        "detection_identification_rate_at_far_1pct_standard_deviation":
            open_set.identification_at_1_percent.standard_deviation,
        "detection_identification_rate_at_far_10pct": open_set.identification_at_10_percent.mean,
        "detection_identification_rate_at_far_10pct_standard_deviation":
            open_set.identification_at_10_percent.standard_deviation,
        "raw_pixels_detection_identification_rate_at_far_1pct": open_set.raw_pixels_at_1_percent.mean,
        "raw_pixels_detection_identification_rate_at_far_10pct": open_set.raw_pixels_at_10_percent.mean,
        "false_accept_rate": open_set.strangers_named,
        "named_rightly": open_set.named_rightly,
        "named_wrongly": open_set.named_wrongly,
        "expected_calibration_error": open_set.confidence.calibration_error,
        "expected_calibration_error_adaptive": open_set.confidence.adaptive_calibration_error,
        "reliability": open_set.confidence.bins,
        "not_a_face": {
            "faces_refused": kinds.faces_refused,
            "noise_area": kinds.noise.area,
            "noise_area_by_distance": kinds.noise.area_by_distance,
            "noise_refused": kinds.noise.refused,
            "noise_roc": roc(&kinds.noise.roc),
            "noise_roc_by_distance": roc(&kinds.noise.roc_by_distance),
            "blurred_noise_area": kinds.blurred_noise.area,
            "blurred_noise_area_by_distance": kinds.blurred_noise.area_by_distance,
            "blurred_noise_refused": kinds.blurred_noise.refused,
            "blurred_noise_roc": roc(&kinds.blurred_noise.roc),
            "blurred_noise_roc_by_distance": roc(&kinds.blurred_noise.roc_by_distance),
            "upside_down_area": kinds.upside_down.area,
            "upside_down_area_by_distance": kinds.upside_down.area_by_distance,
            "upside_down_refused": kinds.upside_down.refused,
            "upside_down_roc": roc(&kinds.upside_down.roc),
            "upside_down_roc_by_distance": roc(&kinds.upside_down.roc_by_distance),
            "pictures": pictures.map(|kind| kind.count),
            "pictures_area": pictures.map(|kind| kind.area),
            "pictures_area_by_distance": pictures.map(|kind| kind.area_by_distance),
            "pictures_refused": pictures.map(|kind| kind.refused),
            "pictures_roc": pictures.map(|kind| roc(&kind.roc)),
            "pictures_roc_by_distance": pictures.map(|kind| roc(&kind.roc_by_distance)),
        },
    })
}

/// The same fields, one a row: a field of an object within is named `open_set.strangers`, a member of a
/// list `cmc.1`, counted from 1.
pub fn csv(evaluation: &Evaluation, people: &[Person], output: &Output) -> Result<()> {
    output.line("field,value")?;
    let mut rows = Vec::new();
    flatten(String::new(), &object(evaluation, people), &mut rows);
    rows.iter().try_for_each(|row| output.csv(row))
}

fn flatten(name: String, value: &Value, rows: &mut Vec<[String; 2]>) {
    let within = |part: &str| match name.as_str() {
        "" => part.to_owned(),
        name => format!("{name}.{part}"),
    };
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(field, value)| flatten(within(field), value, rows)),
        Value::Array(items) => (1..)
            .zip(items)
            .for_each(|(at, item): (usize, _)| flatten(within(&at.to_string()), item, rows)),
        Value::Null => rows.push([name, String::new()]),
        Value::String(text) => rows.push([name, text.clone()]),
        number => rows.push([name, number.to_string()]),
    }
}
