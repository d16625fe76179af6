//! The report: one self-contained HTML page about a gallery and how well its people are recognised.
//!
//! The template is templates/report.html; it escapes whatever it is given but for the drawings, which escape
//! their own text. Names of people and paths come from strangers.

mod components;
mod fixes;

use askama::Template;
use image::DynamicImage;

use super::confusion;
use super::drawing::data_uri;
use super::evaluation::{self, FigureSection, inside_script, sections};
use super::words::{counted, percent};
use super::{gray, parts, scree};
use crate::dataset::visible;
use crate::error::{Error, Result};
use crate::evaluate::{Evaluation, Figure as Measured};
use crate::face_space::Weights;
use crate::gallery::Gallery;
use crate::matcher::Space;

/// Pairs shown under each heading.
const PAIRS_SHOWN: usize = 12;

/// The confusion matrix is drawn for at most so many people; of more, a list of confusions can be read better.
const MATRIX_PEOPLE: usize = 25;

const CONFUSIONS_SHOWN: usize = 30;

/// The data of a report.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// The faces, learned from and tried.
    pub gallery: &'a Gallery,
    /// The space of all of them.
    pub space: &'a Space,
    /// Their weights in it, k x n.
    pub weights: &'a Weights,
    /// Each eigenvalue over the total variance, those of basis faces that are not kept too.
    pub ratios: &'a [f64],
    /// The evaluation of the people's recognition.
    pub evaluation: &'a Evaluation,
    /// The evaluation as `evaluate --format json` prints it.
    pub json: &'a str,
    /// Of what and when the page is made, in a sentence.
    pub origin: &'a str,
    /// What the figures hold for: names and values.
    pub conditions: &'a [(&'static str, String)],
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    heading: String,
    origin: String,
    protocol: String,
    summary: Vec<Figure>,
    fixes: Vec<Fix>,
    parts: &'static str,
    mean: String,
    basis_intro: String,
    basis: Vec<Tile>,
    basis_note: String,
    variance_note: String,
    variance: String,
    components: String,
    scatter: String,
    is_crowd: bool,
    recognition_note: String,
    recognition: Vec<String>,
    has_strangers: bool,
    strangers_note: String,
    sections: Vec<FigureSection<'a>>,
    worst: Vec<Pair>,
    confusions: Vec<ConfusionRow>,
    confusion: Option<String>,
    people: Vec<PersonRow>,
    conditions: &'a [(&'static str, String)],
    version: &'static str,
    json: String,
}

struct Figure {
    name: String,
    value: String,
    meaning: String,
}

struct Tile {
    picture: String,
    name: String,
    source: String,
}

/// Pictures side by side and what is said of them.
struct Pair {
    tiles: Vec<Tile>,
    note: String,
}

struct Fix {
    heading: String,
    advice: &'static str,
    pairs: Vec<Pair>,
    more: usize,
}

/// A count of photos of a person taken for another's.
struct ConfusionRow {
    person: String,
    named: String,
    count: usize,
    tried: usize,
}

struct PersonRow {
    name: String,
    photos: usize,
    probes: usize,
    right: usize,
    share: String,
}

/// The page as HTML.
///
/// # Errors
/// [`Error::Inconsistent`] where the parts do not belong together.
pub fn html(report: &Report<'_>) -> Result<String> {
    let faces = report.gallery.len();
    let fits = report.weights.shape() == (report.space.components(), faces)
        && report.gallery.faces().size() == report.space.size()
        && report.evaluation.faces == faces
        && report.evaluation.people == report.gallery.people().len();
    if !fits {
        return Err(Error::Inconsistent);
    }
    report
        .page(&report.evaluation.figures())
        .render()
        .map_err(|_| Error::Inconsistent)
}

impl Report<'_> {
    fn page<'a>(&'a self, figures: &'a [Measured]) -> Page<'a> {
        let (space, found) = (self.space, self.evaluation);
        let (part, parts) = parts(space);
        let mean: Vec<f32> = space.mean().iter().map(|&level| level as f32).collect();
        let open_set = found.open_set.as_ref();
        Page {
            heading: format!(
                "{} of {}",
                counted(found.faces, "face", "faces"),
                counted(found.people, "person", "people")
            ),
            origin: visible(self.origin),
            protocol: format!(
                "Protocol {}: learned anew {}, {}{}. All is learned inside each fold; what is tried was never seen.",
                found.protocol,
                counted(found.folds, "time", "times"),
                counted(found.probes, "probe", "probes"),
                match found.never_tried {
                    0 => String::new(),
                    never => format!(" ({} never tried)", counted(never, "face", "faces")),
                }
            ),
            summary: self.summary(figures),
            fixes: self.fixes(),
            parts,
            mean: data_uri(&gray(space.size(), &mean).into()),
            basis_intro: self.basis_intro(),
            basis: self.basis(),
            basis_note: format!(
                "The first {parts} of {}, {} pixels.",
                counted(space.components(), part, parts),
                space.size()
            ),
            variance_note: format!(
                "{} keep {} of the variance: a face is {} instead of {}, {} of the size.",
                counted(space.components(), part, parts),
                percent(space.variance_kept()),
                counted(space.components(), "weight", "weights"),
                counted(space.size().pixels(), "pixel", "pixels"),
                percent(found.compression.share),
            ),
            variance: scree(part, self.ratios, space.components()),
            components: counted(space.components(), "weight", "weights"),
            scatter: self.scatter(),
            is_crowd: self.gallery.people().len() > super::scatter::CROWD,
            recognition_note: self.recognition_note(),
            recognition: evaluation::of_evaluation(self.evaluation),
            sections: sections(figures),
            has_strangers: open_set.is_some(),
            strangers_note: open_set.map_or_else(String::new, |open_set| {
                format!(
                    "People were split {}: {} enrolled with half of their photos, the others strangers. {} of people enrolled and {} of strangers were tried.",
                    counted(open_set.splits, "time", "times"),
                    open_set.enrolled,
                    counted(open_set.genuine, "photo", "photos"),
                    counted(open_set.strangers, "photo", "photos")
                )
            }),
            worst: self.worst(),
            confusions: self.confusions(),
            confusion: self.confusion(),
            people: self.people(),
            conditions: self.conditions,
            version: env!("CARGO_PKG_VERSION"),
            json: inside_script(self.json),
        }
    }

    fn name(&self, person: usize) -> String {
        let person = self.gallery.people().get(person);
        person.map_or_else(String::new, ToString::to_string)
    }

    fn tile(&self, face: usize) -> Tile {
        let enrolled = self.gallery.enrolled().get(face);
        let image = self.gallery.faces().image(face);
        Tile {
            picture: image.map_or_else(String::new, |image| data_uri(&DynamicImage::from(image))),
            name: enrolled.map_or_else(String::new, |enrolled| self.name(enrolled.person)),
            source: enrolled.map_or_else(String::new, |enrolled| visible(&enrolled.source)),
        }
    }

    /// The main figures, and the size of a face.
    fn summary(&self, figures: &[Measured]) -> Vec<Figure> {
        const MAIN: [&str; 4] = [
            "rank1",
            "raw_pixels_rank1",
            "equal_error_rate",
            "open_set.detection_identification_rate_at_far_1pct",
        ];
        let main = figures
            .iter()
            .filter(|one| MAIN.contains(&one.key.as_str()));
        let main = main.map(|one| Figure {
            name: one.label.clone(),
            value: one.in_words(),
            meaning: one.meaning.clone(),
        });
        let kept = percent(self.space.variance_kept());
        let compression = &self.evaluation.compression;
        let sizes = [
            (
                parts(self.space).1,
                self.space.components().to_string(),
                format!("keep {kept} of the variance"),
            ),
            (
                "a face is",
                format!("{} bytes", compression.bytes_a_face),
                format!("instead of {} pixels", compression.pixels),
            ),
        ];
        let sizes = sizes.map(|(name, value, meaning)| Figure {
            name: name.to_owned(),
            value,
            meaning,
        });
        main.chain(sizes).collect()
    }

    fn recognition_note(&self) -> String {
        let best = self.evaluation.k_curve.iter().max_by(|a, b| {
            let fewer = b.components.cmp(&a.components);
            a.rank1.mean.total_cmp(&b.rank1.mean).then(fewer)
        });
        let best = best.map_or_else(String::new, |best| {
            format!(
                " With weights alone {} already reach {}, the most on the curve.",
                counted(best.components, "basis face", "basis faces"),
                percent(best.rank1.mean)
            )
        });
        format!(
            "{} of the probes are nearest to their own person; by plain pixels it is {}.{best}",
            self.evaluation.identification.rank1.in_words(),
            self.evaluation.raw_pixels_rank1.in_words()
        )
    }

    fn worst(&self) -> Vec<Pair> {
        let pairs = self.evaluation.worst_pairs.iter();
        pairs
            .map(|pair| Pair {
                tiles: vec![self.tile(pair.face), self.tile(pair.named_face)],
                note: format!(
                    "Taken for {} {}; distance {:.3}, to its own person {:.3}.",
                    self.name(pair.named),
                    counted(pair.count, "time", "times"),
                    pair.named_distance,
                    pair.own_distance
                ),
            })
            .collect()
    }

    fn confusions(&self) -> Vec<ConfusionRow> {
        let found = &self.evaluation.identification;
        let tried = |person: usize| {
            let mut people = found.per_person.iter();
            people
                .find(|one| one.person == person)
                .map_or(0, |one| one.probes)
        };
        let mut wrong: Vec<_> = found
            .confusion
            .iter()
            .filter(|cell| cell.person != cell.named)
            .collect();
        wrong.sort_by(|a, b| {
            let more = b.count.cmp(&a.count);
            more.then((a.person, a.named).cmp(&(b.person, b.named)))
        });
        let shown = wrong.into_iter().take(CONFUSIONS_SHOWN);
        shown
            .map(|cell| ConfusionRow {
                person: self.name(cell.person),
                named: self.name(cell.named),
                count: cell.count,
                tried: tried(cell.person),
            })
            .collect()
    }

    fn confusion(&self) -> Option<String> {
        let people = self.gallery.people();
        (people.len() <= MATRIX_PEOPLE).then(|| {
            let names: Vec<&str> = people.iter().map(|person| person.as_str()).collect();
            confusion::matrix(&names, &self.evaluation.identification.confusion).to_svg()
        })
    }

    /// The least recognised first.
    fn people(&self) -> Vec<PersonRow> {
        let counts = self.gallery.counts();
        let mut people = self.evaluation.identification.per_person.clone();
        let share = |right: usize, probes: usize| right as f64 / probes.max(1) as f64;
        people.sort_by(|a, b| share(a.right, a.probes).total_cmp(&share(b.right, b.probes)));
        people
            .into_iter()
            .map(|row| PersonRow {
                name: self.name(row.person),
                photos: counts.get(row.person).copied().unwrap_or(0),
                probes: row.probes,
                right: row.right,
                share: percent(share(row.right, row.probes)),
            })
            .collect()
    }
}
