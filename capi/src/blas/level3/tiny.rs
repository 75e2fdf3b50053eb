//! Many products of tiny real matrices, in vectors along the lines of C.

#![allow(clippy::needless_range_loop)] // the indices are also those of elements in memory

use core::mem::MaybeUninit;

use hotloops::matmul::Strides;

use super::super::number::Real;
use super::super::simd::{Lanes, Task};

/// Maximum number of lines of C, and of elements of a line and terms of an element.
const LINES: usize = 8;
const LENGTH: usize = 16;

/// Where the matrices of a batch begin.
#[derive(Clone, Copy)]
pub(super) enum Places<T> {
    /// This many elements apart.
    Strided(*mut T, isize),
    Listed(*const *mut T),
}

impl<T> Places<T> {
    #[inline]
    pub(super) fn cast<U>(self) -> Places<U> {
        match self {
            Places::Strided(first, stride) => Places::Strided(first.cast(), stride),
            Places::Listed(list) => Places::Listed(list.cast()),
        }
    }

    /// # Safety
    /// A list has more than `i` elements.
    #[inline(always)]
    pub(super) unsafe fn get(self, i: usize) -> *mut T {
        match self {
            Places::Strided(first, stride) => first.wrapping_offset(i as isize * stride),
            // SAFETY: the caller's contract.
            Places::Listed(list) => unsafe { *list.add(i) },
        }
    }
}

/// An operand: its places and strides.
pub(super) type Operand<T> = (Places<T>, Strides);

/// `C = alpha A B + beta C` for each product of a batch, with the bits of [`matmul::gemm`](hotloops::matmul::gemm).
///
/// The contract of running it: the matrices of A and B are readable, those of C are writable and overlap no other
/// operand.
pub(super) struct Tiny<R> {
    pub count: usize,
    /// Rows and columns of C, and terms.
    pub sizes: [usize; 3],
    pub alpha: R,
    pub a: Operand<R>,
    pub b: Operand<R>,
    pub beta: R,
    pub c: Operand<R>,
}

impl<R: Real> Tiny<R> {
    /// Whether the sizes are those of this code. Lines of C are contiguous, its rows or its columns.
    pub(super) fn is_tiny(&self) -> bool {
        let [m, n, k] = self.sizes;
        let (lines, length) = if self.c.1.column == 1 { (m, n) } else { (n, m) };
        lines <= LINES && length <= LENGTH && (1..=LENGTH).contains(&k) && self.alpha != R::zero()
    }
}

/// A product by lines of C: `left` has an element for each line and term, `right` the elements of a line for each
/// term.
struct Lines<R> {
    count: usize,
    length: usize,
    terms: usize,
    left: Operand<R>,
    right: Operand<R>,
    /// Factors of the elements of `left` and of `right`.
    factors: [R; 2],
    beta: R,
    c: (Places<R>, isize),
}

impl<R: Real> Task<R> for Tiny<R> {
    #[inline(always)]
    unsafe fn run<V: Lanes<R>>(&self) {
        let ([m, n, terms], one) = (self.sizes, R::one());
        let Tiny { count, alpha, a, b, beta, c, .. } = *self;
        let transposed = |(at, Strides { row, column }): Operand<R>| (at, Strides { row: column, column: row });
        let in_rows = c.1.column == 1;
        let lines = match in_rows {
            true => {
                let c = (c.0, c.1.row);
                Lines { count, length: n, terms, left: a, right: b, factors: [alpha, one], beta, c }
            }
            false => {
                let (left, right, c) = (transposed(b), transposed(a), (c.0, c.1.column));
                Lines { count, length: m, terms, left, right, factors: [one, alpha], beta, c }
            }
        };
        // SAFETY: the caller's contract.
        unsafe {
            match (if in_rows { m } else { n }, terms) {
                (1, _) => lines.run::<V, 1, 0>(),
                (2, 2) => lines.run::<V, 2, 2>(),
                (2, _) => lines.run::<V, 2, 0>(),
                (3, 3) => lines.run::<V, 3, 3>(),
                (3, _) => lines.run::<V, 3, 0>(),
                (4, 4) => lines.run::<V, 4, 4>(),
                (4, _) => lines.run::<V, 4, 0>(),
                (5, _) => lines.run::<V, 5, 0>(),
                (6, _) => lines.run::<V, 6, 0>(),
                (7, _) => lines.run::<V, 7, 0>(),
                (8, _) => lines.run::<V, 8, 0>(),
                _ => (),
            }
        }
    }
}

impl<R: Real> Lines<R> {
    /// Computes `N` lines with `K` terms, or `terms` if `K` is 0.
    ///
    /// # Safety
    /// The contract of the task; the CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn run<V: Lanes<R>, const N: usize, const K: usize>(&self) {
        let mut copy = MaybeUninit::<[R; LENGTH * LENGTH]>::uninit();
        let terms = if K > 0 { K } else { self.terms };
        let Strides { row, column } = self.right.1;
        let plain = self.factors[0] == R::one() && self.factors[1] == R::one() && self.beta == R::zero();
        for i in 0..self.count {
            // SAFETY: the caller's contract, throughout; the copy has the elements of `right`.
            unsafe {
                let (left, from, c) = (self.left.0.get(i), self.right.0.get(i), self.c.0.get(i));
                let mut right = (from.cast_const(), row);
                if column != 1 {
                    let to = copy.as_mut_ptr().cast::<R>();
                    for p in 0..terms {
                        for j in 0..self.length {
                            let from = from.wrapping_offset(p as isize * row + j as isize * column);
                            *to.wrapping_add(p * LENGTH + j) = *from;
                        }
                    }
                    right = (to.cast_const(), LENGTH as isize);
                }
                for first in (0..self.length).step_by(V::LANES) {
                    let right = (right.0.wrapping_add(first), right.1);
                    let c = c.wrapping_add(first);
                    let length = V::LANES.min(self.length - first);
                    match plain {
                        true => self.vectors::<V, N, true>(length, terms, left, right, c),
                        false => self.vectors::<V, N, false>(length, terms, left, right, c),
                    }
                }
            }
        }
    }

    /// Computes at most a vector of each line; `PLAIN` says that the factors are 1 and beta is 0.
    ///
    /// # Safety
    /// As for [`run`](Self::run).
    #[inline(always)]
    unsafe fn vectors<V: Lanes<R>, const N: usize, const PLAIN: bool>(
        &self,
        length: usize,
        terms: usize,
        left: *const R,
        (right, apart): (*const R, isize),
        c: *mut R,
    ) {
        // SAFETY: the caller's contract, throughout.
        unsafe {
            let mask = V::mask(0, length);
            let mut sums = [V::splat(R::zero()); N];
            if !PLAIN && self.beta != R::zero() {
                for i in 0..N {
                    sums[i] = V::load_masked(c.wrapping_offset(i as isize * self.c.1), mask);
                    if self.beta != R::one() {
                        sums[i] = sums[i].times(V::splat(self.beta));
                    }
                }
            }
            let [left_factor, right_factor] = self.factors;
            let Strides { row, column } = self.left.1;
            for p in 0..terms as isize {
                let mut line = V::load_masked(right.wrapping_offset(p * apart), mask);
                if !PLAIN && right_factor != R::one() {
                    line = line.times(V::splat(right_factor));
                }
                for i in 0..N {
                    let mut element = *left.wrapping_offset(i as isize * row + p * column);
                    if !PLAIN && left_factor != R::one() {
                        element = left_factor * element;
                    }
                    sums[i] = V::splat(element).fma(line, sums[i]);
                }
            }
            for i in 0..N {
                sums[i].store_masked(c.wrapping_offset(i as isize * self.c.1), mask);
            }
        }
    }
}
