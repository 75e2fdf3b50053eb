//! The meaning of the kernels: one word at a time.

use super::run::Runs;

/// The word that follows `word` in its place; `next` is the word after it, `partner` the one 397 after it.
#[inline(always)]
pub(super) fn twist(word: u32, next: u32, partner: u32) -> u32 {
    let y = word & 0x8000_0000 | next & 0x7fff_ffff;
    partner ^ y >> 1 ^ (y & 1).wrapping_neg() & 0x9908_b0df
}

/// The number that a word gives.
#[inline(always)]
pub(super) fn temper(mut y: u32) -> u32 {
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c_5680;
    y ^= y << 15 & 0xefc6_0000;
    y ^ y >> 18
}

/// A number as a float in [0, 1): its upper 24 bits, which a float holds exactly.
#[inline(always)]
pub(super) fn uniform(number: u32) -> f32 {
    (number >> 8) as f32 * (1.0 / 16_777_216.0)
}

pub(super) unsafe extern "C" fn mt19937_u32(
    state: *mut u32,
    lanes: usize,
    position: *mut usize,
    dst: *mut u32,
    n: usize,
) {
    for run in (Runs { state, lanes, position, dst, n }) {
        // SAFETY: nothing of the run is drawn yet.
        unsafe { run.draw_from::<false>(0) }
    }
}

pub(super) unsafe extern "C" fn mt19937_f32(
    state: *mut u32,
    lanes: usize,
    position: *mut usize,
    dst: *mut f32,
    n: usize,
) {
    for run in (Runs { state, lanes, position, dst: dst.cast(), n }) {
        // SAFETY: nothing of the run is drawn yet.
        unsafe { run.draw_from::<true>(0) }
    }
}
