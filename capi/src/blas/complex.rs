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

use super::level3::leaf::{Line, combine as leaf_combine};
use super::level3::packed::{self, Part};
use super::memory::Memory;
use super::number::{Complex, Number, Real};
use super::simd::vectors;
use super::view::View;
use hotloops::matmul::{Options, PackedB, Strides, gemm_packed};

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
        unsafe { product(alpha, a, b.transposed(), beta, c) }
    }
}

/// Maximum rows and columns of C that are computed together, and terms of copied operands.
const BLOCK: [usize; 3] = [96, 192, 2048];

/// Rows, columns and terms from which operands are packed.
const LARGE: [usize; 2] = [8, 4];

/// The length of a buffer on the stack.
const SMALL: usize = 4096;

/// The planes of a factor of a product if they are in memory: a real matrix whose row 2i holds the real parts of
/// row i, and row 2i + 1 the imaginary ones. The right factor is given by its transpose.
pub(super) fn planes_in_memory<R: Real>(factor: View<Complex<R>>) -> Option<View<R>> {
    let Strides { row, column } = factor.strides;
    let strides = Strides { row: 1, column: 2 * column };
    let planes = View::new(factor.at.cast(), 2 * factor.rows, factor.columns, strides);
    (row == 1 || factor.rows == 1).then_some(planes)
}

/// Writes the planes of a matrix.
///
/// # Safety
/// The elements are readable, `to` is writable.
pub(super) unsafe fn write_planes<R: Real>(from: View<Complex<R>>, to: View<R>) {
    // SAFETY: the caller's contract, throughout.
    let write = |from: *mut Complex<R>, re: *mut R, im: *mut R| unsafe {
        *re = (*from).re;
        *im = (*from).im;
    };
    if from.strides.column == 1 && to.strides.column == 1 {
        for i in 0..from.rows {
            let (from_line, re, im) = (from.pointer(i, 0), to.pointer(2 * i, 0), to.pointer(2 * i + 1, 0));
            for p in 0..from.columns {
                write(from_line.wrapping_add(p), re.wrapping_add(p), im.wrapping_add(p));
            }
        }
    } else if from.strides.row == 1 {
        for p in 0..from.columns {
            (0..from.rows).for_each(|i| write(from.pointer(i, p), to.pointer(2 * i, p), to.pointer(2 * i + 1, p)));
        }
    } else {
        for i in 0..from.rows {
            (0..from.columns).for_each(|p| write(from.pointer(i, p), to.pointer(2 * i, p), to.pointer(2 * i + 1, p)));
        }
    }
}

/// The planes of a block, where they are or in a copy at `to`.
///
/// # Safety
/// The elements are readable; twice their number of reals is writable at `to`.
unsafe fn planes_of<R: Real>(
    factor: View<Complex<R>>,
    rows: Range<usize>,
    columns: Range<usize>,
    to: *mut R,
) -> View<R> {
    let block = factor.block(rows, columns);
    planes_in_memory(block).unwrap_or_else(|| {
        let planes = View::new(to, 2 * block.rows, block.columns, Strides::row_major(block.columns));
        // SAFETY: the caller's contract.
        unsafe { write_planes(block, planes) }
        planes
    })
}

/// `C = alpha A B + beta C`, with B by its transpose.
///
/// # Safety
/// As for [`Number::product_alone`].
unsafe fn product<R: Real>(
    alpha: Complex<R>,
    a: View<Complex<R>>,
    b: View<Complex<R>>,
    beta: Complex<R>,
    c: View<Complex<R>>,
) {
    if c.is_empty() {
        return;
    }
    let is_large = c.rows.min(c.columns) >= LARGE[0] && a.columns >= LARGE[1] && vectors().is_some();
    // SAFETY: the caller's contract.
    unsafe {
        if is_large && (c.strides.row == 1 || c.strides.column == 1) {
            return packed::product_alone(alpha, a, b, beta, c, Part::Whole);
        }
        // Lines of sums are along those of C.
        match c.strides.row == 1 {
            true => product_by_rows(alpha, b, a, beta, c.transposed()),
            false => product_by_rows(alpha, a, b, beta, c),
        }
    }
}

/// [`product`] with sums in rows.
///
/// # Safety
/// As for [`product`].
unsafe fn product_by_rows<R: Real>(
    alpha: Complex<R>,
    a: View<Complex<R>>,
    b: View<Complex<R>>,
    beta: Complex<R>,
    c: View<Complex<R>>,
) {
    let (m, n, k) = (c.rows, c.columns, if alpha == Complex::zero() { 0 } else { a.columns });
    let [mb, nb, kb] = [m.min(BLOCK[0]), n.min(BLOCK[1]), k.min(BLOCK[2])];
    let packs = m > mb;
    let lengths = [2 * mb * kb, 2 * nb * kb, 4 * mb * nb, if packs { 2 * nb * kb } else { 0 }];
    let (mut stack, mut heap) = (MaybeUninit::<[R; SMALL]>::uninit(), None);
    let total = lengths.iter().sum();
    let [left, right, sums, packed] = match total <= SMALL {
        true => split(stack.as_mut_ptr().cast(), lengths),
        false => heap.insert(Memory::new(total)).split(lengths),
    };
    let conjugated = [a.conjugated, b.conjugated];
    for j in blocks(0..n, nb) {
        // SAFETY: the caller's contract; the buffers hold the planes of a block, throughout.
        let operand = |p: Range<usize>| unsafe { Right::new(planes_of(b, j.clone(), p, right), packs, packed) };
        let whole = (k <= kb).then(|| operand(0..k));
        for i in blocks(0..m, mb) {
            let s = View::new(sums, 2 * i.len(), 2 * j.len(), Strides::row_major(2 * j.len()));
            for p in blocks(0..k, kb) {
                let beta = if p.start == 0 { R::zero() } else { R::one() };
                // SAFETY: the caller's contract, and the buffers.
                unsafe {
                    let a = planes_of(a, i.clone(), p.clone(), left);
                    match &whole {
                        Some(b) => b.product(a, beta, s),
                        None => operand(p).product(a, beta, s),
                    }
                }
            }
            // SAFETY: the sums were written if there are terms.
            unsafe { combine((k > 0).then_some(s), conjugated, alpha, beta, c.block(i, j.clone())) }
        }
    }
}

/// Adjacent parts of these lengths.
fn split<R, const N: usize>(at: *mut R, lengths: [usize; N]) -> [*mut R; N] {
    let mut begin = 0;
    lengths.map(|length| {
        let part = at.wrapping_add(begin);
        begin += length;
        part
    })
}

/// A right factor of real products.
enum Right<'a, R> {
    Packed(PackedB<'a, R>),
    Planes(View<R>),
}

impl<R: Real> Right<'_, R> {
    /// # Safety
    /// The planes are readable; as many numbers are writable at `to` if it `packs`.
    unsafe fn new(planes: View<R>, packs: bool, to: *mut R) -> Self {
        if packs {
            // SAFETY: the caller's contract; the memory is initialised by the packing.
            let done = unsafe {
                let memory = core::slice::from_raw_parts_mut(to, planes.rows * planes.columns);
                PackedB::new(planes.transposed().matrix(), memory, &Options::default())
            };
            if let Ok(packed) = done {
                return Right::Packed(packed);
            }
        }
        Right::Planes(planes)
    }

    /// `S = A B + beta S`.
    ///
    /// # Safety
    /// A is readable, S is writable.
    unsafe fn product(&self, a: View<R>, beta: R, s: View<R>) {
        // SAFETY: the caller's contract.
        unsafe {
            match self {
                Right::Packed(b) => {
                    let (a, s) = (a.matrix(), s.matrix_mut());
                    super::complete(gemm_packed(R::one(), a, b, beta, s, &Options::default(), None));
                }
                Right::Planes(planes) => R::product_alone(R::one(), a, planes.transposed(), beta, s),
            }
        }
    }
}

/// The range in steps of `step`.
pub(super) fn blocks(range: Range<usize>, step: usize) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(step.max(1)).map(move |begin| begin..range.end.min(begin + step))
}

/// `c = alpha s + beta c` from the four chains; without them, `c = beta c`.
///
/// # Safety
/// C is writable, and readable unless beta is 0; the sums are readable, with contiguous rows.
pub(super) unsafe fn combine<R: Real>(
    sums: Option<View<R>>,
    conjugated: [bool; 2],
    alpha: Complex<R>,
    beta: Complex<R>,
    c: View<Complex<R>>,
) {
    let vectors = vectors();
    for i in 0..c.rows {
        let (at, step, n) = (c.pointer(i, 0), c.strides.column, c.columns);
        // SAFETY: the caller's contract, throughout.
        unsafe {
            if let Some(sums) = sums {
                let [x, y] = [0, 1].map(|part| sums.pointer(2 * i + part, 0).cast_const());
                leaf_combine(vectors, &Line { x, y, conjugated, alpha, beta, c: at, step, n });
            } else if beta != Complex::one() {
                for c in (0..n).map(|j| at.wrapping_offset(j as isize * step)) {
                    *c = if beta == Complex::zero() { beta } else { beta * *c };
                }
            }
        }
    }
}
