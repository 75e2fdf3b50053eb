//! SSE2.

use core::arch::x86_64::{__m128, __m128d};

use super::lanes::{self, export_common};

export_common! { sse2 __m128 __m128d }
