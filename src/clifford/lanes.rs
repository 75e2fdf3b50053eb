//! The intrinsics of the family, written once for the vectors of all instruction sets.

use crate::float::Float;
use crate::vector::Vector;

/// Vectors whose sums are computed side by side.
const BLOCK: usize = 4;

/// The arguments of a kernel behind `n`.
#[derive(Clone, Copy)]
pub(super) struct Arguments<T> {
    pub x: *const T,
    pub x_row: usize,
    pub y: *mut T,
    pub y_row: usize,
    pub terms: *const u32,
    pub ends: *const u32,
    pub sums: usize,
    pub accumulate: u32,
}

/// Vectors of type `V`, then of a shorter type `W`, then the tail.
///
/// # Safety
/// The contract of the kernels, and a CPU that has the instruction set. All functions below require
/// that.
#[inline(always)]
pub(super) unsafe fn signed_sums<V, W>(rows: usize, n: usize, all: Arguments<V::Element>)
where
    V: Vector,
    W: Vector<Element = V::Element>,
{
    // Products with these are exact.
    let signs = [V::Element::ONE, -V::Element::ONE];
    if rows >= BLOCK && n <= BLOCK * V::LANES {
        // SAFETY: the caller's contract.
        return unsafe { sum_by_sum::<V, W>(rows, n, all, &signs) };
    }
    for row in 0..rows {
        let mut begin = 0;
        for f in 0..all.sums {
            // SAFETY: the vectors are within the n numbers of a row's vectors.
            unsafe {
                let end = all.ends.add(f).read_unaligned() as usize;
                let (x, y) = (all.x.add(row * all.x_row), all.y.add(row * all.y_row + f * n));
                let terms = (all.terms, begin..end);
                let mut i = 0;
                while i + BLOCK * V::LANES <= n {
                    block::<V, BLOCK>(n, x.add(i), y.add(i), terms.clone(), &signs, all.accumulate);
                    i += BLOCK * V::LANES;
                }
                while i + V::LANES <= n {
                    block::<V, 1>(n, x.add(i), y.add(i), terms.clone(), &signs, all.accumulate);
                    i += V::LANES;
                }
                while i + W::LANES <= n {
                    block::<W, 1>(n, x.add(i), y.add(i), terms.clone(), &signs, all.accumulate);
                    i += W::LANES;
                }
                if i < n {
                    part::<W>(n, n - i, x.add(i), y.add(i), terms, &signs, all.accumulate);
                }
                begin = end;
            }
        }
    }
}

/// Sums of short vectors: the terms of a sum are decoded once for all rows.
#[inline(always)]
unsafe fn sum_by_sum<V, W>(rows: usize, n: usize, all: Arguments<V::Element>, signs: &[V::Element; 2])
where
    V: Vector,
    W: Vector<Element = V::Element>,
{
    let mut begin = 0;
    for f in 0..all.sums {
        // SAFETY: as for `signed_sums()`.
        unsafe {
            let end = all.ends.add(f).read_unaligned() as usize;
            let mut i = 0;
            while i + V::LANES <= n {
                column::<V>(rows, n, i, f, begin..end, &all, signs);
                i += V::LANES;
            }
            while i + W::LANES <= n {
                column::<W>(rows, n, i, f, begin..end, &all, signs);
                i += W::LANES;
            }
            for row in (0..rows).filter(|_| i < n) {
                let (x, y) = (all.x.add(row * all.x_row + i), all.y.add(row * all.y_row + f * n + i));
                part::<W>(n, n - i, x, y, (all.terms, begin..end), signs, all.accumulate);
            }
            begin = end;
        }
    }
}

/// A vector of sum number `f`, from number `i` on, in all rows.
#[inline(always)]
unsafe fn column<V: Vector>(
    rows: usize,
    n: usize,
    i: usize,
    f: usize,
    terms: core::ops::Range<usize>,
    all: &Arguments<V::Element>,
    signs: &[V::Element; 2],
) {
    // SAFETY: the caller's contract.
    unsafe {
        let decoded = all.terms.add(terms.start);
        match terms.len() {
            1 => rows_of::<V, 1>(rows, n, i, f, decoded, all, signs),
            2 => rows_of::<V, 2>(rows, n, i, f, decoded, all, signs),
            4 => rows_of::<V, 4>(rows, n, i, f, decoded, all, signs),
            _ => {
                for row in 0..rows {
                    let (x, y) = (all.x.add(row * all.x_row + i), all.y.add(row * all.y_row + f * n + i));
                    block::<V, 1>(n, x, y, (all.terms, terms.clone()), signs, all.accumulate);
                }
            }
        }
    }
}

/// [`column()`] for a sum of `N` terms.
#[inline(always)]
unsafe fn rows_of<V: Vector, const N: usize>(
    rows: usize,
    n: usize,
    i: usize,
    f: usize,
    terms: *const u32,
    all: &Arguments<V::Element>,
    signs: &[V::Element; 2],
) {
    // SAFETY: the caller's contract.
    unsafe {
        let (mut offsets, mut factors) = ([0; N], [V::splat(V::Element::ZERO); N]);
        for t in 0..N {
            let term = terms.add(t).read_unaligned() as usize;
            offsets[t] = (term >> 1) * n + i;
            factors[t] = V::splat(*signs.get_unchecked(term & 1));
        }
        let zero = V::splat(V::Element::ZERO);
        for row in 0..rows {
            let (x, y) = (all.x.add(row * all.x_row), all.y.add(row * all.y_row + f * n + i));
            let mut sum = if all.accumulate != 0 { V::load(y) } else { zero };
            for t in 0..N {
                sum = sum.add(V::load(x.add(offsets[t])).mul(factors[t]));
            }
            sum.store(y);
        }
    }
}

/// `N` whole vectors of a sum.
#[inline(always)]
unsafe fn block<V: Vector, const N: usize>(
    n: usize,
    x: *const V::Element,
    y: *mut V::Element,
    (terms, range): (*const u32, core::ops::Range<usize>),
    signs: &[V::Element; 2],
    accumulate: u32,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let mut sums = [V::splat(V::Element::ZERO); N];
        if accumulate != 0 {
            for (v, sum) in sums.iter_mut().enumerate() {
                *sum = V::load(y.add(v * V::LANES));
            }
        }
        for t in range {
            let term = terms.add(t).read_unaligned() as usize;
            let (from, sign) = (x.add((term >> 1) * n), V::splat(*signs.get_unchecked(term & 1)));
            for (v, sum) in sums.iter_mut().enumerate() {
                *sum = sum.add(V::load(from.add(v * V::LANES)).mul(sign));
            }
        }
        for (v, sum) in sums.into_iter().enumerate() {
            sum.store(y.add(v * V::LANES));
        }
    }
}

/// The first `width` numbers of a sum, fewer than a vector has.
#[inline(always)]
unsafe fn part<V: Vector>(
    n: usize,
    width: usize,
    x: *const V::Element,
    y: *mut V::Element,
    (terms, range): (*const u32, core::ops::Range<usize>),
    signs: &[V::Element; 2],
    accumulate: u32,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let mut sum = if accumulate != 0 { V::load_first(y, width) } else { V::splat(V::Element::ZERO) };
        for t in range {
            let term = terms.add(t).read_unaligned() as usize;
            let sign = V::splat(*signs.get_unchecked(term & 1));
            sum = sum.add(V::load_first(x.add((term >> 1) * n), width).mul(sign));
        }
        sum.store_first(y, width);
    }
}

/// Defines the kernels of an instruction set for two of its vectors of floats and of doubles.
macro_rules! kernels {
    ($isa:ident $floats:ident $fewer_floats:ident $doubles:ident $fewer_doubles:ident) => {
        $crate::clifford::lanes::kernels! {
            $isa signed_sums_f32 f32 $floats $fewer_floats, signed_sums_f64 f64 $doubles $fewer_doubles
        }
    };
    ($isa:ident $($name:ident $type:ident $vector:ident $fewer:ident),+) => {
        $crate::isa::$isa! {$(
            pub(super) unsafe extern "C" fn $name(
                rows: usize, n: usize, x: *const $type, x_row: usize, y: *mut $type, y_row: usize,
                terms: *const u32, ends: *const u32, sums: usize, accumulate: u32
            ) {
                let arguments = lanes::Arguments { x, x_row, y, y_row, terms, ends, sums, accumulate };
                // SAFETY: the caller's contract.
                unsafe { lanes::signed_sums::<$vector, $fewer>(rows, n, arguments) }
            }
        )+}
    };
}
pub(super) use kernels;
