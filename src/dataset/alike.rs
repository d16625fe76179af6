//! Names that are likely one person's, spelt differently.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization as _;

use super::Person;

/// Groups of people whose names differ only in case, blanks, underscores, hyphens or compatible letters of Unicode.
pub fn alike<'a>(people: impl IntoIterator<Item = &'a Person>) -> Vec<Vec<Person>> {
    let mut groups: BTreeMap<String, Vec<Person>> = BTreeMap::new();
    for person in people {
        let group = groups.entry(folded(person)).or_default();
        if !group.contains(person) {
            group.push(person.clone());
        }
    }
    let mut groups: Vec<Vec<Person>> = groups.into_values().filter(|group| group.len() > 1).collect();
    groups.iter_mut().for_each(|group| group.sort());
    groups.sort_by(|a, b| a[0].cmp(&b[0]));
    groups
}

/// A name folded: without case, separators and the encoding of letters.
fn folded(person: &Person) -> String {
    let letters = person.as_str().nfkc();
    // To capitals and back: `ß` and `ss`, and the two small sigmas, are one.
    let letters = letters.flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    let is_kept = |letter: &char| !letter.is_whitespace() && !matches!(letter, '_' | '-' | '\u{2010}' | '\u{2011}');
    letters.filter(is_kept).nfkc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_case_or_blanks_are_told_together() {
        let people = [
            "Bill_Clinton",
            "Ada",
            "bill clinton",
            "BILLCLINTON",
            "Zoe",
            "Zo\u{eb}",
            "STRASSE",
            "Straße",
            "Ａｄａ",
            "Ann-Marie",
            "Ann Marie",
        ];
        let people = people.map(|name| Person::new(name).unwrap());
        let groups = alike(people.iter().chain(&people));
        let names: Vec<Vec<&str>> = groups.iter().map(|group| group.iter().map(Person::as_str).collect()).collect();
        assert_eq!(names.len(), 4, "{names:?}");
        assert!(names.iter().any(|group| group.len() == 3 && group.contains(&"bill clinton")), "{names:?}");
        assert!(!names.iter().flatten().any(|name| name.starts_with("Zo")), "accents make other names");
    }
}
