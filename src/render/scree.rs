//! The scree plot: how much of the variance each component has.

use super::chart::{self, Axis, CURVES, Series};

/// Variance shares (`ratios`) of components as bars, logarithmic, their sum as a curve, and K = `kept`, as SVG; `part` names a component.
pub fn scree(part: &str, ratios: &[f64], kept: usize) -> String {
    let of_kept: f64 = ratios.iter().take(kept).sum();
    let (most, least) = (ratios.first().copied().unwrap_or(1.0), ratios.iter().copied().filter(|&ratio| ratio > 0.0));
    let range = (chart::decade_below(least.fold(1.0, f64::min)), chart::decade_above(most));
    let sums = ratios.iter().scan(0.0, |sum, ratio| {
        *sum += ratio;
        Some(*sum)
    });
    let curve = (1..).map(f64::from).zip(sums).collect();
    let mark = format!("K = {kept}: {:.1} %", 100.0 * of_kept);
    chart::svg_with_right(
        &format!("Variance of each {part}, and of all up to it"),
        Axis::numbers(part, (0.5, ratios.len().max(1) as f64 + 0.5)),
        [
            Axis::shares("bars: each (logarithmic)", range).logarithmic(),
            Axis::shares("curve: all up to it", (0.0, 1.0)),
        ],
        [
            &[Series::Bars(ratios.to_vec(), kept, CURVES[0])],
            &[Series::Curve(String::new(), curve, CURVES[1]), Series::Upright(mark, kept as f64 + 0.5)],
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_a_bar_a_component_and_marks_k() {
        let ratios = [0.5, 0.25, 0.1, 0.05, 0.01];
        let svg = scree("basis face", &ratios, 3);
        let bars = |color: &str| svg.matches(&format!("fill=\"{color}\"><title>")).count();
        assert_eq!(bars("#1f5f96"), 3, "kept: {svg}");
        assert_eq!(bars("#b1c7da"), 2, "left out: {svg}");
        assert!(svg.contains(">K = 3: 85.0 %</text>"), "{svg}");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn odd_spectra_do_not_break_it() {
        for ratios in [&[][..], &[1.0], &[0.0, 0.0], &[1e-20; 3]] {
            let svg = scree("component", ratios, ratios.len());
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{ratios:?}");
        }
    }
}
