//! Who is named in small galleries: random people are enrolled with a few photos each, other photos of them and one photo
//! of everybody else are identified.
//!
//! ```text
//! cargo run --release --features maintainer --example small_galleries -- FOLDER [strangers=FOLDER] [draws=20] [framing=as-is] [light=50-77] [background=FILE.npz] [export=FILE] 2x5 5x5 10x3 5x1
//! ```
//!
//! A line for each size of gallery: rank-1, the shares of enrolled people's photos that are told the right and a wrong
//! name, the share of strangers that get a name, the error of calibration (half of all probes strangers), and how often a
//! confidence of 90 % or more is right. `export` writes every draw as a line of JSON, for other programs to be measured by
//! (benches/small). `light` turns the light of the enrolled people's other photos to the side, by so many degrees. Everything as
//! a user has it: default settings, each gallery learned on its own.

mod light;

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use eigenfaces::background::Prior;
use eigenfaces::dataset::LabelRule;
use eigenfaces::decision::Decision;
use eigenfaces::enrollment::{self, Base, PreparationOptions};
use eigenfaces::face_matrix::{FaceMatrix, FaceSize};
use eigenfaces::gallery::{Gallery, LabeledFace};
use eigenfaces::locate::framing::{Framing, FramingRule};
use eigenfaces::preparation::Preparation;
use eigenfaces::recognizer::{QueryOptions, Recognizer, Settings};
use eigenfaces::store;
use light::Light;

/// Photos of an enrolled person that are identified at most.
const PROBES: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let folder = PathBuf::from(words.next().ok_or("give a folder of labelled photos")?);
    let (mut strangers, mut draws, mut framing, mut export) = (None, 20_u64, None, None);
    let mut light = None;
    let mut settings = Settings::default();
    let mut sizes = Vec::new();
    for word in words {
        match word.split_once('=') {
            Some(("strangers", value)) => strangers = Some(PathBuf::from(value)),
            Some(("draws", value)) => draws = value.parse()?,
            Some(("export", file)) => export = Some(BufWriter::new(File::create(file)?)),
            Some(("light", angles)) => {
                light = Some(Light::from_words(angles).ok_or("angles are such as light=50-77")?);
            }
            Some(("background", file)) => {
                settings.prior = Prior::Own(store::load_background(Path::new(file))?);
            }
            Some(("framing", "as-is")) => framing = Some(Framing::AsIs),
            Some(_) => return Err(format!("{word}: no such option").into()),
            None => {
                let (people, photos) = word.split_once('x').ok_or("sizes are such as 5x5")?;
                sizes.push((people.parse::<usize>()?, photos.parse::<usize>()?));
            }
        }
    }
    let set = Set::read(&folder, framing, settings)?;
    let others = match &strangers {
        Some(folder) => faces(folder, &LabelRule::Stem, &set.preparation)?.0,
        None => Vec::new(),
    };
    for (people, photos) in sizes {
        let mut tally = Tally::default();
        for draw in 0..draws {
            let drawn = set.draw(people, photos, draw);
            if let Some(file) = &mut export {
                writeln!(file, "{}", set.told(&drawn, (people, photos), &others))?;
            }
            set.try_draw(drawn, &others, light.as_ref(), &mut tally)?;
        }
        println!("{:24} {people:3} x {photos:<2} {}", folder.display(), tally.in_words());
    }
    Ok(())
}

/// Labelled faces, those of a person side by side.
struct Set {
    preparation: Preparation,
    settings: Settings,
    faces: Vec<LabeledFace>,
    /// Positions of each person's faces.
    people: Vec<Vec<usize>>,
}

impl Set {
    fn read(folder: &Path, framing: Option<Framing>, settings: Settings) -> Result<Self, Box<dyn Error>> {
        let options = PreparationOptions {
            framing: framing.map_or(FramingRule::Auto, FramingRule::Given),
            size: Some(FaceSize::ALIGNED),
            ..PreparationOptions::default()
        };
        let roots = [folder.to_owned()];
        let read = eigenfaces::Model::plan_folders(&roots, &LabelRule::Folder, options, &())?;
        let (preparation, skipped) = (read.preparation, read.skipped.len());
        let faces = read.outcome.gallery.into_labeled();
        let mut people: Vec<Vec<usize>> = Vec::new();
        for (at, face) in faces.iter().enumerate() {
            match people.last_mut() {
                Some(own) if faces[own[0]].person == face.person => own.push(at),
                _ => people.push(vec![at]),
            }
        }
        eprintln!(
            "{}: {} faces of {} people, {}, {skipped} photos without a face",
            folder.display(),
            faces.len(),
            people.len(),
            preparation.framing()
        );
        Ok(Self { preparation, settings, faces, people })
    }

    fn draw(&self, people: usize, photos: usize, seed: u64) -> Draw {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let order = random.shuffled(self.people.len());
        let fit = order.iter().filter(|&&person| self.people[person].len() > photos);
        let enrolled: Vec<usize> = fit.copied().take(people).collect();
        let (mut gallery, mut probes) = (Vec::new(), Vec::new());
        for &person in &enrolled {
            let own = &self.people[person];
            let own: Vec<usize> = random.shuffled(own.len()).into_iter().map(|at| own[at]).collect();
            gallery.extend(&own[..photos]);
            probes.extend(own[photos..].iter().take(PROBES).copied());
        }
        let strangers: Vec<usize> = order
            .iter()
            .filter(|person| !enrolled.contains(person))
            .map(|&person| self.people[person][random.below(self.people[person].len())])
            .collect();
        Draw { gallery, probes, strangers }
    }

    /// A draw for other programs: the paths of its photos, and the people of those that are enrolled and tried.
    fn told(&self, drawn: &Draw, (people, photos): (usize, usize), others: &[LabeledFace]) -> serde_json::Value {
        let labelled = |faces: &[usize]| -> Vec<[String; 2]> {
            let faces = faces.iter().map(|&at| &self.faces[at]);
            faces.map(|face| [face.person.to_string(), face.source.clone()]).collect()
        };
        let strangers = drawn.strangers.iter().map(|&at| &self.faces[at]);
        let strangers = strangers.chain(others).map(|face| face.source.clone());
        serde_json::json!({
            "size": format!("{people}x{photos}"),
            "gallery": labelled(&drawn.gallery),
            "probes": labelled(&drawn.probes),
            "strangers": strangers.collect::<Vec<_>>(),
        })
    }

    fn try_draw(
        &self,
        drawn: Draw,
        others: &[LabeledFace],
        light: Option<&Light>,
        tally: &mut Tally,
    ) -> Result<(), Box<dyn Error>> {
        let Draw { gallery, probes, strangers } = drawn;
        let gallery = gallery.iter().map(|&at| self.faces[at].clone()).collect();
        let (gallery, _) = Gallery::assemble(self.preparation.size(), gallery)?;
        let recognizer = Recognizer::learn(self.preparation, gallery, self.settings)?;
        let mut identify = |faces: Vec<&LabeledFace>, is_enrolled: bool| -> Result<(), Box<dyn Error>> {
            let pixels: Vec<u8> = faces.iter().flat_map(|face| face.pixels.iter().copied()).collect();
            let matrix = FaceMatrix::from_pixels(self.preparation.size(), pixels)?;
            let found = recognizer.identify_faces(&matrix, QueryOptions::default());
            for (face, found) in faces.iter().zip(found) {
                let closest = found.closest().ok_or("nobody is enrolled")?;
                let right = is_enrolled && closest.person == face.person;
                let named = found.decision == Decision::Known;
                let refused = found.decision == Decision::NotAFace;
                tally.probes.push(Probe { is_enrolled, right, named, refused, confidence: closest.confidence });
            }
            Ok(())
        };
        let mut random = Random(1 + probes.first().copied().unwrap_or(0) as u64);
        let probes: Vec<LabeledFace> = probes
            .iter()
            .map(|&at| {
                let mut face = self.faces[at].clone();
                if let Some(light) = light {
                    let random = || random.below(1 << 20) as f64 / f64::from(1 << 20);
                    face.pixels = light.fall_on(&face.pixels, self.preparation.size(), random).into();
                }
                face
            })
            .collect();
        identify(probes.iter().collect(), true)?;
        identify(strangers.iter().map(|&at| &self.faces[at]).chain(others).collect(), false)
    }
}

fn faces(
    folder: &Path,
    rule: &LabelRule,
    preparation: &Preparation,
) -> Result<(Vec<LabeledFace>, usize), Box<dyn Error>> {
    let nobody = Gallery::empty(preparation.size());
    let base = Base::Gallery(preparation, &nobody);
    let read = enrollment::read_folders(&[folder.to_owned()], rule, base, &())?;
    let mut faces = read.folder.new;
    let all = faces.len();
    // What shows no face was not aligned.
    faces.retain(|face| !face.origin.is_without_face());
    let without_face = all - faces.len();
    Ok((faces, read.skipped.len() + without_face))
}

/// Positions of the faces of one trial.
struct Draw {
    gallery: Vec<usize>,
    probes: Vec<usize>,
    /// One face of everybody who is not enrolled.
    strangers: Vec<usize>,
}

struct Probe {
    is_enrolled: bool,
    right: bool,
    named: bool,
    refused: bool,
    confidence: f64,
}

#[derive(Default)]
struct Tally {
    probes: Vec<Probe>,
}

impl Tally {
    fn in_words(&self) -> String {
        let share = |of: &dyn Fn(&Probe) -> bool, is: &dyn Fn(&Probe) -> bool| {
            let all: Vec<&Probe> = self.probes.iter().filter(|probe| of(probe)).collect();
            all.iter().filter(|probe| is(probe)).count() as f64 / all.len().max(1) as f64
        };
        let enrolled = |probe: &Probe| probe.is_enrolled;
        let stranger = |probe: &Probe| !probe.is_enrolled;
        let sure = |probe: &&Probe| probe.confidence >= 0.9;
        let weight = |probe: &Probe| {
            let of = self.probes.iter().filter(|other| other.is_enrolled == probe.is_enrolled);
            0.5 / of.count() as f64
        };
        let weights = [true, false]
            .map(|is_enrolled| self.probes.iter().find(|probe| probe.is_enrolled == is_enrolled).map_or(0.0, weight));
        let weight = |probe: &Probe| weights[usize::from(!probe.is_enrolled)];
        let mut bins = [(0.0, 0.0); 10];
        for probe in &self.probes {
            let bin = &mut bins[((probe.confidence * 10.0) as usize).min(9)];
            bin.0 += weight(probe) * probe.confidence;
            bin.1 += weight(probe) * f64::from(u8::from(probe.right));
        }
        let error: f64 = bins.iter().map(|(said, was)| (said - was).abs()).sum();
        let (mut right, mut all) = (0.0, 0.0);
        for probe in self.probes.iter().filter(sure) {
            all += weight(probe);
            right += weight(probe) * f64::from(u8::from(probe.right));
        }
        format!(
            "rank-1 {:.3}  named {:.3}  wrong {:.3}  strangers {:.3}  calibration error {:.3}  right at 90 % {:.3}  refused {:.3}",
            share(&enrolled, &|probe| probe.right),
            share(&enrolled, &|probe| probe.named && probe.right),
            share(&enrolled, &|probe| probe.named && !probe.right),
            share(&stranger, &|probe| probe.named),
            error,
            right / f64::max(all, f64::MIN_POSITIVE),
            share(&|_| true, &|probe| probe.refused),
        )
    }
}

/// Marsaglia's xorshift: the same draws everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % count.max(1)
    }

    fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for at in (1..count).rev() {
            order.swap(at, self.below(at + 1));
        }
        order
    }
}
