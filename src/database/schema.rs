//! The tables, which docs/SCALE.md lists.
//!
//! The points of each gallery have tables of their own: an index knows no other gallery, and to take one down is to
//! drop tables. There are two galleries only while one takes another's place.

use tokio_postgres::{Client, GenericClient, Transaction};

use super::column::column;
use super::{Identity, vector};
use crate::error::DatabaseProblem;

/// The version of the schema that this program makes, and the newest that it knows.
const VERSION: i32 = 1;

const CREATE: &str = "
    CREATE SCHEMA IF NOT EXISTS eigenfaces;
    CREATE TABLE eigenfaces.version (version int NOT NULL);
    CREATE TABLE eigenfaces.galleries (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        identity bytea NOT NULL UNIQUE CHECK (octet_length(identity) = 32),
        dimensions int NOT NULL CHECK (dimensions > 0),
        whole boolean NOT NULL DEFAULT false,
        people bigint NOT NULL,
        faces bigint NOT NULL,
        calibration text NOT NULL,
        indexed boolean NOT NULL DEFAULT false,
        model text NOT NULL,
        program text NOT NULL,
        changed timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE eigenfaces.people (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        gallery bigint NOT NULL REFERENCES eigenfaces.galleries,
        name text NOT NULL,
        content bytea NOT NULL CHECK (octet_length(content) = 32),
        UNIQUE (gallery, name)
    );
    CREATE TABLE eigenfaces.faces (
        person bigint NOT NULL REFERENCES eigenfaces.people ON DELETE CASCADE,
        hash bytea NOT NULL CHECK (octet_length(hash) = 32),
        source text NOT NULL,
        PRIMARY KEY (person, hash)
    );
    INSERT INTO eigenfaces.version VALUES (1)";

/// Of all exports into one database only one goes on: the number that stands for that.
pub(super) const LOCK: i64 = 0x6569_6765_6e66_6163;

/// A gallery as the database tells of it.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub id: i64,
    pub identity: Vec<u8>,
    pub dimensions: usize,
    pub whole: bool,
    pub people: i64,
    pub faces: i64,
    pub calibration: String,
    pub indexed: bool,
}

impl Row {
    pub fn is_of(&self, identity: Identity) -> bool {
        self.identity == identity.0
    }

    /// The table of its points: made of a number only.
    pub fn table(&self) -> String {
        format!("eigenfaces.points_{}", self.id)
    }

    /// Number of people there, be it whole or not.
    pub async fn count(&self, client: &impl GenericClient) -> Result<i64, DatabaseProblem> {
        let count = "SELECT count(*) FROM eigenfaces.people WHERE gallery = $1";
        column(&client.query_one(count, &[&self.id]).await?, 0)
    }
}

/// Whether the tables are there, and that they are such as this program knows.
pub(super) async fn is_there(client: &impl GenericClient) -> Result<bool, DatabaseProblem> {
    let row = client.query_one("SELECT to_regclass('eigenfaces.version') IS NOT NULL", &[]).await?;
    if !column::<bool>(&row, 0)? {
        return Ok(false);
    }
    let row = client.query_one("SELECT max(version) FROM eigenfaces.version", &[]).await?;
    match column::<Option<i32>>(&row, 0)? {
        None => Err(DatabaseProblem::NoVersion),
        Some(found) if found > VERSION => Err(DatabaseProblem::Newer { found, newest: VERSION }),
        _ => Ok(true),
    }
}

pub(super) async fn make(client: &mut Client) -> Result<(), DatabaseProblem> {
    if !is_there(client).await? {
        let transaction = client.transaction().await?;
        transaction.batch_execute(CREATE).await?;
        transaction.commit().await?;
    }
    Ok(())
}

/// The columns that [`row`] reads.
pub(super) const COLUMNS: &str = "id, identity, dimensions, whole, people, faces, calibration, indexed";

pub(super) async fn galleries(client: &impl GenericClient) -> Result<Vec<Row>, DatabaseProblem> {
    let galleries = format!("SELECT {COLUMNS} FROM eigenfaces.galleries ORDER BY whole DESC, id");
    client.query(&galleries, &[]).await?.iter().map(row).collect()
}

pub(super) fn row(row: &tokio_postgres::Row) -> Result<Row, DatabaseProblem> {
    let found: i32 = column(row, "dimensions")?;
    let dimensions = usize::try_from(found).ok().filter(|number| (1..=vector::MOST).contains(number));
    Ok(Row {
        id: column(row, "id")?,
        identity: column(row, "identity")?,
        dimensions: dimensions.ok_or_else(|| DatabaseProblem::invalid(format!("a gallery of {found} dimensions")))?,
        whole: column(row, "whole")?,
        people: column(row, "people")?,
        faces: column(row, "faces")?,
        calibration: column(row, "calibration")?,
        indexed: column(row, "indexed")?,
    })
}

/// Makes the table of a gallery's points. For scans of all, coordinates stand in the rows where a page has room.
pub(super) async fn make_points(transaction: &Transaction<'_>, row: &Row) -> Result<(), DatabaseProblem> {
    let dimensions = row.dimensions;
    let storage = if dimensions <= MOST_IN_ROW { "PLAIN" } else { "EXTERNAL" };
    let table = row.table();
    let name = table.trim_start_matches("eigenfaces.");
    let create = format!(
        "CREATE TABLE {table} (
            person bigint NOT NULL REFERENCES eigenfaces.people ON DELETE CASCADE,
            coordinates vector({dimensions}) NOT NULL
         );
         ALTER TABLE {table} ALTER COLUMN coordinates SET STORAGE {storage};
         CREATE INDEX {name}_person ON {table} (person)"
    );
    Ok(transaction.batch_execute(&create).await?)
}

/// Coordinates that a row of a page (8 KiB) has room for.
const MOST_IN_ROW: usize = 2_000;

pub(super) async fn drop(transaction: &Transaction<'_>, row: &Row) -> Result<(), DatabaseProblem> {
    let drop = format!("DROP TABLE IF EXISTS {}", row.table());
    transaction.batch_execute(&drop).await?;
    transaction.execute("DELETE FROM eigenfaces.people WHERE gallery = $1", &[&row.id]).await?;
    transaction.execute("DELETE FROM eigenfaces.galleries WHERE id = $1", &[&row.id]).await?;
    Ok(())
}
