//! Groups of people, from a column `group` in the table of `--labels`.

use std::collections::HashMap;

use eigenfaces::dataset::{self, LabelRule, PERSON_HEADINGS, Person};

use super::{Error, Result, one_line};

/// The group of each person, by name; `None` where labels have no such column, or nothing in it.
///
/// # Errors
/// A table that cannot be read, or that puts a person into two groups.
pub fn groups(labels: &LabelRule) -> Result<Option<HashMap<String, String>>> {
    let LabelRule::Csv(path) = labels else {
        return Ok(None);
    };
    let table = dataset::read_table(path).map_err(|problem| Error::about(path, problem))?;
    let heading = table.rows.first().map_or(&[][..], |row| &row.fields);
    let column = |names: &[&str]| {
        let is_named = |field: &String| names.contains(&field.trim().to_lowercase().as_str());
        heading.iter().position(is_named)
    };
    let (Some(person), Some(group)) = (column(PERSON_HEADINGS), column(&["group"])) else {
        return Ok(None);
    };
    let mut groups: HashMap<String, String> = HashMap::new();
    for row in &table.rows[1..] {
        let problem = |problem| Error::about(path, format!("line {}: {problem}", row.line));
        let field = |at: usize| row.fields.get(at).map_or("", |field| field.trim());
        let (name, group) = (field(person), field(group));
        if name.is_empty() || group.is_empty() {
            continue;
        }
        let name = Person::new(dataset::unguarded(name))
            .map_err(|error| problem(error.to_string()))?
            .to_string();
        if let Some(other) = groups.get(&name).filter(|other| *other != group) {
            return Err(problem(format!(
                "'{}' is in the group '{}' here and in '{}' before; a person has one",
                one_line(&name),
                one_line(group),
                one_line(other)
            )));
        }
        groups.insert(name, group.to_owned());
    }
    Ok((!groups.is_empty()).then_some(groups))
}
