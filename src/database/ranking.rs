//! The nearest people in the database: exactly those that the model file gives.
//!
//! The server computes scores in single precision, so it is not believed to the last: it names more candidates than are
//! wanted, whose vectors are fetched and compared here, by the same arithmetic as a model's.

use std::collections::HashMap;
use std::sync::Mutex;

use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, IsolationLevel, Statement, Transaction};

use super::column::{self, column};
use super::deadline;
use super::schema::{self, Row};
use super::vector::{Received, Sent};
use super::{Database, Identity, Indexing, likelihoods};
use crate::background::{Calibration, MOST_LOG_ODDS};
use crate::compare::{RemoteProbe, ranking};
use crate::dataset::Person;
use crate::decision::Acceptance;
use crate::error::{DatabaseProblem, Error, Result};
use crate::face_matrix::FaceMatrix;
use crate::recognizer::{Identification, QueryOptions, Recognizer};

/// People asked for beyond those that are wanted: rounding hides nobody behind so many.
const MORE: usize = 8;

/// People asked for at least: of a smaller gallery everybody, so that confidences too are the file's to the bit.
const MOST_EXACT: usize = 64;

/// People asked of an HNSW index. It looks at as many points, which decides how few it misses.
const HNSW_PEOPLE: i64 = 400;

/// The gallery in a database, to be asked who is near.
pub struct RemoteGallery {
    connection: Mutex<Client>,
    address: super::address::Address,
    calibration: Calibration,
    identity: Identity,
    row: Row,
    statements: Statements,
    index: Indexing,
}

/// People near a probe, the nearest among them, in the order of their names.
#[derive(Debug, Clone, Default)]
struct Nearest {
    people: Vec<Person>,
    scores: Vec<f64>,
    /// The odds of everybody else together.
    others: f64,
}

struct Statements {
    /// The people whom the server takes for the nearest, their negated scores, and the odds of all people.
    candidates: Statement,
    /// The vectors of some people.
    coordinates: Statement,
    names: Statement,
    /// The row of a person by name.
    by_name: Statement,
}

impl RemoteGallery {
    /// The gallery of the model's coordinates; `model` is what the model is called.
    ///
    /// # Errors
    /// No gallery, one of another model, one that is not whole; no HNSW index where it is to be asked.
    pub fn open(
        database: Database,
        recognizer: &Recognizer,
        model: &str,
        index: Indexing,
    ) -> Result<Self> {
        let opened = deadline::wait(deadline::answer(async {
            let client = &database.client;
            let likelihoods = likelihoods(recognizer)?;
            let identity = Identity::of(recognizer, likelihoods);
            let row = find(client, identity, model).await?;
            if index == Indexing::Hnsw && !row.indexed {
                return Err(DatabaseProblem::NoIndex);
            }
            let calibration: Option<Calibration> = serde_json::from_str(&row.calibration).ok();
            let people = usize::try_from(row.people).unwrap_or_default();
            let is_sound = |read: &Calibration| {
                read.is_sound(people) && row.dimensions == likelihoods.dimensions()
            };
            let calibration = calibration.filter(is_sound).ok_or_else(|| {
                DatabaseProblem::invalid("its calibration does not fit its people")
            })?;
            let candidates = candidates(&row.table(), &calibration, index);
            let statements = Statements::prepare(client, &row, &candidates).await?;
            Ok((calibration, identity, row, statements))
        }));
        let Database { client, address } = database;
        let (calibration, identity, row, statements) =
            opened.map_err(|problem| address.problem(problem))?;
        Ok(Self {
            connection: Mutex::new(client),
            address,
            calibration,
            identity,
            row,
            statements,
            index,
        })
    }

    /// The confidence beyond which a name is given.
    pub fn threshold(&self, acceptance: Acceptance) -> f64 {
        self.calibration.threshold(acceptance)
    }

    /// Identifies each prepared face (d x n), in order: the answers of [`Recognizer::identify_faces`] where the people
    /// of the database are enrolled.
    ///
    /// # Errors
    /// A database that cannot be asked.
    pub fn identify_faces(
        &self,
        recognizer: &Recognizer,
        faces: &FaceMatrix,
        options: QueryOptions,
    ) -> Result<Vec<Identification>> {
        let coordinates = recognizer.comparer().describe(faces);
        let likelihoods =
            likelihoods(recognizer).map_err(|problem| self.address.problem(problem))?;
        let probes = likelihoods.remote_probes(&coordinates);
        let with_name = |probe: RemoteProbe| {
            let person = probe
                .enrolled_as
                .and_then(|at| recognizer.gallery().people().get(at));
            (probe, person.map(Person::as_str))
        };
        // Two are needed to judge the first.
        let top = options.top.max(2);
        let nearest = self.nearest(probes.into_iter().map(with_name).collect(), top)?;
        let ranked = nearest.into_iter().map(|near| {
            let (top, acceptance) = (options.top, options.acceptance);
            let ranking = ranking(
                &self.calibration,
                &near.scores,
                near.others,
                top,
                acceptance,
            );
            (ranking, near.people)
        });
        let ranked = ranked.collect();
        Ok(recognizer.identify_ranked(faces, &coordinates, ranked))
    }

    /// The `top` nearest people to each of some probes, each with the name of whom its very face is enrolled as. All are
    /// told of one and the same state of the gallery.
    fn nearest(
        &self,
        probes: Vec<(RemoteProbe, Option<&str>)>,
        top: usize,
    ) -> Result<Vec<Nearest>> {
        let client = self.connection.lock();
        let mut client = client.map_err(|_| Error::Inconsistent)?;
        let ranked = deadline::wait(async {
            let asking = Asking {
                transaction: deadline::answer(self.begin(&mut client)).await?,
                gallery: self,
            };
            let mut ranked = Vec::with_capacity(probes.len());
            for (probe, name) in probes {
                ranked.push(asking.nearest(&probe, name, top).await?);
            }
            deadline::answer(asking.transaction.commit()).await?;
            Ok(ranked)
        });
        ranked.map_err(|problem| self.address.problem(problem))
    }

    async fn begin<'a>(&self, client: &'a mut Client) -> Result<Transaction<'a>, DatabaseProblem> {
        let transaction = client.build_transaction().read_only(true);
        let transaction = transaction
            .isolation_level(IsolationLevel::RepeatableRead)
            .start()
            .await?;
        let there = schema::galleries(&transaction).await?;
        if !there
            .iter()
            .any(|row| row.id == self.row.id && row.is_of(self.identity))
        {
            return Err(DatabaseProblem::Replaced);
        }
        if self.index == Indexing::Hnsw {
            let settings =
                format!("SET LOCAL hnsw.ef_search = {HNSW_PEOPLE}; SET LOCAL enable_seqscan = off");
            transaction.batch_execute(&settings).await?;
        }
        Ok(transaction)
    }
}

async fn find(client: &Client, identity: Identity, model: &str) -> Result<Row, DatabaseProblem> {
    if !schema::is_there(client).await? {
        return Err(DatabaseProblem::Empty);
    }
    let mut galleries = schema::galleries(client).await?;
    let Some(at) = galleries.iter().position(|row| row.is_of(identity)) else {
        return Err(match galleries.iter().find(|row| row.whole) {
            Some(other) => DatabaseProblem::OtherModel {
                model: model.to_owned(),
                people: other.people,
                faces: other.faces,
            },
            None => DatabaseProblem::Empty,
        });
    };
    let row = galleries.swap_remove(at);
    match row.whole {
        true => Ok(row),
        false => Err(DatabaseProblem::Unfinished {
            people: row.count(client).await?,
            of: row.people,
        }),
    }
}

impl Statements {
    async fn prepare(
        client: &Client,
        row: &Row,
        candidates: &str,
    ) -> Result<Self, DatabaseProblem> {
        let table = row.table();
        let coordinates = format!("SELECT person, coordinates FROM {table} WHERE person = ANY($1)");
        let names = "SELECT id, name FROM eigenfaces.people WHERE id = ANY($1)";
        let by_name = "SELECT id FROM eigenfaces.people WHERE gallery = $1 AND name = $2";
        Ok(Self {
            coordinates: client.prepare(&coordinates).await?,
            candidates: client.prepare(candidates).await?,
            names: client.prepare(names).await?,
            by_name: client.prepare(by_name).await?,
        })
    }
}

/// The query for the people whom the server takes for the nearest: $1 the probe, $2 how many are wanted. `<#>` is the negated
/// inner product, which is the score; `<->` is the distance, by which an index finds. Odds are added in the order of people, so
/// that their sum is always the same.
fn candidates(table: &str, calibration: &Calibration, index: Indexing) -> String {
    let [slope, intercept] = calibration.enrolled_log_odds();
    match index {
        Indexing::None => format!(
            "WITH near AS MATERIALIZED (SELECT person, coordinates <#> $1 AS away FROM {table}) \
             SELECT person, away, \
             (SELECT sum(exp(greatest(-{MOST_LOG_ODDS}, least({MOST_LOG_ODDS}, {intercept:e} - {slope:e} * away))) ORDER BY person) FROM near) AS odds \
             FROM near ORDER BY away LIMIT $2"
        ),
        // How far they are is not told.
        Indexing::Hnsw => format!(
            "SELECT person, 0::float8 AS away, 0::float8 AS odds FROM {table} ORDER BY coordinates <-> $1 LIMIT $2"
        ),
    }
}

struct Asking<'a> {
    transaction: Transaction<'a>,
    gallery: &'a RemoteGallery,
}

impl Asking<'_> {
    async fn query(
        &self,
        statement: &Statement,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<tokio_postgres::Row>, DatabaseProblem> {
        deadline::answer(self.transaction.query(statement, values)).await
    }

    /// The `top` people nearest to a probe; `enrolled_as` is the name of whom the very face is enrolled as.
    async fn nearest(
        &self,
        probe: &RemoteProbe,
        enrolled_as: Option<&str>,
        top: usize,
    ) -> Result<Nearest, DatabaseProblem> {
        // As a model has it: what has no distance has nobody near.
        if !probe.vector().iter().all(|value| value.is_finite()) {
            return Ok(Nearest::default());
        }
        let same = match enrolled_as {
            Some(name) => self.row_of(name).await?,
            None => None,
        };
        let gallery = self.gallery;
        let wanted = match gallery.index {
            Indexing::None => (top + MORE).max(MOST_EXACT) as i64,
            Indexing::Hnsw => HNSW_PEOPLE,
        };
        let statement = &gallery.statements.candidates;
        let rows = self
            .query(statement, &[&Sent(probe.vector()), &wanted])
            .await?;
        let mut people: Vec<i64> = column::first(&rows)?;
        people.extend(same.filter(|same| !people.contains(same)));
        let is_all = gallery.index == Indexing::Hnsw || (rows.len() as i64) < wanted;
        let others = if is_all { 0.0 } else { gallery.others(&rows)? };
        self.scored(probe, &people, same, others).await
    }

    async fn row_of(&self, name: &str) -> Result<Option<i64>, DatabaseProblem> {
        let statement = &self.gallery.statements.by_name;
        let rows = self
            .query(statement, &[&self.gallery.row.id, &name])
            .await?;
        Ok(column::first::<i64, Vec<i64>>(&rows)?.first().copied())
    }

    /// The scores of some people by a model's arithmetic; `same` is whose very face it is.
    async fn scored(
        &self,
        probe: &RemoteProbe,
        people: &[i64],
        same: Option<i64>,
        others: f64,
    ) -> Result<Nearest, DatabaseProblem> {
        let statements = &self.gallery.statements;
        let names = self.query(&statements.names, &[&people]).await?;
        let names: HashMap<i64, &str> = column::pairs(&names)?;
        let mut scored = Vec::with_capacity(people.len());
        for row in self.query(&statements.coordinates, &[&people]).await? {
            let (person, Received(vector)): (i64, _) = (column(&row, 0)?, column(&row, 1)?);
            let score = match same == Some(person) {
                true => Some(RemoteProbe::SAME),
                false => probe.score(&vector),
            };
            let name = names.get(&person).copied().unwrap_or_default();
            let person = Person::stored(name)
                .map_err(|error| DatabaseProblem::invalid(error.to_string()))?;
            scored.extend(score.map(|score| (person, score)));
        }
        scored.sort_by(|(one, _), (other, _)| one.cmp(other));
        let (people, scores) = scored.into_iter().unzip();
        Ok(Nearest {
            people,
            scores,
            others,
        })
    }
}

impl RemoteGallery {
    /// The odds of everybody but the candidates, by the server's arithmetic.
    fn others(&self, rows: &[tokio_postgres::Row]) -> Result<f64, DatabaseProblem> {
        let Some(first) = rows.first() else {
            return Ok(0.0);
        };
        let mut others: f64 = column(first, 2)?;
        let [slope, intercept] = self.calibration.enrolled_log_odds();
        for row in rows {
            let away: f64 = column(row, 1)?;
            let log_odds = intercept - slope * away;
            others -= log_odds.clamp(-MOST_LOG_ODDS, MOST_LOG_ODDS).exp();
        }
        Ok(others.max(0.0))
    }
}
