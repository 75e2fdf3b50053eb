//! AVX-512.

use core::arch::x86_64::*;

use super::{lanes, maxima, pairs, updates};
use crate::math::vector::Vector;

lanes::export_vectors! { avx512 __m512 __m512d [8] }
lanes::lanes! {
    __m512 f32 __mmask16 |x| _mm512_permute_ps::<0xb1>(x), |a, b| _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b), |a, b| a & b,
    |mask| mask == !0;
    __m512d f64 __mmask8 |x| _mm512_permute_pd::<0x55>(x), |a, b| _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b), |a, b| a & b,
    |mask| mask == !0;
}
