//! SSE2: 4 values per vector.

use core::arch::x86_64::__m128;

use super::lanes::{self, kernels};

kernels! { sse2 __m128 }
