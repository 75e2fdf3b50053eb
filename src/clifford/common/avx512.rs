//! AVX-512.

use core::arch::x86_64::{__m512, __m512d};

use super::lanes::{self, export_common};

export_common! { avx512 __m512 f32 [common_product_f32] [common_sandwich_f32] [common_weighted_f32] }
export_common! { avx512 __m512d f64 [] [common_sandwich_f64] [] }
