//! `P A = L U` with partial pivoting.

use core::mem::MaybeUninit;

use super::super::export::prelude::*;
use super::super::flags::COLUMN_MAJOR;
use super::super::level1::largest;
use super::super::level3::leaf::{PADDING, Scale, Step};
use super::super::level3::{Diagonal, Structured, Triangular, scaled, substitute};
use super::super::report::{Illegal, check};
use super::super::simd::{Vectors, vectors};
use super::super::threads::Product;
use super::super::view::View;
use hotloops::matmul::Strides;

macro_rules! names {
    ($($name:literal $type:ident)+) => {$(
        fortran_routine! {
            $name, $type: getrf::<$type>, (m: Int, n: Int, a: *mut T, lda: Int, pivots: *mut Int, info: *mut Int)
        }
    )+};
}
names! { "sgetrf" f32 "dgetrf" f64 "sgetrf2" f32 "dgetrf2" f64 }

/// Columns that are factored one by one.
const PANEL: usize = 8;

/// # Safety
/// `a` points to a matrix in columns, `pivots` to as many integers as it has rows or columns, whichever
/// are fewer; all are writable, and so is `info`.
unsafe fn getrf<T: Real + Structured>(
    m: Int,
    n: Int,
    a: *mut T,
    lda: Int,
    pivots: *mut Int,
    info: *mut Int,
) -> Result<(), Illegal> {
    let checks = [(2, 2, m < 0, c"m"), (3, 3, n < 0, c"n"), (5, 5, lda < m.max(1), c"lda")];
    // SAFETY: the caller's contract.
    check(COLUMN_MAJOR, checks).inspect_err(|illegal| unsafe { *info = illegal.of_lapack() })?;
    let a = View::new(a, m as usize, n as usize, Strides::column_major(lda as usize));
    // SAFETY: the caller's contract.
    unsafe { super::put(info, factor(a, pivots)) };
    Ok(())
}

/// Factors by halves of the columns. Returns the number of the first pivot that is 0, or 0.
///
/// # Safety
/// As for [`getrf`].
unsafe fn factor<T: Real + Structured>(a: View<T>, pivots: *mut Int) -> usize {
    let (m, n, least) = (a.rows, a.columns, a.rows.min(a.columns));
    if least == 0 {
        return 0;
    }
    // SAFETY: the caller's contract; the blocks are disjoint.
    unsafe {
        if n > 1
            && n * (m + PADDING) <= LENGTH
            && let Some(vectors) = vectors()
        {
            return small(vectors, a, pivots);
        }
        if n <= PANEL {
            return panel(a, pivots);
        }
        let middle = match least / 2 {
            0..=PANEL => (least / 2).max(1),
            half @ ..64 => half.next_multiple_of(PANEL),
            half => half.next_multiple_of(64).min(least),
        };
        let (first, second) = (0..middle, middle..n);
        let mut zero = factor(a.block(0..m, first.clone()), pivots);
        exchange(a.block(0..m, second.clone()), pivots, 0..middle);
        let (right, below) = (a.block(first.clone(), second.clone()), a.block(middle..m, first.clone()));
        let triangle = a.block(first.clone(), first.clone());
        substitute(Triangular { view: triangle, lower: true, diagonal: Diagonal::Ones }, right);
        let rest = a.block(middle..m, second);
        scaled::product(-T::one(), below, right, T::one(), rest);
        let next = factor(rest, pivots.add(middle));
        if zero == 0 && next > 0 {
            zero = next + middle;
        }
        for pivot in middle..least {
            *pivots.add(pivot) += middle as Int;
        }
        exchange(a.block(0..m, first), pivots, middle..least);
        zero
    }
}

/// Elements of the buffer of [`small`].
const LENGTH: usize = 5 << 10;

/// Factors a matrix in a buffer, in vectors.
///
/// # Safety
/// As for [`getrf`]. The padded matrix has at most [`LENGTH`] elements.
unsafe fn small<T: Real>(vectors: Vectors, a: View<T>, pivots: *mut Int) -> usize {
    let (m, n, stride, mut zero) = (a.rows, a.columns, a.rows + PADDING, 0);
    let mut buffer = MaybeUninit::<[T; LENGTH]>::uninit();
    let buffer: View<T> = View::new(buffer.as_mut_ptr().cast(), m, n, Strides::column_major(stride));
    // SAFETY: the caller's contract; the buffer has room for the padded columns.
    unsafe {
        for j in 0..n {
            a.pointer(0, j).copy_to_nonoverlapping(buffer.pointer(0, j), m);
            buffer.pointer(m, j).write_bytes(0, PADDING);
        }
        for j in 0..m.min(n) {
            let at = buffer.pointer(j, j);
            let pivot = j + largest(m - j, at);
            *pivots.add(j) = pivot as Int + 1;
            let value = *buffer.pointer(pivot, j);
            let scale = if value == T::zero() { Scale::None } else { scale(value) };
            if value == T::zero() && zero == 0 {
                zero = j + 1;
            }
            if value != T::zero() && pivot != j {
                (0..n).for_each(|k| buffer.pointer(j, k).swap(buffer.pointer(pivot, k)));
            }
            let step = Step { at, stride, rows: m - j, columns: n - j, scale, symmetric: false };
            T::run_in(vectors, &step);
        }
        for j in 0..n {
            buffer.pointer(0, j).copy_to_nonoverlapping(a.pointer(0, j), m);
        }
    }
    zero
}

/// At most [`PANEL`] columns.
///
/// # Safety
/// As for [`getrf`].
unsafe fn panel<T: Real>(a: View<T>, pivots: *mut Int) -> usize {
    let (m, n, mut zero) = (a.rows, a.columns, 0);
    // SAFETY: the caller's contract.
    unsafe {
        for j in 0..m.min(n) {
            let column = a.pointer(j, j);
            let pivot = j + largest(m - j, column);
            *pivots.add(j) = pivot as Int + 1;
            let value = *a.pointer(pivot, j);
            if value != T::zero() {
                if pivot != j {
                    (0..n).for_each(|k| a.pointer(j, k).swap(a.pointer(pivot, k)));
                }
                divide(column.add(1), m - j - 1, value);
            } else if zero == 0 {
                zero = j + 1;
            }
            let (rows, columns) = (j + 1..m, j + 1..n);
            let (left, right) = (a.block(rows.clone(), j..j + 1), a.block(j..j + 1, columns.clone()));
            T::product(-T::one(), left, right, T::one(), a.block(rows, columns));
        }
    }
    zero
}

/// How a column is divided by its pivot: netlib multiplies by its inverse, unless this overflows.
fn scale<T: Real>(pivot: T) -> Scale<T> {
    let safe = if size_of::<T>() == 4 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    match pivot.magnitude() >= T::from_f64(safe) {
        true => Scale::Product(T::one().quotient(pivot)),
        false => Scale::Quotient(pivot),
    }
}

/// Divides by a pivot.
///
/// # Safety
/// `x` points to `n` writable elements.
unsafe fn divide<T: Real>(x: *mut T, n: usize, pivot: T) {
    // SAFETY: the caller's contract.
    let x = unsafe { core::slice::from_raw_parts_mut(x, n) };
    match scale(pivot) {
        Scale::None => (),
        Scale::Product(inverse) => x.iter_mut().for_each(|x| *x = inverse * *x),
        Scale::Quotient(pivot) => x.iter_mut().for_each(|x| *x = x.quotient(pivot)),
    }
}

/// Exchanges rows as the pivots of `range` say.
///
/// # Safety
/// The elements are writable; the pivots are rows of the matrix, counted from 1.
unsafe fn exchange<T: Real>(a: View<T>, pivots: *const Int, range: core::ops::Range<usize>) {
    for j in 0..a.columns {
        for i in range.clone() {
            // SAFETY: the caller's contract.
            unsafe {
                let pivot = *pivots.add(i) as usize - 1;
                if pivot != i {
                    a.pointer(i, j).swap(a.pointer(pivot, j));
                }
            }
        }
    }
}
