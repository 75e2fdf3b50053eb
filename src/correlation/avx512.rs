//! Pairs of points.

use core::arch::x86_64::*;

use super::lanes::implement_lanes;
use super::ntt::{export_transforms, implement_residues};
use super::tiles::export_pair_kernels;

implement_lanes! { __m512 __m512i _mm512_castps_si512 _mm512_set1_epi32 _mm512_add_epi32 _mm512_madd_epi16
_mm512_srai_epi32 _mm512_sqrt_ps _mm512_max_ps _mm512_min_ps _mm512_cvttps_epi32
_mm512_unpacklo_epi32 _mm512_unpackhi_epi32 _mm512_and_si512 _mm512_xor_si512
|r2, near| _mm512_cmpgt_epi32_mask(r2, near), |beyond, sum, number| _mm512_mask_add_epi32(sum, beyond, sum, number),
|r2, products, limit, to_r2, to_products| {
    let below = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(r2, limit);
    _mm512_storeu_ps(to_r2, _mm512_maskz_compress_ps(below, r2));
    _mm512_storeu_si512(to_products.cast(), _mm512_maskz_compress_epi32(below, products));
    below.count_ones() as usize
} }

export_pair_kernels! { __m512 16, avx512 }

implement_residues! { __m512i 16 _mm512_set1_epi32 _mm512_loadu_si512 _mm512_storeu_si512 _mm512_add_epi32
_mm512_sub_epi32 _mm512_mul_epu32 _mm512_add_epi64
|a, b| _mm512_min_epu32(a, _mm512_sub_epi32(a, b)), |x| _mm512_srli_epi64::<32>(x),
|even, odd| _mm512_mask_mov_epi32(_mm512_srli_epi64::<32>(even), 0xaaaa, odd),
|a, b| _mm512_mullo_epi32(a, b) }

export_transforms! { __m512i, avx512 }
