//! What the kernels of pairs need of a vector, beside [`Vector`].

use crate::vector::Vector;

/// Pairs that a lane of a sum holds: their number in its upper 5 bits, and the sum of their
/// products, of at most 2^21.
pub(super) const MOST: usize = 31;
pub(super) const COUNT_SHIFT: u32 = 27;

/// Products may be negative: a lane begins with half a pair.
pub(super) const HALF: i32 = 1 << (COUNT_SHIFT - 1);

/// The lower and the upper half of a word, of a lane that is shifted right by [`COUNT_SHIFT`] - 15
/// for the upper one.
pub(super) const LOW: i32 = (1 << COUNT_SHIFT) - 1;
pub(super) const HIGH: i32 = (MOST as i32) << 15;

/// Vectors of floats, and of as many integers.
///
/// # Safety
/// As for [`Vector`].
pub(super) trait Lanes: Vector<Element = f32> {
    type Integers: Copy;

    /// Reads the first `n` elements, more than none and less than `LANES`; the others are 0.
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
    /// The integer parts, or those of `most` where they are less.
    unsafe fn whole(self, most: Self) -> Self::Integers;
    /// Products as words, two of them each, with `one` added to the upper halves: those of pairs 0
    /// and 1, and of 2 and 3, of each four.
    unsafe fn halves(product: Self::Integers, one: Self::Integers) -> [Self::Integers; 2];
    /// Adds pairs where the bits of `r2` are greater.
    unsafe fn add_beyond(lanes: Self::Integers, r2: Self, near: Self::Integers, pair: Self::Integers)
    -> Self::Integers;
    /// Lanes as words, two of them each.
    unsafe fn widen(lanes: Self::Integers) -> Self::Integers;
    unsafe fn add_words(a: Self::Integers, b: Self::Integers) -> Self::Integers;
}

/// [`Lanes`] with intrinsics in the order of their use, and `load_part` if that is quicker by itself.
#[cfg(sse2)]
macro_rules! implement_lanes {
    ($vector:ident $integers:ident $bits:ident $set1:ident $add:ident $madd:ident $srai:ident $sqrt:ident $min:ident $convert:ident
     $low:ident $high:ident $srli:ident $and:ident $add_words:ident $sub_words:ident $set1_word:ident |$lanes:ident, $r2:ident, $near:ident, $pair:ident| $add_beyond:expr; $($load_part:item)?) => {
        // SAFETY: the contract of the trait, throughout.
        #[allow(unsafe_op_in_unsafe_fn)]
        impl crate::correlation::lanes::Lanes for $vector {
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
            unsafe fn whole(self, most: Self) -> $integers {
                $convert($min(self, most))
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
    /// Those from point `j` on.
    ///
    /// # Safety
    /// There are as many.
    #[inline(always)]
    pub unsafe fn from(self, j: usize) -> Self {
        // SAFETY: the caller's contract.
        unsafe { Points { x: self.x.add(j), y: self.y.add(j), psi: self.psi.add(2 * j), n: self.n - j } }
    }
}
