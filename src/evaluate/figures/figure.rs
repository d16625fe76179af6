//! One figure, and how it is said: in words, and as the row of a table.

use crate::decision::share;
use crate::evaluate::Rate;

/// One number, with all that is said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The subject that it belongs to.
    pub section: Section,
    /// The field of JSON, and the name in CSV; a dot stands before a field within another.
    pub key: String,
    /// A name of a few words.
    pub label: String,
    /// The number.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
    /// Its intervals, of a rate.
    pub rate: Option<Rate>,
    /// Whether photos that could not be used count in it.
    pub failures: Failures,
    /// The section that shows it.
    pub detail: Detail,
    /// Its meaning, as the end of a sentence that begins with the number.
    pub meaning: String,
}

/// The subjects of figures, in the order that they are shown in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// Everybody is enrolled: whose photo is it?
    #[default]
    Identification,
    /// Is it who they say they are?
    Verification,
    /// People who are not enrolled.
    Strangers,
    /// Faces and other pictures.
    NotAFace,
    /// Photos that could not be used.
    Capture,
    /// Bytes of a face.
    Compression,
    /// Groups of people.
    Groups,
    /// The methods of the textbooks.
    Baselines,
    /// The first K eigenfaces.
    Weights,
}

/// The unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A share, shown as per cent.
    Share,
    /// A number from 0 to 1, shown with three decimals.
    Area,
    /// A ratio.
    Ratio,
    /// A whole number.
    Count,
}

/// Whether photos that could not be used count in a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failures {
    /// They do not.
    Excluded,
    /// They do.
    Included,
    /// It is about something else.
    Irrelevant,
}

/// Where a figure is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Everywhere.
    Main,
    /// Not in text, which is read on a screen.
    Fine,
}

impl Section {
    /// Each with its name and its heading.
    pub(super) const NAMES: [(&'static str, &'static str, Self); 9] = [
        ("identification", "Everybody is enrolled (closed set)", Self::Identification),
        ("verification", "Claims to be somebody (verification)", Self::Verification),
        ("strangers", "Strangers too (open set)", Self::Strangers),
        ("not-a-face", "Face or not", Self::NotAFace),
        ("capture", "Photos that could not be used", Self::Capture),
        ("compression", "Compression", Self::Compression),
        ("groups", "Groups of people", Self::Groups),
        ("baselines", "Rank-1 of other methods on the same folds", Self::Baselines),
        ("weights", "Rank-1 by the number of weights", Self::Weights),
    ];

    pub(super) fn named(name: &str) -> Self {
        let found = Self::NAMES.iter().find(|(own, ..)| *own == name);
        found.map_or_else(Self::default, |found| found.2)
    }

    /// Its heading.
    pub fn title(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(.., own)| *own == self);
        found.map_or("", |found| found.1)
    }

    /// Whether JSON has its figures in lists of their own.
    pub(super) fn is_listed(self) -> bool {
        matches!(self, Self::Groups | Self::Baselines | Self::Weights)
    }
}

named!(Unit { Share = "share", Area = "area", Ratio = "ratio", Count = "count" });

named!(Detail { Main = "main", Fine = "fine" });

named!(Failures { Excluded = "excluded", Included = "included", Irrelevant = "" });

impl Rate {
    /// As figures are given: with its spread over repeats, if there is one, and its interval.
    pub fn in_words(&self) -> String {
        let spread = self.standard_deviation.map_or_else(String::new, |spread| format!(" ± {:.1}", spread * 100.0));
        let [low, high] = self.interval.map(|end| end * 100.0);
        format!("{}{spread} ({low:.1} to {high:.1})", share(self.mean))
    }

    /// The rate of the others: 1 less it.
    pub fn complement(&self) -> Self {
        let turned = |[low, high]: [f64; 2]| [1.0 - high, 1.0 - low];
        Self { mean: 1.0 - self.mean, interval: turned(self.interval), wilson: turned(self.wilson), ..*self }
    }
}

impl Figure {
    /// The value as it is read, with its interval.
    pub fn in_words(&self) -> String {
        match (&self.rate, self.unit) {
            (Some(rate), _) => rate.in_words(),
            (None, Unit::Share) => share(self.value),
            (None, Unit::Area) => format!("{:.3}", self.value),
            (None, Unit::Ratio) => format!("{:.1}", self.value),
            (None, Unit::Count) => format!("{:.0}", self.value),
        }
    }

    /// Columns of a table of figures, by [`row`](Self::row).
    pub const COLUMNS: &'static str =
        "figure,value,low,high,standard_deviation,interval,wilson_low,wilson_high,failures";

    /// Its row in a table.
    pub fn row(&self) -> Vec<String> {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let of_rate = |of: fn(&Rate) -> f64| number(self.rate.as_ref().map(of));
        let method = self.rate.map_or("", |rate| rate.method.name());
        vec![
            self.key.clone(),
            self.value.to_string(),
            of_rate(|rate| rate.interval[0]),
            of_rate(|rate| rate.interval[1]),
            number(self.rate.and_then(|rate| rate.standard_deviation)),
            method.to_owned(),
            of_rate(|rate| rate.wilson[0]),
            of_rate(|rate| rate.wilson[1]),
            self.failures.name().to_owned(),
        ]
    }
}
