//! Layers that map the channels of multivectors linearly, over a batch.

mod block;
mod gradient;

use alloc::vec::Vec;

use self::block::Block;
use super::algebra::{Pass, Passes, passes};
use super::combine::{bytes, transpose};
use super::layout::{Direction, batch_lengths};
use super::signature::{MAX_BLADES, Signature};
use super::transform::{Sums, Transform, is_common};
use crate::error::{Error, at_least, exactly};
use crate::libm::sqrt_f64;
use crate::matmul::{Activation, Bias, Element, Epilogue, MatMut, MatRef, Options, PackedB};
use crate::matmul::{gemm_packed, gemm_packed_with_epilogue};
use crate::memory::push;
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

/// Multiply-adds of a product of matrices between two questions to the caller: some 20 ms.
const PIECE_OF_PRODUCT: usize = 1 << 30;

/// Steps of a weight that is packed: it is read from another line of the caches.
const STEPS: usize = 8;

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

    pub(super) fn pack_for_gradient<'a, T: Element>(
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
    pub(super) fn check_direction(&self, direction: Direction) -> Result<(), Error> {
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
        // Without the divisions of `chunks`, which take a tenth of the time of a single row.
        let mut first = 0;
        while first < batch {
            let rows = self.layer.block_rows.min(batch - first);
            pieces.next()?;
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
    fn transform(&self) -> &Transform {
        &self.layer.transforms[self.direction as usize]
    }
}
