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
    /// Seed of random splits and intervals
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Photos of people who are not in FACES, to play the strangers; without it some people of FACES play strangers to the others
    #[arg(long, value_name = "DIR", conflicts_with_all = ["check", "pairs"])]
    pub strangers: Vec<PathBuf>,
    /// Photos without faces, tested as non-faces besides generated noise
    #[arg(long, value_name = "DIR", conflicts_with = "check")]
    pub not_faces: Vec<PathBuf>,
    /// Measure pairs of photos instead, the same person or not: a table `fold, photo, photo, 1 or 0`, or LFW's pairs.txt; accuracy over folds as the field reports it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["check", "protocol", "seed", "not_faces"])]
    pub pairs: Option<PathBuf>,
    /// Rates by groups of people too: a table (CSV) with the columns person and group
    ///
    /// A table of --labels may have a column group instead. Of every group each error rate is told with its interval, and for
    /// each rate how many times the largest is the smallest.
    #[arg(long, value_name = "FILE.csv", value_parser = ending_in(&["csv"], ".csv"), conflicts_with_all = ["check", "pairs"])]
    pub groups: Option<PathBuf>,
    /// Write a page to be filed: conditions, every figure with its interval, curves
    ///
    /// The page holds no photos. Its date is that of SOURCE_DATE_EPOCH where that is set: the same command on the same files
    /// then writes the same bytes.
    #[arg(long, value_name = "FILE.html", value_parser = ending_in(&["html", "htm"], ".html"), conflicts_with_all = ["check", "pairs"])]
    pub report: Option<PathBuf>,
    /// Write the distance and rank of every person for every probe, and whether that name would be given, as CSV; of the probes with strangers, those of the nearest person
    #[arg(long, value_name = "FILE.csv", value_parser = ending_in(&["csv"], ".csv"), conflicts_with_all = ["check", "pairs"])]
    pub scores: Option<PathBuf>,
    /// Write pages of the probes that were taken for another person to this folder, beside photos of both
    #[arg(long, value_name = "DIR", conflicts_with_all = ["check", "pairs"])]
    pub failures: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    /// Learn a background model for each fold of --pairs from the people of the other folds (minutes)
    #[arg(long, requires = "pairs")]
    pub learn_background: bool,
    /// Instead of measuring, list what is wrong with the photos: the same picture under two people, probable wrong labels, no faces
    #[arg(long, conflicts_with_all = ["protocol", "seed"])]
    pub check: bool,
    #[command(flatten)]
    pub learn: LearningOptions,
}
