//! Whether results may replace files that are not this program's.

use clap::Args;
use eigenfaces::store::Overwrite;

/// Which files a result may replace.
#[derive(Debug, Clone, Copy, Args)]
pub struct Force {
    /// Overwrite existing files (never an input)
    ///
    /// Without it only files in a folder that an earlier run made for results are replaced.
    #[arg(long)]
    pub force: bool,
}

impl From<Force> for Overwrite {
    fn from(force: Force) -> Self {
        if force.force {
            Self::AnyFile
        } else {
            Self::Results
        }
    }
}
