//! The intrinsics, written once for the vectors of all instruction sets.

use crate::math::vector::Vector;

/// A vector with comparisons, whose elements may be pairs.
///
/// # Safety
/// As for [`Vector`].
pub(super) trait Lanes: Vector {
    /// A set of lanes.
    type Mask: Copy;

    /// Exchanges elements 2 i and 2 i + 1.
    unsafe fn swap_pairs(self) -> Self;
    unsafe fn less(self, b: Self) -> Self::Mask;
    unsafe fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Whether all lanes are in the set.
    unsafe fn is_full(mask: Self::Mask) -> bool;
    /// The next number above `x`; infinity for infinity.
    fn next_above(x: Self::Element) -> Self::Element;
}

/// Defines the kernels of an instruction set for its vectors of floats and of doubles. `[n]` is the
/// number of vectors that hold the lanes of two dot products.
macro_rules! export_vectors {
    ($isa:ident $floats:ident $doubles:ident [$n:literal]) => {
        crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn swap_u32(x: *mut u32, y: *mut u32, n: usize) {
                // SAFETY: the contract of the kernel: `x` and `y` have n words.
                unsafe { updates::update::<$floats, 2, 4>(updates::Swap { at: [x.cast(), y.cast()] }, n) }
            }
        }
        lanes::export_vectors! {
            $isa f32 $floats axpy_f32 scal_f32 rot_f32 amax_f32 axpy_complex_f32 scal_complex_f32 amax_complex_f32
            dot_pairs_f32 dot_crossed_f32 [$n; LANES_F32]
        }
        lanes::export_vectors! {
            $isa f64 $doubles axpy_f64 scal_f64 rot_f64 amax_f64 axpy_complex_f64 scal_complex_f64 amax_complex_f64
            dot_pairs_f64 dot_crossed_f64 [$n; LANES_F64]
        }
    };
    ($isa:ident $type:ident $vector:ident $axpy:ident $scal:ident $rot:ident $amax:ident
     $axpy_complex:ident $scal_complex:ident $amax_complex:ident $dot_pairs:ident $dot_crossed:ident
     [$n:literal; $lanes:ident]) => {
        crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn $axpy(alpha: $type, x: *const $type, y: *mut $type, n: usize) {
                // SAFETY: the contract of the kernel: `x` and `y` have n elements.
                unsafe {
                    let alpha = <$vector as Vector>::splat(alpha);
                    updates::update::<$vector, 2, 4>(updates::Axpy { alpha, at: [y, x.cast_mut()] }, n);
                }
            }

            pub(super) unsafe extern "C" fn $scal(alpha: $type, x: *mut $type, n: usize) {
                // SAFETY: the contract of the kernel: `x` has n elements.
                unsafe {
                    let alpha = <$vector as Vector>::splat(alpha);
                    updates::update::<$vector, 1, 4>(updates::Scal { alpha, at: x }, n);
                }
            }

            pub(super) unsafe extern "C" fn $rot(c: $type, s: $type, x: *mut $type, y: *mut $type, n: usize) {
                // SAFETY: the contract of the kernel: `x` and `y` have n elements.
                unsafe {
                    let [c, s] = [<$vector as Vector>::splat(c), <$vector as Vector>::splat(s)];
                    updates::update::<$vector, 2, 4>(updates::Rot { c, s, at: [x, y] }, n);
                }
            }

            pub(super) unsafe extern "C" fn $amax(x: *const $type, n: usize) -> usize {
                // SAFETY: the contract of the kernel: `x` has n elements.
                unsafe { maxima::amax::<$vector, 1>(x, n) }
            }

            pub(super) unsafe extern "C" fn $axpy_complex(
                re: $type, im: $type, x: *const $type, y: *mut $type, n: usize,
            ) {
                // SAFETY: the contract of the kernel: `x` and `y` have 2 n parts.
                unsafe {
                    let alpha = updates::Factor::<$vector>::new(re, im);
                    updates::update::<$vector, 2, 4>(updates::AxpyComplex { alpha, at: [y, x.cast_mut()] }, 2 * n);
                }
            }

            pub(super) unsafe extern "C" fn $scal_complex(re: $type, im: $type, x: *mut $type, n: usize) {
                // SAFETY: the contract of the kernel: `x` has 2 n parts.
                unsafe {
                    let alpha = updates::Factor::<$vector>::new(re, im);
                    updates::update::<$vector, 1, 4>(updates::ScalComplex { alpha, at: x }, 2 * n);
                }
            }

            pub(super) unsafe extern "C" fn $amax_complex(x: *const $type, n: usize) -> usize {
                // SAFETY: the contract of the kernel: `x` has 2 n parts.
                unsafe { maxima::amax::<$vector, 2>(x, n) }
            }

            pub(super) unsafe extern "C" fn $dot_pairs(x: *const $type, y: *const $type, n: usize, sums: *mut $type) {
                use crate::reduce::{contract::$lanes, lanes::alternating, steps::Dot};
                // SAFETY: the contract of the kernel: `x` and `y` have n elements, `sums` two.
                unsafe { sums.cast::<[$type; 2]>().write_unaligned(alternating::<$vector, $n, $lanes>(Dot(x, y), n)) }
            }

            pub(super) unsafe extern "C" fn $dot_crossed(x: *const $type, y: *const $type, n: usize, sums: *mut $type) {
                use crate::reduce::{contract::$lanes, lanes::alternating};
                // SAFETY: the contract of the kernel: `x` and `y` have 2 n elements, `sums` two.
                unsafe {
                    let step = pairs::Crossed(x, y);
                    sums.cast::<[$type; 2]>().write_unaligned(alternating::<$vector, $n, $lanes>(step, 2 * n));
                }
            }
        }
    };
}
pub(super) use export_vectors;

/// Implements [`Lanes`] with intrinsics: a vector and its mask, the exchange, the comparison, the
/// intersection, and whether a mask is full.
macro_rules! lanes {
    ($($vector:ident $element:ident $mask:ident |$x:ident| $swap:expr, |$a:ident, $b:ident| $less:expr,
       |$m:ident, $o:ident| $both:expr, |$full:ident| $is_full:expr;)+) => {$(
        // SAFETY: the contract of the trait, throughout.
        #[allow(unsafe_op_in_unsafe_fn)]
        impl lanes::Lanes for $vector {
            type Mask = $mask;

            #[inline(always)]
            unsafe fn swap_pairs(self) -> Self {
                let $x = self;
                $swap
            }
            #[inline(always)]
            unsafe fn less(self, $b: Self) -> $mask {
                let $a = self;
                $less
            }
            #[inline(always)]
            unsafe fn both($m: $mask, $o: $mask) -> $mask {
                $both
            }
            #[inline(always)]
            unsafe fn is_full($full: $mask) -> bool {
                $is_full
            }
            #[inline(always)]
            fn next_above(x: $element) -> $element {
                x.next_up()
            }
        }
    )+};
}
pub(super) use lanes;
