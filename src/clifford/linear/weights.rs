//! Packed weights, and products with them.

use super::Linear;
use super::block::BatchBlock;
use super::gradient::PIECE_OF_PRODUCT;
use super::pack::{BEFORE_LINE, from_line};
use crate::clifford::combine::bytes;
use crate::clifford::layout::Direction;
use crate::clifford::transform::Transform;
use crate::frame::error::{Error, at_least, exactly};
use crate::frame::pieces::{Ended, Pieces, unless_ended, whole};
use crate::matmul::{Activation, Bias, Element, Epilogue, MatMut, MatRef, Options, PackedB};
use crate::matmul::{gemm_packed, gemm_packed_with_epilogue};

/// Weights of a [`Linear`] layer, packed in the caller's memory.
#[derive(Clone, Debug)]
pub struct LinearWeights<'a, T> {
    pub(super) layer: &'a Linear,
    pub(super) direction: Direction,
    /// None for [`Mode::Fast`](super::Mode::Fast).
    pub(super) packed: Option<PackedB<'a, T>>,
    /// B of each pass, row-major; empty for [`Mode::Exact`](super::Mode::Exact).
    pub(super) factors: &'a [T],
    /// Empty if there is none; in [`Mode::Exact`](super::Mode::Exact) output-major, else blade-major.
    pub(super) bias: &'a [T],
}

impl<T: Element> LinearWeights<'_, T> {
    /// Channels of the input and of the output of a product with these weights.
    pub(super) fn channels(&self) -> [usize; 2] {
        self.layer.channels(self.direction)
    }

    /// Elements of the workspace that [`LinearWeights::forward`] or [`LinearWeights::backward`] needs
    /// for a batch; 0 for an empty one.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if a matrix exceeds the address space.
    pub fn workspace_len(&self, batch: usize) -> Result<usize, Error> {
        let blades = self.layer.signature.blades();
        let [from, to] = self.channels();
        let too_large = Error::TooLarge { argument: "batch" };
        for channels in [from, to] {
            let numbers = channels.checked_mul(blades).and_then(|row| row.checked_mul(batch));
            numbers.filter(|&numbers| numbers <= isize::MAX as usize / 8).ok_or(too_large)?;
        }
        if batch == 0 {
            return Ok(0);
        }
        if let Some(packed) = &self.packed {
            if packed.is_near(batch) {
                return Ok(0);
            }
            let bytes = |(_, part): (usize, PackedB<T>)| {
                part.workspace_bytes(batch, from * blades, to * blades, &Options::default())
            };
            return Ok(packed.parts(PIECE_OF_PRODUCT / batch).map(bytes).max().unwrap_or(0).div_ceil(size_of::<T>()));
        }
        let rows = batch.min(self.layer.block_rows);
        let last = if batch > rows { batch % rows } else { 0 };
        let mut most = 0;
        // A shorter last block may need more.
        for rows in [rows, last].into_iter().filter(|&rows| rows > 0) {
            let block = BatchBlock::new(self, rows);
            let mut workspace = 0;
            for product in block.products() {
                workspace = workspace.max(product.workspace_bytes::<T>()?.div_ceil(size_of::<T>()));
            }
            most = most.max(block.lengths().iter().sum::<usize>() + workspace);
        }
        Ok(BEFORE_LINE + most)
    }

    /// y = x w + bias. `x` has `batch` rows of inputs, `y` of outputs.
    ///
    /// # Errors
    /// [`Error::Length`] if `x` or `y` has not `batch` rows, or `workspace` is shorter than
    /// [`LinearWeights::workspace_len`]; [`Error::Option`] if the weights were packed by
    /// [`Linear::pack_backward`].
    pub fn forward(&self, batch: usize, x: &[T], y: &mut [T], workspace: &mut [T]) -> Result<(), Error> {
        whole(|pieces| self.multiply((Direction::Forward, batch), ("x", x), ("y", y), workspace, pieces))
    }

    /// Like [`LinearWeights::forward`]. Returns false as soon as `go_on`, called before each piece of the work, returns
    /// false; `y` is then of no use.
    ///
    /// # Errors
    /// As for [`LinearWeights::forward`].
    pub fn forward_while(
        &self,
        batch: usize,
        (x, y): (&[T], &mut [T]),
        workspace: &mut [T],
        mut go_on: impl FnMut() -> bool,
    ) -> Result<bool, Error> {
        let pieces = &mut Pieces::new(&mut go_on);
        let done = self.multiply((Direction::Forward, batch), ("x", x), ("y", y), workspace, pieces);
        unless_ended(done).map(|done| done.is_some())
    }

    /// The gradient with respect to x, given the gradient with respect to y. `gy` has `batch` rows of
    /// outputs, `gx` of inputs.
    ///
    /// # Errors
    /// As for [`LinearWeights::forward`], with weights of [`Linear::pack_backward`].
    pub fn backward(&self, batch: usize, gy: &[T], gx: &mut [T], workspace: &mut [T]) -> Result<(), Error> {
        whole(|pieces| self.multiply((Direction::Backward, batch), ("gy", gy), ("gx", gx), workspace, pieces))
    }

    /// Like [`LinearWeights::backward`]. Returns false as soon as `go_on`, called before each piece of the work,
    /// returns false; `gx` is then of no use.
    ///
    /// # Errors
    /// As for [`LinearWeights::backward`].
    pub fn backward_while(
        &self,
        batch: usize,
        (gy, gx): (&[T], &mut [T]),
        workspace: &mut [T],
        mut go_on: impl FnMut() -> bool,
    ) -> Result<bool, Error> {
        let pieces = &mut Pieces::new(&mut go_on);
        let done = self.multiply((Direction::Backward, batch), ("gy", gy), ("gx", gx), workspace, pieces);
        unless_ended(done).map(|done| done.is_some())
    }

    /// [`Error::Option`] if the weights were packed for the other direction.
    pub(in crate::clifford) fn check_direction(&self, direction: Direction) -> Result<(), Error> {
        if direction == self.direction {
            Ok(())
        } else {
            Err(Error::Option { argument: "weights", value: self.direction as i32 })
        }
    }

    fn multiply(
        &self,
        (direction, batch): (Direction, usize),
        (from_name, from): (&'static str, &[T]),
        (to_name, to): (&'static str, &mut [T]),
        workspace: &mut [T],
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        self.check_direction(direction)?;
        let needed = self.workspace_len(batch)?;
        let blades = self.layer.signature.blades();
        let [[from_row, from_channels], [to_row, to_channels]] = self.channels().map(|n| [n * blades, n]);
        exactly(from_name, batch * from_row, from.len())?;
        exactly(to_name, batch * to_row, to.len())?;
        at_least("workspace", needed, workspace.len())?;
        if batch == 0 {
            return Ok(());
        }
        if let Some(packed) = &self.packed {
            let bias = if self.bias.is_empty() { Bias::None } else { Bias::Columns(self.bias) };
            let epilogue = Epilogue { bias, activation: Activation::Identity };
            let options = Options::default();
            // The chains of a part continue those of the part before.
            for (first, part) in packed.parts(PIECE_OF_PRODUCT / batch) {
                pieces.next()?;
                let a = MatRef::row_major(&from[first..], batch, part.rows(), from_row)?;
                let c = MatMut::row_major(to, batch, to_row, to_row)?;
                let workspace = Some(bytes(workspace));
                match first {
                    0 => gemm_packed_with_epilogue(T::ONE, a, &part, &epilogue, c, &options, workspace)?,
                    _ => gemm_packed(T::ONE, a, &part, T::ONE, c, &options, workspace)?,
                }
            }
            return Ok(());
        }
        let transform = self.transform();
        let workspace = from_line(workspace);
        // The divisions of `chunks` would take a tenth of the time of a single row.
        let mut first = 0;
        while first < batch {
            let rows = self.layer.block_rows.min(batch - first);
            pieces.next()?;
            let (from, to) = (&from[first * from_row..][..rows * from_row], &mut to[first * to_row..][..rows * to_row]);
            first += rows;
            let block = BatchBlock::new(self, rows);
            let [length, length_of_units] = block.lengths();
            let (factors, rest) = workspace.split_at_mut(length);
            let (units, rest) = rest.split_at_mut(length_of_units);
            let [(outer, plane), (outer_of_units, plane_of_units)] = block.distances;
            let (x, shape) = if block.is_by_channels {
                ((from, blades, from_row), [from_channels, rows, blades])
            } else {
                ((from, from_row, blades), [rows, from_channels, blades])
            };
            transform.forms.forms(shape, x, (factors, outer, plane));
            for product in block.products() {
                pieces.next()?;
                product.run(self.factors, factors, units, rest)?;
            }
            let (y, shape) = if block.is_by_channels {
                ((to, blades, to_row), [to_channels, rows])
            } else {
                ((to, to_row, blades), [rows, to_channels])
            };
            transform.blades.blades(
                shape,
                (units, outer_of_units, plane_of_units),
                (self.bias, !block.is_by_channels),
                y,
            );
        }
        Ok(())
    }

    /// The transforms of the direction of the weights.
    pub(super) fn transform(&self) -> &Transform {
        &self.layer.transforms[self.direction as usize]
    }
}
