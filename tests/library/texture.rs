//! The texture of a face against an independent description by NumPy (tests/reference/texture.py).

use eigenfaces::face_matrix::FaceSize;
use eigenfaces::features::texture;

const PATTERNS: usize = 59;

#[test]
fn textures_are_numpys() {
    let path = crate::support::project().join("tests/reference/texture.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let mut seen = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap();
        let expected: Vec<u8> = words.map(|word| word.parse().unwrap()).collect();
        let face = image::open(crate::support::bundled_faces().join(name))
            .unwrap()
            .into_luma8();
        let size = FaceSize::new(face.width(), face.height()).unwrap();
        let texture = texture::describe(face.as_raw(), size);
        assert_eq!(texture.len(), expected.len());
        let cell = texture::CELL;
        for (at, (&here, &there)) in texture.iter().zip(&expected).enumerate() {
            // Patterns are integers on both sides, but for the last rounding. Angles of gradients are
            // good to half a per cent here.
            let most = if at % cell < PATTERNS { 0 } else { 1 };
            assert!(
                here.abs_diff(there) <= most,
                "{name}, byte {at}: {here}, NumPy {there}"
            );
        }
        seen += 1;
    }
    assert_eq!(seen, 2);
}
