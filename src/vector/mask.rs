//! Masks, floats and doubles that are chosen by them, and vectors of words of 64 bits.

use super::{Int, Single, Vector};

/// Some lanes of a vector.
///
/// # Safety
/// As for [`Vector`].
pub(crate) trait Mask: Copy {
    unsafe fn none() -> Self;
    unsafe fn and(self, b: Self) -> Self;
    unsafe fn or(self, b: Self) -> Self;
    /// Lanes of this mask that are not in `b`.
    unsafe fn and_not(self, b: Self) -> Self;
    /// A bit for each lane, the lowest for the first.
    unsafe fn bits(self) -> u32;
    /// Whether it has a lane.
    #[inline(always)]
    unsafe fn any(self) -> bool {
        // SAFETY: the contract of the trait.
        unsafe { self.bits() != 0 }
    }
}

/// A vector of integers that are multiplied.
///
/// # Safety
/// As for [`Vector`].
pub(crate) trait Product: Int<Element = u32> {
    /// The lower halves of products.
    unsafe fn mul(self, b: Self) -> Self;
}

/// A vector of floats whose fractions are taken.
///
/// # Safety
/// As for [`Vector`].
pub(crate) trait Fractional: Single<Mask: Mask, Bits: Product> {
    unsafe fn div(self, b: Self) -> Self;
    /// What is behind the point, for magnitudes below 2^31.
    unsafe fn fraction(self) -> Self;
}

/// A vector of doubles that are integers.
///
/// # Safety
/// As for [`Vector`].
pub(crate) trait Integral: Vector<Element = f64> {
    type Mask: Mask;

    unsafe fn less(self, b: Self) -> Self::Mask;
    unsafe fn at_most(self, b: Self) -> Self::Mask;
    /// `a` in the lanes of the mask, else `b`.
    unsafe fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// 0 in all lanes but those of the mask.
    unsafe fn keep(self, mask: Self::Mask) -> Self;
    /// 0 in the lanes of the mask.
    unsafe fn clear(self, mask: Self::Mask) -> Self;
    /// The smaller; on x86-64 `b` if one is NaN.
    unsafe fn min(self, b: Self) -> Self;
    /// The larger, and `b` if `self` is NaN.
    unsafe fn max(self, b: Self) -> Self;
    unsafe fn div(self, b: Self) -> Self;
    /// The upper 52 bits of words.
    unsafe fn upper_52(from: *const u64) -> Self;
    /// `self + a * b`, for a product that is exact: it may be rounded or not.
    unsafe fn plus_product(self, a: Self, b: Self) -> Self;
    /// `self - a * b`, likewise.
    unsafe fn less_product(self, a: Self, b: Self) -> Self;
}

/// A vector of `LANES` words, which wrap.
///
/// # Safety
/// As for [`Vector`].
pub(crate) trait Words: Copy {
    const LANES: usize;

    unsafe fn splat(x: u64) -> Self;
    unsafe fn load(from: *const u64) -> Self;
    unsafe fn add(self, b: Self) -> Self;
    unsafe fn sub(self, b: Self) -> Self;
}

/// An implementation of a trait of vectors: types and constants, then methods, which are all unsafe
/// and inlined.
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
