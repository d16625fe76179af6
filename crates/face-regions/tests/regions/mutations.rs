//! Damaged and changed sidecars: reading and writing never panic, and nothing that was there is lost.

use face_regions::{Area, Content, NamedFace, Outcome, OwnNames, PhotoLayout, Written, XmpProblem, embedded, read};
use proptest::prelude::*;
use quick_xml::NsReader;
use quick_xml::events::Event;
use quick_xml::name::ResolveResult;

const SAMPLES: [&str; 3] =
    [include_str!("samples/digikam.xmp"), include_str!("samples/lightroom.xmp"), include_str!("samples/plain.xmp")];

fn write(bytes: &[u8], faces: &[NamedFace<'_>], own: OwnNames) -> Result<Written, XmpProblem> {
    let photo = PhotoLayout::new((4000, 3000), 1, &[]);
    face_regions::write(Some(bytes), &photo, faces, own)
}

/// A change of some bytes, at a place between 0 and 1.
#[derive(Debug, Clone)]
enum Mutation {
    Flip(f64, u8),
    Cut(f64, usize),
    Insert(f64, String),
    Copy(f64, f64, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let place = 0.0..1.0_f64;
    let pieces = prop::sample::select(vec![
        "<",
        ">",
        "&",
        "\"",
        "'",
        "/",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?x?>",
        "<rdf:li/>",
        "<rdf:Bag/>",
        " ",
        "</rdf:li>",
        "rdf:parseType='Resource'",
        "xmlns:rdf='u'",
        "&amp;",
        "&#0;",
        "<mwg-rs:Name/>",
        "\u{0}",
        "=",
        "é",
        "<mwg-rs:Extensions eigenfaces:Name='x' xmlns:eigenfaces='http://ns.eigenfaces.org/1.0/'/>",
    ]);
    prop_oneof![
        (place.clone(), any::<u8>()).prop_map(|(at, byte)| Mutation::Flip(at, byte)),
        (place.clone(), 1..200_usize).prop_map(|(at, length)| Mutation::Cut(at, length)),
        (place.clone(), pieces).prop_map(|(at, piece)| Mutation::Insert(at, piece.to_owned())),
        (place.clone(), place, 1..300_usize).prop_map(|(from, to, length)| Mutation::Copy(from, to, length)),
    ]
}

fn mutate(bytes: &mut Vec<u8>, mutation: &Mutation) {
    let place = |at: f64, length: usize| (at * length as f64) as usize;
    if bytes.is_empty() {
        return;
    }
    match mutation {
        Mutation::Flip(at, byte) => {
            let at = place(*at, bytes.len());
            bytes[at] = *byte;
        }
        Mutation::Cut(at, length) => {
            let at = place(*at, bytes.len());
            let end = (at + length).min(bytes.len());
            bytes.drain(at..end);
        }
        Mutation::Insert(at, piece) => {
            let at = place(*at, bytes.len());
            bytes.splice(at..at, piece.bytes());
        }
        Mutation::Copy(from, to, length) => {
            let (from, to) = (place(*from, bytes.len()), place(*to, bytes.len()));
            let copy = bytes[from..(from + length).min(bytes.len())].to_vec();
            bytes.splice(to..to, copy);
        }
    }
}

/// Changes whole elements, so that the sidecar stays well-formed: copies one into another, or empties it.
fn restructure(text: &str, choices: &[(usize, usize, bool)]) -> String {
    let mut text = text.to_owned();
    for &(from, to, empties) in choices {
        let places = elements(&text);
        let (Some(from), Some(to)) = (places.get(from % places.len()), places.get(to % places.len())) else { continue };
        let inner_end = text[..to.1].rfind("</");
        if empties {
            let start = from.0;
            let name: String =
                text[start + 1..].chars().take_while(|c| !c.is_whitespace() && !"/>".contains(*c)).collect();
            text.replace_range(from.0..from.1, &format!("<{name}/>"));
        } else if let Some(at) = inner_end.filter(|at| *at > to.0) {
            let copy = text[from.0..from.1].to_owned();
            text.insert_str(at, &copy);
        }
    }
    text
}

/// The places of all elements inside the root.
fn elements(text: &str) -> Vec<(usize, usize)> {
    let mut reader = quick_xml::Reader::from_str(text);
    let (mut open, mut found) = (Vec::new(), Vec::new());
    loop {
        let start = reader.buffer_position() as usize;
        let event = reader.read_event().expect("well-formed");
        let end = reader.buffer_position() as usize;
        match event {
            Event::Start(_) => open.push(start),
            Event::Empty(_) => found.push((start, end)),
            Event::End(_) => found.push((open.pop().expect("an element"), end)),
            Event::Eof => break,
            _ => {}
        }
    }
    found.retain(|place| !text[place.0..place.1].contains(":RDF"));
    found
}

/// All that a document says: for each element and attribute its path by namespaces and its text, and each comment and
/// instruction. The path does not have the numbers of elements, so that further ones may stand between.
fn statements(text: &str) -> Vec<String> {
    let mut reader = NsReader::from_str(text);
    let (mut path, mut found): (Vec<(String, String)>, Vec<String>) = Default::default();
    loop {
        let event = reader.read_event().expect("well-formed");
        match &event {
            Event::Start(tag) | Event::Empty(tag) => {
                let (namespace, local) = reader.resolver().resolve_element(tag.name());
                let name = format!("{}{}", uri(&namespace), local.as_ref());
                path.push((name, String::new()));
                for attribute in tag.attributes() {
                    let attribute = attribute.expect("an attribute");
                    let (namespace, local) = reader.resolver().resolve_attribute(attribute.key);
                    found.push(format!("{}@{}{}={}", joined(&path), uri(&namespace), local.as_ref(), attribute.value));
                }
                if matches!(event, Event::Empty(_)) {
                    found.push(close(&mut path));
                }
            }
            Event::End(_) => found.push(close(&mut path)),
            Event::Text(text) => push(&mut path, text),
            Event::CData(text) => push(&mut path, text),
            Event::GeneralRef(text) => push(&mut path, &format!("&{};", &**text)),
            Event::Comment(text) => found.push(format!("{}#{}", joined(&path), &**text)),
            Event::PI(text) => found.push(format!("{}?{}", joined(&path), &**text)),
            Event::Decl(text) => found.push(format!("{text:?}")),
            Event::DocType(_) => panic!("a DOCTYPE"),
            Event::Eof => break,
        }
    }
    found.sort();
    found
}

fn uri(namespace: &ResolveResult<'_>) -> String {
    match namespace {
        ResolveResult::Bound(namespace) => format!("{{{}}}", namespace.as_ref()),
        ResolveResult::Unbound => String::new(),
        ResolveResult::Unknown(prefix) => panic!("{prefix:?} is not declared"),
    }
}

fn joined(path: &[(String, String)]) -> String {
    let names: Vec<&str> = path.iter().map(|(name, _)| name.as_str()).collect();
    names.join("/")
}

fn push(path: &mut [(String, String)], text: &str) {
    if let Some(last) = path.last_mut() {
        last.1.push_str(text);
    }
}

fn close(path: &mut Vec<(String, String)>) -> String {
    let name = joined(path);
    let (_, text) = path.pop().expect("an element");
    format!("{name}: {}", text.trim())
}

/// True for what may change: the names of MWG regions that were empty or this program's, also as items of a list, and its
/// own fields.
fn ours(statement: &str) -> bool {
    let is_name = |end: &str| statement.contains(&format!("schemas/regions/}}Name{end}"));
    statement.contains("eigenfaces.org") || [": ", "=", "/"].into_iter().any(is_name)
}

/// The keywords that a document lists as this program's.
fn own_keywords(text: &str) -> Vec<String> {
    let is_listed = |it: &String| it.contains("eigenfaces.org") && it.contains("ubject/");
    let listed = statements(text).into_iter().filter(is_listed);
    let items = listed.filter_map(|it| Some(it.split_once("}li: ")?.1.to_owned()));
    items.filter(|keyword| !keyword.is_empty()).collect()
}

/// True for a keyword of this program's, and for the list of it and others.
fn is_keyword(statement: &str, own: &[String]) -> bool {
    let is_list = statement.contains("ubject/") || statement.ends_with("ubject: ");
    let text = statement.split_once(": ").map_or("", |(_, text)| text);
    is_list && (text.is_empty() || own.iter().any(|keyword| keyword == text))
}

fn check_nothing_lost(old: &str, new: &str) {
    let after = statements(new);
    let own = own_keywords(old);
    let mut rest = after.iter().peekable();
    for statement in statements(old) {
        if ours(&statement) || is_keyword(&statement, &own) {
            continue;
        }
        while rest.peek().is_some_and(|next| **next < statement) {
            rest.next();
        }
        assert_eq!(rest.next(), Some(&statement), "\n{old}\n---\n{new}");
    }
}

/// True where each byte of the old text is in the new one, in the old order.
fn is_subsequence(old: &str, new: &str) -> bool {
    let mut new = new.bytes();
    old.bytes().all(|byte| new.any(|other| other == byte))
}

fn faces(places: &[(f64, f64, usize)]) -> Vec<NamedFace<'static>> {
    let names = ["Anna", "Grandma Inge", "O'Brien & Söhne <x>", "Wedding"];
    places
        .iter()
        .map(|&(x, y, name)| NamedFace {
            area: Area::new(x, y, 0.12, 0.16).expect("an area"),
            name: names[name % names.len()],
            confidence: Some(x),
        })
        .collect()
}

fn some_faces() -> impl Strategy<Value = Vec<NamedFace<'static>>> {
    let known = prop::sample::select(vec![(0.25, 0.5), (0.7, 0.4), (0.71, 0.41)]);
    let place = prop_oneof![known, (0.0..1.0, 0.0..1.0)];
    prop::collection::vec((place, 0..4_usize), 0..5).prop_map(|found| {
        let places: Vec<_> = found.into_iter().map(|((x, y), name)| (x, y, name)).collect();
        faces(&places)
    })
}

/// Writes, and checks all that must hold where the sidecar is accepted.
fn check(bytes: &[u8], faces: &[NamedFace<'_>]) {
    let _ = read(bytes);
    let _ = embedded(bytes);
    let Ok(written) = write(bytes, faces, OwnNames::Keep) else { return };
    assert_eq!(written.outcomes.len(), faces.len());
    // Without faces to write, names that cannot be placed matter only here.
    if let Ok(withdrawn) = write(bytes, &[], OwnNames::Withdraw)
        && let Content::Changed(rest) = &withdrawn.content
    {
        let again = write(rest, &[], OwnNames::Withdraw).expect("withdrawn again");
        assert_eq!(again.content, Content::Unchanged, "{:?}", again.withdrawn);
    }
    let Content::Changed(new) = &written.content else { return };
    let again = write(new, faces, OwnNames::Keep).expect("written again");
    assert_eq!(again.content, Content::Unchanged, "{:?}", again.outcomes);
    let (Ok(old), Ok(new)) = (std::str::from_utf8(bytes), std::str::from_utf8(new)) else { return };
    let bare = |text: &str| text.trim_start_matches('\u{FEFF}').to_owned();
    check_nothing_lost(&bare(old), &bare(new));
    check_outcomes(old, new, faces, &written.outcomes);
}

/// Checks that the outcomes say what has happened.
fn check_outcomes(old: &str, new: &str, faces: &[NamedFace<'_>], outcomes: &[Outcome]) {
    let replaces = |outcome: &Outcome| matches!(outcome, Outcome::Updated { .. } | Outcome::Named);
    // Where one of this program's keywords was withdrawn, there is less than before.
    let own = own_keywords(old);
    let listed = |text: &str| -> Vec<String> {
        statements(text).into_iter().filter(|statement| is_keyword(statement, &own)).collect()
    };
    let mut after = listed(new);
    let is_kept = listed(old).iter().all(|statement| {
        let at = after.iter().position(|other| other == statement);
        at.map(|at| after.remove(at)).is_some()
    });
    if !outcomes.iter().any(replaces) && is_kept {
        assert!(is_subsequence(old, new));
    }
    let regions = |text: &str| read(text.as_bytes()).expect("regions").list;
    let (before, after) = (regions(old), regions(new));
    let added = outcomes.iter().filter(|outcome| **outcome == Outcome::Added);
    assert_eq!(after.len(), before.len() + added.count());
    for (face, outcome) in faces.iter().zip(outcomes) {
        match outcome {
            Outcome::NamedAlready { .. } | Outcome::NameRemoved { .. } => {}
            _ => assert!(after.iter().any(|region| region.name.as_deref() == Some(face.name))),
        }
    }
}

/// A sample, or one that this program has written into before.
fn sidecar() -> impl Strategy<Value = Vec<u8>> {
    let sample = prop::sample::select(SAMPLES.to_vec());
    (sample, some_faces()).prop_map(|(sample, faces)| {
        let written = write(sample.as_bytes(), &faces, OwnNames::Keep).expect("written");
        match written.content {
            Content::Changed(bytes) => bytes,
            Content::Unchanged => sample.as_bytes().to_vec(),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn damaged_bytes_lose_nothing(
        mut bytes in sidecar(),
        mutations in prop::collection::vec(mutation(), 0..4),
        faces in some_faces(),
    ) {
        for mutation in &mutations {
            mutate(&mut bytes, mutation);
        }
        check(&bytes, &faces);
    }

    #[test]
    fn changed_elements_lose_nothing(
        bytes in sidecar(),
        choices in prop::collection::vec((any::<usize>(), any::<usize>(), any::<bool>()), 0..4),
        faces in some_faces(),
    ) {
        let text = String::from_utf8(bytes).expect("UTF-8");
        check(restructure(&text, &choices).as_bytes(), &faces);
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&bytes, &faces(&[(0.5, 0.5, 0)]));
    }
}
