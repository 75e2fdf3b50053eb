//! Linear layers with one weight for each grade.

use alloc::vec::Vec;

use super::combine::{bytes, transpose};
use super::layout::{Direction, batch_lengths, block_rows, gradient_workspace};
use super::signature::Signature;
use crate::frame::error::{Error, at_least, exactly};
use crate::frame::memory::{filled, push};
use crate::matmul::{Activation, Bias, Element, Epilogue, MatMut, MatRef, Options, PackedB};
use crate::matmul::{gemm_in, gemm_packed, gemm_packed_with_epilogue};

/// The maps of multivectors that a [`GradeLinear`] layer combines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum GradeMaps {
    /// For each grade k from 0 to the number of generators, the part of grade k.
    #[default]
    Grades = 0,
    /// These, and for each grade k, the product N x_k, where N is the product of all generators of
    /// square 0 and x_k is the part of grade k, as long as it can be other than 0: the 9 maps of GATr for
    /// (0, 1, 1, 1). The same as [`GradeMaps::Grades`] for signatures without a generator of square 0.
    WithNull = 1,
}

/// A linear layer with a weight for each grade, which commutes with rotations:
/// y\[b, o\] = bias\[o\] + the sum over input channels i and maps m of w\[o, i, m\] m(x\[b, i\]), where
/// the bias is a scalar.
///
/// | array | shape, row-major |
/// |---|---|
/// | x | (batch, inputs, blades) |
/// | y | (batch, outputs, blades) |
/// | weights | (outputs, inputs, [`GradeLinear::maps`]) |
/// | bias | (outputs) |
///
/// Each number of the output is one chain of fused multiply-adds. It begins at the bias, or at +0, and
/// goes over the input channels with the weights of the blade's grade, then over them with the weights
/// of the map to it by N, if there is one. It has the same bits on every CPU, for every batch.
/// Threads may share the weights and split the batch: a range of rows has the bits of the whole.
///
/// ```
/// use hotloops::clifford::{GradeLinear, GradeMaps, Signature};
///
/// // 10 + 1 times the scalar, 2 times the vector, 3 times the bivector.
/// let layer = GradeLinear::new(Signature::new(&[1, 1])?, 1, 1, GradeMaps::Grades)?;
/// let mut memory = vec![0.0f32; layer.packed_len()?];
/// let weights = layer.pack(&[1.0, 2.0, 3.0], Some(&[10.0]), &mut memory)?;
/// let mut workspace = vec![0.0; weights.workspace_len(1)?];
/// let mut y = [0.0; 4];
/// weights.forward(1, &[1.0, 2.0, 3.0, 4.0], &mut y, &mut workspace)?;
/// assert_eq!(y, [11.0, 4.0, 6.0, 12.0]);
/// # Ok::<(), hotloops::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GradeLinear {
    signature: Signature,
    inputs: usize,
    outputs: usize,
    maps: usize,
    products: Vec<MapProduct>,
}

/// A map of some adjacent blades to others: a product with the weights of a map.
#[derive(Clone, Copy, Debug)]
struct MapProduct {
    map: usize,
    /// The first blade of the input, and the one of the output.
    from: usize,
    to: usize,
    blades: usize,
    /// The sign of the blades of the output.
    sign: i8,
}

/// Weights of a [`GradeLinear`] layer, packed in the caller's memory.
#[derive(Clone, Debug)]
pub struct GradeWeights<'a, T> {
    layer: &'a GradeLinear,
    direction: Direction,
    /// One for each map.
    maps: Vec<PackedB<'a, T>>,
    /// Empty if there is none.
    bias: &'a [T],
}

impl GradeLinear {
    /// A layer of `inputs` and `outputs` channels.
    ///
    /// # Errors
    /// [`Error::Channels`] if a number of channels is 0, [`Error::TooLarge`] if the weights exceed
    /// the address space, [`Error::NoMemory`].
    pub fn new(signature: Signature, inputs: usize, outputs: usize, maps: GradeMaps) -> Result<Self, Error> {
        for (argument, channels) in [("inputs", inputs), ("outputs", outputs)] {
            if channels == 0 {
                return Err(Error::Channels { argument });
            }
        }
        let grades = signature.squares().len() + 1;
        let mut products: Vec<MapProduct> = Vec::new();
        let mut add = |map, from, to, sign| match products.last_mut() {
            Some(last)
                if (last.map, last.sign) == (map, sign)
                    && (last.from + last.blades, last.to + last.blades) == (from, to) =>
            {
                last.blades += 1;
                Ok(())
            }
            _ => push(&mut products, MapProduct { map, from, to, blades: 1, sign }),
        };
        for blade in 0..signature.blades() {
            add(signature.grade(blade), blade, blade, 1)?;
        }
        let squares = signature.squares().iter().enumerate();
        let null = squares.fold(0, |null, (i, &square)| null | usize::from(square == 0) << i);
        let mut all = grades;
        if maps == GradeMaps::WithNull && null != 0 {
            for from in (0..signature.blades()).filter(|&blade| signature.bitmap(blade) & null == 0) {
                let (to, sign) = signature.product(signature.index(null), from);
                add(grades + signature.grade(from), from, to, sign)?;
            }
            all += grades - null.count_ones() as usize;
        }
        let layer = GradeLinear { signature, inputs, outputs, maps: all, products };
        layer.packed_len()?;
        Ok(layer)
    }

    /// The signature of the algebra.
    #[must_use]
    pub fn signature(&self) -> Signature {
        self.signature
    }

    /// The number of maps: of weights for each input and output channel.
    #[must_use]
    pub fn maps(&self) -> usize {
        self.maps
    }

    /// Elements of the memory that [`GradeLinear::pack`] and [`GradeLinear::pack_backward`] fill.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if that exceeds the address space.
    pub fn packed_len(&self) -> Result<usize, Error> {
        let weights = self.inputs.checked_mul(self.outputs).and_then(|pairs| pairs.checked_mul(self.maps));
        let all = weights.and_then(|all| all.checked_add(self.outputs));
        all.filter(|&all| all <= isize::MAX as usize / 8).ok_or(Error::TooLarge { argument: "weights" })
    }

    /// Packs weights, and a bias if there is one, for [`GradeWeights::forward`].
    ///
    /// # Errors
    /// [`Error::Length`] if `weights` or `bias` has the wrong length or `memory` is shorter than
    /// [`GradeLinear::packed_len`], [`Error::NoMemory`].
    pub fn pack<'a, T: Element>(
        &'a self,
        weights: &[T],
        bias: Option<&[T]>,
        memory: &'a mut [T],
    ) -> Result<GradeWeights<'a, T>, Error> {
        self.pack_for(Direction::Forward, weights, bias, memory)
    }

    /// Packs weights for [`GradeWeights::backward`].
    ///
    /// # Errors
    /// As for [`GradeLinear::pack`].
    pub fn pack_backward<'a, T: Element>(
        &'a self,
        weights: &[T],
        memory: &'a mut [T],
    ) -> Result<GradeWeights<'a, T>, Error> {
        self.pack_for(Direction::Backward, weights, None, memory)
    }

    fn pack_for<'a, T: Element>(
        &'a self,
        direction: Direction,
        weights: &[T],
        bias: Option<&[T]>,
        memory: &'a mut [T],
    ) -> Result<GradeWeights<'a, T>, Error> {
        let (rows, columns) = (self.inputs, self.outputs);
        exactly("weights", rows * columns * self.maps, weights.len())?;
        bias.map_or(Ok(()), |bias| exactly("bias", columns, bias.len()))?;
        at_least("memory", self.packed_len()?, memory.len())?;
        let mut matrix = filled(rows * columns, T::ZERO)?;
        let mut maps = Vec::new();
        let (packed_bias, mut rest) = memory.split_at_mut(columns);
        for map in 0..self.maps {
            for (i, row) in matrix.chunks_exact_mut(columns).enumerate() {
                row.iter_mut().enumerate().for_each(|(o, w)| *w = weights[(o * rows + i) * self.maps + map]);
            }
            let (part, after) = rest.split_at_mut(rows * columns);
            rest = after;
            let b = MatRef::row_major(&matrix, rows, columns, columns)?;
            let b = if direction == Direction::Forward { b } else { b.transposed() };
            push(&mut maps, PackedB::new(b, part, &Options::default())?)?;
        }
        let bias = match bias {
            None => &[][..],
            Some(bias) => {
                packed_bias.copy_from_slice(bias);
                packed_bias
            }
        };
        Ok(GradeWeights { layer: self, direction, maps, bias })
    }

    /// The number of grades.
    fn grades(&self) -> usize {
        self.signature.squares().len() + 1
    }

    /// Elements of the weights and of the bias.
    pub(super) fn parameters(&self) -> [usize; 2] {
        [self.inputs * self.outputs * self.maps, self.outputs]
    }

    /// Elements of x and of y for a batch.
    pub(super) fn lengths(&self, batch: usize) -> Result<[usize; 2], Error> {
        batch_lengths(batch, self.signature.blades(), [self.inputs, self.outputs])
    }

    /// Batch rows of a block.
    fn block_rows(&self, batch: usize) -> usize {
        block_rows(batch, self.signature.blades(), self.inputs.saturating_add(self.outputs))
    }

    /// Elements of the workspace that [`GradeLinear::backward_weights`] needs for a batch.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if a matrix exceeds the address space.
    pub fn backward_weights_len<T: Element>(&self, batch: usize) -> Result<usize, Error> {
        let ([x, y], rows) = (self.lengths(batch)?, self.block_rows(batch));
        let mut most = 0;
        for rows in [rows, batch.checked_rem(rows).unwrap_or(0)] {
            for product in &self.products {
                let shape = [self.inputs, self.outputs, product.blades * rows];
                most = most.max(gradient_workspace::<T>(shape)?);
            }
        }
        let row = (x + y).checked_div(batch);
        Ok(row.map_or(0, |row| self.inputs * self.outputs * self.maps + row * rows + most))
    }

    /// Adds to `gw` the gradient with respect to the weights, and to `gbias` the one with respect to
    /// the bias, given the input and the gradient with respect to the output.
    ///
    /// Chains go over blocks of the batch, in these over the blades of a map, for each over the rows.
    ///
    /// # Errors
    /// [`Error::Length`] if an array has the wrong length or `workspace` is shorter than
    /// [`GradeLinear::backward_weights_len`].
    pub fn backward_weights<T: Element>(
        &self,
        batch: usize,
        x: &[T],
        gy: &[T],
        gw: &mut [T],
        gbias: Option<&mut [T]>,
        workspace: &mut [T],
    ) -> Result<(), Error> {
        let ([x_length, y_length], blades) = (self.lengths(batch)?, self.signature.blades());
        let (inputs, outputs) = (self.inputs, self.outputs);
        exactly("x", x_length, x.len())?;
        exactly("gy", y_length, gy.len())?;
        exactly("gw", inputs * outputs * self.maps, gw.len())?;
        exactly("gbias", gbias.as_ref().map_or(0, |_| outputs), gbias.as_ref().map_or(0, |gbias| gbias.len()))?;
        at_least("workspace", self.backward_weights_len::<T>(batch)?, workspace.len())?;
        if batch == 0 {
            return Ok(());
        }
        if let Some(gbias) = gbias {
            for row in gy.chunks_exact(outputs * blades) {
                let scalars = row.iter().step_by(blades);
                gbias.iter_mut().zip(scalars).for_each(|(sum, &scalar)| *sum = *sum + scalar);
            }
        }
        let rows = self.block_rows(batch);
        let (sums, rest) = workspace.split_at_mut(inputs * outputs * self.maps);
        let (xs, rest) = rest.split_at_mut(rows * inputs * blades);
        let (gys, rest) = rest.split_at_mut(rows * outputs * blades);
        sums.fill(T::ZERO);
        for (x, gy) in x.chunks(rows * inputs * blades).zip(gy.chunks(rows * outputs * blades)) {
            let rows = x.len() / (inputs * blades);
            transpose(rows * inputs, blades, x, &mut xs[..x.len()]);
            transpose(rows * outputs, blades, gy, &mut gys[..gy.len()]);
            for product in &self.products {
                let depth = product.blades * rows;
                let left = MatRef::row_major(&xs[product.from * rows * inputs..], depth, inputs, inputs)?;
                let right = MatRef::row_major(&gys[product.to * rows * outputs..], depth, outputs, outputs)?;
                let sum = &mut sums[product.map * inputs * outputs..];
                let sum = MatMut::row_major(sum, inputs, outputs, outputs)?;
                let sign = T::from_f64(product.sign.into());
                gemm_in(sign, left.transposed(), right, T::ONE, sum, &Options::default(), Some(bytes(rest)))?;
            }
        }
        for (at, gw) in gw.iter_mut().enumerate() {
            let (pair, map) = (at / self.maps, at % self.maps);
            *gw = *gw + sums[(map * inputs + pair % inputs) * outputs + pair / inputs];
        }
        Ok(())
    }
}

impl<T: Element> GradeWeights<'_, T> {
    /// Channels of the input and of the output of a product with these weights.
    fn channels(&self) -> [usize; 2] {
        let GradeLinear { inputs, outputs, .. } = *self.layer;
        if self.direction == Direction::Forward { [inputs, outputs] } else { [outputs, inputs] }
    }

    /// Elements of the workspace that [`GradeWeights::forward`] or [`GradeWeights::backward`] needs for a
    /// batch.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if a matrix exceeds the address space.
    pub fn workspace_len(&self, batch: usize) -> Result<usize, Error> {
        let ([x, y], rows) = (self.layer.lengths(batch)?, self.layer.block_rows(batch));
        let [from, to] = self.channels();
        let mut most = 0;
        for rows in [rows, batch.checked_rem(rows).unwrap_or(0)] {
            for product in &self.layer.products {
                let packed = &self.maps[product.map];
                let bytes = packed.workspace_bytes(product.blades * rows, from, to, &Options::default());
                most = most.max(bytes.div_ceil(size_of::<T>()));
            }
        }
        let row = (x + y).checked_div(batch);
        Ok(row.map_or(0, |row| row * rows + most))
    }

    /// y = the layer of x. `x` has `batch` rows of inputs, `y` of outputs.
    ///
    /// # Errors
    /// [`Error::Length`] if `x` or `y` has not `batch` rows, or `workspace` is shorter than
    /// [`GradeWeights::workspace_len`]; [`Error::Option`] if the weights were packed by
    /// [`GradeLinear::pack_backward`].
    pub fn forward(&self, batch: usize, x: &[T], y: &mut [T], workspace: &mut [T]) -> Result<(), Error> {
        self.multiply(Direction::Forward, batch, ("x", x), ("y", y), workspace)
    }

    /// The gradient with respect to x, given the gradient with respect to y. `gy` has `batch` rows of
    /// outputs, `gx` of inputs.
    ///
    /// # Errors
    /// As for [`GradeWeights::forward`], with weights of [`GradeLinear::pack_backward`].
    pub fn backward(&self, batch: usize, gy: &[T], gx: &mut [T], workspace: &mut [T]) -> Result<(), Error> {
        self.multiply(Direction::Backward, batch, ("gy", gy), ("gx", gx), workspace)
    }

    fn multiply(
        &self,
        direction: Direction,
        batch: usize,
        (from_name, from): (&'static str, &[T]),
        (to_name, to): (&'static str, &mut [T]),
        workspace: &mut [T],
    ) -> Result<(), Error> {
        if direction != self.direction {
            return Err(Error::Option { argument: "weights", value: self.direction as i32 });
        }
        let blades = self.layer.signature.blades();
        let [from_channels, to_channels] = self.channels();
        let [from_length, to_length] = batch_lengths(batch, blades, self.channels())?;
        exactly(from_name, from_length, from.len())?;
        exactly(to_name, to_length, to.len())?;
        at_least("workspace", self.workspace_len(batch)?, workspace.len())?;
        let rows = self.layer.block_rows(batch).max(1);
        let options = Options::default();
        for (from, to) in from.chunks(rows * from_channels * blades).zip(to.chunks_mut(rows * to_channels * blades)) {
            // Both are multivectors blade by blade here.
            let (sources, rest) = workspace.split_at_mut(from.len());
            let (results, rest) = rest.split_at_mut(to.len());
            let rows = from.len() / (from_channels * blades);
            transpose(rows * from_channels, blades, from, sources);
            for product in &self.layer.products {
                let (first, last) = match direction {
                    Direction::Forward => (product.from, product.to),
                    Direction::Backward => (product.to, product.from),
                };
                let (m, packed) = (product.blades * rows, &self.maps[product.map]);
                let a = MatRef::row_major(&sources[first * rows * from_channels..], m, from_channels, from_channels)?;
                let c = &mut results[last * rows * to_channels..];
                let c = MatMut::row_major(c, m, to_channels, to_channels)?;
                let (sign, workspace) = (T::from_f64(product.sign.into()), Some(bytes(rest)));
                if product.map == 0 && !self.bias.is_empty() {
                    let epilogue = Epilogue { bias: Bias::Columns(self.bias), activation: Activation::Identity };
                    gemm_packed_with_epilogue(sign, a, packed, &epilogue, c, &options, workspace)?;
                } else {
                    let is_sum = product.map >= self.layer.grades();
                    let beta = if is_sum { T::ONE } else { T::ZERO };
                    gemm_packed(sign, a, packed, beta, c, &options, workspace)?;
                }
            }
            transpose(blades, rows * to_channels, results, to);
        }
        Ok(())
    }
}
