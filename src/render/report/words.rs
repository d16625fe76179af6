//! Numbers as the report says them.

use crate::evaluate::Rate;

/// As `evaluate` prints it.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

pub(super) fn rate(rate: Rate) -> String {
    match rate.standard_deviation {
        None => percent(rate.mean),
        Some(spread) => format!("{} ± {:.1}", percent(rate.mean), spread * 100.0),
    }
}

pub(in crate::render) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
