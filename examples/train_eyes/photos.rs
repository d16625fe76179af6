//! Lists of photos with marked eyes.

use std::error::Error;
use std::path::{Path, PathBuf};

use eigenfaces::locate::descent::Eyes;
use eigenfaces::locate::detect;
use image::GrayImage;
use rayon::prelude::*;

/// A photo with one marked face that the detector finds.
pub struct MarkedFace {
    pub photo: GrayImage,
    /// The detector's box.
    pub bounds: [f32; 4],
    /// The marks, image-left eye first.
    pub eyes: Eyes,
}

/// Reads a list and finds the marked faces; photos whose marked face the detector misses are left out.
pub fn read(list: &Path) -> Result<Vec<MarkedFace>, Box<dyn Error + Send + Sync>> {
    let text = std::fs::read_to_string(list)?;
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#') && !line.starts_with("file\t")).collect();
    let faces: Result<Vec<Option<MarkedFace>>, _> = lines.par_iter().map(|line| read_line(list, line)).collect();
    Ok(faces?.into_iter().flatten().collect())
}

fn read_line(list: &Path, line: &str) -> Result<Option<MarkedFace>, Box<dyn Error + Send + Sync>> {
    let (name, marks) = line.split_once('\t').ok_or_else(|| format!("no tab in the line {line:?}"))?;
    let marks = marks.split('\t').take(4).map(str::parse).collect::<Result<Vec<f32>, _>>()?;
    let &[x1, y1, x2, y2] = marks.as_slice() else {
        return Err(format!("fewer than 4 coordinates in the line {line:?}").into());
    };
    let eyes = [[x1, y1], [x2, y2]];
    let photo = image::open(find(list, name)?)?.into_luma8();
    let found = detect::detect(&photo)?;
    let middle = [(x1 + x2) / 2.0, (y1 + y2) / 2.0];
    let holds = |[x, y, w, h]: [f32; 4]| (x..x + w).contains(&middle[0]) && (y..y + h).contains(&middle[1]);
    let face = found.into_iter().filter(|face| holds(face.bounds)).max_by(|a, b| a.score.total_cmp(&b.score));
    Ok(face.map(|face| MarkedFace { photo, bounds: face.bounds, eyes }))
}

/// Photos lie beside the list, in the folder of its name or (the layout of this project's test data) in
/// `lfw` with a folder for each person and `lfw-strangers` without.
fn find(list: &Path, name: &str) -> Result<PathBuf, String> {
    let beside = list.parent().unwrap_or(Path::new("."));
    let plain = Path::new(name).file_name().unwrap_or_default();
    let places = [
        list.with_extension("").join(name),
        beside.join(name),
        beside.join("lfw").join(name),
        beside.join("lfw-strangers").join(plain),
    ];
    let found = places.into_iter().find(|path| path.exists());
    found.ok_or_else(|| format!("{name} of {} is nowhere", list.display()))
}
