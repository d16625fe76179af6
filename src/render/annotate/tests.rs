use image::Rgb;
use proptest::prelude::*;

use super::*;

const GROUND: Rgb<u8> = Rgb([90, 60, 200]);

fn face(bounds: [f32; 4], tilt: f32) -> Location {
    let [x, y, w, h] = bounds;
    let (x, y) = (x + w / 2.0, y + h * 0.4);
    Location {
        bounds,
        eyes: [[x - w / 5.0, y - tilt * w / 5.0], [x + w / 5.0, y + tilt * w / 5.0]],
        score: 20.0,
        eye_spread: 0.0,
    }
}

fn mark(location: Option<Location>, decision: Decision) -> Mark {
    Mark { location, decision, name: "Ada Lovelace".to_owned(), addition: " 98 %".to_owned(), number: "7".to_owned() }
}

fn ground(width: u32, height: u32) -> RgbImage {
    RgbImage::from_pixel(width, height, GROUND)
}

#[test]
fn without_faces_large_photos_are_copies() {
    let photo = RgbImage::from_fn(300, 260, |x, y| Rgb([x as u8, y as u8, 9]));
    assert_eq!(annotate(photo.clone(), &[]), photo);
}

#[test]
fn frames_and_labels_grow_with_the_photo() {
    for (width, height, letters) in [(320, 240, 14.0), (3840, 2160, 72.0)] {
        let picture = ground(width, height);
        let style = Style::of(&picture);
        assert_eq!(style.letters, letters);
        let near = face([width as f32 / 3.0, height as f32 / 3.0, 900.0, 900.0], 0.0);
        let frame = Frame::of(&mark(Some(near), Decision::Known), 1.0, &picture, &style);
        assert_eq!(style.letters_for(&frame), letters);
    }
    assert_eq!([zoom((92, 112)), zoom((320, 240)), zoom((1000, 8))], [3, 1, 2]);
}

#[test]
fn decisions_differ_in_more_than_colour() {
    let at = Some(face([60.0, 60.0, 150.0, 150.0], 0.0));
    // How many pixels of the frame's left side and of its middle are of its colour.
    let drawn = |decision: Decision| {
        let picture = annotate(ground(320, 300), &[mark(at, decision)]);
        let is = |x: u32, y: u32| picture.get_pixel(x, y).0 == color(decision).0;
        let side = (60..210).filter(|&y| is(60, y)).count();
        (side, is(135, 135))
    };
    let (known, unknown, not) = (drawn(Decision::Known), drawn(Decision::Unknown), drawn(Decision::NotAFace));
    assert!(known.0 > 140 && !known.1, "{known:?}");
    assert!((50..110).contains(&unknown.0) && !unknown.1, "{unknown:?}");
    assert!(not.0 > 140 && not.1, "{not:?}");
}

#[test]
fn labels_do_not_cover_each_other_while_there_is_room() {
    let marks: Vec<Mark> =
        (0..4).map(|at| mark(Some(face([20.0 + 60.0 * at as f32, 120.0, 55.0, 60.0], 0.1)), Decision::Known)).collect();
    let picture = ground(320, 300);
    let style = Style::of(&picture);
    let frames: Vec<Frame> = marks.iter().map(|m| Frame::of(m, 1.0, &picture, &style)).collect();
    let mut labels: Vec<Area> = Vec::new();
    for frame in &frames[..2] {
        labels.push(frame.place([100.0, 17.0], &picture, &labels, &frames).0);
    }
    assert_eq!(labels[0].overlap(&labels[1]), 0.0);
}

#[test]
fn long_names_are_shortened_and_numbers_stay() {
    let long = Mark { name: "a name that goes on and on and on and on".to_owned(), ..mark(None, Decision::Known) };
    let text = fitting(&long, 14.0, 240.0);
    assert!(text.starts_with("a name") && text.ends_with("… 98 %"), "{text}");
    assert_eq!(fitting(&long, 14.0, 3.0), "");
}

#[test]
fn a_turned_box_follows_the_eyes() {
    let [a, b, ..] = turned(&face([0.0, 0.0, 100.0, 100.0], 0.5));
    assert!(((b[1] - a[1]) / (b[0] - a[0]) - 0.5).abs() < 1e-5);
    let middle = turned(&face([0.0, 0.0, 100.0, 100.0], 0.5)).iter().fold(0.0, |sum, corner| sum + corner[0] / 4.0);
    assert!((middle - 50.0_f32).abs() < 1e-3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn labels_never_leave_the_picture(
        (width, height) in (1_u32..400, 1_u32..400),
        bounds in proptest::array::uniform4(-500.0_f32..900.0),
        tilt in -2.0_f32..2.0,
    ) {
        let picture = ground(width, height);
        let style = Style::of(&picture);
        let marks = [mark(Some(face(bounds, tilt)), Decision::Unknown), mark(None, Decision::NotAFace)];
        for mark in &marks {
            let frame = Frame::of(mark, 1.0, &picture, &style);
            let letters = style.letters_for(&frame);
            let text = fitting(mark, letters, style.label_width(&frame, letters));
            let size = [lettering::width(&text, letters) + 2.0 * PADDING * letters, (1.0 + PADDING) * letters];
            let (area, _) = frame.place(size, &picture, &[], &[]);
            prop_assert!(area.left >= 0.0 && area.top >= 0.0);
            prop_assert!(text.is_empty() || area.right <= width as f32 + 0.01);
            prop_assert!(area.bottom <= height as f32 + 0.01);
        }
        let drawn = annotate(picture, &marks);
        prop_assert!(drawn.width() >= width && drawn.height() >= height);
    }
}

#[test]
fn where_a_name_would_cover_a_face_the_number_stands() {
    // Faces closely side by side and one above the other.
    let at = |at: usize| [10.0 + 60.0 * (at % 5) as f32, 20.0 + 62.0 * (at / 5) as f32, 54.0, 54.0];
    let marks: Vec<Mark> = (0..20).map(|n| mark(Some(face(at(n), 0.0)), Decision::Known)).collect();
    let picture = ground(320, 280);
    let style = Style::of(&picture);
    let frames: Vec<Frame> = marks.iter().map(|m| Frame::of(m, 1.0, &picture, &style)).collect();
    let labels = placed(&marks, &frames, &picture, &style);
    let inner = &labels[7];
    assert_eq!(inner.text, "7", "no room for the name");
    for (one, label) in labels.iter().enumerate() {
        for other in &labels[one + 1..] {
            assert_eq!(label.area.overlap(&other.area), 0.0);
        }
    }
}
