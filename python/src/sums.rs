//! Sums and dot products of the elements of arrays. Those whose parts can be merged are computed in parts, between
//! which Ctrl-C ends a call.

use hotloops::Error;
use hotloops::reduce::{self, Element, Repro};
use pyo3::prelude::*;

use crate::raised;
use crate::threads::{FIRST, in_parts, run};

/// A type of elements, to which reproducible sums are rounded.
pub trait Number: Element {
    fn rounded(sum: f64) -> Self;
}

impl Number for f32 {
    fn rounded(sum: f64) -> Self {
        sum as f32
    }
}

impl Number for f64 {
    fn rounded(sum: f64) -> Self {
        sum
    }
}

macro_rules! whole {
    ($($sum:ident)*; $($dot:ident)*) => {
        $(
            #[inline]
            pub fn $sum<T: Number>(py: Python<'_>, x: &[T]) -> PyResult<T> {
                Ok(run(py, x.len(), || reduce::$sum(x)))
            }
        )*
        $(
            #[inline]
            pub fn $dot<T: Number>(py: Python<'_>, x: &[T], y: &[T]) -> PyResult<T> {
                run(py, x.len(), || reduce::$dot(x, y)).map_err(raised)
            }
        )*
    };
}

whole! { sum asum sum2 kahan; dot dot2 }

/// Sums of the rows of `x`, which are as many as `sums`: `whole` computes a long one, `part` a short one.
pub fn of_rows<T: Number>(
    py: Python<'_>,
    x: &[T],
    sums: &mut [T],
    whole: impl Fn(Python<'_>, &[T]) -> PyResult<T>,
    part: impl Fn(&[T]) -> T + Sync,
) -> PyResult<()> {
    let len = x.len().checked_div(sums.len()).unwrap_or(0);
    if len < FIRST {
        return in_parts(py, (sums.len(), 1), x.len().max(sums.len()), |rows| {
            rows.for_each(|row| sums[row] = part(&x[row * len..][..len]));
            Ok(())
        });
    }
    for (sum, row) in sums.iter_mut().zip(x.chunks_exact(len)) {
        *sum = whole(py, row)?;
        py.check_signals()?;
    }
    Ok(())
}

pub fn sum_repro<T: Number>(py: Python<'_>, x: &[T]) -> PyResult<T> {
    if x.len() < FIRST {
        return Ok(run(py, x.len(), || reduce::sum_repro(x)));
    }
    repro_of(py, x).map(|sum| T::rounded(sum.sum()))
}

/// The reproducible sum of elements, to be continued.
pub fn repro_of<T: Number>(py: Python<'_>, x: &[T]) -> PyResult<Repro> {
    let mut sum = Repro::new();
    in_parts(py, (x.len(), 1), x.len(), |part| {
        sum.extend(&x[part]);
        Ok(())
    })?;
    Ok(sum)
}

pub fn dot_repro<T: Number>(py: Python<'_>, x: &[T], y: &[T]) -> PyResult<T> {
    let mut sum = Repro::new();
    in_parts(py, (x.len(), 1), x.len(), |part| -> Result<(), Error> {
        sum.extend_products(&x[part.clone()], &y[part])
    })?;
    Ok(T::rounded(sum.sum()))
}
