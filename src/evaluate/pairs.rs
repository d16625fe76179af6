//! Pairs of photos, the same person or not: Labeled Faces in the Wild's View 2 (Huang et al. 2007; docs/EVALUATION.md).

use super::verification::{self};
use crate::background::{Adaptation, Background, Described, People, Training};
use crate::error::{Error, Result};

/// Two photos and whether they show one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The fold, as the table calls it.
    pub fold: String,
    /// The photos: folder and file, as in `Ada_Lovelace/Ada_Lovelace_0001.jpg`.
    pub photos: [String; 2],
    /// Whether both show one person.
    pub same: bool,
}

/// Reads rows `fold, a, b, same` (tabs or commas; `same` is 1 or 0; a heading or none), or LFW's own `pairs.txt`.
pub fn parse_pairs(text: &str) -> Result<Vec<Pair>, String> {
    let pairs = pairs(text)?;
    both_kinds(pairs.iter().map(|pair| pair.same))?;
    Ok(pairs)
}

/// That some pairs are of one person, and some of two.
///
/// # Errors
/// Says which kind is missing.
pub fn both_kinds(pairs: impl Iterator<Item = bool> + Clone) -> Result<(), String> {
    for (same, kind) in [(true, "one person"), (false, "two people")] {
        if pairs.clone().all(|pair| pair != same) {
            return Err(format!("no pair is of {kind}: errors are measured from pairs of both kinds"));
        }
    }
    Ok(())
}

fn pairs(text: &str) -> Result<Vec<Pair>, String> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let Some((_, first)) = lines.clone().next() else { return Err("it is empty".to_owned()) };
    let numbers: Option<Vec<usize>> = first.split_whitespace().map(|word| word.parse().ok()).collect();
    if let Some(&[folds, pairs]) = numbers.as_deref() {
        lines.next();
        return lfw_pairs(lines, folds, pairs);
    }
    let mut found = Vec::new();
    for (number, line) in lines {
        let cells: Vec<&str> = line.split(['\t', ',']).map(str::trim).collect();
        match cells[..] {
            [fold, a, b, same @ ("0" | "1")] => {
                found.push(Pair { fold: fold.to_owned(), photos: [a.to_owned(), b.to_owned()], same: same == "1" })
            }
            ["fold", _, _, _] if found.is_empty() => {}
            _ => return Err(format!("line {number} is not 'fold, photo, photo, 1 or 0'")),
        }
    }
    Ok(found)
}

/// Rows `name n m` (one person) and `name n name m` (two), first the ones and then the others of each fold.
fn lfw_pairs<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    folds: usize,
    pairs: usize,
) -> Result<Vec<Pair>, String> {
    let mut found = Vec::new();
    for (at, (number, line)) in lines.enumerate() {
        let wrong = || format!("line {number} is not 'name n m' or 'name n name m'");
        let file = |name: &str, digits: &str| {
            let number: u32 = digits.parse().map_err(|_| wrong())?;
            Ok::<_, String>(format!("{name}/{name}_{number:04}.jpg"))
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        let (photos, same) = match words[..] {
            [name, a, b] => ([file(name, a)?, file(name, b)?], true),
            [name, a, other, b] => ([file(name, a)?, file(other, b)?], false),
            _ => return Err(wrong()),
        };
        found.push(Pair { fold: (at / (2 * pairs.max(1)) + 1).to_string(), photos, same });
    }
    match found.len() == folds.saturating_mul(pairs).saturating_mul(2) {
        true => Ok(found),
        false => {
            Err(format!("its first line promises {folds} folds of {pairs} pairs of each kind, which are not there"))
        }
    }
}

/// A pair whose photos are known: their positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownPair {
    /// Position of the fold.
    pub fold: usize,
    /// Positions of the photos.
    pub photos: [usize; 2],
    /// Whether both show one person.
    pub same: bool,
}

/// The photos that the background model is learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LearnedFrom {
    /// It comes with the program, whoever it was learned from.
    Bundled,
    /// For each fold from all photos of people of whom it has none.
    OtherFolds,
}

/// The figures that the field reports.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PairFigures {
    /// Pairs, and folds of them.
    pub pairs: usize,
    /// See [`pairs`](Self::pairs).
    pub folds: usize,
    /// Mean over folds of the share judged rightly, at the threshold that is best on the other folds.
    pub accuracy: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Area under the curve of true over false accepts, over all pairs.
    pub area_under_curve: f64,
    /// The rate at which as many true pairs are rejected as false ones accepted.
    pub equal_error_rate: f64,
}

/// Measures pairs of described photos.
///
/// # Errors
/// Fewer than two folds; too few photos to learn a background model from.
pub fn evaluate_pairs(
    photos: &Described,
    pairs: &[KnownPair],
    learned_from: LearnedFrom,
    progress: &dyn Fn(usize),
) -> Result<PairFigures> {
    let folds = pairs.iter().map(|pair| pair.fold + 1).max().unwrap_or(0);
    if folds < 2 {
        return Err(Error::Inconsistent);
    }
    let mut scores = vec![0.0; pairs.len()];
    for fold in 0..folds {
        let learned;
        let background = match learned_from {
            LearnedFrom::Bundled => Background::bundled()?,
            LearnedFrom::OtherFolds => {
                learned = Training::default().learn(&others(photos, pairs, fold)?, Background::bundled()?.mouths())?;
                &learned
            }
        };
        let coordinates = background.coordinates_of_described(photos);
        let people = People::enroll(Adaptation::none(background), &coordinates, &[], &[], 0);
        let own: Vec<usize> = (0..pairs.len()).filter(|&at| pairs[at].fold == fold).collect();
        let shown: Vec<usize> = own.iter().flat_map(|&at| pairs[at].photos).collect();
        let two: Vec<[usize; 2]> = (0..own.len()).map(|at| [2 * at, 2 * at + 1]).collect();
        for (at, score) in own.into_iter().zip(people.pair_scores(&coordinates.select_columns(&shown), &two)) {
            scores[at] = score;
        }
        progress(fold + 1);
    }
    Ok(figures(pairs, &scores, folds))
}

/// Photos of people of whom a fold has none.
fn others(photos: &Described, pairs: &[KnownPair], fold: usize) -> Result<Described> {
    let mut tested = vec![false; photos.persons.last().map_or(0, |last| last + 1)];
    for pair in pairs.iter().filter(|pair| pair.fold == fold) {
        for photo in pair.photos {
            tested[photos.persons[photo]] = true;
        }
    }
    Ok(photos.select(&(0..photos.persons.len()).filter(|&photo| !tested[photos.persons[photo]]).collect::<Vec<_>>())?)
}

fn figures(pairs: &[KnownPair], scores: &[f64], folds: usize) -> PairFigures {
    let accuracy = |fold: usize| {
        let (own, others): (Vec<usize>, Vec<usize>) = (0..pairs.len()).partition(|&at| pairs[at].fold == fold);
        let threshold = best_threshold(pairs, scores, &others);
        own.iter().filter(|&&at| (scores[at] > threshold) == pairs[at].same).count() as f64 / own.len().max(1) as f64
    };
    let accuracies: Vec<f64> = (0..folds).map(accuracy).collect();
    let mean = accuracies.iter().sum::<f64>() / folds as f64;
    let squares: f64 = accuracies.iter().map(|accuracy| (accuracy - mean).powi(2)).sum();
    let of = |same: bool| -> Vec<f64> {
        pairs.iter().zip(scores).filter(|(pair, _)| pair.same == same).map(|(_, &score)| score).collect()
    };
    let (area, equal_error_rate) = verification::area_and_equal_error_rate(&of(true), &of(false));
    PairFigures {
        pairs: pairs.len(),
        folds,
        accuracy: mean,
        standard_error: (squares / (folds - 1) as f64 / folds as f64).sqrt(),
        area_under_curve: area,
        equal_error_rate,
    }
}

/// The threshold that judges most of these rightly: the middle between two scores, the lowest of equally good ones.
fn best_threshold(pairs: &[KnownPair], scores: &[f64], of: &[usize]) -> f64 {
    let mut order = of.to_vec();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    let mut right = order.iter().filter(|&&at| pairs[at].same).count();
    let (mut best, mut threshold) = (right, f64::NEG_INFINITY);
    for (place, &at) in order.iter().enumerate() {
        right = if pairs[at].same { right - 1 } else { right + 1 };
        let next = order.get(place + 1).map_or(scores[at] + 1.0, |&next| scores[next]);
        if right > best && next > scores[at] {
            (best, threshold) = (right, f64::midpoint(scores[at], next));
        }
    }
    threshold
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_tables_are_read() {
        let table = "fold\ta\tb\tsame\n1\tA/1.jpg\tA/2.jpg\t1\n2\tA/1.jpg\tB/1.jpg\t0\n";
        let pairs = parse_pairs(table).unwrap();
        assert_eq!(pairs.len(), 2);
        assert_eq!((pairs[0].same, pairs[1].same), (true, false));
        assert_eq!(pairs[1].photos, ["A/1.jpg", "B/1.jpg"]);
        let lfw = "2 1\nA 1 4\nA 1 B 12\nC 2 3\nC 1 D 2\n";
        let pairs = parse_pairs(lfw).unwrap();
        assert_eq!(pairs[1].photos, ["A/A_0001.jpg", "B/B_0012.jpg"]);
        assert_eq!(pairs.iter().map(|pair| pair.fold.as_str()).collect::<Vec<_>>(), ["1", "1", "2", "2"]);
    }

    #[test]
    fn wrong_lines_are_named() {
        for (text, words) in [
            ("", "empty"),
            ("1 A/1 A/2 1", "line 1"),
            ("1\tA\tB\t2", "line 1"),
            ("fold,a,b,same\n1,A,B,1\nx", "line 3"),
            ("2 1\nA 1 4\nA x B 1\n", "line 3"),
            ("2 1\nA 1 4\n", "promises"),
        ] {
            let problem = parse_pairs(text).unwrap_err();
            assert!(problem.contains(words), "{text:?}: {problem}");
        }
    }

    #[test]
    fn a_threshold_is_learned_from_the_other_folds() {
        let pair = |fold, same| KnownPair { fold, photos: [0, 0], same };
        let pairs = [pair(0, true), pair(0, false), pair(1, true), pair(1, false)];
        let all_right = figures(&pairs, &[3.0, 0.0, 2.0, 1.0], 2);
        assert_eq!((all_right.accuracy, all_right.area_under_curve), (1.0, 1.0));
        assert_eq!(all_right.standard_error, 0.0);
        // The second fold lies higher as a whole: the first one's threshold takes both of its pairs for one person.
        let shifted = figures(&pairs, &[3.0, 0.0, 9.0, 8.0], 2);
        assert_eq!(shifted.accuracy, 0.5);
    }
}
