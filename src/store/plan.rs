//! A plan as a JSON file that people can read, and back; inside other files too.

use std::fmt;
use std::io::{self, Read, Write};
use std::path::Path;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use super::container::in_plain_ascii;
use crate::dataset::open_file;
use crate::error::{Error, PlanProblem, Result};
use crate::partial::Plan;

/// The version of the format of plans.
const FORMAT: u64 = 1;
const FORMAT_KEY: &str = "format_version";

/// No plan is longer.
const LONGEST: u64 = 1 << 16;

/// Characters of a value, or of what is wrong with it, that a message shows.
const SHOWN: usize = 80;

/// Writes the plan into an open file.
///
/// # Errors
/// Whatever `out` reports.
pub fn write_plan(plan: &Plan, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &Written(plan))?;
    out.write_all(b"\n")
}

/// Reads a plan back.
///
/// # Errors
/// A file that cannot be read, or whatever is wrong with it: see [`PlanProblem`].
pub fn load_plan(path: &Path) -> Result<Plan> {
    let unread = |source| Error::read(path, source);
    let mut text = Vec::new();
    let file = open_file(path).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => Error::NoSuchPath {
            path: path.to_owned(),
        },
        _ => unread(source),
    })?;
    file.take(LONGEST + 1)
        .read_to_end(&mut text)
        .map_err(unread)?;
    plan_from_json(&text).map_err(|problem| Error::Plan {
        path: path.to_owned(),
        problem,
    })
}

/// The plan in a text. The text may be anybody's.
///
/// # Errors
/// What is wrong with it, and under which key.
pub fn plan_from_json(text: &[u8]) -> Result<Plan, PlanProblem> {
    if text.len() as u64 > LONGEST {
        let reason = format!("it is longer than {LONGEST} bytes");
        return Err(PlanProblem::NotAPlan { reason });
    }
    let keys: Keys = serde_json::from_slice(text).map_err(|error| PlanProblem::NotAPlan {
        reason: in_plain_ascii(&error.to_string(), SHOWN),
    })?;
    keys.plan()
}

/// A plan as it is written.
pub(super) struct Written<'a>(pub(super) &'a Plan);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(FORMAT_KEY, &FORMAT)?;
        for (key, value) in Plan::KEYS.into_iter().zip(self.0.values()) {
            map.serialize_entry(key, &value)?;
        }
        map.end()
    }
}

/// Keys and values in the order of a text, none lost.
#[derive(Debug)]
pub(super) struct Keys(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Keys;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the keys of a plan")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Keys, M::Error> {
                let mut all = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    all.push(entry);
                }
                Ok(Keys(all))
            }
        }
        deserializer.deserialize_map(All)
    }
}

impl Keys {
    /// The plan that they make: every key once, and no other.
    pub(super) fn plan(mut self) -> Result<Plan, PlanProblem> {
        let format = self
            .take(FORMAT_KEY)?
            .ok_or(PlanProblem::Missing { key: FORMAT_KEY })?;
        if format.as_u64() != Some(FORMAT) {
            return Err(PlanProblem::Value {
                key: FORMAT_KEY,
                given: in_plain_ascii(&format.to_string(), SHOWN),
                reason: format!(
                    "this program reads {FORMAT}; make the plan anew, or update the program"
                ),
            });
        }
        let mut values: [String; Plan::KEYS.len()] = Default::default();
        for (key, value) in Plan::KEYS.into_iter().zip(&mut values) {
            *value = match self.take(key)? {
                Some(Value::String(text)) => text,
                Some(other) => {
                    return Err(PlanProblem::Value {
                        key,
                        given: in_plain_ascii(&other.to_string(), SHOWN),
                        reason: "expected a text in quotes".to_owned(),
                    });
                }
                None => return Err(PlanProblem::Missing { key }),
            };
        }
        match self.0.into_iter().next() {
            Some((key, _)) => Err(PlanProblem::Unknown {
                key: in_plain_ascii(&key, SHOWN),
            }),
            None => Plan::from_values(&values),
        }
    }

    /// The value of a key, which is not looked at again.
    fn take(&mut self, key: &str) -> Result<Option<Value>, PlanProblem> {
        let mut found = None;
        let mut rest = Vec::with_capacity(self.0.len());
        for (name, value) in self.0.drain(..) {
            match (name == key, &found) {
                (false, _) => rest.push((name, value)),
                (true, None) => found = Some(value),
                (true, Some(_)) => {
                    let key = key.to_owned();
                    return Err(PlanProblem::Twice { key });
                }
            }
        }
        self.0 = rest;
        Ok(found)
    }
}
