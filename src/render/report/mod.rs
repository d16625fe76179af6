//! The report: one self-contained HTML page about a gallery and how well its people are recognised.
//!
//! The template is templates/report.html; it escapes whatever it is given but for the drawings, which escape
//! their own text. Names of people and paths come from strangers.

mod charts;
mod components;
mod fixes;
pub(super) mod words;

use askama::Template;
use image::DynamicImage;

use super::confusion;
use super::drawing::data_uri;
use super::{gray, parts, scree};
use crate::dataset::visible;
use crate::error::{Error, Result};
use crate::evaluate::{Evaluation, OpenSet};
use crate::face_space::Weights;
use crate::gallery::Gallery;
use crate::matcher::Space;
use charts::reliability;
use words::{counted, percent, rate};

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
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page {
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
    recognition_note: String,
    recognition: Vec<String>,
    strangers: Vec<Figure>,
    strangers_note: String,
    reliability: String,
    worst: Vec<Pair>,
    confusions: Vec<ConfusionRow>,
    confusion: Option<String>,
    people: Vec<PersonRow>,
    version: &'static str,
    json: String,
}

struct Figure {
    name: &'static str,
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
    report.page().render().map_err(|_| Error::Inconsistent)
}

impl Report<'_> {
    fn page(&self) -> Page {
        let (space, evaluation) = (self.space, self.evaluation);
        let (part, parts) = parts(space);
        let mean: Vec<f32> = space.mean().iter().map(|&level| level as f32).collect();
        let open_set = evaluation.open_set.as_ref();
        Page {
            heading: format!(
                "{} of {}",
                counted(evaluation.faces, "face", "faces"),
                counted(evaluation.people, "person", "people")
            ),
            origin: visible(self.origin),
            protocol: format!(
                "Protocol {}: learned anew {}, {}{}. All is learned inside each fold; what is tried was never seen.",
                evaluation.protocol,
                counted(evaluation.folds, "time", "times"),
                counted(evaluation.probes, "probe", "probes"),
                match evaluation.never_tried {
                    0 => String::new(),
                    never => format!(" ({} never tried)", counted(never, "face", "faces")),
                }
            ),
            summary: self.summary(),
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
                percent(evaluation.compression.share),
            ),
            variance: scree(part, self.ratios, space.components()),
            components: counted(space.components(), "weight", "weights"),
            scatter: self.scatter(),
            recognition_note: self.recognition_note(),
            recognition: vec![self.cmc(), self.roc(), self.accuracy_by_k()],
            strangers: open_set.map_or_else(Vec::new, strangers),
            strangers_note: open_set.map_or_else(String::new, |open_set| {
                format!(
                    "People were split {}: {} enrolled with half of their photos, the others strangers. {} of people enrolled and {} of strangers were tried.",
                    counted(open_set.splits, "time", "times"),
                    open_set.enrolled,
                    counted(open_set.genuine, "photo", "photos"),
                    counted(open_set.strangers, "photo", "photos")
                )
            }),
            reliability: open_set.map_or_else(String::new, reliability),
            worst: self.worst(),
            confusions: self.confusions(),
            confusion: self.confusion(),
            people: self.people(),
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

    fn summary(&self) -> Vec<Figure> {
        let evaluation = self.evaluation;
        let found = &evaluation.identification;
        let mut figures = vec![
            figure(
                "rank-1",
                rate(found.rank1),
                "of the probes are nearest to their own person",
            ),
            figure(
                "plain pixels",
                rate(evaluation.raw_pixels_rank1),
                "rank-1 of the nearest photo by plain distance: what must be beaten",
            ),
            figure(
                "equal error rate",
                percent(evaluation.verification.equal_error_rate),
                format!(
                    "of {} rejected where as many of {} are accepted",
                    counted(evaluation.verification.genuine, "true claim", "true claims"),
                    counted(evaluation.verification.impostors, "false one", "false ones")
                ),
            ),
        ];
        figures.extend(evaluation.open_set.as_ref().map(identified_at_1_percent));
        let kept = percent(self.space.variance_kept());
        let compression = &evaluation.compression;
        figures.extend([
            figure(
                parts(self.space).1,
                self.space.components().to_string(),
                format!("keep {kept} of the variance"),
            ),
            figure(
                "a face is",
                format!("{} bytes", compression.bytes_a_face),
                format!("instead of {} pixels", compression.pixels),
            ),
        ]);
        figures
    }

    fn recognition_note(&self) -> String {
        let best = self.evaluation.k_curve.iter().max_by(|a, b| {
            let fewer = b.components.cmp(&a.components);
            a.rank1.total_cmp(&b.rank1).then(fewer)
        });
        let best = best.map_or_else(String::new, |best| {
            format!(
                " With weights alone {} already reach {}, the most on the curve.",
                counted(best.components, "basis face", "basis faces"),
                percent(best.rank1)
            )
        });
        format!(
            "{} of the probes are nearest to their own person; by plain pixels it is {}.{best}",
            rate(self.evaluation.identification.rank1),
            rate(self.evaluation.raw_pixels_rank1)
        )
    }

    fn worst(&self) -> Vec<Pair> {
        let pairs = self.evaluation.worst_pairs.iter().take(PAIRS_SHOWN);
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

fn figure(name: &'static str, value: String, meaning: impl Into<String>) -> Figure {
    let meaning = meaning.into();
    Figure {
        name,
        value,
        meaning,
    }
}

fn identified_at_1_percent(open_set: &OpenSet) -> Figure {
    figure(
        "identified at 1 %",
        rate(open_set.identification_at_1_percent),
        "of those enrolled, where 1 % of strangers pass",
    )
}

fn strangers(open_set: &OpenSet) -> Vec<Figure> {
    vec![
        identified_at_1_percent(open_set),
        figure(
            "identified at 10 %",
            rate(open_set.identification_at_10_percent),
            "of those enrolled, where 10 % of strangers pass",
        ),
        figure(
            "plain pixels at 1 %",
            rate(open_set.raw_pixels_at_1_percent),
            "the same by plain distance between photos",
        ),
        figure(
            "strangers named",
            rate(open_set.strangers_named),
            "by the default decision (aim: 1 %)",
        ),
        figure(
            "named rightly",
            rate(open_set.named_rightly),
            "of those enrolled, by the default decision",
        ),
        figure(
            "named wrongly",
            rate(open_set.named_wrongly),
            "of those enrolled, by the default decision",
        ),
        figure(
            "confidence is off by",
            percent(open_set.confidence.calibration_error),
            "on average (expected calibration error)",
        ),
        figure(
            "face or noise",
            format!("{:.3}", open_set.not_a_face.blurred_noise.area),
            "how often a face looks more like a face than blurred noise does",
        ),
    ]
}

/// JSON that cannot end the element it stands in, nor begin another: the same JSON to whoever parses it.
fn inside_script(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                safe.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_cannot_leave_its_element() {
        let hostile = r#"{"people":["</script><script>alert(1)</script>","a&b"]}"#;
        let safe = inside_script(hostile);
        assert!(!safe.contains('<') && !safe.contains('>'));
        let parsed: serde_json::Value = serde_json::from_str(&safe).unwrap();
        assert_eq!(
            parsed,
            serde_json::from_str::<serde_json::Value>(hostile).unwrap()
        );
    }
}
