//! The vector operations of the pair kernels, in addition to [`Vector`].

use crate::vector::Vector;

/// Maximum number of pairs in a lane. Its upper 5 bits hold their number, its lower 27 bits the sum
/// of their products, of at most 2^21 each.
pub(super) const MAX_LANE_PAIRS: usize = 31;
pub(super) const COUNT_SHIFT: u32 = 27;

/// Initial value of a lane: half a pair, since products may be negative.
pub(super) const HALF: i32 = 1 << (COUNT_SHIFT - 1);

/// Masks that make the halves of a word from a lane. `LOW` selects the sum. `HIGH` selects the
/// count, after a right shift by [`COUNT_SHIFT`] - 15.
pub(super) const LOW: i32 = (1 << COUNT_SHIFT) - 1;
pub(super) const HIGH: i32 = (MAX_LANE_PAIRS as i32) << 15;

/// Vectors of floats, with vectors of as many integers.
///
/// # Safety
/// Same as for [`Vector`].
pub(super) trait PairVector: Vector<Element = f32> {
    type Integers: Copy;

    /// Reads the first `n` elements, where 0 < `n` < `LANES`; the others are 0.
    #[inline(always)]
    unsafe fn load_part(from: *const f32, n: usize) -> Self {
        // SAFETY: the contract of the trait.
        unsafe { Self::load_first(from, n) }
    }
    unsafe fn bits(self) -> Self::Integers;
    unsafe fn integers(x: i32) -> Self::Integers;
    unsafe fn add_integers(a: Self::Integers, b: Self::Integers) -> Self::Integers;
    /// The products of orientations, rounded.
    unsafe fn product(psi: Self::Integers, other_psi: Self::Integers) -> Self::Integers;
    unsafe fn root(self) -> Self;
    /// The integer parts of the lanes minus `start`, at least 0 and at most `max`.
    unsafe fn whole(self, start: Self, max: Self) -> Self::Integers;
    /// Extends products to words and adds `one` to the upper halves. The first vector holds pairs 0
    /// and 1 of every four, the second pairs 2 and 3.
    unsafe fn halves(product: Self::Integers, one: Self::Integers) -> [Self::Integers; 2];
    /// Adds `pair` in the lanes where the bits of `r2` are greater than `near`.
    unsafe fn add_beyond(lanes: Self::Integers, r2: Self, near: Self::Integers, pair: Self::Integers)
    -> Self::Integers;
    /// Converts lanes to words; each word is the sum of two lanes.
    unsafe fn widen(lanes: Self::Integers) -> Self::Integers;
    unsafe fn add_words(a: Self::Integers, b: Self::Integers) -> Self::Integers;
}

/// Implements [`PairVector`] from intrinsics, which are listed in the order of their use. An
/// instruction set may add a faster `load_part`.
#[cfg(sse2)]
macro_rules! implement_lanes {
    ($vector:ident $integers:ident $bits:ident $set1:ident $add:ident $madd:ident $srai:ident $sqrt:ident $max:ident $min:ident $convert:ident
     $low:ident $high:ident $srli:ident $and:ident $add_words:ident $sub_words:ident $set1_word:ident |$lanes:ident, $r2:ident, $near:ident, $pair:ident| $add_beyond:expr; $($load_part:item)?) => {
        // SAFETY: the contract of the trait, throughout.
        #[allow(unsafe_op_in_unsafe_fn)]
        impl crate::correlation::lanes::PairVector for $vector {
            type Integers = $integers;

            $($load_part)?

            #[inline(always)]
            unsafe fn bits(self) -> $integers {
                $bits(self)
            }
            #[inline(always)]
            unsafe fn integers(x: i32) -> $integers {
                $set1(x)
            }
            #[inline(always)]
            unsafe fn add_integers(a: $integers, b: $integers) -> $integers {
                $add(a, b)
            }
            #[inline(always)]
            unsafe fn product(psi: $integers, other_psi: $integers) -> $integers {
                $srai::<8>($add($madd(psi, other_psi), $set1(128)))
            }
            #[inline(always)]
            unsafe fn root(self) -> Self {
                $sqrt(self)
            }
            #[inline(always)]
            unsafe fn whole(self, start: Self, max: Self) -> $integers {
                use crate::vector::Vector;
                $convert($min($max(self, start).sub(start), max))
            }
            #[inline(always)]
            unsafe fn halves(product: $integers, one: $integers) -> [$integers; 2] {
                let upper = $add($srai::<31>(product), one);
                [$low(product, upper), $high(product, upper)]
            }
            #[inline(always)]
            unsafe fn add_beyond($lanes: $integers, r2: Self, $near: $integers, $pair: $integers) -> $integers {
                let $r2 = $bits(r2);
                $add_beyond
            }
            #[inline(always)]
            unsafe fn widen(lanes: $integers) -> $integers {
                use crate::correlation::lanes::{COUNT_SHIFT, HALF, HIGH, LOW};
                let (sums, counts) =
                    ($and(lanes, $set1(LOW)), $and($srli::<{ (COUNT_SHIFT - 15) as _ }>(lanes), $set1(HIGH)));
                $sub_words($add_words($low(sums, counts), $high(sums, counts)), $set1_word(2 * HALF as i64))
            }
            #[inline(always)]
            unsafe fn add_words(a: $integers, b: $integers) -> $integers {
                $add_words(a, b)
            }
        }
    };
}
#[cfg(sse2)]
pub(super) use implement_lanes;

/// `n` points.
#[derive(Clone, Copy)]
pub(super) struct Points {
    pub x: *const f32,
    pub y: *const f32,
    pub psi: *const i16,
    pub n: usize,
}

impl Points {
    /// The points from `j` on.
    ///
    /// # Safety
    /// `j` is at most `n`.
    #[inline(always)]
    pub unsafe fn from(self, j: usize) -> Self {
        // SAFETY: the caller's contract.
        unsafe { Points { x: self.x.add(j), y: self.y.add(j), psi: self.psi.add(2 * j), n: self.n - j } }
    }
}
