//! From a model to the database: what differs is brought over, person by person whole or not at all.

mod plan;
mod upload;

use tokio_postgres::Client;
use tokio_postgres::types::ToSql;

use super::column::column;
use super::schema::{self, Row};
use super::{Database, Identity, Indexing, deadline};
use crate::error::{DatabaseProblem, Result};
use crate::recognizer::Recognizer;

pub use plan::Change;
use plan::ExportPlan;
use upload::Upload;

/// An export, decided and not yet done. While it is there no other one can be.
pub struct Export<'a> {
    database: &'a mut Database,
    recognizer: &'a Recognizer,
    plan: ExportPlan<'a>,
}

impl<'a> Export<'a> {
    /// Finds out what differs between the model and the database. Changes nothing, but that an empty database gets its
    /// tables. Without `indexing` the database keeps the index that it has, or has none.
    /// Errors: A model that no database can stand for; another export at work; a database that cannot be used.
    pub fn plan(database: &'a mut Database, recognizer: &'a Recognizer, indexing: Option<Indexing>) -> Result<Self> {
        let points = recognizer.comparer().points();
        let planned = deadline::wait(async {
            plan::check_exportable(recognizer, &points)?;
            let client = &mut database.client;
            take_lock(client).await?;
            schema::make(client).await?;
            ExportPlan::of(client, recognizer, points, indexing).await
        });
        match planned {
            Ok(plan) => Ok(Self { database, recognizer, plan }),
            Err(problem) => Err(database.problem(problem)),
        }
    }

    /// The changes it makes.
    pub fn change(&self) -> Change {
        self.plan.change
    }

    /// Does it. `model` is what the model is called; `reached` is told how many people are there of those to be brought over.
    ///
    /// A gallery of another face space stays as it is until this one is whole, so that whoever identifies with the
    /// former model is answered as before; then it gives way at once.
    /// Errors: A connection that is lost: whoever is there is whole, and another export goes on from there.
    pub fn run(self, model: &str, reached: &dyn Fn(usize)) -> Result<()> {
        let mut done = 0;
        let of = self.plan.to_bring.len();
        let client = &mut self.database.client;
        let mut count = |more| {
            done += more;
            reached(done);
        };
        let ran = deadline::wait(run(client, self.recognizer, &self.plan, model, &mut count));
        let problem = match ran {
            Ok(()) => return Ok(()),
            Err(DatabaseProblem::Lost { reason }) => DatabaseProblem::LostWhileExporting { reason, done, of },
            Err(other) => other,
        };
        Err(self.database.problem(problem))
    }
}

/// Held until the connection ends, however it ends.
async fn take_lock(client: &Client) -> Result<(), DatabaseProblem> {
    let row = client.query_one("SELECT pg_try_advisory_lock($1)", &[&schema::LOCK]).await?;
    if column(&row, 0)? { Ok(()) } else { Err(DatabaseProblem::Busy) }
}

async fn run(
    client: &mut Client,
    recognizer: &Recognizer,
    plan: &ExportPlan<'_>,
    model: &str,
    reached: &mut dyn FnMut(usize),
) -> Result<(), DatabaseProblem> {
    let (own, others): (Vec<Row>, Vec<Row>) =
        schema::galleries(client).await?.into_iter().partition(|row| row.is_of(plan.identity));
    let own = match own.into_iter().next() {
        Some(own) => own,
        None => begin(client, recognizer, plan.identity, model).await?,
    };
    // Whoever is not the model's goes first: that is what is most wanted gone.
    if !plan.to_remove.is_empty() {
        client.execute("DELETE FROM eigenfaces.people WHERE id = ANY($1)", &[&plan.to_remove]).await?;
    }
    let upload = Upload::new(recognizer, plan, &own);
    for batch in upload.batches(&plan.to_bring) {
        upload.run(client, batch).await?;
        reached(batch.len());
    }
    vacuum(client, &own, plan).await?;
    finish(client, recognizer, plan, &own, &others, model).await
}

/// Records that an export is in progress.
async fn begin(
    client: &mut Client,
    recognizer: &Recognizer,
    identity: Identity,
    model: &str,
) -> Result<Row, DatabaseProblem> {
    let gallery = recognizer.gallery();
    let dimensions = recognizer.comparer().dimensions();
    let (people, faces) = (gallery.people().len() as i64, gallery.len() as i64);
    let transaction = client.transaction().await?;
    let insert = format!(
        "INSERT INTO eigenfaces.galleries
            (identity, dimensions, people, faces, calibration, model, program)
         VALUES ($1, $2, $3, $4, '', $5, $6) RETURNING {}",
        schema::COLUMNS
    );
    let values: [&(dyn ToSql + Sync); 6] =
        [&identity.0.as_slice(), &(dimensions as i32), &people, &faces, &model, &env!("CARGO_PKG_VERSION")];
    let row = schema::row(&transaction.query_one(&insert, &values).await?)?;
    schema::make_points(&transaction, &row).await?;
    transaction.commit().await?;
    Ok(row)
}

/// Tells the planner what there is, takes what was erased from the pages of the tables too, and makes the index.
async fn vacuum(client: &Client, own: &Row, plan: &ExportPlan<'_>) -> Result<(), DatabaseProblem> {
    let table = own.table();
    if plan.changes_anything() {
        for table in [&*table, "eigenfaces.people", "eigenfaces.faces"] {
            let vacuum = format!("VACUUM (ANALYZE) {table}");
            client.batch_execute(&vacuum).await?;
        }
    }
    let name = table.trim_start_matches("eigenfaces.");
    let statement = match plan.indexing {
        Indexing::Hnsw => {
            format!("CREATE INDEX IF NOT EXISTS {name}_near ON {table} USING hnsw (coordinates vector_l2_ops)")
        }
        Indexing::None => format!("DROP INDEX IF EXISTS {table}_near"),
    };
    Ok(client.batch_execute(&statement).await?)
}

/// From now on this is the gallery, and there is no other.
async fn finish(
    client: &mut Client,
    recognizer: &Recognizer,
    plan: &ExportPlan<'_>,
    own: &Row,
    others: &[Row],
    model: &str,
) -> Result<(), DatabaseProblem> {
    let gallery = recognizer.gallery();
    let transaction = client.transaction().await?;
    transaction
        .execute(
            "UPDATE eigenfaces.galleries
         SET whole = true, people = $2, faces = $3, calibration = $4, indexed = $5, model = $6,
             program = $7, changed = now()
         WHERE id = $1",
            &[
                &own.id,
                &(gallery.people().len() as i64),
                &(gallery.len() as i64),
                &plan.calibration,
                &(plan.indexing == Indexing::Hnsw),
                &model,
                &env!("CARGO_PKG_VERSION"),
            ],
        )
        .await?;
    for other in others {
        schema::drop(&transaction, other).await?;
    }
    transaction.commit().await?;
    if !others.is_empty() {
        client.batch_execute("VACUUM (ANALYZE) eigenfaces.people").await?;
        client.batch_execute("VACUUM (ANALYZE) eigenfaces.faces").await?;
    }
    Ok(())
}
