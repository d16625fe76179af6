//! `plan`, `partial` and `merge`: learning that many workers share.

use std::path::PathBuf;

use clap::Args;
use eigenfaces::matcher::Features;
use eigenfaces::partial::Mirrors;
use eigenfaces::pca::ComponentCount;

use super::{Force, Prepare};

#[derive(Debug, Args)]
pub struct Plan {
    /// Folders of photos such as all workers will get: some hundreds will do, whoever they show
    #[arg(required = true, value_name = "FACES")]
    pub faces: Vec<PathBuf>,
    /// File to write: JSON, to be given to every worker
    #[arg(short, long, value_name = "FILE.json")]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub prepare: Prepare,
    /// What of the faces is compared: texture, pixels (classic eigenfaces), fused (both), or auto (texture, unless faces are tiny); the pixels' face space is learned in any case [default: auto]
    #[arg(long, value_name = "FEATURES")]
    pub features: Option<Features>,
    /// Whether what is compared is learned from each face and its mirror image
    #[arg(long, value_name = "yes|no", default_value = "yes")]
    pub mirrors: Mirrors,
    /// How many eigenfaces: `auto`, a count such as 40, a share of variance such as 0.95, or a rule (profile, minka) [default: auto]
    #[arg(long, value_name = "K")]
    pub components: Option<ComponentCount>,
}

#[derive(Debug, Args)]
pub struct Partial {
    /// This worker's photos: folders, photos, lists (.txt, .list or .lst: one path a line), or `-` for a list on standard input
    #[arg(required = true, value_name = "FACES|LIST|-")]
    pub faces: Vec<PathBuf>,
    /// The plan that all workers keep to, as `eigenfaces plan` wrote it
    #[arg(long, value_name = "FILE.json")]
    pub plan: PathBuf,
    /// Part to write, readable by you only
    #[arg(short, long, value_name = "FILE.npz")]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    /// Standard input holds the photos themselves instead of their paths: each file's bytes after their number (4 bytes, the most significant first)
    #[arg(long)]
    pub bytes: bool,
}

#[derive(Debug, Args)]
pub struct MergeParts {
    /// Parts, as `eigenfaces partial` or `eigenfaces merge --partial` wrote them, in any order
    #[arg(required = true, value_name = "PART.npz")]
    pub parts: Vec<PathBuf>,
    /// Basis to write (or part), readable by you only; `enroll --basis` places people in it
    #[arg(short, long, value_name = "FILE.npz")]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    /// Write a part that stands for all of these, to be merged further, instead of the basis
    #[arg(long)]
    pub partial: bool,
}
