//! Products of matrices of the four types of elements.

use hotloops::Error;
use hotloops::matmul::{Activation, Bias, Element as Multiplied, Order, PackedB};
use numpy::{Complex32, Complex64, Element};
use pyo3::prelude::*;

use super::complex;
use super::matrix::{Items, Raw};
use crate::products::{self, Right, Terms, WHOLE};
use crate::raised;
use crate::threads::{in_parts, run};

/// The right factor of a product.
pub enum Factor<'a, T> {
    Matrix(Raw<T>),
    Packed(&'a PackedB<'a, T>),
}

impl<T> Clone for Factor<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Factor<'_, T> {}

impl<'a, T> Factor<'a, T> {
    fn shifted(self, offset: isize) -> Self {
        match self {
            Factor::Matrix(b) => Factor::Matrix(b.shifted(offset)),
            packed => packed,
        }
    }

    /// # Safety
    /// The elements of a matrix are readable, and nothing writes to them for `'a`.
    unsafe fn to_read(self) -> Right<'a, T> {
        match self {
            // SAFETY: the caller's contract.
            Factor::Matrix(b) => Right::Matrix(unsafe { b.to_read() }),
            Factor::Packed(b) => Right::Packed(b),
        }
    }
}

/// A type of elements. All functions need readable operands, and a C that is writable, has distinct elements and shares
/// none with the operands.
pub trait Scalar: Element + Copy + 'static {
    /// Whether it is a complex number: then there are no factors, no bias, no activation and no packed B.
    const IS_COMPLEX: bool;

    fn from_f64(value: f64) -> Self;

    /// # Safety
    /// See [`Scalar`].
    unsafe fn small(a: Raw<Self>, b: Factor<Self>, c: Raw<Self>, terms: &Terms<Self>) -> Result<(), Error>;

    /// A product of any size, which Ctrl-C ends.
    ///
    /// # Safety
    /// See [`Scalar`].
    unsafe fn product(py: Python<'_>, a: Raw<Self>, b: Factor<Self>, c: Raw<Self>, terms: &Terms<Self>)
    -> PyResult<()>;
}

/// Products of stacks.
///
/// # Safety
/// See [`Scalar`].
pub unsafe fn stacks<T: Scalar>(
    py: Python<'_>,
    items: &Items,
    a: Raw<T>,
    b: Factor<T>,
    c: Raw<T>,
    terms: &Terms<T>,
) -> PyResult<()> {
    let (count, [m, k], n) = (items.count(), a.shape, c.shape[1]);
    let each = [m, n, k + 1].into_iter().fold(1, usize::saturating_mul);
    if count == 1 {
        // SAFETY: the caller's contract.
        return unsafe { T::product(py, a, b, c, terms) };
    }
    if each > WHOLE {
        return (0..count).try_for_each(|item| {
            let [of_a, of_b, of_c] = items.offsets(item);
            // SAFETY: the caller's contract.
            unsafe { T::product(py, a.shifted(of_a), b.shifted(of_b), c.shifted(of_c), terms) }
        });
    }
    // A call takes as much time as some products of numbers.
    in_parts(py, (count, 1), each.saturating_add(64).saturating_mul(count), |mut part| {
        part.try_for_each(|item| {
            let [of_a, of_b, of_c] = items.offsets(item);
            // SAFETY: the caller's contract.
            unsafe { T::small(a.shifted(of_a), b.shifted(of_b), c.shifted(of_c), terms) }
        })
    })
}

/// # Safety
/// See [`Scalar`].
unsafe fn real<T: Multiplied + Element>(
    py: Python<'_>,
    a: Raw<T>,
    b: Factor<T>,
    c: Raw<T>,
    terms: &Terms<T>,
) -> PyResult<()> {
    let [m, n] = c.shape;
    let work = [m, n, a.shape[1]].into_iter().fold(1, usize::saturating_mul);
    // SAFETY: the caller's contract.
    let (left, right) = unsafe { (a.to_read(), b.to_read()) };
    if work <= WHOLE {
        // SAFETY: the caller's contract.
        return run(py, work, || products::small(left, right, unsafe { c.to_write() }, terms)).map_err(raised);
    }
    let b = match right {
        Right::Matrix(b) => b,
        // SAFETY: the caller's contract.
        Right::Packed(_) => return products::by_rows(py, left, right, unsafe { c.to_write() }, terms),
    };
    // SAFETY: the caller's contract.
    let multiply = |beta| products::multiply(py, terms.alpha, [left, b], beta, unsafe { c.to_write() }, terms.order);
    if !terms.has_epilogue() {
        return multiply(terms.beta);
    }
    // SAFETY: the caller's contract, here and below.
    let beta = match terms.bias {
        Bias::None => T::ZERO,
        Bias::Rows(bias) => each(py, c, |i, _, value| unsafe { *value = bias[i] }).map(|()| T::ONE)?,
        Bias::Columns(bias) => each(py, c, |_, j, value| unsafe { *value = bias[j] }).map(|()| T::ONE)?,
    };
    multiply(beta)?;
    match terms.activation {
        Activation::Identity => Ok(()),
        // SAFETY: the caller's contract.
        Activation::Relu => each(py, c, |_, _, value| unsafe {
            if *value < T::ZERO {
                *value = T::ZERO;
            }
        }),
    }
}

/// Calls `f` with the row, the column and the address of each element.
fn each<T: Multiplied>(py: Python<'_>, c: Raw<T>, f: impl Fn(usize, usize, *mut T) + Sync) -> PyResult<()> {
    let [m, n] = c.shape;
    in_parts(py, (m, 1), m.saturating_mul(n), |rows| {
        rows.for_each(|i| (0..n).for_each(|j| f(i, j, c.at(i, j))));
        Ok(())
    })
}

macro_rules! reals {
    ($($type:ident)+) => {$(
        impl Scalar for $type {
            const IS_COMPLEX: bool = false;

            #[inline]
            fn from_f64(value: f64) -> Self {
                value as $type
            }

            #[inline]
            unsafe fn small(a: Raw<Self>, b: Factor<Self>, c: Raw<Self>, terms: &Terms<Self>) -> Result<(), Error> {
                // SAFETY: the caller's contract.
                unsafe { products::small(a.to_read(), b.to_read(), c.to_write(), terms) }
            }

            #[inline]
            unsafe fn product(
                py: Python<'_>,
                a: Raw<Self>,
                b: Factor<Self>,
                c: Raw<Self>,
                terms: &Terms<Self>,
            ) -> PyResult<()> {
                // SAFETY: the caller's contract.
                unsafe { real(py, a, b, c, terms) }
            }
        }
    )+};
}
reals! { f32 f64 }

macro_rules! complexes {
    ($($type:ident $part:ident)+) => {$(
        impl Scalar for $type {
            const IS_COMPLEX: bool = true;

            fn from_f64(value: f64) -> Self {
                $type::new(value as $part, 0.0)
            }

            unsafe fn small(a: Raw<Self>, b: Factor<Self>, c: Raw<Self>, terms: &Terms<Self>) -> Result<(), Error> {
                let Factor::Matrix(b) = b else { return Err(Error::Packed) };
                // SAFETY: the caller's contract; a complex number is two of its parts.
                unsafe { complex::small(planes::<_, $part>(a), planes(b), planes(c), terms.order) }
            }

            unsafe fn product(
                py: Python<'_>,
                a: Raw<Self>,
                b: Factor<Self>,
                c: Raw<Self>,
                terms: &Terms<Self>,
            ) -> PyResult<()> {
                let Factor::Matrix(b) = b else { return Err(raised(Error::Packed)) };
                let order: Order = terms.order;
                // SAFETY: the caller's contract; a complex number is two of its parts.
                unsafe { complex::product(py, planes::<_, $part>(a), planes(b), planes(c), order) }
            }
        }
    )+};
}
complexes! { Complex32 f32 Complex64 f64 }

/// The real and the imaginary parts of a matrix of complex numbers `Z`, each two of `R`.
fn planes<Z, R>(matrix: Raw<Z>) -> [Raw<R>; 2] {
    let (mut strides, shape) = (matrix.strides, matrix.shape);
    (strides.row, strides.column) = (strides.row.wrapping_mul(2), strides.column.wrapping_mul(2));
    [0, 1].map(|part| Raw { at: matrix.at.cast::<R>().wrapping_add(part), shape, strides })
}
