//! Triangular systems with several right sides.

use super::super::complex::blocks;
use super::super::simd::vectors;
use super::super::view::View;
use super::leaf;
use super::scaled;
use super::split::Part;
use super::structured::Structured;
use super::triangular_view::{Diagonal, Triangular};

/// Unknowns of a leaf, and between two updates of a complex system.
const BLOCK: usize = 64;

/// Solves `A X = alpha B` for X in place of B.
///
/// # Safety
/// The triangle of A is readable; B is writable and does not overlap it. The shapes match.
pub(super) unsafe fn in_place<T: Structured>(alpha: T, a: Triangular<T>, b: View<T>) {
    // SAFETY: the caller's contract.
    unsafe {
        leaf::scale(vectors(), alpha, b, Part::Whole, 0);
        if alpha != T::zero() {
            substitute(a, b);
        }
    }
}

/// Solves `A X = B`. Upper triangles, whose substitution descends, are reversed.
///
/// # Safety
/// As for [`in_place`].
pub(in super::super) unsafe fn substitute<T: Structured>(a: Triangular<T>, b: View<T>) {
    let (a, b) = match a.lower {
        true => (a, b),
        false => (Triangular { view: a.view.reversed(), lower: true, ..a }, b.reversed_rows()),
    };
    // SAFETY: the caller's contract.
    unsafe {
        match T::IS_COMPLEX {
            false => halves(a, b),
            true => in_blocks(a, b),
        }
    }
}

/// Real systems: the first half, then the second with the products of the first subtracted, which is
/// the plain loop's chain for each element, whatever the halves.
unsafe fn halves<T: Structured>(a: Triangular<T>, b: View<T>) {
    let m = b.rows;
    // SAFETY: the caller's contract.
    unsafe {
        if m <= 1 {
            if m == 1 && a.diagonal == Diagonal::Stored {
                let by = *a.view.at;
                (0..b.columns).for_each(|j| *b.pointer(0, j) = (*b.pointer(0, j)).divided_by(by));
            }
            return;
        }
        if m <= BLOCK && T::solve_leaf(a, b) {
            return;
        }
        let middle = if m > BLOCK { (m / 2).next_multiple_of(BLOCK) } else { m / 2 };
        let (first, second) = (0..middle, middle..m);
        let [b0, b1] = [&first, &second].map(|rows| b.block(rows.clone(), 0..b.columns));
        halves(a.block(first.clone()), b0);
        subtract(a.view.block(second.clone(), first), b0, b1);
        halves(a.block(second), b1);
    }
}

/// Complex systems: blocks of [`BLOCK`] unknowns, each subtracted from the rest by one product.
unsafe fn in_blocks<T: Structured>(a: Triangular<T>, b: View<T>) {
    let m = b.rows;
    for i in blocks(0..m, BLOCK) {
        let rest = i.end..m;
        // SAFETY: the caller's contract.
        unsafe {
            let x = b.block(i.clone(), 0..b.columns);
            if !T::solve_leaf(a.block(i.clone()), x) {
                plain(a.block(i.clone()), x);
            }
            if !rest.is_empty() {
                let a = a.view.block(rest.clone(), i);
                subtract(a, x, b.block(rest, 0..b.columns));
            }
        }
    }
}

/// `B = B - A X`. The rows of A and B go up in memory, also in a reversed system.
///
/// # Safety
/// As for [`Product::product`](super::super::threads::Product::product).
unsafe fn subtract<T: Structured>(a: View<T>, x: View<T>, b: View<T>) {
    let (a, b) = if b.strides.row < 0 { (a.reversed_rows(), b.reversed_rows()) } else { (a, b) };
    // SAFETY: the caller's contract.
    unsafe { scaled::product(-T::one(), a, x, T::one(), b) }
}

/// The plain loop: each operation is rounded.
unsafe fn plain<T: Structured>(a: Triangular<T>, b: View<T>) {
    for j in 0..b.columns {
        for i in 0..b.rows {
            // SAFETY: the caller's contract.
            unsafe {
                let mut x = *b.pointer(i, j);
                for p in 0..i {
                    x = x - a.view.get(i, p) * *b.pointer(p, j);
                }
                *b.pointer(i, j) = if a.diagonal == Diagonal::Stored { x.divided_by(a.view.get(i, i)) } else { x };
            }
        }
    }
}
