//! Layers that map the channels of multivectors linearly, over a batch.

use alloc::vec::Vec;

use super::algebra::{Pass, Passes, passes};
use super::combine::{bytes, transpose};
use super::layout::{Direction, batch_lengths};
use super::signature::{MAX_BLADES, Signature};
use super::transform::{Sums, Transform, is_common};
use crate::error::{Error, at_least, exactly};
use crate::libm::sqrt_f64;
use crate::matmul::{Activation, Bias, Element, Epilogue, MatMut, MatRef, Options, PackedB, Strides};
use crate::matmul::{fuses, gemm_in, gemm_in_place, gemm_packed_with_epilogue, workspace_bytes};
use crate::memory::{filled, push};
use crate::pieces::{Ended, Pieces, unless_ended, whole};

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
/// factors and products of matrices, which it has to write and to read: for an algebra whose transforms are straight
/// code, and for the others.
const SAVED: [f64; 2] = [6.0, 12.0];

/// The transforms of a row take as much time as those of so many further channels.
const CHANNELS: usize = 6;

/// Batch rows of a block of [`Mode::Fast`], at least and at most: whole vectors.
const ROWS: [usize; 2] = [16, 48];

/// Numbers of a block's factors and products, which stay in the level 2 cache with the weights.
const BLOCK: usize = 40 << 10;

/// Multiply-adds of a gradient between two questions to the caller, some milliseconds, and rows at least.
const PIECE: usize = 1 << 28;
const MIN_ROWS: usize = 256;

/// Rows of a block, at least, whose numbers are vectors; those of fewer are numbers of vectors of channels.
const MANY_ROWS: usize = 8;

/// Bytes of a second factor that is read in place: one that stays in the level 2 cache, or for few rows in level 1.
const IN_PLACE: usize = 256 << 10;
const IN_PLACE_BY_ROWS: usize = 20 << 10;

/// Sets of lines of the level 1 cache, and lines of a set. Where the same rows of all planes exceed the sets that
/// they are in, rows are longer by a gap of so many bytes.
const SETS: usize = 64;
const WAYS: usize = 8;
const GAP: usize = 8;

/// Bytes of a cache line, which begins with the packed weights, and with the factors of a block: half of their
/// vectors would be in two lines.
const LINE: usize = 64;

/// Numbers before the first one that begins a line, at most.
const BEFORE_LINE: usize = LINE / size_of::<f32>();

/// The numbers from the first one on that begins a line.
fn from_line<T>(numbers: &mut [T]) -> &mut [T] {
    let before = numbers.as_ptr().align_offset(LINE).min(LINE / size_of::<T>());
    &mut numbers[before..]
}

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
    pub(super) passes: Vec<Step>,
    /// The transforms of all passes, forward and backward; none for [`Mode::Exact`].
    pub(super) transforms: Vec<Transform>,
    /// The products of all passes, forward and backward.
    calls: [Vec<Call>; 2],
    /// Batch rows of a block of [`Mode::Fast`].
    block_rows: usize,
}

/// Planes of a row of the first factor and of the product of a pass.
pub(super) fn planes(pass: &Pass, direction: Direction) -> [usize; 2] {
    direction.of([&pass.x, &pass.units].map(|forms| forms.len() / pass.size))
}

/// A pass with the forms of its first factor and of its product, from the blades of the input and of the output.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub pass: Pass,
    x: Sums,
    units: Sums,
}

impl Step {
    fn new(pass: Pass) -> Result<Self, Error> {
        let (x, units) = (Sums::of(&pass.x)?, Sums::of(&pass.units)?);
        Ok(Step { pass, x, units })
    }

    /// The first planes of the first factor and of the product, and the planes from row to row.
    pub fn places(&self, direction: Direction) -> [(usize, usize); 2] {
        let Pass { size, x, units, places, .. } = &self.pass;
        let output = (places.units_at, units.len() / size);
        match direction {
            Direction::Forward => [(places.own_at, places.own_row), output],
            Direction::Backward => [output, (places.x_at, x.len() / size)],
        }
    }

    /// Rows of the second factor, its columns, and the numbers from row to row: those of a power of 2 would be at
    /// few places of the level 1 cache.
    fn second(&self, direction: Direction, [from, to]: [usize; 2]) -> [usize; 3] {
        let [depth, width] = planes(&self.pass, direction);
        let (rows, columns) = (depth * from, width * to);
        [rows, columns, if columns.is_multiple_of(64) { columns + 16 } else { columns }]
    }

    /// Numbers of the second factor.
    fn len(&self, direction: Direction, channels: [usize; 2]) -> usize {
        let [rows, _, row] = self.second(direction, channels);
        rows * row
    }
}

/// A product of a row of a first factor, whatever the batch.
#[derive(Clone, Debug)]
struct Call {
    /// The row, and the rows of the first factor.
    row: usize,
    size: usize,
    /// As in [`Step::second`].
    second: [usize; 3],
    /// The place of the second factor.
    at: usize,
    /// The first planes of the row and of its product, and the planes from row to row.
    first: [usize; 2],
    planes: [usize; 2],
}

/// Weights of a [`Linear`] layer, packed in the caller's memory.
#[derive(Clone, Debug)]
pub struct LinearWeights<'a, T> {
    layer: &'a Linear,
    direction: Direction,
    /// None for [`Mode::Fast`].
    packed: Option<PackedB<'a, T>>,
    /// The second factor of each pass, in rows; empty for [`Mode::Exact`].
    factors: &'a [T],
    /// The bias of each output, blade by blade, in [`Mode::Fast`] of each blade, output by output; empty
    /// if there is none.
    bias: &'a [T],
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
        let (transforms, calls) = (Vec::new(), [Vec::new(), Vec::new()]);
        let mut layer = Linear { signature, inputs, outputs, passes: Vec::new(), transforms, calls, block_rows: 0 };
        if let Some(Passes { parts, all }) = if mode == Mode::Exact { None } else { passes(&signature)? } {
            for pass in all {
                push(&mut layer.passes, Step::new(pass)?)?;
            }
            for direction in [Direction::Forward, Direction::Backward] {
                let passes = layer.passes.iter().map(|step| &step.pass);
                push(&mut layer.transforms, Transform::new(&parts, passes, direction, &signature)?)?;
            }
            if mode == Mode::Auto && !layer.saves_time() {
                (layer.passes, layer.transforms) = (Vec::new(), Vec::new());
            }
        }
        layer.packed_len()?;
        layer.calls = [layer.calls(Direction::Forward)?, layer.calls(Direction::Backward)?];
        let [factors, units] = layer.transforms.first().map_or([0; 2], |transform| transform.planes);
        let numbers = (factors * inputs + units * outputs).max(1);
        layer.block_rows = (BLOCK / numbers / ROWS[0] * ROWS[0]).clamp(ROWS[0], ROWS[1]);
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
        let channels = [self.inputs, self.outputs];
        let of_side = |(transform, channels): (&Transform, _)| (transform.planes[0] * (channels + CHANNELS)) as f64;
        let numbers: f64 = self.transforms.iter().zip(channels).map(of_side).sum();
        saved * self.inputs as f64 * self.outputs as f64 > SAVED[usize::from(!is_common(&self.signature))] * numbers
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
        let forms = self.passes.iter().flat_map(|step| &step.pass.x);
        let factor_terms = forms.map(|form| form.iter().filter(|sign| **sign != 0).count()).max().unwrap_or(0);
        let units = || self.passes.iter().flat_map(|step| &step.pass.units);
        let unit_terms = |blade: usize| units().filter(|form| form[blade] != 0).count();
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

    /// The products of all passes.
    fn calls(&self, direction: Direction) -> Result<Vec<Call>, Error> {
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

    /// Channels of the source and of the results.
    fn channels(&self, direction: Direction) -> [usize; 2] {
        direction.of([self.inputs, self.outputs])
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
        let memory = from_line(memory);
        let (inputs, outputs, blades) = (self.inputs, self.outputs, self.signature.blades());
        if self.passes.is_empty() {
            let [rows, columns] = [inputs, outputs].map(|channels| channels * blades);
            let mut expanded = filled(rows * columns, T::ZERO)?;
            self.each_product(|i, o, (p, q, j, sign)| {
                let w = weights[(q * outputs + o) * inputs + i];
                expanded[(i * blades + p) * columns + o * blades + j] = if sign < 0 { -w } else { w };
            });
            let matrix = MatRef::row_major(&expanded, rows, columns, columns)?;
            let matrix = if direction == Direction::Forward { matrix } else { matrix.transposed() };
            let (memory, rest) = memory.split_at_mut(rows * columns);
            let packed = Some(PackedB::new(matrix, memory, &Options::default())?);
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
        self.layer.channels(self.direction)
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
        if let Some(packed) = &self.packed {
            if packed.is_near(batch) {
                return Ok(0);
            }
            let bytes = packed.workspace_bytes(batch, from * blades, to * blades, &Options::default());
            return Ok(bytes.div_ceil(size_of::<T>()));
        }
        let rows = batch.min(self.layer.block_rows);
        let last = if batch > rows { batch % rows } else { 0 };
        let mut most = 0;
        // A shorter last block may need more.
        for rows in [rows, last].into_iter().filter(|&rows| rows > 0) {
            let block = Block::new(self, rows);
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
        if let Some(packed) = &self.packed {
            let a = MatRef::row_major(from, batch, from_row, from_row)?;
            let c = MatMut::row_major(to, batch, to_row, to_row)?;
            let bias = if self.bias.is_empty() { Bias::None } else { Bias::Columns(self.bias) };
            let epilogue = Epilogue { bias, activation: Activation::Identity };
            let workspace = Some(bytes(workspace));
            return gemm_packed_with_epilogue(T::ONE, a, packed, &epilogue, c, &Options::default(), workspace);
        }
        let transform = self.transform();
        let workspace = from_line(workspace);
        // Without the divisions of `chunks`, which take a tenth of the time of a single row.
        let mut first = 0;
        while first < batch {
            let rows = self.layer.block_rows.min(batch - first);
            let (from, to) = (&from[first * from_row..][..rows * from_row], &mut to[first * to_row..][..rows * to_row]);
            first += rows;
            let block = Block::new(self, rows);
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
    fn transform(&self) -> &Transform {
        &self.layer.transforms[self.direction as usize]
    }
}

/// Rows of a batch that are transformed together.
///
/// Of many rows, each form of a channel is a vector of numbers, one for each row: matrices of factors are
/// transposed, and so are their products. Of few rows, it is the form of all channels that is a vector.
struct Block<'a, T> {
    weights: &'a LinearWeights<'a, T>,
    rows: usize,
    is_by_channels: bool,
    /// Of factors, and of products: from a channel, or a row, to the next, and from plane to plane.
    distances: [(usize, usize); 2],
}

impl<'a, T: Element> Block<'a, T> {
    fn new(weights: &'a LinearWeights<'a, T>, rows: usize) -> Self {
        let (channels, planes, is_by_channels) = (weights.channels(), weights.transform().planes, rows >= MANY_ROWS);
        let distances = core::array::from_fn(|side| match is_by_channels {
            true => {
                let lines = channels[side] * rows * size_of::<T>() / LINE;
                let is_crowded = planes[side] > WAYS << (SETS.ilog2() - lines.trailing_zeros().min(SETS.ilog2()));
                let outer = if is_crowded { rows + GAP / size_of::<T>() } else { rows };
                (outer, channels[side] * outer)
            }
            false => (planes[side] * channels[side], channels[side]),
        });
        Block { weights, rows, is_by_channels, distances }
    }

    /// Numbers of the factors and of the products.
    fn lengths(&self) -> [usize; 2] {
        let planes = self.weights.transform().planes;
        core::array::from_fn(|side| match self.is_by_channels {
            true => planes[side] * self.distances[side].1,
            false => self.rows * self.distances[side].0,
        })
    }

    /// The products of all passes: of each row of a first factor, or of a whole one where its rows are adjacent.
    fn products(&self) -> impl Iterator<Item = Product> {
        let [(outer, plane), (outer_of_units, plane_of_units)] = self.distances;
        let calls = &self.weights.layer.calls[self.weights.direction as usize];
        calls.iter().filter(|call| self.rows != 1 || call.row == 0).map(move |call| {
            let [k, n, second_row] = call.second;
            let (m, a_row, c_row) = match self.rows {
                1 => (call.size, call.planes[0] * plane, call.planes[1] * plane_of_units),
                rows => (rows, outer, outer_of_units),
            };
            Product {
                shape: [m, n, k],
                is_by_channels: self.is_by_channels,
                rows: [a_row, second_row, c_row],
                at: [call.at, call.first[0] * plane, call.first[1] * plane_of_units],
            }
        })
    }
}

/// A product of a first factor of `m` rows and `k` columns and a second one of `n` columns.
struct Product {
    shape: [usize; 3],
    /// Whether the first factor and the product are transposed.
    is_by_channels: bool,
    /// Numbers from row to row of the first factor, the second one and the product; where the first one and the
    /// product are transposed, those of their columns.
    rows: [usize; 3],
    /// The places of the second factor, of the first one, and of the product.
    at: [usize; 3],
}

impl Product {
    /// Whether one call of the kernel computes it.
    fn is_in_place<T: Element>(&self) -> bool {
        let ([_, _, k], [_, row, _]) = (self.shape, self.rows);
        k * row * size_of::<T>() <= if self.is_by_channels { IN_PLACE } else { IN_PLACE_BY_ROWS } && fuses::<T>()
    }

    fn workspace_bytes<T: Element>(&self) -> Result<usize, Error> {
        if self.is_in_place::<T>() {
            return Ok(0);
        }
        let ([m, n, k], [a, b, c]) = (self.shape, self.rows.map(Strides::row_major));
        match self.is_by_channels {
            true => workspace_bytes::<T>([n, m, k], Strides::column_major(self.rows[1]), a, c, &Options::default()),
            false => workspace_bytes::<T>([m, n, k], a, b, c, &Options::default()),
        }
    }

    fn run<T: Element>(&self, second: &[T], first: &[T], to: &mut [T], workspace: &mut [T]) -> Result<(), Error> {
        let ([m, n, k], [a_row, b_row, c_row], [second_at, first_at, to_at]) = (self.shape, self.rows, self.at);
        let second = MatRef::row_major(&second[second_at..], k, n, b_row)?;
        let (first, to) = (&first[first_at..], &mut to[to_at..]);
        let (a, b, c) = match self.is_by_channels {
            true => (second.transposed(), MatRef::row_major(first, k, m, a_row)?, MatMut::row_major(to, n, m, c_row)?),
            false => (MatRef::row_major(first, m, k, a_row)?, second, MatMut::row_major(to, m, n, c_row)?),
        };
        if self.is_in_place::<T>() {
            return gemm_in_place(a, b, false, c);
        }
        gemm_in(T::ONE, a, b, T::ZERO, c, &Options::default(), Some(bytes(workspace)))
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
            let rows = batch.min(self.gradient_rows());
            let [whole, last] = [rows, batch % rows].map(|rows| needed(rows, k, n));
            return Ok(k * n + whole?.max(last?));
        }
        let rows = batch.min(self.block_rows);
        let (mut products, mut most) = (0, 0);
        for step in &self.passes {
            let [k, n] = [step.pass.depth() * self.inputs, step.pass.size * self.outputs];
            products += k * n;
            let [whole, last] = [rows, batch % rows].map(|rows| needed(rows * step.pass.size, k, n));
            most = most.max(rows * step.pass.size * (k + n) + whole?.max(last?));
        }
        Ok(products + most)
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
        whole(|pieces| self.weights_gradient((batch, x, gy), (gw, gbias), workspace, pieces))
    }

    /// Like [`Linear::backward_weights`]. Returns false as soon as `go_on`, called before each piece of the batch,
    /// returns false; `gw` and `gbias` are then of no use.
    ///
    /// # Errors
    /// Those of [`Linear::backward_weights`].
    pub fn backward_weights_while<T: Element>(
        &self,
        batch: usize,
        (x, gy): (&[T], &[T]),
        gradients: (&mut [T], Option<&mut [T]>),
        workspace: &mut [T],
        mut go_on: impl FnMut() -> bool,
    ) -> Result<bool, Error> {
        let pieces = &mut Pieces::new(&mut go_on);
        unless_ended(self.weights_gradient((batch, x, gy), gradients, workspace, pieces)).map(|done| done.is_some())
    }

    fn weights_gradient<T: Element>(
        &self,
        (batch, x, gy): (usize, &[T], &[T]),
        (gw, gbias): (&mut [T], Option<&mut [T]>),
        workspace: &mut [T],
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        let blades = self.signature.blades();
        exactly("x", batch.saturating_mul(self.inputs * blades), x.len())?;
        exactly("gy", batch.saturating_mul(self.outputs * blades), gy.len())?;
        self.check_gradients(gw, gbias.as_deref())?;
        at_least("workspace", self.backward_weights_len::<T>(batch)?, workspace.len())?;
        if batch == 0 {
            return Ok(());
        }
        let (products, rest) = self.begin_gradient(workspace);
        self.add_to_gradient((x, gy), (products, gbias), rest, pieces)?;
        self.end_gradient(products, gw, pieces)
    }

    /// Rows of a batch that are added to the gradient together: whole blocks.
    fn gradient_rows(&self) -> usize {
        let products = (self.inputs * self.outputs).saturating_mul(self.signature.blades().pow(2));
        let rows = (PIECE / products.max(1)).max(MIN_ROWS);
        if self.passes.is_empty() { rows } else { rows.next_multiple_of(self.block_rows.max(1)) }
    }

    pub(super) fn check_gradients<T>(&self, gw: &[T], gbias: Option<&[T]>) -> Result<(), Error> {
        let blades = self.signature.blades();
        exactly("gw", blades * self.inputs * self.outputs, gw.len())?;
        gbias.map_or(Ok(()), |gbias| exactly("gbias", blades * self.outputs, gbias.len()))
    }

    /// Adds the rows of a gradient to the gradient with respect to the bias.
    fn add_bias_gradient<T: Element>(&self, gy: &[T], gbias: &mut [T]) {
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

    /// Continues the chains of the products, and those of the bias, with rows of the batch.
    pub(super) fn add_to_gradient<T: Element>(
        &self,
        (x, gy): (&[T], &[T]),
        (products, mut gbias): (&mut [T], Option<&mut [T]>),
        rest: &mut [T],
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        let (blades, rows) = (self.signature.blades(), self.gradient_rows());
        let [x_rows, y_rows] = [self.inputs, self.outputs].map(|channels| (rows * channels * blades).max(1));
        for (x, gy) in x.chunks(x_rows).zip(gy.chunks(y_rows)) {
            pieces.next()?;
            if let Some(gbias) = &mut gbias {
                self.add_bias_gradient(gy, gbias);
            }
            self.add_piece_to_gradient(x, gy, products, rest)?;
        }
        Ok(())
    }

    fn add_piece_to_gradient<T: Element>(
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
        let rows = batch.min(self.block_rows);
        for (x, gy) in x.chunks(rows.max(1) * x_row).zip(gy.chunks(rows.max(1) * y_row)) {
            let mut at = 0;
            for step in &self.passes {
                let [k, n] = [step.pass.depth() * inputs, step.pass.size * outputs];
                let (points, size) = (x.len() / x_row, step.pass.size);
                let rows = points * size;
                let (left, rest) = rest.split_at_mut(rows * k);
                let (right, rest) = rest.split_at_mut(rows * n);
                step.x.forms([points, inputs, blades], (x, x_row, blades), (left, size * k, inputs));
                step.units.forms([points, outputs, blades], (gy, y_row, blades), (right, size * n, outputs));
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
    pub(super) fn end_gradient<T: Element>(
        &self,
        products: &[T],
        gw: &mut [T],
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        let (blades, inputs, outputs) = (self.signature.blades(), self.inputs, self.outputs);
        if self.passes.is_empty() {
            for p in 0..blades {
                for q in 0..blades {
                    let (j, sign) = self.signature.product(p, q);
                    for o in (0..outputs).filter(|_| sign != 0) {
                        pieces.before(inputs)?;
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
                        pieces.before(inputs)?;
                        for (i, gw) in gw[(q * outputs + o) * inputs..][..inputs].iter_mut().enumerate() {
                            let term = product[(block * inputs + i) * n + column * outputs + o];
                            *gw = *gw + T::from_f64(sign.into()) * (scale * term);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
