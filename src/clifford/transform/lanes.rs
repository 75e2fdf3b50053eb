//! The kernels, generic over vectors, and the macro that exports them for an instruction set.

mod blades;
mod straight;
mod tables;

use super::super::multiply::lanes::Transpose;
use super::scalar::{self, Multivectors, Planes, Shape, Sums};
use straight::{blades_of_algebra, forms_of_algebra};
use tables::{WIDE, all_blades, all_forms, together};

/// The kernel of forms with vectors of type `V`, or of a shorter type if the inner dimension is short.
///
/// Where fused multiply-adds are emulated, products of matrices take so long that straight code for transforms would
/// not be noticed.
///
/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn forms<V, W, X>(
    algebra: usize,
    shape: Shape,
    x: Multivectors<*const V::Element>,
    y: Planes<*mut V::Element>,
    sums: Sums,
) where
    V: Transpose,
    W: Transpose<Element = V::Element>,
    X: Transpose<Element = V::Element>,
{
    // SAFETY: the caller's contract.
    unsafe {
        match shape.n {
            n if n >= V::LANES => match if V::FUSES { algebra } else { 0 } {
                1 => forms_of_algebra::<V, 0, 4>(shape, x, y),
                2 => forms_of_algebra::<V, 1, 4>(shape, x, y),
                3 => forms_of_algebra::<V, 2, 8>(shape, x, y),
                4 => forms_of_algebra::<V, 3, 8>(shape, x, y),
                5 => forms_of_algebra::<V, 4, 16>(shape, x, y),
                6 => forms_of_algebra::<V, 5, 16>(shape, x, y),
                7 if together(shape.m, 2, x.outer) == 2 => forms_of_algebra::<V, 6, 4>(shape, x, y),
                _ => all_forms::<V, WIDE>(shape, x, y, sums),
            },
            n if n >= W::LANES => all_forms::<W, 1>(shape, x, y, sums),
            n if n >= X::LANES => all_forms::<X, 1>(shape, x, y, sums),
            _ => scalar::forms(shape, x, y, sums),
        }
    }
}

/// The kernel of blades, with vectors as for [`forms()`].
///
/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn blades<V, W, X>(
    algebra: usize,
    shape: Shape,
    x: Planes<*const V::Element>,
    start: (*const V::Element, bool),
    y: Multivectors<*mut V::Element>,
    sums: Sums,
) where
    V: Transpose,
    W: Transpose<Element = V::Element>,
    X: Transpose<Element = V::Element>,
{
    // SAFETY: the caller's contract.
    unsafe {
        match shape.n {
            n if n >= V::LANES => match if V::FUSES { algebra } else { 0 } {
                1 => blades_of_algebra::<V, 0, 4>(shape, x, start, y),
                2 => blades_of_algebra::<V, 1, 4>(shape, x, start, y),
                3 => blades_of_algebra::<V, 2, 8>(shape, x, start, y),
                4 => blades_of_algebra::<V, 3, 8>(shape, x, start, y),
                5 => blades_of_algebra::<V, 4, 16>(shape, x, start, y),
                6 => blades_of_algebra::<V, 5, 16>(shape, x, start, y),
                7 if together(shape.m, 2, y.outer) == 2 => blades_of_algebra::<V, 6, 4>(shape, x, start, y),
                _ => all_blades::<V, WIDE>(shape, x, start, y, sums),
            },
            n if n >= W::LANES => all_blades::<W, 1>(shape, x, start, y, sums),
            n if n >= X::LANES => all_blades::<X, 1>(shape, x, start, y, sums),
            _ => scalar::blades(shape, x, start, y, sums),
        }
    }
}

/// Exports the kernels of an instruction set for its vectors of floats and of doubles.
macro_rules! export_transforms {
    ($isa:ident [$($floats:ident)+] [$($doubles:ident)+]) => {
        $crate::clifford::transform::lanes::export_transforms! { $isa
            forms_f32 blades_f32 f32 [$($floats),+], forms_f64 blades_f64 f64 [$($doubles),+]
        }
    };
    ($isa:ident $($forms:ident $blades:ident $type:ident [$v:ident, $w:ident, $x:ident]),+) => {
        $crate::frame::isa::$isa! {$(
            pub(super) unsafe extern "C" fn $forms(
                algebra: usize, m: usize, n: usize, blades: usize, x: *const $type, x_outer: usize, x_inner: usize,
                y: *mut $type, y_outer: usize, y_plane: usize,
                terms: *const u32, ends: *const u32, kept: usize, sums: usize,
            ) {
                let x = Multivectors { at: x, outer: x_outer, inner: x_inner };
                let y = Planes { at: y, outer: y_outer, plane: y_plane };
                let (shape, sums) = (Shape { m, n, blades }, Sums { terms, ends, kept, count: sums });
                // SAFETY: the caller's contract.
                unsafe { lanes::forms::<$v, $w, $x>(algebra, shape, x, y, sums) }
            }
            pub(super) unsafe extern "C" fn $blades(
                algebra: usize, m: usize, n: usize, blades: usize, x: *const $type, x_outer: usize, x_plane: usize,
                start: *const $type, inner: u32,
                y: *mut $type, y_outer: usize, y_inner: usize, terms: *const u32, ends: *const u32, kept: usize
            ) {
                let x = Planes { at: x, outer: x_outer, plane: x_plane };
                let y = Multivectors { at: y, outer: y_outer, inner: y_inner };
                let sums = Sums { terms, ends, kept, count: blades };
                // SAFETY: the caller's contract.
                unsafe { lanes::blades::<$v, $w, $x>(algebra, Shape { m, n, blades }, x, (start, inner != 0), y, sums) }
            }
        )+}
    };
}
pub(super) use export_transforms;
