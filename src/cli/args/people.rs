//! `people`: who is enrolled, and what becomes of them.

use clap::{Args, Subcommand};

use super::Deed;

/// `people`
#[derive(Debug, Args)]
pub struct People {
    #[command(subcommand)]
    pub action: Option<PeopleAction>,
}

#[derive(Debug, Subcommand)]
pub enum PeopleAction {
    /// List the people and how many faces each has (the default)
    List(List),
    /// Give a person another name
    Rename(Rename),
    /// Make several people one
    Merge(Merge),
    /// Erase people or single photos; all that is learned is learned again without them
    Remove(Remove),
}

/// `people list`
#[derive(Debug, Default, Args)]
pub struct List {
    /// These people only
    #[arg(value_name = "PERSON")]
    pub people: Vec<String>,
    /// List their photos, with the beginning of each one's hash and where it came from
    #[arg(long)]
    pub photos: bool,
}

/// `people rename`
#[derive(Debug, Args)]
pub struct Rename {
    /// Who
    pub person: String,
    /// The new name
    pub name: String,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `people merge`
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

/// `people remove`
#[derive(Debug, Args)]
pub struct Remove {
    /// Whom to erase
    #[arg(value_name = "PERSON", required_unless_present = "photos")]
    pub people: Vec<String>,
    /// Erase this photo only: where it came from, 8 or more digits of its hash, or the file itself
    #[arg(long = "photo", value_name = "PHOTO")]
    pub photos: Vec<String>,
    #[command(flatten)]
    pub deed: Deed,
}
