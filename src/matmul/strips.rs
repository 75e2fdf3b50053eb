//! Products with few columns: strips of rows, for the vectors of all instruction sets.

// Loops over indices with constant bounds are unrolled early enough for sums to stay in registers.
#![allow(clippy::needless_range_loop)]

use super::blocking::LINE;
use super::tiles::{BlockArguments, opaque};
use crate::math::float::Float;
use crate::math::vector::Fused;

/// A vector that loads `U` columns of a matrix from `LANES / W` of its rows, with each element
/// repeated `W` times. The vector consists of 128-bit parts of `U` elements. A row is read into one
/// part, so no shuffle crosses parts.
///
/// # Safety
/// As for [`Vector`](crate::math::vector::Vector).
pub(super) trait Spread<const W: usize, const U: usize>: Fused {
    /// Returns column `u` of the rows from `from` on in vector `u`: `W` lanes of the first row, `W`
    /// lanes of the second, and so on.
    unsafe fn spread(from: *const Self::Element, row: isize) -> [Self; U];
    /// Fills the vector with repetitions of `W` elements.
    unsafe fn repeat(from: *const Self::Element) -> Self;
}

impl<T: Float> BlockArguments<T> {
    /// Computes the `width` columns from `j` in strips of up to `G` vectors of rows times `J` vectors of
    /// columns. `H` vectors of rows at a time share the loads of B. At the ends of rows and columns, vectors
    /// overlap.
    ///
    /// # Safety
    /// The contract of the kernels for few columns. A has at least `LANES / W` rows and `U`
    /// columns, and `width` is at least `W`.
    #[inline(always)]
    pub(super) unsafe fn strips<V, const W: usize, const U: usize, const J: usize, const G: usize, const H: usize>(
        &self,
        j: usize,
        width: usize,
    ) where
        V: Spread<W, U, Element = T>,
    {
        let (rows, mut done) = (V::LANES / W, 0);
        while done < self.m {
            let left = (self.m - done).div_ceil(rows);
            // The last two strips are about as long: a strip of one vector waits for its chains.
            let vectors = if left < 2 * G { left.div_ceil(left.div_ceil(G)) } else { G };
            // SAFETY: the caller's contract; strips lie in C.
            unsafe {
                match vectors {
                    1 => self.strip::<V, W, U, J, 1, 1>(done, j, width),
                    2 if G > 2 => self.strip::<V, W, U, J, 2, 2>(done, j, width),
                    3 if G > 3 => self.strip::<V, W, U, J, 3, 1>(done, j, width),
                    _ => self.strip::<V, W, U, J, G, H>(done, j, width),
                }
            }
            done += vectors * rows;
        }
    }

    /// Computes the strip of rows from `done` on. A vector that would go beyond the last row begins before, and rows
    /// before `done` are not stored.
    ///
    /// # Safety
    /// As for [`strips`](Self::strips); the rows lie in C.
    #[inline(always)]
    unsafe fn strip<V, const W: usize, const U: usize, const J: usize, const G: usize, const H: usize>(
        &self,
        done: usize,
        j: usize,
        width: usize,
    ) where
        V: Spread<W, U, Element = T>,
    {
        let rows = V::LANES / W;
        // SAFETY: the caller's contract.
        unsafe {
            let mut starts = [0; G];
            let mut offsets = [0; G];
            for g in 0..G {
                starts[g] = (done + g * rows).min(self.m - rows);
                offsets[g] = starts[g] as isize * self.a_row;
            }
            let c = |i: usize, t: usize| self.c.offset(i as isize * self.c_row).add(j + column::<W, J>(t, width));
            let mut lanes = [T::ZERO; 16];
            let mut sums = [[V::splat(T::ZERO); J]; G];
            if self.accumulate != 0 {
                for (g, sums) in sums.iter_mut().enumerate() {
                    for (t, sum) in sums.iter_mut().enumerate() {
                        for r in 0..rows {
                            copy::<T, W>(c(starts[g] + r, t), lanes.as_mut_ptr().add(r * W));
                        }
                        *sum = V::load(lanes.as_ptr());
                    }
                }
            }
            let (mut a, mut b) = (self.a, self.b.add(j));
            let line = LINE / size_of::<T>();
            // A whole line of each row, before the next rows can push it out of the cache.
            for _ in 0..self.k / line {
                self.groups::<V, W, U, J, G, H>(&mut sums, &offsets, (a, b), width, line);
                (a, b) = (a.wrapping_add(line), b.wrapping_offset(line as isize * self.b_row));
            }
            let rest = self.k % line;
            self.groups::<V, W, U, J, G, H>(&mut sums, &offsets, (a, b), width, rest / U * U);
            if !rest.is_multiple_of(U) {
                // The last U columns of A, without the columns that were already added.
                let (end, back) = (rest as isize - U as isize, U - rest % U);
                let (a, b) = (a.wrapping_offset(end), b.wrapping_offset(end * self.b_row));
                for first in 0..G / H {
                    self.advance::<V, W, U, J, G, H>(&mut sums, &offsets, first * H, (a, b), width, back);
                }
            }
            for (g, sums) in sums.into_iter().enumerate() {
                for (t, sum) in sums.into_iter().enumerate() {
                    sum.store(lanes.as_mut_ptr());
                    for r in 0..rows {
                        if starts[g] + r >= done {
                            copy::<T, W>(lanes.as_ptr().add(r * W), c(starts[g] + r, t));
                        }
                    }
                }
            }
        }
    }

    /// Adds the products of `columns` columns of A, a multiple of `U`, and `columns` rows of B, group
    /// by group.
    ///
    /// # Safety
    /// As for [`strips`](Self::strips).
    #[inline(always)]
    unsafe fn groups<V, const W: usize, const U: usize, const J: usize, const G: usize, const H: usize>(
        &self,
        sums: &mut [[V; J]; G],
        offsets: &[isize; G],
        (a, b): (*const T, *const T),
        width: usize,
        columns: usize,
    ) where
        V: Spread<W, U, Element = T>,
    {
        const { assert!(G / H <= 4) };
        // SAFETY: the caller's contract.
        unsafe {
            // Not a loop: sums stay in registers only where their indices are constants.
            self.group::<V, W, U, J, G, H>(sums, offsets, 0, (a, b), width, columns);
            if G / H > 1 {
                self.group::<V, W, U, J, G, H>(sums, offsets, 1, (a, b), width, columns);
            }
            if G / H > 2 {
                self.group::<V, W, U, J, G, H>(sums, offsets, 2, (a, b), width, columns);
            }
            if G / H > 3 {
                self.group::<V, W, U, J, G, H>(sums, offsets, 3, (a, b), width, columns);
            }
        }
    }

    /// [`groups`](Self::groups) for the `H` vectors of rows of one group.
    ///
    /// # Safety
    /// As for [`strips`](Self::strips).
    #[inline(always)]
    unsafe fn group<V, const W: usize, const U: usize, const J: usize, const G: usize, const H: usize>(
        &self,
        sums: &mut [[V; J]; G],
        offsets: &[isize; G],
        group: usize,
        (a, b): (*const T, *const T),
        width: usize,
        columns: usize,
    ) where
        V: Spread<W, U, Element = T>,
    {
        let (mut a, mut b) = (a, b);
        for _ in 0..columns / U {
            // SAFETY: the caller's contract.
            unsafe { self.advance::<V, W, U, J, G, H>(sums, offsets, group * H, (a, b), width, 0) }
            (a, b) = (a.wrapping_add(U), b.wrapping_offset(U as isize * self.b_row));
        }
    }

    /// Adds the products of `U` columns of A and `U` rows of B, except the first `skip`, for the `H`
    /// vectors of rows from `first` on.
    ///
    /// # Safety
    /// As for [`strips`](Self::strips).
    #[inline(always)]
    unsafe fn advance<V, const W: usize, const U: usize, const J: usize, const G: usize, const H: usize>(
        &self,
        sums: &mut [[V; J]; G],
        offsets: &[isize; G],
        first: usize,
        (a, b): (*const T, *const T),
        width: usize,
        skip: usize,
    ) where
        V: Spread<W, U, Element = T>,
    {
        // SAFETY: the caller's contract.
        unsafe {
            let mut b = b;
            let mut x = [[V::splat(T::ZERO); U]; H];
            for h in 0..H {
                x[h] = V::spread(opaque(a.wrapping_offset(offsets[first + h])), self.a_row);
            }
            for u in 0..U {
                if u >= skip {
                    b = opaque(b);
                    for t in 0..J {
                        let y = V::repeat(b.add(column::<W, J>(t, width)));
                        for h in 0..H {
                            sums[first + h][t] = x[h][u].fma(y, sums[first + h][t]);
                        }
                    }
                }
                b = b.wrapping_offset(self.b_row);
            }
        }
    }
}

/// The first column of vector `t` of the `J` vectors that cover `width` columns. The last two may
/// overlap.
#[inline(always)]
fn column<const W: usize, const J: usize>(t: usize, width: usize) -> usize {
    if t + 1 < J { W * t } else { width - W }
}

/// Copies `W` elements.
///
/// # Safety
/// `W` elements are readable at `from` and writable at `to`, at any alignment.
#[inline(always)]
unsafe fn copy<T, const W: usize>(from: *const T, to: *mut T) {
    // SAFETY: the caller's contract.
    unsafe { core::ptr::copy_nonoverlapping(from.cast::<u8>(), to.cast(), W * size_of::<T>()) }
}
