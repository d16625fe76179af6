//! Few people: names by how alike textures are, measured on other galleries.
//!
//! With fewer than [`ENOUGH_PEOPLE`](super::ENOUGH_PEOPLE) people nothing can be left out to play the
//! stranger, and in a space of so few people everybody looks alike. The plain cosine between two textures needs no
//! space, and means the same in every gallery: on AT&T, Yale and LFW the most similar of some hundred other
//! people's photos stayed below 0.91, while a photo of the same person mostly reached 0.90 or more
//! (docs/RECIPES.md).

/// A stranger's best cosine among one photo passes this once in a hundred times, among ten times as many
/// photos (or for a tenth of the share) that and [`A_TENTH`] more.
const ONE_PHOTO: f64 = 0.88;
const A_TENTH: f64 = 0.01;
const ONE_IN_A_HUNDRED: f64 = 0.01;

/// Whatever is asked for, the cosine that a name needs stays within.
const BOUNDS: (f64, f64) = (0.85, 0.94);

/// Log-odds that it is the same person = slope (cosine - midpoint).
const SLOPE: f64 = 36.0;
const MIDPOINT: f64 = 0.836;

/// The cosine that a name needs so that about the share `far` of strangers gets one, compared with so many
/// photos.
pub fn threshold(photos: usize, far: f64) -> f64 {
    let tenths = (photos.max(1) as f64 * ONE_IN_A_HUNDRED / far.max(1e-9)).log10();
    (ONE_PHOTO + A_TENTH * tenths).clamp(BOUNDS.0, BOUNDS.1)
}

/// Probability that the most similar person is the right one, given that the probe may be a stranger.
pub fn confidence(cosine: f64) -> f64 {
    1.0 / (1.0 + (-SLOPE * (cosine - MIDPOINT)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_photos_and_fewer_strangers_ask_for_more() {
        let limits = [(1, 0.1), (1, 0.01), (10, 0.01), (10, 0.001), (100, 0.001)];
        let limits = limits.map(|(photos, far)| threshold(photos, far));
        assert!(
            limits.windows(2).all(|pair| pair[0] < pair[1]),
            "{limits:?}"
        );
        assert_eq!(threshold(1, 0.01), ONE_PHOTO);
        assert_eq!(threshold(usize::MAX, 0.0), BOUNDS.1);
        assert!(confidence(0.75) < 0.05 && confidence(0.95) > 0.95);
    }
}
