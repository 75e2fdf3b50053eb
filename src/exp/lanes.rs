//! The intrinsics of the family, written once for the vectors of all instruction sets.

use super::scalar::*;
use crate::math::vector::{Int, Single};

/// `y[i] = f(x[i])`: whole vectors, then the tail.
///
/// # Safety
/// `x` and `y` have `n` values. The CPU has the instruction set; all functions below require that.
#[inline(always)]
pub(super) unsafe fn map<V: Single>(x: *const f32, y: *mut f32, n: usize, f: impl Fn(V) -> V) {
    // SAFETY: the vectors are within the n values.
    unsafe {
        let rest = n % V::LANES;
        let whole = n - rest;
        for i in (0..whole).step_by(V::LANES) {
            f(V::load(x.add(i))).store(y.add(i));
        }
        if rest != 0 {
            f(V::load_first(x.add(whole), rest)).store_first(y.add(whole), rest);
        }
    }
}

/// See [`linear`](super::scalar).
#[inline(always)]
unsafe fn linear<V: Single>(t: V) -> V {
    // SAFETY: the CPU has the instruction set.
    unsafe { V::from_bits(t.round().add(V::Bits::splat(ONE))).mul(V::splat(SCALE)) }
}

/// `y`, with all bits set where `x` is a NaN.
#[inline(always)]
unsafe fn mark_nan<V: Single>(y: V, x: V) -> V {
    // SAFETY: the CPU has the instruction set.
    unsafe { V::select(x.is_nan(), V::splat(NAN), y) }
}

/// `y`, with 0 where `x` is less than `low`.
#[inline(always)]
unsafe fn cut<V: Single>(y: V, x: V, low: f32) -> V {
    // SAFETY: the CPU has the instruction set.
    unsafe { V::select(x.not_less(V::splat(low)), y, V::splat(0.0)) }
}

#[inline(always)]
pub(super) unsafe fn fast<V: Single>(x: V) -> V {
    // SAFETY: the CPU has the instruction set.
    unsafe {
        let inside = x.min(V::splat(FAST_HIGH)).max(V::splat(FAST_LOW));
        mark_nan(linear(inside.mul(V::splat(FAST_FACTOR))), x)
    }
}

#[inline(always)]
pub(super) unsafe fn accurate<V: Single>(x: V) -> V {
    // SAFETY: the CPU has the instruction set.
    unsafe {
        let (zero, one) = (V::splat(0.0), V::splat(1.0));
        let root = linear(x.min(V::splat(ACCURATE_HIGH)).mul(V::splat(ACCURATE_FACTOR))).sqrt().sqrt();
        let y = root.max(V::select(zero.less(x), one, zero));
        mark_nan(cut(y, x, ACCURATE_LOW), x)
    }
}

#[inline(always)]
pub(super) unsafe fn poly<V: Single>(x: V) -> V {
    // SAFETY: the CPU has the instruction set.
    unsafe { cut(exp2(x.min_or_nan(V::splat(POLY_HIGH)).mul(V::splat(LOG2_E)), POLY_SCALE), x, POLY_LOW) }
}

/// `2^t s / POLY_SCALE` for -126 <= t <= 128.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
pub(crate) unsafe fn exp2<V: Single>(t: V, s: f32) -> V {
    // SAFETY: the CPU has the instruction set.
    unsafe {
        let [a, b, c, d] = [V::splat(POLY[0]), V::splat(POLY[1]), V::splat(POLY[2]), V::splat(POLY[3])];
        let f = t.sub(t.integral());
        let q = f.add(a).mul(f).add(b).mul(f.add(c).mul(f).add(d));
        q.mul(q).mul(V::splat(s)).scale(t)
    }
}

/// Defines the kernels of an instruction set for its vectors of floats.
macro_rules! kernels {
    ($isa:ident $vector:ident) => {
        $crate::exp::lanes::kernels! { $isa $vector fast_f32 fast, accurate_f32 accurate, poly_f32 poly }
    };
    ($isa:ident $vector:ident $($name:ident $function:ident),+) => {
        $crate::frame::isa::$isa! {$(
            pub(super) unsafe extern "C" fn $name(x: *const f32, y: *mut f32, n: usize) {
                // SAFETY: the caller's contract.
                unsafe { lanes::map::<$vector>(x, y, n, |x| lanes::$function(x)) }
            }
        )+}
    };
}
pub(super) use kernels;
