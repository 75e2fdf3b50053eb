//! AVX2.

use core::arch::x86_64::*;

use super::lanes::{self, export_reductions};
use super::{scalar, steps};

export_reductions! { avx2 __m256 __m256d [8] [4 1] [4 1] [4 2] [4 16] [__m256 __m256d] }
