//! A row in 4 vectors.

use super::lanes::sweep;
use super::scalar::export_sweep;
use crate::math::vector::neon::U32;

export_sweep! { neon sweep [U32, 4,] }
