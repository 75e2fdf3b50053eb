//! SSE2: 4 numbers a vector.

use core::arch::x86_64::*;

use super::run::{Run, Runs, kernels};

/// Numbers in a vector, and vectors that advance in step, which hides the latency of the one behind the others.
const WIDTH: usize = 4;
const BLOCK: usize = 6;

kernels! { Run::draw_from, #[target_feature(enable = "sse2")] }

/// Draws the numbers of `N` vectors from `i` on.
///
/// # Safety
/// They lie in the run.
#[target_feature(enable = "sse2")]
#[inline]
unsafe fn vectors<const N: usize, const UNIFORM: bool>(run: &Run, i: usize) {
    let upper = _mm_set1_epi32(i32::MIN);
    let one = _mm_set1_epi32(1);
    let matrix = _mm_set1_epi32(0x9908_b0df_u32 as i32);
    let mask_b = _mm_set1_epi32(0x9d2c_5680_u32 as i32);
    let mask_c = _mm_set1_epi32(0xefc6_0000_u32 as i32);
    let (mut y, mut t) = ([_mm_setzero_si128(); N], [_mm_setzero_si128(); N]);
    macro_rules! each {
        ($v:ident: $($vector:ident = $value:expr),+) => { $(for $v in 0..N { $vector[$v] = $value; })+ };
    }
    macro_rules! load {
        ($from:ident $v:ident) => {
            // SAFETY: the vector lies in the run.
            unsafe { _mm_loadu_si128(run.$from.add(i + WIDTH * $v).cast()) }
        };
    }
    macro_rules! store {
        ($to:ident) => {
            for v in 0..N {
                // SAFETY: the vector lies in the run.
                unsafe { _mm_storeu_si128(run.$to.add(i + WIDTH * v).cast(), y[v]) }
            }
        };
    }
    each!(v: y = load!(word v));
    each!(v: t = load!(next v));
    each!(v: y = _mm_and_si128(_mm_xor_si128(y[v], t[v]), upper));
    each!(v: y = _mm_xor_si128(y[v], t[v]));
    each!(v: t = _mm_cmpeq_epi32(_mm_and_si128(t[v], one), one), y = _mm_srli_epi32::<1>(y[v]));
    each!(v: y = _mm_xor_si128(y[v], _mm_and_si128(t[v], matrix)));
    each!(v: y = _mm_xor_si128(y[v], load!(partner v)));
    each!(v: t = _mm_srli_epi32::<11>(y[v]));
    store!(word);
    each!(v: y = _mm_xor_si128(y[v], t[v]));
    each!(v: t = _mm_and_si128(_mm_slli_epi32::<7>(y[v]), mask_b), y = _mm_xor_si128(y[v], t[v]));
    each!(v: t = _mm_and_si128(_mm_slli_epi32::<15>(y[v]), mask_c), y = _mm_xor_si128(y[v], t[v]));
    each!(v: t = _mm_srli_epi32::<18>(y[v]), y = _mm_xor_si128(y[v], t[v]));
    if UNIFORM {
        let scale = _mm_set1_ps(1.0 / 16_777_216.0);
        each!(v: y = _mm_srli_epi32::<8>(y[v]));
        each!(v: y = _mm_castps_si128(_mm_mul_ps(_mm_cvtepi32_ps(y[v]), scale)));
    }
    store!(dst);
}
