//! Problems of a gallery in a database.

/// The reason why the gallery in a database cannot be used. Carries no address: [`Error::Database`](super::Error::Database) does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseProblem {
    /// The address cannot be understood. It is not repeated: a password may stand in it.
    #[error(
        "this is not an address of a database ({reason}); write postgresql://USER@HOST/DATABASE, with %40 for @ in a password"
    )]
    Address { reason: String },

    #[error("no server can be reached there ({reason}); check host and port, and that PostgreSQL is running")]
    Unreachable { reason: String },

    #[error("the server lets nobody in just now ({reason}); try again in a moment")]
    NotReady { reason: String },

    #[error(
        "the server does not let this user in ({reason}); give the password in PGPASSWORD or ~/.pgpass, or ask who runs the server"
    )]
    NotLetIn { reason: String },

    #[error("there is no such database; make it with `createdb`, or check the name")]
    NoDatabase,

    #[error(
        "no encrypted connection can be had ({reason}); have TLS switched on at the server, or say sslmode=disable in the address to send faces' weights in the clear"
    )]
    NoEncryption { reason: String },

    #[error(
        "the server's certificate is not trusted ({reason}); name the PEM file of whoever signed it in SSL_CERT_FILE, or find out whether this is the server that you mean"
    )]
    NotTrusted { reason: String },

    #[error(
        "the server has no pgvector; have the package postgresql-{major}-pgvector installed there, then say CREATE EXTENSION vector in this database"
    )]
    NoExtension { major: u32 },

    #[error("pgvector is not switched on in this database; have its owner say CREATE EXTENSION vector")]
    ExtensionOff,

    #[error(
        "the database's encoding is {found}, which has no letters for every name; make one with `createdb --encoding UTF8 --template template0`"
    )]
    Encoding { found: String },

    #[error("this user lacks a right ({reason}); have it granted as docs/SCALE.md has it")]
    NotPermitted { reason: String },

    #[error("no gallery is there; export a model to it")]
    Empty,

    #[error(
        "its gallery was made by a newer eigenfaces (schema {found}, this program knows {newest}); update the program"
    )]
    Newer { found: i32, newest: i32 },

    /// The weights there are of another face space than the model's.
    #[error(
        "its weights ({faces} faces of {people} people) are of another model than {model}: name the model they were exported from, or export this one"
    )]
    OtherModel { model: String, people: i64, faces: i64 },

    #[error(
        "its gallery is not whole ({people} of {of} people are there): export the model again, it goes on where it stopped"
    )]
    Unfinished { people: i64, of: i64 },

    #[error("another export is changing its gallery: wait until that is done")]
    Busy,

    #[error("its gallery was replaced meanwhile: run this again, with the new model")]
    Replaced,

    /// Few people are compared by their faces themselves, which a database does not hold.
    #[error(
        "{people} people are too few for a database: fewer than {enough} are told apart by the faces themselves, which only the model file holds"
    )]
    TooFew { people: usize, enough: usize },

    #[error("each point has {dimensions} coordinates, more than the {most} that pgvector takes{}; learn with fewer components", if *.index { " into an HNSW index" } else { "" })]
    TooManyCoordinates {
        dimensions: usize,
        most: usize,
        /// Whether it is an index that takes no more.
        index: bool,
    },

    #[error(
        "a coordinate of {name} is beyond what pgvector can tell distances of; learn with another kernel or metric"
    )]
    TooLarge { name: String },

    #[error("its gallery has no HNSW index; export the model with one, or search without")]
    NoIndex,

    /// The connection ended in the middle of an export.
    #[error(
        "the connection was lost ({reason}) when {done} of {of} people were brought over; nobody is there by half: run the same export again, it goes on from there"
    )]
    LostWhileExporting { reason: String, done: usize, of: usize },

    #[error(
        "the server did not answer within {seconds} s; check that it is PostgreSQL that listens there and that it is not overloaded, then try again"
    )]
    Silent { seconds: u64 },

    #[error(
        "its table eigenfaces.version is empty, so nothing there can be relied upon; have its owner say DROP SCHEMA eigenfaces CASCADE, then export the model again"
    )]
    NoVersion,

    #[error("the connection was lost ({reason}); check that the server runs, and try again")]
    Lost { reason: String },

    #[error("unexpected contents ({reason}); export the model again")]
    Invalid { reason: String },

    #[error("the server reports: {reason}")]
    Server { reason: String },
}

#[cfg(feature = "postgres")]
impl DatabaseProblem {
    pub(crate) fn invalid(reason: impl Into<String>) -> Self {
        Self::Invalid { reason: reason.into() }
    }
}
