//! Light recipes against OpenCV and NumPy (tests/reference/light.py).

use eigenfaces::face_matrix::FaceSize;
use eigenfaces::normalize::Illumination;

/// The largest difference of a pixel.
fn apart(light: Illumination) -> u8 {
    let open = |path| image::open(path).unwrap().into_luma8();
    let face = open(crate::support::bundled_faces().join("Ada/1.png"));
    let size = FaceSize::new(face.width(), face.height()).unwrap();
    let mut treated = face.into_raw();
    light.apply(&mut treated, size);
    let reference = crate::support::project().join(format!("tests/reference/light-{light}.png"));
    let pairs = treated.iter().zip(open(reference).into_raw());
    pairs
        .map(|(here, there)| here.abs_diff(there))
        .max()
        .unwrap()
}

#[test]
fn equalised_as_opencv_does() {
    assert_eq!(
        (apart(Illumination::Equalize), apart(Illumination::Clahe)),
        (0, 0)
    );
}

#[test]
fn tan_and_triggs_as_numpy_does_in_double_precision() {
    assert!(apart(Illumination::TanTriggs) <= 1);
}
