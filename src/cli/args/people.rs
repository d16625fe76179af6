//! `people`: who is enrolled, and what becomes of them.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use eigenfaces::preparation::FaceBox;

use super::ChangeOptions;

#[derive(Debug, Args)]
pub struct People {
    #[command(subcommand)]
    pub action: Option<PeopleAction>,
}

#[derive(Debug, Subcommand)]
pub enum PeopleAction {
    /// List the people and how many faces each has (the default)
    List(List),
    /// Enrol one face of a photo, of somebody who is enrolled or is new
    Add(AddFace),
    /// Give a person another name; the folder with the earlier one still counts for them
    Rename(Rename),
    /// Make several people one
    Merge(Merge),
    /// Erase people or single photos; all that is learned is learned again without them
    #[command(visible_alias = "delete")]
    Remove(Remove),
    /// Undo the last change of who is enrolled, then the one before, 20 in all; what was erased stays erased
    Undo(ChangeOptions),
}

#[derive(Debug, Default, Args)]
pub struct List {
    /// These people only
    #[arg(value_name = "PERSON")]
    pub people: Vec<String>,
    /// List their photos, with the beginning of each one's hash and where it came from
    #[arg(long)]
    pub photos: bool,
}

#[derive(Debug, Args)]
pub struct Rename {
    /// Who
    pub person: String,
    /// The new name
    pub name: String,
    /// Remember nothing of the earlier name, as for a pseudonym: its folder counts for nobody enrolled any more, and the change cannot be taken back
    #[arg(long)]
    pub forget: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub struct Merge {
    /// Whose faces are another's
    #[arg(required = true, value_name = "PERSON")]
    pub people: Vec<String>,
    /// Whose they are
    #[arg(long, value_name = "PERSON")]
    pub into: String,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub struct Remove {
    /// Whom to erase
    ///
    /// People, or single photos: where each came from, 8 or more digits of its hash, or the file itself.
    #[arg(value_name = "PERSON|PHOTO", required = true)]
    pub given: Vec<String>,
    #[command(flatten)]
    pub change: ChangeOptions,
}

#[derive(Debug, Args)]
pub struct AddFace {
    /// Who
    #[arg(value_name = "NAME")]
    pub person: String,
    /// The photo
    #[arg(value_name = "PHOTO")]
    pub photo: PathBuf,
    /// Which face of the photo, as `eigenfaces identify` counts them, row by row [default: the only one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub face: Option<u16>,
    /// The face in this box, which need not be found: pixels of the upright photo
    #[arg(long, value_name = "X,Y,WIDTH,HEIGHT", conflicts_with = "face")]
    pub at: Option<FaceBox>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}
