//! People's photos made ready, and which of them are learned from.

use std::path::Path;

use eigenfaces::dataset::{self, ContentHash, LabelRule, LabeledPhoto};
use eigenfaces::face_matrix::FaceSize;
use eigenfaces::locate::framing::Framing;
use eigenfaces::normalize::resize;
use eigenfaces::preparation::Preparation;
use image::GrayImage;

use crate::Outcome;
use crate::random::Random;

/// Which photos are learned from, and which are recognised.
#[derive(Clone, Copy)]
pub enum Protocol {
    /// Learns from the first photos of each person.
    First(usize),
    /// Learns from so many random photos of each person, several times.
    Random(usize),
    /// Learns from all photos but one, and those that are the same file.
    LeaveOneOut,
    /// Learns from all photos but those with a light from one side or the front only (Yale).
    Lights,
}

/// Positions of the photos to learn from, and of those to recognise.
pub type Split = (Vec<usize>, Vec<usize>);

/// A folder of people, each photo made ready.
pub struct Set {
    pub size: FaceSize,
    pub photos: Vec<Photo>,
    pub people: usize,
}

/// A photo of a set.
pub struct Photo {
    pub person: usize,
    pub name: String,
    pub hash: ContentHash,
    /// `None` where no face was found.
    pub face: Option<Vec<u8>>,
}

impl Set {
    pub fn read(
        folder: &Path,
        framing: Framing,
        change: fn(&GrayImage, u64) -> GrayImage,
    ) -> Outcome<Self> {
        let listing = dataset::list_labeled(&[folder.to_owned()], &LabelRule::Folder)?;
        let size = match framing {
            Framing::Detect => FaceSize::ALIGNED,
            Framing::AsIs => resize::choose_size(&dataset::photo_sizes(&listing.photos))
                .ok_or("photos too small")?,
        };
        let preparation = Preparation::new(size, framing);
        let loaded = dataset::load(
            &listing.photos,
            |photo: &LabeledPhoto, file| {
                let hash = file.content_hash();
                let seed = u64::from_le_bytes(std::array::from_fn(|at| hash.0[at]));
                let picture = change(&file.decode()?, seed);
                let face = preparation.prepare(&picture).ok().map(|face| face.pixels);
                Ok((
                    photo.person.to_string(),
                    photo.path.display().to_string(),
                    hash,
                    face,
                ))
            },
            &|_| {},
        );
        let mut names: Vec<String> = loaded.items.iter().map(|item| item.0.clone()).collect();
        // In the order of the photos, in which those of a person stand side by side.
        names.dedup();
        let photos: Vec<Photo> = loaded
            .items
            .into_iter()
            .map(|(person, name, hash, face)| Photo {
                person: names
                    .iter()
                    .position(|name| *name == person)
                    .unwrap_or_default(),
                name,
                hash,
                face,
            })
            .collect();
        let lost = photos.iter().filter(|photo| photo.face.is_none()).count();
        eprintln!(
            "{}: {} photos, {lost} without a face found",
            folder.display(),
            photos.len()
        );
        Ok(Self {
            size,
            photos,
            people: names.len(),
        })
    }

    pub fn splits(&self, protocol: Protocol, times: u64) -> Vec<Split> {
        let all = || 0..self.photos.len();
        let by = |learns: &dyn Fn(usize) -> bool| all().partition(|&at| learns(at));
        let of = |person: usize| all().filter(move |&at| self.photos[at].person == person);
        match protocol {
            Protocol::First(count) => {
                let learned: Vec<usize> =
                    (0..self.people).flat_map(|p| of(p).take(count)).collect();
                vec![by(&|at| learned.contains(&at))]
            }
            Protocol::Lights => {
                let lights = ["leftlight", "rightlight", "centerlight"];
                vec![by(&|at| {
                    !lights
                        .iter()
                        .any(|light| self.photos[at].name.contains(light))
                })]
            }
            Protocol::LeaveOneOut => all()
                .map(|probe| {
                    let is_another = |at: &usize| self.photos[*at].hash != self.photos[probe].hash;
                    (all().filter(is_another).collect(), vec![probe])
                })
                .collect(),
            Protocol::Random(count) => (0..times)
                .map(|seed| {
                    let mut random = Random(seed);
                    let mut learned = Vec::new();
                    for person in 0..self.people {
                        let mut own: Vec<usize> = of(person).collect();
                        for at in (1..own.len()).rev() {
                            own.swap(at, random.below(at + 1));
                        }
                        learned.extend(own.into_iter().take(count));
                    }
                    by(&|at| learned.contains(&at))
                })
                .collect(),
        }
    }
}
