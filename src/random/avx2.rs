//! AVX2: 8 numbers per vector.

use core::arch::x86_64::__m256;

use super::lanes::{draw, export_generators};
use super::run::Runs;

export_generators! { avx2 __m256 4 }
