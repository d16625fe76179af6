//! Options of `verify`.

use std::path::PathBuf;

use clap::Args;
use eigenfaces::dataset::Person;

use super::{AcceptanceOptions, ModelSource};

#[derive(Debug, Args)]
pub struct Verify {
    /// A photo; of several faces in it, the largest and most central
    #[arg(value_name = "PHOTO")]
    pub photo: PathBuf,
    /// The photo to compare it with; the people in neither need be enrolled
    #[arg(
        value_name = "PHOTO",
        required_unless_present = "person",
        conflicts_with = "person"
    )]
    pub other: Option<PathBuf>,
    /// Compare with this enrolled person instead
    #[arg(long, value_name = "NAME")]
    pub person: Option<Person>,
    #[command(flatten)]
    pub acceptance: AcceptanceOptions,
    #[command(flatten)]
    pub origin: ModelSource,
}
