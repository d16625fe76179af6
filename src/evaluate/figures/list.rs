//! The figures as one list, from which text, JSON, CSV and pages are made.

use serde_json::{Map, Value, json};

use super::{
    CaptureFigures, Evaluation, GroupRate, Groups, Identification, IntervalMethod, LargerGallery,
    OpenSet, Rate, Verification,
};
use crate::decision::FALSE_ACCEPT_TARGET;

/// One number, with all that is said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The subject that it belongs to.
    pub section: Section,
    /// The field of JSON, and the name in CSV; a dot stands before a field within another.
    pub key: String,
    /// A name of a few words.
    pub label: String,
    /// The number.
    pub value: f64,
    /// What it counts.
    pub unit: Unit,
    /// Its intervals, of a rate.
    pub rate: Option<Rate>,
    /// Whether photos that could not be used count in it.
    pub failures: Failures,
    /// Where it is shown.
    pub detail: Detail,
    /// What it means, as the end of a sentence that begins with the number.
    pub meaning: String,
}

/// The subjects of figures, in the order that they are shown in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// Everybody is enrolled: whose photo is it?
    Identification,
    /// Is it who they say they are?
    Verification,
    /// People who are not enrolled.
    Strangers,
    /// Faces and other pictures.
    NotAFace,
    /// Photos that could not be used.
    Capture,
    /// Bytes of a face.
    Compression,
    /// Groups of people.
    Groups,
    /// More people enrolled.
    LargerGalleries,
    /// The methods of the textbooks.
    Baselines,
    /// The first K eigenfaces.
    Weights,
}

/// What a figure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A share, shown as per cent.
    Share,
    /// A number from 0 to 1, shown with three decimals.
    Area,
    /// A ratio.
    Ratio,
    /// A whole number.
    Count,
}

/// Whether photos that could not be used count in a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failures {
    /// They do not.
    Excluded,
    /// They do.
    Included,
    /// It is about something else.
    Irrelevant,
}

/// Where a figure is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Everywhere.
    Main,
    /// Not in text, which is read on a screen.
    Fine,
}

impl Section {
    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Identification => "Everybody is enrolled (closed set)",
            Self::Verification => "Claims to be somebody (verification)",
            Self::Strangers => "Strangers too (open set)",
            Self::NotAFace => "Face or not",
            Self::Capture => "Photos that could not be used",
            Self::Compression => "Compression",
            Self::Groups => "Groups of people",
            Self::LargerGalleries => "Larger galleries, extrapolated",
            Self::Baselines => "Rank-1 of other methods on the same folds",
            Self::Weights => "Rank-1 by the number of weights",
        }
    }

    /// Whether JSON has its figures in lists of their own.
    fn is_listed(self) -> bool {
        matches!(
            self,
            Self::Groups | Self::LargerGalleries | Self::Baselines | Self::Weights
        )
    }
}

/// A share as figures are given: per cent with one decimal.
pub fn share(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

impl Rate {
    /// As figures are given: with its spread over repeats, if there is one, and its interval.
    pub fn in_words(&self) -> String {
        let spread = self
            .standard_deviation
            .map_or_else(String::new, |spread| format!(" ± {:.1}", spread * 100.0));
        let [low, high] = self.interval.map(|end| end * 100.0);
        format!("{}{spread} ({low:.1} to {high:.1})", share(self.mean))
    }
}

impl Figure {
    /// The value as it is read, with its interval.
    pub fn in_words(&self) -> String {
        match (&self.rate, self.unit) {
            (Some(rate), _) => rate.in_words(),
            (None, Unit::Share) => share(self.value),
            (None, Unit::Area) => format!("{:.3}", self.value),
            (None, Unit::Ratio) => format!("{:.1}", self.value),
            (None, Unit::Count) => format!("{:.0}", self.value),
        }
    }

    /// Columns of a table of figures, by [`row`](Self::row).
    pub const COLUMNS: &'static str =
        "figure,value,low,high,standard_deviation,interval,wilson_low,wilson_high,failures";

    /// Its row in a table.
    pub fn row(&self) -> Vec<String> {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let of_rate = |of: fn(&Rate) -> f64| number(self.rate.as_ref().map(of));
        let method = self.rate.map_or("", |rate| rate.method.name());
        let failures = match self.failures {
            Failures::Excluded => "excluded",
            Failures::Included => "included",
            Failures::Irrelevant => "",
        };
        vec![
            self.key.clone(),
            self.value.to_string(),
            of_rate(|rate| rate.interval[0]),
            of_rate(|rate| rate.interval[1]),
            number(self.rate.and_then(|rate| rate.standard_deviation)),
            method.to_owned(),
            of_rate(|rate| rate.wilson[0]),
            of_rate(|rate| rate.wilson[1]),
            failures.to_owned(),
        ]
    }
}

impl IntervalMethod {
    /// As fields name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bootstrap => "bootstrap",
            Self::WilsonOverPeople => "wilson-over-people",
        }
    }
}

/// A list that is being made.
#[derive(Default)]
pub(in crate::evaluate) struct List(pub Vec<Figure>);

impl List {
    fn push(
        &mut self,
        section: Section,
        key: &str,
        label: &str,
        value: f64,
        unit: Unit,
        meaning: impl Into<String>,
    ) -> &mut Figure {
        let failures = match section {
            Section::NotAFace | Section::Compression => Failures::Irrelevant,
            _ if unit == Unit::Count => Failures::Irrelevant,
            _ => Failures::Excluded,
        };
        self.0.push(Figure {
            section,
            key: key.to_owned(),
            label: label.to_owned(),
            value,
            unit,
            rate: None,
            failures,
            detail: Detail::Main,
            meaning: meaning.into(),
        });
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    fn rate(
        &mut self,
        section: Section,
        key: &str,
        label: &str,
        rate: &Rate,
        meaning: impl Into<String>,
    ) -> &mut Figure {
        let figure = self.push(section, key, label, rate.mean, Unit::Share, meaning);
        figure.rate = Some(*rate);
        figure
    }

    pub fn identification(&mut self, found: &Identification) {
        let section = Section::Identification;
        self.rate(
            section,
            "rank1",
            "rank-1",
            &found.rank1,
            "of the probes are nearest to their own person",
        );
        for (rank, rate) in (1..).zip(&found.cmc).skip(1) {
            let key = format!("rank{rank}");
            let meaning = format!("have their own person among the {rank} nearest");
            let figure = self.rate(section, &key, &format!("rank-{rank}"), rate, meaning);
            if rank != 5 {
                figure.detail = Detail::Fine;
            }
        }
    }

    pub fn verification(&mut self, found: &Verification) {
        let section = Section::Verification;
        self.rate(
            section,
            "equal_error_rate",
            "equal error rate",
            &found.equal_error_rate,
            format!(
                "error rate where false rejections equal false acceptances ({} true claims, {} false ones)",
                found.genuine, found.impostors
            ),
        );
        let misses = [
            ("fnmr_at_fmr_1pct", "1 %", &found.misses_at_1_percent),
            ("fnmr_at_fmr_01pct", "0.1 %", &found.misses_at_a_thousandth),
        ];
        for (key, bound, rate) in misses {
            if let Some(rate) = rate {
                let label = format!("FNMR at FMR {bound}");
                let meaning =
                    format!("of true claims are refused where {bound} of false ones are accepted");
                self.rate(section, key, &label, rate, meaning);
            }
        }
        self.push(
            section,
            "verification_area",
            "area under the ROC",
            found.area,
            Unit::Area,
            "of pairs of a true and a false claim have the true one nearer",
        )
        .detail = Detail::Fine;
    }

    /// Searches at thresholds that strangers set; `tpir` is the share found at a false positive identification rate.
    pub fn searches(&mut self, prefix: &str, bound: &str, percent: &str, tpir: &Rate) {
        let section = Section::Strangers;
        let label = match percent {
            "1 %" => "with strangers",
            _ => "  at 10 %",
        };
        self.rate(
            section,
            &format!("{prefix}detection_identification_rate_at_far_{bound}"),
            label,
            tpir,
            format!("of those enrolled are identified where {percent} of strangers pass (TPIR at FPIR {percent})"),
        );
        let fnir = tpir.complement();
        self.rate(
            section,
            &format!("{prefix}fnir_at_fpir_{bound}"),
            &format!("FNIR at FPIR {percent}"),
            &fnir,
            format!("of those enrolled are missed or misnamed where {percent} of strangers pass"),
        )
        .detail = Detail::Fine;
    }

    fn open_set(&mut self, found: &OpenSet) {
        let section = Section::Strangers;
        self.searches(
            "open_set.",
            "1pct",
            "1 %",
            &found.identification_at_1_percent,
        );
        self.searches(
            "open_set.",
            "10pct",
            "10 %",
            &found.identification_at_10_percent,
        );
        let raw = [
            ("1pct", "1 %", &found.raw_pixels_at_1_percent),
            ("10pct", "10 %", &found.raw_pixels_at_10_percent),
        ];
        for (bound, percent, rate) in raw {
            let key = format!("open_set.raw_pixels_detection_identification_rate_at_far_{bound}");
            let meaning = format!(
                "are identified by plain distance between pixels where {percent} of strangers pass"
            );
            self.rate(section, &key, "  plain pixels", rate, meaning);
        }
        self.rate(
            section,
            "open_set.false_accept_rate",
            "as decided",
            &found.strangers_named,
            format!(
                "of strangers get a name by the default decision (FPIR; aim: {:.0} %)",
                FALSE_ACCEPT_TARGET * 100.0
            ),
        );
        self.rate(
            section,
            "open_set.named_rightly",
            "  named rightly",
            &found.named_rightly,
            "of those enrolled get theirs",
        );
        self.rate(
            section,
            "open_set.named_wrongly",
            "  named wrongly",
            &found.named_wrongly,
            "of those enrolled get another's",
        );
        self.rate(
            section,
            "open_set.fnir",
            "FNIR as decided",
            &found.named_rightly.complement(),
            "of those enrolled do not get theirs",
        )
        .detail = Detail::Fine;
        self.push(
            section,
            "open_set.expected_calibration_error",
            "confidence",
            found.confidence.calibration_error,
            Unit::Share,
            "average gap between stated confidence and accuracy",
        );
        self.push(
            section,
            "open_set.expected_calibration_error_adaptive",
            "  adaptive",
            found.confidence.adaptive_calibration_error,
            Unit::Share,
            "in bins of equal weight",
        )
        .detail = Detail::Fine;
        self.not_a_face(found);
    }

    fn not_a_face(&mut self, found: &OpenSet) {
        let section = Section::NotAFace;
        let kinds = &found.not_a_face;
        for (key, words, kind) in kinds.kinds() {
            let label = match key {
                "noise" => "face or not",
                _ => "",
            };
            let meaning = format!("tells faces from {words} (1: always, 0.5: never)");
            let key = format!("open_set.not_a_face.{key}");
            self.push(
                section,
                &format!("{key}_area"),
                label,
                kind.area,
                Unit::Area,
                meaning,
            );
            let meaning = format!("from {words} by the distance from face space alone");
            let by_distance = kind.area_by_distance;
            self.push(
                section,
                &format!("{key}_area_by_distance"),
                "  by distance",
                by_distance,
                Unit::Area,
                meaning,
            )
            .detail = Detail::Fine;
            let meaning = format!("of {words} are refused by the default decision");
            self.push(
                section,
                &format!("{key}_refused"),
                "  refused",
                kind.refused,
                Unit::Share,
                meaning,
            )
            .detail = Detail::Fine;
        }
        self.push(
            section,
            "open_set.not_a_face.faces_refused",
            "faces refused",
            kinds.faces_refused,
            Unit::Share,
            "of faces are refused as none, wrongly",
        )
        .detail = Detail::Fine;
    }

    pub fn capture(&mut self, found: &CaptureFigures) {
        let section = Section::Capture;
        self.rate(
            section,
            "failure_to_acquire_rate",
            "FTA",
            &found.failure_to_acquire,
            format!(
                "of {} photos could not be used (failure to acquire)",
                found.photos
            ),
        );
        self.rate(
            section,
            "no_face_rate",
            "  no face",
            &found.no_face,
            "of photos, since no face was found in them",
        )
        .detail = Detail::Fine;
        self.rate(
            section,
            "failure_to_enrol_rate",
            "FTE",
            &found.failure_to_enrol,
            "of people have no photo that can be used (failure to enrol)",
        );
        self.rate(
            section,
            "rank1_including_failures",
            "rank-1 with these",
            &found.rank1,
            "where photos that could not be used count as misses; no other rate includes them",
        );
        for figure in self.0.iter_mut().filter(|figure| figure.section == section) {
            figure.failures = Failures::Included;
        }
        self.push(
            section,
            "photos_aligned_without_face",
            "  aligned blindly",
            found.aligned_without_face as f64,
            Unit::Count,
            "photos in which no face was found were aligned as the other crops are, and used",
        )
        .detail = Detail::Fine;
    }

    pub fn groups(&mut self, found: &Groups) {
        let section = Section::Groups;
        for group in &found.groups {
            let mut label = format!("{} ({})", group.group, group.people);
            for (rate, kind) in group.rates.iter().zip(GroupRate::ALL) {
                if let Some(rate) = rate {
                    let key = format!("groups.{}.{}", group.group, kind.name());
                    let meaning = format!("{}: {}", kind.name(), kind.meaning());
                    self.rate(section, &key, &std::mem::take(&mut label), rate, meaning);
                }
            }
        }
        for ratio in &found.ratios {
            let key = format!("group_ratios.{}", ratio.rate);
            if let Some(value) = ratio.ratio {
                let meaning = format!(
                    "times the {} of {}: that of {}",
                    ratio.rate, ratio.smallest, ratio.largest
                );
                self.push(section, &key, "largest ratio", value, Unit::Ratio, meaning);
            }
        }
    }

    pub fn larger_galleries(&mut self, found: &[LargerGallery]) {
        let section = Section::LargerGalleries;
        for size in found {
            let people = size.people;
            let key = format!("larger_galleries.{people}");
            let label = format!("{people} people");
            self.push(
                section,
                &format!("{key}.rank1"),
                &label,
                size.rank1,
                Unit::Share,
                "rank-1",
            );
            let missed = size.fnir_at_fpir_1pct;
            self.push(
                section,
                &format!("{key}.fnir_at_fpir_1pct"),
                &label,
                missed,
                Unit::Share,
                "FNIR at FPIR 1 %",
            );
        }
    }

    fn compression(&mut self, evaluation: &Evaluation) {
        let size = &evaluation.compression;
        let section = Section::Compression;
        self.push(
            section,
            "compression.share",
            "compression",
            size.share,
            Unit::Share,
            format!(
                "{} weights ({} bytes) instead of {} pixels, keeping {} of the variance",
                size.components,
                size.bytes_a_face,
                size.pixels,
                share(size.variance)
            ),
        );
        if let Some(point) = evaluation.at_one_percent() {
            let meaning = format!(
                "rank-1 of the table below with {} weights ({} bytes) a face, {} of its pixels",
                point.components,
                point.components * size_of::<f32>(),
                share(point.components as f64 / size.pixels as f64)
            );
            let key = "compression.rank1_at_1_percent";
            self.rate(section, key, "  to 1 % or less", &point.rank1, meaning);
        }
    }

    fn methods(&mut self, evaluation: &Evaluation) {
        for baseline in &evaluation.baselines {
            if let Some(rate) = &baseline.rank1 {
                let name = baseline.method.name();
                let key = format!("baselines.{name}");
                self.rate(
                    Section::Baselines,
                    &key,
                    &format!("  {name}"),
                    rate,
                    baseline.method.meaning(),
                );
            }
        }
        for point in &evaluation.k_curve {
            let key = format!("eigenfaces.{}.rank1", point.components);
            let label = format!("K = {}", point.components);
            self.rate(Section::Weights, &key, &label, &point.rank1, "rank-1")
                .detail = Detail::Fine;
        }
    }
}

impl Rate {
    /// The rate of the others: 1 less it.
    pub fn complement(&self) -> Self {
        let turned = |[low, high]: [f64; 2]| [1.0 - high, 1.0 - low];
        Self {
            mean: 1.0 - self.mean,
            interval: turned(self.interval),
            wilson: turned(self.wilson),
            ..*self
        }
    }
}

impl Evaluation {
    /// Every figure, subject by subject.
    pub fn figures(&self) -> Vec<Figure> {
        let mut list = List::default();
        list.identification(&self.identification);
        list.rate(
            Section::Identification,
            "raw_pixels_rank1",
            "plain pixels",
            &self.raw_pixels_rank1,
            "rank-1 of the nearest photo by plain distance: what eigenfaces must beat",
        );
        list.verification(&self.verification);
        if let Some(open_set) = &self.open_set {
            list.open_set(open_set);
        }
        if let Some(capture) = &self.capture {
            list.capture(capture);
        }
        list.compression(self);
        if let Some(groups) = &self.groups {
            list.groups(groups);
        }
        list.larger_galleries(&self.larger_galleries);
        list.methods(self);
        list.0
    }

    /// All of it as an object, whose fields are documented in docs/EVALUATION.md.
    pub fn object(&self) -> Value {
        let name = |person: usize| self.names.get(person);
        let found = &self.identification;
        let per_person = found.per_person.iter().map(
            |one| json!({ "person": name(one.person), "probes": one.probes, "right": one.right }),
        );
        let wrong = found
            .confusion
            .iter()
            .filter(|cell| cell.person != cell.named);
        let confusion = wrong.map(|cell| {
            json!({ "person": name(cell.person), "named": name(cell.named), "count": cell.count })
        });
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
            "features": self.settings.comparison.features.name(),
            "metric": self.settings.comparison.metric.name(),
            "baselines": self.baselines.iter().map(|one| with_rate(one, one.rank1.as_ref())).collect::<Vec<_>>(),
            "open_set": self.open_set.as_ref().map(open_set),
            "compression": self.compression,
            "k_curve_protocol": self.k_curve_protocol.to_string(),
            "k_curve": self.k_curve.iter().map(|point| with_rate(point, Some(&point.rank1))).collect::<Vec<_>>(),
            "per_person": per_person.collect::<Vec<_>>(),
            "confusion": confusion.collect::<Vec<_>>(),
            "times": self.times,
        });
        curves(
            &mut object,
            &self.verification,
            self.groups.as_ref(),
            &self.larger_galleries,
        );
        insert(&mut object, &self.figures());
        object
    }
}

/// The curves of verification, groups and larger galleries in an object.
pub(in crate::evaluate) fn curves(
    object: &mut Value,
    verification: &Verification,
    groups: Option<&Groups>,
    larger: &[LargerGallery],
) {
    if let Ok(Value::Object(fields)) = serde_json::to_value(verification) {
        for (key, value) in fields {
            object[key] = value;
        }
    }
    let of_group = |group: &super::GroupFigures| {
        let mut object = json!(group);
        for (rate, kind) in group.rates.iter().zip(GroupRate::ALL) {
            insert_rate(&mut object, kind.name(), rate.as_ref());
        }
        object
    };
    object["groups"] = json!(groups.map(|all| all.groups.iter().map(of_group).collect::<Vec<_>>()));
    object["group_ratios"] = json!(groups.map(|all| &all.ratios));
    object["larger_galleries"] = json!(larger);
    object["interval_draws"] = json!(crate::evaluate::DRAWS);
}

/// Figures as fields of an object, each with its intervals beside it.
pub(in crate::evaluate) fn insert(object: &mut Value, figures: &[Figure]) {
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
fn with_rate(value: &impl serde::Serialize, rank1: Option<&Rate>) -> Value {
    let mut object = json!(value);
    insert_rate(&mut object, "rank1", rank1);
    object
}

fn open_set(found: &OpenSet) -> Value {
    let mut object = json!(found);
    let mut not_a_face = Map::new();
    for figure in [
        "area",
        "area_by_distance",
        "refused",
        "roc",
        "roc_by_distance",
    ] {
        not_a_face.insert(format!("pictures_{figure}"), Value::Null);
    }
    for (key, _, kind) in found.not_a_face.kinds() {
        not_a_face.insert(format!("{key}_roc"), json!(kind.roc));
        not_a_face.insert(
            format!("{key}_roc_by_distance"),
            json!(kind.roc_by_distance),
        );
    }
    let pictures = found.not_a_face.pictures.as_ref();
    not_a_face.insert(
        "pictures".to_owned(),
        json!(pictures.map(|kind| kind.count)),
    );
    object["not_a_face"] = Value::Object(not_a_face);
    object["obeys_protocol"] = json!(false);
    object["aim_missed"] = json!(found.misses_aim());
    object["reliability"] = json!(found.confidence.bins);
    object
}
