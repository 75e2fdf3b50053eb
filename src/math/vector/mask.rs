//! Masks, floats and doubles with masked operations, and vectors of 64-bit words.

use super::{Int, Single, Vector};

/// A set of lanes of a vector.
///
/// # Safety
/// As for [`Vector`].
pub(crate) trait Mask: Copy {
    unsafe fn none() -> Self;
    unsafe fn and(self, b: Self) -> Self;
    unsafe fn or(self, b: Self) -> Self;
    /// Lanes of this mask that are not in `b`.
    unsafe fn and_not(self, b: Self) -> Self;
    /// One bit per lane; the lowest bit is the first lane.
    unsafe fn bits(self) -> u32;
    /// Whether it contains any lane.
    #[inline(always)]
    unsafe fn any(self) -> bool {
        // SAFETY: the contract of the trait.
        unsafe { self.bits() != 0 }
    }
}

/// A vector of integers with multiplication.
///
/// # Safety
/// As for [`Vector`].
pub(crate) trait IntProduct: Int<Element = u32> {
    /// The lower halves of the products.
    unsafe fn mul(self, b: Self) -> Self;
}

/// A vector of floats with division and fractional parts.
///
/// # Safety
/// As for [`Vector`].
pub(crate) trait Fractional: Single<Mask: Mask, Bits: IntProduct> {
    unsafe fn div(self, b: Self) -> Self;
    /// `self` minus `self` rounded toward 0, for magnitudes below 2^31.
    unsafe fn fraction(self) -> Self;
}

/// A vector of doubles that hold integers.
///
/// # Safety
/// As for [`Vector`].
pub(crate) trait Integral: Vector<Element = f64> {
    type Mask: Mask;

    unsafe fn less(self, b: Self) -> Self::Mask;
    unsafe fn at_most(self, b: Self) -> Self::Mask;
    /// `a` in the lanes of the mask, else `b`.
    unsafe fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// `self` in the lanes of the mask, else 0.
    unsafe fn keep(self, mask: Self::Mask) -> Self;
    /// 0 in the lanes of the mask, else `self`.
    unsafe fn clear(self, mask: Self::Mask) -> Self;
    /// The minimum. On x86-64 it is `b` if one of them is NaN.
    unsafe fn min(self, b: Self) -> Self;
    /// The maximum, or `b` if `self` is NaN.
    unsafe fn max(self, b: Self) -> Self;
    unsafe fn div(self, b: Self) -> Self;
    /// The upper 52 bits of each of `LANES` words, as doubles.
    unsafe fn upper_52(from: *const u64) -> Self;
    /// `self + a * b`. The product must be exact, because it may be fused or not.
    unsafe fn plus_product(self, a: Self, b: Self) -> Self;
    /// `self - a * b`, with the same condition.
    unsafe fn less_product(self, a: Self, b: Self) -> Self;
}

/// A vector of `LANES` 64-bit words. Arithmetic wraps.
///
/// # Safety
/// As for [`Vector`].
pub(crate) trait Words: Copy {
    const LANES: usize;

    unsafe fn splat(x: u64) -> Self;
    unsafe fn load(from: *const u64) -> Self;
    unsafe fn store(self, to: *mut u64);
    unsafe fn add(self, b: Self) -> Self;
    unsafe fn sub(self, b: Self) -> Self;
}

/// Implements a vector trait: types and constants, then methods, which are all unsafe and inlined.
macro_rules! lanes {
    (impl $trait:ident $(<$t:ty>)? for $vector:ty { $($item:item)* } $($method:item)*) => {
        // SAFETY: the contract of the trait, throughout.
        #[allow(unsafe_op_in_unsafe_fn)]
        impl $trait$(<$t>)? for $vector {
            $($item)*
            $(#[inline(always)] $method)*
        }
    };
}
pub(crate) use lanes;
