//! Reads text into a [`Document`]. What is not well-formed (XML 1.0, Namespaces in XML 1.0) is refused, beyond what
//! the tokenizer checks itself, because a document that is misread would be damaged by writing into it.

use std::ops::Range;

use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesDecl, BytesRef, Event};

use super::document::{Attribute, Document, Element, End};
use super::problem::XmpProblem;
use super::scopes::{Scopes, declarations, declared_prefix, scope_name};
use super::tag::{self, RawAttribute, SPACE, split_name};

/// The deepest nesting that is read. Sidecars of Lightroom with masks have some twenty levels.
const MOST_LEVELS: usize = 100;

/// The most elements that are read; they take up to 100 MB of memory.
const MOST_ELEMENTS: usize = 250_000;

pub(super) fn parse(text: &str) -> Result<Document<'_>, XmpProblem> {
    if let Some((at, _)) = text.char_indices().find(|&(_, c)| !tag::is_character(c)) {
        return Err(malformed(at, "a character that XML does not allow"));
    }
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_comments = true;
    let mut builder = Builder::new(text);
    loop {
        let start = offset(reader.buffer_position());
        let event = reader
            .read_event()
            .map_err(|error| malformed(offset(reader.error_position()), error.to_string()))?;
        let place = start..offset(reader.buffer_position());
        if matches!(event, Event::Eof) {
            return builder.finish();
        }
        builder.take(event, place)?;
    }
}

/// Positions in a text in memory fit.
fn offset(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

fn malformed(at: usize, reason: impl Into<String>) -> XmpProblem {
    let reason = reason.into();
    XmpProblem::Malformed { at, reason }
}

struct Builder<'a> {
    text: &'a str,
    elements: Vec<Element<'a>>,
    /// The elements not yet closed, the innermost last.
    open: Vec<usize>,
    scopes: Scopes<'a>,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            elements: Vec::new(),
            open: Vec::new(),
            scopes: Scopes::default(),
        }
    }

    fn take(&mut self, event: Event<'a>, place: Range<usize>) -> Result<(), XmpProblem> {
        match event {
            Event::Start(_) => self.start(place, Nesting::Opens),
            Event::Empty(_) => self.start(place, Nesting::Closed),
            Event::End(_) => self.end(place),
            Event::Text(text) if text.contains("]]>") => {
                Err(malformed(place.start, "]]> outside of CDATA"))
            }
            Event::Text(text) => self.content(&text.xml10_content(), place),
            Event::CData(_) if self.open.is_empty() => {
                Err(malformed(place.start, "CDATA outside of the root element"))
            }
            Event::CData(text) => self.content(&text.xml10_content(), place),
            Event::GeneralRef(reference) => self.reference(&reference, place),
            Event::Decl(declaration) => self.declaration(&declaration, &place),
            Event::DocType(_) => Err(XmpProblem::Doctype),
            Event::Comment(_) | Event::PI(_) | Event::Eof => Ok(()),
        }
    }

    fn declaration(
        &self,
        declaration: &BytesDecl<'_>,
        place: &Range<usize>,
    ) -> Result<(), XmpProblem> {
        if place.start != 0 {
            return Err(malformed(
                place.start,
                "an XML declaration after the beginning",
            ));
        }
        let fault = |error: String| malformed(place.start, error);
        declaration
            .version()
            .map_err(|error| fault(error.to_string()))?;
        let Some(encoding) = declaration.encoding() else {
            return Ok(());
        };
        let encoding = encoding.map_err(|error| fault(error.to_string()))?;
        let known = [
            "utf-8", "utf8", "utf-16", "utf-16le", "utf-16be", "us-ascii",
        ];
        if known
            .iter()
            .any(|known| known.eq_ignore_ascii_case(&encoding))
        {
            return Ok(());
        }
        Err(XmpProblem::Encoding {
            expected: "UTF-8 or UTF-16 by its XML declaration",
        })
    }

    fn reference(
        &mut self,
        reference: &BytesRef<'_>,
        place: Range<usize>,
    ) -> Result<(), XmpProblem> {
        let character = reference
            .resolve_char_ref()
            .map_err(|error| malformed(place.start, error.to_string()))?;
        let text = match character {
            Some(c) if tag::is_character(c) => c.to_string(),
            Some(_) => {
                let reason = "a reference stands for a character that XML does not allow";
                return Err(malformed(place.start, reason));
            }
            None => resolve_xml_entity(reference)
                .ok_or_else(|| malformed(place.start, "an entity that is not declared"))?
                .to_owned(),
        };
        if self.open.is_empty() {
            return Err(malformed(place.start, "text outside of the root element"));
        }
        self.content(&text, place)
    }

    fn content(&mut self, text: &str, place: Range<usize>) -> Result<(), XmpProblem> {
        let innermost = self
            .open
            .last()
            .and_then(|&open| self.elements.get_mut(open));
        match innermost {
            Some(element) => {
                element.content.push_str(text);
                match element.content_places.last_mut() {
                    Some(last) if last.end == place.start => last.end = place.end,
                    _ => element.content_places.push(place),
                }
                Ok(())
            }
            None if text.trim_matches(SPACE).is_empty() => Ok(()),
            None => Err(malformed(place.start, "text outside of the root element")),
        }
    }

    fn start(&mut self, place: Range<usize>, nesting: Nesting) -> Result<(), XmpProblem> {
        let (at, index) = (place.start, self.elements.len());
        self.check_limits(at)?;
        let fault = |reason: &str| malformed(at, reason);
        let source = self.text.get(place.clone()).unwrap_or_default();
        let raw = tag::parse(source, at).map_err(fault)?;
        let declared = declarations(&raw.attributes).map_err(|reason| malformed(at, reason))?;
        self.scopes.enter(&declared);
        let (prefix, local) = split_name(raw.name);
        let namespace = self.scopes.of_element(prefix).map_err(fault)?;
        let attributes = self.attributes(&raw.attributes, at)?;
        let parent = self.open.last().copied();
        if let Some(parent) = parent.and_then(|parent| self.elements.get_mut(parent)) {
            parent.children.push(index);
        }
        match nesting {
            Nesting::Opens => self.open.push(index),
            Nesting::Closed => self.scopes.leave(&declared),
        }
        self.elements.push(Element {
            qualified: raw.name,
            namespace,
            local,
            start_tag: place,
            end: End::Empty,
            parent,
            children: Vec::new(),
            attributes,
            declared,
            content: String::new(),
            content_places: Vec::new(),
        });
        Ok(())
    }

    fn check_limits(&self, at: usize) -> Result<(), XmpProblem> {
        let too_complex = |items, limit| Err(XmpProblem::TooComplex { items, limit });
        if self.open.len() >= MOST_LEVELS {
            return too_complex("levels of elements", MOST_LEVELS);
        }
        if self.elements.len() >= MOST_ELEMENTS {
            return too_complex("elements", MOST_ELEMENTS);
        }
        if self.open.is_empty() && !self.elements.is_empty() {
            return Err(malformed(at, "a second root element"));
        }
        Ok(())
    }

    fn attributes(
        &self,
        raw: &[RawAttribute<'a>],
        at: usize,
    ) -> Result<Vec<Attribute<'a>>, XmpProblem> {
        let mut attributes = Vec::new();
        let mut names = Vec::new();
        for raw in raw {
            let (prefix, local) = split_name(raw.name);
            let value = tag::attribute_value(raw.value).map_err(|reason| malformed(at, reason))?;
            if declared_prefix(raw.name).is_some() {
                names.push((raw.name, ""));
                continue;
            }
            let namespace = self
                .scopes
                .of_attribute(prefix)
                .map_err(|reason| malformed(at, reason))?;
            names.push((scope_name(namespace, prefix), local));
            let place = raw.place.clone();
            attributes.push(Attribute {
                namespace,
                local,
                value,
                place,
            });
        }
        names.sort_unstable();
        names.dedup();
        if names.len() != raw.len() {
            return Err(malformed(at, "an attribute given twice"));
        }
        Ok(attributes)
    }

    fn end(&mut self, place: Range<usize>) -> Result<(), XmpProblem> {
        let element = self.open.pop().and_then(|open| self.elements.get_mut(open));
        let element = element.ok_or_else(|| malformed(place.start, "an end tag too many"))?;
        self.scopes.leave(&element.declared);
        element.end = End::Tag(place);
        Ok(())
    }

    fn finish(self) -> Result<Document<'a>, XmpProblem> {
        if self.elements.is_empty() {
            return Err(malformed(self.text.len(), "there is no root element"));
        }
        if let Some(element) = self.open.last().and_then(|&open| self.elements.get(open)) {
            let reason = format!("the element {} has no end tag", element.qualified);
            return Err(malformed(element.start_tag.start, reason));
        }
        Ok(Document {
            text: self.text,
            elements: self.elements,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nesting {
    Opens,
    Closed,
}

#[cfg(test)]
mod tests {
    use super::super::names::Namespace;
    use super::*;

    #[test]
    fn elements_lie_where_they_are_said_to_lie() {
        let text = "<?xml version='1.0'?><!-- a --><p:a xmlns:p='u' b='&lt;'>x<c/>&amp;<![CDATA[<y>]]></p:a >\n";
        let document = parse(text).expect("a document");
        let root = document.nodes().next().expect("a root");
        assert_eq!(root.element.content, "x&<y>");
        assert_eq!(
            &text[root.element.start_tag.clone()],
            "<p:a xmlns:p='u' b='&lt;'>"
        );
        assert_eq!(&text[root.end() - 7..root.end()], "</p:a >");
        assert_eq!(root.children().count(), 1);
        let places = &root.element.content_places;
        let found: Vec<&str> = places.iter().map(|place| &text[place.clone()]).collect();
        assert_eq!(found, ["x", "&amp;<![CDATA[<y>]]>"]);
    }

    #[test]
    fn namespaces_are_those_of_the_innermost_declaration() {
        let text = "<r:a xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><r:b xmlns:r='u'/><r:c/></r:a>";
        let document = parse(text).expect("a document");
        let found: Vec<Namespace> = document
            .nodes()
            .map(|node| node.element.namespace)
            .collect();
        assert_eq!(found, [Namespace::Rdf, Namespace::Other, Namespace::Rdf]);
    }

    #[test]
    fn what_is_not_well_formed_is_refused() {
        for text in [
            "",
            " ",
            "text",
            "<a>",
            "<a></b>",
            "</a>",
            "<a/><b/>",
            "<a/>text",
            "&amp;<a/>",
            "<a>&b;</a>",
            "<a>&#1;</a>",
            "<a>\u{1}</a>",
            "<a>]]></a>",
            "<a b='1' b='2'/>",
            "<p:a/>",
            "<a p:b='c'/>",
            "<a xmlns:p=''/>",
            "<a xmlns:xmlns='u'/>",
            "<a xmlns:xml='u'/>",
            "<a xmlns:p='u' xmlns:p='v'/>",
            " <?xml version='1.0'?><a/>",
            "<a><!-- -- --></a>",
            "<a/><![CDATA[]]>",
            "<a><![CDATA[</a>",
            "<a b=\"<\"/>",
            "<a>&</a>",
            "<a",
            "<a><!--</a>",
            "<a xmlns:p='http://purl.org/dc/elements/1.1/' xmlns:q='http://purl.org/dc/elements/1.1/' p:b='' q:b=''/>",
        ] {
            let found = parse(text);
            assert!(
                matches!(found, Err(XmpProblem::Malformed { .. })),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn declarations_that_are_not_supported_are_refused() {
        let bomb = "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>";
        assert!(matches!(parse(bomb), Err(XmpProblem::Doctype)));
        let latin = "<?xml version='1.0' encoding='ISO-8859-1'?><a/>";
        assert!(matches!(parse(latin), Err(XmpProblem::Encoding { .. })));
    }

    #[test]
    fn bombs_are_refused() {
        let deep = "<a>".repeat(100_000);
        assert!(matches!(parse(&deep), Err(XmpProblem::TooComplex { .. })));
        let wide = format!("<a>{}</a>", "<a/>".repeat(300_000));
        assert!(matches!(parse(&wide), Err(XmpProblem::TooComplex { .. })));
        let attributes: Vec<String> = (0..50_000).map(|n| format!(" a{n}=''")).collect();
        assert!(parse(&format!("<a{}/>", attributes.concat())).is_ok());
    }
}
