//! Learning where mouths are, from a list of marked photos.

use std::error::Error;
use std::path::Path;

use eigenfaces::Photo;
use eigenfaces::background::FACE;
use eigenfaces::face_matrix::FaceMatrix;
use eigenfaces::locate::align::Similarity;
use eigenfaces::locate::framing::Framing;
use eigenfaces::preparation::{EYES, Preparation};
use face_likelihood::background::mouth::{MarkedMouth, MouthFinder};
use rayon::prelude::*;

use crate::mouth_learning;

/// Farther from the marked eyes than this share of their distance another face was found.
const OTHER_FACE: f32 = 0.25;

/// Of every so many marked faces one judges what is learned from the others.
const JUDGES: usize = 3;

/// Learns from the photos of a list, having said how well two thirds of them find the mouths of the others.
pub fn learn(list: &Path) -> Result<MouthFinder, Box<dyn Error>> {
    let text = std::fs::read_to_string(list)?;
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#') && !line.starts_with("file\t")).collect();
    let read = lines.par_iter().map(|line| marked(list, line));
    let read: Vec<Option<_>> = read.collect::<Result<_, _>>()?;
    let marked: Vec<(Vec<u8>, MarkedMouth)> = read.into_iter().flatten().collect();
    judge(&marked)?;
    learned_from(&marked.iter().collect::<Vec<_>>())
}

fn learned_from(marked: &[&(Vec<u8>, MarkedMouth)]) -> Result<MouthFinder, Box<dyn Error>> {
    let pixels: Vec<u8> = marked.iter().flat_map(|(face, _)| face.iter().copied()).collect();
    let marks: Vec<MarkedMouth> = marked.iter().map(|(_, mark)| *mark).collect();
    let faces = FaceMatrix::from_pixels(FACE, pixels)?;
    Ok(mouth_learning::learn(&faces, &marks)?)
}

/// Says how far off mouths are that were not learned from, in per cent of the distance of the eyes.
fn judge(marked: &[(Vec<u8>, MarkedMouth)]) -> Result<(), Box<dyn Error>> {
    let mut squares = [0.0, 0.0];
    for part in 0..JUDGES {
        let is_judge = |at: usize| at % JUDGES == part;
        let others = marked.iter().enumerate().filter(|(at, _)| !is_judge(*at));
        let finder = learned_from(&others.map(|(_, face)| face).collect::<Vec<_>>())?;
        for (_, (face, mark)) in marked.iter().enumerate().filter(|(at, _)| is_judge(*at)) {
            let found = finder.place(face);
            for axis in [0, 1] {
                squares[axis] += (found[axis] - mark[axis]).powi(2);
            }
        }
    }
    let [across, down] = squares.map(|sum: f64| {
        let eyes = 0.48 * f64::from(FACE.width());
        100.0 * (sum / marked.len() as f64).sqrt() / eyes
    });
    eprintln!(
        "{} marked mouths; those not learned from are found within {across:.1} % across and {down:.1} % down (root mean square, of the distance of the eyes)",
        marked.len()
    );
    Ok(())
}

/// The aligned face of a line, and where its mouth is; nothing if another face was found, or none.
fn marked(list: &Path, line: &str) -> Result<Option<(Vec<u8>, MarkedMouth)>, String> {
    let mut words = line.split('\t');
    let path = list.with_extension("").join(words.next().unwrap_or_default());
    let marks: Vec<f32> = words.filter_map(|word| word.parse().ok()).collect();
    let &[x1, y1, x2, y2, _, _, x3, y3, x4, y4] = marks.as_slice() else {
        return Err(format!("no ten numbers in the line {line:?}"));
    };
    let photo = Photo::open(&path).map_err(|error| error.to_string())?;
    let preparation = Preparation::new(FACE, Framing::Detect);
    let Ok(face) = preparation.prepare(photo.luma()) else { return Ok(None) };
    let Some(location) = face.region.location() else { return Ok(None) };
    let [left, right] = location.eyes;
    let apart = libm::hypotf(x2 - x1, y2 - y1);
    let off = libm::hypotf(left[0] - x1, left[1] - y1).max(libm::hypotf(right[0] - x2, right[1] - y2));
    if off > OTHER_FACE * apart {
        return Ok(None);
    }
    let middle = [(x3 + x4) / 2.0, (y3 + y4) / 2.0];
    let size = preparation.size();
    let aligned = EYES.points(size.width(), size.height());
    let at = Similarity::between(location.eyes, aligned).apply(middle);
    Ok(Some((face.pixels, at.map(f64::from))))
}
