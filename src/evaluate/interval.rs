//! The confidence interval of a rate over so many probes.

/// The two-sided 95 % quantile of the normal distribution.
const NORMAL_95: f64 = 1.959_963_985;

/// The 95 % interval of Wilson (1927) of a share seen in so many independent tries: within 0 and 1, and sensible even
/// where the share is 0 or 1.
pub(super) fn wilson(share: f64, tries: f64) -> [f64; 2] {
    if tries < 1.0 {
        return [0.0, 1.0];
    }
    let z2 = NORMAL_95 * NORMAL_95;
    let middle = share + z2 / (2.0 * tries);
    let half = NORMAL_95 * (share * (1.0 - share) / tries + z2 / (4.0 * tries * tries)).sqrt();
    let scale = 1.0 + z2 / tries;
    [
        ((middle - half) / scale).clamp(0.0, share),
        ((middle + half) / scale).clamp(share, 1.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::wilson;

    #[test]
    fn intervals_are_those_of_the_tables() {
        // Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (hits, tries, low, high) in [
            (81.0, 263.0, 0.2553, 0.3662),
            (15.0, 148.0, 0.0624, 0.1605),
            (0.0, 20.0, 0.0, 0.1611),
            (1.0, 29.0, 0.0061, 0.1718),
        ] {
            let found = wilson(hits / tries, tries);
            assert!(
                (found[0] - low).abs() < 5e-5 && (found[1] - high).abs() < 5e-5,
                "{found:?}"
            );
        }
        assert_eq!(wilson(1.0, 10.0)[1], 1.0);
        assert_eq!(wilson(0.0, 0.0), [0.0, 1.0]);
    }
}
