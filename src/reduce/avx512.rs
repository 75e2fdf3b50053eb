//! AVX-512.

use core::arch::x86_64::*;

use super::lanes::{self, export_reductions};
use super::{scalar, steps};

// Conversions from f32 to f64 bound the exact sum. LLVM loads the upper halves of 512-bit vectors
// for them in many pieces.
export_reductions! { avx512 __m512 __m512d [4] [2 1] [2 1] [8 1] [32] [__m256 __m256d] }
