//! Photos with what was found drawn in: what each face's frame says.

use std::path::Path;

use eigenfaces::decision::Decision;
use eigenfaces::recognizer::Identification;
use eigenfaces::render::annotate::{Mark, annotate};
use eigenfaces::render::caption::caption;
use eigenfaces::render::lettering;
use image::RgbImage;

use super::{Result, files, one_line, percent};

/// The photo with its faces framed and named, as the file of that name is to hold it.
pub fn annotated(picture: RgbImage, found: &[Identification], target: &Path) -> Result<Vec<u8>> {
    let marks: Vec<Mark> = (1..)
        .zip(found)
        .map(|(number, face)| mark((found.len() > 1).then_some(number), face))
        .collect();
    files::encoded(&annotate(picture, &marks).into(), target)
}

/// A page to print beside the photo: its outline with the faces' numbers, and who they are. `None` for a single face.
pub fn caption_sheet(title: &str, size: (u32, u32), found: &[Identification]) -> Option<String> {
    let face = |face: &Identification| {
        let who = match (face.decision, face.name()) {
            (_, Some(name)) => name.to_owned(),
            _ if face.is_probable() => one_line(&face.to_string()),
            (Decision::NotAFace, None) => "not a face".to_owned(),
            (_, None) => "unknown".to_owned(),
        };
        Some((face.location?.bounds, who))
    };
    let faces: Vec<_> = found.iter().filter_map(face).collect();
    (faces.len() > 1).then(|| caption(title, size, &faces).to_svg())
}

/// The mark drawn on a face, with the number it has in the lines printed where there are several: with a name where it is
/// known, or probable, which is marked.
fn mark(number: Option<usize>, found: &Identification) -> Mark {
    let closest = found.closest();
    let sure = closest.map_or_else(String::new, |closest| {
        format!(" {}", percent(closest.confidence))
    });
    let name = closest.map(|closest| closest.person.as_str());
    let (name, addition) = match (found.decision, name) {
        (Decision::NotAFace, _) => (label(number, "not a face"), String::new()),
        (Decision::Known, Some(name)) => (label(number, name), sure),
        (Decision::Unknown, Some(name)) if found.is_probable() => {
            (label(number, name), format!("?{sure}"))
        }
        (Decision::Known | Decision::Unknown, _) => (label(number, "unknown"), String::new()),
    };
    Mark {
        location: found.location,
        decision: found.decision,
        name,
        addition,
        number: number.map(|number| number.to_string()).unwrap_or_default(),
    }
}

/// The number and the name, or `face` where the program has no letters for the name.
fn label(number: Option<usize>, name: &str) -> String {
    let name = match lettering::can_write(name) {
        true => name,
        false => "face",
    };
    match number {
        Some(number) => format!("{number}: {name}"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_the_number_of_the_line_and_a_name_that_can_be_read() {
        assert_eq!(label(Some(3), "Mum"), "3: Mum");
        assert_eq!(label(None, "Zoë"), "Zoë");
        assert_eq!(label(Some(2), "顔"), "2: face");
    }
}
