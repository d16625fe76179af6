//! The values of properties in all forms that XMP allows (Adobe XMP Specification Part 1, 7.4 to 7.9).

use super::document::{Attribute, Document, Node, SPACE};
use super::names::{self, Property};
use super::problem::XmpProblem;

#[derive(Debug)]
pub(super) struct Packet<'d> {
    pub rdf: Node<'d>,
    /// The elements in it, which hold the properties of the photo.
    pub descriptions: Vec<Structure<'d>>,
}

impl<'d> Packet<'d> {
    /// The packet of a document: `rdf:RDF` is the root or directly in it.
    pub(super) fn of(document: &'d Document<'d>) -> Result<Self, XmpProblem> {
        let found: Vec<Node<'d>> = Node::all(document).filter(|node| node.is(names::RDF)).collect();
        let outer = |node: &Node<'d>| node.parent().is_none_or(|parent| parent.parent().is_none());
        match found.as_slice() {
            [rdf] if outer(rdf) => {
                Ok(Self { rdf: *rdf, descriptions: rdf.children().map(Structure::of_children).collect() })
            }
            _ => Err(XmpProblem::NotXmp { found: found.len() }),
        }
    }

    pub(super) fn values(&self, property: Property) -> impl Iterator<Item = Value<'d>> {
        self.descriptions.iter().flat_map(move |description| description.fields(property))
    }

    /// The subject of the properties (`rdf:about`), empty for the photo that the packet belongs to.
    pub(super) fn about(&self) -> &'d str {
        let about = self.descriptions.iter().find_map(|description| {
            let Node(host) = description.host;
            host.attribute(names::ABOUT.name()).or(host.attribute("about"))
        });
        about.unwrap_or_default()
    }
}

/// The element whose attributes or children are the fields of a structure.
#[derive(Debug, Clone, Copy)]
pub(super) struct Structure<'d> {
    pub host: Node<'d>,
    pub form: FieldSyntax,
}

/// The RDF/XML syntax of fields that can be added to a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldSyntax {
    /// Elements: `rdf:Description`, or `rdf:parseType="Resource"`.
    Elements,
    /// Attributes of an element that stays empty.
    Attributes,
}

impl<'d> Structure<'d> {
    fn of_children(host: Node<'d>) -> Self {
        Self { host, form: FieldSyntax::Elements }
    }

    /// The structure that an element is the value of; none for lists and plain text.
    pub(super) fn of(node: Node<'d>) -> Option<Self> {
        if let Some(kind) = node.attribute(names::PARSE_TYPE) {
            return (kind.value() == "Resource").then_some(Self::of_children(node));
        }
        match node.children().next() {
            Some(child) if is_container(child) => None,
            Some(child) => Some(Self::of_children(child)),
            None if node.is_blank() && node.attribute(names::RESOURCE).is_none() => {
                Some(Self { host: node, form: FieldSyntax::Attributes })
            }
            None => None,
        }
    }

    pub(super) fn fields(self, property: Property) -> impl Iterator<Item = Value<'d>> {
        let attribute = self.host.attribute(property).map(Value::Attribute);
        let elements = self.host.children().filter(move |node| node.is(property));
        attribute.into_iter().chain(elements.map(Value::Element))
    }

    pub(super) fn field(self, property: Property) -> Option<Value<'d>> {
        self.fields(property).next()
    }

    pub(super) fn has_only(self, properties: &[Property]) -> bool {
        let is_one = |it: &Attribute<'_>| {
            let name = (it.namespace().unwrap_or_default(), it.name());
            name.0 == names::RDF.namespace.uri || properties.iter().any(|p| p.name() == name)
        };
        self.host.0.attributes().all(|it| is_one(&it))
            && (self.host.children()).all(|it| properties.iter().any(|&p| it.is(p)))
    }

    /// The text of a field, without white space around it.
    pub(super) fn text(self, property: Property) -> Option<&'d str> {
        self.field(property)?.text()
    }

    /// The number of a field. A comma may stand for the point, as some programs write it.
    pub(super) fn number(self, property: Property) -> Option<f64> {
        number(self.text(property)?)
    }
}

pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim_matches(SPACE);
    text.parse().or_else(|_| text.replacen(',', ".", 1).parse()).ok()
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'d> {
    Attribute(Attribute<'d>),
    Element(Node<'d>),
}

impl<'d> Value<'d> {
    /// The place of the text: this value, that inside its qualifiers (`rdf:value`), or the first of a list.
    pub(super) fn simple(self) -> Option<Self> {
        let Self::Element(node) = self else { return Some(self) };
        if let Some(list) = List::of(node) {
            let first = Self::Element(*list.items.first()?);
            return first.is_text().then_some(first);
        }
        if self.is_text() {
            return Some(self);
        }
        let value = Structure::of(node)?.field(names::VALUE)?;
        value.is_text().then_some(value)
    }

    fn is_text(self) -> bool {
        self.element().is_none_or(|node| node.text().is_some() && !node.has_attribute_of(names::RDF.namespace))
    }

    /// The text, without white space around it; none where the value has no plain text.
    pub(super) fn text(self) -> Option<&'d str> {
        let text = match self.simple()? {
            Self::Attribute(attribute) => attribute.value(),
            Self::Element(node) => node.text()?,
        };
        Some(text.trim_matches(SPACE))
    }

    fn element(self) -> Option<Node<'d>> {
        if let Self::Element(node) = self { Some(node) } else { None }
    }

    pub(super) fn structure(self) -> Option<Structure<'d>> {
        Structure::of(self.element()?)
    }

    pub(super) fn list(self) -> Option<List<'d>> {
        List::of(self.element()?)
    }

    /// The element where it has neither content nor attributes, so that any value can be given to it.
    pub(super) fn empty(self) -> Option<Node<'d>> {
        let is_empty = |node: &Node<'_>| {
            let has_attributes = node.0.attributes().next().is_some();
            node.is_blank() && node.children().next().is_none() && !has_attributes
        };
        self.element().filter(is_empty)
    }
}

#[derive(Debug)]
pub(super) struct List<'d> {
    /// The element `rdf:Bag`, `rdf:Seq` or `rdf:Alt`.
    pub container: Node<'d>,
    pub items: Vec<Node<'d>>,
}

impl<'d> List<'d> {
    fn of(node: Node<'d>) -> Option<Self> {
        let container = node.children().find(|&child| is_container(child))?;
        let items = container.children().filter(|node| node.is(names::ITEM));
        Some(Self { container, items: items.collect() })
    }
}

fn is_container(node: Node<'_>) -> bool {
    [names::BAG, names::SEQ, names::ALT].into_iter().any(|it| node.is(it))
}
