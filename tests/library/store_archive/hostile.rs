//! Files by a maker who means harm and knows the format: the checksum is right, the rest is not.

use eigenfaces::error::{ArrayProblem, ModelProblem};
use eigenfaces::store;
use proptest::prelude::*;
use serde::Deserialize;

use super::{Meta, array_problem, open, problem, small, unsealed};

const META: (&str, &[u8]) = ("meta.json", b"{\"format_version\": 1}");

/// An array with that header text and that many bytes.
fn npy(version: [u8; 2], text: &str, content: &[u8]) -> Vec<u8> {
    let length = (text.len() as u16).to_le_bytes();
    [&b"\x93NUMPY"[..], &version, &length, text.as_bytes(), content].concat()
}

/// An archive of those members, laid out right, whatever they hold.
pub fn hand_made(members: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut body, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let offset = body.len() as u64;
        let size = (content.len() as u64).to_le_bytes();
        let fields = [
            &[45, 0, 0, 0, 0, 0, 0, 0, 0x21, 0][..],
            &crc32fast::hash(content).to_le_bytes(),
            &[0xff; 8],
            &(name.len() as u16).to_le_bytes(),
        ]
        .concat();
        body.extend([b"PK\x03\x04", &fields[..], &[20, 0], name.as_bytes(), &[1, 0, 16, 0], &size, &size].concat());
        body.extend_from_slice(content);
        directory
            .extend([b"PK\x01\x02\x2d\x03", &fields[..], &[28, 0, 0, 0, 0, 0, 0, 0], &[0, 0, 0x80, 0x81]].concat());
        directory.extend([&[0xff; 4], name.as_bytes(), &[1, 0, 24, 0], &size, &size, &offset.to_le_bytes()].concat());
    }
    let (start, length) = (body.len() as u64, directory.len() as u64);
    let count = (members.len() as u64).to_le_bytes();
    body.extend(directory);
    body.extend([b"PK\x06\x06", &44u64.to_le_bytes()[..], &[45, 3, 45, 0], &[0; 8], &count, &count].concat());
    body.extend([length.to_le_bytes(), start.to_le_bytes()].concat());
    body.extend([b"PK\x06\x07\0\0\0\0", &(start + length).to_le_bytes()[..], &[1, 0, 0, 0]].concat());
    body.extend(b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x57\0");
    store::forge(body)
}

#[test]
fn a_hand_made_archive_is_as_good_as_ours() {
    let array = npy([1, 0], "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n", b"ab");
    let archive = open(hand_made(&[META, ("x.npy", &array)])).unwrap();
    assert_eq!(*archive.bytes("x", &[2]).unwrap(), *b"ab");
}

#[test]
fn hostile_containers_are_refused() {
    let layout = |members: &[(&str, &[u8])]| match open(hand_made(members)) {
        Err(ModelProblem::Layout { reason }) => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(layout(&[META, ("a.npy", b""), ("a.npy", b"")]), "two members are called a.npy");
    assert_eq!(layout(&[("a.npy", b""), META]), "it begins with a.npy instead of meta.json");
    assert!(layout(&[]).contains("unexpected zip header at byte 0"));
    for name in ["../x.npy", "/etc/passwd", "a b", "\u{1b}[2J", "", ".hidden", "é", &"n".repeat(65)] {
        assert!(layout(&[META, (name, b"")]).contains("unexpected zip header"), "{name:?}");
    }

    // Any single byte of headers and directory that is not as we write it, with a right checksum over the lie.
    let honest = unsealed(&hand_made(&[META, ("x.npy", b"xyz")]));
    let mut contents: Vec<usize> = Vec::new();
    for content in [META.1, b"xyz"] {
        let at = honest.windows(content.len()).position(|window| window == content).unwrap();
        contents.extend(at..at + content.len());
    }
    for at in (0..honest.len()).filter(|at| !contents.contains(at)) {
        for flip in [1, 0x80, 0xff] {
            let mut lie = honest.clone();
            lie[at] ^= flip;
            assert!(open(store::forge(lie)).is_err(), "byte {at} ^ {flip:#x}");
        }
    }
    // More members than there is file.
    for size in [u64::MAX, u64::MAX / 2, 1 << 40, 22] {
        let mut lie = unsealed(&hand_made(&[META]));
        lie[43..51].copy_from_slice(&size.to_le_bytes());
        lie[51..59].copy_from_slice(&size.to_le_bytes());
        assert!(open(store::forge(lie)).is_err(), "{size}");
    }
}

#[test]
fn hostile_meta_is_refused() {
    let deep = "[".repeat(60_000);
    for meta in [&b"{}"[..], b"", b"[]", b"null", b"{\"format_version\": 1", b"\xff\xfe", deep.as_bytes()] {
        let refused = open(hand_made(&[("meta.json", meta)])).unwrap_err();
        assert!(matches!(refused, ModelProblem::Json { .. }), "{refused}");
        assert!(refused.to_string().len() < 300 && !refused.to_string().contains('\n'), "{refused}");
    }
    let archive = open(hand_made(&[META])).unwrap();
    assert!(matches!(problem(archive.meta::<Meta>().unwrap_err()), ModelProblem::Json { .. }));
    assert!(matches!(problem(archive.json::<Meta>("log.json").unwrap_err()), ModelProblem::Json { .. }));
}

#[test]
fn messages_cannot_drive_the_terminal() {
    #[derive(Debug, Deserialize)]
    enum Recipe {
        None,
    }
    #[derive(Debug, Deserialize)]
    struct Chosen {
        #[allow(dead_code)]
        recipe: Recipe,
    }
    let name = "\\u001b[2J\\n\\u202e".to_owned() + &"x".repeat(1000);
    let meta = format!("{{\"format_version\": 1, \"recipe\": \"{name}\"}}");
    let archive = open(hand_made(&[("meta.json", meta.as_bytes())])).unwrap();
    let message = archive.meta::<Chosen>().unwrap_err().to_string();
    assert!(message.contains("\\u{1b}[2J\\u{a}\\u{202e}xxx"), "{message}");
    assert!(message.chars().all(|c| matches!(c, ' '..='~')) && message.len() < 400, "{message}");
    assert!(matches!(Recipe::None, Recipe::None));
}

#[test]
fn hostile_arrays_are_refused() {
    let header =
        |descr: &str, shape: &str| format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
    let read = |version: [u8; 2], text: &str, content: &[u8], shape: &[usize]| {
        let archive = open(hand_made(&[META, ("x.npy", &npy(version, text, content))])).unwrap();
        array_problem(archive.array::<f32>("x", shape).unwrap_err())
    };
    let kind = |found: &str| ArrayProblem::Type { found: found.to_owned(), expected: "<f4".to_owned() };
    let four = &[0; 4];
    for other in [">f4", "<f8", "|O", "<U1", "|u1", "<M8[ns]"] {
        assert_eq!(read([1, 0], &header(&format!("'{other}'"), "(1,)"), four, &[1]), kind(other));
    }
    assert_eq!(read([1, 0], &header("[('a', '<f4')]", "(1,)"), four, &[1]), ArrayProblem::Header);
    assert_eq!(read([4, 0], &header("'<f4'", "(1,)"), four, &[1]), ArrayProblem::Version { major: 4, minor: 0 });
    let fortran = header("'<f4'", "(1, 1)").replace("False", "True");
    assert_eq!(read([1, 0], &fortran, four, &[1, 1]), ArrayProblem::FortranOrder);
    let huge = usize::MAX / 2;
    assert_eq!(
        read([1, 0], &header("'<f4'", &format!("({huge}, 8)")), four, &[huge, 8]),
        ArrayProblem::Length { shape: vec![huge, 8], bytes: 4 }
    );
    assert_eq!(
        read([1, 0], &header("'<f4'", "(2, 1)"), four, &[1, 2]),
        ArrayProblem::Shape { found: vec![2, 1], expected: vec![1, 2] }
    );
    for content in [&[0; 0][..], &[0; 3], &[0; 5], &[0; 8]] {
        let bytes = content.len();
        assert_eq!(
            read([1, 0], &header("'<f4'", "(1,)"), content, &[1]),
            ArrayProblem::Length { shape: vec![1], bytes }
        );
    }
    let archive = open(hand_made(&[META, ("x.npy", b"")])).unwrap();
    assert_eq!(array_problem(archive.array::<f32>("x", &[1]).unwrap_err()), ArrayProblem::NotNumPy);
    assert_eq!(array_problem(archive.array::<f32>("y", &[1]).unwrap_err()), ArrayProblem::Missing);
}

#[test]
fn hostile_text_is_refused() {
    let read = |descr: &str, n: usize, content: &[u8]| {
        let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({n},), }}\n");
        let archive = open(hand_made(&[META, ("x.npy", &npy([1, 0], &text, content))])).unwrap();
        archive.text("x", n).map_err(array_problem)
    };
    assert_eq!(read("<U1", 2, b"a\0\0\0b\0\0\0").unwrap(), ["a", "b"]);
    for descr in ["<U0", ">U1", "|S4", "|O", "<U"] {
        assert!(matches!(read(descr, 0, b""), Err(ArrayProblem::Type { .. })), "{descr}");
    }
    // Lines of no bytes could be claimed by the billion.
    assert!(matches!(read("<U0", usize::MAX, b""), Err(ArrayProblem::Type { .. })));
    assert!(matches!(read("<U4611686018427387905", 1, b"a\0\0\0"), Err(ArrayProblem::Length { .. })));
    assert!(matches!(read("<U1", usize::MAX, b"a\0\0\0"), Err(ArrayProblem::Length { .. })));
    // A surrogate, and a number beyond the last character.
    assert_eq!(read("<U1", 2, b"a\0\0\0\x00\xd8\0\0"), Err(ArrayProblem::Text { row: 1 }));
    assert_eq!(read("<U1", 1, b"\0\0\x11\0"), Err(ArrayProblem::Text { row: 0 }));
    // NumPy drops NULs at the end, and only there.
    assert_eq!(read("<U3", 1, b"\0\0\0\0a\0\0\0\0\0\0\0").unwrap(), ["\0a"]);
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        prop_assert!(open(bytes.clone()).is_err());
        prop_assert!(open(store::forge(bytes)).is_err());
    }

    /// The hostile maker: any bytes of a model changed, and a right checksum put under it.
    #[test]
    fn forgeries_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut bytes = unsealed(&small());
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(archive) = open(store::forge(bytes)) {
            let _ = archive.meta::<Meta>();
            let _ = archive.json::<Vec<String>>("log.json");
            for name in archive.arrays() {
                let Ok(shape) = archive.shape(name) else { continue };
                let _ = archive.array::<f32>(name, &shape);
                let _ = archive.array::<f64>(name, &shape);
                let _ = archive.array::<i64>(name, &shape);
                let _ = archive.array::<u32>(name, &shape);
                let _ = archive.bytes(name, &shape);
                let _ = archive.text(name, shape.first().copied().unwrap_or(0));
            }
        }
    }
}
