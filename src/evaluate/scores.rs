//! The figures of any system's scores: what a table of probes, people and scores tells, by the rules of an own evaluation.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Value, json};

use super::extrapolation::larger_galleries;
use super::figures::{List, curves, insert};
use super::groups::{Counts, groups};
use super::identification::{identification, missed, within};
use super::searches::{Search, Searches};
use super::verification::{Claims, verification};
use super::{
    Bootstrap, CaptureFigures, Figure, Groups, Identification, LargerGallery, PersonDistance,
    ProbeOutcome, ProbeScores, Rate, SearchPoint, Tally, Verification,
};
use crate::dataset::Table;

/// Scores of probes and people, as a table has them: columns `probe`, `person`, `score` (higher for the more alike) and
/// `truth`, the person whom the probe shows; `split` and `group` (of the person shown) may be added. A probe without person
/// and score could not be used. One whose truth is not among the people it was compared with, or is empty, is of a stranger.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreTable {
    /// People by name; strangers without one have their probe's.
    names: Vec<String>,
    /// The group of each.
    groups: Vec<Option<String>>,
    probes: Vec<ProbeScores>,
    /// Probes that could not be used: split and person shown.
    failed: Vec<(usize, usize)>,
}

/// The places of columns.
struct Columns {
    probe: usize,
    person: usize,
    score: usize,
    truth: usize,
    split: Option<usize>,
    group: Option<usize>,
}

impl Columns {
    fn of(heading: &[String]) -> Result<Self, String> {
        let find = |name: &str| {
            let mut fields = heading.iter();
            fields.position(|field| field.trim().eq_ignore_ascii_case(name))
        };
        let needed = |name: &str| {
            find(name).ok_or_else(|| {
                format!(
                    "its first line names no column '{name}'; it is to name probe, person, score and truth, and may name split and group"
                )
            })
        };
        Ok(Self {
            probe: needed("probe")?,
            person: needed("person")?,
            score: needed("score")?,
            truth: needed("truth")?,
            split: find("split"),
            group: find("group"),
        })
    }
}

/// Positions of names, in the order of their first use.
#[derive(Default)]
struct Numbered {
    names: Vec<String>,
    places: HashMap<String, usize>,
}

impl Numbered {
    fn place(&mut self, name: &str) -> usize {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        self.places.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.names.len() - 1
    }
}

/// What the rows so far tell. Probes are told apart by split and label.
#[derive(Default)]
struct Reading {
    people: Numbered,
    splits: Numbered,
    labels: Numbered,
    /// The group of each person, as far as told.
    groups: Vec<Option<String>>,
    probes: BTreeMap<(usize, usize), ProbeScores>,
    /// The person shown by each probe that could not be used.
    failed: BTreeMap<(usize, usize), usize>,
}

impl Reading {
    fn take(&mut self, columns: &Columns, fields: &[String]) -> Result<(), String> {
        let field = |at: usize| fields.get(at).map_or("", |field| field.trim());
        let of = |at: Option<usize>| at.map_or("", field);
        let label = field(columns.probe);
        if label.is_empty() {
            return Err("it names no probe".to_owned());
        }
        let truth = match field(columns.truth) {
            // Nobody knows who else is the same stranger: each probe is its own.
            "" => self.people.place(&format!("\0{label}")),
            truth => self.people.place(truth),
        };
        let key = (
            self.splits.place(of(columns.split)),
            self.labels.place(label),
        );
        self.put_into_group(truth, of(columns.group))?;
        let (person, score) = (field(columns.person), field(columns.score));
        if person.is_empty() && score.is_empty() {
            self.failed.insert(key, truth);
            return Ok(());
        }
        let number = score.parse::<f32>().ok().filter(|score| score.is_finite());
        let number = number.ok_or_else(|| {
            format!("the score '{score}' is no number; higher is to mean more alike")
        })?;
        if person.is_empty() {
            return Err("it names no person for the score".to_owned());
        }
        let person = self.people.place(person) as u32;
        let probe = self.probes.entry(key).or_insert_with(|| ProbeScores {
            face: key.1,
            repeat: key.0,
            person: truth,
            ranked: Vec::new(),
        });
        if probe.person != truth {
            return Err(format!(
                "the probe '{label}' shows somebody else in an earlier line"
            ));
        }
        probe.ranked.push(PersonDistance {
            person,
            distance: -number,
        });
        Ok(())
    }

    /// Puts a person into a group, unless none is told.
    fn put_into_group(&mut self, person: usize, group: &str) -> Result<(), String> {
        if group.is_empty() {
            return Ok(());
        }
        self.groups.resize(self.groups.len().max(person + 1), None);
        match &self.groups[person] {
            Some(other) if other != group => Err(format!(
                "'{}' is in the group '{group}' here and in '{other}' before; a person has one",
                self.people.names[person]
            )),
            _ => {
                self.groups[person] = Some(group.to_owned());
                Ok(())
            }
        }
    }

    fn finish(mut self) -> Result<ScoreTable, String> {
        let is_used = |key: &&(usize, usize)| self.probes.contains_key(key);
        if let Some((_, label)) = self.failed.keys().find(is_used) {
            return Err(format!(
                "the probe '{}' has scores, and a line without person and score, which says that it could not be used",
                self.labels.names[*label]
            ));
        }
        for probe in self.probes.values_mut() {
            probe.ranked.sort_by_key(|found| found.person);
            let mut pairs = probe.ranked.windows(2);
            if let Some(twice) = pairs.find(|pair| pair[0].person == pair[1].person) {
                return Err(format!(
                    "the probe '{}' has two scores for '{}'; give the best, or tell splits apart by a column split",
                    self.labels.names[probe.face], self.people.names[twice[0].person as usize]
                ));
            }
            // Of equally near people the first of the table stays first.
            probe
                .ranked
                .sort_by(|a, b| a.distance.total_cmp(&b.distance));
        }
        if self.probes.is_empty() {
            return Err("it has no score".to_owned());
        }
        let found = |is_own: bool| {
            self.probes.values().any(|probe| {
                let mut ranked = probe.ranked.iter();
                ranked.any(|found| (found.person as usize == probe.person) == is_own)
            })
        };
        for (is_own, person) in [(true, "the probe's own person"), (false, "another person")] {
            if !found(is_own) {
                return Err(format!(
                    "no score is of {person}: errors are measured from scores of both kinds"
                ));
            }
        }
        self.groups.resize(self.people.names.len(), None);
        let failed = self.failed.into_iter();
        Ok(ScoreTable {
            names: self.people.names,
            groups: self.groups,
            probes: self.probes.into_values().collect(),
            failed: failed.map(|((split, _), person)| (split, person)).collect(),
        })
    }
}

impl ScoreTable {
    /// From the rows of a table.
    ///
    /// # Errors
    /// What is wrong, in which line, and what is expected.
    pub fn parse(table: &Table) -> Result<Self, String> {
        let Some((heading, rows)) = table.rows.split_first() else {
            return Err(
                "it is empty; it is to have the columns probe, person, score, truth".to_owned(),
            );
        };
        let columns = Columns::of(&heading.fields)?;
        let mut reading = Reading::default();
        for row in rows {
            let wrong = |problem: String| format!("line {}: {problem}", row.line);
            reading.take(&columns, &row.fields).map_err(wrong)?;
        }
        reading.finish()
    }

    /// Whether any person is in a group.
    pub fn has_groups(&self) -> bool {
        self.groups.iter().any(Option::is_some)
    }

    /// Puts people into groups, by their names.
    pub fn set_groups(&mut self, group: impl Fn(&str) -> Option<String>) {
        self.groups = self.names.iter().map(|name| group(name)).collect();
    }

    /// The people's names; those of strangers without a name are none.
    pub fn people(&self) -> impl Iterator<Item = &str> {
        let names = self.names.iter().map(String::as_str);
        names.filter(|name| !name.starts_with('\0'))
    }

    /// The figures; intervals by draws of this seed.
    pub fn evaluate(&self, seed: u64) -> ScoreEvaluation {
        let bootstrap = Bootstrap::new(self.names.len(), seed);
        let trials: Vec<ProbeOutcome> = self.probes.iter().filter_map(trial).collect();
        let found = within(&trials, 1);
        let claims = Claims::of(&self.probes);
        let by_group = self.has_groups().then(|| {
            let counts = Counts {
                missed: missed(&trials),
                strangers_named: Tally::default(),
                not_named: Tally::default(),
                claims: &claims,
            };
            groups(&self.groups, &counts, &bootstrap)
        });
        let enrolled = self.probes.iter().map(|probe| probe.ranked.len()).max();
        let enrolled = enrolled.unwrap_or(0);
        let score = |distance: f32| -f64::from(distance);
        ScoreEvaluation {
            seed,
            people: self.people().count(),
            enrolled,
            probes: self.probes.len(),
            strangers: self.probes.len() - trials.len(),
            capture: self.capture(&found, &bootstrap),
            verification: verification(&self.probes, &bootstrap),
            open_set: self.open_set(trials.len(), &bootstrap),
            larger_galleries: larger_galleries(&self.probes, enrolled, &score),
            groups: by_group,
            identification: identification(trials, enrolled, &bootstrap),
        }
    }

    fn open_set(&self, mated: usize, bootstrap: &Bootstrap) -> Option<ScoreOpenSet> {
        let search = |probe: &ProbeScores| {
            let is_own = |found: &PersonDistance| found.person as usize == probe.person;
            let best = probe.ranked.first();
            Search {
                split: probe.repeat,
                person: probe.person,
                is_mated: probe.ranked.iter().any(is_own),
                score: best.map_or(f64::NEG_INFINITY, |best| f64::from(best.score())),
                right: best.is_some_and(is_own),
            }
        };
        let searches = Searches::new(self.probes.iter().map(search));
        (!searches.is_empty()).then(|| ScoreOpenSet {
            at_1_percent: searches.rate(0.01, mated as f64, bootstrap),
            at_10_percent: searches.rate(0.10, mated as f64, bootstrap),
            fpir_fnir: searches.curve(bootstrap),
        })
    }

    /// `None` where every probe could be used.
    fn capture(&self, found: &Tally, bootstrap: &Bootstrap) -> Option<CaptureFigures> {
        let used: BTreeSet<usize> = self.probes.iter().map(|probe| probe.person).collect();
        let failed: BTreeSet<usize> = self.failed.iter().map(|failed| failed.1).collect();
        let everybody = used.union(&failed);
        let not_enrolled = everybody.map(|person| (0, *person, !used.contains(person)));
        let not_enrolled: Tally = not_enrolled.collect();
        let usable = self.probes.iter().map(|probe| (0, probe.person, false));
        let mut unusable: Tally = usable.collect();
        let mut with_failures = found.clone();
        for &(split, person) in &self.failed {
            unusable.add(0, person, true);
            with_failures.add(split, person, false);
        }
        let rate = |tally: &Tally| tally.rate(bootstrap);
        (!self.failed.is_empty()).then(|| CaptureFigures {
            photos: self.probes.len() + self.failed.len(),
            aligned_without_face: 0,
            failure_to_acquire: rate(&unusable),
            no_face: rate(&unusable),
            failure_to_enrol: rate(&not_enrolled),
            rank1: rate(&with_failures),
        })
    }
}

/// A probe of somebody it was compared with; `None` of a stranger.
fn trial(probe: &ProbeScores) -> Option<ProbeOutcome> {
    let distances = probe.ranked.iter();
    let ranked: Vec<(usize, f64)> = distances
        .map(|found| (found.person as usize, f64::from(found.distance)))
        .collect();
    ProbeOutcome::of((probe.face, probe.person, probe.repeat), &ranked, 0.0)
}

/// Figures of a table of scores.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreEvaluation {
    /// The seed of the intervals' draws.
    pub seed: u64,
    /// People with a name.
    pub people: usize,
    /// People that a probe was compared with, at most.
    pub enrolled: usize,
    /// Probes with scores, and those of them that show a stranger.
    pub probes: usize,
    /// See [`probes`](Self::probes).
    pub strangers: usize,
    /// Where the person shown is among those compared with.
    pub identification: Identification,
    /// Every score as a claim.
    pub verification: Verification,
    /// Where there are strangers.
    pub open_set: Option<ScoreOpenSet>,
    /// Where probes could not be used.
    pub capture: Option<CaptureFigures>,
    /// Where people are in groups.
    pub groups: Option<Groups>,
    /// Rates with more people enrolled.
    pub larger_galleries: Vec<LargerGallery>,
}

/// Searches among people with strangers.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreOpenSet {
    /// Identified where 1 % of strangers pass.
    pub at_1_percent: Rate,
    /// Identified where 10 % pass.
    pub at_10_percent: Rate,
    /// FNIR at FPIR.
    pub fpir_fnir: Vec<SearchPoint>,
}

impl ScoreEvaluation {
    /// Every figure, subject by subject.
    pub fn figures(&self) -> Vec<Figure> {
        let mut list = List::default();
        list.identification(&self.identification);
        list.verification(&self.verification);
        if let Some(open_set) = &self.open_set {
            list.searches("open_set.", "1pct", "1 %", &open_set.at_1_percent);
            list.searches("open_set.", "10pct", "10 %", &open_set.at_10_percent);
        }
        self.capture.iter().for_each(|found| list.capture(found));
        self.groups.iter().for_each(|groups| list.groups(groups));
        list.larger_galleries(&self.larger_galleries);
        list.figures
    }

    /// All of it as an object, its fields named as those of an evaluation.
    pub fn object(&self) -> Value {
        let cmc = self.identification.cmc.iter().map(|rate| rate.mean);
        let open_set = self.open_set.as_ref();
        let open_set = open_set.map(|set| json!({ "fpir_fnir": set.fpir_fnir }));
        let mut object = json!({
            "protocol": "from-scores",
            "seed": self.seed,
            "people": self.people,
            "enrolled": self.enrolled,
            "probes": self.probes,
            "strangers": self.strangers,
            "cmc": cmc.collect::<Vec<_>>(),
            "open_set": open_set,
        });
        curves(
            &mut object,
            &self.verification,
            self.groups.as_ref(),
            &self.larger_galleries,
        );
        insert(&mut object, &self.figures());
        object
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{TableEncoding, TableRow};

    fn parse(text: &str) -> Result<ScoreTable, String> {
        let rows = (1..).zip(text.lines()).map(|(line, row)| TableRow {
            line,
            fields: row.split(',').map(str::to_owned).collect(),
        });
        ScoreTable::parse(&Table {
            rows: rows.collect(),
            encoding: TableEncoding::Unicode,
        })
    }

    #[test]
    fn probes_are_of_people_or_strangers_or_failed() {
        let table = parse(
            "probe,person,score,truth,group\na1,Ada,2,Ada,x\na1,Bo,1,Ada,x\nb1,Ada,3,Bo,y\nb1,Bo,2,Bo,y\ns,Ada,1.5,,\ns,Bo,0,,\nf,,,Ada,x\n",
        )
        .unwrap();
        let found = table.evaluate(0);
        assert_eq!((found.people, found.probes, found.strangers), (2, 3, 1));
        assert_eq!(found.identification.rank1.mean, 0.5);
        assert_eq!(
            (found.verification.genuine, found.verification.impostors),
            (2, 4)
        );
        let open_set = found.open_set.as_ref().unwrap();
        assert_eq!(
            open_set.at_1_percent.mean, 0.5,
            "one passes the stranger, who has 1.5"
        );
        let capture = found.capture.as_ref().unwrap();
        assert_eq!(capture.failure_to_acquire.mean, 0.25);
        assert_eq!(capture.rank1.mean, 1.0 / 3.0);
        assert_eq!(found.groups.as_ref().unwrap().groups.len(), 2);
        let object = found.object();
        assert_eq!(object["rank1"], 0.5);
        assert_eq!(
            object["open_set"]["detection_identification_rate_at_far_1pct"],
            0.5
        );
    }

    #[test]
    fn wrong_tables_are_told_by_line() {
        let head = "probe,person,score,truth\n";
        for (text, words) in [
            ("".to_owned(), "empty"),
            ("a,b,c\n1,2,3\n".to_owned(), "no column 'probe'"),
            (head.to_owned(), "no score"),
            (format!("{head}a,Ada,x,Ada\n"), "line 2: the score 'x'"),
            (format!("{head}a,Ada,inf,Ada\n"), "line 2: the score 'inf'"),
            (format!("{head}a,Ada\n"), "line 2: the score ''"),
            (format!("{head},Ada,1,Ada\n"), "line 2: it names no probe"),
            (format!("{head}a,,1,Ada\n"), "line 2: it names no person"),
            (
                format!("{head}a,Ada,1,Ada\na,Bo,1,Bo\n"),
                "line 3: the probe 'a' shows somebody else",
            ),
            (
                format!("{head}a,Ada,1,Ada\na,Ada,2,Ada\n"),
                "two scores for 'Ada'",
            ),
            (format!("{head}a,Ada,1,Ada\na,,,Ada\n"), "could not be used"),
            (
                "probe,person,score,truth,group\na,Ada,1,Ada,x\nb,Ada,1,Ada,y\n".to_owned(),
                "line 3: 'Ada' is in the group 'y'",
            ),
        ] {
            let problem = parse(&text).unwrap_err();
            assert!(problem.contains(words), "{text:?}: {problem}");
        }
    }
}
