//! The front door, `Model`, for the Python class `FaceRecognizer`.

use std::path::PathBuf;

use eigenfaces::background::Prior;
use eigenfaces::enrollment::PreparationOptions;
use eigenfaces::error::Error;
use eigenfaces::face_matrix::FaceSize;
use eigenfaces::model::DescribedFace;
use eigenfaces::{
    Acceptance, Decision, FaceChoice, Identification, Model, Options, Person, Photo, QueryOptions, Settings, Verdict,
    Verification,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;

use crate::photo::{Input, given};
use crate::{detached, exception, wrong};

/// A face as Python gets it: decision, person, confidence, box, eyes, candidates, confidence that it is somebody else.
type Face =
    (&'static str, Option<String>, f64, Option<[f32; 4]>, Option<[[f32; 2]; 2]>, Vec<(String, f64, f64)>, Option<f64>);

/// Whether two faces are of one person, how confident that is, and the confidence that is needed.
type Verified = (bool, f64, f64);

/// A model: who is enrolled and what was learned.
#[pyclass(frozen, module = "eigenfaces._engine")]
pub struct Recognizer(Model);

#[pymethods]
impl Recognizer {
    /// Enrols photos under names.
    #[staticmethod]
    fn enroll(
        py: Python<'_>,
        photos: &Bound<'_, PyAny>,
        names: Vec<String>,
        framing: &str,
        size: Option<(u32, u32)>,
        background: bool,
    ) -> PyResult<Self> {
        let photos = given(photos)?;
        if photos.len() != names.len() {
            return Err(wrong("there are not as many names as photos"));
        }
        let size = size.map(|(width, height)| FaceSize::new(width, height));
        let options = Options {
            preparation: PreparationOptions {
                framing: framing.parse().map_err(wrong)?,
                size: size.transpose().map_err(|error| exception(error.into()))?,
                ..PreparationOptions::default()
            },
            settings: Settings { prior: if background { Prior::Bundled } else { Prior::None }, ..Settings::default() },
            ..Options::default()
        };
        let enrolled = detached(py, || {
            let photos = decoded(photos)?;
            let people: Vec<Person> = names.iter().map(|name| Person::new(name)).collect::<Result<_, _>>()?;
            let labeled: Vec<(Person, Photo)> = people.into_iter().zip(photos).collect();
            Model::enroll_photos(&labeled, &options)
        });
        enrolled.map(Self).map_err(exception)
    }

    /// Enrols faces that [`describe`] prepared.
    #[staticmethod]
    fn enroll_described(py: Python<'_>, faces: Vec<Vec<u8>>) -> PyResult<Self> {
        let enrolled = detached(py, || {
            let faces: Vec<_> = faces.par_iter().map(|face| DescribedFace::from_bytes(face)).collect();
            Model::enroll_described(faces.into_iter().collect::<Result<_, Error>>()?)
        });
        enrolled.map(Self).map_err(exception)
    }

    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        detached(py, || Model::load(path)).map(Self).map_err(exception)
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        detached(py, || self.0.save(path)).map_err(exception)
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Self> {
        detached(py, || Model::from_bytes(bytes)).map(Self).map_err(exception)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &detached(py, || self.0.to_bytes())?))
    }

    /// The names of all who are enrolled.
    fn people(&self) -> Vec<String> {
        self.0.people().iter().map(ToString::to_string).collect()
    }

    /// Everybody who is found in each photo.
    fn identify(
        &self,
        py: Python<'_>,
        photos: &Bound<'_, PyAny>,
        top: usize,
        false_accepts: Option<f64>,
    ) -> PyResult<Vec<Vec<Face>>> {
        let photos = given(photos)?;
        let query = query(top, false_accepts)?;
        let found = detached(py, || of_each(photos, |photo| self.0.identify(photo, query)));
        Ok(found.map_err(exception)?.into_iter().map(|faces| faces.into_iter().map(face).collect()).collect())
    }

    /// The main face of each photo, with so many candidates.
    fn identify_main(
        &self,
        py: Python<'_>,
        photos: &Bound<'_, PyAny>,
        top: usize,
        false_accepts: Option<f64>,
    ) -> PyResult<Vec<Face>> {
        let photos = given(photos)?;
        let query = query(top, false_accepts)?;
        let found = detached(py, || {
            let prepared = of_each(photos, |photo| Ok(vec![self.0.face(photo, FaceChoice::Main)?]))?;
            self.0.recognizer().identify_prepared(&prepared, query)
        });
        Ok(found.map_err(exception)?.into_iter().flatten().map(face).collect())
    }

    /// Whether the main faces of two photos are of one person.
    fn verify(
        &self,
        py: Python<'_>,
        first: &Bound<'_, PyAny>,
        second: &Bound<'_, PyAny>,
        false_accepts: Option<f64>,
    ) -> PyResult<Verified> {
        let (first, second) = (Input::from_python(first)?, Input::from_python(second)?);
        let acceptance = acceptance(false_accepts)?;
        detached(py, || self.0.verify(&first.open(0)?, &second.open(1)?, acceptance)).map(answer).map_err(exception)
    }

    /// Whether the main face of a photo is of the enrolled person of that name.
    fn verify_person(
        &self,
        py: Python<'_>,
        photo: &Bound<'_, PyAny>,
        name: &str,
        false_accepts: Option<f64>,
    ) -> PyResult<Verified> {
        let photo = Input::from_python(photo)?;
        let acceptance = acceptance(false_accepts)?;
        detached(py, || self.0.verify_person(&photo.open(0)?, name, acceptance)).map(answer).map_err(exception)
    }
}

/// The face of a photo, prepared and described, as bytes.
#[pyfunction]
pub fn describe<'py>(
    py: Python<'py>,
    photo: &Bound<'py, PyAny>,
    person: &str,
    source: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let photo = Input::from_python(photo)?;
    let described = detached(py, || {
        let described = DescribedFace::of(&photo.open(0)?, Person::new(person)?, source)?;
        described.to_bytes().map_err(|_| Error::Inconsistent)
    });
    Ok(PyBytes::new(py, &described.map_err(exception)?))
}

/// Decodes photos in parallel; the error is that of the first that cannot be.
fn decoded(photos: Vec<Input>) -> Result<Vec<Photo>, Error> {
    let photos: Vec<_> = photos.into_par_iter().enumerate().map(|(number, photo)| photo.open(number)).collect();
    photos.into_iter().collect()
}

/// What is made of each photo, in parallel; the error is that of the first that nothing can be made of, with its number.
fn of_each<T: Send>(photos: Vec<Input>, make: impl Fn(&Photo) -> Result<T, Error> + Sync) -> Result<Vec<T>, Error> {
    let numbered = |(number, photo): (usize, Input)| {
        make(&photo.open(number)?).map_err(|error| match error {
            Error::Photo { problem, .. } => Error::photo(format!("photo {number}"), problem),
            other => other,
        })
    };
    let made: Vec<_> = photos.into_par_iter().enumerate().map(numbered).collect();
    made.into_iter().collect()
}

fn acceptance(false_accepts: Option<f64>) -> PyResult<Acceptance> {
    match false_accepts {
        None => Ok(Acceptance::default()),
        Some(share) if share > 0.0 && share < 1.0 => Ok(Acceptance::FalseAccepts(share)),
        Some(_) => Err(wrong("false_accept_rate must lie between 0 and 1")),
    }
}

fn query(top: usize, false_accepts: Option<f64>) -> PyResult<QueryOptions> {
    match top {
        0 => Err(wrong("top must be 1 or more")),
        _ => Ok(QueryOptions { top, acceptance: acceptance(false_accepts)? }),
    }
}

fn face(found: Identification) -> Face {
    let person = found.name().map(str::to_owned);
    let confidence = found.closest().map_or(0.0, |closest| closest.confidence);
    let decision = match found.decision {
        Decision::Known => "known",
        Decision::Unknown => "unknown",
        Decision::NotAFace => "not-a-face",
    };
    let place = found.location.map(|location| location.bounds);
    let eyes = found.location.map(|location| location.eyes);
    let candidates = found
        .candidates
        .into_iter()
        .map(|candidate| (candidate.person.to_string(), candidate.distance, candidate.confidence))
        .collect();
    (decision, person, confidence, place, eyes, candidates, found.somebody_else)
}

fn answer(verified: Verification) -> Verified {
    (verified.verdict == Verdict::Same, verified.confidence, verified.needed)
}
