//! NEON: 4 numbers per vector.

use core::arch::aarch64::float32x4_t;

use super::lanes::{draw, export_generators};
use super::run::Runs;

export_generators! { neon float32x4_t 6 }
