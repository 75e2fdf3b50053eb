//! Passes of [`Mode::Fast`](super::Mode::Fast) as products of matrices.

use alloc::vec::Vec;

use super::Linear;
use crate::clifford::algebra::Pass;
use crate::clifford::layout::Direction;
use crate::clifford::transform::Sums;
use crate::frame::error::Error;
use crate::frame::memory::push;

/// Planes of a row of A, the transformed input, and of the product of a pass.
pub fn planes(pass: &Pass, direction: Direction) -> [usize; 2] {
    direction.of([&pass.x, &pass.units].map(|forms| forms.len() / pass.size))
}

/// A pass with the change of basis from the blades of the input to A, and of the output to the product.
#[derive(Clone, Debug)]
pub struct Step {
    pub pass: Pass,
    pub x: Sums,
    pub units: Sums,
}

impl Step {
    pub fn new(pass: Pass) -> Result<Self, Error> {
        let (x, units) = (Sums::of(&pass.x)?, Sums::of(&pass.units)?);
        Ok(Step { pass, x, units })
    }

    /// First plane and row stride in planes, of A and of the product.
    pub fn places(&self, direction: Direction) -> [(usize, usize); 2] {
        let Pass { size, x, units, places, .. } = &self.pass;
        let output = (places.units_at, units.len() / size);
        match direction {
            Direction::Forward => [(places.own_at, places.own_row), output],
            Direction::Backward => [output, (places.x_at, x.len() / size)],
        }
    }

    /// Rows, columns and leading dimension of B, the packed weights; the leading dimension is padded where it would
    /// be a multiple of 64 elements (L1 aliasing).
    pub fn second(&self, direction: Direction, [from, to]: [usize; 2]) -> [usize; 3] {
        let [depth, width] = planes(&self.pass, direction);
        let (rows, columns) = (depth * from, width * to);
        [rows, columns, if columns.is_multiple_of(64) { columns + 16 } else { columns }]
    }

    /// Elements of B.
    pub fn len(&self, direction: Direction, channels: [usize; 2]) -> usize {
        let [rows, _, row] = self.second(direction, channels);
        rows * row
    }
}

/// The product of one row of A with B, independent of the batch.
#[derive(Clone, Debug)]
pub struct Call {
    /// The row, and the number of rows of A.
    pub row: usize,
    pub size: usize,
    /// As in [`Step::second`].
    pub second: [usize; 3],
    /// Offset of B among the packed weights.
    pub at: usize,
    /// First plane and row stride in planes, each of A and of the product.
    pub first: [usize; 2],
    pub planes: [usize; 2],
}

impl Linear {
    /// The products of all passes.
    pub(super) fn calls(&self, direction: Direction) -> Result<Vec<Call>, Error> {
        let (mut calls, mut at) = (Vec::new(), 0);
        for step in &self.passes {
            let (size, second) = (step.pass.size, step.second(direction, self.channels(direction)));
            let places = step.places(direction);
            for row in 0..size {
                let (first, planes) = (places.map(|(first, planes)| first + row * planes), places.map(|place| place.1));
                push(&mut calls, Call { row, size, second, at, first, planes })?;
            }
            at += step.len(direction, self.channels(direction));
        }
        Ok(calls)
    }
}
