//! Plots as SVG text: sharp at any size, readable in any browser, a few kilobytes.

use std::fmt::Write as _;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 690.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 360.0;
/// Bars of components that are kept, and of those that are not.
const KEPT: &str = "#7a9cc6";
const LEFT_OUT: &str = "#d3dfee";

/// The numbers of a scree plot.
#[derive(Debug, Clone, Copy)]
pub struct Scree<'a> {
    /// Each eigenvalue over the total variance, decreasing: kept or not.
    pub ratios: &'a [f64],
    /// K, the number of components kept: marked by a vertical line.
    pub kept: usize,
}

/// The scree plot: bars of the variance share of each component on a logarithmic scale (left axis), the
/// cumulative share as a curve (right axis), and K marked.
pub fn scree(scree: Scree<'_>) -> String {
    let count = scree.ratios.len().max(1);
    let step = (RIGHT - LEFT) / count as f64;
    let x = |component: f64| LEFT + component * step;
    let top = decade_above(scree.ratios.first().copied().unwrap_or(1.0));
    let floor = decade_below(scree.ratios.last().copied().unwrap_or(0.1)).min(top - 1.0);
    let log_y = |share: f64| {
        let height = (share.max(1e-300).log10() - floor) / (top - floor);
        BOTTOM - height.clamp(0.0, 1.0) * (BOTTOM - TOP)
    };
    let linear_y = |share: f64| BOTTOM - share.clamp(0.0, 1.0) * (BOTTOM - TOP);

    let mut svg = open("Variance of each basis face, and of all up to it");
    axes(&mut svg, floor as i32..=top as i32, &log_y, &linear_y);
    for (at, &ratio) in scree.ratios.iter().enumerate() {
        let y = log_y(ratio);
        let _ = writeln!(
            svg,
            r##"<rect x="{:.2}" y="{y:.2}" width="{:.2}" height="{:.2}" fill="{}"/>"##,
            x(at as f64),
            (step * 0.85).max(0.3),
            BOTTOM - y,
            if at < scree.kept { KEPT } else { LEFT_OUT }
        );
    }
    let mut sum = 0.0;
    let mut curve = String::new();
    for (at, ratio) in scree.ratios.iter().enumerate() {
        sum += ratio;
        let _ = write!(curve, "{:.2},{:.2} ", x(at as f64 + 0.5), linear_y(sum));
    }
    let _ = writeln!(
        svg,
        r##"<polyline points="{}" fill="none" stroke="#b5462f" stroke-width="2"/>"##,
        curve.trim_end()
    );
    let kept: f64 = scree.ratios.iter().take(scree.kept).sum();
    mark(&mut svg, x(scree.kept as f64), scree.kept, kept);
    count_axis(&mut svg, count, &x);
    svg.push_str("</svg>\n");
    svg
}

fn open(title: &str) -> String {
    format!(
        concat!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" "##,
            r##"font-family="sans-serif" font-size="12" fill="#222">"##,
            "\n<title>{t}</title>\n",
            r##"<rect width="{w}" height="{h}" fill="#fff"/>"##,
            "\n",
            r##"<text x="{x}" y="26" font-size="16">{t}</text>"##,
            "\n"
        ),
        w = WIDTH,
        h = HEIGHT,
        t = title,
        x = LEFT
    )
}

fn axes(
    svg: &mut String,
    decades: std::ops::RangeInclusive<i32>,
    log_y: &impl Fn(f64) -> f64,
    linear_y: &impl Fn(f64) -> f64,
) {
    for decade in decades {
        let y = log_y(10_f64.powi(decade));
        let share = 10_f64.powi(decade + 2);
        let _ = writeln!(
            svg,
            r##"<line x1="{LEFT}" y1="{y:.2}" x2="{RIGHT}" y2="{y:.2}" stroke="#e4e4e4"/><text x="{:.0}" y="{:.2}" text-anchor="end" fill="#41618c">{share} %</text>"##,
            LEFT - 6.0,
            y + 4.0
        );
    }
    for percent in [0, 25, 50, 75, 100] {
        let y = linear_y(f64::from(percent) / 100.0);
        let _ = writeln!(
            svg,
            r##"<text x="{:.0}" y="{:.2}" fill="#b5462f">{percent} %</text>"##,
            RIGHT + 6.0,
            y + 4.0
        );
    }
    let _ = writeln!(
        svg,
        r##"<text x="{LEFT}" y="{:.0}" fill="#41618c">bars, left: each (log scale)</text><text x="{RIGHT}" y="{:.0}" text-anchor="end" fill="#b5462f">line, right: cumulative</text>"##,
        TOP - 8.0,
        TOP - 8.0
    );
}

fn mark(svg: &mut String, x: f64, kept: usize, share: f64) {
    // The text stands to the left of the line where the right has no room for it.
    let (anchor, at) = if x > (LEFT + RIGHT) / 2.0 {
        ("end", x - 6.0)
    } else {
        ("start", x + 6.0)
    };
    let _ = writeln!(
        svg,
        r##"<line x1="{x:.2}" y1="{TOP}" x2="{x:.2}" y2="{BOTTOM}" stroke="#222" stroke-dasharray="5 4"/><text x="{at:.2}" y="{:.0}" text-anchor="{anchor}">K = {kept}: {:.1} % of the variance</text>"##,
        (TOP + BOTTOM) / 2.0,
        share * 100.0
    );
}

fn count_axis(svg: &mut String, count: usize, x: &impl Fn(f64) -> f64) {
    let step = round_step(count);
    let ticks = std::iter::once(1).chain((1..).map(|tick| tick * step).take_while(|&t| t <= count));
    for tick in ticks {
        let _ = writeln!(
            svg,
            r##"<text x="{:.2}" y="{:.0}" text-anchor="middle">{tick}</text>"##,
            x(tick as f64 - 0.5),
            BOTTOM + 18.0
        );
    }
    let _ = writeln!(
        svg,
        r##"<line x1="{LEFT}" y1="{BOTTOM}" x2="{RIGHT}" y2="{BOTTOM}" stroke="#222"/><text x="{:.0}" y="{:.0}" text-anchor="middle">component</text>"##,
        (LEFT + RIGHT) / 2.0,
        BOTTOM + 40.0
    );
}

/// A step of 1, 2 or 5 times a power of ten that gives at most ten ticks up to `count`.
fn round_step(count: usize) -> usize {
    let mut decade = 1;
    loop {
        for factor in [1, 2, 5] {
            let step = factor * decade;
            if count <= 10 * step {
                return step.max(2);
            }
        }
        decade *= 10;
    }
}

fn decade_above(share: f64) -> f64 {
    share.max(1e-300).log10().ceil().min(0.0)
}

fn decade_below(share: f64) -> f64 {
    share.max(1e-300).log10().floor().max(-12.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scree_plot_has_a_bar_a_component_and_marks_k() {
        let ratios = [0.5, 0.25, 0.1, 0.05, 0.01];
        let svg = scree(Scree {
            ratios: &ratios,
            kept: 3,
        });
        assert_eq!(svg.matches(KEPT).count(), 3);
        assert_eq!(svg.matches(LEFT_OUT).count(), 2);
        assert!(svg.contains("K = 3: 85.0 % of the variance"), "{svg}");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn odd_spectra_do_not_break_the_plot() {
        for ratios in [&[][..], &[1.0], &[0.0, 0.0], &[1e-20; 3]] {
            let svg = scree(Scree {
                ratios,
                kept: ratios.len(),
            });
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{ratios:?}");
        }
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(
            [1, 10, 20, 57, 100, 399].map(round_step),
            [2, 2, 2, 10, 10, 50]
        );
    }
}
