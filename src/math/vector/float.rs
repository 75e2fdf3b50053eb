//! Vectors of floats.

use super::{Int, Words};
use crate::math::float::Float;

/// Largest number of lanes of a vector.
pub(crate) const MAX_LANES: usize = 16;

/// A vector of `LANES` elements.
///
/// # Safety
/// Every method needs a CPU that has the instruction set, and is inlined into a function that has
/// it enabled. Pointers have any alignment.
pub(crate) trait Vector: Copy {
    type Element: Float;
    const LANES: usize;

    unsafe fn splat(x: Self::Element) -> Self;
    /// Reads `LANES` elements.
    unsafe fn load(from: *const Self::Element) -> Self;
    /// Writes `LANES` elements.
    unsafe fn store(self, to: *mut Self::Element);
    /// Reads the first `n` elements, less than `LANES`; the others are 0.
    unsafe fn load_first(from: *const Self::Element, n: usize) -> Self;
    /// Writes the first `n` elements, less than `LANES`.
    unsafe fn store_first(self, to: *mut Self::Element, n: usize);
    /// The first `n` elements of `self`, less than `LANES`, then those of `others`.
    #[inline(always)]
    unsafe fn first_then(self, others: Self, n: usize) -> Self {
        let mut all = [Self::Element::ZERO; MAX_LANES];
        // SAFETY: the contract of the trait; no vector is longer.
        unsafe {
            others.store(all.as_mut_ptr());
            self.store_first(all.as_mut_ptr(), n);
            Self::load(all.as_ptr())
        }
    }
    unsafe fn add(self, b: Self) -> Self;
    unsafe fn sub(self, b: Self) -> Self;
    unsafe fn mul(self, b: Self) -> Self;
    unsafe fn magnitude(self) -> Self;
    /// The lanes from `half` on, moved to the first lanes. `half` is a power of two less than `LANES`;
    /// lanes from `half` on are unspecified.
    unsafe fn upper(self, half: usize) -> Self;
}

/// A vector of 32-bit floats, with its bits as a vector of integers.
///
/// # Safety
/// As for [`Vector`].
pub(crate) trait Single: Vector<Element = f32> {
    /// A set of lanes.
    type Mask: Copy;
    type Bits: Int<Element = u32, Mask = Self::Mask>;

    unsafe fn bits(self) -> Self::Bits;
    unsafe fn from_bits(bits: Self::Bits) -> Self;
    /// The nearest integers, ties to even. A float below -2^31 gives -2^31.
    unsafe fn round(self) -> Self::Bits;
    /// Converts signed integers to floats, rounded.
    unsafe fn from_integers(integers: Self::Bits) -> Self;
    unsafe fn sqrt(self) -> Self;
    /// `self * b + c`. The product must be exact, because it may be fused or not.
    unsafe fn mul_add(self, b: Self, c: Self) -> Self;
    /// The minimum. If `self` is NaN, it is `b`, which must not be NaN.
    unsafe fn min(self, b: Self) -> Self;
    /// The minimum. If `self` is NaN, it is that NaN; a signaling one need not be quieted.
    unsafe fn min_or_nan(self, b: Self) -> Self;
    /// The maximum of two numbers.
    unsafe fn max(self, b: Self) -> Self;
    unsafe fn less(self, b: Self) -> Self::Mask;
    /// `!(self < b)`: also true if one of them is NaN.
    unsafe fn not_less(self, b: Self) -> Self::Mask;
    unsafe fn is_nan(self) -> Self::Mask;
    /// `x`, which is the same in all lanes, in the lanes where `numbers` is odd, else 0.
    unsafe fn where_odd(numbers: Self::Bits, x: Self::Bits) -> Self::Bits;
    /// Adds 1 in the lanes of the mask.
    unsafe fn count(numbers: Self::Bits, mask: Self::Mask) -> Self::Bits;

    /// [`round`](Self::round) as floats.
    #[inline(always)]
    unsafe fn integral(self) -> Self {
        // SAFETY: the contract of the trait.
        unsafe { Self::from_integers(self.round()) }
    }
    /// `self * 2^n`, computed in the exponent, with `n` = `t` rounded. No result may be denormal.
    #[inline(always)]
    unsafe fn scale(self, t: Self) -> Self {
        // SAFETY: the CPU has the instruction set.
        unsafe { Self::from_bits(self.bits().add(t.round().shl::<23>())) }
    }
    /// The bits of `a` where `mask` has a 1, else the bits of `b`.
    #[inline(always)]
    unsafe fn merge(mask: Self::Bits, a: Self::Bits, b: Self::Bits) -> Self::Bits {
        // SAFETY: the CPU has the instruction set.
        unsafe { a.xor(b).and(mask).xor(b) }
    }
    /// `a` in the lanes of the mask, else `b`.
    #[inline(always)]
    unsafe fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        // SAFETY: the CPU has the instruction set.
        unsafe { Self::from_bits(Self::Bits::select(mask, a.bits(), b.bits())) }
    }
}

/// A vector with fused multiply-adds, which SSE2 emulates.
///
/// # Safety
/// As for [`Vector`].
pub(crate) trait Fused: Vector {
    /// `self * b + c`, rounded once.
    unsafe fn fma(self, b: Self, c: Self) -> Self;
}

/// Additions and products with exact errors.
///
/// # Safety
/// As for [`Vector`].
pub(crate) trait Exact: Vector {
    /// `self + b`. If multiply-adds run on ports that additions cannot use, it is `self * one + b`.
    #[inline(always)]
    unsafe fn plus(self, b: Self, _one: Self) -> Self {
        // SAFETY: the contract of the trait.
        unsafe { self.add(b) }
    }
    /// `self - b`, computed like [`plus`](Self::plus).
    #[inline(always)]
    unsafe fn minus(self, b: Self, _one: Self) -> Self {
        // SAFETY: the caller's contract: the CPU has the instructions.
        unsafe { self.sub(b) }
    }
    /// The rounded product p of `self` and `b`, and its excess `p - self * b`, rounded once.
    unsafe fn two_product(self, b: Self) -> (Self, Self);
}

/// A vector of doubles with the operations of binned sums.
///
/// # Safety
/// As for [`Vector`].
pub(crate) trait Wide: Vector<Element = f64> {
    type Bits: Words;

    /// `2^MIN_LAST_PLACE` is the smallest last place of a sum for which [`Self::nearest`] works.
    const MIN_LAST_PLACE: i32;

    /// Reads `LANES` floats.
    unsafe fn widen(from: *const f32) -> Self;
    /// `sum + self`. A tie is rounded so that the smaller part of `self` is added. `below` is
    /// [`BELOW_ONE`]. The last place of the sum must be more than 2^12 last places of `self`.
    unsafe fn nearest(self, sum: Self, below: Self) -> Self;
    /// A running maximum: the upper 16 bits of each magnitude of `self` and `b`, in the high halves
    /// of 32-bit lanes, or the lanes of `so_far` if these are larger.
    unsafe fn highest(self, b: Self, so_far: Self) -> Self;
    unsafe fn bits(self) -> Self::Bits;
}

/// The double below 1. The exact product of a number and this is between the number and its
/// neighbour toward 0.
pub(crate) const BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

/// Implements [`Vector`] with the intrinsics of one type, in the order of its methods. Partial
/// loads and stores go through memory, unless expressions for them follow. A function at the end
/// overrides a provided method.
macro_rules! vector {
    ($vector:ident $element:ident $lanes:literal $splat:ident $load:ident $store:ident $add:ident $sub:ident $mul:ident
     |$x:ident| $magnitude:expr, |$u:ident, $half:ident| $upper:expr) => {
        crate::math::vector::vector! { $vector $element $lanes $splat $load $store $add $sub $mul
            |$x| $magnitude, |$u, $half| $upper;
            |from, n| {
                let mut all = [0.0; $lanes];
                core::ptr::copy_nonoverlapping(from.cast::<u8>(), all.as_mut_ptr().cast(), n * size_of::<$element>());
                $load(all.as_ptr())
            };
            |value, to, n| {
                let mut all = [0.0; $lanes];
                $store(all.as_mut_ptr(), value);
                core::ptr::copy_nonoverlapping(all.as_ptr().cast::<u8>(), to.cast(), n * size_of::<$element>());
            }
        }
    };
    ($vector:ident $element:ident $lanes:literal $splat:ident $load:ident $store:ident $add:ident $sub:ident $mul:ident
     |$x:ident| $magnitude:expr, |$u:ident, $half:ident| $upper:expr; |$from:ident, $n:ident| $load_first:expr;
     |$value:ident, $to:ident, $m:ident| $store_first:expr
     $(; $better:item)?) => {
        // SAFETY: the contract of the trait, throughout.
        #[allow(unsafe_op_in_unsafe_fn)]
        impl crate::math::vector::Vector for $vector {
            type Element = $element;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(x: $element) -> Self {
                $splat(x)
            }
            #[inline(always)]
            unsafe fn load(from: *const $element) -> Self {
                $load(from)
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $element) {
                $store(to, self)
            }
            #[inline(always)]
            unsafe fn load_first($from: *const $element, $n: usize) -> Self {
                $load_first
            }
            #[inline(always)]
            unsafe fn store_first(self, $to: *mut $element, $m: usize) {
                let $value = self;
                $store_first
            }
            $(
                #[inline(always)]
                $better
            )?
            #[inline(always)]
            unsafe fn add(self, b: Self) -> Self {
                $add(self, b)
            }
            #[inline(always)]
            unsafe fn sub(self, b: Self) -> Self {
                $sub(self, b)
            }
            #[inline(always)]
            unsafe fn mul(self, b: Self) -> Self {
                $mul(self, b)
            }
            #[inline(always)]
            unsafe fn magnitude(self) -> Self {
                let $x = self;
                $magnitude
            }
            #[inline(always)]
            unsafe fn upper(self, $half: usize) -> Self {
                let $u = self;
                $upper
            }
        }
    };
}
pub(crate) use vector;

/// Implements [`Single`] with the intrinsics of one type, in the order of its methods: names of
/// intrinsics from floats to floats, expressions for the others. Functions at the end override
/// provided methods for which the instruction set has better code.
macro_rules! single {
    ($vector:ident $mask:ident $integers:ident
     bits |$x:ident| $bits:expr, $from_bits:expr; integers |$y:ident| $round:expr, $from_integers:expr;
     $sqrt:ident |$f:ident, $g:ident, $h:ident| $mul_add:expr; $min:ident $max:ident
     masks |$a:ident, $b:ident| $min_or_nan:expr, $less:expr, $not_less:expr; |$c:ident| $is_nan:expr;
     |$numbers:ident, $z:ident| $where_odd:expr; |$n:ident, $m:ident| $count:expr; $($better:item)*) => {
        // SAFETY: the contract of the trait, throughout.
        #[allow(unsafe_op_in_unsafe_fn)]
        impl crate::math::vector::Single for $vector {
            type Mask = $mask;
            type Bits = $integers;

            #[inline(always)]
            unsafe fn bits(self) -> $integers {
                let $x = self;
                $integers($bits)
            }
            #[inline(always)]
            unsafe fn from_bits($integers($x): $integers) -> Self {
                $from_bits
            }
            #[inline(always)]
            unsafe fn round(self) -> $integers {
                let $y = self;
                $integers($round)
            }
            #[inline(always)]
            unsafe fn from_integers($integers($y): $integers) -> Self {
                $from_integers
            }
            #[inline(always)]
            unsafe fn sqrt(self) -> Self {
                $sqrt(self)
            }
            #[inline(always)]
            unsafe fn mul_add(self, $g: Self, $h: Self) -> Self {
                let $f = self;
                $mul_add
            }
            #[inline(always)]
            unsafe fn min(self, b: Self) -> Self {
                $min(self, b)
            }
            #[inline(always)]
            unsafe fn min_or_nan(self, $b: Self) -> Self {
                let $a = self;
                $min_or_nan
            }
            #[inline(always)]
            unsafe fn max(self, b: Self) -> Self {
                $max(self, b)
            }
            #[inline(always)]
            unsafe fn less(self, $b: Self) -> $mask {
                let $a = self;
                $less
            }
            #[inline(always)]
            unsafe fn not_less(self, $b: Self) -> $mask {
                let $a = self;
                $not_less
            }
            #[inline(always)]
            unsafe fn is_nan(self) -> $mask {
                let $c = self;
                $is_nan
            }
            #[inline(always)]
            unsafe fn where_odd($integers($numbers): $integers, $integers($z): $integers) -> $integers {
                $integers($where_odd)
            }
            #[inline(always)]
            unsafe fn count($integers($n): $integers, $m: $mask) -> $integers {
                $integers($count)
            }
            $(
                #[inline(always)]
                $better
            )*
        }
    };
}
pub(crate) use single;

/// Implements [`Fused`] with an intrinsic for `a * b + c`.
#[cfg(any(avx2, neon))]
macro_rules! fused {
    ($($vector:ident |$a:ident, $b:ident, $c:ident| $fma:expr),+) => {$(
        impl crate::math::vector::Fused for $vector {
            #[inline(always)]
            unsafe fn fma(self, $b: Self, $c: Self) -> Self {
                let $a = self;
                // SAFETY: the contract of the trait.
                unsafe { $fma }
            }
        }
    )+};
}
#[cfg(any(avx2, neon))]
pub(crate) use fused;

/// Implements [`Exact`] and [`Wide`] with fused multiply-adds: intrinsics for `a * b + c` and
/// `c - a * b`, then the arguments of [`wide`].
#[cfg(avx2)]
macro_rules! exact {
    ($vector:ident $fma:ident $fnma:ident, $doubles:ident $fma_doubles:ident $fnma_doubles:ident
     |$from:ident| $widen:expr, |$a:ident, $b:ident, $so_far:ident| $highest:expr,
     |$x:ident| $words:ident($bits:expr)) => {
        crate::math::vector::exact! { $vector $fma $fnma }
        crate::math::vector::exact! { $doubles $fma_doubles $fnma_doubles }
        crate::math::vector::wide! { $doubles |$from| $widen, |$a, $b, $so_far| $highest, |$x| $words($bits) }
    };
    ($vector:ident $fma:ident $fnma:ident) => {
        // SAFETY: the contract of the trait, throughout.
        #[allow(unsafe_op_in_unsafe_fn)]
        impl crate::math::vector::Exact for $vector {
            #[inline(always)]
            unsafe fn plus(self, b: Self, one: Self) -> Self {
                $fma(self, one, b)
            }
            #[inline(always)]
            unsafe fn minus(self, b: Self, one: Self) -> Self {
                $fnma(b, one, self)
            }
            #[inline(always)]
            unsafe fn two_product(self, b: Self) -> (Self, Self) {
                let product = self.mul(b);
                (product, $fnma(self, b, product))
            }
        }
    };
}
#[cfg(avx2)]
pub(crate) use exact;

/// Implements [`Wide`] with fused multiply-adds, given the other methods. The factor below 1
/// moves a tie toward 0, and moves no other number as far as a tie.
#[cfg(any(avx2, neon))]
macro_rules! wide {
    ($vector:ident |$from:ident| $widen:expr, |$a:ident, $b:ident, $so_far:ident| $highest:expr,
     |$x:ident| $words:ident($bits:expr)) => {
        // SAFETY: the contract of the trait, throughout.
        #[allow(unsafe_op_in_unsafe_fn)]
        impl crate::math::vector::Wide for $vector {
            type Bits = $words;
            const MIN_LAST_PLACE: i32 = -1074;

            #[inline(always)]
            unsafe fn widen($from: *const f32) -> Self {
                $widen
            }
            #[inline(always)]
            unsafe fn nearest(self, sum: Self, below: Self) -> Self {
                self.fma(below, sum)
            }
            #[inline(always)]
            unsafe fn highest(self, $b: Self, $so_far: Self) -> Self {
                let $a = self;
                $highest
            }
            #[inline(always)]
            unsafe fn bits(self) -> $words {
                let $x = self;
                $words($bits)
            }
        }
    };
}
#[cfg(any(avx2, neon))]
pub(crate) use wide;
