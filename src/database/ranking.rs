//! The nearest people in the database: exactly those that the model file gives. The server computes in single precision, so it
//! only names candidates, whose coordinates are fetched and compared here by a model's own arithmetic; more are fetched as long as
//! somebody who was not could, by the server's [`RoundingBound`], be among the nearest.

use std::collections::HashMap;
use std::sync::Mutex;

use nalgebra::DMatrix;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, IsolationLevel, Statement, Transaction};

use super::column::{self, column};
use super::rounding::RoundingBound;
use super::schema::{self, Row};
use super::vector::{Received, Sent};
use super::{Database, Identity, Indexing, deadline};
use crate::background::MOST_LOG_ODDS;
use crate::compare::{Order, Ranking, RemoteCalibration, RemoteProbe};
use crate::dataset::Person;
use crate::decision::Acceptance;
use crate::error::{DatabaseProblem, Error, Result};
use crate::preparation::PreparedFace;
use crate::recognizer::{Identification, Probes, QueryOptions, Recognizer, by_photo};

/// Over-fetch margin, so that one query suffices unless distances tie.
const MORE: usize = 8;

/// Minimum number of people queried by score: a smaller gallery is read whole, so that confidences equal the model file's to the bit.
const MOST_EXACT: usize = 64;

/// The gallery in a database, to be asked who is near.
pub struct RemoteGallery {
    connection: Mutex<Client>,
    address: super::address::Address,
    calibration: RemoteCalibration,
    identity: Identity,
    row: Row,
    statements: Statements,
    index: Indexing,
    order: Order,
}

/// Points asked of an HNSW index, which looks at as many: the more, the fewer it misses. All their people are fetched.
fn hnsw_points(order: Order) -> i64 {
    match order {
        Order::SquaredDistance => 100,
        // Few points are near any probe by score, so more are looked at.
        Order::InnerProduct => 400,
    }
}

/// People near a probe, the nearest among them, in the order of their names.
#[derive(Debug, Clone, Default)]
struct Nearest {
    people: Vec<Person>,
    away: Vec<f64>,
    /// The odds of everybody else together, where confidences are shares of all odds.
    others: f64,
}

struct Statements {
    /// The people whom the server takes for the nearest, how far they are, and the odds of all people.
    candidates: Statement,
    coordinates: Statement,
    names: Statement,
    by_name: Statement,
}

impl RemoteGallery {
    /// The gallery of the model's coordinates; `model` is what the model is called.
    /// Errors: no gallery, one of another model, one that is not whole; no HNSW index where it is to be asked.
    pub fn open(database: Database, recognizer: &Recognizer, model: &str, index: Indexing) -> Result<Self> {
        let opened = deadline::wait(deadline::answer(async {
            let client = &database.client;
            let identity = Identity::of(recognizer);
            let row = find(client, identity, model).await?;
            if index == Indexing::Hnsw && !row.indexed {
                return Err(DatabaseProblem::NoIndex);
            }
            let comparer = recognizer.comparer();
            let fits = row.dimensions == comparer.dimensions();
            let people = usize::try_from(row.people).ok().filter(|_| fits);
            let calibration = people.and_then(|people| comparer.read_remote_calibration(&row.calibration, people));
            let invalid = || DatabaseProblem::invalid("its calibration does not fit its people");
            let calibration = calibration.ok_or_else(invalid)?;
            let candidates = candidates(&row.table(), comparer.order(), &calibration, index);
            let statements = Statements::prepare(client, &row, &candidates).await?;
            Ok((calibration, identity, row, statements))
        }));
        let Database { client, address } = database;
        let (calibration, identity, row, statements) = opened.map_err(|problem| address.problem(problem))?;
        let order = recognizer.comparer().order();
        Ok(Self { connection: Mutex::new(client), address, calibration, identity, row, statements, index, order })
    }

    /// The confidence beyond which a name is given; `None` where none ever is.
    pub fn threshold(&self, acceptance: Acceptance) -> Option<f64> {
        self.calibration.threshold(acceptance)
    }

    /// Identifies the people in some photos: the answers of [`Recognizer::identify_prepared`] where the people of the database
    /// are enrolled.
    /// Errors: A database that cannot be asked; faces of another size.
    pub fn identify_prepared(
        &self,
        recognizer: &Recognizer,
        photos: &[Vec<PreparedFace>],
        options: QueryOptions,
    ) -> Result<Vec<Vec<Identification>>> {
        let probes = Probes::prepared(recognizer.preparation().size(), photos.iter().flatten())?;
        let rank = |coordinates: &DMatrix<f32>| self.rank(recognizer, coordinates, options);
        Ok(by_photo(photos, recognizer.identify_ranked(probes, rank)?))
    }

    /// The people ranked for each probe (m x p), in order, by their positions among the names.
    fn rank(
        &self,
        recognizer: &Recognizer,
        probes: &DMatrix<f32>,
        options: QueryOptions,
    ) -> Result<Vec<(Ranking, Vec<Person>)>> {
        let probes = recognizer.comparer().remote_probes(probes);
        let with_name = |probe: RemoteProbe| {
            let person = probe.enrolled_as.and_then(|at| recognizer.gallery().people().get(at));
            (probe, person.map(Person::as_str))
        };
        // Two are needed to judge the first.
        let top = options.top.max(2);
        let nearest = self.nearest(probes.into_iter().map(with_name).collect(), top)?;
        let ranking = |near: Nearest| {
            let (top, acceptance) = (options.top, options.acceptance);
            (self.calibration.rank(&near.away, near.others, top, acceptance), near.people)
        };
        Ok(nearest.into_iter().map(ranking).collect())
    }

    /// The `top` nearest people to each of some probes, each with the name of whom its very face is enrolled as. All are
    /// told of one and the same state of the gallery.
    fn nearest(&self, probes: Vec<(RemoteProbe, Option<&str>)>, top: usize) -> Result<Vec<Nearest>> {
        let mut client = self.connection.lock().map_err(|_| Error::Inconsistent)?;
        let ranked = deadline::wait(async {
            let asking = Asking { transaction: deadline::answer(self.begin(&mut client)).await?, gallery: self };
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
        let transaction = transaction.isolation_level(IsolationLevel::RepeatableRead).start().await?;
        let there = schema::galleries(&transaction).await?;
        if !there.iter().any(|row| row.id == self.row.id && row.is_of(self.identity)) {
            return Err(DatabaseProblem::Replaced);
        }
        if self.index == Indexing::Hnsw {
            let settings =
                format!("SET LOCAL hnsw.ef_search = {}; SET LOCAL enable_seqscan = off", hnsw_points(self.order));
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
            Some(other) => {
                DatabaseProblem::OtherModel { model: model.to_owned(), people: other.people, faces: other.faces }
            }
            None => DatabaseProblem::Empty,
        });
    };
    let row = galleries.swap_remove(at);
    match row.whole {
        true => Ok(row),
        false => Err(DatabaseProblem::Unfinished { people: row.count(client).await?, of: row.people }),
    }
}

impl Statements {
    async fn prepare(client: &Client, row: &Row, candidates: &str) -> Result<Self, DatabaseProblem> {
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

/// The query for the people whom the server takes for the nearest: $1 the probe, $2 how many; `<->` is not squared yet.
fn candidates(table: &str, order: Order, calibration: &RemoteCalibration, index: Indexing) -> String {
    match (index, order) {
        (Indexing::None, Order::SquaredDistance) => format!(
            "SELECT person, (coordinates <-> $1) ^ 2 AS away, 0::float8 AS odds FROM {table} ORDER BY away LIMIT $2"
        ),
        (Indexing::None, Order::InnerProduct) => nearest_by_product(table, calibration.log_odds()),
        // How far they are is not told.
        (Indexing::Hnsw, _) => format!(
            "SELECT person, 0::float8 AS away, 0::float8 AS odds FROM {table} ORDER BY coordinates <-> $1 LIMIT $2"
        ),
    }
}

/// $1 the probe, $2 how many people. `<#>` is the negated inner product. Odds are added in one order, for one sum always.
fn nearest_by_product(table: &str, log_odds: Option<[f64; 2]>) -> String {
    let odds = log_odds.map(|[slope, intercept]| {
        format!("(SELECT sum(exp(greatest(-{MOST_LOG_ODDS}, least({MOST_LOG_ODDS}, {intercept:e} - {slope:e} * away))) ORDER BY person) FROM near)")
    });
    format!(
        "WITH near AS MATERIALIZED (SELECT person, coordinates <#> $1 AS away FROM {table}) \
         SELECT person, away, {} AS odds FROM near ORDER BY away LIMIT $2",
        odds.as_deref().unwrap_or("0::float8")
    )
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
        if !probe.vector.iter().all(|value| value.is_finite()) {
            return Ok(Nearest::default());
        }
        let same = if let Some(name) = enrolled_as { self.row_of(name).await? } else { None };
        let gallery = self.gallery;
        let mut wanted = match gallery.order {
            Order::SquaredDistance => top + MORE,
            Order::InnerProduct => (top + MORE).max(MOST_EXACT),
        } as i64;
        loop {
            let asked = if gallery.index == Indexing::Hnsw { hnsw_points(gallery.order) } else { wanted };
            let rows = self.query(&gallery.statements.candidates, &[&Sent(&probe.vector), &asked]).await?;
            let mut people: Vec<i64> = column::first(&rows)?;
            people.extend(same.filter(|same| !people.contains(same)));
            let near = self.measured(probe, &people, same).await?;
            let is_all = gallery.index == Indexing::Hnsw || (rows.len() as i64) < wanted;
            // Whoever is not among the candidates is no nearer than the last of them.
            let beyond = match rows.last() {
                Some(row) => gallery.least(probe, column(row, 1)?),
                None => 0.0,
            };
            let worst = near.get(top.saturating_sub(1)).map(|(_, away)| *away);
            if is_all || worst.is_some_and(|worst| worst < beyond) {
                let others = if is_all { 0.0 } else { gallery.others(&rows)? };
                return self.named(near, others).await;
            }
            wanted *= 4;
        }
    }

    async fn row_of(&self, name: &str) -> Result<Option<i64>, DatabaseProblem> {
        let rows = self.query(&self.gallery.statements.by_name, &[&self.gallery.row.id, &name]).await?;
        Ok(column::first::<i64, Vec<i64>>(&rows)?.first().copied())
    }

    /// The distances of some people, nearest first, by a model's arithmetic; `same` is whose very face it is.
    async fn measured(
        &self,
        probe: &RemoteProbe,
        people: &[i64],
        same: Option<i64>,
    ) -> Result<Vec<(i64, f64)>, DatabaseProblem> {
        let statement = &self.gallery.statements.coordinates;
        let mut points: HashMap<i64, Vec<f32>> = HashMap::with_capacity(people.len());
        for row in self.query(statement, &[&people]).await? {
            let Received(point) = column(&row, 1)?;
            points.insert(column(&row, 0)?, point);
        }
        let away = |person: &i64| match same == Some(*person) {
            true => Some((*person, RemoteProbe::SAME)),
            false => Some((*person, probe.away(points.get(person)?)?)),
        };
        let mut all: Vec<(i64, f64)> = people.iter().filter_map(away).collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        Ok(all)
    }

    async fn named(&self, near: Vec<(i64, f64)>, others: f64) -> Result<Nearest, DatabaseProblem> {
        let people: Vec<i64> = near.iter().map(|(person, _)| *person).collect();
        let names = self.query(&self.gallery.statements.names, &[&people]).await?;
        let names: HashMap<i64, &str> = column::pairs(&names)?;
        let mut named = Vec::with_capacity(near.len());
        for (person, away) in near {
            let name = names.get(&person).copied().unwrap_or_default();
            let person = Person::stored(name).map_err(|error| DatabaseProblem::invalid(error.to_string()))?;
            named.push((person, away));
        }
        named.sort_by(|a, b| a.0.cmp(&b.0));
        let (people, away) = named.into_iter().unzip();
        Ok(Nearest { people, away, others })
    }
}

impl RemoteGallery {
    /// The least that a person can be away in truth whom the server takes for so far away.
    fn least(&self, probe: &RemoteProbe, told: f64) -> f64 {
        let rounding = RoundingBound::of(probe.vector.len());
        match self.order {
            Order::SquaredDistance => rounding.least(told),
            Order::InnerProduct => {
                let squares = probe.vector.iter().map(|&value| f64::from(value).powi(2));
                told - rounding.of_product(squares.sum::<f64>().sqrt() * self.calibration.norm())
            }
        }
    }

    /// The odds of a person that far away; none where they are not asked for.
    fn odds(&self, away: f64) -> f64 {
        self.calibration.log_odds().map_or(0.0, |[slope, intercept]| {
            let log_odds = intercept - slope * away;
            libm::exp(log_odds.clamp(-MOST_LOG_ODDS, MOST_LOG_ODDS))
        })
    }

    /// The odds of everybody but the candidates, by the server's arithmetic.
    fn others(&self, rows: &[tokio_postgres::Row]) -> Result<f64, DatabaseProblem> {
        let Some(first) = rows.first() else { return Ok(0.0) };
        let mut others: f64 = column(first, 2)?;
        for row in rows {
            others -= self.odds(column(row, 1)?);
        }
        Ok(others.max(0.0))
    }
}
