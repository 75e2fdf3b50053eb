//! Triangles of at most 64 rows by strips of columns, in vectors.
//!
//! A strip is copied to a buffer with contiguous rows, whose vectors hold neighbouring columns, so
//! that each element keeps its chain. Four rows are computed at a time.

mod combine;
mod eliminate;
mod rows;
mod strips;

use core::mem::MaybeUninit;

use super::super::number::{Complex, Real};
use super::super::simd::{Vectors, vectors};
use super::super::view::View;
use super::triangular_view::{Diagonal, Triangular};
pub(in super::super) use combine::Line;
pub(in super::super) use eliminate::{PADDING, Scale, Step};
pub(in super::super) use rows::{Rows, scale};
use strips::{ComplexSystem, Product, System};

/// Maximum number of rows.
pub(super) const ROWS: usize = 64;

/// Rows that are computed together.
const GROUP: usize = 4;

/// A packed triangle: of each [`GROUP`] of rows the columns, one after another. Rows are padded with
/// zeros.
type Packed<R> = [R; ROWS * ROWS];

/// Packs `factor A`, with `factor` on a diagonal of ones.
///
/// # Safety
/// The triangle is readable and has at most [`ROWS`] rows; `to` is writable.
unsafe fn pack<R: Real>(factor: R, a: Triangular<R>, to: *mut R) {
    let n = a.view.rows;
    let hotloops::matmul::Strides { row, column } = a.view.strides;
    for first in (0..n).step_by(GROUP) {
        let rows = GROUP.min(n - first);
        let to = to.wrapping_add(first * n);
        let columns = if a.lower { 0..first } else { first + rows..n };
        // SAFETY: the caller's contract, throughout.
        unsafe { pack_rows(factor, a.view.block(first..first + rows, columns.clone()), to.add(columns.start * GROUP)) };
        let corner = a.view.pointer(first, first);
        for (p, r) in (0..rows).flat_map(|p| (0..GROUP).map(move |r| (p, r))) {
            // SAFETY: the caller's contract.
            unsafe {
                *to.wrapping_add((first + p) * GROUP + r) = match if a.lower { p <= r } else { p >= r } {
                    _ if r >= rows => R::zero(),
                    false => R::zero(),
                    true if r == p && a.diagonal != Diagonal::Stored => factor,
                    true => factor * *corner.wrapping_offset(r as isize * row + p as isize * column),
                };
            }
        }
    }
}

/// Packs a [`GROUP`] of rows, or fewer.
///
/// # Safety
/// As for [`pack`].
unsafe fn pack_rows<R: Real>(factor: R, from: View<R>, to: *mut R) {
    let (n, hotloops::matmul::Strides { row, column }) = (from.columns, from.strides);
    // SAFETY: the caller's contract, throughout.
    unsafe {
        match (from.rows == GROUP, row, column) {
            (true, 1, _) => {
                for p in 0..n {
                    let elements = from.pointer(0, p).cast::<[R; GROUP]>().read_unaligned();
                    to.cast::<[R; GROUP]>().add(p).write_unaligned(elements.map(|x| factor * x));
                }
            }
            (true, _, 1) => {
                R::transpose([GROUP, n], (from.at.cast_const(), row), (to, GROUP as isize));
                (R::VECTORS.scal)(factor, to, GROUP * n);
            }
            _ => {
                for p in 0..n {
                    for r in 0..GROUP {
                        let is_row = r < from.rows;
                        *to.add(p * GROUP + r) = if is_row { factor * *from.pointer(r, p) } else { R::zero() };
                    }
                }
            }
        }
    }
}

/// Solves `A X = B` for X in place of B, for a lower A of at most [`ROWS`] rows, unless the CPU has no
/// vectors of fused multiply-adds. Returns whether it did.
///
/// # Safety
/// The triangle of A is readable; B is writable and does not overlap it. The shapes match.
pub(super) unsafe fn solve<R: Real>(a: Triangular<R>, b: View<R>) -> bool {
    let Some(vectors) = vectors() else { return false };
    let (mut packed, mut diagonal) = (MaybeUninit::<Packed<R>>::uninit(), [R::one(); ROWS]);
    // SAFETY: the caller's contract; the packed triangle has room for padded rows.
    unsafe {
        pack(-R::one(), a, packed.as_mut_ptr().cast());
        if a.diagonal == Diagonal::Stored {
            (0..b.rows).for_each(|i| diagonal[i] = *a.view.pointer(i, i));
        }
        let divides = a.diagonal == Diagonal::Stored;
        R::run_in(vectors, &System { packed: packed.as_ptr().cast(), diagonal, divides, b });
    }
    true
}

/// `C = alpha A X`, or `C + alpha A X` if `adds`, as [`solve`]. X and C may be the same matrix.
///
/// # Safety
/// The triangle of A and X are readable; C is writable. The shapes match, with at most [`ROWS`] rows.
pub(super) unsafe fn multiply<R: Real>(alpha: R, a: Triangular<R>, x: View<R>, c: View<R>, adds: bool) -> bool {
    let Some(vectors) = vectors() else { return false };
    let mut packed = MaybeUninit::<Packed<R>>::uninit();
    let skips = a.diagonal == Diagonal::Zeros;
    // SAFETY: the caller's contract.
    unsafe {
        pack(alpha, a, packed.as_mut_ptr().cast());
        R::run_in(vectors, &Product { packed: packed.as_ptr().cast(), lower: a.lower, skips, adds, x, c });
    }
    true
}

/// Combines chains, in vectors if there are.
///
/// # Safety
/// C is writable, and readable unless beta is 0; the sums are readable.
pub(in super::super) unsafe fn combine<R: Real>(vectors: Option<Vectors>, line: &Line<R>) {
    // SAFETY: the caller's contract.
    unsafe {
        match vectors {
            Some(vectors) if line.step == 1 => R::run_in(vectors, line),
            _ => line.run_each(),
        }
    }
}

/// [`solve`] of complex numbers, each operation rounded.
///
/// # Safety
/// As for [`solve`].
pub(super) unsafe fn solve_complex<R: Real>(a: Triangular<Complex<R>>, b: View<Complex<R>>) -> bool {
    let Some(vectors) = vectors() else { return false };
    let mut elements = MaybeUninit::<[Complex<R>; ROWS * ROWS]>::uninit();
    let elements: *mut Complex<R> = elements.as_mut_ptr().cast();
    let n = b.rows;
    // SAFETY: the caller's contract.
    unsafe {
        for i in 0..n {
            let stored = if a.diagonal == Diagonal::Stored { i + 1 } else { i };
            (0..stored).for_each(|p| *elements.add(i * n + p) = a.view.get(i, p));
        }
        let divides = a.diagonal == Diagonal::Stored;
        R::run_in(vectors, &ComplexSystem { elements, divides, b });
    }
    true
}
