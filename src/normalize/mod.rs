//! Preparation of a photo's pixels before they are compared: size, and illumination.

pub mod clahe;
pub(crate) mod elementary;
pub mod equalize;
pub mod resize;
pub(crate) mod summed_area;
pub mod tan_triggs;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::face_matrix::FaceSize;

/// Normalisation of illumination. Every recipe makes 8-bit faces of 8-bit faces, so that the
/// algebra after it stays exact.
///
/// No recipe is best for all photos (docs/RECIPES.md): Tan and Triggs' suits the laboratory's side lights,
/// CLAHE the wild. Texture hardly needs one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Illumination {
    /// Faces as they are.
    #[default]
    None,
    /// Every gray level equally frequent: [`equalize`].
    Equalize,
    /// Histogram equalisation cell by cell, with limited contrast: [`clahe`].
    Clahe,
    /// Tan and Triggs' band-pass of compressed levels: [`tan_triggs`].
    TanTriggs,
}

named!(Illumination {
    None = "none",
    Equalize = "equalize",
    Clahe = "clahe",
    TanTriggs = "tan-triggs",
});

impl Illumination {
    /// Treats a face (d pixels, row by row) in its place.
    ///
    /// # Panics
    /// If the face is not of this size.
    pub fn apply(self, face: &mut [u8], size: FaceSize) {
        assert_eq!(face.len(), size.pixels(), "a face of another size");
        match self {
            Self::None => {}
            Self::Equalize => equalize::apply(face),
            Self::Clahe => clahe::apply(face, size),
            Self::TanTriggs => tan_triggs::apply(face, size),
        }
    }
}

impl fmt::Display for Illumination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn size(width: u32, height: u32) -> FaceSize {
        FaceSize::new(width, height).unwrap()
    }

    fn applied(light: Illumination, face: &[u8], size: FaceSize) -> Vec<u8> {
        let mut face = face.to_vec();
        light.apply(&mut face, size);
        face
    }

    fn mirrored(face: &[u8], size: FaceSize) -> Vec<u8> {
        face.chunks_exact(size.width() as usize)
            .flat_map(|row| row.iter().rev().copied())
            .collect()
    }

    #[test]
    fn names_are_read_back_and_are_those_of_the_model_file() {
        for light in Illumination::ALL {
            assert_eq!(light.to_string().parse(), Ok(light));
            assert_eq!(
                serde_json::to_string(&light).unwrap(),
                format!("\"{light}\"")
            );
        }
        let error = "clache".parse::<Illumination>().unwrap_err();
        assert!(error.contains("clahe") && error.contains("none"), "{error}");
    }

    #[test]
    fn flat_faces_stay_flat() {
        for light in Illumination::ALL {
            for (width, height) in [(8, 8), (9, 13), (60, 72), (61, 73)] {
                for level in [0, 1, 77, 255] {
                    let size = size(width, height);
                    let face = applied(light, &vec![level; size.pixels()], size);
                    assert!(face.iter().all(|&v| v == face[0]), "{light} {size} {level}");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn the_same_face_gives_the_same_bytes_and_keeps_its_detail(
            (width, height) in (8_u32..40, 8_u32..40),
            levels in proptest::collection::vec(any::<u8>(), 40 * 40),
        ) {
            let size = size(width, height);
            let face = &levels[..size.pixels()];
            for light in Illumination::ALL {
                let once = applied(light, face, size);
                prop_assert_eq!(&once, &applied(light, face, size));
                let (least, most) = (once.iter().min(), once.iter().max());
                prop_assert!(least < most, "{}: noise became flat", light);
            }
        }

        /// Faces are enrolled mirrored as well: their bytes are turned over after the recipe.
        #[test]
        fn left_and_right_are_treated_alike(
            (width, height) in (8_u32..40, 8_u32..40),
            levels in proptest::collection::vec(any::<u8>(), 40 * 40),
        ) {
            let size = size(width, height);
            let face = &levels[..size.pixels()];
            // CLAHE's cells lie half a pixel off their middles, in OpenCV and so here.
            let others = Illumination::ALL.into_iter().filter(|&light| light != Illumination::Clahe);
            for light in others {
                let there = applied(light, &mirrored(face, size), size);
                let here = mirrored(&applied(light, face, size), size);
                let apart = here.iter().zip(&there).map(|(a, b)| a.abs_diff(*b)).max();
                prop_assert!(apart <= Some(1), "{} {:?}", light, apart);
            }
        }

        #[test]
        fn brightness_changes_nothing(
            levels in proptest::collection::vec(0_u8..100, 24 * 28),
            brighter in 1_u8..150,
        ) {
            let size = size(24, 28);
            let bright: Vec<u8> = levels.iter().map(|level| level + brighter).collect();
            let light = Illumination::Equalize;
            prop_assert_eq!(applied(light, &levels, size), applied(light, &bright, size));
        }
    }
}
