//! Sums and dot products.

use hotloops::Error;
use hotloops::reduce;
use numpy::{Element, PyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arguments::{flag, integer, name, unexpected};
use crate::arrays::{Floats, contiguous, elements, wrong, zeros};
use crate::sums::{self, Number};
use crate::threads::{FIRST, in_parts};

/// Columns that are summed together begin at multiples of this: of a line of the caches.
const COLUMNS: usize = 64;

/// The axes that `axis` names, ascending.
fn axes_of(axis: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<usize>> {
    let one = |axis: &Bound<'_, PyAny>| {
        let index: isize = integer("axis", axis)?;
        let from_start = if index < 0 { index.saturating_add_unsigned(count) } else { index };
        let inside = usize::try_from(from_start).ok().filter(|&axis| axis < count);
        inside.ok_or_else(|| wrong("axis", format_args!("is {index}, but x has {count} axes")))
    };
    let mut axes = match axis.cast::<PyTuple>() {
        Ok(all) => all.iter().map(|axis| one(&axis)).collect::<PyResult<Vec<_>>>()?,
        Err(_) if axis.hasattr("__index__")? => vec![one(axis)?],
        Err(_) => return Err(unexpected("axis", "an integer, a tuple of integers or None", axis)),
    };
    axes.sort_unstable();
    match axes.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(wrong("axis", format_args!("has axis {} twice", pair[0]))),
        None => Ok(axes),
    }
}

/// Sums of rows of any strides: elements, shape, strides and sums.
type RowSums<T> = fn(&[T], [usize; 2], [isize; 2], &mut [T]) -> Result<(), Error>;

/// The functions of a sum: for an array, looking for signals; for a short row; and, if there is one, for rows of any
/// strides.
type Sums<T> = (fn(Python<'_>, &[T]) -> PyResult<T>, fn(&[T]) -> T, Option<RowSums<T>>);

/// The axes to be summed of a contiguous array, as the second of three axes. `None` if others are between them, or if
/// they are the last ones.
fn middle(shape: &[usize], summed: &[usize]) -> Option<[usize; 3]> {
    let (&first, &last) = (summed.first()?, summed.last()?);
    let product = |axes: &[usize]| axes.iter().product();
    let sizes = [product(&shape[..first]), product(&shape[first..=last]), product(&shape[last + 1..])];
    (last - first + 1 == summed.len() && sizes[2] > 1).then_some(sizes)
}

/// Sums of columns: of the second of three axes.
fn of_columns<T: Number>(
    py: Python<'_>,
    x: &[T],
    [outer, n, inner]: [usize; 3],
    sums: &mut [T],
    add: RowSums<T>,
) -> PyResult<()> {
    if n == 0 {
        return Ok(()); // The sums are 0.
    }
    if n.saturating_mul(inner) < FIRST {
        return in_parts(py, (outer, 1), x.len(), |mut part| {
            part.try_for_each(|i| {
                let (x, sums) = (&x[i * n * inner..][..n * inner], &mut sums[i * inner..][..inner]);
                add(x, [inner, n], [1, inner as isize], sums)
            })
        });
    }
    for (x, sums) in x.chunks_exact(n * inner).zip(sums.chunks_exact_mut(inner)) {
        in_parts(py, (inner, COLUMNS), x.len(), |part| {
            add(&x[part.start..], [part.len(), n], [1, inner as isize], &mut sums[part])
        })?;
        py.check_signals()?;
    }
    Ok(())
}

/// Sums of rows of an array whose axes are brought into this order.
fn of_others<T: Number + Element>(
    py: Python<'_>,
    x: &Bound<'_, PyArrayDyn<T>>,
    order: Vec<usize>,
    sums: &mut [T],
    (whole, part, _): Sums<T>,
) -> PyResult<()> {
    let rows = x.call_method1("transpose", (PyTuple::new(py, order)?,))?.cast_into::<PyArrayDyn<T>>()?;
    sums::of_rows(py, elements(&contiguous(&rows)?), sums, whole, part)
}

/// The sums along axes, `None` for all of them. The elements of a sum are taken in order of rows.
fn along<'py, T: Number + Element + Into<f64>>(
    x: &Bound<'py, PyArrayDyn<T>>,
    axis: Option<&Bound<'py, PyAny>>,
    keepdims: bool,
    of_sums: Sums<T>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, count) = (x.py(), x.ndim());
    if axis.is_none() && !keepdims {
        let sum: f64 = of_sums.0(py, elements(&contiguous(x)?))?.into();
        return Ok(sum.into_pyobject(py)?.into_any());
    }
    let summed = axis.map_or_else(|| Ok((0..count).collect()), |axis| axes_of(axis, count))?;
    let kept: Vec<usize> = (0..count).filter(|axis| !summed.contains(axis)).collect();
    let shape: Vec<usize> = kept.iter().map(|&axis| x.shape()[axis]).collect();
    let (result, sums) = zeros::<T>(py, &shape)?;
    let is_in_place = x.is_c_contiguous() && x.is_aligned() && !sums.is_empty();
    if let (Some(add), Some(sizes), true) = (of_sums.2, middle(x.shape(), &summed), is_in_place) {
        of_columns(py, elements(x), sizes, sums, add)?;
    } else {
        of_others(py, x, [&kept[..], &summed].concat(), sums, of_sums)?;
    }
    if keepdims {
        let sizes = (0..count).map(|axis| if summed.contains(&axis) { 1 } else { x.shape()[axis] });
        return result.call_method1("reshape", (PyTuple::new(py, sizes.collect::<Vec<_>>())?,));
    }
    // As in numpy, the sum of all elements is a scalar.
    if shape.is_empty() { result.get_item(PyTuple::empty(py)) } else { Ok(result.into_any()) }
}

/// A reduction of the elements of `x`.
macro_rules! reduction {
    ($(#[$doc:meta])* $name:ident $($columns:path)?) => {
        $(#[$doc])*
        #[doc = ""]
        #[doc = "With `axis`, an axis or a tuple of axes (negative: counted from the last), the result is an array"]
        #[doc = "of the type of `x` without these axes; `keepdims=True` keeps them, with length 1. Each sum has the"]
        #[doc = "bits of its elements summed alone."]
        #[doc = ""]
        #[doc = "Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt."]
        #[pyfunction]
        #[pyo3(signature = (x, axis = None, keepdims = false))]
        pub fn $name<'py>(
            x: &Bound<'py, PyAny>,
            axis: Option<&Bound<'py, PyAny>>,
            #[pyo3(from_py_with = flag::<name::Keepdims>)] keepdims: bool,
        ) -> PyResult<Bound<'py, PyAny>> {
            match Floats::of("x", x)? {
                Floats::Single(x) => {
                    let columns = None$(.or(Some($columns as RowSums<f32>)))?;
                    along(&x, axis, keepdims, (sums::$name, |x| reduce::$name(x), columns))
                }
                Floats::Double(x) => {
                    let columns = None$(.or(Some($columns as RowSums<f64>)))?;
                    along(&x, axis, keepdims, (sums::$name, |x| reduce::$name(x), columns))
                }
            }
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
    /// >>> linalg.sum([[1.0, 2.0], [3.0, 4.0]], axis=0)
    /// array([4., 6.])
    sum reduce::row_sums
}

reduction! {
    /// The sum of the magnitudes of the elements of `x` (float32 or float64), in the order of `sum`.
    ///
    /// >>> from hotloops import linalg
    /// >>> linalg.asum([0.5, -0.25, 1.0])
    /// 1.75
    asum
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
        pub fn $name(py: Python<'_>, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<f64> {
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
