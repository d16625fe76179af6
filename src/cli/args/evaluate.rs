//! Options of `evaluate`.

use std::path::PathBuf;

use clap::Args;
use eigenfaces::evaluate::split::Protocol;

use super::{Force, Labels, LearningOptions, ending_in};

#[derive(Debug, Args)]
pub struct Evaluate {
    /// Folders with a sub-folder per person, or photos named after people
    #[arg(required = true, value_name = "FACES")]
    pub faces: Vec<PathBuf>,
    #[command(flatten)]
    pub labels: Labels,
    /// What is learned from and what is tried: leave-one-out, k-fold:K, first:N (the first N photos a person are learned from), or random:NxR (N random ones, R times)
    #[arg(long, value_name = "PROTOCOL", default_value_t)]
    pub protocol: Protocol,
    /// Photos of people who are not in FACES, to play the strangers; without it some people of FACES play strangers to the others
    #[arg(long, value_name = "DIR", conflicts_with = "pairs")]
    pub strangers: Vec<PathBuf>,
    /// Measure pairs of photos instead, the same person or not: a table `fold, photo, photo, 1 or 0`, or LFW's pairs.txt; accuracy over folds as the field reports it; with --background other-folds, by a background model learned for each fold from the people of the others
    #[arg(long, value_name = "FILE", conflicts_with = "protocol")]
    pub pairs: Option<PathBuf>,
    /// Write a page to be filed: conditions, every figure with its interval, curves
    ///
    /// The page holds no photos. Its date is that of SOURCE_DATE_EPOCH where that is set: the same command on the same files
    /// then writes the same bytes.
    #[arg(long, value_name = "FILE.html", value_parser = ending_in(&["html", "htm"], ".html"), conflicts_with = "pairs")]
    pub report: Option<PathBuf>,
    /// Write the distance and rank of every person for every probe, and whether that name would be given, as CSV; of the probes with strangers, those of the nearest person
    #[arg(long, value_name = "FILE.csv", value_parser = ending_in(&["csv"], ".csv"), conflicts_with = "pairs")]
    pub scores: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub learn: LearningOptions,
}
