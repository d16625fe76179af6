//! An evaluation as JSON and CSV; field names are stable, scripts depend on them.

use eigenfaces::dataset::Person;
use eigenfaces::error::Result;
use eigenfaces::evaluate::{Evaluation, NotAFace, OpenSet, Rate, RocPoint};
use serde_json::{Map, Value, json};

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
        "not_a_face": not_a_face(&open_set.not_a_face),
    })
}

/// The figures of each kind of pictures; those of kinds that there are none of are null.
fn not_a_face(found: &NotAFace) -> Value {
    let mut fields = Map::new();
    let mut put = |name: String, value: Value| fields.insert(name, value);
    let pictures = found.pictures.as_ref();
    put("faces_refused".to_owned(), json!(found.faces_refused));
    put(
        "pictures".to_owned(),
        json!(pictures.map(|kind| kind.count)),
    );
    for (name, kind) in [
        ("noise", Some(&found.noise)),
        ("blurred_noise", Some(&found.blurred_noise)),
        ("upside_down", Some(&found.upside_down)),
        ("pictures", pictures),
    ] {
        let mut figure = |figure: &str, value: Value| put(format!("{name}_{figure}"), value);
        figure("area", json!(kind.map(|kind| kind.area)));
        figure(
            "area_by_distance",
            json!(kind.map(|kind| kind.area_by_distance)),
        );
        figure("refused", json!(kind.map(|kind| kind.refused)));
        figure("roc", json!(kind.map(|kind| roc(&kind.roc))));
        figure(
            "roc_by_distance",
            json!(kind.map(|kind| roc(&kind.roc_by_distance))),
        );
    }
    Value::Object(fields)
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
