//! The order in which people read faces: row by row from the top, each row from left to right.

/// Sorts things by boxes (left, top, width, height): those that overlap by half in height are one row.
pub(crate) fn in_rows<T>(mut all: Vec<T>, bounds: impl Fn(&T) -> [f32; 4]) -> Vec<T> {
    let middle = |item: &T| {
        let [left, top, width, height] = bounds(item);
        [left + width / 2.0, top + height / 2.0]
    };
    all.sort_by(|one, other| {
        let ([x1, y1], [x2, y2]) = (middle(one), middle(other));
        y1.total_cmp(&y2).then(x1.total_cmp(&x2))
    });
    let mut rows: Vec<Row<T>> = Vec::new();
    for item in all {
        let (y, height) = (middle(&item)[1], bounds(&item)[3]);
        match rows.last_mut().filter(|row| row.takes(y, height)) {
            Some(row) => row.add(item, y, height),
            None => rows.push(Row { items: vec![item], middles: y, heights: height }),
        }
    }
    let sorted = rows.into_iter().map(|mut row| {
        row.items.sort_by(|one, other| middle(one)[0].total_cmp(&middle(other)[0]));
        row.items
    });
    sorted.flatten().collect()
}

struct Row<T> {
    items: Vec<T>,
    /// Sums of the middles and of the heights.
    middles: f32,
    heights: f32,
}

impl<T> Row<T> {
    fn add(&mut self, item: T, middle: f32, height: f32) {
        self.items.push(item);
        self.middles += middle;
        self.heights += height;
    }

    /// Whether something of this height, around this middle, overlaps the row by half of the less high.
    fn takes(&self, middle: f32, height: f32) -> bool {
        let count = self.items.len() as f32;
        let (row_middle, row_height) = (self.middles / count, self.heights / count);
        let overlap = (height + row_height) / 2.0 - (middle - row_middle).abs();
        overlap >= height.min(row_height) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn places(boxes: &[[f32; 4]]) -> Vec<[f32; 4]> {
        in_rows(boxes.to_vec(), |bounds| *bounds)
    }

    #[test]
    fn rows_are_read_from_the_top_and_each_from_the_left() {
        let upper = [[0.0, 12.0, 20.0, 20.0], [40.0, 8.0, 24.0, 24.0], [80.0, 10.0, 20.0, 20.0]];
        let lower = [[10.0, 50.0, 20.0, 20.0], [60.0, 44.0, 20.0, 20.0]];
        let expected = [&upper[..], &lower[..]].concat();
        let mut mixed = expected.clone();
        mixed.reverse();
        mixed.swap(1, 3);
        assert_eq!(places(&mixed), expected);
    }

    proptest! {
        #[test]
        fn every_box_has_one_number_whatever_the_order(
            boxes in proptest::collection::vec(proptest::array::uniform4(-50.0_f32..400.0), 0..30),
        ) {
            let ordered = places(&boxes);
            let mut reversed = boxes.clone();
            reversed.reverse();
            prop_assert_eq!(&places(&reversed), &ordered);
            prop_assert_eq!(ordered.len(), boxes.len());
        }
    }
}
