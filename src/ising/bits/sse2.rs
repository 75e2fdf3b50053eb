//! A row in 4 vectors.

use super::lanes::sweep;
use super::scalar::export_sweep;
use crate::math::vector::sse2::U32;

export_sweep! { sse2 sweep [U32, 4,] }
