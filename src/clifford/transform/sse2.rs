//! SSE2.

use core::arch::x86_64::{__m128, __m128d};

use super::lanes::{self, export_transforms};
use super::scalar::{Multivectors, Planes, Shape, Sums};

export_transforms! { sse2 [__m128 __m128 __m128] [__m128d __m128d __m128d] }
