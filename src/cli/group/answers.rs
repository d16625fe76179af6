//! Answers typed into the table of groups, row by row.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use eigenfaces::dataset::Person;

use super::table::Row;

/// Typed for a face that is not of the group's person, and for a group that nobody wants to name.
pub const NOT_THIS: &str = "-";
pub const IGNORE: &str = "ignore";

/// Faces of a group that one which is not of their person is kept apart from, at most: enough, for they stay together.
const MOST_APART: usize = 50;

/// Whether what was typed is an answer and no name.
fn is_no_name(typed: &str) -> bool {
    typed == NOT_THIS || typed.eq_ignore_ascii_case(IGNORE)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Nothing,
    Person(Person),
    Ignored,
    /// It is not of the person of these other faces (positions of rows).
    NotThese(Vec<usize>),
}

impl Answer {
    /// Whom the face shows, if that was said.
    pub fn person(&self) -> Option<&Person> {
        match self {
            Self::Person(person) => Some(person),
            _ => None,
        }
    }
}

/// The answer about each row's face, and the groups for which it is ambiguous; or the fault of the table.
pub fn answers(rows: &[Row]) -> std::result::Result<(Vec<Answer>, Vec<String>), String> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        groups.entry(&row.group).or_default().push(at);
    }
    let mut answers = vec![Answer::Nothing; rows.len()];
    let mut ambiguous = Vec::new();
    for (group, own) in groups {
        let typed: BTreeSet<&str> = own
            .iter()
            .map(|&at| rows[at].name.as_str())
            .filter(|name| !name.is_empty() && *name != NOT_THIS)
            .collect();
        let of_all = typed.iter().next().filter(|_| typed.len() == 1);
        if typed.len() > 1 && own.iter().any(|&at| rows[at].name.is_empty()) {
            ambiguous.push(group.to_owned());
        }
        let others = own.iter().copied().filter(|&at| rows[at].name != NOT_THIS);
        let others: Vec<usize> = others.take(MOST_APART).collect();
        for at in own {
            let name = match rows[at].name.as_str() {
                "" => of_all.copied().unwrap_or_default(),
                name => name,
            };
            answers[at] = match name {
                "" => Answer::Nothing,
                NOT_THIS => Answer::NotThese(others.clone()),
                name if is_no_name(name) => Answer::Ignored,
                name => Answer::Person(Person::new(name).map_err(|error| match rows[at].line {
                    0 => error.to_string(),
                    line => format!("line {line}: {error}"),
                })?),
            };
        }
    }
    refuse_two_names(rows, &answers)?;
    Ok((answers, ambiguous))
}

fn refuse_two_names(rows: &[Row], answers: &[Answer]) -> std::result::Result<(), String> {
    let mut named: BTreeMap<(&Path, usize), (&Person, u64)> = BTreeMap::new();
    for (row, answer) in rows.iter().zip(answers) {
        let Some(person) = answer.person() else {
            continue;
        };
        let (first, line) = *named
            .entry((&row.photo, row.face))
            .or_insert((person, row.line));
        if first != person {
            return Err(format!(
                "lines {line} and {}: one face is {first} and {person}; leave one of the names",
                row.line
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;

    fn answered(typed: &[(&str, &str)]) -> Vec<Answer> {
        let text: String = typed
            .iter()
            .enumerate()
            .map(|(at, (group, name))| format!("{group},{name},a.jpg,{}\n", at + 1))
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("groups.csv");
        std::fs::write(&path, format!("group,name,photo,face\n{text}")).unwrap();
        let rows = table::read(&path).unwrap().0;
        answers(&rows).unwrap().0
    }

    fn person(name: &str) -> Answer {
        Answer::Person(Person::new(name).unwrap())
    }

    #[test]
    fn one_name_is_for_the_whole_group() {
        let found = answered(&[("1", ""), ("1", "Ada"), ("1", "-"), ("2", "")]);
        assert_eq!(
            found,
            [
                person("Ada"),
                person("Ada"),
                Answer::NotThese(vec![0, 1]),
                Answer::Nothing
            ]
        );
    }

    #[test]
    fn two_names_are_for_their_rows() {
        let found = answered(&[
            ("1", "Ada"),
            ("1", "Bert"),
            ("1", ""),
            ("2", "ignore"),
            ("2", ""),
        ]);
        assert_eq!(
            found,
            [
                person("Ada"),
                person("Bert"),
                Answer::Nothing,
                Answer::Ignored,
                Answer::Ignored
            ]
        );
    }
}
