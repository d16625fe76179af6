//! A person's name.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use unicode_normalization::UnicodeNormalization;

use super::natural;
use crate::error::{Error, Result};

/// A person's name: trimmed, in Unicode's composed form (NFC), not empty, without control characters and characters
/// that cannot be seen, at most [`Person::MAX_LENGTH`] characters. Two names are the same person if they are the same
/// text (case counts), however their accents were typed; people are ordered naturally, `s2` before `s10`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Person(String);

impl Person {
    /// The longest name, in characters; it must fit a line and a file name.
    pub const MAX_LENGTH: usize = 200;

    /// Trims, normalises and checks a name.
    ///
    /// # Errors
    /// [`Error::PersonName`] if nothing is left, it is too long, or holds control characters (a line break would forge lines of
    /// output) or characters that cannot be seen (two names would look alike, or read otherwise than they are) or that stand for
    /// letters that could not be read (U+FFFD); if it is what this program says of faces without a name, such as `unknown`.
    pub fn new(name: &str) -> Result<Self> {
        let reason = match is_reserved(name) {
            true => RESERVED,
            // Of two such people nobody could say which is which.
            false if name.contains(char::REPLACEMENT_CHARACTER) => UNREADABLE,
            false if matches!(name.trim(), "." | "..") => {
                "it stands for a folder wherever it is part of a path or an address"
            }
            false => return Self::stored(name),
        };
        Err(Error::PersonName { given: name.chars().take(40).collect(), reason })
    }

    /// A name out of a model or database, which may hold what this program itself says.
    /// Errors: the others of [`new`](Self::new).
    pub(crate) fn stored(name: &str) -> Result<Self> {
        // What is too long is not worth the work.
        let name: String = name.trim().chars().take(4 * Self::MAX_LENGTH).nfc().collect();
        let refuse = |reason| Err(Error::PersonName { given: name.chars().take(40).collect(), reason });
        if name.is_empty() {
            refuse("it is empty")
        } else if name.chars().any(char::is_control) {
            refuse("it holds control characters")
        } else if holds_unseen(&name) {
            refuse("it holds characters that cannot be seen or that turn the direction of writing")
        } else if name.chars().nth(Self::MAX_LENGTH).is_some() {
            refuse("it is longer than 200 characters")
        } else {
            Ok(Self(name))
        }
    }

    /// Whether a name that somebody typed means this person.
    pub fn is_called(&self, name: &str) -> bool {
        name.trim().nfc().eq(self.0.chars())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for Person {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::new(name)
    }
}

impl AsRef<str> for Person {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Ord for Person {
    fn cmp(&self, other: &Self) -> Ordering {
        natural::names(self.0.as_bytes(), other.0.as_bytes())
    }
}

impl PartialOrd for Person {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

const RESERVED: &str = "it is what this program says of faces without a name";

/// What is wrong with a name that was read in another encoding than its own.
const UNREADABLE: &str = "letters of it could not be read; write it in UTF-8";

/// What this program says of faces without a name, and the folders that it sorts their photos into.
const RESERVED_WORDS: [&str; 6] = ["unknown", "no face", "no face found", "not a face", "somebody else", "ignore"];

/// Whether a name is this program's word for faces without one, in whatever case, numbered or said to be a copy.
pub(super) fn is_reserved(name: &str) -> bool {
    if name.trim() == "-" {
        return true;
    }
    let separated = name.trim().chars().take(40).map(|letter| if "-_".contains(letter) { ' ' } else { letter });
    let separated: String = separated.flat_map(char::to_lowercase).collect();
    let mut words: Vec<&str> = separated.split_whitespace().collect();
    let is_number = |word: &str| word.chars().all(|letter| letter.is_ascii_digit() || "()".contains(letter));
    while words.len() > 1 && words.last().is_some_and(|last| *last == "copy" || is_number(last)) {
        words.pop();
    }
    let words = words.join(" ");
    let unnumbered = words.trim_end_matches(|letter: char| letter.is_ascii_digit());
    RESERVED_WORDS.contains(&unnumbered)
}

/// Whether a name holds unseen characters, by which two would look alike; joiners and variants may stand where scripts need them.
fn holds_unseen(name: &str) -> bool {
    let letters: Vec<char> = name.chars().collect();
    let neighbour = |at: Option<usize>| at.and_then(|at| letters.get(at)).copied();
    (0..letters.len()).any(|at| {
        let before = neighbour(at.checked_sub(1));
        let after = neighbour(Some(at + 1));
        let both = |belongs: fn(char) -> bool| before.is_some_and(belongs) && after.is_some_and(belongs);
        match letters[at] {
            '\u{200d}' if both(|letter| is_pictograph(letter) || letter == '\u{fe0f}') => false,
            '\u{200c}' | '\u{200d}' => !both(is_of_joining_script),
            '\u{fe0f}' => !before.is_some_and(is_pictograph),
            '\u{e0100}'..='\u{e01ef}' => !before.is_some_and(is_ideograph),
            letter => is_unseen(letter),
        }
    })
}

/// A text in which unseen characters are written out (`\u{202e}`), for paths; joiners and variants stay.
pub(crate) fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for letter in text.chars() {
        let belongs = matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
        if is_unseen(letter) && !belongs {
            visible.extend(letter.escape_unicode());
        } else {
            visible.push(letter);
        }
    }
    visible
}

/// Letters and marks of the scripts from Arabic to Mongolian, which zero-width joiners are written between.
fn is_of_joining_script(letter: char) -> bool {
    matches!(letter, '\u{620}'..='\u{109f}' | '\u{1780}'..='\u{18aa}' | '\u{a8e0}'..='\u{a8ff}') && !is_unseen(letter)
}

/// Arrows, symbols and emoji with their skin tones, which emoji of several parts are joined of.
fn is_pictograph(letter: char) -> bool {
    matches!(letter, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Unicode's property `Default_Ignorable_Code_Point`, line and paragraph separators, and marks of annotations.
fn is_unseen(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_trimmed_and_checked() {
        assert_eq!(Person::new("  Ada Lovelace\n").unwrap().as_str(), "Ada Lovelace");
        assert!(Person::new(" \t ").is_err());
        assert!(Person::new("a\nb").is_err());
        assert!(Person::new("J\u{fffd}rg").is_err());
        // Browsers fold them away in addresses.
        assert!([".", "..", " .. "].iter().all(|name| Person::new(name).is_err()));
        assert!(Person::new(&"é".repeat(200)).is_ok());
        let error = Person::new(&"é".repeat(201)).unwrap_err().to_string();
        assert!(error.contains("longer than 200"), "{error}");
    }

    #[test]
    fn the_programs_own_words_are_nobodys_name() {
        for word in [
            "unknown",
            "Unknown",
            " UNKNOWN 2",
            "unknown (3)",
            "unknown - Copy",
            "unknown_",
            "unknown12",
            "no-face",
            "No_Face copy 2",
            "not a face",
            "somebody else",
            "ignore",
            "-",
        ] {
            let error = Person::new(word).unwrap_err().to_string();
            assert!(error.contains("without a name"), "{word}: {error}");
            assert!(Person::stored(word).is_ok());
        }
        for name in ["Unknown Soldier", "Noface", "1", "(2)", "copy", "Ann O'Known", "--"] {
            assert!(Person::new(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn one_name_has_one_spelling() {
        let (composed, decomposed) = ("Zo\u{eb}", "Zoe\u{308}");
        assert_eq!(Person::new(composed).unwrap(), Person::new(decomposed).unwrap());
        let person = Person::new(decomposed).unwrap();
        assert_eq!(person.as_str(), composed);
        assert!(person.is_called(composed) && person.is_called(decomposed));
        assert!(!person.is_called("Zoe"));
        // 200 letters, each with its accent apart.
        assert!(Person::new(&"e\u{308}".repeat(200)).is_ok());
        assert!(Person::new(&"e\u{308}".repeat(201)).is_err());
        assert!(Person::new(&"e".repeat(1_000_000)).is_err());
    }

    #[test]
    fn what_cannot_be_seen_is_refused_but_where_it_is_written() {
        for bad in [
            "A\u{200b}da",
            "Ada\u{202e}",
            "\u{2066}Ada",
            "A\u{ad}da",
            "A\u{200d}da",
            "\u{200c}Ada",
            "Ad\u{fe0f}a",
            "\u{3164}",
            "A\u{e0100}",
            "\u{633}\u{200c}a",
            "\u{feff}Ada",
            "\u{1f469}\u{200d}",
            "A\u{200d}\u{1f469}",
        ] {
            let error = Person::new(bad).unwrap_err().to_string();
            assert!(error.contains("cannot be seen"), "{bad:?}: {error}");
        }
        // Persian, Sinhala, a Japanese variant, and emoji of several parts.
        for good in [
            "\u{639}\u{644}\u{6cc}\u{200c}\u{631}\u{636}\u{627}",
            "\u{dc1}\u{dca}\u{200d}\u{dbb}\u{dd3}",
            "\u{845b}\u{e0100}",
            "Keiko \u{1f469}\u{1f3fd}\u{200d}\u{1f9b0}",
            "Bo \u{2764}\u{fe0f}\u{200d}\u{1f525}",
            "Ada O\u{2019}Neil-\u{17d}i\u{17e}ek",
        ] {
            assert_eq!(Person::new(good).unwrap().as_str(), good);
        }
    }

    #[test]
    fn people_are_in_natural_order() {
        let mut people = ["s10", "s2", "Ada", "s1"].map(|n| Person::new(n).unwrap());
        people.sort();
        assert_eq!(people.map(|p| p.0), ["Ada", "s1", "s2", "s10"]);
    }
}
