//! AVX-512: 16 numbers per vector.

use core::arch::x86_64::__m512;

use super::lanes::{draw, export_generators};
use super::run::Runs;

export_generators! { avx512 __m512 4 }
