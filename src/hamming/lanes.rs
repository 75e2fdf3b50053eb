//! The kernels of the family for vectors of any length. A lane is a packed row or a plane, so no
//! sums across a vector are needed.

use core::mem::MaybeUninit;

use super::GROUP;
use crate::vector::{Int, Words};

/// Vectors of words whose ones can be counted.
///
/// # Safety
/// Same as for [`Words`].
pub(super) trait Popcount: Words {
    unsafe fn and(self, b: Self) -> Self;
    unsafe fn xor(self, b: Self) -> Self;
    /// The number of ones in each byte.
    unsafe fn ones(self) -> Self;
    unsafe fn add_bytes(self, b: Self) -> Self;
    /// The sum of the bytes of each lane.
    unsafe fn across(self) -> Self;
    /// Writes the lanes, which are less than 2^32, as 32-bit integers.
    unsafe fn store_narrow(self, to: *mut u32);
}

/// A sequence of pairs of words.
///
/// # Safety
/// Same as for [`Words`], and pair `k` exists.
pub(super) trait Pairs<W>: Copy {
    /// The parity after each word of pair `k`, if `x` is the parity before the pair.
    unsafe fn two(self, k: usize, x: W) -> [W; 2];
}

/// A count of ones in each lane.
///
/// # Safety
/// Same as for [`Words`].
pub(super) trait Counter: Copy {
    type Words: Popcount;
    /// Pairs per call of `take`.
    const PAIRS: usize;
    /// Whether it uses the parities of [`Pairs::two`] directly, not the words.
    const PARITIES: bool = true;

    unsafe fn new() -> Self;
    unsafe fn take(&mut self, pairs: impl Pairs<Self::Words>);
    /// Takes one word; at most `2 * PAIRS` words are taken singly.
    unsafe fn one(&mut self, word: Self::Words);
    unsafe fn sum(&self) -> Self::Words;
}

/// A pair whose second word is 0.
#[derive(Clone, Copy)]
pub(super) struct Single<W>(pub W);

impl<W: Popcount> Pairs<W> for Single<W> {
    #[inline(always)]
    unsafe fn two(self, _: usize, x: W) -> [W; 2] {
        // SAFETY: the contract of the trait.
        unsafe { [x.xor(self.0); 2] }
    }
}

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
pub(super) unsafe fn intersections<C: Counter, const R: usize, const V: usize>(
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

/// The most lanes of a vector.
const MOST: usize = 8;

/// For each tile, a word of each plane. Counters of parities get the parity of the plane's words up
/// to this one in place of the word.
#[repr(align(64))]
struct Planes([[u64; 32]; 32]);

/// For each tile, the words of a group of planes twice, so that a vector from any of the first on
/// holds the whole group, rotated.
#[repr(align(64))]
struct Twice([[u64; 2 * MOST]; 32]);

/// The words in which a group of planes differs from the vector at `others` or, if `broadcast`,
/// from the word there in all lanes. Words of the next tile are 32 and `stride` words further.
#[derive(Clone, Copy)]
struct Differences {
    group: *const u64,
    others: *const u64,
    stride: usize,
    broadcast: bool,
    parities: bool,
}

impl Differences {
    /// # Safety
    /// Same as for [`Words`]; the words of the tile exist.
    #[inline(always)]
    unsafe fn word<W: Popcount>(self, tile: usize) -> W {
        // SAFETY: the caller's contract.
        unsafe {
            let others = self.others.add(self.stride * tile);
            W::load(self.group.add(32 * tile)).xor(if self.broadcast { W::splat(*others) } else { W::load(others) })
        }
    }
}

impl<W: Popcount> Pairs<W> for Differences {
    #[inline(always)]
    unsafe fn two(self, k: usize, x: W) -> [W; 2] {
        // SAFETY: the contract of the trait.
        unsafe {
            let [a, b] = [self.word::<W>(2 * k), self.word(2 * k + 1)];
            if self.parities { [a, b] } else { [x.xor(a), x.xor(a).xor(b)] }
        }
    }
}

/// The number of [`Differences`] in 32 tiles.
///
/// # Safety
/// Same as for [`Words`]; the words exist.
#[inline(always)]
unsafe fn distance<C: Counter>(group: *const u64, others: *const u64, stride: usize, broadcast: bool) -> C::Words {
    // SAFETY: the caller's contract.
    unsafe {
        let mut counter = C::new();
        for tile in (0..32).step_by(2 * C::PAIRS) {
            let (group, others) = (group.add(32 * tile), others.add(stride * tile));
            counter.take(Differences { group, others, stride, broadcast, parities: C::PARITIES });
        }
        counter.sum()
    }
}

/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn slices<C: Counter>(tiles: *const u8, distances: *mut u32) {
    let lanes = C::Words::LANES;
    let (mut planes, mut twice) = (MaybeUninit::<Planes>::uninit(), MaybeUninit::<Twice>::uninit());
    // SAFETY: fields of them.
    let [planes, twice] =
        unsafe { [(&raw mut (*planes.as_mut_ptr()).0).cast::<u64>(), (&raw mut (*twice.as_mut_ptr()).0).cast()] };
    for plane in (0..32).step_by(lanes) {
        // SAFETY: 32 tiles of 32 words.
        unsafe {
            let mut parity = C::Words::splat(0);
            for tile in 0..32 {
                let mut word = C::Words::load(tiles.cast::<u64>().add(32 * tile + plane));
                if C::PARITIES {
                    // Differences are linear: the parity of a difference is the difference of parities.
                    parity = parity.xor(word);
                    word = parity;
                }
                word.store(planes.add(32 * tile + plane));
            }
        }
    }
    for plane in (0..32).step_by(lanes) {
        // SAFETY: all planes are written, and `distances` has 32 rows of 32.
        unsafe {
            let group = planes.add(plane);
            for other in 0..plane {
                distance::<C>(group, planes.add(other), 32, true).store_narrow(distances.add(32 * other + plane));
            }
            for tile in 0..32 {
                let word = C::Words::load(group.add(32 * tile));
                word.store(twice.add(2 * MOST * tile));
                word.store(twice.add(2 * MOST * tile + lanes));
            }
            // Inside the group, half of the rotations meet all pairs. The distances from zeros are
            // the numbers of ones.
            let mut turns = [[0; MOST]; 1 + MOST / 2];
            distance::<C>(group, [0; MOST].as_ptr(), 0, false).store_narrow(turns[0].as_mut_ptr());
            for (turn, few) in turns.iter_mut().enumerate().take(lanes / 2 + 1).skip(1) {
                distance::<C>(group, twice.add(turn), 2 * MOST, false).store_narrow(few.as_mut_ptr());
            }
            for (turn, few) in turns.iter().enumerate().take(lanes / 2 + 1) {
                for (lane, distance) in few.iter().enumerate().take(lanes) {
                    let other = (lane + turn) % lanes;
                    let (row, column) = (plane + lane.min(other), plane + lane.max(other));
                    distances.add(32 * row + column).write_unaligned(*distance);
                }
            }
        }
    }
}

/// Float operations on counts. A result is the bits of floats, in a vector of integers.
///
/// # Safety
/// Same as for [`Int`].
pub(super) trait Quotient: Int<Element = u32> {
    /// `self / y`, in floats.
    unsafe fn quotient(self, y: Self) -> Self;
    /// `self / sqrt(a b)`, in doubles, rounded to floats.
    unsafe fn per_mean(self, a: Self, b: Self) -> Self;
}

/// The result computed from counts: `a` ones of a row (in all lanes), `b` of others, `c` in common.
pub(super) trait Finish<V> {
    /// # Safety
    /// Same as for [`Int`].
    unsafe fn of(a: V, b: V, c: V) -> V;
}

pub(super) struct Distance;
pub(super) struct Tanimoto;
pub(super) struct Dice;
pub(super) struct Cosine;

impl<V: Quotient> Finish<V> for Distance {
    #[inline(always)]
    unsafe fn of(a: V, b: V, c: V) -> V {
        // SAFETY: the contract of the trait.
        unsafe { a.add(b).sub(c.add(c)) }
    }
}

impl<V: Quotient> Finish<V> for Tanimoto {
    #[inline(always)]
    unsafe fn of(a: V, b: V, c: V) -> V {
        // SAFETY: the contract of the trait.
        unsafe { c.quotient(a.add(b).sub(c)) }
    }
}

impl<V: Quotient> Finish<V> for Dice {
    #[inline(always)]
    unsafe fn of(a: V, b: V, c: V) -> V {
        // SAFETY: the contract of the trait.
        unsafe { c.add(c).quotient(a.add(b)) }
    }
}

impl<V: Quotient> Finish<V> for Cosine {
    /// 0 where one of the rows is empty.
    #[inline(always)]
    unsafe fn of(a: V, b: V, c: V) -> V {
        // SAFETY: the contract of the trait.
        unsafe {
            let zero = V::splat(0);
            let ratio = V::select(b.equals(zero), zero, c.per_mean(a, b));
            V::select(a.equals(zero), zero, ratio)
        }
    }
}

/// Computes `out[i]` from `common[i]` and `others[i]`. If `empty` is given, it is the result where
/// both rows are empty. `out` may be `common`.
///
/// # Safety
/// The contract of the kernels; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn finish<V: Quotient, F: Finish<V>>(
    common: *const u32,
    others: *const u32,
    n: usize,
    ones: u32,
    empty: Option<f32>,
    out: *mut u32,
) {
    // SAFETY: every pointer points to `n` integers.
    unsafe {
        let a = V::splat(ones);
        if n < V::LANES {
            if n > 0 {
                let [b, c] = [V::load_first(others, n), V::load_first(common, n)];
                value::<V, F>(a, b, c, empty).store_first(out, n);
            }
            return;
        }
        // The last vector overlaps the one before: it is loaded before `out`, which may be `common`,
        // is written. A store under a mask takes AMD's CPUs as long as ten whole ones.
        let last = n - V::LANES;
        let end = value::<V, F>(a, V::load(others.add(last)), V::load(common.add(last)), empty);
        for i in (0..last).step_by(V::LANES) {
            let (c, b) = (V::load(common.add(i)), V::load(others.add(i)));
            value::<V, F>(a, b, c, empty).store(out.add(i));
        }
        end.store(out.add(last));
    }
}

/// # Safety
/// Same as for [`Int`].
#[inline(always)]
unsafe fn value<V: Quotient, F: Finish<V>>(a: V, b: V, c: V, empty: Option<f32>) -> V {
    // SAFETY: the caller's contract.
    unsafe {
        match empty {
            None => F::of(a, b, c),
            Some(empty) => V::select(a.or(b).equals(V::splat(0)), V::splat(empty.to_bits()), F::of(a, b, c)),
        }
    }
}

/// Exports the kernels of an instruction set. Arguments: its counter, the rows and the vectors of
/// packed rows per block, and its vector of integers.
macro_rules! export_hamming {
    ($isa:ident $counter:ty, $rows:literal, $vectors:literal) => {
        $isa! {
            pub(super) unsafe extern "C" fn slices(tiles: *const u8, distances: *mut u32) {
                // SAFETY: the contract of the kernel.
                unsafe { lanes::slices::<$counter>(tiles, distances) }
            }

            pub(super) unsafe extern "C" fn intersections(
                packed: *const u8, groups: usize, chunks: usize, rows: *const u8, stride: usize, tails: *const u64, n: usize,
                out: *mut u32, out_stride: usize,
            ) {
                // SAFETY: the contract of the kernel.
                unsafe {
                    lanes::intersections::<$counter, $rows, $vectors>(
                        packed, groups, chunks, rows, stride, tails, n, out, out_stride,
                    );
                }
            }
        }
    };
    ($isa:ident $counter:ty, $rows:literal, $vectors:literal; $integers:ty) => {
        export_hamming! { $isa $counter, $rows, $vectors }
        export_hamming! { @ $isa $integers: tanimoto Tanimoto, dice Dice, cosine Cosine }
    };
    (@ $isa:ident $integers:ty: $($name:ident $finish:ident),+) => {
        $isa! {
            pub(super) unsafe extern "C" fn distances(common: *const u32, others: *const u32, n: usize, ones: u32, out: *mut u32) {
                // SAFETY: the contract of the kernel.
                unsafe { lanes::finish::<$integers, lanes::Distance>(common, others, n, ones, None, out) }
            }

            $(pub(super) unsafe extern "C" fn $name(
                common: *const u32, others: *const u32, n: usize, ones: u32, empty: f32, out: *mut f32,
            ) {
                // SAFETY: the contract of the kernel; floats have the size of integers.
                unsafe { lanes::finish::<$integers, lanes::$finish>(common, others, n, ones, Some(empty), out.cast()) }
            })+
        }
    };
}
pub(super) use export_hamming;
