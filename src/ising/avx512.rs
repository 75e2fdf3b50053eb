//! AVX-512: a row in 1 vector.

use core::arch::x86_64::*;

use super::lanes::{gather, scatter};
use super::scalar::*;

export_float_sweeps! { avx512 [__m512, 1,] }
