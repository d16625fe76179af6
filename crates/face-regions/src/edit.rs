//! Changes of a document's text at places that the parser found; all other bytes stay.

use std::ops::Range;

use super::document::Node;
use super::fragment::{self, Fragment, deeper, escaped};
use super::names::Property;
use super::problem::XmpProblem;
use super::rdf::{FieldSyntax, Structure, Value};

#[derive(Debug, Default)]
pub(super) struct Edits {
    changes: Vec<(Range<usize>, String)>,
}

impl Edits {
    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    pub(super) fn apply(mut self, text: &str) -> String {
        self.changes.sort_by_key(|(place, _)| (place.start, place.end));
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
            let mut missing = fragment.namespaces();
            missing.retain(|&it| host.bound(it) != Some(it.uri));
            fragment.render(&line_start, &missing, &mut text);
        }
        match last {
            Some(last) => self.insert(last.end(), text),
            None if host.is_closed() => self.open(host, &text, &host.line_start()),
            None => self.insert(host.start_tag().end, text),
        }
    }

    pub(super) fn remove(&mut self, node: Node<'_>) {
        let start = node.start() - node.line_start().len();
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
        if structure.form == FieldSyntax::Elements {
            let fragments: Vec<Fragment> = fields.iter().map(|&(name, text)| Fragment::text(name, text)).collect();
            self.add_elements(host, &fragments);
            return Ok(());
        }
        let mut declared = Vec::new();
        let mut text = String::new();
        for &(name, value) in fields {
            let namespace = name.namespace;
            match host.bound(namespace) {
                Some(bound) if bound == namespace.uri => {}
                // Declaring the prefix anew would change the meaning of what the element has.
                Some(_) => {
                    return Err(XmpProblem::Unsupported { property: property.usual });
                }
                None if declared.contains(&namespace) => {}
                None => {
                    text.push_str(&fragment::declaration(namespace, ""));
                    declared.push(namespace);
                }
            }
            text.push_str(&fragment::attribute(name.usual, value));
        }
        self.insert(host.start() + 1 + host.qualified().len(), text);
        Ok(())
    }

    /// Sets the plain text of a value. `property` is the one named where that is not possible.
    pub(super) fn set_text(&mut self, value: Value<'_>, text: &str, property: Property) -> Result<(), XmpProblem> {
        match value.simple().ok_or(XmpProblem::Unsupported { property: property.usual })? {
            Value::Attribute(attribute) => self.replace(attribute.range_value(), escaped(text)),
            Value::Element(node) if node.is_closed() => self.open(node, &escaped(text), ""),
            Value::Element(node) => self.replace(node.content(), escaped(text)),
        }
        Ok(())
    }

    /// Gives an empty element a content, and an end tag after `line_start`.
    fn open(&mut self, node: Node<'_>, content: &str, line_start: &str) {
        let end = node.start_tag().end;
        self.replace(end - "/>".len()..end, format!(">{content}{line_start}</{}>", node.qualified()));
    }

    fn insert(&mut self, at: usize, text: String) {
        self.replace(at..at, text);
    }

    fn replace(&mut self, place: Range<usize>, text: String) {
        self.changes.push((place, text));
    }
}
