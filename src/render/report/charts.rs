//! The curves of the report: ranks, claims, K, and how honest confidences are.

use super::super::chart::{self, Axis, CURVES, Series};
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
        chart::svg(
            "Own person among the nearest (CMC)",
            Axis::numbers("people looked at", (1.0, cmc.len().max(2) as f64)),
            Axis::shares("share of probes", (floor_below(lowest), 1.0)),
            &[
                Series::Curve(String::new(), points.clone(), CURVES[0]),
                Series::Marks(String::new(), marks.collect(), CURVES[0]),
                Series::Level(format!("plain pixels, rank-1: {}", percent(raw)), raw),
            ],
        )
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
        let named = format!("equal error rate {}", percent(equal));
        chart::svg(
            "Is it who they say? (ROC)",
            Axis::shares(
                "false claims accepted (logarithmic)",
                (chart::decade_below(least), 1.0),
            )
            .logarithmic(),
            Axis::shares("true claims accepted", (0.0, 1.0)),
            &[
                Series::Curve(format!("area {:.4}", verification.area), points, CURVES[0]),
                Series::Marks(named.clone(), vec![(equal, 1.0 - equal, named)], CURVES[1]),
            ],
        )
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
        chart::svg(
            "Basis faces against recognition",
            Axis::numbers("K (logarithmic)", (1.0, most.max(2.0))).logarithmic(),
            Axis::shares("share", (0.0, 1.0)),
            &[
                Series::Curve(
                    "variance".to_owned(),
                    points(|point| point.variance),
                    CURVES[2],
                ),
                Series::Curve(
                    "rank-1 by weights".to_owned(),
                    points(|point| point.rank1),
                    CURVES[0],
                ),
                Series::Level(format!("plain pixels: {}", percent(raw)), raw),
            ],
        )
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
    chart::svg(
        "Is confidence what it says?",
        Axis::shares("confidence", (0.0, 1.0)),
        Axis::shares("how often the name is right", (0.0, 1.0)),
        &[
            Series::Curve(
                "perfectly honest".to_owned(),
                vec![(0.0, 0.0), (1.0, 1.0)],
                CURVES[2],
            ),
            Series::Curve(
                "measured".to_owned(),
                bins.iter()
                    .map(|bin| (bin.confidence, bin.accuracy))
                    .collect(),
                CURVES[0],
            ),
            Series::Marks(String::new(), marks.collect(), CURVES[0]),
        ],
    )
}

/// A round share below a share, so that the upper part of a chart is not all there is to see.
fn floor_below(share: f64) -> f64 {
    ((share - 0.05) * 10.0).floor().max(0.0) / 10.0
}
