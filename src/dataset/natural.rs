//! Natural order: the order in which people number things, `2.jpg` before `10.jpg`.

use std::cmp::Ordering;
use std::path::Path;

/// A total order of paths, folder by folder, each name in [natural order](names).
pub fn paths(a: &Path, b: &Path) -> Ordering {
    let (left, right) = (a.components(), b.components());
    let mut pairs = left.clone().zip(right.clone()).map(|(left, right)| {
        let [left, right] = [left, right].map(|part| part.as_os_str().as_encoded_bytes());
        names(left, right)
    });
    pairs.find(|order| order.is_ne()).unwrap_or_else(|| left.count().cmp(&right.count()))
}

/// Compares two names, given as bytes: runs of digits by their value, letters without regard to
/// ASCII case. Names that are equal by this rule (`1` and `01`, `a` and `A`) are told apart by
/// their bytes, so that the order is total and only identical names are equal.
pub fn names(a: &[u8], b: &[u8]) -> Ordering {
    by_value(a, b).then_with(|| a.cmp(b))
}

fn by_value(mut a: &[u8], mut b: &[u8]) -> Ordering {
    loop {
        let (Some(&x), Some(&y)) = (a.first(), b.first()) else { return a.len().cmp(&b.len()) };
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (x, y) = (take_number(&mut a), take_number(&mut b));
            x.len().cmp(&y.len()).then_with(|| x.cmp(y))
        } else {
            (a, b) = (&a[1..], &b[1..]);
            x.to_ascii_lowercase().cmp(&y.to_ascii_lowercase())
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// Cuts the leading run of digits off `text` and returns it without leading zeros, so that the
/// longer of two is the greater. No number is too long, for none is converted.
fn take_number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|c| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    let zeros = digits.iter().take_while(|&&c| c == b'0').count();
    &digits[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_count_by_value() {
        let mut names_ = ["s10", "s9", "S2", "s1", "s01", "s1 b", "t", "s", "s100"];
        names_.sort_by(|a, b| names(a.as_bytes(), b.as_bytes()));
        assert_eq!(names_, ["s", "s01", "s1", "s1 b", "S2", "s9", "s10", "s100", "t"]);
    }

    #[test]
    fn a_folder_comes_before_what_its_name_begins() {
        let mut list = ["a b/1", "a/10", "a/2", "a10/1", "a2/1"].map(Path::new);
        list.sort_by(|a, b| paths(a, b));
        assert_eq!(list, ["a/2", "a/10", "a b/1", "a2/1", "a10/1"].map(Path::new));
    }

    #[test]
    fn numbers_of_any_length() {
        let long = format!("{}1", "9".repeat(400));
        assert_eq!(names(long.as_bytes(), b"99"), Ordering::Greater);
    }

    proptest! {
        #[test]
        fn is_a_total_order(a in "[0-2aAb .]{0,5}", b in "[0-2aAb .]{0,5}", c in "[0-2aAb .]{0,5}") {
            let (a, b, c) = (a.as_bytes(), b.as_bytes(), c.as_bytes());
            prop_assert_eq!(names(a, b), names(b, a).reverse());
            prop_assert_eq!(names(a, b).is_eq(), a == b);
            if names(a, b).is_le() && names(b, c).is_le() {
                prop_assert!(names(a, c).is_le());
            }
        }
    }
}
