//! Convolutions of any number of dimensions, in code that is compiled once.

use super::Window;
use crate::clifford::image::{D, Geometry, Layer, Weights};
use crate::clifford::layout::Direction;
use crate::clifford::linear::{Linear, LinearWeights, Mode};
use crate::clifford::signature::Signature;
use crate::clifford::transform::is_common;
use crate::frame::error::{Error, at_least, exactly};
use crate::frame::pieces::{Ended, Pieces};
use crate::matmul::Element;

/// Elements of the rows of a block, which stay in the level 2 cache.
const BLOCK: usize = 1 << 16;

/// [`Mode::Auto`] picks [`Mode::Fast`] if it saves at least this many multiplications per element of a point's factors
/// and products of matrices: \[straight-line transforms, table-driven transforms\].
const SAVED: [f64; 2] = [1.0, 12.0];

/// Cost model: the columns of a product for [`Mode::Exact`] count as the next multiple of this.
const COLUMNS: usize = 8;

/// Rows of a block are a multiple of this.
const GRAIN: usize = 12;

/// A convolution whose images have the last dimensions, from `first` on. The others have one point and one tap.
#[derive(Clone, Debug)]
pub(super) struct Inner {
    pub linear: Linear,
    pub window: Window<D>,
    first: usize,
    pub inputs: usize,
    pub outputs: usize,
}

/// A value for each of all dimensions: `numbers` for the last dimensions, `other` for those in front.
pub(super) fn all<const N: usize>(numbers: [usize; N], other: usize) -> [usize; D] {
    let mut all = [other; D];
    all[D - N..].copy_from_slice(&numbers);
    all
}

/// Packed weights.
#[derive(Clone, Debug)]
pub(super) enum Packed<'a, T> {
    /// For images with their padding.
    Image(Direction, Weights<'a, T>),
    /// For rows of all taps of a point: the gradient of strides other than 1.
    Rows(LinearWeights<'a, T>),
}

/// The points of the input and of the output of a batch.
#[derive(Clone, Copy)]
pub(super) struct Points {
    pub size: [usize; D],
    pub output: [usize; D],
    /// Points of an input and of an output.
    pub counts: [usize; 2],
    /// Elements of x and of y.
    pub lengths: [usize; 2],
    /// Points of all outputs, and of a block.
    rows: usize,
    block: usize,
}

impl Points {
    /// The points of the blocks: of a whole one, and of the last.
    fn blocks(&self) -> [usize; 2] {
        [self.block, self.rows.checked_rem(self.block).unwrap_or(0)]
    }
}

impl Inner {
    pub fn new<const N: usize>(
        signature: Signature,
        [inputs, outputs]: [usize; 2],
        window: Window<N>,
        mode: Mode,
    ) -> Result<Self, Error> {
        let rows = inputs.checked_mul(window.taps()?).ok_or(Error::TooLarge { argument: "weights" })?;
        let linear = Linear::new(signature, rows, outputs, if mode == Mode::Auto { Mode::Fast } else { mode })?;
        let Window { kernel, stride, padding, dilation } = window;
        let window = Window {
            kernel: all(kernel, 1),
            stride: all(stride, 1),
            padding: all(padding, 0),
            dilation: all(dilation, 1),
        };
        let mut inner = Inner { linear, window, first: D - N, inputs, outputs };
        if mode == Mode::Auto && !inner.saves_time() {
            inner.linear = Linear::new(signature, rows, outputs, Mode::Exact)?;
        }
        Ok(inner)
    }

    /// Whether the multiplications that the passes save outweigh the transforms of the points.
    fn saves_time(&self) -> bool {
        let (signature, taps) = (self.linear.signature(), self.window.kernel.iter().product::<usize>() as f64);
        let (blades, multiplications) = (signature.blades(), self.linear.multiplications() as f64);
        let [rows, columns] = [blades * self.inputs, (blades * self.outputs).next_multiple_of(COLUMNS)];
        let [inputs, outputs] = [self.inputs, self.outputs].map(|channels| channels as f64);
        let [factors, products] = self.linear.transforms.first().map_or([0; 2], |transform| transform.planes);
        let saved = taps * (rows as f64 * columns as f64 - multiplications * inputs * outputs);
        // Multivectors of 2 blades have straight code only where channels are adjacent.
        let least = SAVED[usize::from(blades == 2 || !is_common(&signature))];
        saved > least * (factors as f64 * inputs + products as f64 * outputs)
    }

    pub fn pack<'a, T: Element>(
        &'a self,
        weights: &[T],
        bias: Option<&[T]>,
        memory: &'a mut [T],
        pieces: &mut Pieces,
    ) -> Result<Packed<'a, T>, Ended> {
        let [weights_len, bias_len] = self.linear.parameters();
        exactly("weights", weights_len, weights.len())?;
        bias.map_or(Ok(()), |bias| exactly("bias", bias_len, bias.len()))?;
        self.pack_image(Direction::Forward, weights, bias.unwrap_or_default(), memory, pieces)
    }

    pub fn pack_backward<'a, T: Element>(
        &'a self,
        weights: &[T],
        memory: &'a mut [T],
        pieces: &mut Pieces,
    ) -> Result<Packed<'a, T>, Ended> {
        if self.window.stride != [1; D] {
            return Ok(Packed::Rows(self.linear.pack_for_gradient(weights, memory, pieces)?));
        }
        exactly("weights", self.linear.parameters()[0], weights.len())?;
        self.pack_image(Direction::Backward, weights, &[], memory, pieces)
    }

    fn pack_image<'a, T: Element>(
        &'a self,
        direction: Direction,
        weights: &[T],
        bias: &[T],
        memory: &'a mut [T],
        pieces: &mut Pieces,
    ) -> Result<Packed<'a, T>, Ended> {
        at_least("memory", self.linear.packed_len()?, memory.len())?;
        let geometry = self.geometry(direction, [0; D], [1; D]);
        Ok(Packed::Image(direction, self.layer(direction).pack(&geometry, weights, bias, memory, pieces)?))
    }

    /// The convolution that computes the output, or the gradient with respect to the input if all strides
    /// are 1: the one with the taps in reverse.
    fn layer(&self, direction: Direction) -> Layer<'_> {
        let channels = direction.of([self.inputs, self.outputs]);
        let (signature, transform) = (self.linear.signature(), self.linear.transforms.get(direction as usize));
        Layer { signature, channels, passes: &self.linear.passes, transform, direction }
    }

    /// Its points, for an input of `size` and an output of `output` points.
    fn geometry(&self, direction: Direction, size: [usize; D], output: [usize; D]) -> Geometry {
        let Window { kernel, mut stride, padding, dilation } = self.window;
        let reach = |d: usize| ((kernel[d] - 1) * dilation[d]) as isize;
        let start = core::array::from_fn(|d| match direction {
            Direction::Forward => padding[d] as isize,
            Direction::Backward => reach(d) - padding[d] as isize,
        });
        let [source, target] = direction.of([size, output]);
        // The stride to a second point may exceed the address space.
        stride.iter_mut().zip(target).filter(|(_, points)| *points <= 1).for_each(|(stride, _)| *stride = 1);
        Geometry { first: self.first, source, target, start, kernel, stride, dilation }
    }

    /// Elements of a point's row of inputs, and of its outputs.
    pub fn rows(&self) -> [usize; 2] {
        let blades = self.linear.signature().blades();
        let taps: usize = self.window.kernel.iter().product();
        [self.inputs * taps * blades, self.outputs * blades]
    }

    pub fn points(&self, batch: usize, size: [usize; D], output: [usize; D]) -> Result<Points, Error> {
        let blades = self.linear.signature().blades();
        let too_large = Error::TooLarge { argument: "size" };
        let lengths = |size: [usize; D], channels: usize| {
            let points = size.iter().try_fold(1usize, |all, &n| all.checked_mul(n)).ok_or(too_large)?;
            let numbers = [channels, blades, batch].iter().try_fold(points, |all, &n| all.checked_mul(n));
            Ok::<_, Error>((points, numbers.filter(|&all| all <= isize::MAX as usize / 8).ok_or(too_large)?))
        };
        let (x_points, x_length) = lengths(size, self.inputs)?;
        let (y_points, y_length) = lengths(output, self.outputs)?;
        let rows = y_points * batch;
        let row: usize = self.rows().iter().sum();
        let block = (BLOCK / row / GRAIN * GRAIN).max(GRAIN).min(rows);
        Ok(Points { size, output, counts: [x_points, y_points], lengths: [x_length, y_length], rows, block })
    }

    /// The workspace for the rows of a block, with `more(rows)` for a whole block or for the last one.
    fn rows_len(&self, points: &Points, more: impl Fn(usize) -> Result<usize, Error>) -> Result<usize, Error> {
        let row: usize = self.rows().iter().sum();
        let [whole, last] = points.blocks().map(more);
        Ok(points.block * row + whole?.max(last?))
    }

    pub fn backward_weights_len<T: Element>(&self, points: &Points) -> Result<usize, Error> {
        self.rows_len(points, |rows| self.linear.backward_weights_len::<T>(rows))
    }

    pub fn backward_weights<T: Element>(
        &self,
        points: &Points,
        (x, gy): (&[T], &[T]),
        (gw, mut gbias): (&mut [T], Option<&mut [T]>),
        workspace: &mut [T],
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        let [x_row, y_row] = self.rows();
        let (x_rows, rest) = workspace.split_at_mut(points.block * x_row);
        let (y_rows, rest) = rest.split_at_mut(points.block * y_row);
        let (products, rest) = self.linear.begin_gradient(rest, pieces)?;
        for first in (0..points.rows).step_by(points.block.max(1)) {
            let rows = points.block.min(points.rows - first);
            let (x_rows, y_rows) = (&mut x_rows[..rows * x_row], &mut y_rows[..rows * y_row]);
            self.gather(points, first, x, x_rows);
            self.rows_of_output(points, first, gy, y_rows);
            self.linear.add_to_gradient((x_rows, y_rows), (products, gbias.as_deref_mut()), rest, pieces)?;
        }
        self.linear.end_gradient(products, gw, pieces)
    }

    pub fn workspace_len<T: Element>(&self, points: &Points, packed: &Packed<T>) -> Result<usize, Error> {
        match packed {
            Packed::Image(direction, weights) => {
                let geometry = self.geometry(*direction, points.size, points.output);
                self.layer(*direction).workspace_len(&geometry, weights)
            }
            Packed::Rows(weights) => self.rows_len(points, |rows| weights.workspace_len(rows)),
        }
    }

    /// The product with images or with rows, whose lengths are right; the batch is not empty.
    pub fn run<T: Element>(
        &self,
        (points, batch): (&Points, usize),
        packed: &Packed<T>,
        from: &[T],
        to: &mut [T],
        workspace: &mut [T],
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        let weights = match packed {
            Packed::Image(direction, weights) => {
                let geometry = self.geometry(*direction, points.size, points.output);
                return self.layer(*direction).run(&geometry, weights, (batch, from, to), workspace, pieces);
            }
            Packed::Rows(weights) => weights,
        };
        let [x_row, y_row] = self.rows();
        let (x_rows, rest) = workspace.split_at_mut(points.block * x_row);
        let (y_rows, rest) = rest.split_at_mut(points.block * y_row);
        to.fill(T::ZERO);
        for first in (0..points.rows).step_by(points.block.max(1)) {
            let rows = points.block.min(points.rows - first);
            let (x_rows, y_rows) = (&mut x_rows[..rows * x_row], &mut y_rows[..rows * y_row]);
            pieces.next()?;
            self.rows_of_output(points, first, from, y_rows);
            weights.backward(rows, y_rows, x_rows, rest)?;
            self.scatter(points, first, x_rows, to);
        }
        Ok(())
    }
}

impl<T: Element> Packed<'_, T> {
    pub fn check_direction(&self, direction: Direction) -> Result<(), Error> {
        match self {
            Packed::Image(found, ..) if *found == direction => Ok(()),
            Packed::Image(found, ..) => Err(Error::Option { argument: "weights", value: *found as i32 }),
            Packed::Rows(weights) => weights.check_direction(direction),
        }
    }
}
