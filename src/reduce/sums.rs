//! Sums and dot products of slices.

use super::element::Element;
use super::strided::Strided;
use crate::frame::error::{Error, exactly};

/// The sum of the elements, in fixed lanes and a fixed tree: the same bits on every machine.
///
/// `x` is a slice, or [`Strided`] elements of one. Strided elements are slower and give the same
/// bits as contiguous ones.
///
/// ```
/// use hotloops::reduce::{self, Strided};
/// let x = [1.0f32, 2.0, 3.0, 4.0, 5.0];
/// assert_eq!(reduce::sum(&x), 15.0);
/// assert_eq!(reduce::sum(Strided::new(&x, 3, 2)?), 9.0);
/// # Ok::<(), hotloops::Error>(())
/// ```
#[must_use]
pub fn sum<'a, T: Element>(x: impl Into<Strided<'a, T>>) -> T {
    // SAFETY: pointer and length of a slice.
    x.into().reduce(|x| unsafe { T::SUM(x.as_ptr(), x.len()) }, |x| x)
}

/// The sum of the magnitudes of the elements, in the order of [`sum`].
///
/// ```
/// assert_eq!(hotloops::reduce::asum(&[1.0, -2.0, 3.0]), 6.0);
/// ```
#[must_use]
pub fn asum<'a, T: Element>(x: impl Into<Strided<'a, T>>) -> T {
    // SAFETY: pointer and length of a slice.
    x.into().reduce(|x| unsafe { T::ASUM(x.as_ptr(), x.len()) }, T::magnitude)
}

/// The dot product: products are rounded, then added in the order of [`sum`].
///
/// ```
/// assert_eq!(hotloops::reduce::dot(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0])?, 32.0);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if `x` and `y` differ in length.
pub fn dot<'a, T: Element>(x: impl Into<Strided<'a, T>>, y: impl Into<Strided<'a, T>>) -> Result<T, Error> {
    let (x, y) = (x.into(), y.into());
    exactly("y", x.len(), y.len())?;
    // SAFETY: both slices have `x.len()` elements.
    let row = |x: &[T], y: &[T]| unsafe { T::DOT(x.as_ptr(), y.as_ptr(), x.len()) };
    let pairs = |x: &[T], y: &[T]| {
        let mut sums = [T::ZERO; 2];
        // SAFETY: the slices have the same length, because they have equal strides and lengths.
        unsafe { (T::VECTORS.dot_pairs)(x.as_ptr(), y.as_ptr(), x.len(), sums.as_mut_ptr()) };
        sums[0]
    };
    Ok(x.reduce_with(y, row, pairs))
}

/// The sum of the elements as if computed in twice the precision and then rounded.
///
/// ```
/// assert_eq!(hotloops::reduce::sum2(&[1e16, 1.0, -1e16]), 1.0);
/// ```
#[must_use]
pub fn sum2<T: Element>(x: &[T]) -> T {
    // SAFETY: pointer and length of a slice.
    unsafe { T::SUM2(x.as_ptr(), x.len()) }
}

/// The dot product as if computed in twice the precision and then rounded.
///
/// ```
/// assert_eq!(hotloops::reduce::dot2(&[1e16, 1.0, -1e16], &[1.0; 3])?, 1.0);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if `y` is not as long as `x`.
pub fn dot2<T: Element>(x: &[T], y: &[T]) -> Result<T, Error> {
    exactly("y", x.len(), y.len())?;
    // SAFETY: both slices have `x.len()` elements.
    Ok(unsafe { T::DOT2(x.as_ptr(), y.as_ptr(), x.len()) })
}

/// Kahan's compensated sum, in lanes.
///
/// ```
/// let x = vec![0.1f32; 1 << 20];
/// assert_eq!(hotloops::reduce::kahan(&x), 104857.6);
/// ```
#[must_use]
pub fn kahan<T: Element>(x: &[T]) -> T {
    // SAFETY: pointer and length of a slice.
    unsafe { T::KAHAN(x.as_ptr(), x.len()) }
}
