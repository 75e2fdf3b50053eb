//! Equidistant elements of a slice.

use alloc::vec::Vec;

use super::scalar;
use crate::frame::error::Error;
use crate::math::float::Float;

/// `n` elements of a slice, `stride` apart. A negative stride starts at the last of them, as in
/// BLAS; stride 0 repeats the first.
#[derive(Clone, Copy, Debug)]
pub struct Strided<'a, T> {
    values: &'a [T],
    n: usize,
    stride: isize,
}

impl<'a, T: Float> Strided<'a, T> {
    /// Elements 0, |stride|, 2 |stride| .. of `values`, in reverse order if `stride` is negative.
    ///
    /// # Errors
    /// [`Error::Length`] if `values` ends before the last of them, [`Error::TooLarge`] if its index
    /// overflows.
    pub fn new(values: &'a [T], n: usize, stride: isize) -> Result<Self, Error> {
        let needed = extent(n, stride, "stride")?;
        crate::frame::error::at_least("values", needed, values.len())?;
        Ok(Strided { values: &values[..needed], n, stride })
    }

    pub(super) fn len(&self) -> usize {
        self.n
    }

    fn at(&self, i: usize) -> T {
        let step = self.stride.unsigned_abs();
        let place = if self.stride < 0 { self.n - 1 - i } else { i };
        self.values[place * step]
    }

    /// Calls `row` if the elements are contiguous. Otherwise the reference reduces `element` of
    /// each.
    #[inline]
    pub(super) fn reduce(self, row: impl FnOnce(&[T]) -> T, element: impl Fn(T) -> T) -> T {
        match self.stride {
            1 => row(self.values),
            _ => fold(self.n, |i| element(self.at(i))),
        }
    }

    /// Calls `row` if the elements of both are contiguous, `pairs` if each is followed by another one.
    /// Otherwise the reference adds their products.
    #[inline]
    pub(super) fn reduce_with(
        self,
        other: Self,
        row: impl FnOnce(&[T], &[T]) -> T,
        pairs: impl FnOnce(&[T], &[T]) -> T,
    ) -> T {
        match (self.stride, other.stride) {
            (1, 1) => row(self.values, other.values),
            (2, 2) => pairs(self.values, other.values),
            _ => fold(self.n, |i| self.at(i) * other.at(i)),
        }
    }
}

/// The reference, kept out of line, so that the contiguous case costs little more than its kernel.
#[inline(never)]
fn fold<T: Float>(n: usize, element: impl Fn(usize) -> T) -> T {
    scalar::fold_any(n, element)
}

/// The length of the shortest slice that holds `n` elements `stride` apart.
pub(super) fn extent(n: usize, stride: isize, argument: &'static str) -> Result<usize, Error> {
    match n {
        0 => Ok(0),
        _ => (n - 1)
            .checked_mul(stride.unsigned_abs())
            .and_then(|last| last.checked_add(1))
            .ok_or(Error::TooLarge { argument }),
    }
}

impl<'a, T> From<&'a [T]> for Strided<'a, T> {
    fn from(values: &'a [T]) -> Self {
        Strided { values, n: values.len(), stride: 1 }
    }
}

impl<'a, T> From<&'a Vec<T>> for Strided<'a, T> {
    fn from(values: &'a Vec<T>) -> Self {
        Strided::from(values.as_slice())
    }
}

impl<'a, T, const N: usize> From<&'a [T; N]> for Strided<'a, T> {
    fn from(values: &'a [T; N]) -> Self {
        Strided::from(values.as_slice())
    }
}
