//! The weights of convolutions of images.

use alloc::vec::Vec;

use super::{Geometry, Layer};
use crate::clifford::linear::Direction;
use crate::error::Error;
use crate::matmul::{Element, MatRef, Options, PackedB};
use crate::memory::{filled, push};

impl Layer<'_> {
    /// Packs the weights of each product and group of taps. `weights` have shape (blades, outputs,
    /// inputs, taps).
    pub fn pack<'a, T: Element, const D: usize>(
        &self,
        geometry: &Geometry<D>,
        weights: &[T],
        memory: &'a mut [T],
    ) -> Result<(Vec<PackedB<'a, T>>, &'a mut [T]), Error> {
        let (is_forward, blades) = (self.direction == Direction::Forward, self.signature.blades());
        let [from, to] = self.channels;
        let [inputs, outputs] = if is_forward { [from, to] } else { [to, from] };
        let (together, taps) = (geometry.taps_together(), geometry.kernel.iter().product::<usize>());
        let weight = |q: usize, o: usize, i: usize, tap: usize| {
            let tap = if is_forward { tap } else { taps - 1 - tap };
            weights[((q * outputs + o) * inputs + i) * taps + tap]
        };
        let (mut products, mut rest) = (Vec::new(), memory);
        let mut add = |rows: usize, columns: usize, matrix: &[T]| {
            let (part, after) = core::mem::take(&mut rest).split_at_mut(rows * columns);
            rest = after;
            let matrix = MatRef::row_major(matrix, rows, columns, columns)?;
            push(&mut products, PackedB::new(matrix, part, &Options::default())?)
        };
        if self.passes.is_empty() {
            let [rows, columns] = [from * blades, to * blades];
            for group in 0..geometry.groups() {
                let mut matrix = filled(together * rows * columns, T::ZERO)?;
                for (tap, matrix) in matrix.chunks_exact_mut(rows * columns).enumerate() {
                    for (p, q) in (0..blades * blades).map(|pair| (pair / blades, pair % blades)) {
                        let (j, sign) = self.signature.product(p, q);
                        for (i, o) in (0..inputs * outputs).map(|pair| (pair / outputs, pair % outputs)) {
                            let w = weight(q, o, i, group * together + tap);
                            // Rows are (channel, blade) of the source, columns (blade, channel).
                            let at = match is_forward {
                                true => (i * blades + p) * columns + j * outputs + o,
                                false => (o * blades + j) * columns + p * inputs + i,
                            };
                            if sign != 0 {
                                matrix[at] = if sign < 0 { -w } else { w };
                            }
                        }
                    }
                }
                add(together * rows, columns, &matrix)?;
            }
        }
        for pass in self.passes {
            let [rows, columns] = [pass.depth() * inputs, pass.size * outputs];
            let scale = 1.0 / f64::from(1 << pass.halvings);
            for group in 0..geometry.groups() {
                let mut matrix = filled(together * rows * columns, T::ZERO)?;
                for (tap, matrix) in matrix.chunks_exact_mut(rows * columns).enumerate() {
                    for (at, form) in pass.w.iter().enumerate() {
                        let (block, column) = (at / pass.size, at % pass.size);
                        for (i, o) in (0..inputs * outputs).map(|pair| (pair / outputs, pair % outputs)) {
                            let terms = form.iter().enumerate().filter(|(_, sign)| **sign != 0);
                            let term = |(q, &sign): (usize, &i8)| {
                                f64::from(sign) * weight(q, o, i, group * together + tap).to_f64()
                            };
                            let value = T::from_f64(scale * terms.map(term).sum::<f64>());
                            let (row, column) = (block * inputs + i, column * outputs + o);
                            matrix[if is_forward { row * columns + column } else { column * rows + row }] = value;
                        }
                    }
                }
                let [rows, columns] = if is_forward { [rows, columns] } else { [columns, rows] };
                add(together * rows, columns, &matrix)?;
            }
        }
        Ok((products, rest))
    }
}
