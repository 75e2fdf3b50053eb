//! The random numbers that one sweep of the paper's model takes.

use super::*;
const LANES: usize = 16;
const N: usize = 256 * 96;

pub fn mt19937_u32(function: hotloops::random::mt19937_u32::Function) -> Work {
    let (mut state, mut position, mut numbers) = (words(624 * LANES), 0, vec![0; N]);
    // SAFETY: arrays of the sizes that the kernel requires.
    work("number", N, move || unsafe {
        function(state.as_mut_ptr(), LANES, &mut position, numbers.as_mut_ptr(), N);
    })
}

pub fn mt19937_f32(function: hotloops::random::mt19937_f32::Function) -> Work {
    let (mut state, mut position, mut numbers) = (words(624 * LANES), 0, vec![0.0; N]);
    // SAFETY: as above.
    work("number", N, move || unsafe {
        function(state.as_mut_ptr(), LANES, &mut position, numbers.as_mut_ptr(), N);
    })
}
