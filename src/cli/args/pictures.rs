//! `basis`, `facemap`, `reconstruct`, `project` and `lesson`: what is there to look at.

use std::path::PathBuf;

use clap::Args;
use eigenfaces::face_matrix::FaceSize;
use eigenfaces::pca::{ComponentCount, Solver};

use super::{Force, Labels, ModelSource, ending_in};

#[derive(Debug, Args)]
pub struct Basis {
    /// Folder to write to; made where it is missing
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    /// Show what the background model that comes with the program is made of instead: where in a face its directions look, and how much people differ along each
    #[arg(long, conflicts_with_all = ["faces", "components"])]
    pub background: bool,
    /// Learn the basis faces of all photos in this folder instead of reading a model; there may be any number
    #[arg(long, value_name = "DIR")]
    pub faces: Vec<PathBuf>,
    /// Size of the faces of --faces [default: chosen from the photos]
    #[arg(long, value_name = "WxH", requires = "faces")]
    pub size: Option<FaceSize>,
    /// How many eigenfaces: a count such as 40; of --faces also `auto`, a share of variance such as 0.95, or a rule (profile, parallel) [default: all of the model, auto of --faces]
    #[arg(long, value_name = "K")]
    pub components: Option<ComponentCount>,
    /// Route to the eigenfaces of --faces; `minimize` also writes objective.csv, round by round [default: auto]
    #[arg(long, value_name = "SOLVER", requires = "faces")]
    pub solver: Option<Solver>,
    /// Divide each pixel of --faces by its standard deviation first; basis faces are then shown in both spaces
    #[arg(long, requires = "faces", conflicts_with = "solver")]
    pub scale_pixels: bool,
}

#[derive(Debug, Args)]
pub struct Facemap {
    /// A photo, usually larger than a face
    #[arg(value_name = "PHOTO")]
    pub photo: PathBuf,
    /// The picture to write, readable by you only: the map in colour over the photo, with a scale and a ring around the best places
    #[arg(short, long, value_name = "FILE.png", value_parser = ending_in(&["png"], ".png"))]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    /// Use the leading N basis faces [default: those that carry 90 % of the variance; with many, anything can be rebuilt]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub components: Option<u32>,
    /// Report the N lowest places
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub top: u16,
}

#[derive(Debug, Args)]
pub struct Reconstruct {
    /// The photo whose face is rebuilt; of several faces in it, the largest and most central
    #[arg(
        value_name = "PHOTO",
        required_unless_present = "from_weights",
        conflicts_with = "from_weights"
    )]
    pub photo: Option<PathBuf>,
    /// Picture to write, readable by you only
    #[arg(short, long, value_name = "FILE.png", value_parser = ending_in(&["png"], ".png"))]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    /// Rebuild faces from their weights, as `eigenfaces project` writes them (.csv, .json or .npy)
    #[arg(long, value_name = "FILE")]
    pub from_weights: Option<PathBuf>,
    /// The weights in the .npy are whitened (the others say so themselves)
    #[arg(long, requires = "from_weights")]
    pub whiten: bool,
    #[command(flatten)]
    pub origin: ModelSource,
}

#[derive(Debug, Args)]
pub struct Project {
    /// Photos, or folders of photos
    #[arg(value_name = "PHOTO|FOLDER", required_unless_present_any = ["gallery", "plot"])]
    pub photos: Vec<PathBuf>,
    /// The enrolled faces too, with their names
    #[arg(long)]
    pub gallery: bool,
    /// Divide each weight by the standard deviation of the faces learned from (the covariance becomes I)
    #[arg(long)]
    pub whiten: bool,
    /// Write the weights to this file, readable by you only; its name says the form: .csv, .json or .npy
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    /// Write a scatter plot over the first two basis faces, readable by you only: the enrolled people in colours, the photos as stars
    #[arg(long, value_name = "FILE.svg|png", value_parser = ending_in(&["svg", "png"], ".svg or .png"))]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub origin: ModelSource,
}

#[derive(Debug, Args)]
pub struct Lesson {
    /// Folders with a sub-folder per person; without any, the faces in the model
    #[arg(value_name = "FACES")]
    pub faces: Vec<PathBuf>,
    /// Page to write (FILE.html), or folder to write lesson.html to, made where it is missing; readable by you only: it holds the photos it shows
    #[arg(short, long, value_name = "DIR|FILE.html")]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub labels: Labels,
}
