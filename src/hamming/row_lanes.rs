//! The kernels of single rows for vectors of any length. A lane is a word of the row.

use core::marker::PhantomData;

use super::lanes::{Counter, Pairs, Popcount};
use super::scalar;
use crate::math::vector::Words;

/// Combines a word of a row with the word of the query.
///
/// # Safety
/// Same as for [`Popcount`].
pub(super) trait Combine: Copy {
    fn word(row: u64, query: u64) -> u64;
    unsafe fn words<W: Popcount>(row: W, query: W) -> W;
}

/// The row itself.
#[derive(Clone, Copy)]
pub(super) struct Row;
/// The common ones.
#[derive(Clone, Copy)]
pub(super) struct Shared;
/// The different bits.
#[derive(Clone, Copy)]
pub(super) struct Differing;

impl Combine for Row {
    #[inline(always)]
    fn word(row: u64, _: u64) -> u64 {
        row
    }

    #[inline(always)]
    unsafe fn words<W: Popcount>(row: W, _: W) -> W {
        row
    }
}

impl Combine for Shared {
    #[inline(always)]
    fn word(row: u64, query: u64) -> u64 {
        row & query
    }

    #[inline(always)]
    unsafe fn words<W: Popcount>(row: W, query: W) -> W {
        // SAFETY: the contract of the trait.
        unsafe { row.and(query) }
    }
}

impl Combine for Differing {
    #[inline(always)]
    fn word(row: u64, query: u64) -> u64 {
        row ^ query
    }

    #[inline(always)]
    unsafe fn words<W: Popcount>(row: W, query: W) -> W {
        // SAFETY: the contract of the trait.
        unsafe { row.xor(query) }
    }
}

/// Consecutive vectors of a row and of the query, combined.
#[derive(Clone, Copy)]
struct Vectors<C> {
    row: *const u64,
    query: *const u64,
    combine: PhantomData<C>,
}

impl<C: Combine> Vectors<C> {
    /// # Safety
    /// Same as for [`Popcount`]; vector `v` exists.
    #[inline(always)]
    unsafe fn vector<W: Popcount>(self, v: usize) -> W {
        // SAFETY: the caller's contract.
        unsafe { C::words(W::load(self.row.add(v * W::LANES)), W::load(self.query.add(v * W::LANES))) }
    }

    #[inline(always)]
    fn from(self, vector: usize, lanes: usize) -> Self {
        Vectors {
            row: self.row.wrapping_add(vector * lanes),
            query: self.query.wrapping_add(vector * lanes),
            combine: self.combine,
        }
    }
}

impl<W: Popcount, C: Combine> Pairs<W> for Vectors<C> {
    #[inline(always)]
    unsafe fn two(self, k: usize, x: W) -> [W; 2] {
        // SAFETY: the contract of the trait.
        unsafe {
            let u = x.xor(self.vector(2 * k));
            [u, u.xor(self.vector(2 * k + 1))]
        }
    }
}

/// `out[i]` = the ones of row i combined with the query, among the first `bits` bits.
///
/// # Safety
/// The contract of the kernels; the CPU has the instruction set. If `C` is [`Row`], `query` is a row.
#[inline(always)]
pub(super) unsafe fn rows<N: Counter, C: Combine>(
    query: *const u8,
    rows: *const u8,
    n: usize,
    bits: usize,
    stride: usize,
    out: *mut u32,
) {
    let lanes = N::Words::LANES;
    let vectors = bits / (64 * lanes);
    let whole = vectors - vectors % (2 * N::PAIRS);
    let counted = vectors * 8 * lanes;
    for i in 0..n {
        // SAFETY: the vectors and the bits after them are in the row and in the query; `out` has an
        // integer for each row; a vector has at most 8 lanes.
        unsafe {
            let row = rows.add(i * stride);
            let all = Vectors::<C> { row: row.cast(), query: query.cast(), combine: PhantomData };
            let mut counter = N::new();
            for v in (0..whole).step_by(2 * N::PAIRS) {
                counter.take(all.from(v, lanes));
            }
            for v in whole..vectors {
                counter.one(all.vector(v));
            }
            let mut sums = [0; 8];
            counter.sum().store(sums.as_mut_ptr());
            let rest = scalar::ones(row.add(counted), query.add(counted), bits - 8 * counted, C::word);
            out.add(i).write_unaligned(sums.iter().sum::<u64>() as u32 + rest);
        }
    }
}

/// Exports the kernels of single rows of an instruction set, given its counter.
macro_rules! export_rows {
    ($isa:ident $counter:ty) => {
        $isa! {
            pub(super) unsafe extern "C" fn counts(
                rows: *const u8, n: usize, bits: usize, stride: usize, counts: *mut u32,
            ) {
                use crate::hamming::row_lanes::{Row, rows as count};
                // SAFETY: the contract of the kernel; the first row stands for the query, which isn't used.
                unsafe { count::<$counter, Row>(rows, rows, n, bits, stride, counts) }
            }

            pub(super) unsafe extern "C" fn shared(
                query: *const u8, rows: *const u8, n: usize, bits: usize, stride: usize, out: *mut u32,
            ) {
                use crate::hamming::row_lanes::{Shared, rows as count};
                // SAFETY: the contract of the kernel.
                unsafe { count::<$counter, Shared>(query, rows, n, bits, stride, out) }
            }

            pub(super) unsafe extern "C" fn differing(
                query: *const u8, rows: *const u8, n: usize, bits: usize, stride: usize, out: *mut u32,
            ) {
                use crate::hamming::row_lanes::{Differing, rows as count};
                // SAFETY: the contract of the kernel.
                unsafe { count::<$counter, Differing>(query, rows, n, bits, stride, out) }
            }
        }
    };
}
pub(super) use export_rows;
