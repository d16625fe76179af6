//! Changes of a document's text at places that the parser found; all other bytes stay.

use std::ops::Range;

use super::document::{End, Node};
use super::fragment::{self, Fragment, deeper};
use super::names::{Namespace, Property};
use super::problem::XmpProblem;
use super::rdf::{Form, Structure, Value};
use super::tag::escaped;

#[derive(Debug, Default)]
pub(super) struct Edits {
    changes: Vec<(Range<usize>, String)>,
}

impl Edits {
    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    pub(super) fn apply(mut self, text: &str) -> String {
        self.changes
            .sort_by_key(|(place, _)| (place.start, place.end));
        let mut result = String::with_capacity(text.len());
        let mut done = 0;
        for (place, replacement) in self.changes {
            result.push_str(text.get(done..place.start).unwrap_or_default());
            result.push_str(&replacement);
            done = place.end;
        }
        result.push_str(text.get(done..).unwrap_or_default());
        result
    }

    /// Adds elements behind those that an element has. At most one call for an element.
    pub(super) fn add_elements(&mut self, host: Node<'_>, fragments: &[Fragment]) {
        let last = host.children().next_back();
        let line_start = last.map_or_else(|| deeper(&host.line_start()), |last| last.line_start());
        let mut text = String::new();
        for fragment in fragments {
            let missing: Vec<Namespace> = fragment
                .namespaces()
                .into_iter()
                .filter(|&namespace| !is_declared(host, namespace))
                .collect();
            fragment.render(&line_start, &missing, &mut text);
        }
        let start_tag = &host.element.start_tag;
        match (&host.element.end, last) {
            (End::Tag(_), Some(last)) => self.insert(last.end(), text),
            (End::Tag(_), None) => self.insert(start_tag.end, text),
            (End::Empty, _) => {
                let end = format!("{}</{}>", host.line_start(), host.element.qualified);
                let slash = start_tag.end.saturating_sub("/>".len());
                self.replace(slash..start_tag.end, format!(">{text}{end}"));
            }
        }
    }

    /// Removes an element, with the line break before it.
    pub(super) fn remove(&mut self, node: Node<'_>) {
        let start = node.element.start_tag.start - node.line_start().len();
        self.replace(start..node.end(), String::new());
    }

    /// Adds fields with plain text to a structure, the value of `property`. At most one call for a structure.
    pub(super) fn add_fields(
        &mut self,
        structure: Structure<'_>,
        fields: &[(Property, &str)],
        property: Property,
    ) -> Result<(), XmpProblem> {
        let host = structure.host;
        if structure.form == Form::Elements {
            let fragments: Vec<Fragment> = fields
                .iter()
                .map(|&(name, text)| Fragment::text(name, text))
                .collect();
            self.add_elements(host, &fragments);
            return Ok(());
        }
        let mut declared = Vec::new();
        let mut text = String::new();
        for &(name, value) in fields {
            let namespace = name.namespace;
            match host.namespace_of(namespace.prefix()) {
                Some(bound) if bound == namespace => {}
                // Declaring the prefix anew would change the meaning of what the element has.
                Some(_) => {
                    let property = property.usual;
                    return Err(XmpProblem::Unsupported { property });
                }
                None if declared.contains(&namespace) => {}
                None => {
                    text.push_str(&fragment::declaration(namespace, ""));
                    declared.push(namespace);
                }
            }
            text.push_str(&fragment::attribute(name.usual, value));
        }
        let name_end = host.element.start_tag.start + 1 + host.element.qualified.len();
        self.insert(name_end, text);
        Ok(())
    }

    /// Sets the plain text of a value. `property` is the one named where that is not possible.
    pub(super) fn set_text(
        &mut self,
        value: Value<'_>,
        text: &str,
        property: Property,
    ) -> Result<(), XmpProblem> {
        let unsupported = XmpProblem::Unsupported {
            property: property.usual,
        };
        match value.simple().ok_or(unsupported)? {
            Value::Attribute(attribute) => self.replace(attribute.place.clone(), escaped(text)),
            Value::Element(node) => self.set_content(node, text),
        }
        Ok(())
    }

    /// Comments between the parts of the old text stay.
    fn set_content(&mut self, node: Node<'_>, text: &str) {
        let start_tag = &node.element.start_tag;
        if node.element.end == End::Empty {
            let slash = start_tag.end.saturating_sub("/>".len());
            let content = format!(">{}</{}>", escaped(text), node.element.qualified);
            self.replace(slash..start_tag.end, content);
            return;
        }
        let mut places = node.element.content_places.iter().cloned();
        let first = places.next().unwrap_or(start_tag.end..start_tag.end);
        self.replace(first, escaped(text));
        for place in places {
            self.replace(place, String::new());
        }
    }

    fn insert(&mut self, at: usize, text: String) {
        self.replace(at..at, text);
    }

    fn replace(&mut self, place: Range<usize>, text: String) {
        self.changes.push((place, text));
    }
}

/// True where the usual prefix of a namespace stands for it.
fn is_declared(host: Node<'_>, namespace: Namespace) -> bool {
    namespace == Namespace::Xml || host.namespace_of(namespace.prefix()) == Some(namespace)
}
