//! Sums, scaled copies and transpositions of general matrices.

use super::super::complex::blocks;
use super::super::export::prelude::*;
use super::super::flags::{COLUMN_MAJOR, CONJ_NO_TRANS, CONJ_TRANS, Layout, Mapping, NO_TRANS, min_stride, operand};
use super::super::memory::Memory;
use super::super::report::{Illegal, check};
use super::super::view::View;
use hotloops::matmul::Strides;

routines! { all:
    geadd[layout](m: Int, n: Int, alpha: T, a: *const T, lda: Int, beta: T, c: *mut T, ldc: Int);
}

/// The layout is an argument in Fortran too, so that positions are the same in both languages. The
/// handler of Fortran does not count a layout: its positions are one less than what it is given.
macro_rules! copies {
    ($($letter:literal $type:ty),+) => {$(
        c_routine! {
            concat!($letter, "omatcopy"), $type: omatcopy::<$type, 0>,
            (
                layout: Layout, trans: Mapping, rows: Int, columns: Int, alpha: T, a: *const T, lda: Int, b: *mut T,
                ldb: Int
            )
        }
        fortran_routine! {
            concat!($letter, "omatcopy"), $type: omatcopy::<$type, 1>,
            (
                layout: Layout, trans: Mapping, rows: Int, columns: Int, alpha: T, a: *const T, lda: Int, b: *mut T,
                ldb: Int
            )
        }
        c_routine! {
            concat!($letter, "imatcopy"), $type: imatcopy::<$type, 0>,
            (layout: Layout, trans: Mapping, rows: Int, columns: Int, alpha: T, a: *mut T, lda: Int, ldb: Int)
        }
        fortran_routine! {
            concat!($letter, "imatcopy"), $type: imatcopy::<$type, 1>,
            (layout: Layout, trans: Mapping, rows: Int, columns: Int, alpha: T, a: *mut T, lda: Int, ldb: Int)
        }
    )+};
}
copies! { "s" f32, "d" f64, "c" Complex<f32>, "z" Complex<f64> }

/// # Safety
/// The pointers point to matrices of these sizes and strides; C is writable and does not overlap A.
unsafe fn geadd<T: Number>(
    layout: Int,
    m: Int,
    n: Int,
    alpha: T,
    a: *const T,
    lda: Int,
    beta: T,
    c: *mut T,
    ldc: Int,
) -> Result<(), Illegal> {
    let short = |stride: Int| stride < min_stride(layout, Trans(NO_TRANS), m, n);
    check(layout, [(2, 3, m < 0, c"m"), (3, 2, n < 0, c"n"), (6, 6, short(lda), c"lda"), (9, 9, short(ldc), c"ldc")])?;
    let [m, n] = [m, n].map(|size| size as usize);
    let a = operand(layout, Trans(NO_TRANS), a, m, n, lda);
    let c = operand(layout, Trans(NO_TRANS), c, m, n, ldc);
    let (zero, is_one) = (T::zero(), beta == T::one());
    // SAFETY: the caller's contract.
    unsafe {
        match (alpha == zero, beta == zero) {
            (true, true) => map(c, c, |to, _| *to = zero),
            (true, _) if is_one => (),
            (true, _) => map(c, c, |to, _| *to = beta * *to),
            (_, true) => map(a, c, |to, x| *to = alpha * *x),
            (..) if is_one => map(a, c, |to, x| *to = alpha * *x + *to),
            _ => map(a, c, |to, x| *to = alpha * *x + beta * *to),
        }
    }
    Ok(())
}

/// Calls `step` with pointers to the elements of `to` and of `from`, in blocks that stay in the cache if
/// the contiguous lines of the two have different directions.
#[inline(always)]
fn map<T: Copy>(from: View<T>, to: View<T>, step: impl Fn(*mut T, *const T)) {
    /// Rows and columns of a block.
    const SIDE: usize = 16;
    if to.is_empty() {
        return;
    }
    let (from, to) = if to.strides.row == 1 { (from.transposed(), to.transposed()) } else { (from, to) };
    if from.strides.column == 1 && to.strides.column == 1 {
        for i in 0..to.rows {
            let (from, line) = (from.pointer(i, 0), to.pointer(i, 0));
            (0..to.columns).for_each(|j| step(line.wrapping_add(j), from.wrapping_add(j)));
        }
        return;
    }
    for i in blocks(0..to.rows, SIDE) {
        for j in blocks(0..to.columns, SIDE) {
            for i in i.clone() {
                j.clone().for_each(|j| step(to.pointer(i, j), from.pointer(i, j)));
            }
        }
    }
}

/// op(A) for a mapping.
fn mapped<T: Number>(layout: Layout, mapping: Mapping, a: *const T, rows: Int, columns: Int, stride: Int) -> View<T> {
    let [rows, columns] = [rows, columns].map(|size| size as usize);
    let view = operand(layout.0, Trans(NO_TRANS), a, rows, columns, stride);
    let view = if mapping.transposes() { view.transposed() } else { view };
    if T::IS_COMPLEX && [CONJ_TRANS, CONJ_NO_TRANS].contains(&mapping.0) { view.conjugated() } else { view }
}

/// `ldb_at` is the position of `ldb`; `more` is added to all positions.
fn check_copy(
    layout: Layout,
    mapping: Mapping,
    [rows, columns]: [Int; 2],
    (lda, ldb): (Int, Int),
    ldb_at: Int,
    more: Int,
) -> Result<(), Illegal> {
    let (b_rows, b_columns) = if mapping.transposes() { (columns, rows) } else { (rows, columns) };
    let short = |stride: Int, rows: Int, columns: Int| stride < min_stride(layout.0, Trans(NO_TRANS), rows, columns);
    let all = [
        (1, !layout.is_legal(), c"layout"),
        (2, !mapping.is_legal(), c"trans"),
        (3, rows < 0, c"rows"),
        (4, columns < 0, c"cols"),
        (7, short(lda, rows, columns), c"lda"),
        (ldb_at, short(ldb, b_rows, b_columns), c"ldb"),
    ];
    check(COLUMN_MAJOR, all.map(|(at, is_illegal, name)| (at + more, at + more, is_illegal, name)))
}

/// `to = alpha from`.
///
/// # Safety
/// `from` is readable unless alpha is 0, `to` is writable and does not overlap it, or is the same
/// matrix.
unsafe fn copy<T: Number>(alpha: T, from: View<T>, to: View<T>) {
    // SAFETY: the caller's contract.
    unsafe {
        match (alpha == T::zero(), alpha == T::one(), from.conjugated) {
            (true, ..) => map(to, to, |to, _| *to = T::zero()),
            (_, true, false) => map(from, to, |to, x| *to = *x),
            (_, true, true) => map(from, to, |to, x| *to = (*x).conj()),
            (.., false) => map(from, to, |to, x| *to = alpha * *x),
            (.., true) => map(from, to, |to, x| *to = alpha * (*x).conj()),
        }
    }
}

/// # Safety
/// The pointers point to matrices of these sizes and strides; B is writable and does not overlap A.
unsafe fn omatcopy<T: Number, const MORE: Int>(
    layout: Layout,
    mapping: Mapping,
    rows: Int,
    columns: Int,
    alpha: T,
    a: *const T,
    lda: Int,
    b: *mut T,
    ldb: Int,
) -> Result<(), Illegal> {
    check_copy(layout, mapping, [rows, columns], (lda, ldb), 9, MORE)?;
    let from = mapped(layout, mapping, a, rows, columns, lda);
    let strides = operand(layout.0, Trans(NO_TRANS), b, 0, 0, ldb).strides;
    // SAFETY: the caller's contract.
    unsafe { copy(alpha, from, View { at: b, strides, conjugated: false, ..from }) }
    Ok(())
}

/// # Safety
/// The pointer points to memory for A and for op(A), with their strides.
unsafe fn imatcopy<T: Number, const MORE: Int>(
    layout: Layout,
    mapping: Mapping,
    rows: Int,
    columns: Int,
    alpha: T,
    a: *mut T,
    lda: Int,
    ldb: Int,
) -> Result<(), Illegal> {
    check_copy(layout, mapping, [rows, columns], (lda, ldb), 8, MORE)?;
    let from = mapped(layout, mapping, a, rows, columns, lda);
    let strides = operand(layout.0, Trans(NO_TRANS), a, 0, 0, ldb).strides;
    let to = View { at: a, strides, conjugated: false, ..from };
    // SAFETY: the caller's contract.
    unsafe {
        if from.strides == to.strides || alpha == T::zero() {
            copy(alpha, from, to);
        } else {
            let memory = Memory::<T>::new(from.rows * from.columns);
            let between = View { at: memory.split([0])[0], strides: Strides::row_major(from.columns), ..to };
            copy(alpha, from, between);
            copy(T::one(), between, to);
        }
    }
    Ok(())
}
