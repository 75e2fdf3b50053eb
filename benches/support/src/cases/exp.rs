//! Arrays that fit the L1 cache, arguments between -16 and 0.

pub use self::{unary as fast_f32, unary as accurate_f32, unary as poly_f32};
use super::*;

pub fn unary(function: hotloops::exp::fast_f32::Function) -> Work {
    const N: usize = 2048;
    let x: Vec<f32> = words(N).iter().map(|&word| word as f32 * -(-28f32).exp2()).collect();
    let mut y = vec![0f32; N];
    // SAFETY: two arrays of N values.
    work("value", N, move || unsafe { function(x.as_ptr(), y.as_mut_ptr(), N) })
}
