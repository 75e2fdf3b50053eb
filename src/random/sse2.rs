//! SSE2: 4 numbers per vector.

use core::arch::x86_64::__m128;

use super::lanes::{draw, export_generators};
use super::run::Runs;

export_generators! { sse2 __m128 6 }
