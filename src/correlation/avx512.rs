//! Pairs of points.

use core::arch::x86_64::*;

use super::lanes::implement_lanes;
use super::tiles::export_pair_kernels;

implement_lanes! { __m512 __m512i _mm512_castps_si512 _mm512_set1_epi32 _mm512_add_epi32 _mm512_madd_epi16 _mm512_srai_epi32 _mm512_sqrt_ps _mm512_max_ps _mm512_min_ps _mm512_cvttps_epi32
_mm512_unpacklo_epi32 _mm512_unpackhi_epi32 _mm512_srli_epi32 _mm512_and_si512 _mm512_add_epi64 _mm512_sub_epi64 _mm512_set1_epi64
|lanes, r2, near, pair| _mm512_mask_add_epi32(lanes, _mm512_cmpgt_epi32_mask(r2, near), lanes, pair); }

export_pair_kernels! { __m256i, __m512 16, avx512 }
