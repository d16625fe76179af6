//! The figures of an evaluation as one list, from which text, JSON, CSV and pages are made.

use std::fmt::Display;

use crate::decision::{FALSE_ACCEPT_TARGET, share};
use crate::evaluate::{
    CaptureFigures, ClaimErrors, Detail, Evaluation, Failures, Figure, GroupRate, Groups, OpenSet, Rate, Section, Unit,
};
use crate::text::counted;

/// Of each figure section, key, label, unit, where it is shown, meaning; `{0}` and so on are filled in.
const WORDS: &str = include_str!("words.txt");

impl Figure {
    /// The figure of this key, as [`WORDS`] has it.
    fn of(pattern: &str, value: f64, filled: &[&dyn Display]) -> Self {
        let lines = WORDS.lines().map(|line| line.split('|').collect::<Vec<_>>());
        let words = lines.into_iter().find(|words| words[1] == pattern).unwrap_or_else(|| vec![pattern; 6]);
        let fill = |text: &str| {
            let parts = filled.iter().enumerate();
            parts.fold(text.to_owned(), |text, (at, part)| text.replace(&format!("{{{at}}}"), &part.to_string()))
        };
        let section = Section::named(words[0]);
        let unit = words[3].parse().unwrap_or(Unit::Share);
        let failures = match section {
            Section::NotAFace | Section::Compression => Failures::Irrelevant,
            _ if unit == Unit::Count => Failures::Irrelevant,
            Section::Capture => Failures::Included,
            _ => Failures::Excluded,
        };
        Self {
            section,
            key: fill(pattern),
            label: fill(words[2]),
            value,
            unit,
            rate: None,
            failures,
            detail: words[4].parse().unwrap_or(Detail::Main),
            meaning: fill(words[5]),
        }
    }
}

struct List(Vec<Figure>);

impl List {
    fn number(&mut self, pattern: &str, value: f64, filled: &[&dyn Display]) {
        self.0.push(Figure::of(pattern, value, filled));
    }

    fn rate(&mut self, pattern: &str, rate: &Rate, filled: &[&dyn Display]) {
        self.0.push(Figure { rate: Some(*rate), ..Figure::of(pattern, rate.mean, filled) });
    }

    fn cmc(&mut self, rates: &[Rate]) {
        for (rank, rate) in (1..).zip(rates) {
            match rank {
                1 => self.rate("rank1", rate, &[]),
                5 => self.rate("rank5", rate, &[]),
                _ => self.rate("rank{0}", rate, &[&rank]),
            }
        }
    }

    fn verification(&mut self, found: &ClaimErrors) {
        self.rate("equal_error_rate", &found.equal_error_rate, &[&found.genuine, &found.impostors]);
        let misses = [("1pct", "1 %", &found.misses_at_1_percent), ("01pct", "0.1 %", &found.misses_at_a_thousandth)];
        for (key, bound, rate) in misses {
            if let Some(rate) = rate {
                self.rate("fnmr_at_fmr_{0}", rate, &[&key, &bound]);
            }
        }
        self.number("verification_area", found.area, &[]);
    }

    fn open_set(&mut self, found: &OpenSet) {
        const RAW: &str = "open_set.raw_pixels_detection_identification_rate_at_far_{0}";
        // No smaller share of strangers can pass than one of them is.
        let least = found.fpir_fnir.first().map_or(1.0, |point| point.fpir);
        let one = (0.01, "1pct", "1 %", &found.identification_at_1_percent, &found.raw_pixels_at_1_percent);
        let ten = (0.1, "10pct", "10 %", &found.identification_at_10_percent, &found.raw_pixels_at_10_percent);
        let known = [one, ten].into_iter().filter(|&(fpir, ..)| fpir >= least);
        for (number, (_, bound, percent, tpir, _)) in known.clone().enumerate() {
            let label = if number == 0 { "with strangers".to_owned() } else { format!("  at {percent}") };
            let filled: [&dyn Display; 3] = [&bound, &percent, &label];
            self.rate("open_set.detection_identification_rate_at_far_{0}", tpir, &filled);
            self.rate("open_set.fnir_at_fpir_{0}", &tpir.complement(), &filled);
        }
        for (_, bound, percent, _, raw) in known {
            self.rate(RAW, raw, &[&bound, &percent]);
        }
        self.rate("open_set.false_accept_rate", &found.strangers_named, &[&(FALSE_ACCEPT_TARGET * 100.0)]);
        self.rate("open_set.named_rightly", &found.named_rightly, &[]);
        self.rate("open_set.named_wrongly", &found.named_wrongly, &[]);
        self.rate("open_set.fnir", &found.named_rightly.complement(), &[]);
        let (key, confidence) = ("open_set.expected_calibration_error", &found.confidence);
        self.number(key, confidence.calibration_error, &[]);
        self.number(&format!("{key}_adaptive"), confidence.adaptive_calibration_error, &[]);
        let kinds = &found.not_a_face;
        for (key, words, kind) in kinds.kinds() {
            let label = if key == "noise" { "face or not" } else { "" };
            let filled: [&dyn Display; 3] = [&key, &words, &label];
            self.number("open_set.not_a_face.{0}_area", kind.area, &filled);
            self.number("open_set.not_a_face.{0}_area_by_distance", kind.area_by_distance, &filled);
            self.number("open_set.not_a_face.{0}_refused", kind.refused, &filled);
        }
        self.number("open_set.not_a_face.faces_refused", kinds.faces_refused, &[]);
    }

    fn capture(&mut self, found: &CaptureFigures) {
        self.rate("failure_to_acquire_rate", &found.failure_to_acquire, &[&found.photos]);
        self.rate("no_face_rate", &found.no_face, &[]);
        self.rate("failure_to_enrol_rate", &found.failure_to_enrol, &[]);
        self.rate("rank1_including_failures", &found.rank1, &[]);
        self.number("photos_aligned_without_face", found.aligned_without_face as f64, &[]);
    }

    fn groups(&mut self, found: &Groups) {
        for group in &found.groups {
            let mut label = format!("{} ({})", group.group, group.people);
            for (rate, kind) in group.rates.iter().zip(GroupRate::ALL) {
                if let Some(rate) = rate {
                    self.rate("groups.{0}.{1}", rate, &[&group.group, &kind.name(), &label, &kind.meaning()]);
                    label.clear();
                }
            }
        }
        for ratio in &found.ratios {
            if let Some(value) = ratio.ratio {
                self.number("group_ratios.{0}", value, &[&ratio.rate, &ratio.smallest, &ratio.largest]);
            }
        }
    }

    fn compression(&mut self, evaluation: &Evaluation) {
        let size = &evaluation.compression;
        let weights = |count: usize| counted(count, "weight", "weights");
        let filled: [&dyn Display; 4] =
            [&weights(size.components), &size.bytes_a_face, &size.pixels, &share(size.variance)];
        self.number("compression.share", size.share, &filled);
        if let Some(point) = evaluation.at_one_percent() {
            let bytes = point.components * size_of::<f32>();
            let of_pixels = share(point.components as f64 / size.pixels as f64);
            self.rate(
                "compression.rank1_at_1_percent",
                &point.rank1,
                &[&weights(point.components), &bytes, &of_pixels],
            );
        }
    }
}

impl Evaluation {
    /// Every figure, subject by subject.
    pub fn figures(&self) -> Vec<Figure> {
        let mut list = List(Vec::new());
        list.cmc(&self.identification.cmc);
        list.rate("raw_pixels_rank1", &self.raw_pixels_rank1, &[]);
        list.verification(&self.verification);
        self.open_set.iter().for_each(|set| list.open_set(set));
        self.capture.iter().for_each(|found| list.capture(found));
        list.compression(self);
        self.groups.iter().for_each(|groups| list.groups(groups));
        for baseline in &self.baselines {
            list.rate("baselines.{0}", &baseline.rank1, &[&baseline.method.name(), &baseline.method.meaning()]);
        }
        for point in &self.k_curve {
            list.rate("eigenfaces.{0}.rank1", &point.rank1, &[&point.components]);
        }
        list.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_words_is_whole() {
        for line in WORDS.lines() {
            let words: Vec<&str> = line.split('|').collect();
            assert_eq!(words.len(), 6, "{line}");
            assert!(Section::NAMES.iter().any(|(name, ..)| *name == words[0]), "{line}");
            assert!(words[3].parse::<Unit>().is_ok(), "{line}");
            assert!(words[4].parse::<Detail>().is_ok(), "{line}");
        }
    }
}
