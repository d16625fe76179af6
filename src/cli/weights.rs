//! Tables of weights: what `project` writes and `reconstruct --from-weights` reads.

use std::io;
use std::path::Path;

use eigenfaces::matcher::Space;
use eigenfaces::store::{read_npy, write_npy};
use serde::{Deserialize, Serialize};

use super::output::{SCHEMA, cell, from_cell, table};
use super::{Error, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WeightsFormat {
    /// A header `photo,face,person,w1,...,wk` and a row a face; `z1,...,zk` where weights are whitened.
    Csv,
    /// An object a line; the list is called `weights`, or `whitened`.
    Json,
    /// A NumPy array, n x k, `float32`: the weights alone.
    Npy,
}

impl WeightsFormat {
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_ascii_lowercase().to_str()? {
            "csv" => Some(Self::Csv),
            "json" | "jsonl" => Some(Self::Json),
            "npy" => Some(Self::Npy),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Gray levels times the square root of pixels.
    Plain,
    /// Standard deviations of the faces learned from: each over the square root of its eigenvalue.
    Whitened,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The photo it is from; empty where that is not known.
    pub photo: String,
    /// Its number in the photo, from 1.
    pub face: usize,
    /// Its person; only of enrolled faces.
    pub person: Option<String>,
    pub weights: Vec<f32>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub scale: Scale,
    pub rows: Vec<Row>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    photo: String,
    face: usize,
    person: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<f32>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    whitened: Option<Vec<f32>>,
    schema: u32,
}

const MOST_BYTES: u64 = 1 << 30;

/// Largest weight: the squares of larger ones would overflow.
const LARGEST: f32 = 1e9;

impl Table {
    pub fn to_bytes(&self, form: WeightsFormat) -> Result<Vec<u8>> {
        match form {
            WeightsFormat::Csv => Ok(self.to_csv()),
            WeightsFormat::Json => self.to_json(),
            WeightsFormat::Npy => self.to_npy(),
        }
        .map_err(Error::Print)
    }

    fn width(&self) -> usize {
        self.rows.first().map_or(0, |row| row.weights.len())
    }

    fn to_csv(&self) -> Vec<u8> {
        let letter = if self.scale == Scale::Plain { 'w' } else { 'z' };
        let columns = (1..=self.width()).map(|at| format!("{letter}{at}"));
        let header: Vec<String> = ["photo", "face", "person"].map(str::to_owned).into_iter().chain(columns).collect();
        let rows = self.rows.iter().map(|row| {
            let face = row.face.to_string();
            let about = [cell(&row.photo), face, cell(row.person.as_deref().unwrap_or_default())];
            about.into_iter().chain(row.weights.iter().map(f32::to_string)).collect()
        });
        table(std::iter::once(header).chain(rows))
    }

    fn to_json(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        for row in self.rows.iter().cloned() {
            let (weights, whitened) = match self.scale {
                Scale::Plain => (Some(row.weights), None),
                Scale::Whitened => (None, Some(row.weights)),
            };
            let line = Line { photo: row.photo, face: row.face, person: row.person, weights, whitened, schema: SCHEMA };
            serde_json::to_writer(&mut bytes, &line)?;
            bytes.push(b'\n');
        }
        Ok(bytes)
    }

    fn to_npy(&self) -> io::Result<Vec<u8>> {
        let numbers: Vec<f32> = self.rows.iter().flat_map(|row| row.weights.clone()).collect();
        let mut bytes = Vec::new();
        write_npy(&mut bytes, &[self.rows.len(), self.width()], &numbers)?;
        Ok(bytes)
    }

    /// Reads a table whose weights belong to this face space. Of an array without names, `npy` tells the scale.
    pub fn read(path: &Path, space: &Space, npy: Scale) -> Result<Self> {
        let refuse = |problem: String| {
            let remedy = "give a file that `eigenfaces project` wrote";
            Error::about(path, format_args!("{problem}; {remedy}"))
        };
        let about = std::fs::metadata(path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => eigenfaces::Error::missing(path),
            _ => eigenfaces::Error::read(path, source),
        })?;
        if !about.is_file() || about.len() > MOST_BYTES {
            return Err(refuse("is no table of weights".to_owned()));
        }
        let bytes = std::fs::read(path).map_err(|source| eigenfaces::Error::read(path, source))?;
        let table = match WeightsFormat::of(path) {
            Some(WeightsFormat::Csv) => Self::from_csv(&bytes),
            Some(WeightsFormat::Npy) => Self::from_npy(&bytes, npy),
            Some(WeightsFormat::Json) => Self::from_json(&bytes),
            None => Err("its name ends in none of .csv, .json, .jsonl and .npy".to_owned()),
        }
        .map_err(refuse)?;
        table.check(space).map_err(refuse)?;
        Ok(table)
    }

    fn check(&self, space: &Space) -> Result<(), String> {
        if self.rows.is_empty() {
            return Err("holds no weights".to_owned());
        }
        let k = space.components();
        for (at, row) in (1..).zip(&self.rows) {
            let count = row.weights.len();
            if count == 0 || count > k {
                return Err(format!("face {at} has {count} weights where the face space has {k} basis faces"));
            }
            if !row.weights.iter().all(|weight| weight.abs() <= LARGEST) {
                return Err(format!("face {at} has a weight that no face has"));
            }
        }
        Ok(())
    }

    fn from_csv(bytes: &[u8]) -> Result<Self, String> {
        let mut reader = csv::Reader::from_reader(bytes);
        let header = reader.headers().map_err(|error| error.to_string())?;
        let scale = match (header.get(0), header.get(1), header.get(2), header.get(3)) {
            (Some("photo"), Some("face"), Some("person"), Some("w1")) => Scale::Plain,
            (Some("photo"), Some("face"), Some("person"), Some("z1")) => Scale::Whitened,
            _ => return Err("does not begin with photo,face,person,w1 (or z1)".to_owned()),
        };
        let mut rows = Vec::new();
        for (line, record) in (2..).zip(reader.records()) {
            let record = record.map_err(|error| error.to_string())?;
            let numbers = record.iter().skip(3).map(str::parse);
            rows.push(Row {
                photo: from_cell(record.get(0).unwrap_or_default()).to_owned(),
                face: record.get(1).and_then(|face| face.parse().ok()).unwrap_or(1),
                person: record.get(2).filter(|name| !name.is_empty()).map(|name| from_cell(name).to_owned()),
                weights: numbers
                    .collect::<Result<_, _>>()
                    .map_err(|_| format!("line {line} holds something that is no number"))?,
            });
        }
        Ok(Self { scale, rows })
    }

    fn from_json(bytes: &[u8]) -> Result<Self, String> {
        let mut scale = None;
        let mut rows = Vec::new();
        for (number, line) in (1..).zip(serde_json::Deserializer::from_slice(bytes).into_iter::<Line>()) {
            let line = line.map_err(|_| format!("line {number} is no object with weights"))?;
            let (own, weights) = match (line.weights, line.whitened) {
                (Some(weights), None) => (Scale::Plain, weights),
                (None, Some(weights)) => (Scale::Whitened, weights),
                _ => return Err(format!("line {number} has not one list, weights or whitened")),
            };
            if *scale.get_or_insert(own) != own {
                return Err(format!("line {number} has weights of another scale"));
            }
            rows.push(Row { photo: line.photo, face: line.face, person: line.person, weights });
        }
        Ok(Self { scale: scale.unwrap_or(Scale::Plain), rows })
    }

    fn from_npy(bytes: &[u8], scale: Scale) -> Result<Self, String> {
        let (shape, numbers) = read_npy(bytes).map_err(|problem| format!("the array {problem}"))?;
        // One face may come as a plain list.
        let (faces, k) = match shape.as_slice() {
            [k] => (1, *k),
            [faces, k] => (*faces, *k),
            _ => return Err("is an array of neither one nor two sides".to_owned()),
        };
        if faces == 0 || k == 0 {
            return Err("holds no weights".to_owned());
        }
        let rows = numbers.chunks_exact(k).map(|weights| Row {
            photo: String::new(),
            face: 1,
            person: None,
            weights: weights.iter().map(|&weight| weight as f32).collect(),
        });
        Ok(Self { scale, rows: rows.collect() })
    }

    /// These faces with weights in the unit asked for.
    pub fn in_scale(mut self, scale: Scale, space: &Space) -> Self {
        let factor = |variance: f64| match (self.scale, scale) {
            (Scale::Plain, Scale::Whitened) => 1.0 / variance.sqrt(),
            (Scale::Whitened, Scale::Plain) => variance.sqrt(),
            _ => 1.0,
        };
        let factors: Vec<f64> = space.eigenvalues().iter().copied().map(factor).collect();
        for row in &mut self.rows {
            for (weight, factor) in row.weights.iter_mut().zip(&factors) {
                *weight = (f64::from(*weight) * factor) as f32;
            }
        }
        self.scale = scale;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(scale: Scale) -> Table {
        let row = |photo: &str, person: Option<&str>, weights: &[f32]| Row {
            photo: photo.to_owned(),
            face: 1,
            person: person.map(str::to_owned),
            weights: weights.to_vec(),
        };
        let rows =
            vec![row("a, \"b\".png", None, &[1.1, -0.1, 3e-7]), row("Zoë/1.png", Some("Zoë, 2nd"), &[1e8, 0.0, -2.5])];
        Table { scale, rows }
    }

    #[test]
    fn tables_come_back_to_the_last_bit() {
        for scale in [Scale::Plain, Scale::Whitened] {
            let table = table(scale);
            assert_eq!(Table::from_csv(&table.to_csv()), Ok(table.clone()));
            let bare = Table::from_npy(&table.to_npy().unwrap(), scale).unwrap();
            let weights = |table: &Table| table.rows.iter().map(|r| r.weights.clone()).collect::<Vec<_>>();
            assert_eq!(weights(&bare), weights(&table));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for bad in ["", "a,b\n1,2\n", "photo,face,person,w1\na,1,,x\n", "photo,face,person,w1\na,1\n,,,\n"] {
            assert!(Table::from_csv(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(Table::from_npy(b"text", Scale::Plain).is_err());
    }
}
