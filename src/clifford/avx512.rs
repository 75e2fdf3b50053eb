//! AVX-512.

use core::arch::x86_64::{__m256, __m256d, __m512, __m512d};

use super::lanes::{self, kernels};

kernels! { avx512 __m512 __m256 __m512d __m256d }
