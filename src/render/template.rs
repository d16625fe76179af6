//! Pages from templates.

use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

use crate::error::{Error, Result};

/// The page that a template makes of this data. Whatever is not marked as safe there is escaped.
/// Errors: [`Error::Inconsistent`] where the template asks for data that is not there.
pub(super) fn rendered(template: &str, page: Value) -> Result<String> {
    let mut environment = Environment::empty();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_filter("safe", minijinja::filters::safe);
    environment.add_filter("split", minijinja::filters::split);
    environment.add_test("none", minijinja::tests::is_none);
    environment.render_str(template, page).map_err(|_| Error::Inconsistent)
}
