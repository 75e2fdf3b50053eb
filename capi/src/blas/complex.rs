//! Products of complex matrices by products of real ones.
//!
//! An element of C is four chains of fused multiply-adds over ascending k, each from +0:
//!
//! ```text
//! s.re = sum a.re b.re - sum a.im b.im         s.im = sum a.re b.im + sum a.im b.re
//! c = alpha s + beta c                         (beta c is not read if beta is 0)
//! ```
//!
//! The difference and the sum are rounded, and so is each operation of the last line; an alpha of 1
//! and a beta of 1 or 0 leave their factor as it is. A conjugate changes the signs of its terms:
//! `A A^H` is Hermitian, and `(A B)^T` equals `B^T A^T`, bit for bit.

use core::ops::Range;

use super::memory::Memory;
use super::number::{Complex, Number, Real};
use super::view::View;
use hotloops::matmul::Strides;

impl<R: Real> Number for Complex<R> {
    type Real = R;
    const IS_COMPLEX: bool = true;

    #[inline(always)]
    fn zero() -> Self {
        Complex { re: R::zero(), im: R::zero() }
    }

    #[inline(always)]
    fn one() -> Self {
        Complex { re: R::one(), im: R::zero() }
    }

    #[inline(always)]
    fn from_real(re: R) -> Self {
        Complex { re, im: R::zero() }
    }

    #[inline(always)]
    fn re(self) -> R {
        self.re
    }

    #[inline(always)]
    fn im(self) -> R {
        self.im
    }

    #[inline(always)]
    fn conj(self) -> Self {
        Complex { re: self.re, im: -self.im }
    }

    #[inline]
    fn divided_by(self, by: Self) -> Self {
        if by.re.magnitude() >= by.im.magnitude() {
            let ratio = by.im.quotient(by.re);
            let divisor = by.re + by.im * ratio;
            Complex {
                re: (self.re + self.im * ratio).quotient(divisor),
                im: (self.im - self.re * ratio).quotient(divisor),
            }
        } else {
            let ratio = by.re.quotient(by.im);
            let divisor = by.im + by.re * ratio;
            Complex {
                re: (self.re * ratio + self.im).quotient(divisor),
                im: (self.im * ratio - self.re).quotient(divisor),
            }
        }
    }

    #[inline]
    unsafe fn product_alone(alpha: Self, a: View<Self>, b: View<Self>, beta: Self, c: View<Self>) {
        // SAFETY: the caller's contract.
        unsafe { product(alpha, a, b, beta, c) }
    }
}

/// Rows and columns of C that are computed together, and their terms.
const BLOCK: [usize; 3] = [64, 64, 256];

/// `C = alpha A B + beta C`.
///
/// # Safety
/// As for [`Number::product_alone`].
pub(super) unsafe fn product<R: Real>(
    alpha: Complex<R>,
    a: View<Complex<R>>,
    b: View<Complex<R>>,
    beta: Complex<R>,
    c: View<Complex<R>>,
) {
    let (zero, one) = (R::zero(), R::one());
    let (m, n, k) = (c.rows, c.columns, if alpha == Complex::zero() { 0 } else { a.columns });
    let [mb, nb, kb] = [m.min(BLOCK[0]), n.min(BLOCK[1]), k.min(BLOCK[2])];
    let memory = Memory::<R>::new(2 * (mb * kb + kb * nb) + 4 * mb * nb);
    let [left, right, sums] = memory.split([2 * mb * kb, 2 * kb * nb, 4 * mb * nb]);
    for j in blocks(0..n, nb) {
        for i in blocks(0..m, mb) {
            let (rows, columns) = (i.len(), j.len());
            let s = View::new(sums, 2 * rows, 2 * columns, Strides::row_major(2 * nb));
            for p in blocks(0..k, kb) {
                // SAFETY: the caller's contract; the buffers hold the planes of a block.
                unsafe {
                    // Rows of A and columns of B: first the real parts, then the imaginary ones.
                    let a = planes(a.block(i.clone(), p.clone()), left);
                    let b = planes(b.block(p.clone(), j.clone()).transposed(), right).transposed();
                    R::product_alone(one, a, b, if p.start == 0 { zero } else { one }, s);
                }
            }
            // SAFETY: the caller's contract; the sums were written if there are terms.
            unsafe {
                combine(k, alpha, (s, a.conjugated, b.conjugated), beta, c.block(i, j.clone()));
            }
        }
    }
}

/// The range in steps of `step`.
fn blocks(range: Range<usize>, step: usize) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(step.max(1)).map(move |begin| begin..range.end.min(begin + step))
}

/// The parts of a matrix in memory, without conjugation: its real rows, then its imaginary ones.
///
/// # Safety
/// The elements are readable, and twice their number of reals is writable at `to`.
unsafe fn planes<R: Real>(from: View<Complex<R>>, to: *mut R) -> View<R> {
    let planes = View::new(to, 2 * from.rows, from.columns, Strides::row_major(from.columns));
    for i in 0..from.rows {
        for p in 0..from.columns {
            // SAFETY: the caller's contract.
            unsafe {
                let element = *from.pointer(i, p);
                *planes.pointer(i, p) = element.re;
                *planes.pointer(from.rows + i, p) = element.im;
            }
        }
    }
    planes
}

/// `c = alpha s + beta c` from the four chains.
///
/// # Safety
/// C is writable, and readable unless beta is 0; the sums are readable if `k` is not 0.
unsafe fn combine<R: Real>(
    k: usize,
    alpha: Complex<R>,
    (sums, a_conjugated, b_conjugated): (View<R>, bool, bool),
    beta: Complex<R>,
    c: View<Complex<R>>,
) {
    let signed = |x: R, negative: bool| if negative { -x } else { x };
    for i in 0..c.rows {
        for j in 0..c.columns {
            // SAFETY: the caller's contract.
            unsafe {
                let sum = |a, b| *sums.pointer(i + a * c.rows, j + b * c.columns);
                let to = c.pointer(i, j);
                let s = (k > 0).then(|| {
                    let s = Complex {
                        re: sum(0, 0) - signed(sum(1, 1), a_conjugated != b_conjugated),
                        im: signed(sum(0, 1), b_conjugated) + signed(sum(1, 0), a_conjugated),
                    };
                    if alpha == Complex::one() { s } else { alpha * s }
                });
                *to = match (s, beta == Complex::zero(), beta == Complex::one()) {
                    (s, true, _) => s.unwrap_or(Complex::zero()),
                    (None, _, true) => *to,
                    (None, ..) => beta * *to,
                    (Some(s), _, true) => s + *to,
                    (Some(s), ..) => s + beta * *to,
                };
            }
        }
    }
}
