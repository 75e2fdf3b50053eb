//! The vector operations of the pair kernels, in addition to [`Vector`].

use crate::math::vector::Vector;

/// Maximum number of points whose orientations are added up in a lane. The parts of an orientation are
/// split into 128 times a high number, of at most 128 in magnitude, and a low one below 128. The sums of
/// low numbers take 11 bits, above which one lane counts the points.
pub(super) const MAX_LANE_POINTS: usize = 16;

/// One point in a lane of low numbers, and the mask of their number.
pub(super) const POINT: i32 = 1 << 11;
pub(super) const POINTS: i32 = 31 << 11;

/// The start of a sum of high numbers: with it, a negative number in the lower half of a lane borrows
/// nothing from the upper half.
pub(super) const START: i32 = 1 << 15;

/// The low halves of an orientation's parts with one point, and the high halves.
#[inline(always)]
pub(super) fn split(psi: [i16; 2]) -> [i32; 2] {
    let [re, im] = psi.map(i32::from);
    [(im & 127) << 16 | POINT | re & 127, ((im >> 7) << 16) + (re >> 7)]
}

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
    /// The products of orientations.
    unsafe fn product(psi: Self::Integers, other_psi: Self::Integers) -> Self::Integers;
    unsafe fn root(self) -> Self;
    /// The integer parts of the lanes minus `start`, at least 0 and at most `max`.
    unsafe fn whole(self, start: Self, max: Self) -> Self::Integers;
    /// Extends products to words and adds `one` to the upper halves. The first vector holds pairs 0
    /// and 1 of every four, the second pairs 2 and 3.
    unsafe fn halves(product: Self::Integers, one: Self::Integers) -> [Self::Integers; 2];
    /// Adds `numbers` in the lanes where the bits of `r2` are greater than `near`.
    unsafe fn add_beyond<const N: usize>(
        sums: [Self::Integers; N],
        r2: Self,
        near: Self::Integers,
        numbers: [Self::Integers; N],
    ) -> [Self::Integers; N];
    unsafe fn and(a: Self::Integers, b: Self::Integers) -> Self::Integers;
    unsafe fn xor(a: Self::Integers, b: Self::Integers) -> Self::Integers;
    /// Writes the lanes where `r2` is less than `limit`, in ascending order, to the beginnings of two
    /// arrays, and returns their number. The rest of a vector at either place becomes arbitrary.
    unsafe fn compress(
        r2: Self,
        products: Self::Integers,
        limit: Self,
        to_r2: *mut f32,
        to_products: *mut i32,
    ) -> usize;
}

/// Implements [`PairVector`] from intrinsics, which are listed in the order of their use. An
/// instruction set may add a faster `load_part`.
#[cfg(sse2)]
macro_rules! implement_lanes {
    ($vector:ident $integers:ident $bits:ident $set1:ident $add:ident $madd:ident $srai:ident $sqrt:ident $max:ident
        $min:ident $convert:ident
     $low:ident $high:ident $and:ident $xor:ident |$r2:ident, $near:ident| $compare:expr,
     |$beyond:ident, $sum:ident, $number:ident| $add_beyond:expr,
     |$compressed:ident, $products:ident, $limit:ident, $to_r2:ident, $to_products:ident| $compress:block
     $($load_part:item)?) => {
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
            unsafe fn product(psi: $integers, other_psi: $integers) -> $integers {
                $madd(psi, other_psi)
            }
            #[inline(always)]
            unsafe fn root(self) -> Self {
                $sqrt(self)
            }
            #[inline(always)]
            unsafe fn whole(self, start: Self, max: Self) -> $integers {
                use crate::math::vector::Vector;
                $convert($min($max(self, start).sub(start), max))
            }
            #[inline(always)]
            unsafe fn halves(product: $integers, one: $integers) -> [$integers; 2] {
                let upper = $add($srai::<31>(product), one);
                [$low(product, upper), $high(product, upper)]
            }
            #[inline(always)]
            unsafe fn add_beyond<const N: usize>(
                mut sums: [$integers; N],
                r2: Self,
                $near: $integers,
                numbers: [$integers; N],
            ) -> [$integers; N] {
                let $r2 = $bits(r2);
                let $beyond = $compare;
                for k in 0..N {
                    let ($sum, $number) = (sums[k], numbers[k]);
                    sums[k] = $add_beyond;
                }
                sums
            }
            #[inline(always)]
            unsafe fn and(a: $integers, b: $integers) -> $integers {
                $and(a, b)
            }
            #[inline(always)]
            unsafe fn xor(a: $integers, b: $integers) -> $integers {
                $xor(a, b)
            }
            #[inline(always)]
            unsafe fn compress(
                $compressed: Self,
                $products: $integers,
                $limit: Self,
                $to_r2: *mut f32,
                $to_products: *mut i32,
            ) -> usize {
                $compress
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
