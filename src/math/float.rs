//! The two floating-point types that families are generic over.

use core::fmt::Debug;
use core::ops::{Add, Mul, Neg, Sub};

use crate::math::fused::{fma_f32, fma_f64};

/// `f32` or `f64`.
pub trait Float:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + Send
    + Sync
    + sealed::Sealed
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The quiet NaN with positive sign and no payload.
    const NAN: Self;
    /// Infinity.
    const INFINITY: Self;

    /// `self * b + c`, rounded once.
    #[must_use]
    fn fma(self, b: Self, c: Self) -> Self;

    /// The magnitude.
    #[must_use]
    fn magnitude(self) -> Self;

    /// Converts to `f64`, exactly.
    #[must_use]
    fn to_f64(self) -> f64;

    /// Rounds an `f64` to this type.
    #[must_use]
    fn from_f64(x: f64) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! floats {
    ($($type:ident $fma:ident)+) => {$(
        impl sealed::Sealed for $type {}
        impl Float for $type {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const NAN: Self = $type::from_bits($type::INFINITY.to_bits() | 1 << ($type::MANTISSA_DIGITS - 2));
            const INFINITY: Self = $type::INFINITY;

            fn fma(self, b: Self, c: Self) -> Self {
                $fma(self, b, c)
            }

            #[inline]
            fn magnitude(self) -> Self {
                self.abs()
            }

            #[inline]
            #[allow(clippy::useless_conversion)] // `f64` to itself
            fn to_f64(self) -> f64 {
                self.into()
            }

            #[inline]
            fn from_f64(x: f64) -> Self {
                x as $type
            }
        }
    )+};
}
floats! { f32 fma_f32 f64 fma_f64 }
