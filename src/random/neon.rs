//! NEON: 4 numbers a vector.

use core::arch::aarch64::float32x4_t;

use super::lanes::{draw, kernels};
use super::run::Runs;

kernels! { neon float32x4_t 6 }
