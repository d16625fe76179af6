//! The figures of an evaluation as one list, from which text, JSON, CSV and pages are made.

use crate::decision::{FALSE_ACCEPT_TARGET, share};
use crate::evaluate::{
    CaptureFigures, Detail, Evaluation, Failures, Figure, GroupRate, Groups, Identification,
    OpenSet, Rate, Section, Unit, Verification,
};

/// A list that is being made.
#[derive(Default)]
struct List {
    figures: Vec<Figure>,
    /// The subject of those that come next.
    section: Section,
}

impl List {
    fn push(
        &mut self,
        key: &str,
        label: &str,
        value: f64,
        unit: Unit,
        meaning: impl Into<String>,
    ) -> &mut Figure {
        let failures = match self.section {
            Section::NotAFace | Section::Compression => Failures::Irrelevant,
            _ if unit == Unit::Count => Failures::Irrelevant,
            Section::Capture => Failures::Included,
            _ => Failures::Excluded,
        };
        self.figures.push(Figure {
            section: self.section,
            key: key.to_owned(),
            label: label.to_owned(),
            value,
            unit,
            rate: None,
            failures,
            detail: Detail::Main,
            meaning: meaning.into(),
        });
        let last = self.figures.len() - 1;
        &mut self.figures[last]
    }

    fn rate(
        &mut self,
        key: &str,
        label: &str,
        rate: &Rate,
        meaning: impl Into<String>,
    ) -> &mut Figure {
        let figure = self.push(key, label, rate.mean, Unit::Share, meaning);
        figure.rate = Some(*rate);
        figure
    }

    fn identification(&mut self, found: &Identification) {
        self.section = Section::Identification;
        self.rate(
            "rank1",
            "rank-1",
            &found.rank1,
            "of the probes are nearest to their own person",
        );
        for (rank, rate) in (1..).zip(&found.cmc).skip(1) {
            let key = format!("rank{rank}");
            let meaning = format!("have their own person among the {rank} nearest");
            let figure = self.rate(&key, &format!("rank-{rank}"), rate, meaning);
            if rank != 5 {
                figure.detail = Detail::Fine;
            }
        }
    }

    fn verification(&mut self, found: &Verification) {
        self.section = Section::Verification;
        self.rate(
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
                self.rate(key, &label, rate, meaning);
            }
        }
        self.push(
            "verification_area",
            "area under the ROC",
            found.area,
            Unit::Area,
            "of pairs of a true and a false claim have the true one nearer",
        )
        .detail = Detail::Fine;
    }

    /// Searches at thresholds that strangers set; `tpir` is the share found at a false positive identification rate.
    fn searches(&mut self, bound: &str, percent: &str, tpir: &Rate) {
        let label = match percent {
            "1 %" => "with strangers",
            _ => "  at 10 %",
        };
        self.rate(
            &format!("open_set.detection_identification_rate_at_far_{bound}"),
            label,
            tpir,
            format!("of those enrolled are identified where {percent} of strangers pass (TPIR at FPIR {percent})"),
        );
        let fnir = tpir.complement();
        self.rate(
            &format!("open_set.fnir_at_fpir_{bound}"),
            &format!("FNIR at FPIR {percent}"),
            &fnir,
            format!("of those enrolled are missed or misnamed where {percent} of strangers pass"),
        )
        .detail = Detail::Fine;
    }

    fn open_set(&mut self, found: &OpenSet) {
        self.section = Section::Strangers;
        self.searches("1pct", "1 %", &found.identification_at_1_percent);
        self.searches("10pct", "10 %", &found.identification_at_10_percent);
        let raw = [
            ("1pct", "1 %", &found.raw_pixels_at_1_percent),
            ("10pct", "10 %", &found.raw_pixels_at_10_percent),
        ];
        for (bound, percent, rate) in raw {
            let key = format!("open_set.raw_pixels_detection_identification_rate_at_far_{bound}");
            let meaning = format!(
                "are identified by plain distance between pixels where {percent} of strangers pass"
            );
            self.rate(&key, "  plain pixels", rate, meaning);
        }
        self.rate(
            "open_set.false_accept_rate",
            "as decided",
            &found.strangers_named,
            format!(
                "of strangers get a name by the default decision (FPIR; aim: {:.0} %)",
                FALSE_ACCEPT_TARGET * 100.0
            ),
        );
        self.rate(
            "open_set.named_rightly",
            "  named rightly",
            &found.named_rightly,
            "of those enrolled get theirs",
        );
        self.rate(
            "open_set.named_wrongly",
            "  named wrongly",
            &found.named_wrongly,
            "of those enrolled get another's",
        );
        self.rate(
            "open_set.fnir",
            "FNIR as decided",
            &found.named_rightly.complement(),
            "of those enrolled do not get theirs",
        )
        .detail = Detail::Fine;
        self.push(
            "open_set.expected_calibration_error",
            "confidence",
            found.confidence.calibration_error,
            Unit::Share,
            "average gap between stated confidence and accuracy",
        );
        self.push(
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
        self.section = Section::NotAFace;
        let kinds = &found.not_a_face;
        for (key, words, kind) in kinds.kinds() {
            let label = match key {
                "noise" => "face or not",
                _ => "",
            };
            let meaning = format!("tells faces from {words} (1: always, 0.5: never)");
            let key = format!("open_set.not_a_face.{key}");
            self.push(
                &format!("{key}_area"),
                label,
                kind.area,
                Unit::Area,
                meaning,
            );
            let meaning = format!("from {words} by the distance from face space alone");
            let by_distance = kind.area_by_distance;
            self.push(
                &format!("{key}_area_by_distance"),
                "  by distance",
                by_distance,
                Unit::Area,
                meaning,
            )
            .detail = Detail::Fine;
            let meaning = format!("of {words} are refused by the default decision");
            self.push(
                &format!("{key}_refused"),
                "  refused",
                kind.refused,
                Unit::Share,
                meaning,
            )
            .detail = Detail::Fine;
        }
        self.push(
            "open_set.not_a_face.faces_refused",
            "faces refused",
            kinds.faces_refused,
            Unit::Share,
            "of faces are refused as none, wrongly",
        )
        .detail = Detail::Fine;
    }

    fn capture(&mut self, found: &CaptureFigures) {
        self.section = Section::Capture;
        self.rate(
            "failure_to_acquire_rate",
            "FTA",
            &found.failure_to_acquire,
            format!(
                "of {} photos could not be used (failure to acquire)",
                found.photos
            ),
        );
        self.rate(
            "no_face_rate",
            "  no face",
            &found.no_face,
            "of photos, since no face was found in them",
        )
        .detail = Detail::Fine;
        self.rate(
            "failure_to_enrol_rate",
            "FTE",
            &found.failure_to_enrol,
            "of people have no photo that can be used (failure to enrol)",
        );
        self.rate(
            "rank1_including_failures",
            "rank-1 with these",
            &found.rank1,
            "where photos that could not be used count as misses; no other rate includes them",
        );
        self.push(
            "photos_aligned_without_face",
            "  aligned blindly",
            found.aligned_without_face as f64,
            Unit::Count,
            "photos in which no face was found were aligned as the other crops are, and used",
        )
        .detail = Detail::Fine;
    }

    fn groups(&mut self, found: &Groups) {
        self.section = Section::Groups;
        for group in &found.groups {
            let mut label = format!("{} ({})", group.group, group.people);
            for (rate, kind) in group.rates.iter().zip(GroupRate::ALL) {
                if let Some(rate) = rate {
                    let key = format!("groups.{}.{}", group.group, kind.name());
                    let meaning = format!("{}: {}", kind.name(), kind.meaning());
                    self.rate(&key, &std::mem::take(&mut label), rate, meaning);
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
                self.push(&key, "largest ratio", value, Unit::Ratio, meaning);
            }
        }
    }

    fn compression(&mut self, evaluation: &Evaluation) {
        let size = &evaluation.compression;
        self.section = Section::Compression;
        self.push(
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
            self.rate(key, "  to 1 % or less", &point.rank1, meaning);
        }
    }

    fn methods(&mut self, evaluation: &Evaluation) {
        self.section = Section::Baselines;
        for baseline in &evaluation.baselines {
            if let Some(rate) = &baseline.rank1 {
                let name = baseline.method.name();
                let key = format!("baselines.{name}");
                self.rate(&key, &format!("  {name}"), rate, baseline.method.meaning());
            }
        }
        self.section = Section::Weights;
        for point in &evaluation.k_curve {
            let key = format!("eigenfaces.{}.rank1", point.components);
            let label = format!("K = {}", point.components);
            self.rate(&key, &label, &point.rank1, "rank-1").detail = Detail::Fine;
        }
    }
}

impl Evaluation {
    /// Every figure, subject by subject.
    pub fn figures(&self) -> Vec<Figure> {
        let mut list = List::default();
        list.identification(&self.identification);
        list.rate(
            "raw_pixels_rank1",
            "plain pixels",
            &self.raw_pixels_rank1,
            "rank-1 of the nearest photo by plain distance: what eigenfaces must beat",
        );
        list.verification(&self.verification);
        self.open_set.iter().for_each(|set| list.open_set(set));
        self.capture.iter().for_each(|found| list.capture(found));
        list.compression(self);
        self.groups.iter().for_each(|groups| list.groups(groups));
        list.methods(self);
        list.figures
    }
}
