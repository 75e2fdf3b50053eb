//! One triangle of a product.

use core::mem::MaybeUninit;

use super::super::number::Number;
use super::super::simd;
use super::super::threads::Product;
use super::super::view::View;
use super::packed::{self, Part};
use super::source::Joined;
use hotloops::matmul::Strides;

/// Maximum number of rows of a block on the diagonal: of packed operands, or computed whole in a buffer.
const DIAGONAL: usize = 256;
const SQUARE: usize = 32;
/// Maximum number of rows for which packing does not pay.
const FEW: usize = 8;

/// The triangle of `C = alpha A B + beta C`, with the bits of the whole product: halves of C, down to
/// blocks on the diagonal, with a rectangle beside each two. The other triangle is neither read nor
/// written.
///
/// # Safety
/// The elements of A, B and the triangle of C are readable, those of the triangle are writable and
/// overlap no other. The shapes match; C is square and not conjugated.
pub(in super::super) unsafe fn product<T: Number>(alpha: T, a: View<T>, b: View<T>, beta: T, c: View<T>, lower: bool) {
    let (n, k) = (c.rows, a.columns);
    if n == 0 || (alpha == T::zero() || k == 0) && beta == T::one() {
        return;
    }
    // SAFETY: the caller's contract, throughout.
    unsafe {
        let is_packed = is_packed(c);
        if is_packed && n <= DIAGONAL {
            return packed::product_alone(alpha, a, b.transposed(), beta, c, part(lower));
        }
        if n <= SQUARE {
            return diagonal(alpha, a, b, beta, c, lower);
        }
        let middle = (n / 2).next_multiple_of(if is_packed { DIAGONAL } else { SQUARE });
        let (first, second) = (0..middle, middle..n);
        let (a0, a1) = (a.block(first.clone(), 0..k), a.block(second.clone(), 0..k));
        let (b0, b1) = (b.block(0..k, first.clone()), b.block(0..k, second.clone()));
        product(alpha, a0, b0, beta, c.block(first.clone(), first.clone()), lower);
        match lower {
            true => T::product(alpha, a1, b0, beta, c.block(second.clone(), first)),
            false => T::product(alpha, a0, b1, beta, c.block(first, second.clone())),
        }
        product(alpha, a1, b1, beta, c.block(second.clone(), second), lower);
    }
}

fn is_packed<T: Number>(c: View<T>) -> bool {
    c.rows > FEW && (c.strides.row == 1 || c.strides.column == 1) && simd::vectors().is_some()
}

fn part(lower: bool) -> Part {
    if lower { Part::Lower } else { Part::Upper }
}

/// The triangle of `C = alpha A B^T + beta C`, then of `C + alpha B A^T`.
///
/// # Safety
/// As for [`product`].
pub(super) unsafe fn both_products<T: Number>(alpha: T, a: View<T>, b: View<T>, beta: T, c: View<T>, lower: bool) {
    let is_small = (1..=DIAGONAL).contains(&c.rows) && a.columns > 0 && alpha != T::zero();
    // SAFETY: the caller's contract.
    unsafe {
        if is_small && !T::IS_COMPLEX && is_packed(c) {
            // The terms of the second product follow those of the first one.
            return packed::product_alone(alpha, Joined(a, b), Joined(b, a), beta, c, part(lower));
        }
        product(alpha, a, b.transposed(), beta, c, lower);
        product(alpha, b, a.transposed(), T::one(), c, lower);
    }
}

/// A block on the diagonal.
///
/// # Safety
/// As for [`product`]; there are at most [`SQUARE`] rows.
unsafe fn diagonal<T: Number>(alpha: T, a: View<T>, b: View<T>, beta: T, c: View<T>, lower: bool) {
    let n = c.rows;
    let mut square = MaybeUninit::<[T; SQUARE * SQUARE]>::uninit();
    let strides = if c.strides.row == 1 { Strides::column_major(n) } else { Strides::row_major(n) };
    let square: View<T> = View::new(square.as_mut_ptr().cast(), n, n, strides);
    let inside = || (0..n).flat_map(|i| if lower { 0..i + 1 } else { i..n }.map(move |j| (i, j)));
    // SAFETY: the caller's contract; the square has room for the block.
    unsafe {
        if beta != T::zero() {
            for i in 0..n * n {
                square.at.add(i).write(T::zero());
            }
            inside().for_each(|(i, j)| *square.pointer(i, j) = *c.pointer(i, j));
        }
        T::product_alone(alpha, a, b, beta, square);
        inside().for_each(|(i, j)| *c.pointer(i, j) = *square.pointer(i, j));
    }
}
