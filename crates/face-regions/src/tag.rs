//! The names, attributes and characters of XML, by the rules that the tokenizer leaves unchecked.

use std::ops::Range;

pub(super) const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

#[derive(Debug, PartialEq, Eq)]
pub(super) struct RawAttribute<'a> {
    /// The name with its prefix.
    pub name: &'a str,
    /// The value between the quotes, not unescaped.
    pub value: &'a str,
    /// The place of the value in the document.
    pub place: Range<usize>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct RawTag<'a> {
    /// The name with its prefix.
    pub name: &'a str,
    pub attributes: Vec<RawAttribute<'a>>,
}

/// Takes a start tag apart, which begins at `at` in the document. The error says which rule is broken.
pub(super) fn parse(tag: &str, at: usize) -> Result<RawTag<'_>, &'static str> {
    let inner = tag
        .strip_prefix('<')
        .and_then(|tag| tag.strip_suffix("/>").or_else(|| tag.strip_suffix('>')))
        .ok_or("a tag is not closed")?;
    let end_of_name = inner.find(SPACE).unwrap_or(inner.len());
    let (name, mut rest) = inner.split_at_checked(end_of_name).unwrap_or((inner, ""));
    if !is_qualified_name(name) {
        return Err("an element has no valid name");
    }
    let end = at + 1 + inner.len();
    let mut attributes = Vec::new();
    loop {
        let trimmed = rest.trim_start_matches(SPACE);
        if trimmed.is_empty() {
            return Ok(RawTag { name, attributes });
        }
        if trimmed.len() == rest.len() {
            return Err("there is no space between attributes");
        }
        let (attribute, after) = attribute(trimmed, end)?;
        attributes.push(attribute);
        rest = after;
    }
}

/// The first attribute of the rest of a tag, which ends at `end` in the document, and what follows.
fn attribute(rest: &str, end: usize) -> Result<(RawAttribute<'_>, &str), &'static str> {
    let (name, after) = rest.split_once('=').ok_or("an attribute has no value")?;
    let name = name.trim_end_matches(SPACE);
    if !is_qualified_name(name) {
        return Err("an attribute has no valid name");
    }
    let after = after.trim_start_matches(SPACE);
    let quote = match after.chars().next() {
        Some(quote @ ('"' | '\'')) => quote,
        _ => return Err("the value of an attribute is not in quotes"),
    };
    let after = after.strip_prefix(quote).unwrap_or_default();
    let start = end - after.len();
    let (value, after) = after
        .split_once(quote)
        .ok_or("the value of an attribute is not closed")?;
    if value.contains('<') {
        return Err("the value of an attribute has a <");
    }
    let place = start..start + value.len();
    Ok((RawAttribute { name, value, place }, after))
}

/// Prefix and local name; the prefix is empty where there is none.
pub(super) fn split_name(name: &str) -> (&str, &str) {
    name.split_once(':').unwrap_or(("", name))
}

fn is_qualified_name(name: &str) -> bool {
    match name.split_once(':') {
        Some((prefix, local)) => is_name(prefix) && is_name(local),
        None => is_name(name),
    }
}

/// True for a name without colon (Namespaces in XML 1.0, 3).
fn is_name(name: &str) -> bool {
    let other = |c: char| {
        matches!(
            c,
            '-' | '.' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}' | '\u{2040}'
        )
    };
    let mut characters = name.chars();
    characters.next().is_some_and(starts_name)
        && characters.all(|c| starts_name(c) || c.is_ascii_digit() || other(c))
}

fn starts_name(c: char) -> bool {
    matches!(c, 'A'..='Z' | '_' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}' | '\u{200D}' | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}'
        | '\u{10000}'..='\u{EFFFF}')
}

/// True for a character that XML 1.0 allows (2.2).
pub(super) fn is_character(c: char) -> bool {
    !matches!(c, '\u{0}'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

/// The value of an attribute: white space made spaces (XML 1.0, 3.3.3), then references resolved.
pub(super) fn attribute_value(raw: &str) -> Result<String, String> {
    let spaced = raw.replace("\r\n", " ").replace(['\t', '\r', '\n'], " ");
    let value = quick_xml::escape::unescape(&spaced).map_err(|error| error.to_string())?;
    if !value.chars().all(is_character) {
        return Err("a reference stands for a character that XML does not allow".to_owned());
    }
    Ok(value.into_owned())
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
            '\'' => escaped.push_str("&#39;"),
            '\t' => escaped.push_str("&#9;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_where_they_are_said_to_lie() {
        let document = "....<a:b  c = 'd>\"' e:f=\"\"/>";
        let tag = parse(&document[4..], 4).expect("a tag");
        assert_eq!(tag.name, "a:b");
        let found: Vec<_> = tag.attributes.iter().map(|a| (a.name, a.value)).collect();
        assert_eq!(found, [("c", "d>\""), ("e:f", "")]);
        for attribute in tag.attributes {
            assert_eq!(&document[attribute.place], attribute.value);
        }
    }

    #[test]
    fn broken_tags_are_refused() {
        for tag in [
            "<a b>",
            "<a b=c>",
            "<a b='c>",
            "<a b='c'd='e'>",
            "<a b='<'>",
            "<1>",
            "<a:b:c>",
            "<:a>",
            "< a>",
            "<a ='b'>",
            "<a b/c='d'>",
            "<a",
        ] {
            assert!(parse(tag, 0).is_err(), "{tag}");
        }
    }

    #[test]
    fn text_comes_back_from_its_escaped_form() {
        let text = "O'Brien & Söhne <x> \"y\"\t\r\n]]>";
        assert_eq!(attribute_value(&escaped(text)).as_deref(), Ok(text));
        assert!(attribute_value("&bomb;").is_err());
        assert!(attribute_value("&#1;").is_err());
        assert!(attribute_value("a & b").is_err());
        assert_eq!(attribute_value("a\r\nb\tc").as_deref(), Ok("a b c"));
    }
}
