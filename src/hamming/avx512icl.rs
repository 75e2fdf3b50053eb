//! AVX-512 with VBMI and GFNI.

use core::arch::x86_64::*;
