//! Principal components of arrays.

use eigenfaces::pca::real::{self, Basis, Samples};
use eigenfaces::pca::{Accumulator, Columns, ComponentCount, Components, Pca, Solver};
use nalgebra::DMatrix;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::{detached, wrong};

/// How many components: a number of them, a share of the variance, or a rule's name.
#[derive(FromPyObject)]
pub enum NComponents {
    Count(usize),
    Share(f64),
    Rule(String),
}

impl NComponents {
    fn count(self) -> PyResult<ComponentCount> {
        match self {
            Self::Count(count) if count > 0 => Ok(ComponentCount::Count(count)),
            Self::Share(share) if share > 0.0 && share <= 1.0 => Ok(ComponentCount::Share(share)),
            Self::Rule(rule) => rule.parse().map_err(wrong),
            Self::Count(_) | Self::Share(_) => Err(wrong(
                "n_components must be a number of components, a share of variance above 0 and up to 1, or a rule's name",
            )),
        }
    }
}

/// Mean (d), components (k x d), their variances (k), the total variance, and the route that was taken.
type Fitted<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, f64, &'static str);

/// A matrix whose columns are the rows of an array.
fn rows<'py>(py: Python<'py>, matrix: DMatrix<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (length, count) = matrix.shape();
    let numbers: Vec<f64> = matrix.data.into();
    numbers.into_pyarray(py).reshape([count, length])
}

fn fitted(py: Python<'_>, found: Components) -> PyResult<Fitted<'_>> {
    let mean: Vec<f64> = found.mean.data.into();
    Ok((
        mean.into_pyarray(py),
        rows(py, found.basis)?,
        found.eigenvalues.into_pyarray(py),
        found.total_variance,
        found.solver.name(),
    ))
}

fn solver(name: &str) -> PyResult<Solver> {
    name.parse().map_err(wrong)
}

/// The rows of an array in C order, as they lie in memory.
fn bytes<'a>(array: &'a PyReadonlyArray2<'_, u8>) -> PyResult<Columns<'a>> {
    let (count, length) = (array.shape()[0], array.shape()[1]);
    let columns = Columns::new(array.as_slice()?, length, count);
    columns.ok_or_else(|| wrong("the array does not hold what its shape says"))
}

fn numbers<'a>(array: &'a PyReadonlyArray2<'_, f64>) -> PyResult<Samples<'a>> {
    let (count, length) = (array.shape()[0], array.shape()[1]);
    let samples = Samples::new(array.as_slice()?, length, count);
    samples.ok_or_else(|| wrong("the array does not hold what its shape says"))
}

/// Learns from bytes (n x d), exactly.
#[pyfunction]
pub fn fit_bytes<'py>(
    py: Python<'py>,
    samples: PyReadonlyArray2<'py, u8>,
    n_components: NComponents,
    solver_name: &str,
) -> PyResult<Fitted<'py>> {
    let columns = bytes(&samples)?;
    let pca = Pca { components: n_components.count()?, solver: solver(solver_name)? };
    fitted(py, detached(py, || pca.fit(columns)).map_err(wrong)?)
}

/// Learns from doubles (n x d): exactly where all are whole numbers from 0 to 255.
#[pyfunction]
pub fn fit_numbers<'py>(
    py: Python<'py>,
    samples: PyReadonlyArray2<'py, f64>,
    n_components: NComponents,
    solver_name: &str,
) -> PyResult<Fitted<'py>> {
    let (count, length) = (samples.shape()[0], samples.shape()[1]);
    let samples = numbers(&samples)?;
    let (components, solver) = (n_components.count()?, solver(solver_name)?);
    let found = detached(py, || {
        let bytes = samples.to_bytes();
        let columns = bytes.as_deref().and_then(|bytes| Columns::new(bytes, length, count));
        match columns {
            Some(columns) => Pca { components, solver }.fit(columns),
            None => real::fit(samples, components, solver),
        }
    });
    fitted(py, found.map_err(wrong)?)
}

/// The weights (n x k) of bytes (n x d).
#[pyfunction]
pub fn weights_of_bytes<'py>(
    py: Python<'py>,
    samples: PyReadonlyArray2<'py, u8>,
    mean: PyReadonlyArray1<'py, f64>,
    components: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let columns = bytes(&samples)?;
    let basis = Basis::new(mean.as_slice()?, components.as_slice()?).map_err(wrong)?;
    rows(py, detached(py, || basis.weights_of_bytes(columns)).map_err(wrong)?)
}

/// The weights (n x k) of doubles (n x d).
#[pyfunction]
pub fn weights_of_numbers<'py>(
    py: Python<'py>,
    samples: PyReadonlyArray2<'py, f64>,
    mean: PyReadonlyArray1<'py, f64>,
    components: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let samples = numbers(&samples)?;
    let basis = Basis::new(mean.as_slice()?, components.as_slice()?).map_err(wrong)?;
    rows(py, detached(py, || basis.weights(samples)).map_err(wrong)?)
}

/// Samples (n x d) rebuilt from their weights (n x k).
#[pyfunction]
pub fn rebuild<'py>(
    py: Python<'py>,
    weights: PyReadonlyArray2<'py, f64>,
    mean: PyReadonlyArray1<'py, f64>,
    components: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let weights = numbers(&weights)?;
    let basis = Basis::new(mean.as_slice()?, components.as_slice()?).map_err(wrong)?;
    rows(py, detached(py, || basis.rebuilt(weights)).map_err(wrong)?)
}

/// n, Σx and Σxxᵀ of bytes, in exact integers: whatever the order and the split, the same.
#[pyclass(module = "eigenfaces._engine")]
pub struct Sums(Accumulator);

#[pymethods]
impl Sums {
    /// Of no samples of a number of features.
    #[new]
    fn new(features: usize) -> PyResult<Self> {
        match features {
            1..=Accumulator::MOST_PIXELS => Accumulator::new(features).map(Self).map_err(wrong),
            _ => Err(wrong(format!(
                "partial_fit takes 1 to {} features, for the sums grow with their square; got {features}",
                Accumulator::MOST_PIXELS
            ))),
        }
    }

    /// The number of samples.
    fn samples(&self) -> usize {
        self.0.faces()
    }

    /// Adds samples (n x d).
    fn add(&mut self, py: Python<'_>, samples: PyReadonlyArray2<'_, u8>) -> PyResult<()> {
        let columns = bytes(&samples)?;
        detached(py, || self.0.add(columns)).map_err(wrong)
    }

    /// Adds the samples of other sums.
    fn merge(&mut self, other: &Self) -> PyResult<()> {
        self.0.merge(&other.0).ok_or_else(|| {
            wrong("the sums are of other features, or of more samples together than can be summed exactly")
        })
    }

    /// The components of all samples.
    fn fit<'py>(&self, py: Python<'py>, n_components: NComponents) -> PyResult<Fitted<'py>> {
        let count = n_components.count()?;
        fitted(py, detached(py, || self.0.clone().fit(count)).map_err(wrong)?)
    }

    /// n, d, Σx and the upper triangle of Σxxᵀ, row by row, as little-endian integers of 8 bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes: Vec<u8> = self.0.pack().into_iter().flat_map(i64::to_le_bytes).collect();
        PyBytes::new(py, &bytes)
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let (numbers, rest) = bytes.as_chunks::<8>();
        let numbers: Vec<i64> = numbers.iter().map(|&number| i64::from_le_bytes(number)).collect();
        let sums = Accumulator::unpack(&numbers).filter(|_| rest.is_empty());
        Ok(Self(sums.ok_or_else(|| wrong("these bytes are not sums of samples"))?))
    }
}
