//! Pairs by the bins of their distances, for any vector: one algorithm, which the instruction sets share.

use super::lanes::{Lanes, Points};
use super::{ONE_PAIR, TABLES};

/// One pair in the upper half of a word.
pub(super) const ONE: u32 = (ONE_PAIR >> 32) as u32;

/// Pairs of [`scatter`](super::scatter()) that wait to be added to their words, for vectors of any
/// length. An addition right after the square root that it needs would stall the pairs that follow.
#[repr(C, align(64))]
struct Ring {
    bins: [u32; 64],
    /// Pairs 0 and 1, and 2 and 3, of each four.
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
    /// `words` as in [`scatter`](super::scatter()), and what was put into the ring its bins.
    #[inline(always)]
    unsafe fn turn<const LANES: usize>(&mut self, words: *mut i64, bins: usize) -> (*mut u32, [*mut i64; 2]) {
        let at = self.at;
        self.at = (at + LANES) % 64;
        // SAFETY: LANES divides 64, and so all is inside of the ring; the caller's contract.
        unsafe {
            let (from, sums) =
                (self.bins.as_mut_ptr().add(at), self.sums.each_mut().map(|sums| sums.as_mut_ptr().add(at / 2)));
            for k in (0..LANES).step_by(2) {
                // Two bins at once, as loads bound the loop.
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
    /// As for [`turn`](Ring::turn), and these are bins; `LANES` are those of the vector.
    #[inline(always)]
    unsafe fn put<V: Lanes, const LANES: usize>(
        &mut self,
        (bin, [low, high]): (V::Integers, [V::Integers; 2]),
        words: *mut i64,
        bins: usize,
    ) {
        // SAFETY: there is room for a vector, aligned as the ring is; the caller's contract.
        unsafe {
            let (bins_to, [low_to, high_to]) = self.turn::<LANES>(words, bins);
            bins_to.cast::<V::Integers>().write(bin);
            low_to.cast::<V::Integers>().write(low);
            high_to.cast::<V::Integers>().write(high);
        }
    }

    /// Retires all pairs.
    ///
    /// # Safety
    /// As for [`turn`](Ring::turn).
    unsafe fn finish(&mut self, words: *mut i64, bins: usize) {
        for _ in 0..16 {
            // SAFETY: the caller's contract.
            let _ = unsafe { self.turn::<4>(words, bins) };
        }
    }
}

/// Points past the last whole vector, padded, and the count of a pair with each in the upper half
/// of a word: 0 for padding.
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

/// The bins of the pairs of a point with a vector of others, and what they add to words, as the
/// ring has them.
///
/// # Safety
/// As for [`Lanes`]; there is a vector of others.
#[inline(always)]
unsafe fn pairs<V: Lanes>(
    (x, y, psi): (V, V, V::Integers),
    other: Points,
    one: V::Integers,
    shift: [V; 2],
    (inverse_width, last): (V, V),
) -> (V::Integers, [V::Integers; 2]) {
    // SAFETY: the caller's contract.
    unsafe {
        let dx = V::load(other.x).sub(x).add(shift[0]);
        let dy = V::load(other.y).sub(y).add(shift[1]);
        let r2 = dx.mul(dx).add(dy.mul(dy));
        let product = V::product(V::load(other.psi.cast()).bits(), psi);
        (r2.root().mul(inverse_width).whole(last), V::halves(product, one))
    }
}

/// The kernel.
///
/// # Safety
/// As for [`scatter`](super::scatter()).
#[inline(always)]
pub(super) unsafe fn scatter<V: Lanes, const LANES: usize>(
    first: Points,
    other: Points,
    shift: *const f32,
    inverse_width: f32,
    bins: usize,
    words: *mut i64,
) {
    const { assert!(LANES == V::LANES) };
    let mut ring = Ring::new();
    // SAFETY: two shifts, points i < n of the first and j < n of the others, in whole vectors or in
    // a copy that is one; bins are `bins` at most; the caller's contract.
    unsafe {
        let rest = Rest::<LANES>::new(other);
        let shift = [0, 1].map(|axis| V::splat(shift.add(axis).read_unaligned()));
        let scale = (V::splat(inverse_width), V::splat(bins as f32));
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
