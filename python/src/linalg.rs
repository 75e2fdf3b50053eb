//! `hotloops.linalg`.

use std::ops::Range;

use hotloops::matmul::{Element as Multiplied, MatMut, MatRef, Options, Order, Strides, gemm_in};
use hotloops::reduce::{self, Repro};
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::{Floats, contiguous, elements, shape, wrong};
use crate::raised;

/// Below this many multiply-adds or elements a call keeps the interpreter lock.
const QUICK: usize = 1 << 14;

/// Runs without the interpreter lock if there is much to do.
fn run<T: Send>(py: Python<'_>, work: usize, f: impl FnOnce() -> T + Send) -> T {
    if work < QUICK { f() } else { py.detach(f) }
}

/// A reduction of the elements of `x`.
macro_rules! reduction {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[pyfunction]
        fn $name(py: Python<'_>, x: &Bound<'_, PyAny>) -> PyResult<f64> {
            Ok(match Floats::of("x", x)? {
                Floats::Single(x) => {
                    let x = contiguous(&x)?;
                    let x = elements(&x);
                    f64::from(run(py, x.len(), || reduce::$name(x)))
                }
                Floats::Double(x) => {
                    let x = contiguous(&x)?;
                    let x = elements(&x);
                    run(py, x.len(), || reduce::$name(x))
                }
            })
        }
    };
}

reduction! {
    /// sum(x)
    /// --
    ///
    /// The sum of the elements of `x` (float32 or float64, any shape), in a fixed order: the same
    /// bits on every machine. The result is rounded to the type of `x`.
    ///
    /// >>> from hotloops import linalg
    /// >>> linalg.sum([0.5, 0.25, 1.0])
    /// 1.75
    sum
}

reduction! {
    /// sum2(x)
    /// --
    ///
    /// The sum of the elements of `x`, compensated: as accurate as if it were computed with twice
    /// the precision and then rounded (Ogita, Rump, Oishi 2005).
    ///
    /// >>> from hotloops import linalg
    /// >>> linalg.sum2([1e16, 1.0, -1e16])
    /// 1.0
    sum2
}

reduction! {
    /// kahan(x)
    /// --
    ///
    /// The sum of the elements of `x` by Kahan's compensated summation.
    ///
    /// >>> from hotloops import linalg
    /// >>> linalg.kahan([0.1] * 10)
    /// 1.0
    kahan
}

reduction! {
    /// sum_repro(x)
    /// --
    ///
    /// The sum of the elements of `x` with the same bits for every order of the elements. `Repro`
    /// adds parts, on several threads or machines, to the same bits.
    ///
    /// >>> from hotloops import linalg
    /// >>> x = [0.1 * i for i in range(100)]
    /// >>> linalg.sum_repro(x) == linalg.sum_repro(x[::-1])
    /// True
    sum_repro
}

/// A reduction of the products of the elements of `x` and `y`.
macro_rules! product {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[pyfunction]
        fn $name(py: Python<'_>, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<f64> {
            Ok(match (Floats::of("x", x)?, Floats::of("y", y)?) {
                (Floats::Single(x), Floats::Single(y)) => {
                    let (x, y) = (contiguous(&x)?, contiguous(&y)?);
                    let (x, y) = (elements(&x), elements(&y));
                    f64::from(run(py, x.len(), || reduce::$name(x, y)).map_err(raised)?)
                }
                (Floats::Double(x), Floats::Double(y)) => {
                    let (x, y) = (contiguous(&x)?, contiguous(&y)?);
                    let (x, y) = (elements(&x), elements(&y));
                    run(py, x.len(), || reduce::$name(x, y)).map_err(raised)?
                }
                _ => return Err(PyTypeError::new_err("x, y: one is float32, the other float64")),
            })
        }
    };
}

product! {
    /// dot(x, y)
    /// --
    ///
    /// The sum of the products of the elements of `x` and `y`, in a fixed order: the same bits on
    /// every machine.
    ///
    /// >>> from hotloops import linalg
    /// >>> linalg.dot([1.0, 2.0], [3.0, 4.0])
    /// 11.0
    dot
}

product! {
    /// dot2(x, y)
    /// --
    ///
    /// The sum of the products of the elements of `x` and `y`, compensated: as accurate as if it
    /// were computed with twice the precision and then rounded.
    ///
    /// >>> from hotloops import linalg
    /// >>> linalg.dot2([1e16, 1.0, -1e16], [1.0, 1.0, 1.0])
    /// 1.0
    dot2
}

product! {
    /// dot_repro(x, y)
    /// --
    ///
    /// The sum of the products of the elements of `x` and `y`, with the same bits for every order.
    ///
    /// >>> from hotloops import linalg
    /// >>> linalg.dot_repro([0.1, 0.2, 0.3], [3.0, 2.0, 1.0]) == linalg.dot_repro([0.3, 0.2, 0.1], [1.0, 2.0, 3.0])
    /// True
    dot_repro
}

/// Repro(state=None)
/// --
///
/// A running sum whose bits do not depend on the order of the numbers, nor on how they are split
/// among sums that are merged. `bytes(sum)` and pickle save it; the bytes are the same on every
/// machine.
///
/// >>> from hotloops import linalg
/// >>> low, high = linalg.Repro(), linalg.Repro()
/// >>> low.extend([0.1, 0.2]); high.extend([0.3])
/// >>> high.merge(low)
/// >>> float(high) == linalg.sum_repro([0.3, 0.2, 0.1])
/// True
#[pyclass(name = "Repro", module = "hotloops.linalg")]
struct PyRepro(Repro);

#[pymethods]
impl PyRepro {
    #[new]
    #[pyo3(signature = (state = None))]
    fn new(state: Option<&[u8]>) -> PyResult<Self> {
        state.map_or(Ok(PyRepro(Repro::new())), |state| Repro::from_state_bytes(state).map(PyRepro).map_err(raised))
    }

    /// Adds the elements of `x`, float32 or float64.
    fn extend(&mut self, py: Python<'_>, x: &Bound<'_, PyAny>) -> PyResult<()> {
        match Floats::of("x", x)? {
            Floats::Single(x) => {
                let x = contiguous(&x)?;
                let x = elements(&x);
                run(py, x.len(), || self.0.extend(x));
            }
            Floats::Double(x) => {
                let x = contiguous(&x)?;
                let x = elements(&x);
                run(py, x.len(), || self.0.extend(x));
            }
        }
        Ok(())
    }

    /// Adds everything that was added to `other`.
    fn merge(&mut self, other: &Self) {
        self.0.merge(&other.0);
    }

    /// The sum, rounded to a float.
    fn sum(&self) -> f64 {
        self.0.sum()
    }

    fn __float__(&self) -> f64 {
        self.0.sum()
    }

    fn __repr__(&self) -> String {
        format!("<hotloops.linalg.Repro of {}>", self.0.sum())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = [0; Repro::STATE_LEN];
        self.0.state_bytes(&mut bytes).map_err(raised)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = slf.borrow().__bytes__(slf.py())?;
        Ok((slf.get_type().into_any(), (bytes,)))
    }
}

/// The strides in elements, unless one is not a whole number of them.
fn strides<T: Element>(array: &Bound<'_, PyArrayDyn<T>>) -> Option<[isize; 2]> {
    let size = size_of::<T>() as isize;
    let [row, column] = array.strides() else { return None };
    (row % size == 0 && column % size == 0 && array.is_aligned()).then_some([row / size, column / size])
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

/// Runs [`gemm_in`] on arrays with two axes.
fn multiply<'py, T: Multiplied + Element>(
    a: &Bound<'py, PyArrayDyn<T>>,
    b: &Bound<'py, PyArrayDyn<T>>,
    out: Option<&Bound<'py, PyArrayDyn<T>>>,
    [alpha, beta]: [T; 2],
    order: Order,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let py = a.py();
    let ([m, k], [depth, n]) = (shape("a", a)?, shape("b", b)?);
    if depth != k {
        return Err(wrong("b", format_args!("expected {k} rows, as many as a has columns; found {depth}")));
    }
    let of_strides = |array: &Bound<'py, PyArrayDyn<T>>| match strides(array) {
        Some(_) => Ok(array.clone()),
        None => contiguous(array),
    };
    let (a, b) = (of_strides(a)?, of_strides(b)?);
    let c = match out {
        None => PyArrayDyn::<T>::zeros(py, &[m, n][..], false),
        Some(c) => {
            let found: [usize; 2] = shape("out", c)?;
            if found != [m, n] {
                return Err(wrong("out", format_args!("expected shape ({m}, {n}), found {found:?}")));
            }
            if !c.getattr("flags")?.getattr("writeable")?.is_truthy()? {
                return Err(wrong("out", "is read-only"));
            }
            for (name, input) in [("a", &a), ("b", &b)] {
                let (written, read) = (bytes(c), bytes(input));
                if written.start < read.end && read.start < written.end {
                    return Err(wrong("out", format_args!("overlaps {name}")));
                }
            }
            c.clone()
        }
    };
    let Some([row, column]) = strides(&c) else { return Err(wrong("out", "is not aligned")) };
    let of = |array: &Bound<'py, PyArrayDyn<T>>| {
        let [row, column] = strides(array).unwrap_or([1, 1]);
        Strides { row, column }
    };
    let options = Options { order, ..Options::default() };
    // SAFETY: the arrays' elements, which the references keep alive. Numpy gives strides from the
    // first element. C shares no memory with A and B; of an array of numpy, an element that appears
    // twice can only come from stride tricks, which `distinct` rejects.
    let (a, b, c_mat) = unsafe {
        if !distinct([m, n], [row, column]) {
            return Err(wrong("out", "its elements overlap"));
        }
        (
            MatRef::from_raw(a.data(), m, k, of(&a)),
            MatRef::from_raw(b.data(), k, n, of(&b)),
            MatMut::from_raw(c.data(), m, n, Strides { row, column }),
        )
    };
    let work = m.saturating_mul(n).saturating_mul(k);
    run(py, work, || gemm_in(alpha, a, b, beta, c_mat, &options, None)).map_err(raised)?;
    Ok(c)
}

/// Whether rows or columns are disjoint.
fn distinct([rows, columns]: [usize; 2], [row, column]: [isize; 2]) -> bool {
    let reach = |count: usize, stride: isize| (count.max(1) - 1).saturating_mul(stride.unsigned_abs());
    let (row, column) = (row.unsigned_abs(), column.unsigned_abs());
    let apart = |outer: usize, outers: usize, inner: usize, inners: usize| {
        (outers <= 1 || outer > reach(inners, inner as isize)) && (inners <= 1 || inner > 0)
    };
    rows == 0 || columns == 0 || apart(row, rows, column, columns) || apart(column, columns, row, rows)
}

/// matmul(a, b, out=None, *, alpha=1.0, beta=0.0, order="strict")
/// --
///
/// The product `alpha a b + beta out`.
///
/// `a` has shape (m, k), `b` (k, n), both of float32 or both of float64, with any strides: slices
/// and transposes are read where they lie. `out` has shape (m, n), is writable and shares no memory
/// with `a` and `b`; without it a new array is returned. With `order="strict"` each element is one
/// chain of fused multiply-adds by ascending k, so the bits are the same on every CPU with fused
/// multiply-add, and for every way of splitting the product by rows and columns. "fast" may split k.
/// Raises ValueError for shapes that do not fit, TypeError for other types.
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
    alpha: f64,
    beta: f64,
    order: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let order = match order {
        "strict" => Order::Strict,
        "fast" => Order::Fast,
        other => return Err(wrong("order", format_args!("{other:?} is neither \"strict\" nor \"fast\""))),
    };
    if out.is_none() && beta != 0.0 {
        return Err(wrong("beta", "is not 0, but there is no out"));
    }
    let mixed = || PyTypeError::new_err("a, b, out: expected the same type, float32 or float64");
    let out =
        out.map(|out| if out.cast::<numpy::PyUntypedArray>().is_ok() { Floats::of("out", out) } else { Err(mixed()) });
    match (Floats::of("a", a)?, Floats::of("b", b)?, out.transpose()?) {
        (Floats::Single(a), Floats::Single(b), None) => {
            Ok(multiply(&a, &b, None, [alpha as f32, beta as f32], order)?.into_any())
        }
        (Floats::Single(a), Floats::Single(b), Some(Floats::Single(c))) => {
            Ok(multiply(&a, &b, Some(&c), [alpha as f32, beta as f32], order)?.into_any())
        }
        (Floats::Double(a), Floats::Double(b), None) => Ok(multiply(&a, &b, None, [alpha, beta], order)?.into_any()),
        (Floats::Double(a), Floats::Double(b), Some(Floats::Double(c))) => {
            Ok(multiply(&a, &b, Some(&c), [alpha, beta], order)?.into_any())
        }
        _ => Err(mixed()),
    }
}

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = PyModule::new(parent.py(), "linalg")?;
    module.add_function(wrap_pyfunction!(matmul, &module)?)?;
    module.add_function(wrap_pyfunction!(sum, &module)?)?;
    module.add_function(wrap_pyfunction!(sum2, &module)?)?;
    module.add_function(wrap_pyfunction!(kahan, &module)?)?;
    module.add_function(wrap_pyfunction!(sum_repro, &module)?)?;
    module.add_function(wrap_pyfunction!(dot, &module)?)?;
    module.add_function(wrap_pyfunction!(dot2, &module)?)?;
    module.add_function(wrap_pyfunction!(dot_repro, &module)?)?;
    module.add_class::<PyRepro>()?;
    parent.add_submodule(&module)
}
