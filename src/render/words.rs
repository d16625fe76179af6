//! Numbers and names as pages say them.

use std::borrow::Cow;
use std::path::Path;

pub(super) use crate::decision::share as percent;

/// `1 face`, `2 faces`: a count with its noun.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The name of a photo, without its folders.
pub fn file_name(source: &str) -> Cow<'_, str> {
    let name = Path::new(source).file_name().unwrap_or_default();
    name.to_string_lossy()
}
