//! SSE2: 4 numbers a vector.

use core::arch::x86_64::__m128;

use super::lanes::{draw, kernels};
use super::run::Runs;

kernels! { sse2 __m128 6 }
