//! Of a model what naming people needs, which of a large one is a third.

use std::path::Path;
use std::sync::Arc;

use super::Archive;
use super::model::{self, Meta, Placed};
use crate::dataset::Person;
use crate::error::{ModelProblem, Result};
use crate::kernel_pca::Kernel;
use crate::recognizer::Identifier;

/// Reads what names people. Of a large model neither the enrolled faces nor their weights are kept, but all of the
/// file is checked: of members that are passed over, the checksum.
///
/// # Errors
/// As [`load`](super::load).
pub fn load_identifier(path: &Path) -> Result<Identifier> {
    let archive = Archive::open(path)?;
    let identifier = read(&archive)?;
    archive.check_rest()?;
    Ok(identifier)
}

fn read(archive: &Archive) -> Result<Identifier> {
    let meta: Meta = archive.meta()?;
    let settings = meta.settings(archive)?;
    // These compare with the faces themselves; and what is in memory can as well be looked at closely.
    if archive.is_in_memory()
        || settings.kernel != Kernel::Linear
        || !meta.calibration.gives_names()
    {
        let (recognizer, _) = model::from_archive(archive)?;
        return Ok(recognizer.into_identifier());
    }
    let space = Arc::new(model::read_space(archive, &meta)?);
    let (people, persons) = read_people(archive, meta.faces)?;
    let placed = Placed {
        persons: &persons,
        people: people.len(),
        faces: None,
    };
    let matcher = model::read_matcher(archive, &meta, settings, &space, placed)?;
    let preparation = meta.preparation(space.size());
    Identifier::from_parts(
        preparation,
        settings,
        space,
        people,
        matcher,
        meta.calibration,
    )
    .map_err(|_| model::senseless(archive, "parts that do not fit together"))
}

/// The people, and the person of each face.
fn read_people(archive: &Archive, n: usize) -> Result<(Vec<Person>, Vec<usize>)> {
    let senseless = |reason: String| archive.refuse(ModelProblem::Layout { reason });
    let mut people: Vec<Person> = Vec::new();
    let mut persons = Vec::new();
    archive.each_line("labels", n, &mut |_, label| {
        if people.last().is_none_or(|last| last.as_str() != label) {
            let person = Person::new(&label).map_err(|error| senseless(error.to_string()))?;
            if people.last().is_some_and(|last| *last >= person) {
                return Err(senseless("faces out of order or twice".to_owned()));
            }
            people.push(person);
        }
        persons.push(people.len() - 1);
        Ok(())
    })?;
    Ok((people, persons))
}
