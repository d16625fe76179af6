//! People, brought over some at a time: all that is known of each in one transaction.

use std::collections::HashMap;
use std::ops::Range;
use std::pin::Pin;

use nalgebra::DMatrix;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Transaction};

use super::plan::ExportPlan;
use crate::database::column;
use crate::database::schema::Row;
use crate::database::vector::Sent;
use crate::error::DatabaseProblem;
use crate::recognizer::Recognizer;

/// Coordinates brought over in one transaction, unless one person has more: a quarter of a megabyte.
const BATCH: usize = 1 << 16;
/// People that are brought over together at most: what an interrupted export has done so far is kept.
const MOST_PEOPLE: usize = 32;

/// A person to bring over: a position in the model's people, and the row that gives way, if there is one.
type ToBring = (usize, Option<i64>);

pub(super) struct Upload<'a> {
    recognizer: &'a Recognizer,
    contents: &'a [[u8; 32]],
    own: &'a Row,
    /// The points, and where each person's begin.
    points: &'a DMatrix<f32>,
    starts: Vec<usize>,
    /// The first face of each person.
    faces: Vec<usize>,
}

impl<'a> Upload<'a> {
    pub fn new(recognizer: &'a Recognizer, plan: &'a ExportPlan<'a>, own: &'a Row) -> Self {
        let contents = &plan.contents[..];
        let people = contents.len();
        Self {
            recognizer,
            contents,
            own,
            points: &plan.points.0,
            starts: starts(&plan.points.1, people),
            faces: starts(&recognizer.gallery().persons(), people),
        }
    }

    /// The people in parts, each for one transaction.
    pub fn batches<'p>(&self, mut people: &'p [ToBring]) -> Vec<&'p [ToBring]> {
        let mut batches = Vec::new();
        while !people.is_empty() {
            let mut coordinates = 0;
            let fits = people.iter().take_while(|(person, _)| {
                coordinates += self.points.nrows() * range(&self.starts, *person).len();
                coordinates <= BATCH
            });
            let (batch, rest) = people.split_at(fits.count().clamp(1, MOST_PEOPLE));
            batches.push(batch);
            people = rest;
        }
        batches
    }

    /// Brings some people over, all of them or none.
    pub async fn run(&self, client: &mut Client, people: &[ToBring]) -> Result<(), DatabaseProblem> {
        let transaction = client.transaction().await?;
        let former: Vec<i64> = people.iter().filter_map(|(_, former)| *former).collect();
        if !former.is_empty() {
            // Faces and points go with them.
            transaction.execute("DELETE FROM eigenfaces.people WHERE id = ANY($1)", &[&former]).await?;
        }
        let rows = self.add_people(&transaction, people).await?;
        self.add_faces(&transaction, &rows).await?;
        self.add_points(&transaction, &rows).await?;
        transaction.commit().await?;
        Ok(())
    }

    async fn add_people(
        &self,
        transaction: &Transaction<'_>,
        people: &[ToBring],
    ) -> Result<Vec<(usize, i64)>, DatabaseProblem> {
        let all = self.recognizer.gallery().people();
        let names: Vec<&str> = people.iter().map(|&(at, _)| all[at].as_str()).collect();
        let contents: Vec<&[u8]> = people.iter().map(|&(at, _)| self.contents[at].as_slice()).collect();
        let added = transaction
            .query(
                "INSERT INTO eigenfaces.people (gallery, name, content)
             SELECT $1, * FROM unnest($2::text[], $3::bytea[]) RETURNING name, id",
                &[&self.own.id, &names, &contents],
            )
            .await?;
        let ids: HashMap<&str, i64> = column::pairs(&added)?;
        let row = |(&(at, _), name): (&ToBring, &&str)| Some((at, *ids.get(name)?));
        let rows: Option<Vec<_>> = people.iter().zip(&names).map(row).collect();
        rows.ok_or_else(|| DatabaseProblem::invalid("a name did not come back as it was given"))
    }

    async fn add_faces(&self, transaction: &Transaction<'_>, people: &[(usize, i64)]) -> Result<(), DatabaseProblem> {
        let enrolled = self.recognizer.gallery().enrolled();
        let mut copy = Copy::begin(transaction, "eigenfaces.faces", "person, hash, source").await?;
        for (person, id) in people {
            for face in &enrolled[range(&self.faces, *person)] {
                copy.row(&[id, &face.hash.0.as_slice(), &face.source.as_str()]).await?;
            }
        }
        copy.finish().await
    }

    async fn add_points(&self, transaction: &Transaction<'_>, people: &[(usize, i64)]) -> Result<(), DatabaseProblem> {
        let mut copy = Copy::begin(transaction, &self.own.table(), "person, coordinates").await?;
        for (person, id) in people {
            for point in range(&self.starts, *person) {
                copy.row(&[id, &Sent(self.points.column(point).as_slice())]).await?;
            }
        }
        copy.finish().await
    }
}

/// Rows on their way into a table: the fastest way in.
struct Copy(Pin<Box<BinaryCopyInWriter>>);

impl Copy {
    async fn begin(transaction: &Transaction<'_>, table: &str, columns: &str) -> Result<Self, DatabaseProblem> {
        let typed = format!("SELECT {columns} FROM {table}");
        let typed = transaction.prepare(&typed).await?;
        let types: Vec<_> = typed.columns().iter().map(|column| column.type_().clone()).collect();
        let copy = format!("COPY {table} ({columns}) FROM STDIN WITH (FORMAT binary)");
        let sink = transaction.copy_in(&copy).await?;
        Ok(Self(Box::pin(BinaryCopyInWriter::new(sink, &types))))
    }

    async fn row(&mut self, values: &[&(dyn ToSql + Sync)]) -> Result<(), DatabaseProblem> {
        Ok(self.0.as_mut().write(values).await?)
    }

    async fn finish(mut self) -> Result<(), DatabaseProblem> {
        self.0.as_mut().finish().await?;
        Ok(())
    }
}

/// The first item of each owner, and the end of the last one's; `owners` do not decrease.
fn starts(owners: &[usize], people: usize) -> Vec<usize> {
    (0..=people).map(|person| owners.partition_point(|&owner| owner < person)).collect()
}

fn range(starts: &[usize], person: usize) -> Range<usize> {
    starts[person]..starts[person + 1]
}
