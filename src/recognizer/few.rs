//! Identifying among few people: by how alike textures are.

use std::sync::{Arc, OnceLock};

use crate::decision::{Acceptance, Decision, few};
use crate::face_matrix::FaceMatrix;
use crate::features::texture;
use crate::gallery::Gallery;
use crate::matcher::View;

use super::{Candidate, Identifier, Question};

/// The faces of few people.
#[derive(Debug, Clone)]
pub(super) struct Few {
    faces: Arc<FaceMatrix>,
    /// The person of each.
    persons: Vec<usize>,
    /// Their textures, each followed by its mirror image: derived when first asked for.
    textures: OnceLock<Vec<Texture>>,
}

/// A texture and its length.
#[derive(Debug, Clone)]
struct Texture {
    bytes: Vec<u8>,
    length: f64,
}

impl Texture {
    fn new(bytes: Vec<u8>) -> Self {
        let length = (product(&bytes, &bytes) as f64).sqrt();
        Self { bytes, length }
    }

    /// From an exact sum.
    fn cosine(&self, other: &Self) -> f64 {
        let lengths = self.length * other.length;
        if lengths > 0.0 {
            product(&self.bytes, &other.bytes) as f64 / lengths
        } else {
            0.0
        }
    }
}

fn product(a: &[u8], b: &[u8]) -> u64 {
    let products = a.iter().zip(b).map(|(&a, &b)| u64::from(a) * u64::from(b));
    products.sum()
}

impl Few {
    pub fn new(gallery: &Gallery) -> Self {
        Self {
            faces: gallery.shared_faces(),
            persons: gallery.persons(),
            textures: OnceLock::new(),
        }
    }

    /// Whether so alike a texture is given a name.
    pub fn passes(&self, cosine: f64, acceptance: Acceptance) -> bool {
        match acceptance {
            Acceptance::FalseAccepts(far) => cosine > few::threshold(self.persons.len(), far),
            Acceptance::Confidence(least) => few::confidence(cosine) >= least,
        }
    }

    /// The textures of the enrolled faces, each followed by its mirror image.
    fn textures(&self) -> &[Texture] {
        // On this thread alone: were others to help, this one might meanwhile be given another face to identify,
        // and wait for itself.
        self.textures.get_or_init(|| {
            let mirrored = |texture: &[u8]| -> Vec<u8> {
                let from = texture::mirror().iter();
                from.map(|&at| texture[at as usize]).collect()
            };
            let both = self.faces.faces().flat_map(|face| {
                let own = texture::describe(face, self.faces.size());
                let mirrored = mirrored(&own);
                [own, mirrored]
            });
            both.map(Texture::new).collect()
        })
    }
}

impl Identifier {
    /// Whether decisions rest on plain likeness of textures: where textures are compared, of too few people for
    /// thresholds to be measured.
    pub fn goes_by_resemblance(&self) -> bool {
        !self.calibration().gives_names() && self.matcher().part(View::Texture).is_some()
    }

    /// The confidence beyond which a name is given; `None` where none ever is.
    pub fn threshold(&self, acceptance: Acceptance) -> Option<f64> {
        match (acceptance, &self.few) {
            (Acceptance::Confidence(least), _) => Some(least),
            (Acceptance::FalseAccepts(far), Some(few)) => {
                Some(few::confidence(few::threshold(few.persons.len(), far)))
            }
            (Acceptance::FalseAccepts(_), None) => self
                .calibration()
                .gives_names()
                .then(|| self.calibration().threshold(acceptance)),
        }
    }

    /// Who a face (d pixels) resembles most, by the cosine of textures; the distance of unit textures is told.
    pub(super) fn judge_among_few(
        &self,
        few: &Few,
        face: &[u8],
        likeness: f64,
        question: Question,
    ) -> (Decision, Vec<Candidate>) {
        let ranked = self.resemblances(few, face);
        let decision = match ranked.first() {
            _ if likeness < self.calibration().likeness_limit() => Decision::NotAFace,
            Some(&(person, cosine)) if few.passes(cosine, question.acceptance) => {
                Decision::Known { person }
            }
            _ => Decision::Unknown,
        };
        let candidates = ranked.iter().take(question.top);
        let candidate = |&(person, cosine): &(usize, f64)| Candidate {
            person: self.people()[person].clone(),
            distance: distance(cosine),
            confidence: crate::decision::few::confidence(cosine),
        };
        (decision, candidates.map(candidate).collect())
    }

    /// The people by the best cosine of their photos, or of mirrored ones, best first.
    pub(super) fn resemblances(&self, few: &Few, face: &[u8]) -> Vec<(usize, f64)> {
        let own = Texture::new(texture::describe(face, few.faces.size()));
        let mut best = vec![-1.0_f64; self.people().len()];
        for (pair, &person) in few.textures().chunks_exact(2).zip(&few.persons) {
            let best = &mut best[person];
            *best = pair
                .iter()
                .map(|other| own.cosine(other))
                .fold(*best, f64::max);
        }
        let mut ranked: Vec<(usize, f64)> = best.into_iter().enumerate().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked
    }
}

/// The distance between textures brought to length 1.
pub(super) fn distance(cosine: f64) -> f64 {
    (2.0 - 2.0 * cosine).max(0.0).sqrt()
}
