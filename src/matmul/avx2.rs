//! AVX2.

use core::arch::x86_64::*;

use super::tiles::*;

kernels! {
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
    f32 __m256 block_f32 [2: 6 5 4 3 2 1] [1: 12 8 6 4 3 2 1]
}
kernels! {
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
    f64 __m256d block_f64 [2: 6 5 4 3 2 1] [1: 12 8 6 4 3 2 1]
}
