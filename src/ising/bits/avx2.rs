//! A row in 2 vectors.

use super::lanes::sweep;
use super::scalar::export_sweep;
use crate::math::vector::avx2::U32;

export_sweep! { avx2 sweep [U32, 2,] }
