//! NEON.

use core::arch::aarch64::{float32x4_t, float64x2_t};

use super::lanes::{self, export_common};

export_common! { neon float32x4_t float64x2_t }
