//! The weights of convolutions of images.

use alloc::vec::Vec;

use super::{Geometry, Layer, Weights};
use crate::clifford::layout::Direction;
use crate::clifford::linear::{Step, planes};
use crate::frame::memory::push;
use crate::frame::pieces::{Ended, Pieces};
use crate::matmul::{Element, MatRef, Options, PackedB};

/// Steps of a weight that is packed: it is read from another line of the caches.
const STEPS: usize = 8;

impl Layer<'_> {
    /// Packs the weights. `weights` have shape (blades, outputs, inputs, taps), `bias` (blades, outputs); it may
    /// be empty.
    pub fn pack<'a, T: Element>(
        &self,
        geometry: &Geometry,
        weights: &[T],
        bias: &[T],
        memory: &'a mut [T],
        pieces: &mut Pieces,
    ) -> Result<Weights<'a, T>, Ended> {
        let (is_forward, blades) = (self.direction == Direction::Forward, self.signature.blades());
        let [from, to] = self.channels;
        let [inputs, outputs] = if is_forward { [from, to] } else { [to, from] };
        let taps = geometry.taps();
        let weight = |q: usize, o: usize, i: usize, tap: usize| {
            let tap = if is_forward { tap } else { taps - 1 - tap };
            weights[((q * outputs + o) * inputs + i) * taps + tap]
        };
        let (to_bias, mut rest) = memory.split_at_mut(bias.len());
        to_bias.copy_from_slice(bias);
        let bias = &*to_bias;
        if let Some(length) = self.transform.map(|_| self.factors() * taps) {
            let (factors, _) = rest.split_at_mut(length);
            self.pack_factors(taps, weight, factors, pieces)?;
            return Ok(Weights { products: Vec::new(), factors, bias });
        }
        let mut products = Vec::new();
        let ([rows, columns], together) = ([from * blades, to * blades], geometry.taps_together());
        for group in 0..geometry.groups() {
            let mut matrix = pieces.filled(together * rows * columns, T::ZERO)?;
            for (tap, matrix) in matrix.chunks_exact_mut(rows * columns).enumerate() {
                for (p, q) in (0..blades * blades).map(|pair| (pair / blades, pair % blades)) {
                    let (j, sign) = self.signature.product(p, q);
                    for (i, o) in (0..inputs * outputs).map(|pair| (pair / outputs, pair % outputs)) {
                        pieces.before(STEPS)?;
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
            let (part, after) = rest.split_at_mut(matrix.len());
            rest = after;
            let matrix = MatRef::row_major(&matrix, together * rows, columns, columns)?;
            push(&mut products, PackedB::in_pieces(matrix, part, &Options::default(), pieces)?)?;
        }
        Ok(Weights { products, factors: &[], bias })
    }

    /// Elements of the second factors of a tap.
    fn factors(&self) -> usize {
        let [from, to] = self.channels;
        self.passes
            .iter()
            .map(|step| planes(&step.pass, self.direction).into_iter().product::<usize>() * from * to)
            .sum()
    }

    /// Writes the second factors, for each pass and tap its rows. `weight` is that of a blade, an output, an input
    /// and a tap.
    fn pack_factors<T: Element>(
        &self,
        taps: usize,
        weight: impl Fn(usize, usize, usize, usize) -> T,
        to: &mut [T],
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        let [inputs, outputs] = self.direction.of(self.channels);
        let mut rest = to;
        for Step { pass, .. } in self.passes {
            let [rows, columns] = [pass.depth() * inputs, pass.size * outputs];
            let (factors, after) = core::mem::take(&mut rest).split_at_mut(taps * rows * columns);
            rest = after;
            let scale = 1.0 / f64::from(1 << pass.halvings);
            for (tap, factor) in factors.chunks_exact_mut(rows * columns).enumerate() {
                for (at, form) in pass.w.iter().enumerate() {
                    let (block, column) = (at / pass.size, at % pass.size);
                    for (i, o) in (0..inputs * outputs).map(|pair| (pair / outputs, pair % outputs)) {
                        pieces.before(STEPS * form.len())?;
                        let terms = form.iter().enumerate().filter(|(_, sign)| **sign != 0);
                        let term = |(q, &sign): (usize, &i8)| f64::from(sign) * weight(q, o, i, tap).to_f64();
                        let (row, column) = (block * inputs + i, column * outputs + o);
                        let is_forward = self.direction == Direction::Forward;
                        factor[if is_forward { row * columns + column } else { column * rows + row }] =
                            T::from_f64(scale * terms.map(term).sum::<f64>());
                    }
                }
            }
        }
        Ok(())
    }
}
