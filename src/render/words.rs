//! Numbers as pages say them.

pub(super) use crate::evaluate::share as percent;

pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
