//! Figures of photos that could not be used.

use super::Rate;

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
