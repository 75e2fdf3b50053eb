//! Triangles: products, and solutions by substitution.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::super::export::prelude::*;
use super::super::flags::{CONJ_TRANS, UNIT, UPPER};
use super::super::memory::Memory;
use super::super::report::{Check, Illegal, check};
use super::super::simd::Simd;
use super::super::vector::Vector;
use super::collect::collect_in_vectors;
use super::general::multiply;
use super::lines::{Lines, Order, both};
use super::spread::{Spread, spread_in_vectors};
use super::substitute::{Substitution, Transposition};
use super::sums::Sums;
use super::vectors::{Contiguous, Output};

routines! { all:
    trmv[layout](uplo: Uplo, trans: Trans, diag: Diag, n: Int, a: *const T, lda: Int, x: *mut T, incx: Int);
    tbmv[layout](uplo: Uplo, trans: Trans, diag: Diag, n: Int, k: Int, a: *const T, lda: Int, x: *mut T, incx: Int);
    tpmv[layout](uplo: Uplo, trans: Trans, diag: Diag, n: Int, ap: *const T, x: *mut T, incx: Int);
    trsv[layout](uplo: Uplo, trans: Trans, diag: Diag, n: Int, a: *const T, lda: Int, x: *mut T, incx: Int);
    tbsv[layout](uplo: Uplo, trans: Trans, diag: Diag, n: Int, k: Int, a: *const T, lda: Int, x: *mut T, incx: Int);
    tpsv[layout](uplo: Uplo, trans: Trans, diag: Diag, n: Int, ap: *const T, x: *mut T, incx: Int);
}

/// A routine of triangles in its three storages, all by `$code`.
macro_rules! storages {
    ($code:ident: $dense:ident $band:ident $packed:ident) => {
        /// # Safety
        /// The pointers point to a triangle and a vector of these sizes and strides, which do not
        /// overlap. The elements of `x` are writable.
        unsafe fn $dense<T: Number>(
            layout: Int,
            uplo: Uplo,
            trans: Trans,
            diag: Diag,
            n: Int,
            a: *const T,
            lda: Int,
            x: *mut T,
            incx: Int,
        ) -> Result<(), Illegal> {
            let [uplo_check, trans_check, diag_check, n_check] = flag_checks(uplo, trans, diag, n);
            let [lda_check, incx_check] = [(7, 7, lda < n.max(1), c"lda"), (9, 9, incx == 0, c"incx")];
            check(layout, [uplo_check, trans_check, diag_check, n_check, lda_check, incx_check])?;
            let lines = Lines::triangle(a, n as usize, lda as usize, is_upper(layout, uplo));
            // SAFETY: the caller's contract.
            unsafe { $code(Triangle::new(lines, layout, trans, diag), Vector::new(n, x, incx)) }
            Ok(())
        }

        /// # Safety
        #[doc = concat!("As for [`", stringify!($dense), "`].")]
        unsafe fn $band<T: Number>(
            layout: Int,
            uplo: Uplo,
            trans: Trans,
            diag: Diag,
            n: Int,
            k: Int,
            a: *const T,
            lda: Int,
            x: *mut T,
            incx: Int,
        ) -> Result<(), Illegal> {
            let [uplo_check, trans_check, diag_check, n_check] = flag_checks(uplo, trans, diag, n);
            let [k_check, lda_check] = [(6, 6, k < 0, c"k"), (8, 8, lda <= k, c"lda")];
            let incx_check = (10, 10, incx == 0, c"incx");
            check(layout, [uplo_check, trans_check, diag_check, n_check, k_check, lda_check, incx_check])?;
            let (before, after) = if is_upper(layout, uplo) { (k as usize, 0) } else { (0, k as usize) };
            let lines = Lines::band(a, [n as usize; 2], lda as usize, before, after);
            // SAFETY: the caller's contract.
            unsafe { $code(Triangle::new(lines, layout, trans, diag), Vector::new(n, x, incx)) }
            Ok(())
        }

        /// # Safety
        #[doc = concat!("As for [`", stringify!($dense), "`].")]
        unsafe fn $packed<T: Number>(
            layout: Int,
            uplo: Uplo,
            trans: Trans,
            diag: Diag,
            n: Int,
            ap: *const T,
            x: *mut T,
            incx: Int,
        ) -> Result<(), Illegal> {
            let [uplo_check, trans_check, diag_check, n_check] = flag_checks(uplo, trans, diag, n);
            check(layout, [uplo_check, trans_check, diag_check, n_check, (8, 8, incx == 0, c"incx")])?;
            let lines = Lines::packed(ap, n as usize, is_upper(layout, uplo));
            // SAFETY: the caller's contract.
            unsafe { $code(Triangle::new(lines, layout, trans, diag), Vector::new(n, x, incx)) }
            Ok(())
        }
    };
}
storages! { product: trmv tbmv tpmv }
storages! { solve: trsv tbsv tpsv }

fn flag_checks(uplo: Uplo, trans: Trans, diag: Diag, n: Int) -> [Check; 4] {
    [
        (2, 2, !uplo.is_legal(), c"uplo"),
        (3, 3, !trans.is_legal(), c"trans"),
        (4, 4, !diag.is_legal(), c"diag"),
        (5, 5, n < 0, c"n"),
    ]
}

/// Whether lines end at the diagonal.
pub(super) fn is_upper(layout: Int, uplo: Uplo) -> bool {
    (layout == COLUMN_MAJOR) == (uplo.0 == UPPER)
}

/// op(A): its columns or else its rows are lines, or their conjugates.
struct Triangle<T> {
    lines: Lines<T>,
    by_columns: bool,
    conjugates: bool,
}

impl<T: Number> Triangle<T> {
    fn new(lines: Lines<T>, layout: Int, trans: Trans, diag: Diag) -> Self {
        Triangle {
            lines: lines.with_unit_diagonal(diag.0 == UNIT),
            by_columns: (layout == COLUMN_MAJOR) != trans.transposes(),
            conjugates: T::IS_COMPLEX && trans.0 == CONJ_TRANS,
        }
    }
}

/// `x = op(A) x`. A diagonal of ones adds x as its terms would, in their place.
///
/// # Safety
/// The triangle is readable; the elements of x are readable and writable.
unsafe fn product<T: Number>(a: Triangle<T>, x: Vector<T>) {
    let Triangle { lines, by_columns, conjugates } = a;
    // SAFETY: the caller's contract, throughout.
    unsafe {
        let copy = Contiguous::copy(x, T::one());
        let output = Output::begin(x, T::zero());
        let sums = output.sums;
        let is_first = by_columns == lines.is_upper();
        if lines.unit && is_first {
            sums.add_vector(copy.at);
        }
        multiply(&lines, by_columns, copy.at, sums);
        if lines.unit && !is_first {
            sums.add_vector(copy.at);
        }
        output.end(T::one(), conjugates, T::zero());
    }
}

/// Lines of a block. Its complex solution is computed by single operations, so it is part of their order.
const BLOCK: usize = 64;

/// Real lines of op(A) in rows that are solved together, without vectors.
const ROWS: usize = 16;

/// Elements of a column of a copied square, such that columns spread over the sets of L1.
const STRIDE: usize = BLOCK + 4;

/// Complex sums that are in use at a time.
const PIECE: usize = 512;

fn minus_one<T: Number>() -> T {
    T::from_real(-T::Real::one())
}

/// `x = op(A)^-1 x`.
///
/// # Safety
/// As for [`product`].
unsafe fn solve<T: Number>(a: Triangle<T>, x: Vector<T>) {
    if x.n == 0 {
        return;
    }
    let memory = Memory::<T>::new(if x.stride == 1 { 0 } else { x.n });
    let b = if x.stride == 1 { x.first } else { memory.split([0])[0] };
    // SAFETY: the caller's contract; the memory holds x if it is not contiguous.
    unsafe {
        if x.stride != 1 {
            (0..x.n).for_each(|i| *b.wrapping_add(i) = *x.at(i));
        }
        match (T::IS_COMPLEX, a.by_columns) {
            (false, true) => real_columns(&a, b),
            (false, false) => real_rows(&a, b),
            (true, true) => complex_columns(&a, b),
            (true, false) => complex_rows(&a, b),
        }
        if x.stride != 1 {
            (0..x.n).for_each(|i| *x.at(i) = *b.wrapping_add(i));
        }
    }
}

impl<T: Number> Triangle<T> {
    /// The order of substitution.
    fn order(&self) -> Order {
        if self.by_columns == self.lines.is_upper() { Order::Descending } else { Order::Ascending }
    }

    /// Before `block`, and after it, in the order of substitution.
    fn sides(&self, block: &Range<usize>) -> [Range<usize>; 2] {
        let (low, high) = (0..block.start, block.end..self.lines.count);
        if self.order() == Order::Ascending { [low, high] } else { [high, low] }
    }
}

/// # Safety
/// As for [`solve`]; b is contiguous.
unsafe fn real_columns<T: Number>(a: &Triangle<T>, b: *mut T) {
    let (lines, order) = (&a.lines, a.order());
    let sums = Sums { at: b.cast(), n: lines.count };
    let mut negative = [const { MaybeUninit::<T>::uninit() }; BLOCK];
    for block in order.aligned(lines.count, BLOCK) {
        let [_, rest] = a.sides(&block);
        let from = negative.as_mut_ptr().cast::<T>().wrapping_sub(block.start);
        // SAFETY: the caller's contract.
        unsafe {
            substitute(lines, block.clone(), order, false, b);
            let (block, clip) = (block.clone(), rest.clone());
            if T::Real::run(&Spread::<T, true> { sums, lines, block, clip, order, conjugates: false, x: b }) {
                continue;
            }
        }
        // SAFETY: the caller's contract.
        unsafe {
            block.clone().for_each(|l| *from.wrapping_add(l) = -*b.wrapping_add(l));
            sums.spread(lines, block, rest, order, from);
        }
    }
}

/// # Safety
/// As for [`real_columns`].
unsafe fn real_rows<T: Number>(a: &Triangle<T>, b: *mut T) {
    let (lines, order) = (&a.lines, a.order());
    let sums = Sums { at: b.cast(), n: lines.count };
    let memory = Memory::<T>::new(lines.count + ROWS * ROWS);
    let [negative, square] = memory.split([lines.count, ROWS * ROWS]);
    // SAFETY: the caller's contract; the memory has as many elements.
    if unsafe {
        T::Real::run(&Substitution::<T, true> { lines, block: 0..lines.count, order, conjugates: false, b, negative })
    } {
        return;
    }
    for block in order.blocks(0..lines.count, ROWS) {
        let [solved, _] = a.sides(&block);
        // SAFETY: the caller's contract.
        unsafe {
            sums.collect(lines, block.clone(), solved, (order, false), negative);
            substitute_rows(a, block.clone(), b, (square, ROWS));
            block.for_each(|l| *negative.wrapping_add(l) = -*b.wrapping_add(l));
        }
    }
}

/// # Safety
/// As for [`real_columns`].
unsafe fn complex_columns<T: Number>(a: &Triangle<T>, b: *mut T) {
    let (lines, order) = (&a.lines, a.order());
    let memory = Memory::<T::Real>::new(Sums::<T>::reals(PIECE));
    for block in order.blocks(0..lines.count, BLOCK) {
        // SAFETY: the caller's contract.
        unsafe { substitute(lines, block.clone(), order, a.conjugates, b) }
        // The elements that some line of the block has.
        let all = lines.run(block.start).start..lines.run(block.end - 1).end;
        let [_, rest] = a.sides(&block);
        for piece in Order::Ascending.blocks(both(&rest, &all), PIECE) {
            let at = memory.split([0])[0].wrapping_sub(2 * piece.start);
            let (sums, y) = (Sums { at, n: PIECE }, Vector { first: b, n: lines.count, stride: 1 });
            // SAFETY: the caller's contract; the memory has the sums of a piece.
            unsafe {
                sums.clear(piece.clone());
                if !spread_in_vectors(sums, lines, block.clone(), piece.clone(), order, b) {
                    sums.spread(lines, block.clone(), piece.clone(), order, b);
                }
                sums.combine(piece, (minus_one::<T>(), a.conjugates), T::one(), y);
            }
        }
    }
}

/// # Safety
/// As for [`real_columns`].
unsafe fn complex_rows<T: Number>(a: &Triangle<T>, b: *mut T) {
    let (lines, order) = (&a.lines, a.order());
    let memory = Memory::<T::Real>::new(Sums::<T>::reals(BLOCK) + 2 * BLOCK * STRIDE);
    let [partial, square] = memory.split([Sums::<T>::reals(BLOCK), 2 * BLOCK * STRIDE]);
    let square = square.cast();
    let y = Vector { first: b, n: lines.count, stride: 1 };
    for block in order.blocks(0..lines.count, BLOCK) {
        let [solved, _] = a.sides(&block);
        let sums = Sums { at: partial.wrapping_sub(2 * block.start), n: BLOCK };
        for earlier in order.blocks(solved, BLOCK) {
            let has_terms = |l: &usize| !both(&lines.run(*l), &earlier).is_empty();
            let Some(first) = block.clone().find(has_terms) else { continue };
            let last = block.clone().rfind(has_terms).unwrap_or(first);
            // SAFETY: the caller's contract; the memory has the sums of a block.
            unsafe {
                sums.clear(block.clone());
                if !collect_in_vectors(sums, lines, block.clone(), earlier.clone(), order, b) {
                    sums.collect(lines, block.clone(), earlier.clone(), (order, false), b);
                }
                sums.combine(first..last + 1, (minus_one::<T>(), a.conjugates), T::one(), y);
            }
        }
        // SAFETY: the caller's contract.
        unsafe { substitute_rows(a, block, b, (square, STRIDE)) }
    }
}

/// Solves the square of `block` at the diagonal of op(A) in rows, as a copy of it in columns.
///
/// # Safety
/// As for [`real_columns`]; `to` has room for a column of the stride for each line, as long as whole vectors need.
unsafe fn substitute_rows<T: Number>(a: &Triangle<T>, block: Range<usize>, b: *mut T, (to, stride): (*mut T, usize)) {
    let (lines, first) = (&a.lines, block.start);
    // SAFETY: the caller's contract, throughout; the square holds the block.
    unsafe {
        if !T::Real::run(&Transposition { lines, block: block.clone(), to, stride }) {
            for l in block.clone() {
                // The diagonal is not part of the run if it is ones.
                for p in both(&lines.run(l), &block) {
                    *to.wrapping_add((p - first) * stride + l - first) = *lines.pointer(l, p);
                }
            }
        }
        let copy = lines.transposed_square(block.clone(), to, stride);
        substitute(&copy, 0..block.len(), a.order(), a.conjugates, b.wrapping_add(first));
    }
}

/// Solves the square of `block` at the diagonal of op(A) in columns: each element is divided by the
/// diagonal, then its column times it is subtracted from those that follow.
///
/// # Safety
/// As for [`real_columns`].
unsafe fn substitute<T: Number>(lines: &Lines<T>, block: Range<usize>, order: Order, conjugates: bool, b: *mut T) {
    // SAFETY: the caller's contract.
    if unsafe {
        T::Real::run(&Substitution::<T, false> { lines, block: block.clone(), order, conjugates, b, negative: b })
    } {
        return;
    }
    let signed = |a: T| if conjugates { a.conj() } else { a };
    for l in order.blocks(block.clone(), 1).map(|line| line.start) {
        let x = b.wrapping_add(l);
        let rest = if order == Order::Ascending { l + 1..block.end } else { block.start..l };
        let run = both(&lines.run(l), &rest);
        // SAFETY: the caller's contract, throughout.
        unsafe {
            if !lines.unit {
                *x = (*x).divided_by(signed(*lines.pointer(l, l)));
            }
            if run.is_empty() {
                continue;
            }
            let (from, to) = (lines.pointer(l, run.start).cast_const(), b.wrapping_add(run.start));
            if T::IS_COMPLEX {
                for i in 0..run.len() {
                    let to = to.wrapping_add(i);
                    *to = *to - signed(*from.wrapping_add(i)) * *x;
                }
            } else {
                let negative = -*x;
                T::Real::fuse(
                    [1, run.len(), 1],
                    ((&raw const negative).cast(), 0, 0),
                    (from.cast(), 0),
                    (to.cast(), 0),
                );
            }
        }
    }
}
