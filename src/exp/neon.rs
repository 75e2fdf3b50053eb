//! NEON: 4 values per vector.

use core::arch::aarch64::float32x4_t;

use super::lanes::{self, kernels};

kernels! { neon float32x4_t }
