//! SSE2: 4 floats, 2 doubles.

use core::arch::x86_64::*;

use crate::vector::vector;

vector! { __m128 f32 4 _mm_set1_ps _mm_loadu_ps _mm_storeu_ps _mm_add_ps _mm_sub_ps _mm_mul_ps |x| _mm_andnot_ps(_mm_set1_ps(-0.0), x) }
vector! { __m128d f64 2 _mm_set1_pd _mm_loadu_pd _mm_storeu_pd _mm_add_pd _mm_sub_pd _mm_mul_pd |x| _mm_andnot_pd(_mm_set1_pd(-0.0), x) }
