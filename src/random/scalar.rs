//! The references: one word at a time.

use super::run::Runs;

/// The new value of `word`; `next` is the word after it in its lane, `partner` the word 397 after
/// it.
fn twist(word: u32, next: u32, partner: u32) -> u32 {
    let y = word & 0x8000_0000 | next & 0x7fff_ffff;
    partner ^ y >> 1 ^ (y & 1).wrapping_neg() & 0x9908_b0df
}

/// The number for a word.
fn temper(mut y: u32) -> u32 {
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c_5680;
    y ^= y << 15 & 0xefc6_0000;
    y ^ y >> 18
}

/// A number as a float in [0, 1): its upper 24 bits, which a float holds exactly.
fn uniform(number: u32) -> f32 {
    (number >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// Draws the runs' numbers, as floats if `UNIFORM`.
///
/// # Safety
/// `runs` has the arguments of a kernel call.
unsafe fn draw<const UNIFORM: bool>(runs: Runs) {
    for run in runs {
        for i in 0..run.length {
            // SAFETY: `i` is below the run's length.
            unsafe {
                let [word, next, partner] = [run.word, run.next, run.partner].map(|p| p.add(i).read_unaligned());
                let word = twist(word, next, partner);
                run.word.add(i).write_unaligned(word);
                let number = temper(word);
                run.dst.add(i).write_unaligned(if UNIFORM { uniform(number).to_bits() } else { number });
            }
        }
    }
}

pub(super) unsafe extern "C" fn mt19937_u32(
    state: *mut u32,
    lanes: usize,
    position: *mut usize,
    dst: *mut u32,
    n: usize,
) {
    // SAFETY: the caller's contract.
    unsafe { draw::<false>(Runs { state, lanes, position, dst, n }) }
}

pub(super) unsafe extern "C" fn mt19937_f32(
    state: *mut u32,
    lanes: usize,
    position: *mut usize,
    dst: *mut f32,
    n: usize,
) {
    // SAFETY: the caller's contract.
    unsafe { draw::<true>(Runs { state, lanes, position, dst: dst.cast(), n }) }
}
