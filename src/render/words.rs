//! Numbers as pages say them.

pub(super) use crate::evaluate::share as percent;

/// `1 face`, `2 faces`: a count with its noun.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
