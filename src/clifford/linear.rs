//! Layers that map the channels of multivectors linearly, over a batch.

use alloc::vec::Vec;

use super::algebra::{Pass, passes};
use super::combine::{Sums, bytes, transpose};
use super::grade::batch_lengths;
use super::signature::{MAX_BLADES, Signature};
use super::transform::Transform;
use crate::error::{Error, at_least, exactly};
use crate::libm::sqrt_f64;
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
    /// By an isomorphic algebra of matrices, with 1/4 to 3/4 of the multiplications, and a larger
    /// rounding error ([`Linear::error_factor`]). The bits are the same on every CPU that fuses, for
    /// every batch. Infinity or NaN in one blade may make all blades of an output NaN. Signatures of 4
    /// generators, none of square 0, have matrices for (1, -1, -1, -1) only; the others fall back to
    /// [`Mode::Exact`].
    Fast = 1,
    /// [`Mode::Fast`] for layers of so many channels that it is faster, else [`Mode::Exact`]. The choice
    /// depends on the signature and the channels only.
    Auto = 2,
}

/// [`Mode::Auto`] takes [`Mode::Fast`] if it saves this many multiplications for each number of the
/// factors and products of matrices, which it has to write and to read.
const SAVED: f64 = 5.2;

/// The transforms of a row take as much time as those of so many further channels, and those of some channels as
/// much as those of the next multiple of 8.
const CHANNELS: usize = 12;

/// Batch rows of a block of [`Mode::Fast`], at least and at most.
const ROWS: [usize; 2] = [24, 240];

/// Numbers of a block's input and output, factors and products that stay in the level 2 cache.
const BLOCK: usize = 1 << 16;

/// Bytes of a cache line, which begins with the factors of a block: half of their vectors would be in two lines.
const LINE: usize = 64;

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
/// Threads may share the layer and its weights, and split the batch: a range of rows has the bits of the
/// whole. For a range of output channels, make a layer with the weights of that range.
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
    passes: Vec<Step>,
    /// The transforms of all passes, forward and backward; none for [`Mode::Exact`].
    transforms: Vec<Transform>,
}

/// A pass with its transforms.
#[derive(Clone, Debug)]
struct Step {
    pass: Pass,
    /// The first factor from the blades of the input; the blades of the output from the product.
    forward: [Sums; 2],
    /// The same for the gradients, from the output to the input.
    backward: [Sums; 2],
}

impl Step {
    fn new(pass: Pass, blades: usize) -> Result<Self, Error> {
        let forward = [Sums::of(&pass.x)?, Sums::transposed(&pass.units, blades)?];
        let backward = [Sums::of(&pass.units)?, Sums::transposed(&pass.x, blades)?];
        Ok(Step { pass, forward, backward })
    }

    /// Numbers of the first factor and of the product, for one channel of each and one batch row.
    fn numbers(&self, direction: Direction) -> [usize; 2] {
        let [x, units] = [self.pass.x.len(), self.pass.units.len()];
        if direction == Direction::Forward { [x, units] } else { [units, x] }
    }
}

/// Weights of a [`Linear`] layer, packed in the caller's memory.
#[derive(Clone, Debug)]
pub struct LinearWeights<'a, T> {
    layer: &'a Linear,
    direction: Direction,
    /// One for each pass, or one for [`Mode::Exact`].
    products: Vec<PackedB<'a, T>>,
    /// The bias of each output, blade by blade, in [`Mode::Fast`] of each blade, output by output; empty
    /// if there is none.
    bias: &'a [T],
}

/// The pass that weights are packed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

impl Linear {
    /// A layer of `inputs` and `outputs` channels.
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
        let mut layer = Linear { signature, inputs, outputs, passes: Vec::new(), transforms: Vec::new() };
        if let Some(passes) = if mode == Mode::Exact { None } else { passes(&signature)? } {
            for pass in passes {
                push(&mut layer.passes, Step::new(pass, signature.blades())?)?;
            }
            if mode == Mode::Auto && !layer.saves_time() {
                layer.passes.clear();
            }
        }
        if !layer.passes.is_empty() {
            for direction in [Direction::Forward, Direction::Backward] {
                let passes = layer.passes.iter().map(|step| &step.pass);
                let transform = Transform::new(passes, direction, signature.blades(), false)?;
                push(&mut layer.transforms, transform)?;
            }
        }
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
            false => self.passes.iter().map(|step| step.pass.multiplications()).sum(),
        }
    }

    /// Whether the multiplications that the passes save outweigh their factors and products.
    fn saves_time(&self) -> bool {
        let blades = self.signature.blades();
        let saved = (blades * blades).saturating_sub(self.multiplications()) as f64;
        let numbers = |direction| self.passes.iter().map(|step| step.numbers(direction)[0]).sum::<usize>() as f64;
        let [left, right] = [(Direction::Forward, self.inputs), (Direction::Backward, self.outputs)]
            .map(|(direction, channels)| numbers(direction) * (channels.div_ceil(8) * 8 + CHANNELS) as f64);
        saved * self.inputs as f64 * self.outputs as f64 > SAVED * (left + right)
    }

    /// A bound of the rounding error of [`LinearWeights::forward`]: number j of an output differs from
    /// the exact result by at most this factor times the sum over input channels of |x\[b, i\]|
    /// |w\[o, i\]|, the Euclidean lengths of their multivectors, plus that of the bias. It holds where
    /// multiplications and additions are fused; elsewhere it is twice as large.
    ///
    /// Each number of the output is a sum of products of a form of the input and a form of the weights,
    /// and has at most n roundings on the way from either: n u / (1 - n u) times the sum of the
    /// magnitudes of all terms, u half an ulp of 1. That sum is |x|^T B |w| for a matrix B of
    /// nonnegative integers over powers of 2, at most sqrt(|B|_1 |B|_inf) times the lengths.
    #[must_use]
    pub fn error_factor<T: Element>(&self) -> f64 {
        let blades = self.signature.blades();
        let u = 0.5 * if size_of::<T>() == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let bound = |n: usize| n as f64 * u / (1.0 - n as f64 * u);
        if self.passes.is_empty() {
            return bound(blades * self.inputs + 1);
        }
        let depth = self.passes.iter().map(|step| step.pass.depth()).max().unwrap_or(0) * self.inputs;
        let factors = self.passes.iter().map(|step| &step.forward[0]);
        let factor_terms = factors.flat_map(|sums| (0..sums.len()).map(|f| sums.count(f))).max().unwrap_or(0);
        let unit_terms = |blade: usize| self.passes.iter().map(|step| step.forward[1].count(blade)).sum::<usize>();
        let unit_terms = (0..blades).map(unit_terms).max().unwrap_or(0);
        // Sums of weights are rounded once from f64, whose own errors count as one rounding for f64.
        let roundings = factor_terms + 2 * MAX_BLADES + depth + unit_terms + 1;
        let norms = (0..blades).map(|j| {
            let mut matrix = [[0.0; MAX_BLADES]; MAX_BLADES];
            for Step { pass, .. } in &self.passes {
                for (unit, _) in pass.units.iter().enumerate().filter(|(_, form)| form[j] != 0) {
                    let (row, column) = (unit / pass.size, unit % pass.size);
                    for k in 0..pass.depth() {
                        let (x, w) = (&pass.x[row * pass.depth() + k], &pass.w[k * pass.size + column]);
                        for (to, _) in matrix.iter_mut().zip(x).filter(|(_, sign)| **sign != 0) {
                            let terms = to.iter_mut().zip(w).filter(|(_, sign)| **sign != 0);
                            terms.for_each(|(sum, _)| *sum += 1.0 / f64::from(1 << pass.halvings));
                        }
                    }
                }
            }
            let rows = matrix.iter().map(|row| row.iter().sum::<f64>()).fold(0.0, f64::max);
            let columns = (0..MAX_BLADES).map(|q| matrix.iter().map(|row| row[q]).sum::<f64>()).fold(0.0, f64::max);
            sqrt_f64(f64::max(rows * columns, 1.0))
        });
        bound(roundings) * norms.fold(1.0, f64::max)
    }

    /// Numbers of the memory that [`Linear::pack`] and [`Linear::pack_backward`] fill.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if that exceeds the address space.
    pub fn packed_len(&self) -> Result<usize, Error> {
        let too_large = Error::TooLarge { argument: "weights" };
        let pairs = self.inputs.checked_mul(self.outputs).ok_or(too_large)?;
        let bias = self.outputs.checked_mul(self.signature.blades()).ok_or(too_large)?;
        let weights = match self.passes.is_empty() {
            true => self.signature.blades() * self.signature.blades(),
            false => self.passes.iter().map(|step| step.pass.w.len()).sum(),
        };
        let all = pairs.checked_mul(weights).and_then(|all| all.checked_add(bias));
        all.filter(|&all| all <= isize::MAX as usize / 8).ok_or(too_large)
    }

    /// Numbers of the weights and of the bias.
    pub(super) fn parameters(&self) -> [usize; 2] {
        let blades = self.signature.blades();
        [blades * self.inputs * self.outputs, blades * self.outputs]
    }

    /// Numbers of x and of y for a batch.
    pub(super) fn lengths(&self, batch: usize) -> Result<[usize; 2], Error> {
        batch_lengths(batch, self.signature.blades(), [self.inputs, self.outputs])
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
        for Step { pass, .. } in &self.passes {
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
        let product = |rows: usize, packed: &PackedB<T>, a_stride: usize, c_stride: usize| {
            if !self.layer.passes.is_empty() && packed.is_near(rows) {
                return 0;
            }
            packed.workspace_bytes(rows, a_stride, c_stride, &Options::default()).div_ceil(size_of::<T>())
        };
        if self.layer.passes.is_empty() {
            return Ok(product(batch, &self.products[0], from * blades, to * blades));
        }
        let rows = batch.min(self.layer.block_rows());
        let passes = self.layer.passes.iter().zip(&self.products);
        let products = passes.map(|(step, packed)| {
            let [factor, units] = step.numbers(self.direction);
            let size = step.pass.size;
            // A shorter last block may need more.
            let of_block = |rows: usize| product(rows * size, packed, factor * from / size, units * to / size);
            of_block(rows).max(of_block(batch % rows))
        });
        let [factors, units] = self.transform().numbers;
        Ok(LINE / size_of::<T>() + rows * (factors * from + units * to) + products.max().unwrap_or(0))
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

    /// [`Error::Option`] if the weights were packed for the other direction.
    pub(super) fn check_direction(&self, direction: Direction) -> Result<(), Error> {
        if direction == self.direction {
            Ok(())
        } else {
            Err(Error::Option { argument: "weights", value: self.direction as i32 })
        }
    }

    fn multiply(
        &self,
        direction: Direction,
        batch: usize,
        (from_name, from): (&'static str, &[T]),
        (to_name, to): (&'static str, &mut [T]),
        workspace: &mut [T],
    ) -> Result<(), Error> {
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
        let transform = self.transform();
        let block = batch.min(self.layer.block_rows());
        let (_, workspace) = workspace.split_at_mut(workspace.as_ptr().align_offset(LINE).min(LINE / size_of::<T>()));
        let (factors, rest) = workspace.split_at_mut(block * transform.numbers[0] * from_channels);
        let (units, rest) = rest.split_at_mut(block * transform.numbers[1] * to_channels);
        for (from, to) in from.chunks(block * from_row).zip(to.chunks_mut(block * to_row)) {
            let rows = from.len() / from_row;
            transform.forms.apply([rows, from_channels, blades], (from, from_row, blades), (factors, rows, 0));
            let (mut factors, mut products) = (&*factors, &mut *units);
            for (step, packed) in self.layer.passes.iter().zip(&self.products) {
                let (k, n, rows_of_product) = (packed.rows(), packed.columns(), rows * step.pass.size);
                let (factor, other_factors) = factors.split_at(rows_of_product * k);
                let (product, other_products) = products.split_at_mut(rows_of_product * n);
                (factors, products) = (other_factors, other_products);
                let a = MatRef::row_major(factor, rows_of_product, k, k)?;
                let c = MatMut::row_major(product, rows_of_product, n, n)?;
                gemm_packed(T::ONE, a, packed, T::ZERO, c, &Options::default(), Some(bytes(rest)))?;
            }
            transform.blades.apply([rows, to_channels, blades], (units, rows, 0), self.bias, (to, to_row, blades));
        }
        Ok(())
    }

    /// The transforms of the direction of the weights.
    fn transform(&self) -> &Transform {
        &self.layer.transforms[self.direction as usize]
    }
}

impl Linear {
    /// Numbers of the workspace that [`Linear::backward_weights`] needs for a batch; 0 for an empty one.
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
        if batch == 0 {
            return Ok(0);
        }
        let blades = self.signature.blades();
        if self.passes.is_empty() {
            let [k, n] = [self.inputs, self.outputs].map(|channels| channels * blades);
            return Ok(k * n + needed(batch, k, n)?);
        }
        let rows = batch.min(self.block_rows());
        let (mut products, mut most) = (0, 0);
        for step in &self.passes {
            let [k, n] = [step.pass.depth() * self.inputs, step.pass.size * self.outputs];
            products += k * n;
            let [whole, last] = [rows, batch % rows].map(|rows| needed(rows * step.pass.size, k, n));
            most = most.max(rows * step.pass.size * (k + n) + whole?.max(last?));
        }
        Ok(products + rows * (self.inputs + self.outputs) * blades + most)
    }

    /// Batch rows of a block of [`Mode::Fast`].
    fn block_rows(&self) -> usize {
        let row = (self.inputs + self.outputs) * self.signature.blades();
        let [factors, units] = self.transforms.first().map_or([0; 2], |transform| transform.numbers);
        (BLOCK / (row + factors * self.inputs + units * self.outputs) / 12 * 12).clamp(ROWS[0], ROWS[1])
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
        let blades = self.signature.blades();
        exactly("x", batch.saturating_mul(self.inputs * blades), x.len())?;
        exactly("gy", batch.saturating_mul(self.outputs * blades), gy.len())?;
        self.check_gradients(gw, gbias.as_deref())?;
        at_least("workspace", self.backward_weights_len::<T>(batch)?, workspace.len())?;
        if batch == 0 {
            return Ok(());
        }
        if let Some(gbias) = gbias {
            self.add_bias_gradient(gy, gbias);
        }
        let (products, rest) = self.begin_gradient(workspace);
        self.add_to_gradient(x, gy, products, rest)?;
        self.end_gradient(products, gw);
        Ok(())
    }

    pub(super) fn check_gradients<T>(&self, gw: &[T], gbias: Option<&[T]>) -> Result<(), Error> {
        let blades = self.signature.blades();
        exactly("gw", blades * self.inputs * self.outputs, gw.len())?;
        gbias.map_or(Ok(()), |gbias| exactly("gbias", blades * self.outputs, gbias.len()))
    }

    /// Adds the rows of a gradient to the gradient with respect to the bias.
    pub(super) fn add_bias_gradient<T: Element>(&self, gy: &[T], gbias: &mut [T]) {
        let (blades, outputs) = (self.signature.blades(), self.outputs);
        for row in gy.chunks_exact(outputs * blades) {
            for (o, gy) in row.chunks_exact(blades).enumerate() {
                gy.iter().enumerate().for_each(|(j, &gy)| gbias[j * outputs + o] = gbias[j * outputs + o] + gy);
            }
        }
    }

    /// Products of all passes, set to 0, and the rest of the workspace.
    pub(super) fn begin_gradient<'a, T: Element>(&self, workspace: &'a mut [T]) -> (&'a mut [T], &'a mut [T]) {
        let blades = self.signature.blades();
        let numbers = match self.passes.is_empty() {
            true => blades * blades,
            false => self.passes.iter().map(|step| step.pass.w.len()).sum(),
        };
        let (products, rest) = workspace.split_at_mut(numbers * self.inputs * self.outputs);
        products.fill(T::ZERO);
        (products, rest)
    }

    /// Continues the chains of the products with rows of the batch.
    pub(super) fn add_to_gradient<T: Element>(
        &self,
        x: &[T],
        gy: &[T],
        products: &mut [T],
        rest: &mut [T],
    ) -> Result<(), Error> {
        let (blades, inputs, outputs) = (self.signature.blades(), self.inputs, self.outputs);
        let [x_row, y_row] = [inputs, outputs].map(|channels| channels * blades);
        let (batch, options) = (x.len() / x_row, Options::default());
        if self.passes.is_empty() {
            let a = MatRef::row_major(x, batch, x_row, x_row)?.transposed();
            let b = MatRef::row_major(gy, batch, y_row, y_row)?;
            let c = MatMut::row_major(products, x_row, y_row, y_row)?;
            return gemm_in(T::ONE, a, b, T::ONE, c, &options, Some(bytes(rest)));
        }
        let rows = batch.min(self.block_rows());
        let (blades_of_x, rest) = rest.split_at_mut(rows * x_row);
        let (blades_of_gy, rest) = rest.split_at_mut(rows * y_row);
        for (x, gy) in x.chunks(rows.max(1) * x_row).zip(gy.chunks(rows.max(1) * y_row)) {
            let (x_blades, gy_blades) = (&mut blades_of_x[..x.len()], &mut blades_of_gy[..gy.len()]);
            transpose(inputs, blades, x, x_blades);
            transpose(outputs, blades, gy, gy_blades);
            let mut at = 0;
            for step in &self.passes {
                let [k, n] = [step.pass.depth() * inputs, step.pass.size * outputs];
                let rows = x.len() / x_row * step.pass.size;
                let (left, rest) = rest.split_at_mut(rows * k);
                let (right, rest) = rest.split_at_mut(rows * n);
                step.forward[0].apply(inputs, (x_blades, x_row), left, false);
                step.backward[0].apply(outputs, (gy_blades, y_row), right, false);
                let a = MatRef::row_major(left, rows, k, k)?.transposed();
                let b = MatRef::row_major(right, rows, n, n)?;
                let c = MatMut::row_major(&mut products[at..], k, n, n)?;
                gemm_in(T::ONE, a, b, T::ONE, c, &options, Some(bytes(rest)))?;
                at += k * n;
            }
        }
        Ok(())
    }

    /// Adds the products to the gradient with respect to the weights.
    pub(super) fn end_gradient<T: Element>(&self, products: &[T], gw: &mut [T]) {
        let (blades, inputs, outputs) = (self.signature.blades(), self.inputs, self.outputs);
        if self.passes.is_empty() {
            for p in 0..blades {
                for q in 0..blades {
                    let (j, sign) = self.signature.product(p, q);
                    for o in (0..outputs).filter(|_| sign != 0) {
                        for (i, gw) in gw[(q * outputs + o) * inputs..][..inputs].iter_mut().enumerate() {
                            let term = products[((i * blades + p) * outputs + o) * blades + j];
                            *gw = *gw + T::from_f64(sign.into()) * term;
                        }
                    }
                }
            }
        }
        let mut rest = products;
        for step in &self.passes {
            let (pass, n) = (&step.pass, step.pass.size * outputs);
            let (product, after) = rest.split_at(pass.w.len() * inputs * outputs);
            rest = after;
            let scale = T::from_f64(1.0 / f64::from(1 << pass.halvings));
            for (at, form) in pass.w.iter().enumerate() {
                let (block, column) = (at / pass.size, at % pass.size);
                for (q, &sign) in form.iter().enumerate().filter(|(_, sign)| **sign != 0) {
                    for o in 0..outputs {
                        for (i, gw) in gw[(q * outputs + o) * inputs..][..inputs].iter_mut().enumerate() {
                            let term = product[(block * inputs + i) * n + column * outputs + o];
                            *gw = *gw + T::from_f64(sign.into()) * (scale * term);
                        }
                    }
                }
            }
        }
    }
}
