//! AVX-512: 16 values per vector.

use core::arch::x86_64::__m512;

use super::lanes::{self, kernels};

kernels! { avx512 __m512 fast_f32 fast, poly_f32 poly }
