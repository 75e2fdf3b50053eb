//! Transforms along one axis of an image.

use alloc::vec::Vec;

use super::super::modular::Prime;
use super::super::{ROW, ntt_combine, ntt_forward, ntt_inverse};
use super::length::Length;
use crate::frame::error::Error;
use crate::frame::memory;

/// Transforms along one axis modulo a prime.
pub(super) struct Axis {
    pub length: Length,
    pub prime: Prime,
    roots: Vec<u32>,
    inverse_roots: Vec<u32>,
    /// Factors for the inner sums of `inputs` parts.
    factors: Vec<u32>,
    inputs: usize,
    /// Factors for the inner sums of the inverse, and its parts.
    inverse_factors: Vec<u32>,
    outputs: Vec<usize>,
    /// For each part its place among these.
    places: [usize; 16],
}

impl Axis {
    /// For `points` numbers and differences up to `lag`. The results of the inverse are multiplied by
    /// `factor`.
    pub fn new(length: Length, prime: Prime, points: usize, lag: usize, factor: u32) -> Result<Axis, Error> {
        let Length { m, power } = length;
        let root = prime.root(length.points());
        let inverse_root = prime.power(root, length.points() as u32 - 1);
        let roots = |root: u32| -> Result<Vec<u32>, Error> {
            let root = prime.power(root, m as u32);
            let mut roots = memory::with_capacity(power)?;
            let bits = power.ilog2() - 1;
            for j in 0..power as u32 / 2 {
                let w = prime.power(root, j.reverse_bits() >> (32 - bits));
                roots.extend([w, prime.ratio(w)]);
            }
            Ok(roots)
        };
        let inputs = points.div_ceil(power);
        let mut outputs = memory::with_capacity(m)?;
        outputs.extend(length.parts(lag));
        // The kernel divides by 2^32.
        let unit = prime.remainder(1 << 32);
        let mut factors = memory::with_capacity(power * m * inputs)?;
        let mut inverse_factors = memory::with_capacity(power * m * outputs.len())?;
        let factor = prime.times(unit, prime.times(factor, prime.inverse_of(length.points() as u32)));
        let (mut turn, mut inverse_turn) = (1, 1);
        // Powers of w^power.
        let steps = |root: u32| -> [u32; 16] {
            let step = prime.power(root, power as u32);
            core::array::from_fn(|r| prime.power(step, r as u32))
        };
        let (steps, inverse_steps) = (steps(root), steps(inverse_root));
        for _ in 0..power {
            // w^(r i), then w^(r (i + s power)).
            let mut first = unit;
            for &step in &steps[..m] {
                let mut x = first;
                for _ in 0..inputs {
                    factors.push(x);
                    x = prime.times(x, step);
                }
                first = prime.times(first, turn);
            }
            for &s in &outputs {
                let mut x = factor;
                let next = prime.times(inverse_turn, inverse_steps[s]);
                for _ in 0..m {
                    inverse_factors.push(x);
                    x = prime.times(x, next);
                }
            }
            turn = prime.times(turn, root);
            inverse_turn = prime.times(inverse_turn, inverse_root);
        }
        Ok(Axis {
            length,
            prime,
            roots: roots(root)?,
            inverse_roots: roots(inverse_root)?,
            factors,
            inputs,
            inverse_factors,
            places: core::array::from_fn(|part| outputs.iter().position(|&other| other == part).unwrap_or(0)),
            outputs,
        })
    }

    /// The number of rows that [`forward`](Self::forward) reads.
    pub fn input_rows(&self) -> usize {
        self.inputs * self.length.power
    }

    /// The number of rows that [`inverse`](Self::inverse) writes.
    pub fn output_rows(&self) -> usize {
        self.outputs.len() * self.length.power
    }

    /// The row in which [`inverse`](Self::inverse) writes a number, for differences up to `lag`.
    pub fn output_row(&self, number: usize) -> usize {
        let power = self.length.power;
        self.places[number / power] * power + number % power
    }

    /// Transforms rows of numbers below p into rows below 4 p.
    pub fn forward(&self, from: &[u32], to: &mut [u32]) {
        let (Length { m, power }, Prime { p, inverse, .. }) = (self.length, self.prime);
        assert!(from.len() >= ROW * self.input_rows() && to.len() >= ROW * m * power);
        let (input, output) = (from.as_ptr(), to.as_mut_ptr());
        // SAFETY: the lengths asserted; as many factors; numbers below p.
        unsafe { ntt_combine(input, output, power, self.inputs, m, self.factors.as_ptr(), p, inverse) }
        for block in to[..ROW * m * power].chunks_exact_mut(ROW * power) {
            let mut nodes = 1;
            while nodes < power {
                let quarter = power / (4 * nodes);
                // SAFETY: a block has `power` rows, whose numbers are below 4 p; 2 `nodes` roots exist.
                unsafe { ntt_forward(block.as_mut_ptr(), nodes, quarter, self.roots.as_ptr(), p) }
                nodes *= 4;
            }
        }
    }

    /// The inverse of rows of numbers below 2 p, which it overwrites. The results are below 2 p.
    pub fn inverse(&self, from: &mut [u32], to: &mut [u32]) {
        let (Length { m, power }, Prime { p, inverse, .. }) = (self.length, self.prime);
        assert!(from.len() >= ROW * m * power && to.len() >= ROW * self.output_rows());
        for block in from[..ROW * m * power].chunks_exact_mut(ROW * power) {
            let mut nodes = power / 4;
            while nodes > 0 {
                let quarter = power / (4 * nodes);
                // SAFETY: a block has `power` rows, whose numbers are below 2 p; 2 `nodes` roots exist.
                unsafe { ntt_inverse(block.as_mut_ptr(), nodes, quarter, self.inverse_roots.as_ptr(), p) }
                nodes /= 4;
            }
        }
        let (input, output, factors) = (from.as_ptr(), to.as_mut_ptr(), self.inverse_factors.as_ptr());
        // SAFETY: the lengths asserted; as many factors; numbers below 2 p.
        unsafe { ntt_combine(input, output, power, m, self.outputs.len(), factors, p, inverse) }
    }
}
