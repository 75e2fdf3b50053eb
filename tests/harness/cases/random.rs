use std::fmt::Debug;

use super::super::guard::{Guarded, Side};
use super::super::{lengths, once};

type Kernel<T> = unsafe extern "C" fn(state: *mut u32, lanes: usize, position: *mut usize, dst: *mut T, n: usize);

const ROWS: usize = 624;
/// Four vectors of 16 words and a tail of 3.
const LONGEST: usize = 4 * 16 + 3;
/// The rows at which the loop over the state changes.
const TURNS: [usize; 3] = [0, 227, 623];

pub fn mt19937_u32(reference: Kernel<u32>, subject: Kernel<u32>) {
    every_length(reference, subject);
    turns(reference, subject);
    misalignments(reference, subject);
}

pub fn mt19937_f32(reference: Kernel<f32>, subject: Kernel<f32>) {
    every_length(reference, subject);
    turns(reference, subject);
    misalignments(reference, subject);
}

/// One generator per kernel. Every call runs on both, and the results are compared. After the first
/// run of a case only the subject's generator advances.
struct Pair<T: Copy> {
    kernels: [Kernel<T>; 2],
    lanes: usize,
    states: [Guarded<u32>; 2],
    positions: [Guarded<usize>; 2],
}

impl<T: Copy + Default + PartialEq + Debug + 'static> Pair<T> {
    fn new(reference: Kernel<T>, subject: Kernel<T>, lanes: usize, side: Side, slack: usize) -> Self {
        let mut seed = 1u64;
        let words: Vec<u32> = (0..ROWS * lanes)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (seed >> 32) as u32
            })
            .collect();
        Pair {
            kernels: [reference, subject],
            lanes,
            states: [0, slack].map(|slack| Guarded::new(&words, side, slack)),
            positions: [0, slack].map(|slack| Guarded::new(&[0], side, slack)),
        }
    }

    /// Draws `n` numbers starting at `position`, into buffers that start or end `slack` bytes from
    /// an inaccessible page.
    fn draw(&mut self, position: usize, n: usize, side: Side, slack: usize) {
        let lanes = self.lanes;
        let mut draw = |i: usize| {
            self.positions[i].set(&[position]);
            let (state, position) = (self.states[i].as_mut_ptr(), self.positions[i].as_mut_ptr());
            let mut dst = Guarded::new(&vec![T::default(); n], side, slack * i);
            // SAFETY: the position is one of the state's words, and `dst` holds `n` numbers.
            unsafe { self.kernels[i](state, lanes, position, dst.as_mut_ptr(), n) };
            (dst.to_vec(), self.positions[i].to_vec())
        };
        assert_eq!(*once(|| draw(0)), draw(1), "{lanes} lanes, {n} numbers from {position} on");
    }

    fn compare_states(&self) {
        let expected = once(|| self.states[0].to_vec());
        assert_eq!(*expected, self.states[1].to_vec(), "the states, {} lanes", self.lanes);
    }
}

/// Consecutive requests of all lengths.
fn every_length<T: Copy + Default + PartialEq + Debug + 'static>(reference: Kernel<T>, subject: Kernel<T>) {
    const LANES: usize = 8;
    let mut pair = Pair::new(reference, subject, LANES, Side::End, 0);
    for n in (0..1100).chain(lengths::boundaries(1 << 16)).chain(lengths::random()) {
        let position = pair.positions[1].as_slice()[0];
        pair.draw(position, n, Side::End, 0);
    }
    pair.compare_states();
}

/// Short requests before and across each of `TURNS`, and long requests across all of them.
///
/// Twist and tempering are linear over the 96 bits that they read. The random words that pass
/// through each place of a variant's loops span all of them many times over, which proves code that
/// is itself made of linear operations.
fn turns<T: Copy + Default + PartialEq + Debug + 'static>(reference: Kernel<T>, subject: Kernel<T>) {
    for lanes in [4, 8, 16] {
        let words = ROWS * lanes;
        let mut pair = Pair::new(reference, subject, lanes, Side::End, 0);
        for turn in TURNS.map(|row| row * lanes + words) {
            for n in 0..=LONGEST {
                for before in [LONGEST, 17, 16, 15, 1, 0] {
                    pair.draw((turn - before) % words, n, Side::End, 0);
                }
                pair.draw((turn - n) % words, LONGEST, Side::End, 0);
            }
            for n in [words - 1, words, 2 * words + LONGEST] {
                pair.draw(turn % words, n, Side::Start, 0);
            }
            pair.compare_states();
        }
    }
}

/// State, position and numbers at every distance from an inaccessible page, on either side.
fn misalignments<T: Copy + Default + PartialEq + Debug + 'static>(reference: Kernel<T>, subject: Kernel<T>) {
    const LANES: usize = 4;
    for side in [Side::Start, Side::End] {
        for slack in 0..64 {
            let mut pair = Pair::new(reference, subject, LANES, side, slack);
            for (row, n) in TURNS.into_iter().zip([LONGEST, 96 + slack, 2 * ROWS]) {
                pair.draw(row * LANES, n, side, 63 - slack);
            }
            pair.draw(ROWS * LANES - 1, 32, side, 4 * slack);
            pair.compare_states();
        }
    }
}
