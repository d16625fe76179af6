//! The history of a gallery: the time at which each person's faces were enrolled and removed.
//!
//! People have numbers, given in the order in which they were first enrolled and never given again. Records speak of
//! numbers only; who is who stands in one table, of those who are enrolled. So no record is ever rewritten, and
//! whoever is erased leaves a number behind, but no name.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::undo::LastChange;
use super::{FolderScan, Gallery};
use crate::dataset::{ContentHash, Person};

/// The largest number a person can have: JSON readers keep integers exactly up to here.
const LARGEST: u64 = 1 << 53;

/// The append-only log of a gallery.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct History {
    /// The number of everybody who is enrolled, by name.
    people: BTreeMap<String, u64>,
    records: Vec<Record>,
    /// Names that people had before they were renamed or merged; folders may still have them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    aliases: BTreeMap<String, u64>,
    /// The last changes, which can be undone one after the other, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    steps: Vec<Step>,
    #[serde(default)]
    changes: u64,
    /// Findings about faces that a person has called no mistake.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    fine: BTreeSet<Fine>,
    /// Hashes of faces, not enrolled, that a person has called nobody's.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    nobodys: BTreeSet<ContentHash>,
}

/// A finding that is no mistake: what was found, of which faces (their hashes), enrolled as whom (their numbers).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Fine(String, Vec<(ContentHash, u64)>);

/// A change that can be undone, and the names before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Step {
    #[serde(default)]
    number: u64,
    change: LastChange,
    /// The numbers of people whose names the change took, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    people: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    aliases: BTreeMap<String, u64>,
}

const MOST_STEPS: usize = 20;

/// One change of the gallery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Time in seconds since 1970 (UTC), by the clock of the machine.
    pub time: u64,
    /// The change.
    #[serde(flatten)]
    pub event: Event,
}

/// A change of the gallery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// Number of faces added, of each of these people.
    Enrolled(Vec<Tally>),
    /// Number of faces erased, of each of these people.
    Removed(Vec<Tally>),
    /// A person got another name.
    Renamed(u64),
    /// The faces of the first became those of the second.
    Merged(u64, u64),
}

/// A person's number, and how many faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally(pub u64, pub usize);

/// The time of a change, in seconds since 1970: that of `SOURCE_DATE_EPOCH` where it is set, so that a model can be
/// made again to the byte (reproducible-builds.org), or else that of the clock.
pub fn change_time() -> u64 {
    std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or_else(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |time| time.as_secs())
    })
}

impl History {
    /// Changes, oldest first.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The name of each number. Numbers that are missing are of people who are enrolled no longer.
    pub fn names(&self) -> BTreeMap<u64, &str> {
        self.people.iter().map(|(name, &number)| (number, name.as_str())).collect()
    }

    /// The last change that can be undone.
    pub fn last_change(&self) -> Option<&LastChange> {
        self.last_step().map(|(_, change)| change)
    }

    /// The last change that can be undone, and its number, which no other change of this gallery has.
    pub fn last_step(&self) -> Option<(u64, &LastChange)> {
        self.steps.last().map(|step| (step.number, &step.change))
    }

    /// Makes the last change and the one before it one, to be undone at once, where both are of faces.
    pub fn join(&mut self) {
        let Some(mut last) = self.steps.pop() else { return };
        if let Some(before) = self.steps.last_mut() {
            let Some(change) = before.change.join(last.change) else {
                last.people.append(&mut before.people);
                before.people = last.people;
                return;
            };
            last.change = change;
        }
        self.steps.push(last);
    }

    /// Records that a finding about faces of a gallery (their positions) is no mistake, as long as they stay enrolled as they are.
    pub fn call_fine(&mut self, finding: &str, faces: &[usize], gallery: &Gallery) {
        self.fine.extend(self.finding(finding, faces, gallery));
    }

    /// Whether somebody has called that no mistake.
    pub fn is_fine(&self, finding: &str, faces: &[usize], gallery: &Gallery) -> bool {
        let finding = self.finding(finding, faces, gallery);
        finding.is_some_and(|finding| self.fine.contains(&finding))
    }

    /// Records that a face of a photo is nobody's, for as long as it is not enrolled.
    pub fn call_nobodys(&mut self, face: ContentHash) {
        self.nobodys.insert(face);
    }

    /// Whether somebody has called a face nobody's.
    pub fn is_nobodys(&self, face: ContentHash) -> bool {
        self.nobodys.contains(&face)
    }

    fn finding(&self, finding: &str, faces: &[usize], gallery: &Gallery) -> Option<Fine> {
        let face = |&at: &usize| {
            let face = gallery.enrolled().get(at)?;
            let number = self.people.get(gallery.people()[face.person].as_str())?;
            Some((face.hash, *number))
        };
        Some(Fine(finding.to_owned(), faces.iter().map(face).collect::<Option<Vec<_>>>()?))
    }

    /// The name now of somebody who was called `name` before they were renamed or merged.
    pub fn current_name(&self, name: &Person) -> Option<&str> {
        let number = self.aliases.get(name.as_str())?;
        let mut people = self.people.iter();
        people.find_map(|(name, is)| (is == number).then_some(name.as_str()))
    }

    /// Gives photos of folders with a person's earlier name the present one; the names replaced, and by what, each once.
    pub fn resolve(&self, folder: &mut FolderScan) -> BTreeMap<Person, Person> {
        let mut resolved = BTreeMap::new();
        let known = folder.known.iter_mut().map(|photo| &mut photo.person);
        let new = folder.new.iter_mut().map(|photo| &mut photo.person);
        for person in known.chain(new) {
            let Some(Ok(name)) = self.current_name(person).map(Person::new) else { continue };
            resolved.insert(std::mem::replace(person, name.clone()), name);
        }
        resolved
    }

    /// Records which faces were added and removed between two states of the gallery; nothing if none were.
    pub fn record(&mut self, time: u64, before: &Gallery, after: &Gallery) {
        let names = (self.people.clone(), self.aliases.clone());
        self.number(after);
        after.hashes().for_each(|hash| _ = self.nobodys.remove(&hash));
        let removed = self.tally(before, after);
        let enrolled = self.tally(after, before);
        let events = [(removed, Event::Removed as fn(_) -> _), (enrolled, Event::Enrolled)];
        for (tally, event) in events {
            if !tally.is_empty() {
                self.records.push(Record { time, event: event(tally) });
            }
        }
        self.forget(after);
        if let Some(change) = LastChange::between(before, after) {
            self.step(change, names);
        }
        self.forget_erased(after);
    }

    /// Records a new name of a person. The earlier name stays known, for their folder has it.
    pub fn rename(&mut self, time: u64, from: &Person, to: &Person) {
        let names = (self.people.clone(), self.aliases.clone());
        if let Some(number) = self.people.remove(from.as_str()) {
            self.people.insert(to.to_string(), number);
            self.aliases.insert(from.to_string(), number);
            self.aliases.remove(to.as_str());
            self.records.push(Record { time, event: Event::Renamed(number) });
            self.step(LastChange::Renamed { from: from.to_string(), to: to.to_string() }, names);
        }
    }

    /// Stores an undo step: the change, and the names (people's and earlier ones) before it.
    fn step(&mut self, change: LastChange, names: (BTreeMap<String, u64>, BTreeMap<String, u64>)) {
        let (mut people, aliases) = names;
        people.retain(|name, number| self.people.get(name) != Some(number));
        self.changes += 1;
        self.steps.push(Step { number: self.changes, change, people, aliases });
        let over = self.steps.len().saturating_sub(MOST_STEPS);
        self.steps.drain(..over);
    }

    /// Removes faces and names that are no longer enrolled from all undo steps: what was erased is in no step.
    fn forget_erased(&mut self, gallery: &Gallery) {
        let hashes: HashSet<ContentHash> = gallery.hashes().collect();
        self.fine.retain(|Fine(_, faces)| faces.iter().all(|(hash, _)| hashes.contains(hash)));
        // Names that a merger replaced are kept while undoing it can restore them: their faces are still enrolled.
        let mut reachable: HashSet<u64> = self.people.values().copied().collect();
        for step in &mut self.steps {
            step.change.forget_faces(&hashes);
            let merged = step.people.iter().filter(|(name, _)| step.change.gives_back(name));
            reachable.extend(merged.map(|(_, number)| number));
        }
        let mut names: HashSet<String> = self.people.keys().cloned().collect();
        for step in &mut self.steps {
            step.people.retain(|_, number| reachable.contains(number));
            step.aliases.retain(|_, number| reachable.contains(number));
            names.extend(step.people.keys().cloned());
        }
        for step in &mut self.steps {
            step.change.forget_people(&names);
        }
        self.steps.retain(|step| !step.change.is_nothing(&names));
    }

    /// Forgets what a person was called before. The change that renamed them cannot be undone then.
    pub fn forget_earlier_names(&mut self, person: &Person) {
        let number = self.people.get(person.as_str()).copied();
        self.aliases.retain(|_, of| Some(*of) != number);
        self.steps.clear();
    }

    /// Records that the faces of these people now belong to another.
    pub fn merge(&mut self, time: u64, from: &[Person], into: &Person, before: &Gallery, after: &Gallery) {
        let Some(&number) = self.people.get(into.as_str()) else { return };
        let names = (self.people.clone(), self.aliases.clone());
        for from in from {
            let Some(gone) = self.people.remove(from.as_str()) else { continue };
            for alias in self.aliases.values_mut().filter(|alias| **alias == gone) {
                *alias = number;
            }
            self.aliases.insert(from.to_string(), number);
            self.records.push(Record { time, event: Event::Merged(gone, number) });
        }
        if let Some(change) = LastChange::between(before, after) {
            self.step(change, names);
        }
    }

    /// Records that the last change was undone, which leads from `before` to `after`: names and earlier names are as they were
    /// before that change. The undo itself cannot be undone; the change before becomes the last one.
    pub fn undo(&mut self, time: u64, before: &Gallery, after: &Gallery) {
        let Some(step) = self.steps.pop() else { return };
        let earlier = std::mem::take(&mut self.steps);
        self.people.extend(step.people);
        match step.change {
            LastChange::Renamed { from, to } => {
                if let (Ok(from), Ok(to)) = (Person::new(&from), Person::new(&to)) {
                    self.rename(time, &to, &from);
                }
            }
            LastChange::Begun | LastChange::Faces { .. } => self.record(time, before, after),
        }
        self.steps = earlier;
        self.aliases = step.aliases;
        self.forget(after);
        self.forget_erased(after);
    }

    /// Whether this history belongs to that gallery: everybody has a number of their own, and nobody else has a name.
    pub fn fits(&self, gallery: &Gallery) -> bool {
        let numbers: HashSet<u64> = self.people.values().copied().collect();
        self.people.len() == gallery.people().len()
            && numbers.len() == self.people.len()
            && self.numbers().all(|number| (1..=LARGEST).contains(&number))
            && gallery.people().iter().all(|person| self.people.contains_key(person.as_str()))
            && self.aliases.iter().all(|(alias, number)| numbers.contains(number) && !self.people.contains_key(alias))
    }

    /// Gives a number to everybody who has none.
    fn number(&mut self, gallery: &Gallery) {
        let mut next = self.numbers().max().unwrap_or(0) + 1;
        for person in gallery.people() {
            if !self.people.contains_key(person.as_str()) {
                self.people.insert(person.to_string(), next);
                next += 1;
            }
        }
    }

    /// Drops the names of those who are enrolled no longer, and earlier names that are somebody's now.
    fn forget(&mut self, gallery: &Gallery) {
        let there: HashSet<&str> = gallery.people().iter().map(Person::as_str).collect();
        self.people.retain(|name, _| there.contains(name.as_str()));
        let numbers: HashSet<u64> = self.people.values().copied().collect();
        self.aliases.retain(|alias, number| numbers.contains(number) && !there.contains(alias.as_str()));
    }

    /// Number of faces of each person that one gallery has and the other has not, by number.
    fn tally(&self, these: &Gallery, those: &Gallery) -> Vec<Tally> {
        let key = |gallery: &Gallery, at: usize| -> (ContentHash, String) {
            let face = &gallery.enrolled()[at];
            (face.hash, gallery.people()[face.person].to_string())
        };
        let there: HashSet<_> = (0..those.len()).map(|at| key(those, at)).collect();
        let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
        for (_, name) in (0..these.len()).map(|at| key(these, at)).filter(|key| !there.contains(key)) {
            if let Some(&number) = self.people.get(&name) {
                *counts.entry(number).or_default() += 1;
            }
        }
        counts.into_iter().map(|(person, faces)| Tally(person, faces)).collect()
    }

    /// Every number that was ever given, perhaps several times.
    fn numbers(&self) -> impl Iterator<Item = u64> {
        let in_records = self.records.iter().flat_map(|record| match &record.event {
            Event::Enrolled(tally) | Event::Removed(tally) => tally.iter().map(|Tally(person, _)| *person).collect(),
            Event::Renamed(person) => vec![*person],
            Event::Merged(from, into) => vec![*from, *into],
        });
        self.people.values().copied().chain(in_records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face_matrix::FaceSize;
    use crate::gallery::LabeledFace;
    use crate::preparation::Origin;

    fn gallery(people: &str) -> Gallery {
        let faces = people.chars().zip(0..).map(|(person, number): (char, u8)| LabeledFace {
            person: Person::new(&person.to_string()).unwrap(),
            source: String::new(),
            hash: ContentHash::of(&[number]),
            pixels: vec![number; 64].into(),
            origin: Origin::Whole,
        });
        Gallery::assemble(FaceSize::new(8, 8).unwrap(), faces.collect()).unwrap().0
    }

    fn empty() -> Gallery {
        gallery("")
    }

    #[test]
    fn a_finding_is_fine_for_as_long_as_its_faces_are_enrolled_as_they_are() {
        let mut history = History::default();
        let all = gallery("aabb");
        history.record(10, &empty(), &all);
        history.call_fine("same", &[0, 2], &all);
        history.call_fine("odd", &[9], &all);
        assert!(history.is_fine("same", &[0, 2], &all));
        for other in [&[0][..], &[2, 0], &[0, 3], &[1, 2], &[9]] {
            assert!(!history.is_fine("same", other, &all), "{other:?}");
        }
        assert!(!history.is_fine("odd", &[0, 2], &all));
        assert!(!history.is_fine("odd", &[9], &all));
        history.rename(20, &Person::new("a").unwrap(), &Person::new("c").unwrap());
        let without = gallery("aabb").without(&[2]);
        history.record(30, &all, &without);
        assert!(history.fine.is_empty());
    }

    #[test]
    fn who_is_erased_leaves_a_number_but_no_name() {
        let mut history = History::default();
        let (all, without_b) = (gallery("aabbc"), gallery("aabbc").without(&[2, 3]));
        history.record(10, &empty(), &all);
        history.record(20, &all, &without_b);
        let events: Vec<Event> = history.records().iter().map(|record| record.event.clone()).collect();
        let enrolled = Event::Enrolled(vec![Tally(1, 2), Tally(2, 2), Tally(3, 1)]);
        assert_eq!(events, [enrolled, Event::Removed(vec![Tally(2, 2)])]);
        assert_eq!(history.names(), BTreeMap::from([(1, "a"), (3, "c")]));
        assert!(history.fits(&without_b) && !history.fits(&all));
        assert!(!serde_json::to_string(&history).unwrap().contains("\"b\""));
        // A number is never given again.
        history.record(30, &without_b, &all);
        assert_eq!(history.names(), BTreeMap::from([(1, "a"), (3, "c"), (4, "b")]));
        // Nothing happened: nothing is said.
        history.record(40, &all, &all);
        assert_eq!(history.records().len(), 3);
    }

    #[test]
    fn names_change_and_numbers_stay() {
        let person = |name| Person::new(name).unwrap();
        let mut history = History::default();
        history.record(1, &empty(), &gallery("ab"));
        history.rename(2, &person("a"), &person("z"));
        let before = gallery("zb");
        let after = before.clone().renamed(&[0], &person("z"));
        history.merge(3, &[person("b")], &person("z"), &before, &after);
        assert_eq!(history.names(), BTreeMap::from([(1, "z")]));
        let text = serde_json::to_string(&history).unwrap();
        let records = r#"[{"time":1,"enrolled":[[1,1],[2,1]]},{"time":2,"renamed":1},{"time":3,"merged":[2,1]}]"#;
        let aliases = r#"{"a":1,"b":1}"#;
        let start = format!(r#"{{"people":{{"z":1}},"records":{records},"aliases":{aliases},"steps""#);
        assert!(text.starts_with(&start), "{text}");
        assert_eq!(serde_json::from_str::<History>(&text).unwrap(), history);
    }

    #[test]
    fn folders_keep_the_names_that_people_had() {
        let person = |name| Person::new(name).unwrap();
        let mut history = History::default();
        history.record(1, &empty(), &gallery("ab"));
        history.rename(2, &person("a"), &person("x"));
        history.rename(3, &person("x"), &person("y"));
        assert_eq!(history.current_name(&person("a")), Some("y"));
        assert_eq!(history.current_name(&person("x")), Some("y"));
        assert_eq!(history.current_name(&person("b")), None);
        // Who gets an earlier name has it.
        history.rename(4, &person("b"), &person("a"));
        assert_eq!(history.current_name(&person("a")), None);
        assert_eq!(history.current_name(&person("b")), Some("a"));
        // Who is erased leaves none of their names.
        history.record(5, &gallery("ya"), &gallery("ya").without(&[0]));
        assert!(history.aliases.is_empty() || !history.aliases.contains_key("b"));
    }

    #[test]
    fn histories_of_others_do_not_fit() {
        let both = gallery("ab");
        let mut own = History::default();
        own.record(1, &gallery(""), &both);
        assert!(own.fits(&both));
        for text in [
            r#"{"people":{"a":1,"b":1},"records":[]}"#,
            r#"{"people":{"a":1,"b":0},"records":[]}"#,
            r#"{"people":{"a":1,"b":9007199254740993},"records":[]}"#,
            r#"{"people":{"a":1,"c":2},"records":[]}"#,
            r#"{"people":{"a":1},"records":[]}"#,
            r#"{"people":{"a":1,"b":2},"records":[{"time":0,"renamed":18446744073709551615}]}"#,
        ] {
            assert!(!serde_json::from_str::<History>(text).unwrap().fits(&both), "{text}");
        }
    }
}
