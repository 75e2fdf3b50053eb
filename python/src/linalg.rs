//! `hotloops.linalg`.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hotloops::matmul::{Element as Multiplied, MatMut, MatRef, Order, Strides};
use hotloops::reduce::Repro;
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::arguments::{byte_string, choice, factor, name, unexpected};
use crate::arrays::{Floats, contiguous, elements, is_writeable, numpy, uninitialised, wrong};
use crate::sums::{self, Number};
use crate::{products, raised};

/// A reduction of the elements of `x`.
macro_rules! reduction {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[doc = ""]
        #[doc = "Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt."]
        #[pyfunction]
        fn $name(py: Python<'_>, x: &Bound<'_, PyAny>) -> PyResult<f64> {
            Ok(match Floats::of("x", x)? {
                Floats::Single(x) => f64::from(sums::$name(py, elements(&contiguous(&x)?))?),
                Floats::Double(x) => sums::$name(py, elements(&contiguous(&x)?))?,
            })
        }
    };
}

reduction! {
    /// The sum of the elements of `x` (float32 or float64, any shape; a list becomes float64), in a fixed order: the
    /// same bits on every machine. The result is rounded to the type of `x`. NaN and infinities are summed as they are.
    ///
    /// >>> from hotloops import linalg
    /// >>> linalg.sum([0.5, 0.25, 1.0])
    /// 1.75
    sum
}

reduction! {
    /// The sum of the elements of `x`, compensated: as accurate as if it were computed with twice
    /// the precision and then rounded (Ogita, Rump, Oishi 2005).
    ///
    /// >>> from hotloops import linalg
    /// >>> linalg.sum2([1e16, 1.0, -1e16])
    /// 1.0
    sum2
}

reduction! {
    /// The sum of the elements of `x` by Kahan's compensated summation.
    ///
    /// >>> from hotloops import linalg
    /// >>> linalg.kahan([0.1] * 10)
    /// 1.0
    kahan
}

reduction! {
    /// The sum of the elements of `x` with the same bits for every order of the elements. The error is at
    /// most n 2^-80 of the largest magnitude, beside the final rounding. `Repro` adds parts, on several
    /// threads or machines, to the same bits.
    ///
    /// >>> from hotloops import linalg
    /// >>> x = [0.1 * i for i in range(100)]
    /// >>> linalg.sum_repro(x) == linalg.sum_repro(x[::-1])
    /// True
    sum_repro
}

fn same_shape(x: &[usize], y: &[usize]) -> PyResult<()> {
    if x == y {
        return Ok(());
    }
    Err(wrong("x, y", format_args!("expected arrays of one shape, found {x:?} and {y:?}")))
}

/// A reduction of the products of the elements of `x` and `y`.
macro_rules! product {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[doc = ""]
        #[doc = "Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt."]
        #[pyfunction]
        fn $name(py: Python<'_>, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<f64> {
            Ok(match (Floats::of("x", x)?, Floats::of("y", y)?) {
                (Floats::Single(x), Floats::Single(y)) => {
                    same_shape(x.shape(), y.shape())?;
                    let (x, y) = (contiguous(&x)?, contiguous(&y)?);
                    let (x, y) = (elements(&x), elements(&y));
                    f64::from(sums::$name(py, x, y)?)
                }
                (Floats::Double(x), Floats::Double(y)) => {
                    same_shape(x.shape(), y.shape())?;
                    let (x, y) = (contiguous(&x)?, contiguous(&y)?);
                    let (x, y) = (elements(&x), elements(&y));
                    sums::$name(py, x, y)?
                }
                _ => return Err(PyTypeError::new_err("x, y: one is float32, the other float64")),
            })
        }
    };
}

product! {
    /// The sum of the products of the elements of `x` and `y`, both float32 or both float64 and of one shape, in a
    /// fixed order: the same bits on every machine.
    ///
    /// >>> from hotloops import linalg
    /// >>> linalg.dot([1.0, 2.0], [3.0, 4.0])
    /// 11.0
    dot
}

product! {
    /// The sum of the products of the elements of `x` and `y`, compensated: as accurate as if it
    /// were computed with twice the precision and then rounded.
    ///
    /// >>> from hotloops import linalg
    /// >>> linalg.dot2([1e16, 1.0, -1e16], [1.0, 1.0, 1.0])
    /// 1.0
    dot2
}

product! {
    /// The sum of the products of the elements of `x` and `y`, with the same bits for every order. The
    /// error is at most n 2^-79 of the largest product.
    ///
    /// >>> from hotloops import linalg
    /// >>> linalg.dot_repro([0.1, 0.2, 0.3], [3.0, 2.0, 1.0]) == linalg.dot_repro([0.3, 0.2, 0.1], [1.0, 2.0, 3.0])
    /// True
    dot_repro
}

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
struct PyRepro(Mutex<Repro>);

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

/// How an array with one axis becomes a matrix.
#[derive(Clone, Copy)]
enum Vector {
    Row,
    Column,
}

/// An array as a matrix. Its strides are in elements, `None` if one is not a whole number of them.
struct Matrix {
    shape: [usize; 2],
    strides: Option<Strides>,
}

impl Matrix {
    #[inline]
    fn of<T: Element>(name: &str, array: &Bound<'_, PyArrayDyn<T>>, vector: Vector) -> PyResult<Self> {
        let size = size_of::<T>() as isize;
        let (shape, [row, column]) = match (array.shape(), array.strides(), vector) {
            (&[m, n], &[row, column], _) => ([m, n], [row, column]),
            (&[n], &[stride], Vector::Row) => ([1, n], [size, stride]),
            (&[n], &[stride], Vector::Column) => ([n, 1], [stride, size]),
            (found, ..) => return Err(wrong(name, format_args!("expected 1 or 2 axes, found {}", found.len()))),
        };
        let is_whole = row % size == 0 && column % size == 0 && array.is_aligned();
        Ok(Matrix { shape, strides: is_whole.then_some(Strides { row: row / size, column: column / size }) })
    }

    /// An argument that is read, copied if its strides are not multiples of the element size.
    #[inline]
    fn input<'py, T: Element>(
        name: &str,
        array: &Bound<'py, PyArrayDyn<T>>,
        vector: Vector,
    ) -> PyResult<(Bound<'py, PyArrayDyn<T>>, [usize; 2], Strides)> {
        let matrix = Matrix::of(name, array, vector)?;
        match matrix.strides {
            Some(strides) => Ok((array.clone(), matrix.shape, strides)),
            None => Matrix::input(name, &contiguous(array)?, vector),
        }
    }
}

/// The addresses from the first byte of an array to its last.
fn bytes<T: Element>(array: &Bound<'_, PyArrayDyn<T>>) -> Range<usize> {
    let (mut start, mut end) = (array.data() as usize, array.data() as usize + size_of::<T>());
    for (&count, &stride) in array.shape().iter().zip(array.strides()) {
        let reach = (count.max(1) - 1) * stride.unsigned_abs();
        if stride < 0 { start -= reach } else { end += reach }
    }
    if array.is_empty() { start..start } else { start..end }
}

/// Runs [`gemm_in`] on arrays with one or two axes.
fn multiply<'py, T: Multiplied + Element>(
    a: &Bound<'py, PyArrayDyn<T>>,
    b: &Bound<'py, PyArrayDyn<T>>,
    out: Option<&Bound<'py, PyArrayDyn<T>>>,
    [alpha, beta]: [T; 2],
    order: Order,
) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    let is_matrix = [a.ndim() != 1, b.ndim() != 1];
    let (a, [m, k], of_a) = Matrix::input("a", a, Vector::Row)?;
    let (b, [depth, n], of_b) = Matrix::input("b", b, Vector::Column)?;
    if depth != k {
        let (rows, columns) =
            (["elements", "rows"][usize::from(is_matrix[1])], ["elements", "columns"][usize::from(is_matrix[0])]);
        return Err(wrong("b", format_args!("expected {k} {rows}, as many as a has {columns}; found {depth}")));
    }
    // The axes of vectors disappear.
    let expected = match is_matrix {
        [true, true] => &[m, n][..],
        [true, false] => &[m],
        [false, true] => &[n],
        [false, false] => &[],
    };
    let vector = if is_matrix[0] { Vector::Column } else { Vector::Row };
    let c = match out {
        // SAFETY: the product writes all elements: `beta` is 0.
        None => unsafe { uninitialised::<T>(py, expected)? },
        Some(c) => {
            if c.shape() != expected {
                let axes = expected.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
                return Err(wrong("out", format_args!("expected shape ({axes}) from a and b, found {:?}", c.shape())));
            }
            if !is_writeable(c) {
                return Err(wrong("out", "is read-only"));
            }
            for (name, input) in [("a", &a), ("b", &b)] {
                if overlap(c, input)? {
                    return Err(wrong("out", format_args!("overlaps {name}")));
                }
            }
            c.clone()
        }
    };
    let of_c = match expected {
        [] => Some(Strides { row: 1, column: 1 }).filter(|_| c.is_aligned()),
        _ => Matrix::of("out", &c, vector)?.strides,
    };
    let Some(of_c) = of_c else { return Err(wrong("out", "is not aligned")) };
    // SAFETY: the arrays' elements, which the references keep alive. Numpy gives strides from the
    // first element. C shares no memory with A and B; of an array of numpy, an element that appears
    // twice can only come from stride tricks, which `distinct` rejects.
    let (a, b, c_mat) = unsafe {
        if !distinct([m, n], of_c) {
            return Err(wrong("out", "its elements overlap"));
        }
        (
            MatRef::from_raw(a.data(), m, k, of_a),
            MatRef::from_raw(b.data(), k, n, of_b),
            MatMut::from_raw(c.data(), m, n, of_c),
        )
    };
    products::multiply(py, alpha, [a, b], beta, c_mat, order)?;
    // As in numpy, the product of two vectors is a scalar.
    if expected.is_empty() && out.is_none() { c.get_item(PyTuple::empty(py)) } else { Ok(c.into_any()) }
}

/// Whether two arrays share an element. Where their addresses are interleaved, numpy decides; if
/// that takes long, they count as sharing one.
fn overlap<T: Element>(written: &Bound<'_, PyArrayDyn<T>>, read: &Bound<'_, PyArrayDyn<T>>) -> PyResult<bool> {
    let (of_written, of_read) = (bytes(written), bytes(read));
    if of_written.start >= of_read.end || of_read.start >= of_written.end {
        return Ok(false);
    }
    let shared = numpy(written.py(), "shares_memory")?.call1((written, read, 1000));
    shared.map_or(Ok(true), |shared| shared.is_truthy())
}

/// Whether rows or columns are disjoint.
fn distinct([rows, columns]: [usize; 2], Strides { row, column }: Strides) -> bool {
    let reach = |count: usize, stride: isize| (count.max(1) - 1).saturating_mul(stride.unsigned_abs());
    let (row, column) = (row.unsigned_abs(), column.unsigned_abs());
    let apart = |outer: usize, outers: usize, inner: usize, inners: usize| {
        (outers <= 1 || outer > reach(inners, inner as isize)) && (inners <= 1 || inner > 0)
    };
    rows == 0 || columns == 0 || apart(row, rows, column, columns) || apart(column, columns, row, rows)
}

/// The product `alpha a b + beta out`.
///
/// `a` has shape (m, k), `b` (k, n), both of float32 or both of float64, with any strides: slices
/// and transposes are read where they lie. `out` has shape (m, n), is writable and shares no element
/// with `a` and `b`; without it a new array is returned. As in numpy, `a` of shape (k,) is a row and
/// `b` of shape (k,) a column; the result lacks that axis, and of two vectors it is a number.
/// With `order="strict"` each element is one
/// chain of fused multiply-adds by ascending k, so the bits are the same on every CPU, and for every way of splitting
/// the product by rows and columns. "fast" may split k: the bits may then depend on the shape and on the instruction
/// set.
///
/// `alpha` and `beta` are any numbers; a `beta` other than 0 needs `out`.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> import numpy as np
/// >>> from hotloops import linalg
/// >>> a = np.arange(6, dtype=np.float32).reshape(2, 3)
/// >>> linalg.matmul(a, a.T)
/// array([[ 5., 14.],
///        [14., 50.]], dtype=float32)
#[pyfunction]
#[pyo3(signature = (a, b, out = None, *, alpha = 1.0, beta = 0.0, order = "strict"))]
fn matmul<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = factor::<name::Alpha>)] alpha: f64,
    #[pyo3(from_py_with = factor::<name::Beta>)] beta: f64,
    #[pyo3(from_py_with = choice::<name::Order>)] order: &'static str,
) -> PyResult<Bound<'py, PyAny>> {
    let order = if order == "fast" { Order::Fast } else { Order::Strict };
    if out.is_none() && beta != 0.0 {
        return Err(wrong("beta", "is not 0, but there is no out"));
    }
    let mixed = || PyTypeError::new_err("a, b, out: expected the same type, float32 or float64");
    let out = out.map(|out| match out.cast::<numpy::PyUntypedArray>() {
        Ok(_) => Floats::of("out", out),
        Err(_) => Err(unexpected("out", "an array", out)),
    });
    match (Floats::of("a", a)?, Floats::of("b", b)?, out.transpose()?) {
        (Floats::Single(a), Floats::Single(b), None) => multiply(&a, &b, None, [alpha as f32, beta as f32], order),
        (Floats::Single(a), Floats::Single(b), Some(Floats::Single(c))) => {
            multiply(&a, &b, Some(&c), [alpha as f32, beta as f32], order)
        }
        (Floats::Double(a), Floats::Double(b), None) => multiply(&a, &b, None, [alpha, beta], order),
        (Floats::Double(a), Floats::Double(b), Some(Floats::Double(c))) => {
            multiply(&a, &b, Some(&c), [alpha, beta], order)
        }
        _ => Err(mixed()),
    }
}

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = crate::submodule(parent, "linalg")?;
    module.add_function(wrap_pyfunction!(matmul, &module)?)?;
    module.add_function(wrap_pyfunction!(sum, &module)?)?;
    module.add_function(wrap_pyfunction!(sum2, &module)?)?;
    module.add_function(wrap_pyfunction!(kahan, &module)?)?;
    module.add_function(wrap_pyfunction!(sum_repro, &module)?)?;
    module.add_function(wrap_pyfunction!(dot, &module)?)?;
    module.add_function(wrap_pyfunction!(dot2, &module)?)?;
    module.add_function(wrap_pyfunction!(dot_repro, &module)?)?;
    module.add_class::<PyRepro>()?;
    Ok(())
}
