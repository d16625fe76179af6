//! Pairs of a region and a face that are the same.

use super::{Area, Kind, Region};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    /// The intersection over union.
    pub overlap: f64,
    /// A tie is decided for the larger one.
    pub likeness: u8,
    pub region: usize,
    pub face: usize,
}

/// The pairs of a region and a face that are the same by [`Area::same_face`]: each region and each face once, the
/// pairs that overlap most first, ties in the order given. Regions of other things than faces are left out.
///
/// A pair is the index of the region and that of the face.
pub fn matches(regions: &[Region], faces: &[Area]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (region, found) in regions.iter().enumerate().filter(|(_, found)| found.kind == Kind::Face) {
        for (face, area) in faces.iter().enumerate() {
            if let Some(overlap) = found.area.same_face(area) {
                pairs.push(Pair { overlap, likeness: 0, region, face });
            }
        }
    }
    one_to_one(pairs)
}

/// The best pairs such that no region and no face is in two of them.
pub(super) fn one_to_one(mut pairs: Vec<Pair>) -> Vec<(usize, usize)> {
    pairs.sort_by(|a, b| {
        b.overlap
            .total_cmp(&a.overlap)
            .then(b.likeness.cmp(&a.likeness))
            .then((a.region, a.face).cmp(&(b.region, b.face)))
    });
    let mut chosen: Vec<(usize, usize)> = Vec::new();
    for pair in pairs {
        let taken = |&(region, face): &(usize, usize)| region == pair.region || face == pair.face;
        if !chosen.iter().any(taken) {
            chosen.push((pair.region, pair.face));
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    fn region(x: f64, kind: Kind) -> Region {
        Region { area: area(x), name: None, kind, source: Source::Mwg, mark: None }
    }

    fn area(x: f64) -> Area {
        Area::new(x, 0.5, 0.2, 0.2).expect("an area")
    }

    #[test]
    fn the_best_pairs_come_first_and_nothing_is_in_two() {
        let regions = [0.2, 0.3, 0.6].map(|x| region(x, Kind::Face));
        let faces = [0.29, 0.22, 0.9, 0.6].map(area);
        assert_eq!(matches(&regions, &faces), [(2, 3), (1, 0), (0, 1)]);
        let twins = [0.2, 0.2].map(|x| region(x, Kind::Face));
        assert_eq!(matches(&twins, &[area(0.2), area(0.2)]), [(0, 0), (1, 1)]);
        assert_eq!(matches(&[region(0.2, Kind::Other)], &[area(0.2)]), []);
    }
}
