//! An evaluation as an object of JSON, whose fields docs/EVALUATION.md documents: figures by their keys, and the curves.

use serde_json::{Map, Value, json};

use crate::evaluate::{ClaimErrors, Evaluation, Figure, GroupFigures, GroupRate, Groups, OpenSet, Rate, Unit};

impl Evaluation {
    /// All of it as an object, whose fields are documented in docs/EVALUATION.md.
    pub fn object(&self) -> Value {
        let name = |person: usize| self.names.get(person);
        let found = &self.identification;
        let per_person = found
            .per_person
            .iter()
            .map(|one| json!({ "person": name(one.person), "probes": one.probes, "right": one.right }));
        let wrong = found.confusion.iter().filter(|cell| cell.person != cell.named);
        let confusion =
            wrong.map(|cell| json!({ "person": name(cell.person), "named": name(cell.named), "count": cell.count }));
        let baselines = self.baselines.iter().map(|one| with_rate(&json!({ "method": one.method.name() }), &one.rank1));
        let mut object = json!({
            "protocol": self.protocol.to_string(),
            "seed": self.seed,
            "people": self.people,
            "faces": self.faces,
            "folds": self.folds,
            "probes": self.probes,
            "never_tried": self.never_tried,
            "rank5": null,
            "rank1_standard_deviation": null,
            "raw_pixels_rank1_standard_deviation": null,
            "cmc": found.cmc.iter().map(|rate| rate.mean).collect::<Vec<_>>(),
            "compared_by": self.settings.prior.name(),
            "metric": self.settings.distance.metric.name(),
            "baselines": baselines.collect::<Vec<_>>(),
            "open_set": self.open_set.as_ref().map(open_set),
            "compression": self.compression,
            "k_curve_protocol": self.k_curve_protocol.to_string(),
            "k_curve": self.k_curve.iter().map(|point| with_rate(point, &point.rank1)).collect::<Vec<_>>(),
            "per_person": per_person.collect::<Vec<_>>(),
            "confusion": confusion.collect::<Vec<_>>(),
            "times": self.times,
        });
        curves(&mut object, &self.verification, self.groups.as_ref());
        insert(&mut object, &self.figures());
        object
    }
}

/// The curves of verification, and groups, in an object.
fn curves(object: &mut Value, verification: &ClaimErrors, groups: Option<&Groups>) {
    if let Ok(Value::Object(fields)) = serde_json::to_value(verification) {
        for (key, value) in fields {
            object[key] = value;
        }
    }
    let of_group = |group: &GroupFigures| {
        let mut object = json!(group);
        for (rate, kind) in group.rates.iter().zip(GroupRate::ALL) {
            insert_rate(&mut object, kind.name(), rate.as_ref());
        }
        object
    };
    object["groups"] = json!(groups.map(|all| all.groups.iter().map(of_group).collect::<Vec<_>>()));
    object["group_ratios"] = json!(groups.map(|all| &all.ratios));
    object["interval_draws"] = json!(crate::evaluate::DRAWS);
}

/// Figures as fields of an object, each with its intervals beside it.
fn insert(object: &mut Value, figures: &[Figure]) {
    for figure in figures.iter().filter(|figure| !figure.section.is_listed()) {
        let mut place = &mut *object;
        let mut parts: Vec<&str> = figure.key.split('.').collect();
        let key = parts.pop().unwrap_or_default();
        for part in parts {
            place = &mut place[part];
        }
        match &figure.rate {
            Some(rate) => insert_rate(place, key, Some(rate)),
            None if figure.unit == Unit::Count => place[key] = json!(figure.value as u64),
            None => place[key] = json!(figure.value),
        }
    }
}

fn insert_rate(object: &mut Value, key: &str, rate: Option<&Rate>) {
    object[key] = json!(rate.map(|rate| rate.mean));
    object[format!("{key}_interval")] = json!(rate.map(|rate| rate.interval));
    object[format!("{key}_interval_method")] = json!(rate.map(|rate| rate.method));
    object[format!("{key}_wilson")] = json!(rate.map(|rate| rate.wilson));
    if let Some(spread) = rate.and_then(|rate| rate.standard_deviation) {
        object[format!("{key}_standard_deviation")] = json!(spread);
    }
}

/// A value and its rank-1.
fn with_rate(value: &impl serde::Serialize, rank1: &Rate) -> Value {
    let mut object = json!(value);
    insert_rate(&mut object, "rank1", Some(rank1));
    object
}

fn open_set(found: &OpenSet) -> Value {
    let mut object = json!(found);
    let mut not_a_face = Map::new();
    for (key, _, kind) in found.not_a_face.kinds() {
        not_a_face.insert(format!("{key}_roc"), json!(kind.roc));
        not_a_face.insert(format!("{key}_roc_by_distance"), json!(kind.roc_by_distance));
    }
    object["not_a_face"] = Value::Object(not_a_face);
    object["obeys_protocol"] = json!(false);
    object["aim_missed"] = json!(found.misses_aim());
    object["reliability"] = json!(found.confidence.bins);
    object
}
