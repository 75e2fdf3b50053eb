//! A row in 1 vector.

use super::lanes::sweep;
use super::scalar::export_sweep;
use crate::math::vector::avx512::U32;

export_sweep! { avx512 sweep [U32, 1,] }
