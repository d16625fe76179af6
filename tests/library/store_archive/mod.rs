//! The model file as a container: what goes in comes out, and nothing else is let in.

mod forged;
mod hostile;
mod refused;

use std::path::Path;
use std::process::Command;

use eigenfaces::error::{ArrayProblem, Error, ModelProblem};
use eigenfaces::store::{Archive, ArchiveWriter, Number};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Meta {
    width: u32,
    recipe: String,
    threshold: Option<f64>,
}

fn meta() -> Meta {
    Meta { width: 4, recipe: "plain – ünïcode".to_owned(), threshold: Some(0.1 + 0.2) }
}

const LABELS: [&str; 3] = ["Ada Lovelace", "", "孝 𝔸 🦀"];

/// A small model with every kind of array.
fn small() -> Vec<u8> {
    let mut writer = ArchiveWriter::new(Vec::new(), &meta()).unwrap();
    writer.add_array("mean_", &[4], &[0.5f32, -1.0, f32::NAN, f32::INFINITY]).unwrap();
    writer.add_array("explained_variance_", &[2], &[1e300f64, 5e-324]).unwrap();
    writer.add_array("faces", &[3, 4], &[0u8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 254, 255]).unwrap();
    writer.add_array("cluster_of", &[3], &[0u32, 1, u32::MAX]).unwrap();
    writer.add_array("enrolled_at", &[3], &[i64::MIN, 0, i64::MAX]).unwrap();
    writer.add_array("none", &[0, 7], &[0f32; 0]).unwrap();
    writer.add_text("labels", &LABELS).unwrap();
    writer.add_text("nobody", &[""; 0]).unwrap();
    writer.add_json("log.json", &["enrolled 3 faces"]).unwrap();
    writer.finish().unwrap()
}

fn open(bytes: Vec<u8>) -> Result<Archive, ModelProblem> {
    Archive::from_bytes(Path::new("m.npz"), bytes).map_err(problem)
}

fn problem(error: Error) -> ModelProblem {
    match error {
        Error::Model { problem, .. } => problem,
        other => panic!("not about the model: {other}"),
    }
}

fn array_problem(error: Error) -> ArrayProblem {
    match problem(error) {
        ModelProblem::Array { problem, .. } => problem,
        other => panic!("not about an array: {other}"),
    }
}

/// The bytes without their seal, which is how a hostile maker begins.
fn unsealed(bytes: &[u8]) -> Vec<u8> {
    let seal = b"eigenfaces sha256/256k ";
    let at = bytes.windows(seal.len()).rposition(|window| window == seal).unwrap();
    bytes[..at].to_vec()
}

#[test]
fn everything_comes_back() {
    let archive = open(small()).unwrap();
    assert_eq!(archive.meta::<Meta>().unwrap(), meta());
    assert_eq!(archive.json::<Vec<String>>("log.json").unwrap(), ["enrolled 3 faces"]);
    let mean: Vec<u32> = archive.any_array::<f32>("mean_", &[4]).unwrap().iter().map(|x| x.to_bits()).collect();
    assert_eq!(mean, [0.5f32, -1.0, f32::NAN, f32::INFINITY].map(f32::to_bits));
    assert_eq!(archive.any_array::<f64>("explained_variance_", &[2]).unwrap(), [1e300, 5e-324]);
    assert_eq!(*archive.bytes("faces", &[3, 4]).unwrap(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 254, 255]);
    assert_eq!(archive.array::<u32>("cluster_of", &[3]).unwrap(), [0, 1, u32::MAX]);
    assert_eq!(archive.array::<i64>("enrolled_at", &[3]).unwrap(), [i64::MIN, 0, i64::MAX]);
    assert!(archive.array::<f32>("none", &[0, 7]).unwrap().is_empty());
    assert_eq!(archive.text("labels", 3).unwrap(), LABELS);
    assert_eq!(archive.text("nobody", 0).unwrap(), [""; 0]);
    assert_eq!(archive.shape("faces").unwrap(), [3, 4]);
    assert!(archive.contains("labels") && !archive.contains("meta.json"));
    let names = "mean_ explained_variance_ faces cluster_of enrolled_at none labels nobody";
    assert_eq!(archive.arrays().collect::<Vec<_>>().join(" "), names);
}

#[test]
fn equal_contents_are_equal_bytes() {
    assert_eq!(small(), small());
}

#[test]
fn mistakes_of_the_writer_are_errors() {
    let mut writer = ArchiveWriter::new(Vec::new(), &meta()).unwrap();
    assert!(writer.add_array("x", &[2, 2], &[1u8, 2, 3]).is_err());
    assert!(writer.add_array("x", &[usize::MAX, 2], &[1u8, 2, 3]).is_err());
    assert!(writer.add_array("../x", &[1], &[1u8]).is_err());
    assert!(writer.add_text("labels", &["Ada\0"]).unwrap_err().to_string().contains("NUL"));
    assert!(writer.add_json("meta.json", &1).is_err());
    writer.add_array("x", &[1], &[1u8]).unwrap();
    assert!(writer.add_array("x", &[1], &[1u8]).is_err());
    assert!(ArchiveWriter::new(Vec::new(), &"not a struct").is_err());
}

#[test]
fn an_independent_zip_reader_agrees() {
    use std::io::Read;
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(small())).unwrap();
    let mut names = Vec::new();
    for index in 0..zip.len() {
        let mut member = zip.by_index(index).unwrap();
        let mut content = Vec::new();
        member.read_to_end(&mut content).unwrap(); // checks the CRC
        assert_eq!(member.unix_mode(), Some(0o100_600));
        names.push(member.name().unwrap().into_owned());
    }
    assert_eq!(names[0], "meta.json");
    assert_eq!(names[1], "mean_.npy");
    assert_eq!(names.len(), 10);
}

#[test]
fn numpy_opens_it() {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let has_numpy = Command::new(&python).args(["-c", "import numpy"]).output();
    if !has_numpy.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no python3 with numpy here (name one in PYTHON)");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npz");
    std::fs::write(&path, small()).unwrap();
    let output = Command::new(&python).args(["-c", include_str!("check.py")]).arg(&path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let again = Archive::read(&folder.path().join("m.npz.again.npz")).unwrap_err();
    assert_eq!(problem(again), ModelProblem::OtherArchive);
}

fn round_trip<T: Number>(numbers: &[T], columns: usize) {
    let shape = [numbers.len() / columns, columns];
    let numbers = &numbers[..shape[0] * columns];
    let mut writer = ArchiveWriter::new(Vec::new(), &meta()).unwrap();
    writer.add_array("x", &shape, numbers).unwrap();
    let archive = open(writer.finish().unwrap()).unwrap();
    let back: Vec<T> = archive.any_array("x", &shape).unwrap();
    assert_eq!(bytemuck::cast_slice::<T, u8>(&back), bytemuck::cast_slice::<T, u8>(numbers));
}

#[test]
fn numbers_beyond_reason_are_refused_where_faces_are_meant() {
    let archive = open(small()).unwrap();
    let at = |error| match array_problem(error) {
        ArrayProblem::Number { at } => at,
        other => panic!("{other}"),
    };
    assert_eq!(at(archive.array::<f32>("mean_", &[4]).unwrap_err()), 2);
    let huge = archive.array::<f64>("explained_variance_", &[2]);
    assert_eq!(at(huge.unwrap_err()), 0);
    assert!(archive.array::<u32>("cluster_of", &[3]).is_ok());
    for (threshold, is_fine) in [(0.5, true), (-1e15, true), (1.1e15, false), (-1e300, false)] {
        let meta = Meta { threshold: Some(threshold), ..meta() };
        let bytes = ArchiveWriter::new(Vec::new(), &meta).unwrap().finish();
        let archive = open(bytes.unwrap()).unwrap();
        assert_eq!(archive.meta::<Meta>().is_ok(), is_fine, "{threshold}");
    }
}

proptest! {
    #[test]
    fn any_numbers_come_back_bit_for_bit(bits in prop::collection::vec(any::<u64>(), 0..200), columns in 1usize..9) {
        let narrow: Vec<u32> = bits.iter().map(|&x| x as u32).collect();
        round_trip(&bits.iter().map(|&x| f64::from_bits(x)).collect::<Vec<_>>(), columns);
        round_trip(&narrow.iter().map(|&x| f32::from_bits(x)).collect::<Vec<_>>(), columns);
        round_trip(&bits.iter().map(|&x| x as i64).collect::<Vec<_>>(), columns);
        round_trip(&bits.iter().map(|&x| x as u8).collect::<Vec<_>>(), columns);
        round_trip(&narrow, columns);
    }

    #[test]
    fn any_text_comes_back(lines in prop::collection::vec(".{0,12}", 0..20)) {
        let lines: Vec<String> = lines.iter().map(|line| line.trim_end_matches('\0').to_owned()).collect();
        let mut writer = ArchiveWriter::new(Vec::new(), &meta()).unwrap();
        writer.add_text("labels", &lines).unwrap();
        let archive = open(writer.finish().unwrap()).unwrap();
        prop_assert_eq!(archive.text("labels", lines.len()).unwrap(), lines);
    }

    /// serde_json does so only with its feature `float_roundtrip`.
    #[test]
    fn any_finite_number_of_the_meta_comes_back(threshold in prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL) {
        let meta = Meta { threshold: Some(threshold), ..meta() };
        let archive = open(ArchiveWriter::new(Vec::new(), &meta).unwrap().finish().unwrap()).unwrap();
        prop_assert_eq!(archive.json::<Meta>("meta.json").unwrap(), meta);
    }
}
