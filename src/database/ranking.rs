//! The nearest people in the database: exactly those that the model file gives.
//!
//! The server computes distances in single precision, so it is not believed to the last: it names candidates, whose
//! coordinates are fetched and compared here, by the same arithmetic as a model's. How far the server can be wrong is
//! known ([`RoundingBound`]); as long as somebody who was not fetched could be among the nearest, more are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use postgres::{Client, IsolationLevel, Statement, Transaction};

use super::column::{self, column};
use super::deadline::{self, Heartbeat};
use super::rounding::RoundingBound;
use super::schema::{self, Row};
use super::vector::{Received, Sent};
use super::{Database, Identity};
use crate::dataset::Person;
use crate::decision::{Acceptance, Calibration};
use crate::error::{DatabaseProblem, Error, Result};
use crate::face_matrix::FaceMatrix;
use crate::gallery::squared_distance;
use crate::recognizer::{Identification, Identifier, QueryOptions, RankedPerson};

/// The search for the nearest people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Search {
    /// Among all of them. The answers are those of the model file.
    #[default]
    Exact,
    /// Among those whom the HNSW index finds: whoever it misses is missed.
    Hnsw,
}

/// People asked for beyond those that are wanted: enough for the first answer to be the last, but for twins.
const MORE: usize = 8;

/// Points asked of an HNSW index, of each kind. It looks at as many, which decides how few it misses; of all their people
/// the coordinates are fetched.
const HNSW_POINTS: i64 = 100;

/// The gallery in a database, to be asked who is near.
pub struct RemoteGallery {
    asked: Arc<Asked>,
    /// Held by whoever waits for the server, so that nobody's patience goes by while others are answered.
    turn: Mutex<()>,
    address: super::address::Address,
    calibration: Calibration,
}

/// State of the thread that waits for the server.
struct Asked {
    connection: Mutex<Client>,
    identity: Identity,
    row: Row,
    statements: Statements,
    search: Search,
}

/// Told of every answer while probes are ranked.
type Answers = Heartbeat<Vec<Vec<RankedPerson>>>;

struct Statements {
    /// The people whom the server takes for the nearest, with the sums of their squared distances.
    candidates: Statement,
    /// Of each kind the coordinates of some people.
    coordinates: Vec<Statement>,
    names: Statement,
}

impl RemoteGallery {
    /// The gallery of the model's coordinates; `model` is what the model is called.
    ///
    /// # Errors
    /// No gallery, one of another model, one that is not whole; no HNSW index where it is to be asked.
    pub fn open(
        database: Database,
        recognizer: &Identifier,
        model: &str,
        search: Search,
    ) -> Result<Self> {
        let Database {
            mut client,
            address,
        } = database;
        let (dimensions, identity) = match super::matcher(recognizer) {
            Ok(matcher) => (
                matcher.enrolled().nrows(),
                Identity::of(recognizer, matcher),
            ),
            Err(problem) => return Err(address.problem(problem)),
        };
        let model = model.to_owned();
        let opened = deadline::within(deadline::ANSWER, move |_| {
            let row = find(&mut client, identity, &model)?;
            if search == Search::Hnsw && !row.indexed {
                return Err(DatabaseProblem::NoIndex);
            }
            let fits = row.dimensions == dimensions;
            let calibration = calibration(&row).filter(|_| fits);
            let senseless =
                || DatabaseProblem::senseless("its calibration does not fit its people");
            let calibration = calibration.ok_or_else(senseless)?;
            let statements = Statements::prepare(&mut client, &row, search)?;
            let asked = Asked {
                connection: Mutex::new(client),
                identity,
                row,
                statements,
                search,
            };
            Ok((asked, calibration))
        });
        match opened {
            Ok((asked, calibration)) => Ok(Self {
                asked: Arc::new(asked),
                turn: Mutex::new(()),
                address,
                calibration,
            }),
            Err(problem) => Err(address.problem(problem)),
        }
    }

    /// The confidence beyond which a name is given; `None` where none ever is.
    pub fn threshold(&self, acceptance: Acceptance) -> Option<f64> {
        let given = match acceptance {
            Acceptance::Confidence(_) => true,
            Acceptance::FalseAccepts(_) => self.calibration.gives_names(),
        };
        given.then(|| self.calibration.threshold(acceptance))
    }

    /// Identifies each prepared face (d x n), in order: the answers of [`Identifier::identify_faces`] where the people
    /// of the database are enrolled.
    ///
    /// # Errors
    /// A database that cannot be asked.
    pub fn identify_faces(
        &self,
        recognizer: &Identifier,
        faces: &FaceMatrix,
        options: QueryOptions,
    ) -> Result<Vec<Identification>> {
        let matcher =
            super::matcher(recognizer).map_err(|problem| self.address.problem(problem))?;
        let coordinates = matcher.coordinates(faces);
        let probes: Vec<&[f32]> = match coordinates.nrows() {
            0 => Vec::new(),
            rows => coordinates.as_slice().chunks_exact(rows).collect(),
        };
        // Two are needed to judge the first.
        let ranked = self.rank(&probes, options.top.max(2))?;
        Ok(recognizer.identify_ranked(faces, &ranked, &self.calibration, options))
    }

    /// The `top` nearest people to each of some probes (k coordinates each), nearest first, of equal distances those
    /// whose names come first. All are told of one and the same state of the gallery.
    ///
    /// # Errors
    /// A database that cannot be asked.
    pub fn rank(&self, probes: &[&[f32]], top: usize) -> Result<Vec<Vec<RankedPerson>>> {
        let _turn = self.turn.lock().map_err(|_| Error::Inconsistent)?;
        let asked = Arc::clone(&self.asked);
        let probes: Vec<Vec<f32>> = probes.iter().map(|probe| probe.to_vec()).collect();
        let ranked = deadline::within(deadline::ANSWER, move |answers| {
            asked.rank(&probes, top, answers)
        });
        ranked.map_err(|problem| self.address.problem(problem))
    }
}

impl Asked {
    fn rank(
        &self,
        probes: &[Vec<f32>],
        top: usize,
        answers: &Answers,
    ) -> Result<Vec<Vec<RankedPerson>>, DatabaseProblem> {
        let client = self.connection.lock();
        let mut client = client.map_err(|_| DatabaseProblem::Lost {
            reason: "an earlier query failed".to_owned(),
        })?;
        let transaction = client.build_transaction().read_only(true);
        let mut transaction = transaction
            .isolation_level(IsolationLevel::RepeatableRead)
            .start()?;
        let there = schema::galleries(&mut transaction)?;
        if !there
            .iter()
            .any(|row| row.id == self.row.id && row.is_of(self.identity))
        {
            return Err(DatabaseProblem::Replaced);
        }
        if self.search == Search::Hnsw {
            transaction.batch_execute(&format!(
                "SET LOCAL hnsw.ef_search = {HNSW_POINTS}; SET LOCAL enable_seqscan = off"
            ))?;
        }
        let mut asking = Asking {
            transaction,
            gallery: self,
            answers,
        };
        let ranked = probes.iter().map(|probe| asking.nearest(probe, top));
        let ranked = ranked.collect::<Result<_, _>>()?;
        asking.transaction.commit()?;
        Ok(ranked)
    }
}

fn find(client: &mut Client, identity: Identity, model: &str) -> Result<Row, DatabaseProblem> {
    if !schema::is_there(client)? {
        return Err(DatabaseProblem::Empty);
    }
    let mut galleries = schema::galleries(client)?;
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
            people: row.count(client)?,
            of: row.people,
        }),
    }
}

fn calibration(row: &Row) -> Option<Calibration> {
    let calibration: Calibration = serde_json::from_str(&row.calibration).ok()?;
    let people = usize::try_from(row.people).ok()?;
    calibration.is_sound(people).then_some(calibration)
}

impl Statements {
    fn prepare(client: &mut Client, row: &Row, search: Search) -> Result<Self, DatabaseProblem> {
        let tables = row.tables();
        let candidates = match search {
            Search::Exact => exact(&tables),
            Search::Hnsw => approximate(&tables),
        };
        let coordinates = |table: &String| {
            client.prepare(&format!(
                "SELECT person, coordinates FROM {table} WHERE person = ANY($1)"
            ))
        };
        Ok(Self {
            coordinates: tables.iter().map(coordinates).collect::<Result<_, _>>()?,
            candidates: client.prepare(&candidates)?,
            names: client.prepare("SELECT id, name FROM eigenfaces.people WHERE id = ANY($1)")?,
        })
    }
}

/// $1 the probe, $2 how many people are wanted. `<->` is the distance; what people are compared by are squared ones.
fn exact(tables: &[String]) -> String {
    let kinds = tables.iter().enumerate().map(|(kind, table)| {
        let join = if kind == 0 { "" } else { "JOIN " };
        let using = if kind == 0 { "" } else { " USING (person)" };
        format!(
            "{join}(SELECT person, min(coordinates <-> $1) AS away FROM {table} GROUP BY person) k{kind}{using}"
        )
    });
    let kinds: Vec<String> = kinds.collect();
    let sum = (0..tables.len()).map(|kind| format!("k{kind}.away * k{kind}.away"));
    let sum: Vec<String> = sum.collect();
    format!(
        "SELECT person, {} AS total FROM {} ORDER BY total LIMIT $2",
        sum.join(" + "),
        kinds.join(" ")
    )
}

/// The owners of the nearest $2 points of each kind that the index finds; their distances are not told.
fn approximate(tables: &[String]) -> String {
    let near = tables
        .iter()
        .map(|table| format!("(SELECT person FROM {table} ORDER BY coordinates <-> $1 LIMIT $2)"));
    let near: Vec<String> = near.collect();
    format!(
        "SELECT DISTINCT person, 0::float8 AS total FROM ({}) near",
        near.join(" UNION ALL ")
    )
}

struct Asking<'a> {
    transaction: Transaction<'a>,
    gallery: &'a Asked,
    answers: &'a Answers,
}

impl Asking<'_> {
    fn nearest(&mut self, probe: &[f32], top: usize) -> Result<Vec<RankedPerson>, DatabaseProblem> {
        // As a model has it: what has no distance has nobody near.
        if !probe.iter().all(|value| value.is_finite()) {
            return Ok(Vec::new());
        }
        let rounding = RoundingBound::of(probe.len());
        let statement = &self.gallery.statements.candidates;
        let mut wanted = (top + MORE) as i64;
        loop {
            let asked = match self.gallery.search {
                Search::Exact => wanted,
                Search::Hnsw => HNSW_POINTS,
            };
            let rows = self.transaction.query(statement, &[&Sent(probe), &asked])?;
            self.answers.answered();
            let people: Vec<i64> = column::first(&rows)?;
            let mut near = self.measured(probe, &people)?;
            let is_all = self.gallery.search == Search::Hnsw || (rows.len() as i64) < wanted;
            // Whoever is not among the candidates is no nearer than the last of them.
            let beyond = match rows.last() {
                Some(row) => rounding.least(column(row, 1)?),
                None => 0.0,
            };
            let kinds = self.gallery.row.kinds as f64;
            let worst = near
                .get(top.saturating_sub(1))
                .map(|(_, squared)| squared * kinds);
            if is_all || worst.is_some_and(|worst| worst < beyond) {
                // Equal distances are ordered by name, so no more can be left out before names are known.
                return self.named(&mut near, top);
            }
            wanted *= 4;
        }
    }

    /// The squared distances of some people, nearest first, by a model's arithmetic.
    fn measured(
        &mut self,
        probe: &[f32],
        people: &[i64],
    ) -> Result<Vec<(i64, f64)>, DatabaseProblem> {
        let statements = &self.gallery.statements.coordinates;
        let mut kinds = Vec::with_capacity(statements.len());
        for statement in statements {
            let mut nearest: HashMap<i64, f64> = HashMap::with_capacity(people.len());
            for row in self.transaction.query(statement, &[&people])? {
                let Received(point) = column(&row, 1)?;
                let squared = squared_distance(probe, &point);
                let best = nearest.entry(column(&row, 0)?).or_insert(f64::INFINITY);
                *best = best.min(squared);
            }
            self.answers.answered();
            kinds.push(nearest);
        }
        let mean = |person: &i64| {
            let mut sum = 0.0;
            for kind in &kinds {
                sum += kind.get(person)?;
            }
            Some((*person, sum / kinds.len() as f64))
        };
        let mut all: Vec<(i64, f64)> = people.iter().filter_map(mean).collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        Ok(all)
    }

    /// The `top` first of people who are sorted by distance, with their names.
    fn named(
        &mut self,
        near: &mut Vec<(i64, f64)>,
        top: usize,
    ) -> Result<Vec<RankedPerson>, DatabaseProblem> {
        if let Some(&(_, worst)) = near.get(top.saturating_sub(1)) {
            near.retain(|(_, squared)| *squared <= worst);
        }
        let people: Vec<i64> = near.iter().map(|(person, _)| *person).collect();
        let names = self
            .transaction
            .query(&self.gallery.statements.names, &[&people])?;
        let names: HashMap<i64, &str> = column::pairs(&names)?;
        let mut named = Vec::with_capacity(near.len());
        for (person, squared_distance) in near.iter() {
            let name = names.get(person).copied().unwrap_or_default();
            let person = Person::stored(name)
                .map_err(|error| DatabaseProblem::senseless(error.to_string()))?;
            named.push(RankedPerson {
                person,
                squared_distance: *squared_distance,
            });
        }
        let order = |a: &RankedPerson, b: &RankedPerson| {
            let nearer = a.squared_distance.total_cmp(&b.squared_distance);
            nearer.then_with(|| a.person.cmp(&b.person))
        };
        named.sort_by(order);
        named.truncate(top);
        Ok(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_names_every_kind() {
        let tables = [schema::points(7, 0), schema::points(7, 1)];
        assert_eq!(
            exact(&tables),
            "SELECT person, k0.away * k0.away + k1.away * k1.away AS total FROM \
             (SELECT person, min(coordinates <-> $1) AS away FROM eigenfaces.points_7_0 GROUP BY person) k0 \
             JOIN (SELECT person, min(coordinates <-> $1) AS away FROM eigenfaces.points_7_1 GROUP BY person) k1 USING (person) \
             ORDER BY total LIMIT $2"
        );
    }
}
