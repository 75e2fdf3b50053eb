//! AVX-512: 16 numbers a vector.

use core::arch::x86_64::__m512;

use super::lanes::{draw, kernels};
use super::run::Runs;

kernels! { avx512 __m512 4 }
