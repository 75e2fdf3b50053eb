//! NEON: 4 numbers a vector.

use core::arch::aarch64::*;

use super::run::{Run, Runs, kernels};

/// Numbers in a vector, and vectors that advance in step, which hides the latency of the one behind the others.
const WIDTH: usize = 4;
const BLOCK: usize = 6;

kernels! { Run::draw_from, #[target_feature(enable = "neon")] }

/// Draws the numbers of `N` vectors from `i` on.
///
/// # Safety
/// They lie in the run.
#[target_feature(enable = "neon")]
#[inline]
unsafe fn vectors<const N: usize, const UNIFORM: bool>(run: &Run, i: usize) {
    let upper = vdupq_n_u32(0x8000_0000);
    let one = vdupq_n_u32(1);
    let matrix = vdupq_n_u32(0x9908_b0df);
    let mask_b = vdupq_n_u32(0x9d2c_5680);
    let mask_c = vdupq_n_u32(0xefc6_0000);
    let (mut y, mut t) = ([vdupq_n_u32(0); N], [vdupq_n_u32(0); N]);
    macro_rules! each {
        ($v:ident: $($vector:ident = $value:expr),+) => { $(for $v in 0..N { $vector[$v] = $value; })+ };
    }
    macro_rules! load {
        ($from:ident $v:ident) => {
            // SAFETY: the vector lies in the run.
            unsafe { vld1q_u32(run.$from.add(i + WIDTH * $v)) }
        };
    }
    macro_rules! store {
        ($to:ident) => {
            for v in 0..N {
                // SAFETY: the vector lies in the run.
                unsafe { vst1q_u32(run.$to.add(i + WIDTH * v), y[v]) }
            }
        };
    }
    each!(v: t = load!(next v), y = vbslq_u32(upper, load!(word v), t[v]));
    each!(v: t = vandq_u32(vtstq_u32(t[v], one), matrix), y = vshrq_n_u32::<1>(y[v]));
    each!(v: t = veorq_u32(t[v], load!(partner v)), y = veorq_u32(y[v], t[v]));
    store!(word);
    each!(v: t = vshrq_n_u32::<11>(y[v]), y = veorq_u32(y[v], t[v]));
    each!(v: t = vandq_u32(vshlq_n_u32::<7>(y[v]), mask_b), y = veorq_u32(y[v], t[v]));
    each!(v: t = vandq_u32(vshlq_n_u32::<15>(y[v]), mask_c), y = veorq_u32(y[v], t[v]));
    each!(v: t = vshrq_n_u32::<18>(y[v]), y = veorq_u32(y[v], t[v]));
    if UNIFORM {
        // A conversion from fixed point with 24 bits behind the point is the multiplication by 2^-24.
        each!(v: y = vreinterpretq_u32_f32(vcvtq_n_f32_u32::<24>(vshrq_n_u32::<8>(y[v]))));
    }
    store!(dst);
}
