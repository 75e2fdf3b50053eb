//! Symmetric and Hermitian matrices times a vector: each stored element is read once.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::super::export::prelude::*;
use super::super::report::{Check, Illegal, check};
use super::super::simd::Simd;
use super::super::vector::Vector;
use super::lines::{Lines, Order, both};
use super::mirror::Mirrored;
use super::sums::{Sums, transpose};
use super::triangular::is_upper;
use super::vectors::{Contiguous, Output, scale};

/// A routine in its three storages.
macro_rules! storages {
    ($kind:ident $number:ident: $dense:ident $band:ident $packed:ident) => {
        routines! { $kind:
            $dense[layout](
                uplo: Uplo, n: Int, alpha: T, a: *const T, lda: Int, x: *const T, incx: Int, beta: T, y: *mut T,
                incy: Int
            );
            $band[layout](
                uplo: Uplo, n: Int, k: Int, alpha: T, a: *const T, lda: Int, x: *const T, incx: Int, beta: T, y: *mut T,
                incy: Int
            );
            $packed[layout](
                uplo: Uplo, n: Int, alpha: T, ap: *const T, x: *const T, incx: Int, beta: T, y: *mut T, incy: Int
            );
        }

        /// # Safety
        /// The pointers point to a triangle and vectors of these sizes and strides. The elements of `y`
        /// are writable and overlap nothing else.
        unsafe fn $dense<T: $number>(
            layout: Int,
            uplo: Uplo,
            n: Int,
            alpha: T,
            a: *const T,
            lda: Int,
            x: *const T,
            incx: Int,
            beta: T,
            y: *mut T,
            incy: Int,
        ) -> Result<(), Illegal> {
            let [uplo_check, n_check] = flag_checks(uplo, n);
            let steps = [(8, 8, incx == 0, c"incx"), (11, 11, incy == 0, c"incy")];
            check(layout, [uplo_check, n_check, (6, 6, lda < n.max(1), c"lda"), steps[0], steps[1]])?;
            let lines = Lines::triangle(a, n as usize, lda as usize, is_upper(layout, uplo));
            // SAFETY: the caller's contract.
            unsafe { product(lines, layout, alpha, Vector::new(n, x, incx), beta, Vector::new(n, y, incy)) }
            Ok(())
        }

        /// # Safety
        #[doc = concat!("As for [`", stringify!($dense), "`].")]
        unsafe fn $band<T: $number>(
            layout: Int,
            uplo: Uplo,
            n: Int,
            k: Int,
            alpha: T,
            a: *const T,
            lda: Int,
            x: *const T,
            incx: Int,
            beta: T,
            y: *mut T,
            incy: Int,
        ) -> Result<(), Illegal> {
            let [uplo_check, n_check] = flag_checks(uplo, n);
            let [k_check, lda_check] = [(4, 4, k < 0, c"k"), (7, 7, lda <= k, c"lda")];
            let steps = [(9, 9, incx == 0, c"incx"), (12, 12, incy == 0, c"incy")];
            check(layout, [uplo_check, n_check, k_check, lda_check, steps[0], steps[1]])?;
            let (before, after) = if is_upper(layout, uplo) { (k as usize, 0) } else { (0, k as usize) };
            let lines = Lines::band(a, [n as usize; 2], lda as usize, before, after);
            // SAFETY: the caller's contract.
            unsafe { product(lines, layout, alpha, Vector::new(n, x, incx), beta, Vector::new(n, y, incy)) }
            Ok(())
        }

        /// # Safety
        #[doc = concat!("As for [`", stringify!($dense), "`].")]
        unsafe fn $packed<T: $number>(
            layout: Int,
            uplo: Uplo,
            n: Int,
            alpha: T,
            ap: *const T,
            x: *const T,
            incx: Int,
            beta: T,
            y: *mut T,
            incy: Int,
        ) -> Result<(), Illegal> {
            let [uplo_check, n_check] = flag_checks(uplo, n);
            let steps = [(7, 7, incx == 0, c"incx"), (10, 10, incy == 0, c"incy")];
            check(layout, [uplo_check, n_check, steps[0], steps[1]])?;
            let lines = Lines::packed(ap, n as usize, is_upper(layout, uplo));
            // SAFETY: the caller's contract.
            unsafe { product(lines, layout, alpha, Vector::new(n, x, incx), beta, Vector::new(n, y, incy)) }
            Ok(())
        }
    };
}
storages! { real Real: symv sbmv spmv }
storages! { complex Number: hemv hbmv hpmv }

fn flag_checks(uplo: Uplo, n: Int) -> [Check; 2] {
    [(2, 2, !uplo.is_legal(), c"uplo"), (3, 3, n < 0, c"n")]
}

/// Lines that are multiplied together.
const BLOCK: usize = 32;

/// Rows of a small real triangle.
const SMALL: usize = 128;

/// Lines of a block that are mirrored together.
const PART: usize = 8;

/// Elements of a line that are read before the next line's, and read again from a cache.
const PIECE: usize = 128;

/// `y = alpha A x + beta y`. Lines are columns of A, or of its conjugate in row-major order.
///
/// # Safety
/// The lines and x are readable. The elements of y are writable and overlap nothing else.
unsafe fn product<T: Number>(lines: Lines<T>, layout: Int, alpha: T, x: Vector<T>, beta: T, y: Vector<T>) {
    if y.n == 0 || alpha == T::zero() && beta == T::one() {
        return;
    }
    // SAFETY: the caller's contract.
    unsafe {
        if alpha == T::zero() {
            return scale(y, beta);
        }
        let x = Contiguous::new(x, if T::IS_COMPLEX { T::one() } else { alpha });
        let output = Output::begin(y, beta);
        multiply(&lines, x.at, output.sums);
        output.end(alpha, T::IS_COMPLEX && layout != COLUMN_MAJOR, beta);
    }
}

/// Adds A x to the sums.
///
/// The terms of an element ascend. Where lines end at the diagonal, those of line l are its own
/// elements, then element l of each later line. Otherwise they are element l of each earlier line, then
/// its own elements.
///
/// # Safety
/// The lines and x are readable; the sums are writable and overlap neither.
unsafe fn multiply<T: Number>(lines: &Lines<T>, x: *const T, sums: Sums<T>) {
    // Whole squares are faster where there are few of them.
    let is_small = lines.count <= if T::IS_COMPLEX { BLOCK } else { SMALL } && !lines.is_band();
    // SAFETY: the caller's contract.
    if !is_small && unsafe { T::Real::run(&Mirrored { sums, lines, x }) } {
        return;
    }
    // The lines of a block have all elements of its square.
    let size = BLOCK.min(lines.width());
    for block in Order::Ascending.blocks(0..lines.count, size) {
        let all = lines.run(block.start).start..lines.run(block.end - 1).end;
        let outside = if lines.is_upper() { 0..block.start } else { block.end..lines.count };
        // SAFETY: the caller's contract, throughout.
        unsafe {
            if !lines.is_upper() {
                square(lines, block.clone(), x, sums);
            }
            for piece in Order::Ascending.blocks(both(&outside, &all), PIECE) {
                sums.collect(lines, block.clone(), piece.clone(), (Order::Ascending, T::IS_COMPLEX), x);
                sums.spread(lines, block.clone(), piece, Order::Ascending, x);
            }
            if lines.is_upper() {
                square(lines, block, x, sums);
            }
        }
    }
}

/// The square at the diagonal. The imaginary part of the diagonal is 0.
///
/// # Safety
/// As for [`multiply`]; all elements of the square's triangle are stored.
unsafe fn square<T: Number>(lines: &Lines<T>, block: Range<usize>, x: *const T, sums: Sums<T>) {
    let mut whole = [const { MaybeUninit::<T>::uninit() }; BLOCK * BLOCK];
    let (to, first, n) = (whole.as_mut_ptr().cast::<T>(), block.start, block.len());
    // SAFETY: the caller's contract; the square holds a block.
    unsafe {
        for l in block.clone() {
            let run = both(&lines.run(l), &block);
            let row = to.wrapping_add((l - first) * n);
            lines.pointer(l, run.start).copy_to_nonoverlapping(row.wrapping_add(run.start - first), run.len());
            let diagonal = row.wrapping_add(l - first);
            *diagonal = T::from_real((*diagonal).re());
        }
        // The other triangle: squares beside the diagonal, then those at it.
        for i in (0..n).step_by(PART) {
            let part = i..n.min(i + PART);
            let beside = if lines.is_upper() { 0..i } else { part.end..n };
            let copied = Lines::dense(to, n, n, n);
            if !beside.is_empty() {
                let at = to.wrapping_add(beside.start * n + i);
                transpose(&copied, &part, &beside, T::IS_COMPLEX, (at, n));
            }
            for l in part.clone() {
                for p in if lines.is_upper() { part.start..l } else { l + 1..part.end } {
                    *to.wrapping_add(p * n + l) = (*to.wrapping_add(l * n + p)).conj();
                }
            }
        }
    }
    let lines = Lines::dense(to, n, n, n);
    // SAFETY: the caller's contract.
    unsafe { sums.offset(first).spread(&lines, 0..n, 0..n, Order::Ascending, x.wrapping_add(first)) }
}
