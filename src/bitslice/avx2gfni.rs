//! AVX2 with GFNI.

use core::arch::x86_64::*;
