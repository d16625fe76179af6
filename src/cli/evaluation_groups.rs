//! Groups of people: from a table of their own, or from a column of the labels' table.

use std::collections::HashMap;
use std::path::Path;

use eigenfaces::dataset::{self, LabelRule, Person, Table};

use super::{Error, Result, one_line};

/// The group of each person, by name.
pub struct GroupTable(HashMap<String, String>);

impl GroupTable {
    /// From `--groups`, a table with the columns person and group, or else from a column `group` of the labels; `None`
    /// where neither is there.
    pub fn read(groups: Option<&Path>, labels: &LabelRule) -> Result<Option<Self>> {
        let (path, is_asked) = match (groups, labels) {
            (Some(path), _) => (path, true),
            (None, LabelRule::Csv(path)) => (path.as_path(), false),
            _ => return Ok(None),
        };
        let problem = |problem: String| Error::about(path, problem);
        let table = dataset::read_table(path).map_err(problem)?;
        match Self::parse(&table, is_asked) {
            Ok(groups) => Ok(groups),
            Err(told) => Err(problem(told)),
        }
    }

    fn parse(table: &Table, is_asked: bool) -> std::result::Result<Option<Self>, String> {
        let heading = table.rows.first().map_or(&[][..], |row| &row.fields);
        let column = |names: &[&str]| {
            let mut fields = heading.iter();
            fields.position(|field| names.contains(&field.trim().to_lowercase().as_str()))
        };
        let columns = (
            column(&["person", "name", "label", "subject", "identity"]),
            column(&["group"]),
        );
        let (Some(person), Some(group)) = columns else {
            return match is_asked {
                true => Err("its first line is to name the columns person and group".to_owned()),
                false => Ok(None),
            };
        };
        let mut groups: HashMap<String, String> = HashMap::new();
        for row in &table.rows[1..] {
            let field = |at: usize| row.fields.get(at).map_or("", |field| field.trim());
            let (name, group) = (field(person), field(group));
            if name.is_empty() || group.is_empty() {
                continue;
            }
            let name = Person::new(dataset::unguarded(name))
                .map_err(|error| format!("line {}: {error}", row.line))?
                .to_string();
            match groups.get(&name) {
                Some(other) if other != group => {
                    return Err(format!(
                        "line {}: '{}' is in the group '{}' here and in '{}' before; a person has one",
                        row.line,
                        one_line(&name),
                        one_line(group),
                        one_line(other)
                    ));
                }
                _ => groups.insert(name, group.to_owned()),
            };
        }
        match groups.is_empty() && is_asked {
            true => Err("it puts nobody into a group".to_owned()),
            false => Ok((!groups.is_empty()).then_some(Self(groups))),
        }
    }

    /// The groups of people, in their order.
    ///
    /// # Errors
    /// Where nobody is in a group: then names are likely spelt otherwise.
    pub fn of<'a>(
        &self,
        people: impl Iterator<Item = &'a str>,
        path: &Path,
    ) -> Result<Vec<Option<String>>> {
        let groups: Vec<Option<String>> =
            people.map(|person| self.0.get(person).cloned()).collect();
        match groups.iter().all(Option::is_none) {
            true => Err(Error::about(
                path,
                "puts none of these people into a group; it is to spell their names as the folders do",
            )),
            false => Ok(groups),
        }
    }
}
