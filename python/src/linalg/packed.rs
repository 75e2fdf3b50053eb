//! A matrix B that is packed once for many products.

use hotloops::matmul::{Element as Multiplied, Options, PackedB};
use numpy::{Element, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;

use super::matrix::{Axes, Stack};
use crate::arrays::{Floats, shape, zeros};
use crate::raised;
use crate::threads::{Stop, on};

/// A packed B in memory that numpy allocated.
pub struct Held<T: Element + 'static> {
    pub packed: PackedB<'static, T>,
    /// Keeps the elements of `packed` alive. Nothing else refers to it.
    _memory: Py<PyArrayDyn<T>>,
}

impl<T: Multiplied + Element> Held<T> {
    fn new(b: &Bound<'_, PyArrayDyn<T>>) -> PyResult<Self> {
        let (py, [k, n]) = (b.py(), shape("b", b)?);
        let (b, stack) = Stack::input("b", b, Axes::Both)?;
        let len = PackedB::<T>::len(k, n).map_err(raised)?;
        let (memory, _) = zeros::<T>(py, &[len])?;
        // SAFETY: the elements of B, which the reference keeps alive, and all of the new memory, which `_memory` keeps
        // alive for as long as `packed` exists, and which nothing else refers to.
        let (view, elements) = unsafe { (stack.first.to_read(), std::slice::from_raw_parts_mut(memory.data(), len)) };
        let packed = on(py, Some(1), len, |watch| {
            let packed = PackedB::new_while(view, elements, &Options::default(), || watch.goes_on())?;
            packed.ok_or(Stop::Interrupted)
        })?;
        drop(b);
        Ok(Held { packed, _memory: memory.unbind() })
    }
}

/// A packed B by its type.
pub enum Packed {
    Single(Held<f32>),
    Double(Held<f64>),
}

/// A matrix `b` that is packed once for many products: `matmul(a, PackedB(b))` has the bits of `matmul(a, b)`. It saves
/// packing `b` in each product, which takes a good part of the time if `a` has some 8 to 64 rows. Products of fewer
/// rows are faster with `b` itself if its rows are contiguous.
///
/// `b` has shape (k, n), float32 or float64, with any strides (a list becomes float64). It is copied: later changes of
/// `b` change no product. It has the attributes `shape` and `dtype`, and cannot be pickled.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> import numpy as np
/// >>> from hotloops import linalg
/// >>> weights = linalg.PackedB(np.float32([[1, 2, 3], [4, 5, 6]]))
/// >>> linalg.matmul(np.float32([[1, 1]]), weights)
/// array([[5., 7., 9.]], dtype=float32)
/// >>> weights
/// <hotloops.linalg.PackedB of shape (2, 3), float32>
#[pyclass(name = "PackedB", module = "hotloops.linalg", frozen)]
pub struct PyPackedB(pub Packed);

#[pymethods]
impl PyPackedB {
    #[new]
    fn new(b: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(PyPackedB(match Floats::of("b", b)? {
            Floats::Single(b) => Packed::Single(Held::new(&b)?),
            Floats::Double(b) => Packed::Double(Held::new(&b)?),
        }))
    }

    /// Rows and columns, (k, n).
    #[getter]
    pub fn shape(&self) -> (usize, usize) {
        match &self.0 {
            Packed::Single(held) => (held.packed.rows(), held.packed.columns()),
            Packed::Double(held) => (held.packed.rows(), held.packed.columns()),
        }
    }

    /// The type of the elements.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        match &self.0 {
            Packed::Single(_) => numpy::dtype::<f32>(py).into_any(),
            Packed::Double(_) => numpy::dtype::<f64>(py).into_any(),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<hotloops.linalg.PackedB of shape {:?}, {}>", self.shape(), self.dtype(py))
    }
}
