//! Background models of one's own.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Background;
use crate::error::Result;

/// Provenance of a background model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Where the photos come from.
    pub source: String,
    /// The license or permission under which they are used.
    pub license: String,
    /// Number of people.
    pub people: usize,
    /// Number of photos.
    pub photos: usize,
}

/// A background model that somebody learned (`eigenfaces background`), in use.
///
/// Settings name it and are copied everywhere, so it stays in memory until the process ends: once, however often it is opened.
#[derive(Clone, Copy)]
pub struct OwnBackground(&'static LoadedModel);

struct LoadedModel {
    background: Background,
    bytes: Vec<u8>,
    provenance: Provenance,
    digest: String,
}

/// All that were opened, by their digests.
static OPENED: Mutex<Option<HashMap<String, &'static LoadedModel>>> = Mutex::new(None);

impl OwnBackground {
    /// Takes a background model into use.
    pub fn new(background: Background, provenance: Provenance) -> Self {
        let bytes = background.to_bytes();
        let digest = digest(&bytes, &provenance);
        Self::keep(LoadedModel { background, bytes, provenance, digest })
    }

    fn opened(digest: &str) -> Option<Self> {
        OPENED.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.get(digest).copied().map(Self)
    }

    fn keep(kept: LoadedModel) -> Self {
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        let place = opened.get_or_insert_default().entry(kept.digest.clone());
        Self(place.or_insert_with(|| Box::leak(Box::new(kept))))
    }

    /// Takes a background model into use, from the [bytes](Background::to_bytes) of one.
    ///
    /// # Errors
    /// [`Error::Likelihood`](crate::Error::Likelihood).
    pub fn from_bytes(bytes: &[u8], provenance: Provenance) -> Result<Self> {
        let digest = digest(bytes, &provenance);
        if let Some(opened) = Self::opened(&digest) {
            return Ok(opened);
        }
        Ok(Self::keep(LoadedModel {
            background: Background::from_bytes(bytes)?,
            bytes: bytes.to_vec(),
            provenance,
            digest,
        }))
    }

    /// The model.
    pub fn background(self) -> &'static Background {
        &self.0.background
    }

    /// The model as a file holds it ([`Background::to_bytes`]).
    pub fn bytes(self) -> &'static [u8] {
        &self.0.bytes
    }

    /// Its provenance.
    pub fn provenance(self) -> &'static Provenance {
        &self.0.provenance
    }

    /// SHA-256 of the model and of what it says of itself, in hexadecimal digits.
    pub fn digest(self) -> &'static str {
        &self.0.digest
    }
}

fn digest(bytes: &[u8], provenance: &Provenance) -> String {
    let mut hasher = Sha256::new();
    hasher.update(bytes);
    for text in [&provenance.source, &provenance.license] {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    for count in [provenance.people, provenance.photos] {
        hasher.update((count as u64).to_le_bytes());
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl PartialEq for OwnBackground {
    fn eq(&self, other: &Self) -> bool {
        self.0.digest == other.0.digest
    }
}

impl Eq for OwnBackground {}

impl fmt::Debug for OwnBackground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnBackground").field(&self.0.digest).finish()
    }
}
