//! Vectors in memory.

use core::mem::MaybeUninit;

use hotloops::reduce::{Element, Strided};

use super::Int;
use super::memory::Memory;
use super::number::{Complex, Number, Real};

/// Elements of a vector that are copied to the stack at a time.
pub(super) const PIECE: usize = 1024;

/// `n` elements, `stride` apart, from the first on. A negative stride starts at the highest
/// address.
#[derive(Clone, Copy)]
pub(super) struct Vector<T> {
    pub first: *mut T,
    pub n: usize,
    pub stride: isize,
}

impl<T: Copy> Vector<T> {
    /// The vector at `lowest`, the lowest address; empty if `n` is not positive.
    pub(super) fn new(n: Int, lowest: *const T, stride: Int) -> Self {
        let (n, stride) = (n.max(0) as usize, stride as isize);
        let before = if stride < 0 { (1 - n as isize) * stride } else { 0 };
        Vector { first: lowest.cast_mut().wrapping_offset(if n == 0 { 0 } else { before }), n, stride }
    }

    #[inline(always)]
    pub(super) fn at(self, i: usize) -> *mut T {
        self.first.wrapping_offset(i as isize * self.stride)
    }

    /// Writes the elements from `begin` on to `buffer`, as many as fit.
    ///
    /// # Safety
    /// The elements are readable.
    pub(super) unsafe fn gather<U>(
        self,
        begin: usize,
        buffer: &mut [MaybeUninit<U>; PIECE],
        convert: impl Fn(T) -> U,
    ) -> &[U] {
        let n = PIECE.min(self.n - begin);
        // SAFETY: the caller's contract; the first n elements of the buffer are written.
        unsafe {
            for (i, to) in buffer[..n].iter_mut().enumerate() {
                to.write(convert(*self.at(begin + i)));
            }
            core::slice::from_raw_parts(buffer.as_ptr().cast(), n)
        }
    }

    /// Calls `run` with a vector of stride 1 that has the same elements.
    ///
    /// # Safety
    /// The elements are readable.
    pub(super) unsafe fn contiguous<U>(self, run: impl FnOnce(Self) -> U) -> U {
        if self.stride == 1 {
            return run(self);
        }
        let memory = Memory::new(self.n);
        let [first] = memory.split([self.n]);
        let copy = Vector { first, n: self.n, stride: 1 };
        each(self, copy, |from, to| {
            // SAFETY: the caller's contract; the memory has as many elements.
            unsafe { to.write(*from) }
        });
        run(copy)
    }
}

impl<R: Copy> Vector<Complex<R>> {
    /// Real and imaginary parts in turn, of a vector of stride 1.
    pub(super) fn parts(self) -> Vector<R> {
        debug_assert!(self.stride == 1);
        Vector { first: self.first.cast(), n: 2 * self.n, stride: 1 }
    }
}

impl<T: Number> Vector<T> {
    /// # Safety
    /// The elements are readable and writable.
    pub(super) unsafe fn scale(self, factor: T) {
        let (kernels, parts) = (T::Real::VECTORS, self.first.cast::<T::Real>());
        // SAFETY: the caller's contract.
        unsafe {
            match self.stride {
                1 if T::IS_COMPLEX => (kernels.scal_complex)(factor.re(), factor.im(), parts, self.n),
                1 => (kernels.scal)(factor.re(), parts, self.n),
                _ => each(self, self, |x, _| *x = factor * *x),
            }
        }
    }

    /// # Safety
    /// The elements are writable.
    pub(super) unsafe fn clear(self) {
        // SAFETY: the caller's contract.
        unsafe { each(self, self, |x, _| *x = T::zero()) }
    }
}

impl<T: Real> Vector<T> {
    /// # Safety
    /// The elements are readable.
    pub(super) unsafe fn as_strided<'a>(self) -> Strided<'a, T> {
        let extent = self.n.saturating_sub(1) * self.stride.unsigned_abs() + 1;
        let lowest = if self.stride < 0 { self.at(self.n - 1) } else { self.first };
        // SAFETY: the caller's contract. The slice holds the elements.
        unsafe { Strided::new(core::slice::from_raw_parts(lowest, extent), self.n, self.stride).unwrap_unchecked() }
    }
}

/// Calls `step` with pointers to the elements, in order.
#[inline(always)]
pub(super) fn each<T: Copy>(x: Vector<T>, y: Vector<T>, step: impl Fn(*mut T, *mut T)) {
    // A constant stride lets the compiler vectorise.
    if x.stride == 1 && y.stride == 1 {
        for i in 0..x.n {
            step(x.first.wrapping_add(i), y.first.wrapping_add(i));
        }
    } else {
        for i in 0..x.n {
            step(x.at(i), y.at(i));
        }
    }
}
