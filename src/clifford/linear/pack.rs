//! Weights in the order in which products read them.

use super::{Linear, LinearWeights};
use crate::clifford::combine::transpose;
use crate::clifford::layout::Direction;
use crate::frame::error::{Error, at_least, exactly};
use crate::frame::pieces::{Ended, Pieces, unless_ended, whole};
use crate::matmul::{Element, MatRef, Options, PackedB};

/// Steps of a weight that is packed: each read is a cache miss.
const STEPS: usize = 8;

/// Packed weights and block operands start on a cache-line boundary, so that no vector load is split.
pub const LINE: usize = 64;

/// Elements before the boundary, at most.
pub const BEFORE_LINE: usize = LINE / size_of::<f32>();

/// The elements from the first boundary on.
pub fn from_line<T>(numbers: &mut [T]) -> &mut [T] {
    let before = numbers.as_ptr().align_offset(LINE).min(LINE / size_of::<T>());
    &mut numbers[before..]
}

impl Linear {
    /// Elements of the memory that [`Linear::pack`] and [`Linear::pack_backward`] fill.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if that exceeds the address space.
    pub fn packed_len(&self) -> Result<usize, Error> {
        let too_large = Error::TooLarge { argument: "weights" };
        let pairs = self.inputs.checked_mul(self.outputs).filter(|&pairs| pairs <= isize::MAX as usize / 1024);
        let (pairs, blades) = (pairs.ok_or(too_large)?, self.signature.blades());
        let bias = self.outputs.checked_mul(blades).ok_or(too_large)?;
        let factors = |direction| self.passes.iter().map(|step| step.len(direction, self.channels(direction))).sum();
        let weights = match self.passes.is_empty() {
            true => pairs * blades * blades,
            false => usize::max(factors(Direction::Forward), factors(Direction::Backward)),
        };
        weights
            .checked_add(bias)
            .and_then(|all| all.checked_add(BEFORE_LINE))
            .filter(|&all| all <= isize::MAX as usize / 8)
            .ok_or(too_large)
    }

    fn check_weights<T>(&self, weights: &[T]) -> Result<(), Error> {
        exactly("weights", self.signature.blades() * self.inputs * self.outputs, weights.len())
    }

    /// Packs weights, and a bias if there is one, for [`LinearWeights::forward`].
    ///
    /// # Errors
    /// [`Error::Length`] if `weights` or `bias` has the wrong length or `memory` is shorter than
    /// [`Linear::packed_len`], [`Error::NoMemory`].
    pub fn pack<'a, T: Element>(
        &'a self,
        weights: &[T],
        bias: Option<&[T]>,
        memory: &'a mut [T],
    ) -> Result<LinearWeights<'a, T>, Error> {
        whole(|pieces| self.pack_all(weights, bias, memory, pieces))
    }

    /// Like [`Linear::pack`]. Returns `None` as soon as `go_on`, called some times in a millisecond, returns false.
    ///
    /// # Errors
    /// As for [`Linear::pack`].
    pub fn pack_while<'a, T: Element>(
        &'a self,
        weights: &[T],
        bias: Option<&[T]>,
        memory: &'a mut [T],
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Option<LinearWeights<'a, T>>, Error> {
        unless_ended(self.pack_all(weights, bias, memory, &mut Pieces::new(&mut go_on)))
    }

    fn pack_all<'a, T: Element>(
        &'a self,
        weights: &[T],
        bias: Option<&[T]>,
        memory: &'a mut [T],
        pieces: &mut Pieces,
    ) -> Result<LinearWeights<'a, T>, Ended> {
        let blades = self.signature.blades();
        if let Some(bias) = bias {
            exactly("bias", blades * self.outputs, bias.len())?;
        }
        let (mut packed, rest) = self.pack_for(Direction::Forward, weights, memory, pieces)?;
        if let Some(bias) = bias {
            let packed_bias = &mut rest[..blades * self.outputs];
            match self.passes.is_empty() {
                true => transpose(blades, self.outputs, bias, packed_bias),
                false => packed_bias.copy_from_slice(bias),
            }
            packed.bias = packed_bias;
        }
        Ok(packed)
    }

    /// Packs weights for [`LinearWeights::backward`].
    ///
    /// # Errors
    /// As for [`Linear::pack`].
    pub fn pack_backward<'a, T: Element>(
        &'a self,
        weights: &[T],
        memory: &'a mut [T],
    ) -> Result<LinearWeights<'a, T>, Error> {
        whole(|pieces| self.pack_for_gradient(weights, memory, pieces))
    }

    /// Like [`Linear::pack_backward`]. Returns `None` as soon as `go_on`, called some times in a millisecond, returns
    /// false.
    ///
    /// # Errors
    /// As for [`Linear::pack`].
    pub fn pack_backward_while<'a, T: Element>(
        &'a self,
        weights: &[T],
        memory: &'a mut [T],
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Option<LinearWeights<'a, T>>, Error> {
        unless_ended(self.pack_for_gradient(weights, memory, &mut Pieces::new(&mut go_on)))
    }

    pub(in crate::clifford) fn pack_for_gradient<'a, T: Element>(
        &'a self,
        weights: &[T],
        memory: &'a mut [T],
        pieces: &mut Pieces,
    ) -> Result<LinearWeights<'a, T>, Ended> {
        Ok(self.pack_for(Direction::Backward, weights, memory, pieces)?.0)
    }

    fn pack_for<'a, T: Element>(
        &'a self,
        direction: Direction,
        weights: &[T],
        memory: &'a mut [T],
        pieces: &mut Pieces,
    ) -> Result<(LinearWeights<'a, T>, &'a mut [T]), Ended> {
        self.check_weights(weights)?;
        at_least("memory", self.packed_len()?, memory.len())?;
        let memory = from_line(memory);
        let (inputs, outputs, blades) = (self.inputs, self.outputs, self.signature.blades());
        if self.passes.is_empty() {
            let [rows, columns] = [inputs, outputs].map(|channels| channels * blades);
            let mut expanded = pieces.filled(rows * columns, T::ZERO)?;
            for (p, q, j, sign) in
                (0..blades).flat_map(|j| self.signature.factors(j).map(move |(p, q, s)| (p, q, j, s)))
            {
                for i in 0..inputs {
                    pieces.before(STEPS * outputs)?;
                    for o in 0..outputs {
                        let w = weights[(q * outputs + o) * inputs + i];
                        expanded[(i * blades + p) * columns + o * blades + j] = if sign < 0 { -w } else { w };
                    }
                }
            }
            let matrix = MatRef::row_major(&expanded, rows, columns, columns)?;
            let matrix = if direction == Direction::Forward { matrix } else { matrix.transposed() };
            let (memory, rest) = memory.split_at_mut(rows * columns);
            let packed = Some(PackedB::in_pieces(matrix, memory, &Options::default(), pieces)?);
            return Ok((LinearWeights { layer: self, direction, packed, factors: &[], bias: &[] }, rest));
        }
        let channels = self.channels(direction);
        let (factors, rest) = memory.split_at_mut(self.passes.iter().map(|step| step.len(direction, channels)).sum());
        let mut free = &mut *factors;
        for step in &self.passes {
            let pass = &step.pass;
            let [_, _, length] = step.second(direction, channels);
            let (factor, after) = free.split_at_mut(step.len(direction, channels));
            free = after;
            let scale = 1.0 / f64::from(1 << pass.halvings);
            for (at, form) in pass.w.iter().enumerate() {
                let (block, column) = (at / pass.size, at % pass.size);
                for (i, o) in (0..inputs).flat_map(|i| (0..outputs).map(move |o| (i, o))) {
                    pieces.before(STEPS * form.len())?;
                    let weight = |q: usize| weights[(q * outputs + o) * inputs + i].to_f64();
                    let terms = form.iter().enumerate().filter(|(_, sign)| **sign != 0);
                    let value = scale * terms.map(|(q, &sign)| f64::from(sign) * weight(q)).sum::<f64>();
                    let [row, column] = direction.of([block * inputs + i, column * outputs + o]);
                    factor[row * length + column] = T::from_f64(value);
                }
            }
        }
        Ok((LinearWeights { layer: self, direction, packed: None, factors, bias: &[] }, rest))
    }
}
