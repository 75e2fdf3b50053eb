//! Sums to be continued.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hotloops::reduce::Repro;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::{byte_string, unexpected};
use crate::arrays::{Floats, contiguous, elements, wrong};
use crate::raised;
use crate::sums::{self, Number};

/// A running sum whose bits do not depend on the order of the numbers, nor on how they are split
/// among sums that are merged. `bytes(sum)` and pickle save it; the bytes are the same on every
/// machine.
///
/// `state` is None for an empty sum, or what `bytes(sum)` returned.
/// Raises: ValueError or TypeError with the name of a wrong argument.
///
/// >>> from hotloops import linalg
/// >>> low, high = linalg.Repro(), linalg.Repro()
/// >>> low.extend([0.1, 0.2]); high.extend([0.3])
/// >>> high.merge(low)
/// >>> float(high) == linalg.sum_repro([0.3, 0.2, 0.1])
/// True
#[pyclass(name = "Repro", module = "hotloops.linalg", frozen)]
pub struct PyRepro(Mutex<Repro>);

impl PyRepro {
    /// The sum, alone. No call takes the interpreter lock while it holds this.
    fn lock(&self) -> MutexGuard<'_, Repro> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyRepro {
    #[new]
    #[pyo3(signature = (state = None))]
    fn new(state: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(state) = state else { return Ok(PyRepro(Mutex::new(Repro::new()))) };
        let state = Repro::from_state_bytes(byte_string("state", state)?.as_bytes());
        state.map(|state| PyRepro(Mutex::new(state))).map_err(|error| wrong("state", error))
    }

    /// Adds the elements of `x`, float32 or float64. An interrupted call adds none.
    ///
    /// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
    fn extend(&self, py: Python<'_>, x: &Bound<'_, PyAny>) -> PyResult<()> {
        match Floats::of("x", x)? {
            Floats::Single(x) => self.extended(py, elements(&contiguous(&x)?)),
            Floats::Double(x) => self.extended(py, elements(&contiguous(&x)?)),
        }
    }

    /// Adds everything that was added to `other`.
    ///
    /// Raises: TypeError if `other` is no `Repro`.
    fn merge(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        let other = other.cast::<Self>().map_err(|_| unexpected("other", "a Repro", other))?;
        // One lock at a time: two sums may be merged into each other.
        let copy = *other.get().lock();
        self.lock().merge(&copy);
        Ok(())
    }

    /// The sum, rounded to a float.
    fn sum(&self) -> f64 {
        self.lock().sum()
    }

    fn __float__(&self) -> f64 {
        self.lock().sum()
    }

    fn __repr__(&self) -> String {
        format!("<hotloops.linalg.Repro of {}>", self.lock().sum())
    }

    fn __eq__(&self, other: &Self) -> bool {
        let copy = *other.lock();
        *self.lock() == copy
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = [0; Repro::STATE_LEN];
        self.lock().state_bytes(&mut bytes).map_err(raised)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = slf.get().__bytes__(slf.py())?;
        Ok((slf.get_type().into_any(), (bytes,)))
    }
}

impl PyRepro {
    /// An interrupted call leaves the sum as it was.
    fn extended<T: Number>(&self, py: Python<'_>, x: &[T]) -> PyResult<()> {
        let sum = sums::repro_of(py, x)?;
        self.lock().merge(&sum);
        Ok(())
    }
}
