//! Layers that map the channels of multivectors linearly, over a batch.

mod block;
mod cost;
mod gradient;
mod pack;
mod passes;
mod weights;

use alloc::vec::Vec;

use self::passes::Call;
pub(super) use self::passes::{Step, planes};
pub use self::weights::LinearWeights;
use super::algebra::{Passes, passes};
use super::layout::{Direction, batch_lengths};
use super::signature::{MAX_BLADES, Signature};
use super::transform::Transform;
use crate::frame::error::Error;
use crate::frame::memory::push;
use crate::math::libm::sqrt_f64;
use crate::matmul::Element;

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
    /// rounding error ([`Linear::error_factor`]). The bits are the same on every CPU, for
    /// every batch. Infinity or NaN in one blade may make all blades of an output NaN. Signatures of 4
    /// generators, none of square 0, have matrices for (1, -1, -1, -1) only; the others fall back to
    /// [`Mode::Exact`].
    Fast = 1,
    /// [`Mode::Fast`] for layers with enough channels to make it faster, else [`Mode::Exact`]. The choice
    /// depends on the signature and the channels only.
    Auto = 2,
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
    /// The matrix products of all passes, forward and backward.
    calls: [Vec<Call>; 2],
    /// Batch rows of a block in [`Mode::Fast`].
    block_rows: usize,
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
        layer.block_rows = layer.block_rows();
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

    /// `[input, output]`, swapped for the backward pass.
    fn channels(&self, direction: Direction) -> [usize; 2] {
        direction.of([self.inputs, self.outputs])
    }

    /// Elements of the weights and of the bias.
    pub(super) fn parameters(&self) -> [usize; 2] {
        let blades = self.signature.blades();
        [blades * self.inputs * self.outputs, blades * self.outputs]
    }

    /// Elements of x and of y for a batch.
    pub(super) fn lengths(&self, batch: usize) -> Result<[usize; 2], Error> {
        batch_lengths(batch, self.signature.blades(), [self.inputs, self.outputs])
    }
}
