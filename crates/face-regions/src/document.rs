//! An XML document as a tree of elements that know where in the text they stand.

use std::ops::Range;

use super::names::{Namespace, Property};

/// A document that is well-formed XML.
#[derive(Debug)]
pub(super) struct Document<'a> {
    /// The text the places are of.
    pub text: &'a str,
    /// All elements in the order of their start tags; the first is the root.
    pub(super) elements: Vec<Element<'a>>,
}

#[derive(Debug)]
pub(super) struct Element<'a> {
    /// The name with its prefix.
    pub qualified: &'a str,
    pub namespace: Namespace,
    /// The name without prefix.
    pub local: &'a str,
    pub start_tag: Range<usize>,
    pub end: End,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    /// The attributes but for declarations of namespaces.
    pub attributes: Vec<Attribute<'a>>,
    /// The prefixes declared here.
    pub declared: Vec<(&'a str, Namespace)>,
    /// The text directly inside, without that of the elements inside.
    pub content: String,
    /// The places of that text: runs of characters, references and CDATA.
    pub content_places: Vec<Range<usize>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// The start tag is the end too: `<a/>`.
    Empty,
    Tag(Range<usize>),
}

#[derive(Debug)]
pub(super) struct Attribute<'a> {
    pub namespace: Namespace,
    /// The name without prefix.
    pub local: &'a str,
    /// The value, unescaped.
    pub value: String,
    /// The place of the value between its quotes.
    pub place: Range<usize>,
}

impl Attribute<'_> {
    pub(super) fn is(&self, property: Property) -> bool {
        self.namespace == property.namespace && self.local == property.local
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'d> {
    document: &'d Document<'d>,
    pub element: &'d Element<'d>,
}

impl<'d> Document<'d> {
    /// All elements in the order of their start tags.
    pub(super) fn nodes(&'d self) -> impl Iterator<Item = Node<'d>> {
        self.elements.iter().map(move |element| Node {
            document: self,
            element,
        })
    }

    fn node(&'d self, index: usize) -> Option<Node<'d>> {
        let element = self.elements.get(index)?;
        Some(Node {
            document: self,
            element,
        })
    }
}

impl<'d> Node<'d> {
    pub(super) fn is(&self, property: Property) -> bool {
        self.element.namespace == property.namespace && self.element.local == property.local
    }

    pub(super) fn children(self) -> impl DoubleEndedIterator<Item = Node<'d>> {
        self.element
            .children
            .iter()
            .filter_map(move |&child| self.document.node(child))
    }

    pub(super) fn parent(self) -> Option<Node<'d>> {
        self.document.node(self.element.parent?)
    }

    pub(super) fn attribute(self, property: Property) -> Option<&'d Attribute<'d>> {
        self.element
            .attributes
            .iter()
            .find(|attribute| attribute.is(property))
    }

    /// The namespace that a prefix stands for inside this element.
    pub(super) fn namespace_of(self, prefix: &str) -> Option<Namespace> {
        let mut node = Some(self);
        while let Some(current) = node {
            let declared = current.element.declared.iter();
            if let Some(found) = declared.rev().find(|declared| declared.0 == prefix) {
                return Some(found.1);
            }
            node = current.parent();
        }
        None
    }

    /// The offset of the first byte after the element.
    pub(super) fn end(&self) -> usize {
        match &self.element.end {
            End::Empty => self.element.start_tag.end,
            End::Tag(place) => place.end,
        }
    }

    /// The line break and indentation before the element; empty where it does not begin a line.
    pub(super) fn line_start(&self) -> String {
        let start = self.element.start_tag.start;
        let before = self.document.text.get(..start).unwrap_or_default();
        let Some((lines, indentation)) = before.rsplit_once('\n') else {
            return String::new();
        };
        if !indentation.chars().all(|c| matches!(c, ' ' | '\t')) {
            return String::new();
        }
        let line_break = if lines.ends_with('\r') { "\r\n" } else { "\n" };
        [line_break, indentation].concat()
    }
}
