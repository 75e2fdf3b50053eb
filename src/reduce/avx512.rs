//! AVX-512.

use core::arch::x86_64::*;

use super::lanes::{self, export_reductions};
use super::{scalar, steps};

export_reductions! { avx512 __m512 __m512d [4] [2 1] [2 1] [8 1] [4 32] }
