//! Who is named in small galleries of real people: the first rows of the table in docs/RECIPES.md, with room for chance.
//!
//! A share p measured on m probes stays above p0 with a probability of 0.999 if p >= p0 + 3.1 sqrt(p0 (1 - p0) / m);
//! probes of one draw hang together, so a draw counts for its people, not its photos.

use eigenfaces::decision::Decision;
use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::gallery::{Gallery, LabeledFace};
use eigenfaces::locate::framing::Framing;
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::{QueryOptions, Recognizer, Settings};

const DRAWS: usize = 6;

/// Shares of enrolled people's photos with the right name, and of strangers with any.
struct Shares {
    named: f64,
    strangers: f64,
    people: usize,
    others: usize,
}

/// Draws of `people` with `photos` each, three further photos of everybody identified, and one of everybody else.
fn measure(folder: &str, people: usize, photos: usize) -> Option<Shares> {
    let folder = crate::support::real_data(folder)?;
    let preparation = Preparation::new(FaceSize::ALIGNED, Framing::Detect);
    let all = crate::support::labeled_faces(&folder, &preparation);
    let of_person: Vec<&[LabeledFace]> =
        all.chunk_by(|a, b| a.person == b.person).filter(|own| own.len() >= photos + 3).collect();
    let (mut named, mut probes, mut passed, mut strangers) = (0, 0, 0, 0);
    for draw in 0..DRAWS {
        let is_enrolled = |at: usize| (at * 7 + draw * 5) % of_person.len() < people;
        let (enrolled, others): (Vec<usize>, Vec<usize>) = (0..of_person.len()).partition(|&at| is_enrolled(at));
        let gallery = enrolled.iter().flat_map(|&at| of_person[at][..photos].to_vec());
        let (gallery, _) = Gallery::assemble(FaceSize::ALIGNED, gallery.collect()).unwrap();
        let recognizer = Recognizer::learn(preparation, gallery, Settings::default()).unwrap();
        let own: Vec<&LabeledFace> = enrolled.iter().flat_map(|&at| &of_person[at][photos..photos + 3]).collect();
        let other: Vec<&LabeledFace> = others.iter().map(|&at| &of_person[at][draw % 3]).collect();
        let identify = |faces: &[&LabeledFace], hits: &mut usize, all: &mut usize| {
            let pixels: Vec<u8> = faces.iter().flat_map(|face| face.pixels.to_vec()).collect();
            let matrix = FaceMatrix::from_pixels(FaceSize::ALIGNED, pixels).unwrap();
            let found = recognizer.identify_faces(&matrix, QueryOptions::default());
            for (face, found) in faces.iter().zip(found) {
                let known = found.decision == Decision::Known;
                let right = found.closest().unwrap().person == face.person;
                let is_own = enrolled.iter().any(|&at| of_person[at][0].person == face.person);
                *hits += usize::from(known && (right || !is_own));
                *all += 1;
            }
        };
        identify(&own, &mut named, &mut probes);
        identify(&other, &mut passed, &mut strangers);
    }
    let shares = Shares {
        named: named as f64 / probes as f64,
        strangers: passed as f64 / strangers as f64,
        people: people * DRAWS,
        others: strangers,
    };
    println!(
        "{} {people} x {photos}: {:.3} of {probes} named, {:.3} of {strangers} strangers",
        folder.display(),
        shares.named,
        shares.strangers
    );
    Some(shares)
}

/// Checks shares against what docs/RECIPES.md says, less and more what chance does in samples of this size.
fn check(shares: Option<Shares>, named: f64, strangers: f64) {
    let Some(shares) = shares else { return };
    let room = |share: f64, sample: usize| 3.1 * (share * (1.0 - share) / sample as f64).sqrt();
    let least = named - room(named, shares.people);
    assert!(shares.named >= least, "{} named, at least {least} expected", shares.named);
    let most = strangers + room(strangers, shares.others);
    assert!(shares.strangers <= most, "{} of strangers, at most {most} expected", shares.strangers);
}

#[test]
fn five_people_of_press_photos() {
    check(measure("lfw", 5, 5), 0.8, 0.02);
}

#[test]
fn five_people_of_the_laboratory() {
    check(measure("att", 5, 5), 0.95, 0.02);
}

#[test]
fn five_people_with_one_photo() {
    check(measure("lfw", 5, 1), 0.35, 0.02);
}
