//! Options about a gallery in a database, and what stands for them in a build without.

use clap::Args;
#[cfg(feature = "postgres")]
use eigenfaces::database::{GivenAddress, Indexing};

#[cfg(feature = "postgres")]
use super::ChangeOptions;

/// A gallery that is not the model's.
#[cfg(feature = "postgres")]
#[derive(Debug, Clone, Args)]
pub struct DatabaseOptions {
    /// Look for people in this PostgreSQL database
    ///
    /// One that `eigenfaces export` filled, as postgresql://USER@HOST/DATABASE. The model still tells how photos become weights.
    #[arg(long, value_name = "URL", conflicts_with_all = ["faces", "explain"])]
    pub gallery: Option<GivenAddress>,
    /// Index of --gallery: none or hnsw
    ///
    /// Without one, everybody is looked at, and the answers are those of the model file; `hnsw` is faster, and may miss some.
    #[arg(
        long,
        value_name = "INDEX",
        default_value = "none",
        requires = "gallery"
    )]
    pub index: Indexing,
}

#[cfg(feature = "postgres")]
#[derive(Debug, Args)]
pub struct Export {
    /// The database, as postgresql://USER@HOST/DATABASE; a password is better kept in PGPASSWORD or ~/.pgpass
    #[arg(long, value_name = "URL")]
    pub postgres: GivenAddress,
    /// Also make an index (`hnsw`), for `identify --index hnsw`, or drop it (`none`) [default: as the database has it]
    #[arg(long, value_name = "INDEX")]
    pub index: Option<Indexing>,
    #[command(flatten)]
    pub change: ChangeOptions,
}

#[cfg(not(feature = "postgres"))]
pub type Export = super::NotBuilt;

/// A gallery that this build cannot ask: it is refused when it is to be opened.
#[cfg(not(feature = "postgres"))]
#[derive(Debug, Clone, Args)]
pub struct DatabaseOptions {
    #[arg(long, value_name = "URL", hide = true)]
    pub gallery: Option<std::ffi::OsString>,
    #[arg(long = "index", hide = true, requires = "gallery")]
    _index: Option<String>,
}
