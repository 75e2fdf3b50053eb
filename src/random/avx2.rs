//! AVX2: 8 numbers a vector.

use core::arch::x86_64::*;

use super::run::{Run, Runs, kernels};

/// Numbers in a vector, and vectors that advance in step, which hides the latency of the one behind the others.
const WIDTH: usize = 8;
const BLOCK: usize = 4;

kernels! { Run::draw_from, #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")] }

/// Draws the numbers of `N` vectors from `i` on.
///
/// # Safety
/// They lie in the run.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
#[inline]
unsafe fn vectors<const N: usize, const UNIFORM: bool>(run: &Run, i: usize) {
    let upper = _mm256_set1_epi32(i32::MIN);
    let matrix = _mm256_castsi256_ps(_mm256_set1_epi64x(0x9908_b0df_0000_0000_u64 as i64));
    let mask_b = _mm256_set1_epi32(0x9d2c_5680_u32 as i32);
    let mask_c = _mm256_set1_epi32(0xefc6_0000_u32 as i32);
    let (mut y, mut t) = ([_mm256_setzero_si256(); N], [_mm256_setzero_si256(); N]);
    macro_rules! each {
        ($v:ident: $($vector:ident = $value:expr),+) => { $(for $v in 0..N { $vector[$v] = $value; })+ };
    }
    macro_rules! load {
        ($from:ident $v:ident) => {
            // SAFETY: the vector lies in the run.
            unsafe { _mm256_loadu_si256(run.$from.add(i + WIDTH * $v).cast()) }
        };
    }
    macro_rules! store {
        ($to:ident) => {
            for v in 0..N {
                // SAFETY: the vector lies in the run.
                unsafe { _mm256_storeu_si256(run.$to.add(i + WIDTH * v).cast(), y[v]) }
            }
        };
    }
    each!(v: t = load!(next v), y = _mm256_xor_si256(t[v], load!(word v)), y = _mm256_and_si256(y[v], upper));
    each!(v: y = _mm256_xor_si256(y[v], t[v]));
    // The permutation looks at the two lowest bits of `y`: it gives the matrix row where `y` is odd, else 0.
    each!(v: t = _mm256_castps_si256(_mm256_permutevar_ps(matrix, t[v])), y = _mm256_srli_epi32::<1>(y[v]));
    each!(v: t = _mm256_xor_si256(t[v], load!(partner v)), y = _mm256_xor_si256(y[v], t[v]));
    each!(v: t = _mm256_srli_epi32::<11>(y[v]));
    store!(word);
    each!(v: y = _mm256_xor_si256(y[v], t[v]));
    each!(v: t = _mm256_and_si256(_mm256_slli_epi32::<7>(y[v]), mask_b), y = _mm256_xor_si256(y[v], t[v]));
    each!(v: t = _mm256_and_si256(_mm256_slli_epi32::<15>(y[v]), mask_c), y = _mm256_xor_si256(y[v], t[v]));
    each!(v: t = _mm256_srli_epi32::<18>(y[v]), y = _mm256_xor_si256(y[v], t[v]));
    if UNIFORM {
        let scale = _mm256_set1_ps(1.0 / 16_777_216.0);
        each!(v: y = _mm256_srli_epi32::<8>(y[v]));
        each!(v: y = _mm256_castps_si256(_mm256_mul_ps(_mm256_cvtepi32_ps(y[v]), scale)));
    }
    store!(dst);
}
