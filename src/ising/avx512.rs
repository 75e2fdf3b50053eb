//! AVX-512: a row in 1 vector.

use core::arch::x86_64::*;

use super::lanes::{gather, scatter};
use super::scalar::*;

export_float_sweeps! { avx512 [__m512, 1,] gather sweep_fast_f32 MetropolisFast }
export_float_sweeps! { avx512 [__m512, 1,] gather sweep_poly_f32 MetropolisPoly }
export_float_sweeps! { avx512 [__m512, 1,] scatter scatter_poly_f32 MetropolisPoly }
export_float_sweeps! { avx512 [__m512, 1,] gather sweep_heat_fast_f32 HeatFast }
export_float_sweeps! { avx512 [__m512, 1,] scatter scatter_heat_fast_f32 HeatFast }
export_float_sweeps! { avx512 [__m512, 1,] gather sweep_heat_poly_f32 HeatPoly }
export_float_sweeps! { avx512 [__m512, 1,] scatter scatter_heat_poly_f32 HeatPoly }
