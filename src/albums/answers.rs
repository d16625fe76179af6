//! Answers about faces, and how they are typed into the table of groups, row by row.

use std::collections::{BTreeMap, BTreeSet};

use super::FacePlace;
use super::table::Row;
use crate::dataset::Person;
use crate::error::Error;

/// Typed for a face that is not of the group's person, and for a group that nobody wants to name.
const NOT_THIS: &str = "-";
const IGNORE: &str = "ignore";

/// Maximum number of a group's faces that a face of another person is kept apart from: enough, for they stay together.
pub const MOST_APART: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Nothing,
    Person(Person),
    /// That it is nobody to be named.
    Ignored,
    /// That it is not of the person of these other faces (positions).
    NotThese(Vec<usize>),
}

impl Answer {
    pub fn person(&self) -> Option<&Person> {
        if let Self::Person(person) = self { Some(person) } else { None }
    }

    /// The answer that was typed for a face or its group.
    /// Errors: a name that cannot be one.
    pub fn typed(name: &str) -> Result<Self, Error> {
        match name {
            "" => Ok(Self::Nothing),
            name if name.eq_ignore_ascii_case(IGNORE) => Ok(Self::Ignored),
            name => Person::new(name).map(Self::Person),
        }
    }
}

pub type AnswerAt = (FacePlace, Answer);

/// The face of each row with the answer about it, and the groups for which it is ambiguous; or the fault of the table. One name
/// in a group, in whichever row, is meant for all rows without another.
/// Errors: a name that cannot be one, and its line.
pub fn answers(rows: Vec<Row>) -> Result<(Vec<AnswerAt>, Vec<String>), String> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        groups.entry(&row.group).or_default().push(at);
    }
    let mut answers = vec![Answer::Nothing; rows.len()];
    let mut ambiguous = Vec::new();
    for (group, own) in groups {
        let typed: BTreeSet<&str> =
            own.iter().map(|&at| rows[at].name.as_str()).filter(|name| !name.is_empty() && *name != NOT_THIS).collect();
        let of_all = typed.iter().next().filter(|_| typed.len() == 1);
        if typed.len() > 1 && own.iter().any(|&at| rows[at].name.is_empty()) {
            ambiguous.push(group.to_owned());
        }
        let others: Vec<usize> = own.iter().copied().filter(|&at| rows[at].name != NOT_THIS).take(MOST_APART).collect();
        for at in own {
            answers[at] = match rows[at].name.as_str() {
                NOT_THIS => Ok(Answer::NotThese(others.clone())),
                "" => Answer::typed(of_all.copied().unwrap_or_default()),
                name => Answer::typed(name),
            }
            .map_err(|error| format!("line {}: {error}", rows[at].line))?;
        }
    }
    Ok((rows.into_iter().map(|row| row.place).zip(answers).collect(), ambiguous))
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;

    fn answered(typed: &[(&str, &str)]) -> Vec<Answer> {
        let text: String =
            typed.iter().enumerate().map(|(at, (group, name))| format!("{group},{name},a.jpg,{}\n", at + 1)).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("groups.csv");
        std::fs::write(&path, format!("group,name,photo,face\n{text}")).unwrap();
        let rows = table::read(&path).unwrap().0;
        answers(rows).unwrap().0.into_iter().map(|(_, answer)| answer).collect()
    }

    fn person(name: &str) -> Answer {
        Answer::Person(Person::new(name).unwrap())
    }

    #[test]
    fn one_name_is_for_the_whole_group() {
        let found = answered(&[("1", ""), ("1", "Ada"), ("1", "-"), ("2", "")]);
        assert_eq!(found, [person("Ada"), person("Ada"), Answer::NotThese(vec![0, 1]), Answer::Nothing]);
    }

    #[test]
    fn two_names_are_for_their_rows() {
        let found = answered(&[("1", "Ada"), ("1", "Bert"), ("1", ""), ("2", "ignore"), ("2", "")]);
        assert_eq!(found, [person("Ada"), person("Bert"), Answer::Nothing, Answer::Ignored, Answer::Ignored]);
    }
}
