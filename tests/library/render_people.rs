//! The synthetic portraits: drawn the same always, everywhere on the picture, and as bundled in `faces/`.

#[allow(dead_code)]
#[path = "../../examples/render_people/main.rs"]
mod program;

use program::person::{self, Person};
use program::portrait::{Portrait, photograph};
use program::raster::Canvas;
use program::shot::{Framing, LightRange, Session};
use rayon::prelude::*;
use std::path::Path;

/// What `render_people -o faces` draws with.
fn bundled() -> Session {
    Session {
        width: 96,
        height: 112,
        seed: 1,
        framing: Framing::Crop,
        light: LightRange::Mild,
        pose_degrees: 12.0,
    }
}

fn draw(session: &Session, number: u64, image: u64) -> Portrait {
    let mut canvas = Canvas::new(session.width, session.height);
    photograph(
        session,
        &Person::draw(session.seed, number),
        number,
        image,
        &mut canvas,
    )
}

fn difference(a: &Portrait, b: &Portrait) -> f64 {
    let pairs = a.image.as_raw().iter().zip(b.image.as_raw());
    pairs.map(|(&a, &b)| f64::from(a.abs_diff(b))).sum::<f64>() / a.image.as_raw().len() as f64
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let session = Session {
        width: 40,
        height: 48,
        ..bundled()
    };
    let all = |threads: usize| -> Vec<Vec<u8>> {
        crate::support::on_threads(threads, || {
            (1..=12)
                .into_par_iter()
                .map(|n| draw(&session, n, 3).image.into_raw())
                .collect()
        })
    };
    let one = all(1);
    assert_eq!(one, all(4));
    assert_eq!(one[0].len(), 40 * 48);
    assert!(
        one.windows(2).all(|w| w[0] != w[1]),
        "different people, different pictures"
    );
}

#[test]
fn a_used_canvas_leaves_no_trace() {
    let session = Session {
        width: 48,
        height: 48,
        ..bundled()
    };
    let mut canvas = Canvas::new(48, 48);
    photograph(&session, &Person::draw(1, 6), 6, 1, &mut canvas);
    let again = photograph(&session, &Person::draw(1, 2), 2, 5, &mut canvas);
    assert_eq!(again.image, draw(&session, 2, 5).image);
}

/// Other maths libraries may round a sine differently: a few gray levels on a few pixels are forgiven.
#[test]
fn bundled_faces_are_what_the_example_draws() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("faces");
    for (number, image) in [(1, 1), (6, 8), (14, 4)] {
        let path = root.join(person::name(number)).join(format!("{image}.png"));
        let stored = image::open(&path)
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
            .into_luma8();
        let drawn = draw(&bundled(), number, image).image;
        assert_eq!(stored.dimensions(), drawn.dimensions());
        let off = stored
            .as_raw()
            .iter()
            .zip(drawn.as_raw())
            .filter(|(a, b)| a.abs_diff(**b) > 2)
            .count();
        let remedy = "draw them again: cargo run --release --example render_people -- -o faces";
        assert!(
            off * 200 < stored.as_raw().len(),
            "{} differs in {off} pixels; {remedy}",
            path.display()
        );
    }
}

#[test]
fn landmarks_lie_on_the_picture_in_the_order_of_a_face() {
    for framing in [Framing::Crop, Framing::Scene] {
        let session = Session {
            width: 160,
            height: 160,
            framing,
            ..bundled()
        };
        for number in 1..=10 {
            let [left, right, nose, mouth_left, mouth_right] = draw(&session, number, 1).landmarks;
            for (x, y) in [left, right, nose, mouth_left, mouth_right] {
                assert!(
                    (0.0..160.0).contains(&x) && (0.0..160.0).contains(&y),
                    "{number} {framing:?}: {x}, {y}"
                );
            }
            assert!(left.0 < nose.0 && nose.0 < right.0 && mouth_left.0 < mouth_right.0);
            assert!(left.1.max(right.1) < nose.1 && nose.1 < mouth_left.1.min(mouth_right.1));
        }
    }
}

/// At rest (no pose), one person's photos are more alike than two people's, on average.
#[test]
fn people_differ_more_than_photos_of_one_person() {
    let session = Session {
        width: 48,
        height: 56,
        pose_degrees: 0.0,
        ..bundled()
    };
    let photos: Vec<[Portrait; 2]> = (1..=10)
        .map(|n| [draw(&session, n, 1), draw(&session, n, 2)])
        .collect();
    let same = photos.iter().map(|[a, b]| difference(a, b)).sum::<f64>() / 10.0;
    let other = (0..10)
        .map(|i| difference(&photos[i][0], &photos[(i + 1) % 10][1]))
        .sum::<f64>()
        / 10.0;
    assert!(
        same * 1.3 < other,
        "same person {same:.1}, other person {other:.1} gray levels"
    );
}
