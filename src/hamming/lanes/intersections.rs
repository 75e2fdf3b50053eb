//! The kernel `intersections`.

use super::super::GROUP;
use super::{Counter, Pairs, Popcount};
use crate::math::vector::Words;

/// Words `packed & row`. Consecutive words of packed rows are `GROUP` words apart; a word of the
/// row is broadcast to all lanes.
#[derive(Clone, Copy)]
struct Common {
    packed: *const u64,
    row: *const u64,
}

impl Common {
    /// # Safety
    /// Same as for [`Words`]; word `c` exists.
    #[inline(always)]
    unsafe fn word<W: Popcount>(self, c: usize) -> W {
        // SAFETY: the caller's contract.
        unsafe { W::load(self.packed.add(GROUP * c)).and(W::splat(self.row.add(c).read_unaligned())) }
    }
}

impl<W: Popcount> Pairs<W> for Common {
    #[inline(always)]
    unsafe fn two(self, k: usize, x: W) -> [W; 2] {
        // SAFETY: the contract of the trait.
        unsafe {
            let u = x.xor(self.word(2 * k));
            [u, u.xor(self.word(2 * k + 1))]
        }
    }
}

/// Counts for `R` rows and `V` vectors of packed rows.
///
/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
unsafe fn block<C: Counter, const R: usize, const V: usize>(
    packed: *const u64,
    chunks: usize,
    rows: *const u8,
    stride: usize,
    tails: *const u64,
    out: *mut u32,
    out_stride: usize,
) {
    let lanes = C::Words::LANES;
    let whole = chunks - chunks % (2 * C::PAIRS);
    // SAFETY: all words are in the rows, tails and group; `out` has an integer for each lane.
    unsafe {
        let mut counters = [[C::new(); V]; R];
        for c in (0..whole).step_by(2 * C::PAIRS) {
            for (r, counters) in counters.iter_mut().enumerate() {
                for (v, counter) in counters.iter_mut().enumerate() {
                    let row = rows.add(r * stride).cast::<u64>();
                    counter.take(Common { packed: packed.add(GROUP * c + v * lanes), row: row.add(c) });
                }
            }
        }
        // Counters stay in registers only if the loops over them are short enough to be unrolled.
        for c in whole..chunks {
            for (r, counters) in counters.iter_mut().enumerate() {
                for (v, counter) in counters.iter_mut().enumerate() {
                    let row = rows.add(r * stride).cast::<u64>();
                    counter.one(Common { packed: packed.add(v * lanes), row }.word(c));
                }
            }
        }
        if !tails.is_null() {
            for (r, counters) in counters.iter_mut().enumerate() {
                for (v, counter) in counters.iter_mut().enumerate() {
                    let packed = packed.add(GROUP * chunks + v * lanes);
                    counter.one(Common { packed, row: tails.add(r) }.word(0));
                }
            }
        }
        for (r, counters) in counters.iter().enumerate() {
            for (v, counter) in counters.iter().enumerate() {
                counter.sum().store_narrow(out.add(r * out_stride + v * lanes));
            }
        }
    }
}

/// Counts for blocks of `R` rows and `V` vectors of packed rows, the last rows one at a time.
///
/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[allow(clippy::too_many_arguments)]
#[inline(always)]
pub(in super::super) unsafe fn intersections<C: Counter, const R: usize, const V: usize>(
    packed: *const u8,
    groups: usize,
    chunks: usize,
    rows: *const u8,
    stride: usize,
    tails: *const u64,
    n: usize,
    out: *mut u32,
    out_stride: usize,
) {
    let all = chunks + usize::from(!tails.is_null());
    for at in (0..GROUP * groups).step_by(V * C::Words::LANES) {
        let mut i = 0;
        while i < n {
            // SAFETY: the vectors are in one group, and as many rows remain from row i on.
            unsafe {
                let packed = packed.cast::<u64>().add(at / GROUP * GROUP * all + at % GROUP);
                let (row, out) = (rows.add(i * stride), out.add(i * out_stride + at));
                let tail = if tails.is_null() { tails } else { tails.add(i) };
                if n - i < R {
                    block::<C, 1, V>(packed, chunks, row, stride, tail, out, out_stride);
                    i += 1;
                } else {
                    block::<C, R, V>(packed, chunks, row, stride, tail, out, out_stride);
                    i += R;
                }
            }
        }
    }
}
