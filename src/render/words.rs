//! Numbers and names as pages say them.

use std::borrow::Cow;
use std::path::Path;

pub(super) use crate::decision::share as percent;
pub use crate::text::counted;

/// The name of a photo, without its folders.
pub fn file_name(source: &str) -> Cow<'_, str> {
    let name = Path::new(source).file_name().unwrap_or_default();
    name.to_string_lossy()
}
