//! Failures before any comparison: photos that could not be used, and people of whom none could.

use std::collections::HashMap;

use super::{Bootstrap, Rate, Tally};

/// Photos given of one person, and those of them that could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// The person.
    pub person: String,
    /// Photos given.
    pub photos: usize,
    /// Those in which no face was found.
    pub no_face: usize,
    /// Those that could not be read, or are no photos.
    pub unusable: usize,
}

/// Failures before any comparison (ISO/IEC 19795-1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CaptureFigures {
    /// Photos given.
    pub photos: usize,
    /// Photos in which no face was found, that were used all the same: aligned as the other crops are.
    pub aligned_without_face: usize,
    /// FTA: share of photos that could not be used.
    pub failure_to_acquire: Rate,
    /// Share of photos that could not be used since no face was found.
    pub no_face: Rate,
    /// FTE: share of people of whom no photo could be used.
    pub failure_to_enrol: Rate,
    /// Rank-1 where photos that could not be used count as misses, as many as would have been probes.
    pub rank1: Rate,
}

/// The rates of photos that were given; people without a usable photo come after `people`, those of the evaluation.
pub(super) fn capture(
    given: &[Capture],
    people: &[String],
    found: &Tally,
    aligned_without_face: usize,
    seed: u64,
) -> CaptureFigures {
    let mut place: HashMap<&str, usize> = HashMap::new();
    for (at, name) in people.iter().enumerate() {
        place.entry(name).or_insert(at);
    }
    for capture in given {
        let next = place.len();
        place.entry(&capture.person).or_insert(next);
    }
    let (mut unusable, mut no_face) = (Tally::default(), Tally::default());
    let (mut not_enrolled, mut photos) = (Tally::default(), 0);
    // Of each person, photos that failed.
    let mut failed = vec![0_u32; place.len()];
    for capture in given {
        let person = place[capture.person.as_str()];
        let failures = capture.no_face + capture.unusable;
        for at in 0..capture.photos {
            unusable.add(0, person, at < failures);
            no_face.add(0, person, at < capture.no_face);
        }
        not_enrolled.add(0, person, failures == capture.photos);
        photos += capture.photos;
        failed[person] += failures as u32;
    }
    let bootstrap = Bootstrap::new(place.len(), seed);
    // As many of the photos that failed count as misses as would have been probes, by the share of the others that are.
    let usable = photos - failed.iter().sum::<u32>() as usize;
    let mut with_failures = found.clone();
    for repeat in 0..found.repeats() {
        let share = found.tries_of(repeat) as f64 / usable.max(1) as f64;
        let mut sum = 0.0_f64;
        for (person, &failures) in failed.iter().enumerate() {
            let before = sum.round() as usize;
            sum += share * f64::from(failures);
            (before..sum.round() as usize).for_each(|_| with_failures.add(repeat, person, false));
        }
    }
    let rate = |tally: &Tally| -> Rate { tally.rate(&bootstrap) };
    CaptureFigures {
        photos,
        aligned_without_face,
        failure_to_acquire: rate(&unusable),
        no_face: rate(&no_face),
        failure_to_enrol: rate(&not_enrolled),
        rank1: rate(&with_failures),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn photos_that_failed_are_missed_as_often_as_others_are_tried() {
        // Ten people with nine photos that can be used and one that cannot.
        let people: Vec<String> = (0..10).map(|person| format!("p{person}")).collect();
        let given = |person: &String| Capture { person: person.clone(), photos: 10, no_face: 0, unusable: 1 };
        let given: Vec<Capture> = people.iter().map(given).collect();
        for (tried, rank1) in [(9, 0.9), (1, 10.0 / 11.0)] {
            let all_right: Tally = (0..10).flat_map(|person| (0..tried).map(move |_| (0, person, true))).collect();
            let figures = capture(&given, &people, &all_right, 0, 0);
            assert!((figures.rank1.mean - rank1).abs() < 1e-12, "{tried}: {}", figures.rank1.mean);
            assert!((figures.failure_to_acquire.mean - 0.1).abs() < 1e-12);
        }
    }
}
