//! A gallery in PostgreSQL with pgvector: for more people than one machine's memory holds, or many machines that ask.
//!
//! A model file gives the way from a photo to coordinates; the database holds the people's coordinates, and how distances become
//! decisions ([`Export`]). Whoever identifies asks it for the nearest people ([`RemoteGallery`]). All is in the schema
//! `eigenfaces`, whose names are fixed; whatever comes from users travels as a parameter. docs/SCALE.md tells how it is used.

mod address;
mod column;
mod deadline;
mod export;
mod identity;
mod password;
mod ranking;
mod rounding;
mod schema;
mod vector;

use std::error::Error as _;
use std::io;

use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

pub use address::GivenAddress;
pub use export::{Change, Export};
pub use identity::Identity;
pub use ranking::RemoteGallery;

use crate::error::{DatabaseProblem, Error, Result};
use address::Address;
use column::column;

/// The index by which near points are found: what a gallery has, and what it is asked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Indexing {
    /// None: every point is looked at, and the answers are those of the model file.
    #[default]
    None,
    /// pgvector's graph of near points (Malkov & Yashunin 2018): whoever it misses is missed.
    Hnsw,
}

named!(Indexing {
    None = "none",
    Hnsw = "hnsw",
});

/// A connection to a database that has, or is to have, a gallery.
pub struct Database {
    client: Client,
    address: Address,
}

impl Database {
    /// Connects, and makes sure of what everything else needs: pgvector, and an encoding for all names.
    /// Errors: [`Error::Database`].
    pub fn connect(given: &GivenAddress) -> Result<Self> {
        let address = Address::read(given)?;
        let connector = address::connector().map_err(|problem| address.problem(problem))?;
        let config = address.config.clone();
        let patience = config.get_connect_timeout().copied();
        let connected = deadline::connect(patience.unwrap_or(deadline::CONNECTING), async move {
            let (client, connection) = config.connect(connector).await.map_err(|error| while_connecting(&error))?;
            // Its errors reach whoever asks the client.
            tokio::spawn(connection);
            prepare(&client).await?;
            Ok(client)
        });
        match connected {
            Ok(client) => Ok(Self { client, address }),
            Err(problem) => Err(address.problem(problem)),
        }
    }

    /// The address, without the password.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    fn problem(&self, problem: impl Into<DatabaseProblem>) -> Error {
        self.address.problem(problem.into())
    }
}

async fn prepare(client: &Client) -> Result<(), DatabaseProblem> {
    let about = client.query_one(ABOUT, &[]).await?;
    let encoding: String = column(&about, "encoding")?;
    if encoding != "UTF8" {
        return Err(DatabaseProblem::Encoding { found: encoding });
    }
    match (column(&about, "place")?, column(&about, "installed")?) {
        (None::<String>, false) => {
            let version: i32 = column(&about, "version")?;
            return Err(DatabaseProblem::NoExtension { major: (version / 10_000).unsigned_abs() });
        }
        (None, true) => return Err(DatabaseProblem::ExtensionOff),
        (Some(place), _) => {
            client.query_one(USE_ONLY, &[&place]).await?;
        }
    }
    // Compiling a query of some milliseconds takes longer than the query.
    client.batch_execute("SET jit = off").await?;
    Ok(())
}

const ABOUT: &str = "
    SELECT current_setting('server_encoding') AS encoding,
           current_setting('server_version_num')::int AS version,
           (SELECT nspname::text FROM pg_catalog.pg_extension e
              JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
             WHERE extname = 'vector') AS place,
           EXISTS (SELECT FROM pg_catalog.pg_available_extensions WHERE name = 'vector') AS installed";

/// Names are looked for where the system and pgvector have theirs: what others put into the database is never called.
const USE_ONLY: &str = "SELECT set_config('search_path', 'pg_catalog, ' || quote_ident($1::text), false)";

/// The problem that an error before there was a connection stands for.
fn while_connecting(error: &tokio_postgres::Error) -> DatabaseProblem {
    let io_error = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    let reason = in_words(error);
    let is_lost = io_error.is_some_and(|error| error.get_ref().is_none());
    match error.code() {
        Some(&SqlState::INVALID_CATALOG_NAME) => DatabaseProblem::NoDatabase,
        Some(&SqlState::CANNOT_CONNECT_NOW | &SqlState::TOO_MANY_CONNECTIONS) => DatabaseProblem::NotReady { reason },
        Some(_) => DatabaseProblem::NotLetIn { reason },
        // The client tells these apart in words only.
        None if reason.contains("peer certificate") => DatabaseProblem::NotTrusted { reason },
        None if error.to_string().contains("TLS") && !is_lost => DatabaseProblem::NoEncryption { reason },
        None if error.to_string().contains("configuration") || error.to_string().contains("authentication") => {
            DatabaseProblem::NotLetIn { reason }
        }
        None => DatabaseProblem::Unreachable { reason },
    }
}

impl From<tokio_postgres::Error> for DatabaseProblem {
    fn from(error: tokio_postgres::Error) -> Self {
        let reason = in_words(&error);
        let Some(code) = error.code() else {
            let is_lost = error.is_closed()
                || error.to_string().contains("communicating")
                || error.source().is_some_and(|cause| cause.is::<io::Error>());
            return if is_lost { Self::Lost { reason } } else { Self::Invalid { reason } };
        };
        // Class 57P: the server is shut down, or crashed.
        match *code {
            _ if code.code().starts_with("57P") => Self::Lost { reason },
            SqlState::INSUFFICIENT_PRIVILEGE => Self::NotPermitted { reason },
            SqlState::UNDEFINED_TABLE => Self::Replaced,
            _ => Self::Server { reason },
        }
    }
}

fn in_words(error: &tokio_postgres::Error) -> String {
    let is_end = |cause: &io::Error| cause.kind() == io::ErrorKind::UnexpectedEof;
    let text = match (error.as_db_error(), error.source()) {
        (_, Some(cause)) if cause.downcast_ref().is_some_and(is_end) => "the server closed it".to_owned(),
        (Some(reported), _) => reported.message().to_owned(),
        (None, Some(cause)) => cause.to_string(),
        (None, None) => error.to_string(),
    };
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
