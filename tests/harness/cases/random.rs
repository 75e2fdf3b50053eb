use std::fmt::Debug;

use super::super::guard::{Guarded, Side};

type Kernel<T> = unsafe extern "C" fn(state: *mut u32, lanes: usize, position: *mut usize, dst: *mut T, n: usize);

const ROWS: usize = 624;
/// Four vectors of 16 words and a rest of 3.
const LONGEST: usize = 4 * 16 + 3;
/// The rows where the walk over the state turns.
const TURNS: [usize; 3] = [0, 227, 623];

pub fn mt19937_u32(reference: Kernel<u32>, subject: Kernel<u32>) {
    turns(reference, subject);
    misalignments(reference, subject);
    basis(reference, subject);
}

pub fn mt19937_f32(reference: Kernel<f32>, subject: Kernel<f32>) {
    turns(reference, subject);
    misalignments(reference, subject);
}

/// A generator for each kernel; all calls are made on both and compared.
struct Pair<T: Copy> {
    kernels: [Kernel<T>; 2],
    lanes: usize,
    states: [Guarded<u32>; 2],
    positions: [Guarded<usize>; 2],
}

impl<T: Copy + Default + PartialEq + Debug> Pair<T> {
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

    /// Draws `n` numbers from `position` on, into buffers that start or end `slack` bytes from a page that cannot be touched.
    fn draw(&mut self, position: usize, n: usize, side: Side, slack: usize) {
        let mut dst = [0, slack].map(|slack| Guarded::new(&vec![T::default(); n], side, slack));
        self.draw_into(position, &mut dst);
    }

    fn draw_into(&mut self, position: usize, dst: &mut [Guarded<T>; 2]) {
        let (lanes, n) = (self.lanes, dst[0].len());
        for (i, dst) in dst.iter_mut().enumerate() {
            self.positions[i].set(&[position]);
            let (state, position) = (self.states[i].as_mut_ptr(), self.positions[i].as_mut_ptr());
            // SAFETY: the position is one of the state's words, and `dst` holds `n` numbers.
            unsafe { self.kernels[i](state, lanes, position, dst.as_mut_ptr(), n) };
        }
        let [expected, found] = [0, 1].map(|i| (dst[i].to_vec(), self.positions[i].to_vec()));
        assert_eq!(expected, found, "{lanes} lanes, {n} numbers from {position} on");
    }

    fn compare_states(&self) {
        assert_eq!(self.states[0].to_vec(), self.states[1].to_vec(), "the states, {} lanes", self.lanes);
    }
}

/// Short requests in front of each turn of the walk and over it, and long ones over all of them.
fn turns<T: Copy + Default + PartialEq + Debug>(reference: Kernel<T>, subject: Kernel<T>) {
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

/// State, position and numbers at every distance from a page that cannot be touched, on either side.
fn misalignments<T: Copy + Default + PartialEq + Debug>(reference: Kernel<T>, subject: Kernel<T>) {
    for lanes in [4, 16] {
        for side in [Side::Start, Side::End] {
            for slack in 0..64 {
                let mut pair = Pair::new(reference, subject, lanes, side, slack);
                for (turn, n) in TURNS.into_iter().zip([LONGEST, 96 + slack, 500]) {
                    pair.draw((turn * lanes + ROWS * lanes - 45) % (ROWS * lanes), n, side, 63 - slack);
                }
                pair.draw(0, 32, side, 4 * slack);
                pair.compare_states();
            }
        }
    }
}

/// Recurrence and tempering are linear over the bits: code whose vectors are moves, shifts, permutations, exclusive ors and
/// masks is proved by zero and each single bit, in each place of its loops.
fn basis(reference: Kernel<u32>, subject: Kernel<u32>) {
    const LANES: usize = 4;
    const NUMBERS: usize = 4 * 16 + 16 + 15;
    let mut pair = Pair::new(reference, subject, LANES, Side::End, 0);
    let mut dst = [0, 0].map(|slack| Guarded::new(&[0; NUMBERS], Side::End, slack));
    for (row, partner) in [(0, 397), (300, 73)] {
        for (source, number) in [row, row + 1, partner].into_iter().flat_map(|row| (0..NUMBERS).map(move |i| (row, i)))
        {
            for bit in 0..=32 {
                for state in &mut pair.states {
                    state.as_mut_slice().fill(0);
                    state.as_mut_slice()[source * LANES + number] = 1u32.checked_shl(bit).unwrap_or(0);
                }
                pair.draw_into(row * LANES, &mut dst);
                let [expected, found] = &pair.states;
                assert_eq!(expected.as_slice(), found.as_slice());
            }
        }
    }
}
