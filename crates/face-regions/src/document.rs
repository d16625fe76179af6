//! A document that is well-formed XML, by `roxmltree`, whose elements know where in the text they stand.

use std::ops::Range;

use roxmltree::ParsingOptions;

use super::names::{Namespace, Property};
use super::problem::XmpProblem;

pub(super) type Document<'a> = roxmltree::Document<'a>;
pub(super) type Attribute<'d> = roxmltree::Attribute<'d, 'd>;

pub(super) const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// The most that is read: levels (sidecars of Lightroom with masks have some twenty), elements, attributes of an element, and
/// declarations of namespaces. The parser's time and memory grow with the square of the last two.
const LIMITS: [(&str, usize); 4] = [
    ("levels of elements", 100),
    ("elements", 250_000),
    ("attributes of an element", 2_000),
    ("declarations of namespaces", 5_000),
];

/// Reads a document. What is not well-formed (XML 1.0, Namespaces in XML 1.0) is refused: writing would damage it.
pub(super) fn parse(text: &str) -> Result<Document<'_>, XmpProblem> {
    refuse_large(text)?;
    refuse_encoding(text)?;
    if let Some(c) = text.chars().find(|&c| !is_character(c)) {
        return Err(XmpProblem::Malformed { reason: format!("the character {c:?}, which XML does not allow") });
    }
    Document::parse_with_options(text, ParsingOptions::default()).map_err(|error| match error {
        roxmltree::Error::DtdDetected => XmpProblem::Doctype,
        error => XmpProblem::Malformed { reason: error.to_string() },
    })
}

/// Refuses what is larger than [`LIMITS`], before anything is made of it. In well-formed text the parser finds these tags.
fn refuse_large(text: &str) -> Result<(), XmpProblem> {
    let mut levels = 0_usize;
    let (mut elements, mut declarations) = (0, 0);
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        let apart = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        let apart = apart.iter().find(|(start, _)| rest.starts_with(start));
        let end = apart.map_or_else(|| tag_length(rest), |(_, end)| rest.find(end).map(|at| at + end.len()));
        let Some(end) = end else { return Ok(()) };
        let tag = &rest[..end];
        rest = &rest[end..];
        if apart.is_some() {
            continue;
        }
        if tag.starts_with("</") {
            levels = levels.saturating_sub(1);
            continue;
        }
        levels += 1;
        elements += 1;
        declarations += tag.matches("xmlns").count();
        let counts = [levels, elements, tag.matches('=').count(), declarations];
        for ((items, limit), count) in LIMITS.into_iter().zip(counts) {
            if count > limit {
                return Err(XmpProblem::TooComplex { items, limit });
            }
        }
        levels -= usize::from(tag.ends_with("/>"));
    }
    Ok(())
}

/// The length of the tag that a text begins with. What stands in quotes does not end it.
fn tag_length(text: &str) -> Option<usize> {
    let mut quote = None;
    let end = text.bytes().position(|byte| {
        match quote {
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            Some(open) if open == byte => quote = None,
            _ => {}
        }
        quote.is_none() && byte == b'>'
    });
    Some(end? + 1)
}

/// Refuses a document that declares another encoding than those that are decoded here.
fn refuse_encoding(text: &str) -> Result<(), XmpProblem> {
    const KNOWN: [&str; 6] = ["utf-8", "utf8", "utf-16", "utf-16le", "utf-16be", "us-ascii"];
    let declaration = text.strip_prefix("<?xml ").and_then(|it| it.split_once("?>"));
    let encoding = declaration.and_then(|(it, _)| it.split_once("encoding"));
    let encoding = encoding.and_then(|(_, it)| it.split(['"', '\'']).nth(1));
    let is_known = |name: &str| KNOWN.iter().any(|it| it.eq_ignore_ascii_case(name));
    let refused = XmpProblem::Encoding { expected: "UTF-8 or UTF-16 by its XML declaration" };
    encoding.is_none_or(is_known).then_some(()).ok_or(refused)
}

/// True for a character that XML 1.0 allows (2.2).
pub(super) fn is_character(c: char) -> bool {
    !matches!(c, '\u{0}'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'d>(pub roxmltree::Node<'d, 'd>);

impl<'d> Node<'d> {
    pub(super) fn all(document: &'d Document<'d>) -> impl Iterator<Item = Self> {
        document.descendants().filter(|it| it.is_element()).map(Self)
    }

    pub(super) fn is(self, property: Property) -> bool {
        self.0.has_tag_name(property.name())
    }

    pub(super) fn children(self) -> impl DoubleEndedIterator<Item = Self> {
        self.0.children().filter(|it| it.is_element()).map(Self)
    }

    pub(super) fn parent(self) -> Option<Self> {
        self.0.parent_element().map(Self)
    }

    pub(super) fn attribute(self, property: Property) -> Option<Attribute<'d>> {
        self.0.attribute_node(property.name())
    }

    pub(super) fn has_attribute_of(self, namespace: Namespace) -> bool {
        self.0.attributes().any(|it| it.namespace() == Some(namespace.uri))
    }

    /// The text in it; none where other elements, comments or instructions stand in it too.
    pub(super) fn text(self) -> Option<&'d str> {
        let mut children = self.0.children();
        match (children.next(), children.next()) {
            (None, _) => Some(""),
            (Some(text), None) if text.is_text() => text.text(),
            _ => None,
        }
    }

    pub(super) fn is_blank(self) -> bool {
        let mut texts = self.0.children().filter(|it| it.is_text());
        texts.all(|it| it.text().unwrap_or_default().trim_matches(SPACE).is_empty())
    }

    /// The text that its usual prefix stands for, if that is declared here.
    pub(super) fn bound(self, namespace: Namespace) -> Option<&'d str> {
        self.0.lookup_namespace_uri(Some(namespace.prefix))
    }

    fn source(self) -> &'d str {
        self.0.document().input_text()
    }

    pub(super) fn start(self) -> usize {
        self.0.range().start
    }

    pub(super) fn end(self) -> usize {
        self.0.range().end
    }

    /// The place of its start tag, which is all of it where it is empty (`<a/>`).
    pub(super) fn start_tag(self) -> Range<usize> {
        let start = self.start();
        start..start + tag_length(&self.source()[start..]).unwrap_or_default()
    }

    /// Whether its start tag is the end too.
    pub(super) fn is_closed(self) -> bool {
        self.source()[self.start_tag()].ends_with("/>")
    }

    pub(super) fn content(self) -> Range<usize> {
        let (start, end) = (self.start_tag().end, self.end());
        start..start + self.source()[start..end].rfind("</").unwrap_or_default()
    }

    pub(super) fn qualified(self) -> &'d str {
        let tag = &self.source()[self.start_tag()][1..];
        let end = tag.find(|c: char| SPACE.contains(&c) || "/>".contains(c));
        &tag[..end.unwrap_or(tag.len())]
    }

    /// The line break and indentation before the element; empty where it does not begin a line.
    pub(super) fn line_start(self) -> String {
        let before = &self.source()[..self.start()];
        let Some((lines, indentation)) = before.rsplit_once('\n') else { return String::new() };
        if !indentation.chars().all(|c| matches!(c, ' ' | '\t')) {
            return String::new();
        }
        let line_break = if lines.ends_with('\r') { "\r\n" } else { "\n" };
        [line_break, indentation].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_lie_where_they_are_said_to_lie() {
        let text = "<?xml version='1.0'?><!-- a --><p:a xmlns:p='u' b='&lt;>'>x&amp;<![CDATA[<y>]]></p:a >\n";
        let document = parse(text).expect("a document");
        let root = Node::all(&document).next().expect("a root");
        assert_eq!(root.text(), Some("x&<y>"));
        assert_eq!(root.qualified(), "p:a");
        assert_eq!(&text[root.start_tag()], "<p:a xmlns:p='u' b='&lt;>'>");
        assert_eq!(&text[root.content()], "x&amp;<![CDATA[<y>]]>");
        assert_eq!(&text[root.end() - 7..root.end()], "</p:a >");
        let document = parse("<a ><b c='/>'/><!-- --></a>").expect("a document");
        let nodes: Vec<Node<'_>> = Node::all(&document).collect();
        assert_eq!((nodes[0].text(), nodes[1].text()), (None, Some("")));
        assert!(nodes[1].is_closed() && !nodes[0].is_closed());
        assert_eq!(nodes[0].children().count(), 1);
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
            "<a b>",
            "<a b=c/>",
            "<a b='c/>",
            "<a b='c'd='e'/>",
            "<1/>",
            "< a/>",
            "<a ='b'/>",
            "<a b/c='d'/>",
        ] {
            let found = parse(text).map(|_| ());
            assert!(matches!(found, Err(XmpProblem::Malformed { .. })), "{text}: {found:?}");
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
        let names = |from: &str, count: usize| -> String { (0..count).map(|n| format!(" {from}{n}='u{n}'")).collect() };
        for bomb in [
            "<a>".repeat(100_000),
            format!("<a>{}</a>", "<a/>".repeat(300_000)),
            format!("<a{}/>", names("a", 50_000)),
            format!("<a>{}</a>", format!("<a{}/>", names("xmlns:a", 100)).repeat(60)),
        ] {
            assert!(matches!(parse(&bomb), Err(XmpProblem::TooComplex { .. })));
        }
        assert!(parse(&format!("<a{}/>", names("a", 2_000))).is_ok());
    }
}
