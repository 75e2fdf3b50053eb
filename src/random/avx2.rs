//! AVX2: 8 numbers a vector.

use core::arch::x86_64::__m256;

use super::lanes::{draw, kernels};
use super::run::Runs;

kernels! { avx2 __m256 4 }
