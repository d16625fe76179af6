//! The table in which groups are named: a row a face.

use std::path::Path;

use super::{AlbumFace, FacePlace};
use crate::dataset::{self, TableEncoding, TableRow, guarded, unguarded};
use crate::error::{Error, Result};
use crate::grouping::Grouping;
use crate::text::csv_rows;

/// The columns, as the first line of the table.
pub const HEADER: &str = "group,name,photo,face,left,top,width,height";

/// A face of a group, and what was typed for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Line of the table; 0 where none was read.
    pub line: u64,
    /// The group, such as a number.
    pub group: String,
    /// The text typed.
    pub name: String,
    pub place: FacePlace,
}

impl Row {
    /// The cells, in the order of [`HEADER`].
    pub fn fields(&self) -> Vec<String> {
        let FacePlace { photo, face, bounds } = &self.place;
        let mut fields = vec![self.group.clone(), self.name.clone(), dataset::path_as_text(photo), face.to_string()];
        fields.extend(bounds.unwrap_or_default().map(|edge| format!("{edge:.1}")));
        fields
    }
}

/// The rows of all groups, the largest first, without names.
pub fn rows(faces: &[&AlbumFace<'_>], grouping: &Grouping) -> Vec<Row> {
    let members = (1..).zip(&grouping.groups).flat_map(|(number, group)| group.iter().map(move |&at| (number, at)));
    let row = |(number, at): (usize, usize)| Row {
        line: 0,
        group: number.to_string(),
        name: String::new(),
        place: faces[at].place(),
    };
    members.map(row).collect()
}

/// The table as text, with the mark by which spreadsheets know UTF-8. Names of files stand as they are, whatever is in them: the table is to find them again.
pub fn written(rows: &[Row]) -> String {
    let rows = rows.iter().map(|row| row.fields().into_iter().map(|field| guarded(&field)));
    format!("\u{feff}{HEADER}\n{}", String::from_utf8_lossy(&csv_rows(rows)))
}

/// Reads a table in which names were typed, as this program wrote it or a spreadsheet saved it.
/// Errors: a file that is not there or no such table; the line is named.
pub fn read(path: &Path) -> Result<(Vec<Row>, TableEncoding)> {
    let refuse = |reason: String| Error::about(path, reason);
    if !path.exists() {
        return Err(Error::missing(path));
    }
    let table = dataset::read_table(path).map_err(refuse)?;
    let mut rows = table.rows.iter();
    let columns = columns(rows.next().map_or(&[][..], |heading| &heading.fields)).map_err(refuse)?;
    let read = rows.map(|row| {
        let line = row.line;
        row_of(row, &columns).ok_or_else(|| refuse(format!("line {line}: face is no number from 1 on")))
    });
    Ok((read.collect::<Result<_>>()?, table.encoding))
}

/// Positions of the columns of [`HEADER`]; the box may be missing.
fn columns(headers: &[String]) -> Result<Vec<Option<usize>>, String> {
    let place = |name: &str| headers.iter().position(|header| header.trim().eq_ignore_ascii_case(name));
    let places: Vec<Option<usize>> = HEADER.split(',').map(place).collect();
    let mut needed = HEADER.split(',').zip(&places).take(4);
    match needed.find(|(_, place)| place.is_none()) {
        None => Ok(places),
        Some((name, _)) => {
            Err(format!("it has no column {name}: `eigenfaces group FOLDER -o DIR` writes the table that is asked for"))
        }
    }
}

/// A row; `None` where its face is no number.
fn row_of(TableRow { line, fields }: &TableRow, columns: &[Option<usize>]) -> Option<Row> {
    let cell = |at: usize| {
        let column = columns.get(at).copied().flatten();
        column.and_then(|column| fields.get(column)).map_or("", String::as_str)
    };
    let face = cell(3).trim().parse().ok().filter(|&face| face > 0)?;
    let edges: Option<Vec<f32>> = (4..8).map(|at| cell(at).trim().parse().ok()).collect();
    let bounds = edges.and_then(|edges| edges.try_into().ok());
    // A row without group is one by itself.
    let group = cell(0).trim();
    let group = if group.is_empty() { format!("line {line}") } else { group.to_owned() };
    let photos = dataset::spellings_of_path(cell(2));
    let photo = photos.iter().find(|photo| photo.exists()).cloned().or_else(|| photos.into_iter().next());
    let place = FacePlace { photo: photo.unwrap_or_default(), face, bounds };
    Some(Row { line: *line, group, name: unguarded(cell(1).trim()).to_owned(), place })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_table_is_read_back_with_what_was_typed() {
        let row = Row {
            line: 0,
            group: "3".to_owned(),
            name: String::new(),
            place: FacePlace {
                photo: PathBuf::from("/photos/=a, \"b\"\n\u{200e}.jpg"),
                face: 2,
                bounds: Some([1.0, 2.0, 3.0, 4.0]),
            },
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("groups.csv");
        let text = written(std::slice::from_ref(&row));
        std::fs::write(&path, text.replace("3,,", "3, Ada Lovelace ,")).unwrap();
        let read = read(&path).unwrap().0;
        assert_eq!(read.len(), 1);
        assert_eq!((read[0].group.as_str(), read[0].name.as_str()), ("3", "Ada Lovelace"));
        assert_eq!(read[0].place, row.place);
    }

    #[test]
    fn spreadsheets_may_save_it_in_their_ways() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("groups.csv");
        std::fs::write(&path, "\u{feff}Photo;Face;Group;Name\r\na.jpg;1;;Ada\r\nb.jpg;2;;\r\n").unwrap();
        let rows = read(&path).unwrap().0;
        assert_eq!((rows[0].name.as_str(), rows[1].place.face), ("Ada", 2));
        assert_ne!(rows[0].group, rows[1].group, "rows without group are by themselves");
        std::fs::write(&path, b"group,name,photo,face\n1,Andr\xe9,a,1\n,,,\n").unwrap();
        assert_eq!(read(&path).unwrap().0[0].name, "André");
    }

    #[test]
    fn what_is_no_such_table_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("groups.csv");
        for (text, expected) in [
            ("path,person\na,b\n", "no column group"),
            ("group,name,photo,face\n1,Ada,a.jpg,0\n", "line 2"),
            ("group,name,photo,face\n1,Ada\n", "line 2"),
            ("", "no column group"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
