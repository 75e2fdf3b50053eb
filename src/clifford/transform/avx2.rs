//! AVX2.

use core::arch::x86_64::{__m128, __m128d, __m256, __m256d};

use super::lanes::{self, export_transforms};
use super::scalar::{Multivectors, Planes, Shape, Sums};

export_transforms! { avx2 [__m256 __m128 __m128] [__m256d __m128d __m128d] }
