//! Advanced SIMD.

use core::arch::aarch64::*;

use crate::frame::isa::neon;

neon! {
    pub unsafe extern "C" fn transpose_u64x32x32(src: *const u64, dst: *mut u64) {
        // 2 x 2 words at a time.
        for i in (0..32).step_by(2) {
            for j in (0..32).step_by(2) {
                // SAFETY: two words in each of two rows of either matrix.
                unsafe {
                    let [even, odd] = [0, 1].map(|r| vld1q_u64(src.add(32 * (i + r) + j)));
                    let to = dst.add(32 * j + i);
                    vst1q_u64(to, vzip1q_u64(even, odd));
                    vst1q_u64(to.add(32), vzip2q_u64(even, odd));
                }
            }
        }
    }
}

super::scalar::pick_from_tiles! { neon octet, super::scalar::pick }

neon! {
    /// Bit `place` of each of 8 words.
    ///
    /// # Safety
    /// The words are readable.
    #[inline]
    unsafe fn octet(words: *const u8, place: usize) -> u8 {
        let bit = vdupq_n_u64(1 << place);
        let pair = |i: usize| {
            // SAFETY: 2 of the words.
            let words = vreinterpretq_u64_u8(unsafe { vld1q_u8(words.add(16 * i)) });
            let weights = vcombine_u64(vdup_n_u64(1 << (2 * i)), vdup_n_u64(2 << (2 * i)));
            vandq_u64(vtstq_u64(words, bit), weights)
        };
        vaddvq_u64(vorrq_u64(vorrq_u64(pair(0), pair(1)), vorrq_u64(pair(2), pair(3)))) as u8
    }
}

super::scalar::position_counts! {
    neon uint8x16_t, 2,
    vdupq_n_u8(0), vdupq_n_u8(1), carry, vandq_u8, vaddq_u8, vshrq_n_u8
}

neon! {
    /// Adds x and y to the bits of `sum`; returns the carries.
    #[inline]
    fn carry(sum: &mut uint8x16_t, x: uint8x16_t, y: uint8x16_t) -> uint8x16_t {
        let half = veorq_u8(*sum, x);
        let carry = vbslq_u8(half, y, x);
        *sum = veorq_u8(half, y);
        carry
    }
}
