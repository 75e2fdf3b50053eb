//! Layers that map the channels of multivectors linearly, over a batch.

use alloc::vec::Vec;

use super::algebra::{Form, Pass, passes};
use super::combine::{Layout, add, gather, spread};
use super::signature::Signature;
use crate::error::{Error, at_least, exactly};
use crate::matmul::{Activation, Bias, Element, Epilogue, MatMut, MatRef, Options, PackedB, Strides};
use crate::matmul::{gemm_in, gemm_packed, gemm_packed_with_epilogue, workspace_bytes};
use crate::memory::{filled, push};

/// How a layer is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum Mode {
    /// Each number of the output is one chain of fused multiply-adds. It begins at the bias and goes
    /// over the input channels in ascending order, for each over the blades of the input. These are
    /// the bits of [`gemm`](crate::matmul::gemm) with the expanded weights, in which products of
    /// blades that vanish count as weights of +0.
    #[default]
    Exact = 0,
    /// By an isomorphic algebra of matrices, with 1/4 to 3/4 of the multiplications, and another
    /// rounding error (see [`Linear::error_factor`]). The bits are the same on every CPU that fuses,
    /// for every batch.
    Fast = 1,
}

/// Batch rows of a block of [`Mode::Fast`].
const ROWS: usize = 48;

/// A linear layer: y\[b, o, j\] = bias\[j, o\] + the sum over input channels i and pairs of blades
/// (p, q) with product +-j of +-x\[b, i, p\] w\[q, o, i\]. The input is the left factor.
///
/// | array | shape, row-major |
/// |---|---|
/// | x | (batch, inputs, blades) |
/// | y | (batch, outputs, blades) |
/// | weights | (blades, outputs, inputs) |
/// | bias | (blades, outputs) |
///
/// ```
/// use hotloops::clifford::{Linear, Mode, Signature};
///
/// // One channel of complex numbers: (1 + 2i)(3 + 4i) = -5 + 10i.
/// let layer = Linear::new(Signature::new(&[-1])?, 1, 1, Mode::Exact)?;
/// let mut memory = vec![0.0f32; layer.packed_len()?];
/// let weights = layer.pack(&[3.0, 4.0], None, &mut memory)?;
/// let mut workspace = vec![0.0; weights.workspace_len(1)?];
/// let mut y = [0.0; 2];
/// weights.forward(1, &[1.0, 2.0], &mut y, &mut workspace)?;
/// assert_eq!(y, [-5.0, 10.0]);
/// # Ok::<(), hotloops::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Linear {
    signature: Signature,
    inputs: usize,
    outputs: usize,
    /// None for [`Mode::Exact`].
    passes: Vec<Pass>,
}

/// Weights of a [`Linear`] layer, packed in the caller's memory.
#[derive(Clone, Debug)]
pub struct LinearWeights<'a, T> {
    layer: &'a Linear,
    direction: Direction,
    /// One for each pass, or one for [`Mode::Exact`].
    products: Vec<PackedB<'a, T>>,
    /// The bias of each output, blade by blade; empty if there is none.
    bias: &'a [T],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

impl Linear {
    /// A layer of `inputs` and `outputs` channels. [`Mode::Fast`] falls back to [`Mode::Exact`] if
    /// it would not need fewer multiplications, and for those signatures of 4 generators, none of
    /// square 0, that it has no matrices for: all but (1, -1, -1, -1).
    ///
    /// # Errors
    /// [`Error::Channels`] if a number of channels is 0, [`Error::TooLarge`] if the weights exceed
    /// the address space, [`Error::NoMemory`].
    pub fn new(signature: Signature, inputs: usize, outputs: usize, mode: Mode) -> Result<Self, Error> {
        for (argument, channels) in [("inputs", inputs), ("outputs", outputs)] {
            if channels == 0 {
                return Err(Error::Channels { argument });
            }
        }
        let passes = if mode == Mode::Fast { passes(&signature)? } else { None };
        let layer = Linear { signature, inputs, outputs, passes: passes.unwrap_or_default() };
        layer.packed_len()?;
        Ok(layer)
    }

    /// The signature of the algebra.
    #[must_use]
    pub fn signature(&self) -> Signature {
        self.signature
    }

    /// The mode that the layer uses.
    #[must_use]
    pub fn mode(&self) -> Mode {
        if self.passes.is_empty() { Mode::Exact } else { Mode::Fast }
    }

    /// Multiplications for each input channel, output channel and row of the batch.
    #[must_use]
    pub fn multiplications(&self) -> usize {
        match self.passes.is_empty() {
            true => self.signature.blades() * self.signature.blades(),
            false => self.passes.iter().map(Pass::multiplications).sum(),
        }
    }

    /// Numbers of the memory that [`Linear::pack`] and [`Linear::pack_backward`] fill.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if that exceeds the address space.
    pub fn packed_len(&self) -> Result<usize, Error> {
        let too_large = Error::TooLarge { argument: "weights" };
        let pairs = self.inputs.checked_mul(self.outputs).ok_or(too_large)?;
        let bias = self.outputs.checked_mul(self.signature.blades()).ok_or(too_large)?;
        let all = pairs.checked_mul(self.multiplications()).and_then(|all| all.checked_add(bias));
        all.filter(|&all| all <= isize::MAX as usize / 8).ok_or(too_large)
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
        let blades = self.signature.blades();
        if let Some(bias) = bias {
            exactly("bias", blades * self.outputs, bias.len())?;
        }
        let (mut packed, rest) = self.pack_for(Direction::Forward, weights, memory)?;
        if let Some(bias) = bias {
            for (o, of_output) in rest.chunks_exact_mut(blades).enumerate().take(self.outputs) {
                of_output.iter_mut().enumerate().for_each(|(j, to)| *to = bias[j * self.outputs + o]);
            }
            packed.bias = &rest[..blades * self.outputs];
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
        Ok(self.pack_for(Direction::Backward, weights, memory)?.0)
    }

    fn pack_for<'a, T: Element>(
        &'a self,
        direction: Direction,
        weights: &[T],
        memory: &'a mut [T],
    ) -> Result<(LinearWeights<'a, T>, &'a mut [T]), Error> {
        self.check_weights(weights)?;
        at_least("memory", self.packed_len()?, memory.len())?;
        let mut products = Vec::new();
        let mut rest = memory;
        let mut product = |rows: usize, columns: usize, expanded: &[T]| {
            let (part, after) = core::mem::take(&mut rest).split_at_mut(rows * columns);
            rest = after;
            let matrix = MatRef::row_major(expanded, rows, columns, columns)?;
            let matrix = if direction == Direction::Forward { matrix } else { matrix.transposed() };
            push(&mut products, PackedB::new(matrix, part, &Options::default())?)
        };
        if self.passes.is_empty() {
            let blades = self.signature.blades();
            let [rows, columns] = [self.inputs, self.outputs].map(|channels| channels * blades);
            let mut expanded = filled(rows * columns, T::ZERO)?;
            self.each_product(|i, o, (p, q, j, sign)| {
                let w = weights[(q * self.outputs + o) * self.inputs + i];
                expanded[(i * blades + p) * columns + o * blades + j] = if sign < 0 { -w } else { w };
            });
            product(rows, columns, &expanded)?;
        }
        for pass in &self.passes {
            let [rows, columns] = [pass.depth() * self.inputs, pass.size * self.outputs];
            let scale = 1.0 / f64::from(1 << pass.halvings);
            let mut expanded = filled(rows * columns, T::ZERO)?;
            for (at, form) in pass.w.iter().enumerate() {
                let (block, column) = (at / pass.size, at % pass.size);
                for i in 0..self.inputs {
                    let to = &mut expanded[(block * self.inputs + i) * columns + column * self.outputs..];
                    for (o, to) in to.iter_mut().enumerate().take(self.outputs) {
                        let weight = |q: usize| weights[(q * self.outputs + o) * self.inputs + i].to_f64();
                        let terms = form.iter().enumerate().filter(|(_, sign)| **sign != 0);
                        *to = T::from_f64(scale * terms.map(|(q, &sign)| f64::from(sign) * weight(q)).sum::<f64>());
                    }
                }
            }
            product(rows, columns, &expanded)?;
        }
        Ok((LinearWeights { layer: self, direction, products, bias: &[] }, rest))
    }

    /// Calls `each` for all products of an input channel's blade p and a weight's blade q, with the
    /// blade j and the sign of the product.
    fn each_product(&self, mut each: impl FnMut(usize, usize, (usize, usize, usize, i8))) {
        for j in 0..self.signature.blades() {
            for (p, q, sign) in self.signature.factors(j) {
                for i in 0..self.inputs {
                    for o in 0..self.outputs {
                        each(i, o, (p, q, j, sign));
                    }
                }
            }
        }
    }
}

impl<T: Element> LinearWeights<'_, T> {
    /// Channels of the input and of the output of a product with these weights.
    fn channels(&self) -> [usize; 2] {
        let Linear { inputs, outputs, .. } = *self.layer;
        if self.direction == Direction::Forward { [inputs, outputs] } else { [outputs, inputs] }
    }

    /// Numbers of the workspace that [`LinearWeights::forward`] or [`LinearWeights::backward`] needs
    /// for a batch.
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
        let product = |rows: usize, packed: &PackedB<T>| {
            let bytes = packed.workspace_bytes(rows, packed.rows(), packed.columns(), &Options::default());
            bytes.div_ceil(size_of::<T>())
        };
        if self.layer.passes.is_empty() {
            return Ok(product(batch, &self.products[0]));
        }
        let rows = batch.min(ROWS);
        let needed = self.layer.passes.iter().zip(&self.products).map(|(pass, packed)| {
            let rows = rows * pass.size;
            rows * (packed.rows() + packed.columns()) + product(rows, packed)
        });
        Ok(needed.max().unwrap_or(0))
    }

    /// y = x w + bias. `x` has `batch` rows of inputs, `y` of outputs.
    ///
    /// # Errors
    /// [`Error::Length`] if `x` or `y` has not `batch` rows, or `workspace` is shorter than
    /// [`LinearWeights::workspace_len`]; [`Error::Option`] if the weights were packed by
    /// [`Linear::pack_backward`].
    pub fn forward(&self, batch: usize, x: &[T], y: &mut [T], workspace: &mut [T]) -> Result<(), Error> {
        self.multiply(Direction::Forward, batch, ("x", x), ("y", y), workspace)
    }

    /// The gradient with respect to x, given the gradient with respect to y. `gy` has `batch` rows of
    /// outputs, `gx` of inputs.
    ///
    /// # Errors
    /// As for [`LinearWeights::forward`], with weights of [`Linear::pack_backward`].
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
        let needed = self.workspace_len(batch)?;
        let blades = self.layer.signature.blades();
        let [[from_row, from_channels], [to_row, to_channels]] = self.channels().map(|n| [n * blades, n]);
        exactly(from_name, batch * from_row, from.len())?;
        exactly(to_name, batch * to_row, to.len())?;
        at_least("workspace", needed, workspace.len())?;
        if self.layer.passes.is_empty() {
            let a = MatRef::row_major(from, batch, from_row, from_row)?;
            let c = MatMut::row_major(to, batch, to_row, to_row)?;
            let bias = if self.bias.is_empty() { Bias::None } else { Bias::Columns(self.bias) };
            let epilogue = Epilogue { bias, activation: Activation::Identity };
            let workspace = Some(bytes(workspace));
            return gemm_packed_with_epilogue(
                T::ONE,
                a,
                &self.products[0],
                &epilogue,
                c,
                &Options::default(),
                workspace,
            );
        }
        let layout = |channels: usize| Layout { channels, blades, row: channels * blades, channel: blades };
        let [from_layout, to_layout] = [from_channels, to_channels].map(layout);
        for (from, to) in from.chunks(ROWS * from_row).zip(to.chunks_mut(ROWS * to_row)) {
            let rows = from.len() / from_row;
            match self.bias {
                [] => to.fill(T::ZERO),
                bias => to.chunks_exact_mut(to_row).for_each(|row| row.copy_from_slice(bias)),
            }
            for (pass, packed) in self.layer.passes.iter().zip(&self.products) {
                let (forms, units) = pass.maps(direction);
                let (m, k, n) = (rows * pass.size, packed.rows(), packed.columns());
                let (factor, rest) = workspace.split_at_mut(m * k);
                let (product, rest) = rest.split_at_mut(m * n);
                spread(&from_layout, rows, from, forms, factor);
                let a = MatRef::row_major(factor, m, k, k)?;
                let c = MatMut::row_major(product, m, n, n)?;
                gemm_packed(T::ONE, a, packed, T::ZERO, c, &Options::default(), Some(bytes(rest)))?;
                gather(&to_layout, rows, product, units, to);
            }
        }
        Ok(())
    }
}

impl Pass {
    /// The forms of the input and of the output.
    fn maps(&self, direction: Direction) -> (&[Form], &[Form]) {
        if direction == Direction::Forward { (&self.x, &self.units) } else { (&self.units, &self.x) }
    }
}

/// The bytes of numbers.
fn bytes<T: Element>(numbers: &mut [T]) -> &mut [u8] {
    // SAFETY: any bytes are valid numbers, and bytes have no alignment.
    unsafe { core::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), size_of_val(numbers)) }
}

impl Linear {
    /// Numbers of the workspace that [`Linear::backward_weights`] needs for a batch.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if a matrix exceeds the address space.
    pub fn backward_weights_len<T: Element>(&self, batch: usize) -> Result<usize, Error> {
        let needed = |rows: usize, k: usize, n: usize| {
            let rows_of_n = Strides::row_major(n);
            let x = Strides::column_major(k);
            let bytes = workspace_bytes::<T>([k, n, rows], x, rows_of_n, rows_of_n, &Options::default())?;
            Ok::<_, Error>(bytes.div_ceil(size_of::<T>()))
        };
        let blades = self.signature.blades();
        if self.passes.is_empty() {
            let [k, n] = [self.inputs, self.outputs].map(|channels| channels * blades);
            return Ok(k * n + needed(batch, k, n)?);
        }
        let mut most = 0;
        for pass in &self.passes {
            let [k, n] = [pass.depth() * self.inputs, pass.size * self.outputs];
            let rows = batch.min(ROWS) * pass.size;
            most = most.max(k * n + rows * (k + n) + needed(rows, k, n)?);
        }
        Ok(most)
    }

    /// Adds to `gw` the gradient with respect to the weights, and to `gbias` the one with respect to
    /// the bias, given the input and the gradient with respect to the output.
    ///
    /// Chains go over the batch. Then the terms of a weight are added, in [`Mode::Exact`] in ascending
    /// order of the input's blades.
    ///
    /// # Errors
    /// [`Error::Length`] if an array has the wrong length or `workspace` is shorter than
    /// [`Linear::backward_weights_len`].
    pub fn backward_weights<T: Element>(
        &self,
        batch: usize,
        x: &[T],
        gy: &[T],
        gw: &mut [T],
        gbias: Option<&mut [T]>,
        workspace: &mut [T],
    ) -> Result<(), Error> {
        let (blades, inputs, outputs) = (self.signature.blades(), self.inputs, self.outputs);
        let [x_row, y_row] = [inputs, outputs].map(|channels| channels * blades);
        exactly("x", batch.saturating_mul(x_row), x.len())?;
        exactly("gy", batch.saturating_mul(y_row), gy.len())?;
        exactly("gw", blades * inputs * outputs, gw.len())?;
        if let Some(gbias) = &gbias {
            exactly("gbias", blades * outputs, gbias.len())?;
        }
        at_least("workspace", self.backward_weights_len::<T>(batch)?, workspace.len())?;
        if let Some(gbias) = gbias {
            for row in gy.chunks_exact(y_row) {
                for (o, gy) in row.chunks_exact(blades).enumerate() {
                    gy.iter().enumerate().for_each(|(j, &gy)| gbias[j * outputs + o] = gbias[j * outputs + o] + gy);
                }
            }
        }
        let options = Options::default();
        if self.passes.is_empty() {
            let (product, rest) = workspace.split_at_mut(x_row * y_row);
            let a = MatRef::row_major(x, batch, x_row, x_row)?.transposed();
            let b = MatRef::row_major(gy, batch, y_row, y_row)?;
            let c = MatMut::row_major(product, x_row, y_row, y_row)?;
            gemm_in(T::ONE, a, b, T::ZERO, c, &options, Some(bytes(rest)))?;
            for p in 0..blades {
                for q in 0..blades {
                    let (j, sign) = self.signature.product(p, q);
                    for o in (0..outputs).filter(|_| sign != 0) {
                        for (i, gw) in gw[(q * outputs + o) * inputs..][..inputs].iter_mut().enumerate() {
                            *gw = add(Some(*gw), sign, product[(i * blades + p) * y_row + o * blades + j]);
                        }
                    }
                }
            }
            return Ok(());
        }
        let layout = |channels: usize| Layout { channels, blades, row: channels * blades, channel: blades };
        for pass in &self.passes {
            let [k, n] = [pass.depth() * inputs, pass.size * outputs];
            let (product, rest) = workspace.split_at_mut(k * n);
            product.fill(T::ZERO);
            for (x, gy) in x.chunks(ROWS * x_row).zip(gy.chunks(ROWS * y_row)) {
                let rows = x.len() / x_row;
                let m = rows * pass.size;
                let (left, rest) = rest.split_at_mut(m * k);
                let (right, rest) = rest.split_at_mut(m * n);
                spread(&layout(inputs), rows, x, &pass.x, left);
                spread(&layout(outputs), rows, gy, &pass.units, right);
                let a = MatRef::row_major(left, m, k, k)?.transposed();
                let b = MatRef::row_major(right, m, n, n)?;
                let c = MatMut::row_major(product, k, n, n)?;
                gemm_in(T::ONE, a, b, T::ONE, c, &options, Some(bytes(rest)))?;
            }
            let scale = T::from_f64(1.0 / f64::from(1 << pass.halvings));
            for (at, form) in pass.w.iter().enumerate() {
                let (block, column) = (at / pass.size, at % pass.size);
                for (q, &sign) in form.iter().enumerate().filter(|(_, sign)| **sign != 0) {
                    for o in 0..outputs {
                        for (i, gw) in gw[(q * outputs + o) * inputs..][..inputs].iter_mut().enumerate() {
                            let term = product[(block * inputs + i) * n + column * outputs + o];
                            *gw = add(Some(*gw), sign, scale * term);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
