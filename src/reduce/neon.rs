//! NEON.

use core::arch::aarch64::*;

use super::lanes::{self, export_reductions};
use super::{scalar, steps};

export_reductions! { neon float32x4_t float64x2_t [16] [4 16] [4 16] [8 8] [4 8] [float32x4_t float64x2_t] }
