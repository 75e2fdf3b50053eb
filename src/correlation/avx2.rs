//! Pairs of points.

use core::arch::x86_64::*;

use super::lanes::implement_lanes;
use super::ntt::{export_transforms, implement_residues};
use super::ring::ONE;
use super::rows::OrientationBlock;
use super::tiles::export_pair_kernels;

impl OrientationBlock for __m256i {
    #[inline(always)]
    unsafe fn load(psi: &[i32; 8]) -> Self {
        // SAFETY: the contract of the trait.
        unsafe { _mm256_loadu_si256(psi.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn values(self, psi: i32) -> [__m128i; 4] {
        // SAFETY: the contract of the trait: the CPU has the instruction set.
        unsafe {
            let products = _mm256_madd_epi16(self, _mm256_set1_epi32(psi));
            // The upper halves of 2^47 + product.
            let upper = _mm256_add_epi32(_mm256_srai_epi32::<31>(products), _mm256_set1_epi32(ONE as i32));
            let (even, odd) = (_mm256_unpacklo_epi32(products, upper), _mm256_unpackhi_epi32(products, upper));
            let (first, second) = (_mm256_castsi256_si128(even), _mm256_castsi256_si128(odd));
            [first, second, _mm256_extracti128_si256::<1>(even), _mm256_extracti128_si256::<1>(odd)]
        }
    }
}

/// For each mask, the indices of its lanes in ascending order, a byte each.
static COMPRESSED: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

implement_lanes! { __m256 __m256i _mm256_castps_si256 _mm256_set1_epi32 _mm256_add_epi32 _mm256_madd_epi16
_mm256_srai_epi32 _mm256_sqrt_ps _mm256_max_ps _mm256_min_ps _mm256_cvttps_epi32
_mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_and_si256 _mm256_xor_si256
|r2, near| _mm256_cmpgt_epi32(r2, near), |beyond, sum, number| _mm256_add_epi32(sum, _mm256_and_si256(beyond, number)),
|r2, products, limit, to_r2, to_products| {
    let below = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(r2, limit)) as usize;
    let lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(COMPRESSED.as_ptr().add(below).cast()));
    _mm256_storeu_ps(to_r2, _mm256_permutevar8x32_ps(r2, lanes));
    _mm256_storeu_si256(to_products.cast(), _mm256_permutevar8x32_epi32(products, lanes));
    below.count_ones() as usize
} }

export_pair_kernels! { __m256i, __m256 8, avx2 }

implement_residues! { __m256i 8 _mm256_set1_epi32 _mm256_loadu_si256 _mm256_storeu_si256 _mm256_add_epi32
_mm256_sub_epi32 _mm256_mul_epu32 _mm256_add_epi64
|a, b| _mm256_min_epu32(a, _mm256_sub_epi32(a, b)), |x| _mm256_srli_epi64::<32>(x),
|even, odd| _mm256_blend_epi32::<0xaa>(_mm256_srli_epi64::<32>(even), odd),
|a, b| _mm256_mullo_epi32(a, b) }

export_transforms! { __m256i, avx2 }
