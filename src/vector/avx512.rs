//! AVX-512: 16 floats, 8 doubles; parts of a vector by masks.

use core::arch::x86_64::*;

use crate::vector::{Fused, Vector, exact, fused, vector};

vector! { __m512 f32 16 _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps
|x| _mm512_abs_ps(x);
|from, n| _mm512_maskz_loadu_ps((1 << n) - 1, from);
|value, to, n| _mm512_mask_storeu_ps(to, (1 << n) - 1, value) }
vector! { __m512d f64 8 _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd
|x| _mm512_abs_pd(x);
|from, n| _mm512_maskz_loadu_pd((1 << n) - 1, from);
|value, to, n| _mm512_mask_storeu_pd(to, (1 << n) - 1, value) }
fused! { __m512 |a, b, c| _mm512_fmadd_ps(a, b, c), __m512d |a, b, c| _mm512_fmadd_pd(a, b, c) }
exact! { __m512 _mm512_fmadd_ps _mm512_fnmadd_ps, __m512d _mm512_fmadd_pd _mm512_fnmadd_pd
|from| _mm512_cvtps_pd(_mm256_loadu_ps(from)),
|a, b, so_far| {
    let high = _mm512_shuffle_ps::<0xdd>(_mm512_castpd_ps(a), _mm512_castpd_ps(b)).magnitude();
    _mm512_castsi512_pd(_mm512_max_epi16(_mm512_castps_si512(high), _mm512_castpd_si512(so_far)))
} }
