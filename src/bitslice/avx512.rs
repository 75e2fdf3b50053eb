//! AVX-512 BW.

use core::arch::x86_64::*;

use super::scalar::pick_octets;

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
pub unsafe extern "C" fn pick(
    planes: *const u8,
    stride: usize,
    count: usize,
    block_bits: usize,
    block_stride: usize,
    indices: *const usize,
    n: usize,
    out: *mut u8,
) {
    // SAFETY: the caller's contract.
    unsafe {
        if stride == 8 && block_bits == 6 {
            pick_octets(planes, stride, count, block_bits, block_stride, indices, n, out, |planes, place| {
                octet(planes, place)
            })
        } else {
            super::avx2::pick(planes, stride, count, block_bits, block_stride, indices, n, out)
        }
    }
}

/// Bit `place` of 8 words.
///
/// # Safety
/// They are readable.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
unsafe fn octet(words: *const u8, place: usize) -> u8 {
    // SAFETY: the words.
    let words = unsafe { _mm512_loadu_si512(words.cast()) };
    _mm512_test_epi64_mask(words, _mm512_set1_epi64(1 << place))
}

super::scalar::position_counts! {
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")] __m512i, 8,
    _mm512_setzero_si512(), _mm512_set1_epi8(1), carry, _mm512_and_si512, _mm512_add_epi8, _mm512_srli_epi16
}

/// Adds x and y to the bits of a sum; what is carried.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn carry(sum: &mut __m512i, x: __m512i, y: __m512i) -> __m512i {
    // Ternary logic: 0xe8 is the majority, 0x96 a ^ b ^ c.
    let carry = _mm512_ternarylogic_epi64::<0xe8>(*sum, x, y);
    *sum = _mm512_ternarylogic_epi64::<0x96>(*sum, x, y);
    carry
}
