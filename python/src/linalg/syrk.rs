//! The product of a matrix and its transpose.

use hotloops::matmul::{Element as Multiplied, MatRef, Options, Order, Strides, Triangle, syrk_in};
use numpy::{Element, PyArrayDyn};
use pyo3::prelude::*;

use super::matrix::{Axes, Raw, Stack};
use crate::arguments::{choice, factor, name};
use crate::arrays::{Floats, shape, zeros};
use crate::products::{self, WHOLE};
use crate::raised;
use crate::threads::{in_parts, run, steps};

/// Rows of a block on the diagonal of a large product.
const ROWS: usize = 512;

/// Rows and columns of a block that is transposed.
const TILE: usize = 32;

/// A triangle of `alpha A A^T`, block by block, with the bits of one call of the library.
///
/// # Safety
/// The elements of A are readable, those of C distinct, writable and not among them.
unsafe fn blocks<T: Multiplied>(py: Python<'_>, alpha: T, a: Raw<T>, c: Raw<T>, triangle: Triangle) -> PyResult<()> {
    let [n, k] = a.shape;
    for rows in steps(n, ROWS) {
        let width = rows.len();
        let beside = match triangle {
            Triangle::Lower => 0..rows.start,
            Triangle::Upper => rows.end..n,
        };
        let rectangle = Raw { at: c.at(rows.start, beside.start), shape: [width, beside.len()], ..c };
        let square = Raw { at: c.at(rows.start, rows.start), shape: [width, width], ..c };
        // SAFETY: the caller's contract.
        let left = unsafe { a.rows(rows).to_read() };
        if !beside.is_empty() {
            // SAFETY: the caller's contract.
            let (right, rectangle) = unsafe { (a.rows(beside).transposed().to_read(), rectangle.to_write()) };
            products::multiply(py, alpha, [left, right], T::ZERO, rectangle, Order::Strict)?;
        }
        for depths in steps(k, (WHOLE / (width * width)).max(1)) {
            let beta = if depths.start == 0 { T::ZERO } else { T::ONE };
            let part = left.block(0..width, depths.clone()).map_err(raised)?;
            run(py, width * width * depths.len(), || {
                // SAFETY: the caller's contract.
                let square = unsafe { square.to_write() };
                syrk_in(alpha, part, beta, square, triangle, &Options::default(), None)
            })
            .map_err(raised)?;
            py.check_signals()?;
        }
    }
    Ok(())
}

/// Copies the lower triangle into the upper one.
///
/// # Safety
/// C is square, and its elements are distinct and writable.
unsafe fn mirror<T: Multiplied>(py: Python<'_>, c: Raw<T>) -> PyResult<()> {
    let n = c.shape[0];
    in_parts(py, (n, TILE), n.saturating_mul(n), |rows| {
        for rows in steps(rows.len(), TILE).map(|tile| rows.start + tile.start..rows.start + tile.end) {
            for columns in steps(rows.end, TILE) {
                for i in rows.clone() {
                    for j in columns.start..columns.end.min(i) {
                        // SAFETY: the caller's contract.
                        unsafe { *c.at(j, i) = *c.at(i, j) }
                    }
                }
            }
        }
        Ok(())
    })
}

fn product<'py, T: Multiplied + Element>(
    a: &Bound<'py, PyArrayDyn<T>>,
    alpha: T,
    triangle: Option<Triangle>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, [n, k]) = (a.py(), shape("a", a)?);
    let (a, stack) = Stack::input("a", a, Axes::Both)?;
    let (c, elements) = zeros::<T>(py, &[n, n])?;
    let (a_view, computed) = (stack.first, triangle.unwrap_or(Triangle::Lower));
    let c_view = Raw { at: elements.as_mut_ptr(), shape: [n, n], strides: Strides::row_major(n) };
    let work = [n, n, k].into_iter().fold(1, usize::saturating_mul);
    if work > WHOLE {
        // SAFETY: the references keep A alive, and C is new.
        unsafe { blocks(py, alpha, a_view, c_view, computed)? }
    } else {
        run(py, work, || {
            // SAFETY: the references keep A alive, and C is new.
            let (a, c): (MatRef<T>, _) = unsafe { (a_view.to_read(), c_view.to_write()) };
            syrk_in(alpha, a, T::ZERO, c, computed, &Options::default(), None)
        })
        .map_err(raised)?;
    }
    drop(a);
    if triangle.is_none() {
        // SAFETY: C is new.
        unsafe { mirror(py, c_view)? }
    }
    Ok(c.into_any())
}

/// The product `alpha a a.T`, symmetric. One triangle is computed, in half of the time of `matmul`, and copied to the
/// other one.
///
/// `a` has shape (n, k), float32 or float64, with any strides: for `alpha a.T a`, give `a.T`. `triangle` is None, or
/// the only triangle to compute, "lower" or "upper", with the diagonal; the rest of the result is then 0. `alpha` is
/// any number. Each computed element has the bits of `matmul(a, a.T, alpha=alpha)`; without `triangle`, those of the
/// lower triangle.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> import numpy as np
/// >>> from hotloops import linalg
/// >>> linalg.syrk(np.array([[1.0, 2.0], [3.0, 4.0]]))
/// array([[ 5., 11.],
///        [11., 25.]])
/// >>> linalg.syrk([[1.0, 2.0], [3.0, 4.0]], triangle="lower")
/// array([[ 5.,  0.],
///        [11., 25.]])
#[pyfunction]
#[pyo3(signature = (a, *, alpha = 1.0, triangle = None))]
pub fn syrk<'py>(
    a: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = factor::<name::Alpha>)] alpha: f64,
    triangle: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let triangle = match triangle.map(choice::<name::Triangle>).transpose()? {
        None => None,
        Some("upper") => Some(Triangle::Upper),
        Some(_) => Some(Triangle::Lower),
    };
    match Floats::of("a", a)? {
        Floats::Single(a) => product(&a, alpha as f32, triangle),
        Floats::Double(a) => product(&a, alpha, triangle),
    }
}
