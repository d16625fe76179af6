//! Whom probes are compared with: the people of the model, or those in a database.

use std::path::Path;

use eigenfaces::decision::Acceptance;
use eigenfaces::preparation::PreparedFace;
use eigenfaces::recognizer::{Identification, QueryOptions, Recognizer};

#[cfg(feature = "postgres")]
use eigenfaces::database::{Database, RemoteGallery};

use crate::cli::Result;
use crate::cli::args::Identify;
#[cfg(not(feature = "postgres"))]
use crate::cli::not_built;
#[cfg(feature = "postgres")]
use crate::cli::shown;

/// The place where people are enrolled: a model or a database.
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
        if let Some(address) = &args.elsewhere.gallery {
            let (database, index) = (Database::connect(address)?, args.elsewhere.index);
            let gallery = RemoteGallery::open(database, recognizer, &shown(model), index)?;
            return Ok(Self::Database(Box::new(gallery)));
        }
        #[cfg(not(feature = "postgres"))]
        let _ = (recognizer, model);
        #[cfg(not(feature = "postgres"))]
        if args.elsewhere.gallery.is_some() {
            return Err(not_built("PostgreSQL", "postgres"));
        }
        Ok(Self::Model)
    }

    /// Identifies faces that were prepared, photo by photo.
    pub fn identify_prepared(
        &self,
        recognizer: &Recognizer,
        photos: &[Vec<PreparedFace>],
        query: QueryOptions,
    ) -> Result<Vec<Vec<Identification>>> {
        match self {
            Self::Model => Ok(recognizer.identify_prepared(photos, query)?),
            #[cfg(feature = "postgres")]
            Self::Database(gallery) => Ok(recognizer.identify_prepared_by(photos, |faces| {
                gallery.identify_faces(recognizer, faces, query)
            })?),
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
