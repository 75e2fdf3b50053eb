//! SSE2.

use core::arch::x86_64::*;

use super::lanes::{self, export_reductions};
use super::{scalar, steps};

export_reductions! { sse2 __m128 __m128d [16] [4 16] [2 16] [4 4] [4 8] [__m128 __m128d] }
