//! Advanced SIMD.

use core::arch::aarch64::*;

super::scalar::finish! {
    #[target_feature(enable = "neon")] uint32x4_t, 4,
    vdupq_n_u32, vaddq_u32, vsubq_u32, vorrq_u32, quotient, ratio, choose
}

/// `x / y`.
#[inline]
#[target_feature(enable = "neon")]
fn quotient(x: uint32x4_t, y: uint32x4_t) -> uint32x4_t {
    vreinterpretq_u32_f32(vdivq_f32(vcvtq_f32_u32(x), vcvtq_f32_u32(y)))
}

/// `c / sqrt(a b)`.
#[inline]
#[target_feature(enable = "neon")]
fn ratio(a: uint32x4_t, b: uint32x4_t, c: uint32x4_t) -> uint32x4_t {
    let half = |a, b, c| {
        let [a, b, c] = [a, b, c].map(|x| vcvtq_f64_u64(vmovl_u32(x)));
        vdivq_f64(c, vsqrtq_f64(vmulq_f64(a, b)))
    };
    let low = half(vget_low_u32(a), vget_low_u32(b), vget_low_u32(c));
    let high = half(vget_high_u32(a), vget_high_u32(b), vget_high_u32(c));
    vreinterpretq_u32_f32(vcvt_high_f32_f64(vcvt_f32_f64(low), high))
}

/// `x` where the test is not 0, else `y`.
#[inline]
#[target_feature(enable = "neon")]
fn choose(test: uint32x4_t, x: uint32x4_t, y: uint32x4_t) -> uint32x4_t {
    vbslq_u32(vceqzq_u32(test), y, x)
}

#[target_feature(enable = "neon")]
pub unsafe extern "C" fn counts(rows: *const u8, n: usize, bits: usize, stride: usize, counts: *mut u32) {
    let vectors = bits / 128;
    for i in 0..n {
        // SAFETY: the vectors of a row, and what is left of it.
        unsafe {
            let row = rows.add(i * stride);
            let mut sum = vdupq_n_u32(0);
            for vector in 0..vectors {
                sum = vpadalq_u16(sum, vpaddlq_u8(vcntq_u8(vld1q_u8(row.add(16 * vector)))));
            }
            let rest = super::scalar::ones(row.add(16 * vectors), bits % 128);
            counts.add(i).write_unaligned(vaddvq_u32(sum) + rest);
        }
    }
}
