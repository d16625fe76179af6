//! The report: one self-contained HTML page about a gallery and how well its people are recognised.
//!
//! The template is templates/report.html; it escapes whatever it is given but for the drawings, which escape
//! their own text. Names of people and paths come from strangers.

mod components;

use askama::Template;
use image::DynamicImage;

use super::chart::{Axis, CURVES, Chart, Scale, Series, Unit};
use super::confusion;
use super::drawing::data_uri;
use super::gray;
use crate::error::{Error, Result};
use crate::evaluate::{Evaluation, KPoint, OpenSet, Rate, Suspects};
use crate::face_space::Weights;
use crate::gallery::Gallery;
use crate::matcher::Space;

/// Pairs shown under each heading.
const PAIRS_SHOWN: usize = 12;

/// The confusion matrix is drawn for at most so many people.
const MATRIX_PEOPLE: usize = 80;

/// What a report is made from.
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
    /// How well they are recognised.
    pub evaluation: &'a Evaluation,
    /// The same as `evaluate --format json` prints it.
    pub json: &'a str,
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page {
    heading: String,
    protocol: String,
    summary: Vec<Figure>,
    fixes: Vec<Fix>,
    parts: &'static str,
    mean: String,
    basis_intro: String,
    basis: Vec<Tile>,
    basis_note: String,
    variance_note: String,
    variance: Vec<String>,
    components: String,
    scatter: String,
    recognition_note: String,
    recognition: Vec<String>,
    strangers: Vec<Figure>,
    strangers_note: String,
    reliability: String,
    worst: Vec<Pair>,
    confusion: Option<String>,
    people: Vec<PersonRow>,
    version: &'static str,
    json: String,
}

/// A number and what it means.
struct Figure {
    name: &'static str,
    value: String,
    meaning: String,
}

/// A picture and what it shows.
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

/// Something to correct.
struct Fix {
    heading: String,
    advice: &'static str,
    pairs: Vec<Pair>,
    more: usize,
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
        let mean: Vec<f32> = space.mean().iter().map(|&level| level as f32).collect();
        let open_set = evaluation.open_set.as_ref();
        Page {
            heading: format!(
                "{} of {}",
                counted(evaluation.faces, "face", "faces"),
                counted(evaluation.people, "person", "people")
            ),
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
            parts: self.part().1,
            mean: data_uri(&gray(space.size(), &mean).into()),
            basis_intro: self.basis_intro(),
            basis: self.basis(),
            basis_note: format!(
                "The first {} of {}, {} pixels.",
                self.part().1,
                counted(space.components(), self.part().0, self.part().1),
                space.size()
            ),
            variance_note: format!(
                "{} keep {} of the variance: a face is {} instead of {}, {} of the size.",
                counted(space.components(), self.part().0, self.part().1),
                percent(space.variance_kept()),
                counted(space.components(), "weight", "weights"),
                counted(space.size().pixels(), "pixel", "pixels"),
                percent(evaluation.compression.share),
            ),
            variance: vec![self.scree(), self.cumulative()],
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

    /// A face with its person and its file.
    fn tile(&self, face: usize) -> Tile {
        let enrolled = self.gallery.enrolled().get(face);
        let image = self.gallery.faces().image(face);
        Tile {
            picture: image.map_or_else(String::new, |image| data_uri(&DynamicImage::from(image))),
            name: enrolled.map_or_else(String::new, |enrolled| self.name(enrolled.person)),
            source: enrolled.map_or_else(String::new, |enrolled| enrolled.source.clone()),
        }
    }

    fn summary(&self) -> Vec<Figure> {
        let evaluation = self.evaluation;
        let found = &evaluation.identification;
        let mut figures = vec![
            Figure {
                name: "rank-1",
                value: rate(found.rank1),
                meaning: "of the probes are nearest to their own person".to_owned(),
            },
            Figure {
                name: "plain pixels",
                value: rate(evaluation.raw_pixels_rank1),
                meaning: "rank-1 of the nearest photo by plain distance: what must be beaten"
                    .to_owned(),
            },
            Figure {
                name: "equal error rate",
                value: percent(evaluation.verification.equal_error_rate),
                meaning: format!(
                    "of {} rejected where as many of {} are accepted",
                    counted(evaluation.verification.genuine, "true claim", "true claims"),
                    counted(evaluation.verification.impostors, "false one", "false ones")
                ),
            },
        ];
        if let Some(open_set) = &evaluation.open_set {
            figures.push(Figure {
                name: "identified at 1 %",
                value: rate(open_set.identification_at_1_percent),
                meaning: "of those enrolled, where 1 % of strangers pass".to_owned(),
            });
        }
        figures.push(Figure {
            name: self.part().1,
            value: self.space.components().to_string(),
            meaning: format!(
                "keep {} of the variance",
                percent(self.space.variance_kept())
            ),
        });
        figures.push(Figure {
            name: "a face is",
            value: format!("{} bytes", evaluation.compression.bytes_a_face),
            meaning: format!("instead of {} pixels", evaluation.compression.pixels),
        });
        figures
    }

    fn fixes(&self) -> Vec<Fix> {
        let Suspects {
            duplicates,
            mislabelled,
            not_faces,
            ..
        } = &self.evaluation.suspects;
        let mut fixes = Vec::new();
        let mut fix = |count: usize, one: &str, many: &str, advice, pairs: Vec<Pair>| {
            if count > 0 {
                fixes.push(Fix {
                    heading: counted(count, one, many),
                    advice,
                    more: count - pairs.len(),
                    pairs,
                });
            }
        };
        let pairs = duplicates.iter().take(PAIRS_SHOWN).map(|pair| Pair {
            tiles: vec![self.tile(pair.first), self.tile(pair.second)],
            note: format!(
                "The same picture? Correlation of pixels {:.3}.",
                pair.correlation
            ),
        });
        fix(
            duplicates.len(),
            "photo stands under two names",
            "photos stand under two names",
            "Nearly or exactly the same picture belongs to two people: remove it where the name is wrong.",
            pairs.collect(),
        );
        let pairs = mislabelled.iter().take(PAIRS_SHOWN).map(|suspect| Pair {
            tiles: vec![
                self.tile(suspect.face),
                self.tile(self.nearest_of(suspect.face, suspect.nearest)),
            ],
            note: format!(
                "Looks like {} ({}): distance {:.3}, to its own person {:.3}.",
                self.name(suspect.nearest),
                percent(suspect.confidence),
                suspect.nearest_distance,
                suspect.own_distance
            ),
        });
        fix(
            mislabelled.len(),
            "photo may have the wrong name",
            "photos may have the wrong name",
            "Left out, it looks more like the person at its right than like its own: check the name, or keep it if it is only an unlucky photo.",
            pairs.collect(),
        );
        let pairs = not_faces.iter().take(PAIRS_SHOWN).map(|suspect| Pair {
            tiles: vec![self.tile(suspect.face)],
            note: format!(
                "Looks like a face by {:.2} (-1 to 1; {:.2} is asked for).",
                suspect.likeness, suspect.limit
            ),
        });
        fix(
            not_faces.len(),
            "photo may be no face",
            "photos may be no face",
            "Remove it, or crop it to the face.",
            pairs.collect(),
        );
        fixes
    }

    /// The person's face nearest to a face by pixels.
    fn nearest_of(&self, face: usize, person: usize) -> usize {
        let faces = self.gallery.faces();
        let distance = |other: usize| -> u64 {
            let pairs = faces.face(face).iter().zip(faces.face(other));
            pairs.map(|(a, b)| u64::from(a.abs_diff(*b)).pow(2)).sum()
        };
        let enrolled = self.gallery.enrolled().iter().enumerate();
        let theirs = enrolled.filter(|(at, other)| other.person == person && *at != face);
        theirs
            .map(|(at, _)| at)
            .min_by_key(|&at| distance(at))
            .unwrap_or(face)
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

    fn cmc(&self) -> String {
        let cmc = &self.evaluation.identification.cmc;
        let points: Vec<(f64, f64)> = (1..)
            .zip(cmc)
            .map(|(rank, rate)| (f64::from(rank), rate.mean))
            .collect();
        let raw = self.evaluation.raw_pixels_rank1.mean;
        let lowest = points.iter().map(|point| point.1).fold(raw, f64::min);
        let marks = points.iter().map(|&(rank, rate)| {
            let hover = format!("among the nearest {rank:.0}: {}", percent(rate));
            (rank, rate, hover)
        });
        let chart = Chart {
            title: "Own person among the nearest (CMC)".to_owned(),
            x: axis(
                "people looked at",
                (1.0, cmc.len().max(2) as f64),
                Scale::Linear,
                Unit::Number,
            ),
            y: axis(
                "share of probes",
                (floor_below(lowest), 1.0),
                Scale::Linear,
                Unit::Percent,
            ),
            series: vec![
                Series::Curve {
                    name: String::new(),
                    points: points.clone(),
                    color: CURVES[0],
                },
                Series::Marks {
                    name: String::new(),
                    points: marks.collect(),
                    color: CURVES[0],
                },
                Series::Level {
                    name: format!("plain pixels, rank-1: {}", percent(raw)),
                    at: raw,
                },
            ],
        };
        chart.draw().to_svg()
    }

    fn roc(&self) -> String {
        let verification = &self.evaluation.verification;
        let points = verification.roc.iter();
        let points: Vec<(f64, f64)> = points.map(|p| (p.false_accepts, p.true_accepts)).collect();
        let least = points
            .iter()
            .map(|point| point.0)
            .filter(|&far| far > 0.0)
            .fold(1.0, f64::min);
        // Where the curve crosses the line of equal errors.
        let equal = verification.equal_error_rate;
        let chart = Chart {
            title: "Is it who they say? (ROC)".to_owned(),
            x: axis(
                "false claims accepted (logarithmic)",
                (decade_below(least), 1.0),
                Scale::Logarithmic,
                Unit::Percent,
            ),
            y: axis(
                "true claims accepted",
                (0.0, 1.0),
                Scale::Linear,
                Unit::Percent,
            ),
            series: vec![
                Series::Curve {
                    name: format!("area {:.4}", verification.area),
                    points,
                    color: CURVES[0],
                },
                Series::Marks {
                    name: format!("equal error rate {}", percent(equal)),
                    points: vec![(
                        equal,
                        1.0 - equal,
                        format!("equal error rate {}", percent(equal)),
                    )],
                    color: CURVES[1],
                },
            ],
        };
        chart.draw().to_svg()
    }

    fn accuracy_by_k(&self) -> String {
        let curve = &self.evaluation.k_curve;
        let raw = self.evaluation.raw_pixels_rank1.mean;
        let points = |value: fn(&KPoint) -> f64| -> Vec<(f64, f64)> {
            curve
                .iter()
                .map(|point| (point.components as f64, value(point)))
                .collect()
        };
        let most = curve.last().map_or(2.0, |point| point.components as f64);
        let chart = Chart {
            title: "Basis faces against recognition".to_owned(),
            x: axis(
                "K (logarithmic)",
                (1.0, most.max(2.0)),
                Scale::Logarithmic,
                Unit::Number,
            ),
            y: axis("share", (0.0, 1.0), Scale::Linear, Unit::Percent),
            series: vec![
                Series::Curve {
                    name: "variance".to_owned(),
                    points: points(|point| point.variance),
                    color: CURVES[2],
                },
                Series::Curve {
                    name: "rank-1 by weights".to_owned(),
                    points: points(|point| point.rank1),
                    color: CURVES[0],
                },
                Series::Level {
                    name: format!("plain pixels: {}", percent(raw)),
                    at: raw,
                },
            ],
        };
        chart.draw().to_svg()
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

fn strangers(open_set: &OpenSet) -> Vec<Figure> {
    let figure = |name, value, meaning: &str| Figure {
        name,
        value,
        meaning: meaning.to_owned(),
    };
    vec![
        figure(
            "identified at 1 %",
            rate(open_set.identification_at_1_percent),
            "of those enrolled, where 1 % of strangers pass",
        ),
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
            percent(open_set.strangers_named),
            "by the default decision (aim: 1 %)",
        ),
        figure(
            "named rightly",
            percent(open_set.named_rightly),
            "of those enrolled, by the default decision",
        ),
        figure(
            "named wrongly",
            percent(open_set.named_wrongly),
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

fn reliability(open_set: &OpenSet) -> String {
    let bins = &open_set.confidence.bins;
    let marks = bins.iter().map(|bin| {
        let hover = format!(
            "confidence {}, right {}, {} of all",
            percent(bin.confidence),
            percent(bin.accuracy),
            percent(bin.weight)
        );
        (bin.confidence, bin.accuracy, hover)
    });
    let chart = Chart {
        title: "Is confidence what it says?".to_owned(),
        x: axis("confidence", (0.0, 1.0), Scale::Linear, Unit::Percent),
        y: axis(
            "how often the name is right",
            (0.0, 1.0),
            Scale::Linear,
            Unit::Percent,
        ),
        series: vec![
            Series::Curve {
                name: "perfectly honest".to_owned(),
                points: vec![(0.0, 0.0), (1.0, 1.0)],
                color: CURVES[2],
            },
            Series::Curve {
                name: "measured".to_owned(),
                points: bins
                    .iter()
                    .map(|bin| (bin.confidence, bin.accuracy))
                    .collect(),
                color: CURVES[0],
            },
            Series::Marks {
                name: String::new(),
                points: marks.collect(),
                color: CURVES[0],
            },
        ],
    };
    chart.draw().to_svg()
}

fn axis(name: &str, range: (f64, f64), scale: Scale, unit: Unit) -> Axis {
    Axis {
        name: name.to_owned(),
        range,
        scale,
        unit,
    }
}

fn decade_below(value: f64) -> f64 {
    10_f64.powf(value.max(1e-12).log10().floor().min(-1.0))
}

fn decade_above(value: f64) -> f64 {
    10_f64.powf(value.max(1e-12).log10().ceil())
}

/// A round share below a share, so that the upper part of a chart is not all there is to see.
fn floor_below(share: f64) -> f64 {
    ((share - 0.05) * 10.0).floor().max(0.0) / 10.0
}

/// As `evaluate` prints it.
fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn rate(rate: Rate) -> String {
    match rate.standard_deviation {
        None => percent(rate.mean),
        Some(spread) => format!("{} ± {:.1}", percent(rate.mean), spread * 100.0),
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
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
