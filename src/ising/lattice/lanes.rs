//! The kernel, generic over the vectors of all instruction sets. Lanes are blocks.
//!
//! The first rounds of the generator compute little for each call: of its counter, only the block
//! differs between lanes, and only the number of the call between the calls for a block. The first
//! product of rounds 0 and 2 and the second one of round 1 are computed once for a block, the
//! others of rounds 0 and 1 once for all blocks.

use core::array::from_fn;

use super::contract::{BITS, BLOCK_ROWS, CALLS, HEAT_BATH, NEGATIVE, ODD, OWN, OWN_CALLS, ROUND_CALLS, Visit};
use crate::math::vector::Words;
use crate::random::{PHILOX_FACTORS, PHILOX_ROUNDS, philox_keys};

/// A vector of words with logic, shifts and products.
///
/// # Safety
/// As for [`Words`].
pub(super) trait WordLogic: Words {
    unsafe fn and(self, b: Self) -> Self;
    unsafe fn or(self, b: Self) -> Self;
    unsafe fn xor(self, b: Self) -> Self;
    /// `self & !b`.
    unsafe fn and_not(self, b: Self) -> Self;
    unsafe fn shl<const N: i32>(self) -> Self;
    unsafe fn shr<const N: i32>(self) -> Self;
    /// The products of the lower halves of the lanes.
    unsafe fn product(self, b: Self) -> Self;
    unsafe fn is_zero(self) -> bool;
}

/// What all blocks of a visit have in common.
pub(super) struct Common {
    factors: [u64; 2],
    keys: [[u64; 2]; PHILOX_ROUNDS],
    /// Upper half, with the key of round 1, and lower half of the first product of round 1.
    calls: [[u64; 2]; CALLS],
    /// The lower half of the second product of round 0.
    low: u64,
    /// The bits of the acceptance probabilities: all ones or zeros for class 0, and whether class 1 differs.
    codes: [[u64; 2]; BITS],
    /// The upper half of the number of the sweep.
    sweep_high: u64,
}

impl Common {
    /// # Safety
    /// `codes` are those of the kernel.
    #[inline(always)]
    pub unsafe fn new(visit: &Visit) -> Self {
        let keys = philox_keys([visit.seed as u32, (visit.seed >> 32) as u32]).map(|key| key.map(u64::from));
        let factors = PHILOX_FACTORS.map(u64::from);
        let [first, second] = factors;
        let product = second * (visit.sweep & 0xffff_ffff);
        let calls = from_fn(|call| {
            let word = product >> 32 ^ (2 * call as u64 + u64::from(visit.flags & ODD)) ^ keys[0][0];
            let product = first * word;
            [product >> 32 ^ keys[1][1], product & 0xffff_ffff]
        });
        let codes = from_fn(|k| {
            // SAFETY: the caller's contract.
            let code = unsafe { visit.codes.add(k).read() };
            let bits = [code & 1, code >> 1 & 1].map(|bit| u64::from(bit).wrapping_neg());
            [bits[0], bits[0] ^ bits[1]]
        });
        Common { factors, keys, calls, low: product & 0xffff_ffff, codes, sweep_high: visit.sweep >> 32 }
    }
}

/// What the calls of the generator for a vector of blocks have in common.
struct Generator<V> {
    /// The lower half of the first product of round 0.
    third: V,
    /// The lower half of the second product of round 1, with a key.
    second: V,
    /// Both halves of the first product of round 2; the upper one with a key.
    high: V,
    low: V,
    factors: [V; 2],
}

impl<V: WordLogic> Generator<V> {
    /// # Safety
    /// The CPU has the instruction set.
    #[inline(always)]
    unsafe fn new(common: &Common, blocks: V) -> Self {
        // SAFETY: the caller's contract.
        unsafe {
            let keys = &common.keys;
            // A volatile read hides the factors from LLVM, which else makes products and shifts products of 64
            // bits, three times as slow.
            let [first, second] = (&raw const common.factors).read_volatile();
            let factors = [V::splat(first), V::splat(second)];
            let product = factors[0].product(blocks);
            let other = factors[1].product(product.shr::<32>().xor(V::splat(common.sweep_high ^ keys[0][1])));
            let last = factors[0].product(other.shr::<32>().xor(V::splat(common.low ^ keys[1][0])));
            Generator {
                third: product,
                second: other.xor(V::splat(keys[2][0])),
                high: last.shr::<32>().xor(V::splat(keys[2][1])),
                low: last,
                factors,
            }
        }
    }

    /// Two random planes. Upper halves of lanes are arbitrary until the last round.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    #[inline(always)]
    unsafe fn planes(&self, common: &Common, call: usize) -> [V; 2] {
        // SAFETY: the caller's contract.
        unsafe {
            let [high, low] = common.calls[call % CALLS];
            let (high, low) = (V::splat(high), V::splat(low));
            let product = self.factors[1].product(self.third.xor(high));
            let mut words = [product.shr::<32>().xor(self.second), product, self.high.xor(low), self.low];
            for keys in &common.keys[3..PHILOX_ROUNDS - 1] {
                let [a, b, c, d] = words;
                let (a, c) = (self.factors[0].product(a), self.factors[1].product(c));
                let (first, second) = (V::splat(keys[0]), V::splat(keys[1]));
                words = [c.shr::<32>().xor(b).xor(first), c, a.shr::<32>().xor(d).xor(second), a];
            }
            let [a, b, c, d] = words;
            let (a, c) = (self.factors[0].product(a), self.factors[1].product(c));
            let [first, second] = common.keys[PHILOX_ROUNDS - 1];
            let (first, second) = (V::splat(first << 32), V::splat(second << 32));
            [c.xor(b.shl::<32>()).xor(first), a.xor(d.shl::<32>()).xor(second)]
        }
    }
}

/// See the reference.
#[derive(Clone, Copy)]
struct Comparison<V> {
    odd: V,
    undecided: V,
    less: V,
}

impl<V: WordLogic> Comparison<V> {
    /// # Safety
    /// The CPU has the instruction set.
    #[inline(always)]
    unsafe fn add(&mut self, [even, differs]: [u64; 2], random: V) {
        // SAFETY: the caller's contract.
        unsafe {
            let probability = self.odd.and(V::splat(differs)).xor(V::splat(even));
            self.less = self.less.or(self.undecided.and(probability).and_not(random));
            self.undecided = self.undecided.and_not(probability.xor(random));
        }
    }
}

/// What all blocks of a visit have in common.
pub(super) struct Masks<V> {
    negative: V,
    /// The spins of more than two unsatisfied bonds that flip for certain.
    certain: V,
}

impl<V: WordLogic> Masks<V> {
    /// # Safety
    /// The CPU has the instruction set.
    #[inline(always)]
    pub unsafe fn new(flags: u32) -> Self {
        let flag = |flag: u32| if flags & flag != 0 { u64::MAX } else { 0 };
        // SAFETY: the caller's contract.
        unsafe { Masks { negative: V::splat(flag(NEGATIVE)), certain: V::splat(!flag(HEAT_BATH)) } }
    }
}

/// The words at which a row of a vector of blocks is read and written.
pub(super) struct Places {
    pub own: *mut u64,
    pub above: *const u64,
    pub same: *const u64,
    pub below: *const u64,
    /// The words before `same`, or those after it.
    pub beside: *const u64,
    pub is_left: bool,
}

/// The classes of a row's spins, and their flips as far as they are certain. The flips of spins with
/// two unsatisfied bonds are in the second vector.
///
/// # Safety
/// The places exist.
#[inline(always)]
unsafe fn classify<V: WordLogic>(places: &Places, masks: &Masks<V>, live: V) -> (Comparison<V>, V) {
    // SAFETY: the caller's contract.
    unsafe {
        let same = V::load(places.same);
        let beside = if places.is_left {
            same.shl::<1>().or(V::load(places.beside).shr::<63>())
        } else {
            same.shr::<1>().or(V::load(places.beside).shl::<63>())
        };
        let spins = V::load(places.own).xor(masks.negative);
        let (a, b) = (V::load(places.above).xor(spins), V::load(places.below).xor(spins));
        let (c, d) = (same.xor(spins), beside.xor(spins));
        let three = a.xor(b).xor(c);
        let carry = a.and(b).or(a.xor(b).and(c));
        let (ones, other) = (three.xor(d), three.and(d));
        let (twos, fours) = (carry.xor(other), carry.and(other));
        let half = twos.and_not(ones).and(live);
        let over = fours.or(twos.and(ones)).and(live);
        let undecided = live.and_not(half).and_not(over.and(masks.certain));
        (Comparison { odd: ones, undecided, less: over }, half)
    }
}

/// Visits `V::LANES` blocks, and returns the number of flips. `places` and `live` are those of each of `block_rows`
/// rows; `live` are the bits that are spins.
///
/// # Safety
/// The places exist; nothing else uses those of `own`, or writes the others.
#[inline(always)]
pub(super) unsafe fn visit_blocks<V: WordLogic>(
    common: &Common,
    masks: &Masks<V>,
    blocks: &[u64; BLOCK_ROWS],
    block_rows: usize,
    places: impl Fn(usize) -> Places,
    live: impl Fn(usize) -> V,
) -> u64 {
    // SAFETY: the caller's contract.
    unsafe {
        let generator = Generator::<V>::new(common, V::load(blocks.as_ptr()));
        let zero = V::splat(0);
        let mut sites = [Comparison { odd: zero, undecided: zero, less: zero }; BLOCK_ROWS];
        for (b, site) in sites[..block_rows].iter_mut().enumerate() {
            let (mut own, half) = classify(&places(b), masks, live(b));
            let over = own.less;
            own.less = zero;
            let [first, second] = generator.planes(common, OWN / 2 * b);
            own.add(common.codes[0], first);
            own.add(common.codes[1], second);
            let [third, fourth] = generator.planes(common, OWN / 2 * b + 1);
            own.add(common.codes[2], third);
            own.add(common.codes[3], fourth);
            own.less = own.less.xor(over).or(half.and_not(first));
            *site = own;
        }
        for round in 0..BLOCK_ROWS {
            let mut pooled = Comparison { odd: zero, undecided: zero, less: zero };
            let mut chosen = [zero; BLOCK_ROWS];
            for (own, chosen) in sites[..block_rows].iter_mut().zip(&mut chosen) {
                *chosen = own.undecided.and_not(pooled.undecided);
                own.undecided = own.undecided.and(pooled.undecided);
                pooled.undecided = pooled.undecided.or(*chosen);
                pooled.odd = pooled.odd.or(own.odd.and(*chosen));
            }
            if pooled.undecided.is_zero() {
                break;
            }
            for (nth, call) in (OWN_CALLS + round * ROUND_CALLS..).take(ROUND_CALLS).enumerate() {
                let [first, second] = generator.planes(common, call);
                pooled.add(common.codes[OWN + 2 * nth], first);
                pooled.add(common.codes[OWN + 2 * nth + 1], second);
                if pooled.undecided.is_zero() {
                    break;
                }
            }
            for (own, chosen) in sites[..block_rows].iter_mut().zip(chosen) {
                own.less = own.less.xor(pooled.less.and(chosen));
            }
        }
        let mut flipped = 0;
        for (b, site) in sites[..block_rows].iter().enumerate() {
            let own = places(b).own;
            V::load(own).xor(site.less).store(own);
            let mut flips = [0u64; BLOCK_ROWS];
            site.less.store(flips.as_mut_ptr());
            flipped += flips[..V::LANES].iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        }
        flipped
    }
}
