//! The kernels of the family for vectors of any length. A lane is a packed row or a plane, so no
//! sums across a vector are needed.

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
        for (r, counters) in counters.iter_mut().enumerate() {
            for (v, counter) in counters.iter_mut().enumerate() {
                let packed = packed.add(v * lanes);
                let row = Common { packed, row: rows.add(r * stride).cast() };
                for c in whole..chunks {
                    counter.one(row.word(c));
                }
                if !tails.is_null() {
                    counter.one(Common { packed: packed.add(GROUP * chunks), row: tails.add(r) }.word(0));
                }
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

/// For each tile, a word of each plane, then 0. Counters of parities get the parity of the plane's
/// words up to this one in place of the word.
type Planes = [[u64; 33]; 32];

/// The words, from tile `first` on, in which `LANES` planes from `others` on differ from plane
/// `one`.
#[derive(Clone, Copy)]
struct Differences<'a> {
    planes: &'a Planes,
    first: usize,
    one: usize,
    others: usize,
    parities: bool,
}

impl<W: Popcount> Pairs<W> for Differences<'_> {
    #[inline(always)]
    unsafe fn two(self, k: usize, x: W) -> [W; 2] {
        // SAFETY: this tile and the next exist, with `LANES` planes from `others` on.
        unsafe {
            let word = self.planes.as_ptr().add(self.first + 2 * k).cast::<u64>();
            let next = word.add(33);
            let a = W::load(word.add(self.others)).xor(W::splat(word.add(self.one).read()));
            let b = W::load(next.add(self.others)).xor(W::splat(next.add(self.one).read()));
            if self.parities { [a, b] } else { [x.xor(a), x.xor(a).xor(b)] }
        }
    }
}

/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn slices<C: Counter>(tiles: *const u8, distances: *mut u32) {
    let mut planes: Planes = [[0; 33]; 32];
    let mut parities = [0; 32];
    for (tile, words) in planes.iter_mut().enumerate() {
        for (plane, (word, parity)) in words.iter_mut().zip(&mut parities).enumerate() {
            // SAFETY: 32 tiles of 32 words.
            *word = unsafe { tiles.cast::<u64>().add(32 * tile + plane).read_unaligned() };
            if C::PARITIES {
                // Differences are linear: the parity of a difference is the difference of parities.
                *parity ^= *word;
                *word = *parity;
            }
        }
    }
    let lanes = C::Words::LANES;
    for others in (0..32).step_by(lanes) {
        for i in 0..others + lanes {
            // The last plane of the vector has no later plane to be compared with. Zeros take its
            // place: the distance from them is the number of ones.
            let is_last = i + 1 == others + lanes;
            let one = if is_last { 32 } else { i };
            // SAFETY: the planes exist, there are 32 rows of 32 distances, and no vector has more
            // than 8 lanes.
            unsafe {
                let mut counter = C::new();
                for first in (0..32).step_by(2 * C::PAIRS) {
                    counter.take(Differences { planes: &planes, first, one, others, parities: C::PARITIES });
                }
                if i < others {
                    counter.sum().store_narrow(distances.add(32 * i + others));
                    continue;
                }
                let mut few = [0; 8];
                counter.sum().store_narrow(few.as_mut_ptr());
                for (other, distance) in (others..others + lanes).zip(few) {
                    let row = if is_last { other } else { i };
                    if is_last || other > i {
                        distances.add(32 * row + other).write_unaligned(distance);
                    }
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
