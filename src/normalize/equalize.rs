//! Histogram equalisation: gray levels are spread so that each range of them is equally frequent.
//!
//! Gonzalez and Woods, Digital Image Processing, 3.3.1; to the bit as OpenCV's `equalizeHist` does it: the
//! darkest level becomes 0, the brightest 255.

/// Treats a face in its place. A flat face stays as it is.
pub fn apply(face: &mut [u8]) {
    let mut counts = [0_u32; 256];
    for &level in face.iter() {
        counts[usize::from(level)] += 1;
    }
    let Some(darkest) = counts.iter().position(|&count| count > 0) else {
        return;
    };
    let others = face.len() as u32 - counts[darkest];
    if others == 0 {
        return;
    }
    let scale = 255.0 / others as f32;
    let mut not_brighter = 0;
    let mut levels = [0_u8; 256];
    for (level, count) in levels.iter_mut().zip(counts).skip(darkest + 1) {
        not_brighter += count;
        *level = (not_brighter as f32 * scale).round_ties_even() as u8;
    }
    for level in face {
        *level = levels[usize::from(*level)];
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn levels_are_spread_by_how_many_are_below() {
        let mut face = [10, 10, 11, 12, 12, 200];
        super::apply(&mut face);
        assert_eq!(face, [0, 0, 64, 191, 191, 255]);
        super::apply(&mut []);
    }
}
