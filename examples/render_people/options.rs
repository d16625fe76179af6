//! What the command line asks for.

use super::shot::{Framing, LightRange, Session};
use clap::{Parser, ValueEnum, value_parser};
use std::path::PathBuf;

const MOST: u64 = 1_000_000_000;

/// Draw face-like gray photos of people who do not exist: the same bytes for the same options, always.
#[derive(Debug, Parser)]
#[command(name = "render_people", max_term_width = 100)]
pub struct Options {
    /// Folder to write to; made if it does not exist
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// How many people
    #[arg(long, default_value_t = 14, value_parser = value_parser!(u64).range(1..=MOST))]
    pub people: u64,
    /// Photos of each person
    #[arg(long, default_value_t = 8, value_parser = value_parser!(u64).range(1..=MOST))]
    pub images: u64,
    /// Width and height of a photo, pixels
    #[arg(long, default_value = "96x112", value_name = "WxH", value_parser = size)]
    pub size: (u32, u32),
    /// Another number draws other people
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Number of the first person drawn
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = value_parser!(u64).range(1..=MOST))]
    pub first_person: u64,
    /// Number of every person's first photo: 9 draws new photos of people already drawn with 8
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = value_parser!(u64).range(1..=MOST))]
    pub first_image: u64,
    /// How the head fills the frame
    #[arg(long, value_enum, default_value_t = Framing::Crop)]
    pub framing: Framing,
    /// Where the light may come from
    #[arg(long, value_enum, default_value_t = LightRange::Mild)]
    pub light: LightRange,
    /// Largest turn to the side, degrees; nods and tilts are smaller in proportion
    #[arg(long, default_value_t = 12.0, value_name = "D", value_parser = degrees)]
    pub pose_degrees: f32,
    /// A folder for each person, or all photos in one folder
    #[arg(long, value_enum, default_value_t = Layout::Folders)]
    pub layout: Layout,
    /// Also write where eyes, nose and mouth corners are in each photo, tab-separated
    #[arg(long, value_name = "FILE")]
    pub landmarks: Option<PathBuf>,
    /// What to draw: people, or the probes (six of them again, two strangers, one thing that is no face), or a group photo
    #[arg(long, value_enum, default_value_t = Subject::People)]
    pub subject: Subject,
}

/// Where the photos of a person go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Layout {
    /// DIR/Ada/1.png
    Folders,
    /// "DIR/Ada 1.png"
    Flat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Subject {
    People,
    Probes,
    Group,
}

impl Options {
    pub fn session(&self) -> Session {
        Session {
            width: self.size.0,
            height: self.size.1,
            seed: self.seed,
            framing: self.framing,
            light: self.light,
            pose_degrees: self.pose_degrees,
        }
    }
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let side = |t: &str| t.parse::<u32>().ok().filter(|s| (16..=2048).contains(s));
    text.split_once('x')
        .and_then(|(w, h)| Some((side(w)?, side(h)?)))
        .ok_or_else(|| "give width x height, each from 16 to 2048, for example 96x112".to_owned())
}

fn degrees(text: &str) -> Result<f32, String> {
    text.parse::<f32>()
        .ok()
        .filter(|d| (0.0..=45.0).contains(d))
        .ok_or_else(|| "give degrees from 0 to 45".to_owned())
}
