//! AVX2: a block in 2 vectors.

use core::arch::x86_64::*;

use super::lanes::{Bytes, sweep, sweep_floats};
use super::scalar::{block_kernels, float_block_kernels};

block_kernels! { avx2 [sweep __m256i, 2,] }
float_block_kernels! { avx2 [sweep_floats __m256, 8,] }

// SAFETY: the contract of the trait, throughout.
#[allow(unsafe_op_in_unsafe_fn)]
impl Bytes for __m256i {
    type Mask = __m256i;
    const LANES: usize = 32;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        _mm256_loadu_si256(from.cast())
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        _mm256_storeu_si256(to.cast(), self)
    }
    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        _mm256_sub_epi8(self, b)
    }
    #[inline(always)]
    unsafe fn and(self, b: Self) -> Self {
        _mm256_and_si256(self, b)
    }
    #[inline(always)]
    unsafe fn xor(self, b: Self) -> Self {
        _mm256_xor_si256(self, b)
    }
    #[inline(always)]
    unsafe fn positive(self) -> Self {
        _mm256_max_epi8(self, _mm256_setzero_si256())
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        _mm256_abs_epi8(self)
    }
    #[inline(always)]
    unsafe fn negative(self) -> Self {
        _mm256_cmpgt_epi8(_mm256_setzero_si256(), self)
    }
    #[inline(always)]
    unsafe fn complement(self, mask: Self) -> Self {
        _mm256_xor_si256(self, mask)
    }
    /// Sixteen thresholds at a time; an index outside of these selects 0.
    #[inline(always)]
    unsafe fn look_up(self, thresholds: *const i8, levels: usize) -> [Self; 2] {
        let mut index = self;
        let mut found = [_mm256_setzero_si256(); 2];
        for level in 0..levels {
            let selected = _mm256_adds_epu8(index, _mm256_set1_epi8(0x70));
            for (plane, found) in found.iter_mut().enumerate() {
                let table = _mm_loadu_si128(thresholds.add(128 * plane + 16 * level).cast());
                let values = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), selected);
                *found = _mm256_or_si256(*found, values);
            }
            index = _mm256_sub_epi8(index, _mm256_set1_epi8(16));
        }
        found
    }
    #[inline(always)]
    unsafe fn compare(a: [Self; 2], b: [Self; 2]) -> (Self, Self) {
        let equal = _mm256_cmpeq_epi8(a[0], b[0]);
        let lower = _mm256_and_si256(equal, _mm256_cmpgt_epi8(b[1], a[1]));
        let less = _mm256_or_si256(_mm256_cmpgt_epi8(b[0], a[0]), lower);
        (less, _mm256_and_si256(equal, _mm256_cmpeq_epi8(a[1], b[1])))
    }
    #[inline(always)]
    unsafe fn differ(a: Self, b: Self) -> Self {
        _mm256_xor_si256(a, b)
    }
    #[inline(always)]
    unsafe fn bits(mask: Self) -> u64 {
        u64::from(_mm256_movemask_epi8(mask) as u32)
    }
}
