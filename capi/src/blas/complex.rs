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

use core::mem::MaybeUninit;
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

/// Maximum rows and columns of C that are computed together, and terms of copied operands.
const BLOCK: [usize; 3] = [96, 256, 2048];

/// Numbers of a buffer on the stack.
const SMALL: usize = 4096;

/// The left factor of a product.
pub(super) trait Factor<R: Real>: Copy {
    fn rows(self) -> usize;
    fn columns(self) -> usize;
    /// Whether the factor is the conjugate of its planes.
    fn is_conjugated(self) -> bool;
    /// The planes of these rows if they are in memory: real matrices whose row 2i holds the real parts
    /// of row i, and row 2i + 1 the imaginary ones.
    fn planes(self, rows: Range<usize>) -> Option<View<R>>;
    /// Writes the planes of a block.
    ///
    /// # Safety
    /// The elements are readable, `to` is writable.
    unsafe fn write_planes(self, rows: Range<usize>, columns: Range<usize>, to: View<R>);
}

impl<R: Real> Factor<R> for View<Complex<R>> {
    fn rows(self) -> usize {
        self.rows
    }

    fn columns(self) -> usize {
        self.columns
    }

    fn is_conjugated(self) -> bool {
        self.conjugated
    }

    fn planes(self, rows: Range<usize>) -> Option<View<R>> {
        let Strides { row, column } = self.strides;
        let block = self.block(rows, 0..self.columns);
        let planes = View::new(block.at.cast(), 2 * block.rows, block.columns, Strides { row: 1, column: 2 * column });
        (row == 1 || block.rows == 1).then_some(planes)
    }

    unsafe fn write_planes(self, rows: Range<usize>, columns: Range<usize>, to: View<R>) {
        // SAFETY: the caller's contract.
        unsafe { write_planes(self.block(rows, columns), false, to) }
    }
}

/// Writes the planes of a matrix, or of its conjugate if `negated` is set.
///
/// # Safety
/// The elements are readable, `to` is writable.
pub(super) unsafe fn write_planes<R: Real>(from: View<Complex<R>>, negated: bool, to: View<R>) {
    let write = |i: usize, p: usize| {
        // SAFETY: the caller's contract.
        unsafe {
            let Complex { re, im } = *from.pointer(i, p);
            *to.pointer(2 * i, p) = re;
            *to.pointer(2 * i + 1, p) = if negated { -im } else { im };
        }
    };
    if from.strides.row == 1 {
        (0..from.columns).for_each(|p| (0..from.rows).for_each(|i| write(i, p)));
    } else {
        (0..from.rows).for_each(|i| (0..from.columns).for_each(|p| write(i, p)));
    }
}

/// The planes of a right factor: column 2j holds the real parts of column j, and column 2j + 1 the
/// imaginary ones.
///
/// # Safety
/// The elements are readable; twice their number of reals is writable at `to`.
pub(super) unsafe fn right_planes<R: Real>(b: View<Complex<R>>, to: *mut R) -> View<R> {
    match b.transposed().planes(0..b.columns) {
        Some(planes) => planes.transposed(),
        None => {
            let planes = View::new(to, b.rows, 2 * b.columns, Strides::row_major(2 * b.columns));
            // SAFETY: the caller's contract.
            unsafe { write_planes(View { conjugated: false, ..b.transposed() }, false, planes.transposed()) }
            planes
        }
    }
}

/// Memory for `len` numbers: the given stack, or the heap.
pub(super) fn scratch<R: Real>(
    len: usize,
    stack: &mut MaybeUninit<[R; SMALL]>,
    heap: &mut Option<Memory<R>>,
) -> *mut R {
    match len <= SMALL {
        true => stack.as_mut_ptr().cast(),
        false => heap.insert(Memory::new(len)).split([len])[0],
    }
}

/// `C = alpha A B + beta C`.
///
/// # Safety
/// As for [`Number::product_alone`].
pub(super) unsafe fn product<R: Real, F: Factor<R>>(
    alpha: Complex<R>,
    a: F,
    b: View<Complex<R>>,
    beta: Complex<R>,
    c: View<Complex<R>>,
) {
    let (zero, one) = (R::zero(), R::one());
    let (m, n, k) = (c.rows, c.columns, if alpha == Complex::zero() { 0 } else { a.columns() });
    let [mb, nb, kb] = [m.min(BLOCK[0]), n.min(BLOCK[1]), k.min(BLOCK[2])];
    let (mut stack, mut heap) = (MaybeUninit::uninit(), None);
    let at: *mut R = scratch(2 * (mb * kb + kb * nb) + 4 * mb * nb, &mut stack, &mut heap);
    let (right, sums) = (at.wrapping_add(2 * mb * kb), at.wrapping_add(2 * (mb + nb) * kb));
    for j in blocks(0..n, nb) {
        // SAFETY: the caller's contract; the buffers hold the planes of a block, throughout.
        let whole = (k <= kb).then(|| unsafe { right_planes(b.block(0..k, j.clone()), right) });
        for i in blocks(0..m, mb) {
            let s = sums_of(c, 2 * i.len(), 2 * j.len(), sums);
            for p in blocks(0..k, kb) {
                unsafe {
                    let b = whole.unwrap_or_else(|| right_planes(b.block(p.clone(), j.clone()), right));
                    let a = a.planes(i.clone()).map_or_else(
                        || {
                            let planes = View::new(at, 2 * i.len(), p.len(), Strides::row_major(p.len()));
                            a.write_planes(i.clone(), p.clone(), planes);
                            planes
                        },
                        |planes| planes.block(0..planes.rows, p.clone()),
                    );
                    R::product_alone(one, a, b, if p.start == 0 { zero } else { one }, s);
                }
            }
            let conjugated = (a.is_conjugated(), b.conjugated);
            // SAFETY: the sums were written if there are terms.
            unsafe { combine((k > 0).then_some(s), conjugated, alpha, beta, c.block(i, j.clone())) }
        }
    }
}

/// The range in steps of `step`.
pub(super) fn blocks(range: Range<usize>, step: usize) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(step.max(1)).map(move |begin| begin..range.end.min(begin + step))
}

/// A matrix of sums for a block of C, contiguous as C is.
pub(super) fn sums_of<R: Real>(c: View<Complex<R>>, rows: usize, columns: usize, at: *mut R) -> View<R> {
    let strides = match c.strides.row == 1 {
        true => Strides::column_major(rows),
        false => Strides::row_major(columns),
    };
    View::new(at, rows, columns, strides)
}

/// `c = alpha s + beta c` from the four chains; without them, `c = beta c`.
///
/// # Safety
/// C is writable, and readable unless beta is 0; the sums are readable, with the layout of
/// [`sums_of`].
pub(super) unsafe fn combine<R: Real>(
    sums: Option<View<R>>,
    (a_conjugated, b_conjugated): (bool, bool),
    alpha: Complex<R>,
    beta: Complex<R>,
    c: View<Complex<R>>,
) {
    let sign = |negative: bool| if negative { -R::one() } else { R::one() };
    let (of_a, of_b) = (sign(a_conjugated), sign(b_conjugated));
    let product_sign = sign(a_conjugated == b_conjugated);
    // Lines of C are contiguous if any are; those of the sums are.
    let (c, sums, signs) = match c.strides.row == 1 {
        true => (c.transposed(), sums.map(View::transposed), [product_sign, of_a, of_b]),
        false => (c, sums, [product_sign, of_b, of_a]),
    };
    for i in 0..c.rows {
        let to = (c.pointer(i, 0), c.strides.column, c.columns);
        // SAFETY: the caller's contract.
        unsafe {
            match sums {
                None if beta == Complex::zero() => each(to, |_, _| Complex::zero()),
                None if beta == Complex::one() => (),
                None => each(to, |_, x| beta * *x),
                Some(sums) => combine_line([0, 1].map(|part| sums.pointer(2 * i + part, 0)), signs, alpha, beta, to),
            }
        }
    }
}

/// Replaces the elements of a line by `value` of their index and their place.
#[inline(always)]
unsafe fn each<R: Real>(
    (at, step, n): (*mut Complex<R>, isize, usize),
    value: impl Fn(usize, *const Complex<R>) -> Complex<R>,
) {
    // A constant step lets the compiler vectorise.
    if step == 1 {
        for j in 0..n {
            let to = at.wrapping_add(j);
            // SAFETY: the caller's contract.
            unsafe { *to = value(j, to) }
        }
    } else {
        for j in 0..n {
            let to = at.wrapping_offset(j as isize * step);
            // SAFETY: the caller's contract.
            unsafe { *to = value(j, to) }
        }
    }
}

/// `c = alpha s + beta c` for a line of C, from two lines of sums and the signs of the products of
/// imaginary parts, and of the first and of the second line's other sums.
///
/// # Safety
/// As for [`combine`].
#[inline(always)]
unsafe fn combine_line<R: Real>(
    [x, y]: [*mut R; 2],
    [minus, first, second]: [R; 3],
    alpha: Complex<R>,
    beta: Complex<R>,
    to: (*mut Complex<R>, isize, usize),
) {
    // SAFETY: the caller's contract, throughout. A sign changes no bit of a magnitude.
    let sum = |j: usize| unsafe {
        let at = |line: *mut R, part: usize| *line.wrapping_add(2 * j + part);
        Complex { re: at(x, 0) + minus * at(y, 1), im: first * at(x, 1) + second * at(y, 0) }
    };
    let (zero, one) = (Complex::zero(), Complex::one());
    unsafe {
        match (alpha == one, beta == zero, beta == one) {
            (true, true, _) => each(to, |j, _| sum(j)),
            (true, _, true) => each(to, |j, c| sum(j) + *c),
            (true, ..) => each(to, |j, c| sum(j) + beta * *c),
            (_, true, _) => each(to, |j, _| alpha * sum(j)),
            (.., true) => each(to, |j, c| alpha * sum(j) + *c),
            _ => each(to, |j, c| alpha * sum(j) + beta * *c),
        }
    }
}
