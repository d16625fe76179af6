//! The namespaces of prefixes (Namespaces in XML 1.0).

use std::collections::HashMap;

use super::names::Namespace;
use super::tag::{self, RawAttribute, split_name};

/// The URI where it is known, so that two prefixes of one namespace are one; the prefix otherwise.
pub(super) fn scope_name(namespace: Namespace, prefix: &str) -> &str {
    match namespace.uri() {
        "" => prefix,
        uri => uri,
    }
}

/// The prefix that an attribute of this name declares; empty for the default namespace.
pub(super) fn declared_prefix(name: &str) -> Option<&str> {
    match split_name(name) {
        ("xmlns", prefix) => Some(prefix),
        ("", "xmlns") => Some(""),
        _ => None,
    }
}

/// The declarations of namespaces among attributes.
pub(super) fn declarations<'a>(
    raw: &[RawAttribute<'a>],
) -> Result<Vec<(&'a str, Namespace)>, String> {
    let mut declared = Vec::new();
    for raw in raw {
        let Some(prefix) = declared_prefix(raw.name) else {
            continue;
        };
        let namespace = Namespace::of_uri(&tag::attribute_value(raw.value)?);
        let reserved = prefix == "xmlns" || (prefix == "xml") != (namespace == Namespace::Xml);
        if reserved || (namespace == Namespace::Absent && !prefix.is_empty()) {
            return Err(format!("the prefix {prefix} cannot be declared so"));
        }
        declared.push((prefix, namespace));
    }
    Ok(declared)
}

/// The namespaces of the prefixes where the parser is.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    bound: HashMap<&'a str, Vec<Namespace>>,
}

impl<'a> Scopes<'a> {
    pub(super) fn enter(&mut self, declared: &[(&'a str, Namespace)]) {
        for &(prefix, namespace) in declared {
            self.bound.entry(prefix).or_default().push(namespace);
        }
    }

    pub(super) fn leave(&mut self, declared: &[(&'a str, Namespace)]) {
        for (prefix, _) in declared {
            if let Some(bound) = self.bound.get_mut(prefix) {
                bound.pop();
            }
        }
    }

    /// The namespace of an element with this prefix.
    pub(super) fn of_element(&self, prefix: &str) -> Result<Namespace, &'static str> {
        let bound = self.bound.get(prefix).and_then(|bound| bound.last());
        match (prefix, bound) {
            ("xml", _) => Ok(Namespace::Xml),
            (_, Some(&namespace)) => Ok(namespace),
            ("", None) => Ok(Namespace::Absent),
            _ => Err("a prefix that is not declared"),
        }
    }

    /// The namespace of an attribute with this prefix; the default namespace is not for attributes.
    pub(super) fn of_attribute(&self, prefix: &str) -> Result<Namespace, &'static str> {
        match prefix {
            "" => Ok(Namespace::Absent),
            _ => self.of_element(prefix),
        }
    }
}
