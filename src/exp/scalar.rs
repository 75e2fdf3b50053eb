//! The definition of the three approximations, one value at a time.
//!
//! No operation is fused and none is reordered, so that every instruction set gives the same bits.

use crate::math::libm::{nearest_i32, sqrt_f32};

macro_rules! kernels {
    ($($name:ident $function:ident),+) => {$(
        pub(super) unsafe extern "C" fn $name(x: *const f32, y: *mut f32, n: usize) {
            // SAFETY: the caller's contract.
            unsafe { map(x, y, n, $function) }
        }
    )+};
}
kernels! { fast_f32 fast, accurate_f32 accurate, poly_f32 poly }

/// The result of `fast` and `accurate` for a NaN: all bits set.
pub(super) const NAN: f32 = f32::from_bits(!0);

/// The bits of 1.0: the exponent bias in the exponent field.
pub(crate) const ONE: u32 = 0x3f80_0000;
/// `2 ln(2)^2`: centres the relative error of the piecewise linear exponential.
pub(crate) const SCALE: f32 = f32::from_bits(0x3f75_fdf0);

/// `2^23 log2 e`.
pub(crate) const FAST_FACTOR: f32 = 12_102_203.0;
/// -87.3: the result is still a normal number.
pub(crate) const FAST_LOW: f32 = f32::from_bits(0xc2ae_999a);
/// 88.72283, the last float below `128 ln 2`.
pub(crate) const FAST_HIGH: f32 = f32::from_bits(0x42b1_7217);

/// `2^25 log2 e`.
pub(crate) const ACCURATE_FACTOR: f32 = 48_408_812.0;
/// -21.834137, the float next to `-31.5 ln 2`.
pub(crate) const ACCURATE_LOW: f32 = f32::from_bits(0xc1ae_ac50);
/// 22.180708, the last float below `32 ln 2`.
pub(crate) const ACCURATE_HIGH: f32 = f32::from_bits(0x41b1_7217);

/// `log2 e`.
pub(crate) const LOG2_E: f32 = f32::from_bits(0x3fb8_aa3b);
/// -87.33655, the float next to `-126 ln 2`.
pub(crate) const POLY_LOW: f32 = f32::from_bits(0xc2ae_ac50);
/// 88.72284, the first float above `128 ln 2`; the polynomial gives infinity there.
pub(crate) const POLY_HIGH: f32 = f32::from_bits(0x42b1_7218);
/// `a, b, c, d`: on -1/2..1/2 `2^f` is `s ((f + a) f + b)^2 ((f + c) f + d)^2` within 5e-7, and
/// exactly 1 at 0, with `s = POLY_SCALE`.
pub(crate) const POLY: [f32; 4] = [
    f32::from_bits(0x411f_a717),
    f32::from_bits(0x41fb_8bd9),
    f32::from_bits(0x3fc5_280f),
    f32::from_bits(0x4252_c7df),
];
pub(crate) const POLY_SCALE: f32 = f32::from_bits(0x34c3_8e74);

/// About `2^(t / 2^23)`: the bits of a float are nearly a linear function of its logarithm.
fn linear(t: f32) -> f32 {
    f32::from_bits(ONE.wrapping_add_signed(nearest_i32(t))) * SCALE
}

fn fast(x: f32) -> f32 {
    if x.is_nan() { NAN } else { linear(x.clamp(FAST_LOW, FAST_HIGH) * FAST_FACTOR) }
}

fn accurate(x: f32) -> f32 {
    if x.is_nan() {
        NAN
    } else if x < ACCURATE_LOW {
        0.0
    } else {
        let root = sqrt_f32(sqrt_f32(linear(x.min(ACCURATE_HIGH) * ACCURATE_FACTOR)));
        if x > 0.0 { root.max(1.0) } else { root }
    }
}

fn poly(x: f32) -> f32 {
    if x.is_nan() {
        f32::from_bits(x.to_bits() | 0x0040_0000)
    } else if x < POLY_LOW {
        0.0
    } else {
        exp2(x.min(POLY_HIGH) * LOG2_E, POLY_SCALE)
    }
}

/// The core of `poly`: `2^t s / POLY_SCALE` for -126 <= t <= 128.
pub(crate) fn exp2(t: f32, s: f32) -> f32 {
    let [a, b, c, d] = POLY;
    let n = nearest_i32(t);
    let f = t - n as f32;
    let q = ((f + a) * f + b) * ((f + c) * f + d);
    f32::from_bits((q * q * s).to_bits().wrapping_add_signed(n << 23))
}

/// `y[i] = f(x[i])`; `x` and `y` may be the same, at any alignment.
unsafe fn map(x: *const f32, y: *mut f32, n: usize, f: impl Fn(f32) -> f32) {
    for i in 0..n {
        // SAFETY: the caller's contract: `x` and `y` have `n` values.
        unsafe { y.add(i).write_unaligned(f(x.add(i).read_unaligned())) }
    }
}
