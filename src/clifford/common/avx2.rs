//! AVX2.

use core::arch::x86_64::{__m256, __m256d};

use super::lanes::{self, export_common};

export_common! { avx2 __m256 __m256d }
