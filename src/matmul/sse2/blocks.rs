//! Blocks of products in tiles of doubles, in which A and B are converted once.
//!
//! A quick tile supposes that results are not so near to midpoints that their rounding is in doubt, and says if one
//! is; a close tile is correct then, too. Where numbers overflow or lose bits in the emulation, products are left to
//! [`lanewise`](super::lanewise).

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use crate::math::vector::{Fused, Vector};
use crate::matmul::element::{BlockFn, Element};
use crate::matmul::tiles::BlockArguments;

/// Steps of k of a tile.
pub(super) const DEPTH: usize = 64;

/// Vectors of doubles in the buffers for rows of A and for a panel of B, 38 KiB of the stack.
const ROWS_OF_A: usize = 32 * DEPTH;
const PANEL_OF_B: usize = 6 * DEPTH;

/// Close tiles after one that had to be close.
const CLOSE_TILES: usize = 16;

/// Elements of products that are computed in doubles. Rows of a tile have two vectors.
///
/// # Safety
/// Pointers have room for what is read or written there.
pub(super) trait Emulated: Element {
    type Vector: Fused<Element = Self>;
    /// An element of A.
    type A: Copy;
    /// The elements of a row of B.
    type B: Copy;
    /// The elements of a row of C.
    type C: Copy;

    /// Maximum number of rows of a tile, and of rows of A that are converted together.
    const TILE: usize;
    const ROWS: usize;
    /// Whether close tiles take all numbers.
    const CLOSE_FITS_ALL: bool;

    /// Adds the magnitudes of a vector to `range`.
    unsafe fn extend(range: &mut Range, x: Self::Vector);
    /// Whether quick tiles can multiply elements in these ranges.
    unsafe fn fit(a: Range, b: Range) -> bool;
    unsafe fn convert_a(x: Self::Vector, to: *mut Self::A);
    unsafe fn convert_b(x: [Self::Vector; 2]) -> Self::B;
    /// The elements as doubles, and whether quick tiles can add to them.
    unsafe fn convert_c(x: [Self::Vector; 2]) -> (Self::C, bool);
    unsafe fn result(c: Self::C) -> [Self::Vector; 2];
    /// Adds `k` products to each of `R` rows. The result counts only if `true` is returned.
    unsafe fn quick<const R: usize>(k: usize, a: *const Self::A, b: *const Self::B, c: &mut [Self::C; R]) -> bool;
    /// A step of a row of a close tile.
    unsafe fn close(x: Self::A, row: Self::B, sums: Self::C) -> Self::C;
}

/// The range of magnitudes: the upper 16 bits of the largest one, and of the smallest one but 0, less a last place,
/// in the 16-bit lanes that have exponents.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub largest: __m128i,
    pub smallest: __m128i,
}

impl Range {
    /// Of no numbers.
    #[inline(always)]
    unsafe fn none() -> Range {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { Range { largest: _mm_setzero_si128(), smallest: _mm_set1_epi16(i16::MAX) } }
    }

    /// Extends the range by magnitudes, and by the same less a last place, without signs.
    #[inline(always)]
    pub unsafe fn extend(&mut self, magnitudes: __m128i, less: __m128i) {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            self.largest = _mm_max_epi16(self.largest, magnitudes);
            self.smallest = _mm_min_epi16(self.smallest, less);
        }
    }

    /// The exponent fields of the largest and the smallest magnitude, given the lanes that have exponents, every
    /// `step`-th, and the bits below the exponent there.
    #[inline(always)]
    pub unsafe fn exponents(self, step: usize, shift: i32) -> [i32; 2] {
        let (mut largest, mut smallest) = ([0_i16; 8], [0_i16; 8]);
        // SAFETY: 16 bytes each.
        unsafe {
            _mm_storeu_si128(largest.as_mut_ptr().cast(), self.largest);
            _mm_storeu_si128(smallest.as_mut_ptr().cast(), self.smallest);
        }
        let lanes = |all: [i16; 8]| all.into_iter().skip(step - 1).step_by(step).map(i32::from);
        [lanes(largest).fold(0, i32::max) >> shift, lanes(smallest).fold(i32::from(i16::MAX), i32::min) >> shift]
    }
}

/// The buffers: rows of A, [`DEPTH`] elements apart, and a panel of B.
struct Buffers<T: Emulated> {
    a: *mut T::A,
    b: *mut T::B,
}

/// The block kernel. `lanewise` is the same kernel for any numbers.
///
/// # Safety
/// The contract of the kernel; B is in place.
#[inline(always)]
pub(super) unsafe fn block<T: Emulated>(product: BlockArguments<T>, lanewise: BlockFn<T>) {
    const { assert!(T::ROWS * DEPTH * size_of::<T::A>() <= ROWS_OF_A * 16) };
    const { assert!(DEPTH * size_of::<T::B>() <= PANEL_OF_B * 16) };
    let mut rows = MaybeUninit::<[__m128d; ROWS_OF_A]>::uninit();
    let mut panel = MaybeUninit::<[__m128d; PANEL_OF_B]>::uninit();
    let buffers = Buffers { a: rows.as_mut_ptr().cast(), b: panel.as_mut_ptr().cast() };
    let (columns, BlockArguments { m, n, k, .. }) = (2 * T::Vector::LANES, product);
    if n == 0 {
        return;
    }
    let mut close = 0;
    for p in (0..k.max(1)).step_by(DEPTH) {
        for i in (0..m).step_by(T::ROWS) {
            let rows = part(&product, [i, 0, p], [T::ROWS.min(m - i), n, DEPTH.min(k - p)]);
            // SAFETY: the caller's contract for a part of the product; the buffers have room for it.
            unsafe {
                let range_of_a = convert_rows(&rows, buffers.a);
                for j in (0..n).step_by(columns) {
                    let panel = part(&rows, [0, j, 0], [rows.m, columns.min(n - j), rows.k]);
                    let range_of_b = convert_panel(&panel, buffers.b);
                    let fit = T::fit(range_of_a, range_of_b);
                    if panel.k > 0 && (fit || T::CLOSE_FITS_ALL) {
                        tiles(&panel, fit, &buffers, &mut close, lanewise);
                    } else {
                        call(&panel, lanewise);
                    }
                }
            }
        }
    }
}

/// The part of a product from row i, column j and step p on. Later steps add to C.
#[inline(always)]
fn part<T: Emulated>(whole: &BlockArguments<T>, [i, j, p]: [usize; 3], [m, n, k]: [usize; 3]) -> BlockArguments<T> {
    let [i, p] = [i, p].map(|x| x as isize);
    let a = whole.a.wrapping_offset(i.wrapping_mul(whole.a_row)).wrapping_offset(p.wrapping_mul(whole.a_column));
    let b = whole.b.wrapping_offset(p.wrapping_mul(whole.b_row)).wrapping_add(j);
    let c = whole.c.wrapping_offset(i.wrapping_mul(whole.c_row)).wrapping_add(j);
    let accumulate = if p > 0 { 1 } else { whole.accumulate };
    BlockArguments { m, n, k, a, b, c, accumulate, ..*whole }
}

/// # Safety
/// The contract of the kernel.
unsafe fn call<T: Emulated>(product: &BlockArguments<T>, kernel: BlockFn<T>) {
    let &BlockArguments { m, n, k, a, a_row, a_column, b, b_row, c, c_row, accumulate } = product;
    // SAFETY: the caller's contract.
    unsafe { kernel(m, n, k, a, a_row, a_column, b, b_row, core::ptr::null_mut(), c, c_row, accumulate) }
}

/// # Safety
/// The contract of the kernel; `to` has room for the rows.
#[inline(always)]
unsafe fn convert_rows<T: Emulated>(rows: &BlockArguments<T>, to: *mut T::A) -> Range {
    let lanes = T::Vector::LANES;
    // SAFETY: elements within the rows. Rows of the buffer are longer by whole vectors.
    unsafe {
        let mut range = Range::none();
        for i in 0..rows.m {
            let from = rows.a.wrapping_offset(i as isize * rows.a_row);
            for p in (0..rows.k).step_by(lanes) {
                let at = |p: usize| from.wrapping_offset(p as isize * rows.a_column);
                let x = if rows.a_column == 1 && p + lanes <= rows.k {
                    T::Vector::load(at(p))
                } else {
                    let mut some = [T::ZERO; 4];
                    for (l, x) in some[..lanes.min(rows.k - p)].iter_mut().enumerate() {
                        *x = at(p + l).read_unaligned();
                    }
                    T::Vector::load(some.as_ptr())
                };
                T::extend(&mut range, x);
                T::convert_a(x, to.add(i * DEPTH + p));
            }
        }
        range
    }
}

/// Columns beyond the last one are copies of it.
///
/// # Safety
/// The contract of the kernel; `to` has room for the panel.
#[inline(always)]
unsafe fn convert_panel<T: Emulated>(panel: &BlockArguments<T>, to: *mut T::B) -> Range {
    // SAFETY: elements within the panel.
    unsafe {
        let mut range = Range::none();
        for p in 0..panel.k {
            let row = load(panel.b.wrapping_offset(p as isize * panel.b_row), panel.n);
            row.into_iter().for_each(|x| T::extend(&mut range, x));
            to.add(p).write(T::convert_b(row));
        }
        range
    }
}

/// `n` elements, then copies of the last one.
///
/// # Safety
/// They are readable; n is at least 1.
#[inline(always)]
unsafe fn load<T: Emulated>(from: *const T, n: usize) -> [T::Vector; 2] {
    let lanes = T::Vector::LANES;
    // SAFETY: the caller's contract.
    unsafe {
        if n == 2 * lanes {
            return [T::Vector::load(from), T::Vector::load(from.add(lanes))];
        }
        let mut row = [from.add(n - 1).read_unaligned(); 8];
        from.cast::<u8>().copy_to_nonoverlapping(row.as_mut_ptr().cast(), n * size_of::<T>());
        [T::Vector::load(row.as_ptr()), T::Vector::load(row.as_ptr().add(lanes))]
    }
}

/// Computes the rows of a panel of C. `fit` says whether quick tiles can multiply its numbers; `close` counts the close
/// tiles to come.
///
/// # Safety
/// The contract of the kernel; the buffers have A and the panel of B.
#[inline(always)]
unsafe fn tiles<T: Emulated>(
    panel: &BlockArguments<T>,
    fit: bool,
    buffers: &Buffers<T>,
    close: &mut usize,
    lanewise: BlockFn<T>,
) {
    let mut i = 0;
    while i < panel.m {
        let rows = T::TILE.min(panel.m - i);
        let tile = part(panel, [i, 0, 0], [rows, panel.n, panel.k]);
        let at = (buffers.a.cast_const().wrapping_add(i * DEPTH), buffers.b.cast_const());
        // SAFETY: the caller's contract for these rows.
        unsafe {
            let done = match rows {
                1 => rows_of_tile::<T, 1>(&tile, fit, at, close),
                2 => rows_of_tile::<T, 2>(&tile, fit, at, close),
                _ => rows_of_tile::<T, 3>(&tile, fit, at, close),
            };
            if !done {
                call(&tile, lanewise);
            }
        }
        i += rows;
    }
}

/// Computes `R` rows of C, or leaves them as they are and returns `false`.
///
/// # Safety
/// As for [`tiles`].
#[inline(always)]
unsafe fn rows_of_tile<T: Emulated, const R: usize>(
    tile: &BlockArguments<T>,
    mut fit: bool,
    (a, b): (*const T::A, *const T::B),
    close: &mut usize,
) -> bool {
    let lanes = T::Vector::LANES;
    // SAFETY: rows of C; columns within them.
    unsafe {
        let row = |r: usize| tile.c.wrapping_offset(r as isize * tile.c_row);
        let before: [T::C; R] = core::array::from_fn(|r| {
            let zero = T::Vector::splat(T::ZERO);
            let row = if tile.accumulate == 0 { [zero; 2] } else { load(row(r).cast_const(), tile.n) };
            let (c, is_near) = T::convert_c(row);
            fit &= is_near;
            c
        });
        if !fit && !T::CLOSE_FITS_ALL {
            return false;
        }
        let mut sums = before;
        if !fit || *close > 0 || !T::quick(tile.k, a, b, &mut sums) {
            if fit {
                *close = close.checked_sub(1).unwrap_or(CLOSE_TILES);
            }
            sums = before;
            close_tile::<T, R>(tile.k, (a, b), &mut sums);
        }
        for (r, sums) in sums.into_iter().enumerate() {
            let [low, high] = T::result(sums);
            if tile.n == 2 * lanes {
                low.store(row(r));
                high.store(row(r).add(lanes));
            } else {
                let mut all = [T::ZERO; 8];
                low.store(all.as_mut_ptr());
                high.store(all.as_mut_ptr().add(lanes));
                all.as_ptr().cast::<u8>().copy_to_nonoverlapping(row(r).cast(), tile.n * size_of::<T>());
            }
        }
        true
    }
}

/// # Safety
/// As for [`tiles`].
#[inline(never)]
unsafe fn close_tile<T: Emulated, const R: usize>(k: usize, (a, b): (*const T::A, *const T::B), sums: &mut [T::C; R]) {
    for p in 0..k {
        for (r, sums) in sums.iter_mut().enumerate() {
            // SAFETY: elements of the buffers.
            unsafe { *sums = T::close(a.add(r * DEPTH + p).read(), b.add(p).read(), *sums) }
        }
    }
}
