//! `group`: faces of people who are not enrolled, put into groups.

use std::path::PathBuf;

use clap::Args;
use eigenfaces::grouping::PURITY;
use eigenfaces::store::NamesIn;

use super::{AcceptanceOptions, Force, ending_in, within};

#[derive(Debug, Args)]
pub struct Group {
    /// Folders of photos, sorted in whatever way
    #[arg(value_name = "FOLDER", required_unless_present = "apply")]
    pub folders: Vec<PathBuf>,
    /// Write groups.csv, a table in which groups are named, and groups.png, a picture of them, to this folder, readable by you only
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Target precision of groups: the share of faces, single ones counted, that are among faces of their own person; higher gives smaller groups. Groups of several alone are less pure, and pairs least
    #[arg(long, value_name = "SHARE", default_value_t = PURITY, value_parser = within(0.5..1.0, "a share from 0.5 to below 1, such as 0.98"))]
    pub purity: f64,
    /// Look at every photo again, also at those that are remembered (FOLDER/eigenfaces.faces, or --index)
    #[arg(long)]
    pub rescan: bool,
    /// Remember the faces of all these folders, and what is said of them, in this file instead of in FOLDER/eigenfaces.faces: for folders that may not be written to
    #[arg(long, value_name = "FILE")]
    pub index: Option<PathBuf>,
    /// Enrol the faces that were named in this table, and remember what was said to be wrong
    #[arg(long, value_name = "GROUPS.csv", value_parser = ending_in(&["csv"], ".csv"), conflicts_with_all = ["folders", "output", "purity", "rescan"])]
    pub apply: Option<PathBuf>,
    /// With --apply: say what would be done, and do nothing
    #[arg(long, requires = "apply")]
    pub dry_run: bool,
    /// With --apply: write the names into XMP files beside the photos too (photo.jpg.xmp), or `inside` the photos, or as `lightroom` has it (photo.xmp)
    #[arg(long, value_name = "WHERE", requires = "apply", num_args = 0..=1, require_equals = true, default_missing_value = "beside")]
    pub write_xmp: Option<NamesIn>,
    #[command(flatten)]
    pub acceptance: AcceptanceOptions,
    #[command(flatten)]
    pub force: Force,
}
