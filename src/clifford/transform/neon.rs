//! NEON.

use core::arch::aarch64::{float32x4_t, float64x2_t};

use super::lanes::{self, export_transforms};
use super::scalar::{Multivectors, Planes, Shape, Sums};

export_transforms! { neon [float32x4_t float32x4_t float32x4_t] [float64x2_t float64x2_t float64x2_t] }
