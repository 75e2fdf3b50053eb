//! Exponentials of float32 arrays.

use numpy::{PyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{contiguous, elements, of_type, zeros};
use crate::threads::in_parts;

/// `function` of all elements.
fn mapped<'py>(
    x: &Bound<'py, PyAny>,
    function: fn(&[f32], &mut [f32]) -> Result<(), hotloops::Error>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let x: Bound<'_, PyArrayDyn<f32>> = contiguous(&of_type::<f32>("x", x)?)?;
    let (array, y) = zeros::<f32>(py, x.shape())?;
    let x = elements(&x);
    in_parts(py, (x.len(), 1), x.len(), |part| function(&x[part.clone()], &mut y[part]))?;
    // A number gives a number.
    if array.ndim() == 0 { array.get_item(PyTuple::empty(py)) } else { Ok(array.into_any()) }
}

/// exp(x) within -3.91 % and +2.00 % for -87.3 <= x < 88.72284: the fast exponential of Dickson, Karimi and Hamze.
///
/// `x` is an array of float32 of any shape, or a sequence of numbers. Smaller numbers give 1.19e-38, larger ones
/// 3.27e38, NaN gives NaN.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> import numpy as np
/// >>> from hotloops import exp
/// >>> exp.fast(np.float32([0, 1])).tolist()
/// [0.9609060287475586, 2.7725887298583984]
#[pyfunction]
fn fast<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    mapped(x, hotloops::exp::fast)
}

/// exp(x) within 1 % for -21.83 < x < 22.18: the accurate exponential of Dickson, Karimi and Hamze.
///
/// `x` is as in `fast`. Smaller numbers give 0, larger ones 4.25e9, positive ones at least 1, NaN gives NaN.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
#[pyfunction]
fn accurate<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    mapped(x, hotloops::exp::accurate)
}

/// exp(x) within 4.3e-6 for -87.33655 <= x < 88.72283, by a polynomial.
///
/// `x` is as in `fast`. Smaller numbers give 0, larger ones infinity, NaN gives NaN.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
#[pyfunction]
fn poly<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    mapped(x, hotloops::exp::poly)
}

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = crate::submodule(parent, "exp")?;
    module.add_function(wrap_pyfunction!(fast, &module)?)?;
    module.add_function(wrap_pyfunction!(accurate, &module)?)?;
    module.add_function(wrap_pyfunction!(poly, &module)?)
}
