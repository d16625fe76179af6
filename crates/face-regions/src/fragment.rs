//! New elements, as text that fits where it is put.

use super::names::{self, Namespace, Property};

#[derive(Debug, Clone)]
pub(super) struct Fragment {
    name: Property,
    attributes: Vec<(Property, String)>,
    body: Body,
}

#[derive(Debug, Clone)]
enum Body {
    Text(String),
    Elements(Vec<Fragment>),
}

impl Fragment {
    pub(super) fn text(name: Property, text: impl Into<String>) -> Self {
        Self { name, attributes: Vec::new(), body: Body::Text(text.into()) }
    }

    pub(super) fn elements(name: Property, elements: Vec<Fragment>) -> Self {
        Self { name, attributes: Vec::new(), body: Body::Elements(elements) }
    }

    pub(super) fn structure(name: Property, fields: Vec<Fragment>) -> Self {
        Self::elements(name, fields).with(names::PARSE_TYPE, "Resource")
    }

    pub(super) fn bag(items: Vec<Self>) -> Self {
        Self::elements(names::BAG, items)
    }

    pub(super) fn with(mut self, name: Property, value: impl Into<String>) -> Self {
        self.attributes.push((name, value.into()));
        self
    }

    /// The namespaces of the element and all in it, in the order of their first use.
    pub(super) fn namespaces(&self) -> Vec<Namespace> {
        let mut namespaces = Vec::new();
        self.collect(&mut namespaces);
        namespaces
    }

    fn collect(&self, namespaces: &mut Vec<Namespace>) {
        for name in std::iter::once(self.name).chain(self.attributes.iter().map(|attribute| attribute.0)) {
            if !namespaces.contains(&name.namespace) {
                namespaces.push(name.namespace);
            }
        }
        if let Body::Elements(elements) = &self.body {
            for element in elements {
                element.collect(namespaces);
            }
        }
    }

    /// The element's text, lines begun by `line_start` (empty: all one line), declaring these namespaces.
    pub(super) fn render(&self, line_start: &str, declared: &[Namespace], out: &mut String) {
        out.push_str(line_start);
        out.push('<');
        out.push_str(self.name.usual);
        for (name, value) in &self.attributes {
            out.push_str(&attribute(name.usual, value));
        }
        for namespace in declared {
            out.push_str(&declaration(*namespace, line_start));
        }
        out.push('>');
        match &self.body {
            Body::Text(text) => out.push_str(&escaped(text)),
            Body::Elements(elements) => {
                let inner = deeper(line_start);
                for element in elements {
                    element.render(&inner, &[], out);
                }
                out.push_str(line_start);
            }
        }
        out.push_str("</");
        out.push_str(self.name.usual);
        out.push('>');
    }
}

/// The beginning of the lines one level further in.
pub(super) fn deeper(line_start: &str) -> String {
    let step = if line_start.is_empty() { "" } else { " " };
    [line_start, step].concat()
}

/// An attribute with the space before it.
pub(super) fn attribute(name: &str, value: &str) -> String {
    format!(" {name}=\"{}\"", escaped(value))
}

/// The declaration of a namespace by its usual prefix, with the space or the line break before it.
pub(super) fn declaration(namespace: Namespace, line_start: &str) -> String {
    let indentation = if line_start.is_empty() { "" } else { "   " };
    let name = format!("xmlns:{}", namespace.prefix);
    [line_start, indentation, &attribute(&name, namespace.uri)].concat()
}

/// A text in a form that stands for it in an element as well as in an attribute of either quote.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' | '\t' | '\n' | '\r' => escaped.push_str(&format!("&#{};", u32::from(c))),
            _ => escaped.push(c),
        }
    }
    escaped
}
