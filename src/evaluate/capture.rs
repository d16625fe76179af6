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
    /// Rank-1 where photos that could not be used count as misses.
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
    // Photos that failed count as misses beside the probes of every repeat.
    let mut with_failures = found.clone();
    for (person, &failures) in failed.iter().enumerate() {
        for repeat in 0..found.repeats() {
            (0..failures).for_each(|_| with_failures.add(repeat, person, false));
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
