//! The gallery that probes are compared with: the model's people, or those in a database.

use std::path::Path;

use clap::Args;
#[cfg(feature = "postgres")]
use eigenfaces::database::{Database, GivenAddress, Indexing, RemoteGallery};
use eigenfaces::decision::Acceptance;
use eigenfaces::preparation::PreparedFace;
use eigenfaces::recognizer::{Identification, QueryOptions, Recognizer};

use super::Identify;
use crate::cli::{self, Result};

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
    #[arg(long, value_name = "INDEX", default_value = "none", requires = "gallery")]
    pub index: Indexing,
}

/// A gallery that this build cannot ask: it is refused when it is to be opened.
#[cfg(not(feature = "postgres"))]
#[derive(Debug, Clone, Args)]
pub struct DatabaseOptions {
    #[arg(long, value_name = "URL", hide = true)]
    pub gallery: Option<std::ffi::OsString>,
    #[arg(long = "index", hide = true, requires = "gallery")]
    _index: Option<String>,
}

pub enum Gallery {
    Model,
    #[cfg(feature = "postgres")]
    Database(Box<RemoteGallery>),
}

impl Gallery {
    /// As the user wants it.
    /// Errors: a database that cannot be used.
    pub fn open(args: &Identify, recognizer: &Recognizer, model: &Path) -> Result<Self> {
        #[cfg(feature = "postgres")]
        if let Some(address) = &args.database.gallery {
            let (database, index) = (Database::connect(address)?, args.database.index);
            return Ok(Self::Database(Box::new(RemoteGallery::open(database, recognizer, &cli::shown(model), index)?)));
        }
        #[cfg(not(feature = "postgres"))]
        let _ = (recognizer, model);
        #[cfg(not(feature = "postgres"))]
        if args.database.gallery.is_some() {
            return Err(cli::not_built("PostgreSQL", "postgres"));
        }
        Ok(Self::Model)
    }

    pub fn identify_prepared(
        &self,
        recognizer: &Recognizer,
        photos: &[Vec<PreparedFace>],
        query: QueryOptions,
    ) -> Result<Vec<Vec<Identification>>> {
        match self {
            Self::Model => Ok(recognizer.identify_prepared(photos, query)?),
            #[cfg(feature = "postgres")]
            Self::Database(gallery) => Ok(gallery.identify_prepared(recognizer, photos, query)?),
        }
    }

    /// The confidence beyond which a name is given; `None` where none ever is.
    pub fn threshold(&self, recognizer: &Recognizer, acceptance: Acceptance) -> Option<f64> {
        match self {
            Self::Model => recognizer.threshold(acceptance),
            #[cfg(feature = "postgres")]
            Self::Database(gallery) => gallery.threshold(acceptance),
        }
    }
}
