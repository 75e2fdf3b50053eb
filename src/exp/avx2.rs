//! AVX2: 8 values per vector.

use core::arch::x86_64::__m256;

use super::lanes::{self, kernels};

kernels! { avx2 __m256 }
