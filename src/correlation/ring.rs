//! The kernel `scatter` for vectors of any length; all instruction sets share it.

use super::lanes::{PairVector, Points};
use super::{ONE_PAIR, TABLES};

/// One pair in the upper half of a word.
pub(super) const ONE: u32 = (ONE_PAIR >> 32) as u32;

/// Delays the pairs of [`scatter`](super::scatter()) before they are added to their words. An
/// addition right after the square root that it depends on would stall the pairs that follow.
#[repr(C, align(64))]
struct Ring {
    bins: [u32; 64],
    /// Values of pairs 0 and 1 of every four, then of pairs 2 and 3.
    sums: [[i64; 32]; 2],
    at: usize,
}

impl Ring {
    const fn new() -> Self {
        Ring { bins: [0; 64], sums: [[0; 32]; 2], at: 0 }
    }

    /// Retires the `LANES` oldest pairs (initially dummies) and returns their freed slots.
    ///
    /// # Safety
    /// `words` is valid for [`scatter`](super::scatter()) with `bins` bins, and the ring holds only
    /// bins up to `bins`.
    #[inline(always)]
    unsafe fn retire<const LANES: usize>(&mut self, words: *mut i64, bins: usize) -> (*mut u32, [*mut i64; 2]) {
        let at = self.at;
        self.at = (at + LANES) % 64;
        // SAFETY: LANES divides 64, so all slots are inside the ring; the caller's contract.
        unsafe {
            let (from, sums) =
                (self.bins.as_mut_ptr().add(at), self.sums.each_mut().map(|sums| sums.as_mut_ptr().add(at / 2)));
            for k in (0..LANES).step_by(2) {
                // Load two bins at once: loads bound the loop.
                let two = from.add(k).cast::<u64>().read();
                for (lane, bin) in [(k, two as u32), (k + 1, (two >> 32) as u32)] {
                    let word = words.add(lane % TABLES * (bins + 1) + bin as usize);
                    let sum = sums[lane / 2 % 2].add(lane / 4 * 2 + lane % 2).read();
                    word.write_unaligned(word.read_unaligned().wrapping_add(sum));
                }
            }
            (from, sums)
        }
    }

    /// Stores a vector of pairs in the slots of the oldest ones, which it retires.
    ///
    /// # Safety
    /// Same as for [`retire`](Ring::retire); the new bins are at most `bins`, and `LANES` is
    /// `V::LANES`.
    #[inline(always)]
    unsafe fn put<V: PairVector, const LANES: usize>(
        &mut self,
        (bin, [low, high]): (V::Integers, [V::Integers; 2]),
        words: *mut i64,
        bins: usize,
    ) {
        // SAFETY: the slots have room for a vector and its alignment; the caller's contract.
        unsafe {
            let (bins_to, [low_to, high_to]) = self.retire::<LANES>(words, bins);
            bins_to.cast::<V::Integers>().write(bin);
            low_to.cast::<V::Integers>().write(low);
            high_to.cast::<V::Integers>().write(high);
        }
    }

    /// Retires all pairs.
    ///
    /// # Safety
    /// Same as for [`retire`](Ring::retire).
    unsafe fn finish(&mut self, words: *mut i64, bins: usize) {
        for _ in 0..16 {
            // SAFETY: the caller's contract.
            let _ = unsafe { self.retire::<4>(words, bins) };
        }
    }
}

/// The points after the last whole vector, padded. `one` is [`ONE`] for a point and 0 for padding.
struct Rest<const LANES: usize> {
    x: [f32; LANES],
    y: [f32; LANES],
    psi: [[i16; 2]; LANES],
    one: [u32; LANES],
}

impl<const LANES: usize> Rest<LANES> {
    /// # Safety
    /// There are `n` points.
    unsafe fn new(Points { x, y, psi, n }: Points) -> Self {
        let mut rest = Rest { x: [0.0; LANES], y: [0.0; LANES], psi: [[0; 2]; LANES], one: [0; LANES] };
        let first = n - n % LANES;
        for (k, j) in (first..n).enumerate().take(LANES) {
            // SAFETY: j < n.
            unsafe {
                rest.x[k] = x.add(j).read_unaligned();
                rest.y[k] = y.add(j).read_unaligned();
                rest.psi[k] = psi.cast::<[i16; 2]>().add(j).read_unaligned();
            }
            rest.one[k] = ONE;
        }
        rest
    }

    fn points(&self) -> Points {
        Points { x: self.x.as_ptr(), y: self.y.as_ptr(), psi: self.psi.as_ptr().cast(), n: LANES }
    }
}

/// Pairs a point with a vector of others. Returns the bins of the pairs and the values that they
/// add to words, in the layout of the ring.
///
/// # Safety
/// Same as for [`PairVector`]; `other` holds at least a vector.
#[inline(always)]
unsafe fn pairs<V: PairVector>(
    (x, y, psi): (V, V, V::Integers),
    other: Points,
    one: V::Integers,
    shift: [V; 2],
    (inverse_width, start, last): (V, V, V),
) -> (V::Integers, [V::Integers; 2]) {
    // SAFETY: the caller's contract.
    unsafe {
        let dx = V::load(other.x).sub(x).add(shift[0]);
        let dy = V::load(other.y).sub(y).add(shift[1]);
        let r2 = dx.mul(dx).add(dy.mul(dy));
        let product = V::product(V::load(other.psi.cast()).bits(), psi);
        (r2.root().mul(inverse_width).whole(start, last), V::halves(product, one))
    }
}

/// The kernel.
///
/// # Safety
/// Same as for [`scatter`](super::scatter()).
#[inline(always)]
pub(super) unsafe fn scatter<V: PairVector, const LANES: usize>(
    first: Points,
    other: Points,
    shift: *const f32,
    (inverse_width, start): (f32, f32),
    bins: usize,
    words: *mut i64,
) {
    const { assert!(LANES == V::LANES) };
    let mut ring = Ring::new();
    // SAFETY: there are two shifts; i < first.n; the others are read in whole vectors or from a
    // padded copy; bins are at most `bins`; the caller's contract.
    unsafe {
        let rest = Rest::<LANES>::new(other);
        let shift = [V::splat(shift.read_unaligned()), V::splat(shift.add(1).read_unaligned())];
        let scale = (V::splat(inverse_width), V::splat(start), V::splat(bins as f32));
        for i in 0..first.n {
            let (x, y) = (first.x.add(i).read_unaligned(), first.y.add(i).read_unaligned());
            let psi = first.psi.add(2 * i).cast::<i32>().read_unaligned();
            let point = (V::splat(x), V::splat(y), V::integers(psi));
            for j in (0..other.n - other.n % LANES).step_by(LANES) {
                let pairs = pairs::<V>(point, other.from(j), V::integers(ONE as i32), shift, scale);
                ring.put::<V, LANES>(pairs, words, bins);
            }
            if !other.n.is_multiple_of(LANES) {
                let one = V::load(rest.one.as_ptr().cast()).bits();
                ring.put::<V, LANES>(pairs::<V>(point, rest.points(), one, shift, scale), words, bins);
            }
        }
        ring.finish(words, bins);
    }
}
