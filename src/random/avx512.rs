//! AVX-512: 16 numbers a vector.

use core::arch::x86_64::*;

use super::run::{Run, Runs, kernels};

/// Numbers in a vector, and vectors that advance in step, which hides the latency of the one behind the others.
const WIDTH: usize = 16;
const BLOCK: usize = 4;

kernels! { rest, #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")] }

/// Draws the numbers of `N` vectors from `i` on.
///
/// # Safety
/// They lie in the run.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn vectors<const N: usize, const UNIFORM: bool>(run: &Run, i: usize) {
    // SAFETY: the caller's contract.
    unsafe { masked::<N, UNIFORM>(run, i, !0) }
}

/// Draws the numbers from `i` on.
///
/// # Safety
/// They are at least one and fewer than a vector.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn rest<const UNIFORM: bool>(run: &Run, i: usize) {
    // SAFETY: the mask selects what is left of the run.
    unsafe { masked::<1, UNIFORM>(run, i, (1 << (run.length - i)) - 1) }
}

/// Draws the numbers of `N` vectors from `i` on, in each of them those of the mask.
///
/// # Safety
/// They lie in the run.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn masked<const N: usize, const UNIFORM: bool>(run: &Run, i: usize, mask: __mmask16) {
    let upper = _mm512_set1_epi32(i32::MIN);
    let matrix = _mm512_castsi512_ps(_mm512_set1_epi64(0x9908_b0df_0000_0000_u64 as i64));
    let mask_b = _mm512_set1_epi32(0x9d2c_5680_u32 as i32);
    let mask_c = _mm512_set1_epi32(0xefc6_0000_u32 as i32);
    let (mut y, mut t) = ([_mm512_setzero_si512(); N], [_mm512_setzero_si512(); N]);
    macro_rules! each {
        ($v:ident: $($vector:ident = $value:expr),+) => { $(for $v in 0..N { $vector[$v] = $value; })+ };
    }
    macro_rules! load {
        ($from:ident $v:ident) => {
            // SAFETY: what the mask selects lies in the run.
            unsafe { _mm512_maskz_loadu_epi32(mask, run.$from.add(i + WIDTH * $v).cast()) }
        };
    }
    macro_rules! store {
        ($to:ident) => {
            for v in 0..N {
                // SAFETY: what the mask selects lies in the run.
                unsafe { _mm512_mask_storeu_epi32(run.$to.add(i + WIDTH * v).cast(), mask, y[v]) }
            }
        };
    }
    // Ternary logic: 0xca = a ? b : c, 0x96 = a ^ b ^ c, 0x78 = a ^ (b & c).
    each!(v: y = _mm512_ternarylogic_epi32::<0xca>(upper, load!(word v), load!(next v)));
    // The permutation looks at the two lowest bits of `y`: it gives the matrix row where `y` is odd, else 0.
    each!(v: t = _mm512_castps_si512(_mm512_permutevar_ps(matrix, y[v])), y = _mm512_srli_epi32::<1>(y[v]));
    each!(v: y = _mm512_ternarylogic_epi32::<0x96>(y[v], t[v], load!(partner v)));
    store!(word);
    each!(v: t = _mm512_srli_epi32::<11>(y[v]), y = _mm512_xor_si512(y[v], t[v]));
    each!(v: t = _mm512_slli_epi32::<7>(y[v]), y = _mm512_ternarylogic_epi32::<0x78>(y[v], t[v], mask_b));
    each!(v: t = _mm512_slli_epi32::<15>(y[v]), y = _mm512_ternarylogic_epi32::<0x78>(y[v], t[v], mask_c));
    each!(v: t = _mm512_srli_epi32::<18>(y[v]), y = _mm512_xor_si512(y[v], t[v]));
    if UNIFORM {
        let scale = _mm512_set1_ps(1.0 / 16_777_216.0);
        each!(v: y = _mm512_srli_epi32::<8>(y[v]));
        each!(v: y = _mm512_castps_si512(_mm512_mul_ps(_mm512_cvtepi32_ps(y[v]), scale)));
    }
    store!(dst);
}
