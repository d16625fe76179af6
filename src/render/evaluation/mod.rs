//! A page about an evaluation, to be filed: conditions, every figure, curves.
//!
//! The template is templates/evaluation.html; it escapes whatever it is given but for the drawings, which escape their own text.

mod charts;

use minijinja::value::Serde;
use minijinja::{Value, context};

use super::template;
use crate::error::Result;
use crate::evaluate::Figure;

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

/// A row of the table of figures.
fn row(figure: &Figure) -> Value {
    let wilson = figure.rate.map_or_else(String::new, |rate| {
        let [low, high] = rate.wilson.map(|end| end * 100.0);
        format!("{low:.1} to {high:.1}")
    });
    context! {
        label => figure.label.trim(),
        key => &figure.key,
        value => figure.in_words(),
        interval => figure.rate.map_or("", |rate| rate.method.name()),
        wilson,
        meaning => &figure.meaning,
    }
}

/// The page as HTML.
///
/// # Errors
/// [`Error::Inconsistent`](crate::Error::Inconsistent) where it cannot be made.
pub fn html(page: &EvaluationPage<'_>) -> Result<String> {
    let subjects = page.figures.chunk_by(|a, b| a.section == b.section);
    let section = |figures: &[Figure]| {
        let title = figures.first().map_or("", |first| first.section.title());
        context! { title, figures => figures.iter().map(row).collect::<Value>() }
    };
    let data = context! {
        heading => page.heading,
        conditions => Serde(page.conditions),
        sections => subjects.map(section).collect::<Value>(),
        charts => page.charts.iter().collect::<Value>(),
        json => inside_script(page.json),
        version => env!("CARGO_PKG_VERSION"),
    };
    template::rendered(TEMPLATE, data)
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
