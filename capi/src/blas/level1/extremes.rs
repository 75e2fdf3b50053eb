//! The element of maximum or minimum magnitude.

use core::mem::MaybeUninit;

use hotloops::Float;
use hotloops::reduce::Element;

use super::super::Int;
use super::super::number::Number;
use super::super::vector::Vector;
use super::letters::cabs1;

/// An index as the language counts it.
pub(super) trait Index {
    fn from(index: Option<usize>) -> Self;
}

/// C counts from 0, and has no value for none.
impl Index for usize {
    fn from(index: Option<usize>) -> usize {
        index.unwrap_or(0)
    }
}

/// Fortran counts from 1; 0 is none.
impl Index for Int {
    fn from(index: Option<usize>) -> Int {
        index.map_or(0, |i| i as Int + 1)
    }
}

/// The index of the first NaN, or of the first element of maximum |re| + |im|; none if `n` or `incx`
/// is not positive.
///
/// # Safety
/// `x` points to `n` readable elements at this stride.
pub(super) unsafe fn iamax<T: Number, I: Index>(n: Int, x: *const T, incx: Int) -> I {
    let (kernels, parts) = (T::Real::VECTORS, x.cast::<T::Real>());
    // SAFETY: the caller's contract.
    I::from(unsafe {
        match n {
            1.. if incx == 1 && T::IS_COMPLEX => Some((kernels.amax_complex)(parts, n as usize)),
            1.. if incx == 1 => Some((kernels.amax)(parts, n as usize)),
            1.. if incx > 1 => Some(strided(Vector::new(n, x, incx))),
            _ => extreme(n, x, incx, |size, best| size > best),
        }
    })
}

/// [`iamax`] of copies of pieces.
///
/// # Safety
/// The elements are readable; there is one at least.
unsafe fn strided<T: Number>(x: Vector<T>) -> usize {
    const PIECE: usize = 256;
    let mut buffer = [const { MaybeUninit::<T>::uninit() }; PIECE];
    let (piece, mut best) = (buffer.as_mut_ptr().cast::<T>(), None);
    for first in (0..x.n).step_by(PIECE) {
        let n = PIECE.min(x.n - first);
        // SAFETY: the caller's contract; the buffer holds a piece.
        unsafe {
            (0..n).for_each(|i| *piece.add(i) = *x.at(first + i));
            let i: usize = iamax(n as Int, piece.cast_const(), 1);
            let size = cabs1(*piece.add(i));
            if is_nan(size) {
                return first + i;
            }
            if best.is_none_or(|(_, largest)| size > largest) {
                best = Some((first + i, size));
            }
        }
    }
    best.map_or(0, |(i, _)| i)
}

/// [`iamax`] with the minimum.
///
/// # Safety
/// As for [`iamax`].
pub(super) unsafe fn iamin<T: Number, I: Index>(n: Int, x: *const T, incx: Int) -> I {
    // SAFETY: the caller's contract.
    I::from(unsafe { extreme(n, x, incx, |size, best| size < best) })
}

/// # Safety
/// As for [`iamax`].
unsafe fn extreme<T: Number>(
    n: Int,
    x: *const T,
    incx: Int,
    is_better: impl Fn(T::Real, T::Real) -> bool,
) -> Option<usize> {
    if n <= 0 || incx <= 0 {
        return None;
    }
    let x = Vector::new(n, x, incx);
    let mut best: Option<(usize, T::Real)> = None;
    for i in 0..x.n {
        // SAFETY: the caller's contract.
        let size = unsafe { cabs1(*x.at(i)) };
        if is_nan(size) {
            return Some(i);
        }
        if best.is_none_or(|(_, best)| is_better(size, best)) {
            best = Some((i, size));
        }
    }
    best.map(|(i, _)| i)
}

fn is_nan<T: Float>(x: T) -> bool {
    x.partial_cmp(&x).is_none()
}
