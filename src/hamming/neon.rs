//! Advanced SIMD.

use core::arch::aarch64::*;
