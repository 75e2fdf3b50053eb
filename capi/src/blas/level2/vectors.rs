//! The vectors of a product: x as contiguous elements, y as sums.

use super::super::export::prelude::*;
use super::super::memory::Memory;
use super::super::vector::Vector;
use super::sums::Sums;

/// `factor x`, contiguous: x itself if it is.
pub(super) struct Contiguous<T> {
    pub at: *const T,
    _memory: Option<Memory<T>>,
}

impl<T: Number> Contiguous<T> {
    /// # Safety
    /// The elements of x are readable.
    pub(super) unsafe fn new(x: Vector<T>, factor: T) -> Self {
        if x.stride == 1 && factor == T::one() {
            return Contiguous { at: x.first, _memory: None };
        }
        // SAFETY: the caller's contract.
        unsafe { Self::copy(x, factor) }
    }

    /// # Safety
    /// As for [`new`](Self::new).
    pub(super) unsafe fn copy(x: Vector<T>, factor: T) -> Self {
        let memory = Memory::<T>::new(x.n);
        let [at] = memory.split([x.n]);
        for i in 0..x.n {
            // SAFETY: the caller's contract; the memory has n elements.
            unsafe { *at.wrapping_add(i) = if factor == T::one() { *x.at(i) } else { factor * *x.at(i) } }
        }
        Contiguous { at, _memory: Some(memory) }
    }
}

/// `y = alpha S + beta y`. Sums of a real vector begin at `beta y`, and x is scaled; complex ones begin
/// at 0, and are scaled at the end.
pub(super) struct Output<T: Number> {
    pub sums: Sums<T>,
    y: Vector<T>,
    memory: Option<Memory<T::Real>>,
}

impl<T: Number> Output<T> {
    /// # Safety
    /// The elements of y are writable, and readable unless beta is 0.
    pub(super) unsafe fn begin(y: Vector<T>, beta: T) -> Self {
        let in_place = !T::IS_COMPLEX && y.stride == 1;
        let memory = (!in_place).then(|| Memory::<T::Real>::new(Sums::<T>::reals(y.n)));
        let at = memory.as_ref().map_or(y.first.cast(), |memory| memory.split([0])[0]);
        let sums = Sums { at, n: y.n };
        // SAFETY: the caller's contract; the memory has the reals of the sums.
        unsafe {
            if T::IS_COMPLEX || beta == T::zero() {
                sums.clear(0..y.n);
            } else if !in_place {
                for i in 0..y.n {
                    let to = at.cast::<T>().wrapping_add(i);
                    *to = if beta == T::one() { *y.at(i) } else { beta * *y.at(i) };
                }
            } else if beta != T::one() {
                y.scale(beta);
            }
        }
        Output { sums, y, memory }
    }

    /// `conjugates` says that the sums are those of the conjugate matrix.
    ///
    /// # Safety
    /// As for [`begin`](Self::begin).
    pub(super) unsafe fn end(self, alpha: T, conjugates: bool, beta: T) {
        let Output { sums, y, memory } = self;
        // SAFETY: the caller's contract.
        unsafe {
            if T::IS_COMPLEX {
                sums.combine(0..y.n, (alpha, conjugates), beta, y);
            } else if memory.is_some() {
                for i in 0..y.n {
                    *y.at(i) = *sums.at.cast::<T>().wrapping_add(i);
                }
            }
        }
    }
}

/// `y = beta y`, for an alpha of 0.
///
/// # Safety
/// The elements of y are writable, and readable unless beta is 0.
pub(super) unsafe fn scale<T: Number>(y: Vector<T>, beta: T) {
    // SAFETY: the caller's contract.
    unsafe {
        if beta == T::zero() {
            y.clear();
        } else if beta != T::one() {
            y.scale(beta);
        }
    }
}
