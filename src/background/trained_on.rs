//! The people whom the bundled background model was learned from, by hashes of their names: figures measured on them flatter.

use sha2::{Digest, Sha256};

/// The hashes, sorted, four bytes each, little-endian.
static PEOPLE: &[u8] = include_bytes!("../../assets/background-people.bin");

/// Fewer people of the same names may be other people.
const ENOUGH: usize = 3;

/// The number of these people (their names, each once) that the bundled background model was learned from; 0 where so few
/// names agree, fewer than three or than a fifth, that they may be other people's.
pub fn people_trained_on<'a>(names: impl IntoIterator<Item = &'a str>) -> usize {
    let (known, _) = PEOPLE.as_chunks::<4>();
    let (mut people, mut trained_on) = (0, 0);
    for name in names {
        let found = known.binary_search_by_key(&name_hash(name), |hash| u32::from_le_bytes(*hash));
        people += 1;
        trained_on += usize::from(found.is_ok());
    }
    if trained_on >= ENOUGH && 5 * trained_on >= people { trained_on } else { 0 }
}

/// The hashes of people's names, as [`people_trained_on`] wants them.
pub fn name_hashes<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<u8> {
    let mut hashes: Vec<u32> = names.into_iter().map(name_hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// The first bytes of the SHA-256 of a name's letters and digits in lower case.
fn name_hash(name: &str) -> u32 {
    let letters: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let digest: [u8; 32] = Sha256::digest(letters.as_bytes()).into();
    digest.first_chunk().map_or(0, |&first| u32::from_le_bytes(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_of_the_training_data_are_known_by_name() {
        let learned = ["Aaron_Eckhart", "aaron guiel", "AJ Lamas", "Somebody Else"];
        assert_eq!(people_trained_on(learned), 3);
        assert_eq!(people_trained_on(["Ada", "Boris", "Chiara"]), 0);
        // One name among many may be another person's.
        let family = (0..20).map(|at| format!("Cousin {at}"));
        let family: Vec<String> = family.chain(["Aaron Eckhart".to_owned()]).collect();
        assert_eq!(people_trained_on(family.iter().map(String::as_str)), 0);
        let hashes = name_hashes(["b", "a", "A", "b"]);
        assert_eq!(hashes.len(), 8);
        assert_eq!(PEOPLE.len() % 4, 0);
        assert!(PEOPLE.as_chunks::<4>().0.is_sorted_by_key(|hash| u32::from_le_bytes(*hash)));
    }
}
