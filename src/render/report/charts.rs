//! The curves of the report: ranks, claims, K, and how honest confidences are.

use super::super::chart::{Axis, CURVES, Chart, Scale, Series, Unit};
use super::Report;
use super::words::percent;
use crate::evaluate::{KPoint, OpenSet};

impl Report<'_> {
    pub(super) fn cmc(&self) -> String {
        let cmc = &self.evaluation.identification.cmc;
        let points: Vec<(f64, f64)> = (1..)
            .zip(cmc)
            .map(|(rank, rate)| (f64::from(rank), rate.mean))
            .collect();
        let raw = self.evaluation.raw_pixels_rank1.mean;
        let lowest = points.iter().map(|point| point.1).fold(raw, f64::min);
        let marks = points.iter().map(|&(rank, rate)| {
            let hover = format!("among the nearest {rank:.0}: {}", percent(rate));
            (rank, rate, hover)
        });
        let chart = Chart {
            title: "Own person among the nearest (CMC)".to_owned(),
            x: axis(
                "people looked at",
                (1.0, cmc.len().max(2) as f64),
                Scale::Linear,
                Unit::Number,
            ),
            y: axis(
                "share of probes",
                (floor_below(lowest), 1.0),
                Scale::Linear,
                Unit::Percent,
            ),
            series: vec![
                Series::Curve {
                    name: String::new(),
                    points: points.clone(),
                    color: CURVES[0],
                },
                Series::Marks {
                    name: String::new(),
                    points: marks.collect(),
                    color: CURVES[0],
                },
                Series::Level {
                    name: format!("plain pixels, rank-1: {}", percent(raw)),
                    at: raw,
                },
            ],
        };
        chart.draw().to_svg()
    }

    pub(super) fn roc(&self) -> String {
        let verification = &self.evaluation.verification;
        let points = verification.roc.iter();
        let points: Vec<(f64, f64)> = points.map(|p| (p.false_accepts, p.true_accepts)).collect();
        let least = points
            .iter()
            .map(|point| point.0)
            .filter(|&far| far > 0.0)
            .fold(1.0, f64::min);
        // Where the curve crosses the line of equal errors.
        let equal = verification.equal_error_rate;
        let chart = Chart {
            title: "Is it who they say? (ROC)".to_owned(),
            x: axis(
                "false claims accepted (logarithmic)",
                (decade_below(least), 1.0),
                Scale::Logarithmic,
                Unit::Percent,
            ),
            y: axis(
                "true claims accepted",
                (0.0, 1.0),
                Scale::Linear,
                Unit::Percent,
            ),
            series: vec![
                Series::Curve {
                    name: format!("area {:.4}", verification.area),
                    points,
                    color: CURVES[0],
                },
                Series::Marks {
                    name: format!("equal error rate {}", percent(equal)),
                    points: vec![(
                        equal,
                        1.0 - equal,
                        format!("equal error rate {}", percent(equal)),
                    )],
                    color: CURVES[1],
                },
            ],
        };
        chart.draw().to_svg()
    }

    pub(super) fn accuracy_by_k(&self) -> String {
        let curve = &self.evaluation.k_curve;
        let raw = self.evaluation.raw_pixels_rank1.mean;
        let points = |value: fn(&KPoint) -> f64| -> Vec<(f64, f64)> {
            curve
                .iter()
                .map(|point| (point.components as f64, value(point)))
                .collect()
        };
        let most = curve.last().map_or(2.0, |point| point.components as f64);
        let chart = Chart {
            title: "Basis faces against recognition".to_owned(),
            x: axis(
                "K (logarithmic)",
                (1.0, most.max(2.0)),
                Scale::Logarithmic,
                Unit::Number,
            ),
            y: axis("share", (0.0, 1.0), Scale::Linear, Unit::Percent),
            series: vec![
                Series::Curve {
                    name: "variance".to_owned(),
                    points: points(|point| point.variance),
                    color: CURVES[2],
                },
                Series::Curve {
                    name: "rank-1 by weights".to_owned(),
                    points: points(|point| point.rank1),
                    color: CURVES[0],
                },
                Series::Level {
                    name: format!("plain pixels: {}", percent(raw)),
                    at: raw,
                },
            ],
        };
        chart.draw().to_svg()
    }
}

pub(super) fn reliability(open_set: &OpenSet) -> String {
    let bins = &open_set.confidence.bins;
    let marks = bins.iter().map(|bin| {
        let hover = format!(
            "confidence {}, right {}, {} of all",
            percent(bin.confidence),
            percent(bin.accuracy),
            percent(bin.weight)
        );
        (bin.confidence, bin.accuracy, hover)
    });
    let chart = Chart {
        title: "Is confidence what it says?".to_owned(),
        x: axis("confidence", (0.0, 1.0), Scale::Linear, Unit::Percent),
        y: axis(
            "how often the name is right",
            (0.0, 1.0),
            Scale::Linear,
            Unit::Percent,
        ),
        series: vec![
            Series::Curve {
                name: "perfectly honest".to_owned(),
                points: vec![(0.0, 0.0), (1.0, 1.0)],
                color: CURVES[2],
            },
            Series::Curve {
                name: "measured".to_owned(),
                points: bins
                    .iter()
                    .map(|bin| (bin.confidence, bin.accuracy))
                    .collect(),
                color: CURVES[0],
            },
            Series::Marks {
                name: String::new(),
                points: marks.collect(),
                color: CURVES[0],
            },
        ],
    };
    chart.draw().to_svg()
}

pub(super) fn axis(name: &str, range: (f64, f64), scale: Scale, unit: Unit) -> Axis {
    Axis {
        name: name.to_owned(),
        range,
        scale,
        unit,
    }
}

pub(super) fn decade_below(value: f64) -> f64 {
    10_f64.powf(value.max(1e-12).log10().floor().min(-1.0))
}

pub(super) fn decade_above(value: f64) -> f64 {
    10_f64.powf(value.max(1e-12).log10().ceil())
}

/// A round share below a share, so that the upper part of a chart is not all there is to see.
fn floor_below(share: f64) -> f64 {
    ((share - 0.05) * 10.0).floor().max(0.0) / 10.0
}
