//! People as clusters in the plane of two weights, and the nearest one with its distance written out.

use minijinja::{Value, context};

use super::{Lesson, grouped};

/// People whose distances are written out.
const PEOPLE: usize = 4;

impl Lesson<'_> {
    /// The lesson's face among the clusters; `None` of fewer than two people or two components, or where it is its person's only one.
    pub(super) fn clusters(&self) -> Option<Value> {
        let own: Vec<f64> = self.weights.column(self.shown).iter().map(|&w| f64::from(w)).collect();
        let person = self.gallery.enrolled()[self.shown].person;
        if own.len() < 2 || self.gallery.people().len() < 2 || self.middle(person).is_none() {
            return None;
        }
        let distance = |middle: &[f64], count: usize| {
            own.iter().zip(middle).take(count).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        let people = 0..self.gallery.people().len();
        let mut near: Vec<(usize, Vec<f64>)> =
            people.filter_map(|person| Some((person, self.middle(person)?))).collect();
        let by = |count: usize| {
            move |a: &(usize, Vec<f64>), b: &(usize, Vec<f64>)| distance(&a.1, count).total_cmp(&distance(&b.1, count))
        };
        let name = |person: usize| self.gallery.people()[person].to_string();
        let plane = near.iter().min_by(|a, b| by(2)(a, b)).map(|found| name(found.0))?;
        near.sort_by(by(own.len()));
        let cluster = |(person, middle): &(usize, Vec<f64>)| {
            let term = |axis: usize| format!("({} − {})²", signed(own[axis]), bracketed(middle[axis]));
            context! {
                name => name(*person),
                middle => [0, 1].map(|axis| signed(middle[axis])),
                sum => format!("√({} + {})", term(0), term(1)),
                plane => grouped(distance(middle, 2)),
                all => grouped(distance(middle, own.len())),
            }
        };
        Some(context! {
            at => [0, 1].map(|axis| signed(own[axis])),
            people => near.iter().take(PEOPLE).map(cluster).collect::<Value>(),
            plane,
            all => name(near.first()?.0),
            components => own.len(),
        })
    }

    /// The mean weights of a person's photos without the lesson's; `None` where there is no other.
    fn middle(&self, person: usize) -> Option<Vec<f64>> {
        let enrolled = self.gallery.enrolled().iter().enumerate();
        let own = enrolled.filter(|(at, face)| face.person == person && *at != self.shown);
        let own: Vec<usize> = own.map(|(at, _)| at).collect();
        let mean = |row: usize| {
            let sum: f64 = own.iter().map(|&at| f64::from(self.weights[(row, at)])).sum();
            sum / own.len() as f64
        };
        (!own.is_empty()).then(|| (0..self.weights.nrows()).map(mean).collect())
    }
}

/// A whole number with its sign, as printed.
pub(super) fn signed(value: f64) -> String {
    let sign = if value.round() < 0.0 { "−" } else { "" };
    format!("{sign}{}", grouped(value))
}

fn bracketed(value: f64) -> String {
    if value.round() < 0.0 { format!("({})", signed(value)) } else { signed(value) }
}
