//! A page about an evaluation, to be filed: conditions, every figure, curves.
//!
//! The template is templates/evaluation.html; it escapes whatever it is given but for the drawings, which escape their own
//! text.

mod charts;

use serde::Serialize;

use super::template;
use crate::error::Result;
use crate::evaluate::{Figure, Section};

pub use charts::of_evaluation;

/// The data of a page.
#[derive(Debug, Clone, Copy)]
pub struct EvaluationPage<'a> {
    /// The subject of the evaluation, in a few words.
    pub heading: &'a str,
    /// The conditions of the figures: names and values.
    pub conditions: &'a [(&'static str, String)],
    /// Every figure, in the order of sections.
    pub figures: &'a [Figure],
    /// Drawings (SVG).
    pub charts: &'a [String],
    /// The evaluation as `evaluate --format json` prints it, without what differs from run to run.
    pub json: &'a str,
}

const TEMPLATE: &str = include_str!("../../../templates/evaluation.html");

/// The values of the template.
#[derive(Serialize)]
struct Data<'a> {
    heading: &'a str,
    conditions: &'a [(&'static str, String)],
    sections: Vec<FigureSection<'a>>,
    charts: &'a [String],
    json: String,
    version: &'static str,
}

/// The figures of one subject.
#[derive(Serialize)]
struct FigureSection<'a> {
    pub title: &'static str,
    pub figures: Vec<FigureRow<'a>>,
}

/// A row of the table of figures.
#[derive(Serialize)]
struct FigureRow<'a> {
    pub label: &'a str,
    pub key: &'a str,
    pub value: String,
    pub interval: &'static str,
    pub wilson: String,
    pub meaning: &'a str,
}

impl<'a> FigureRow<'a> {
    fn of(figure: &'a Figure) -> Self {
        let wilson = figure.rate.map_or_else(String::new, |rate| {
            let [low, high] = rate.wilson.map(|end| end * 100.0);
            format!("{low:.1} to {high:.1}")
        });
        Self {
            label: figure.label.trim(),
            key: &figure.key,
            value: figure.in_words(),
            interval: figure.rate.map_or("", |rate| rate.method.name()),
            wilson,
            meaning: &figure.meaning,
        }
    }
}

/// Figures subject by subject.
fn sections(figures: &[Figure]) -> Vec<FigureSection<'_>> {
    let subjects = figures.chunk_by(|a, b| a.section == b.section);
    subjects
        .map(|figures| FigureSection {
            title: figures.first().map_or("", |first| Section::title(first.section)),
            figures: figures.iter().map(FigureRow::of).collect(),
        })
        .collect()
}

/// The page as HTML.
///
/// # Errors
/// [`Error::Inconsistent`](crate::Error::Inconsistent) where it cannot be made.
pub fn html(page: &EvaluationPage<'_>) -> Result<String> {
    let data = Data {
        heading: page.heading,
        conditions: page.conditions,
        sections: sections(page.figures),
        charts: page.charts,
        json: inside_script(page.json),
        version: env!("CARGO_PKG_VERSION"),
    };
    template::rendered(TEMPLATE, &data)
}

/// JSON that cannot end the element it stands in, nor begin another: the same JSON to whoever parses it.
fn inside_script(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                safe.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_cannot_leave_its_element() {
        let hostile = r#"{"people":["</script><script>alert(1)</script>","a&b"]}"#;
        let safe = inside_script(hostile);
        assert!(!safe.contains('<') && !safe.contains('>'));
        let parsed: serde_json::Value = serde_json::from_str(&safe).unwrap();
        assert_eq!(parsed, serde_json::from_str::<serde_json::Value>(hostile).unwrap());
    }
}
