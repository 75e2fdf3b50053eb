//! AVX-512. It has no kernels for few columns and for transposition. These are bound by shuffles,
//! which have one port for 512 bits and two for 256, so AVX2 is at least as fast.

use core::arch::x86_64::*;

use super::tiles::*;

export_products! {
    avx512 f32 __m512
    tiny_f32, outer_f32, 8 dots_f32, block_f32 [2: 14 10 7 5 3 2 1] [1: 14 10 7 5 3 2 1]
}
export_products! {
    avx512 f64 __m512d
    tiny_f64, outer_f64, 8 dots_f64, block_f64 [2: 14 10 7 5 3 2 1] [1: 14 10 7 5 3 2 1]
}
