//! AVX-512 BW.

use core::arch::x86_64::*;
