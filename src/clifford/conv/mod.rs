//! Convolutions over the channels of multivectors.

mod rows;
mod window;

use super::image::{Geometry, Layer, Weights};
use super::linear::{Direction, Linear, LinearWeights, Mode};
use super::signature::Signature;
use super::transform::is_common;
use crate::error::{Error, at_least, exactly};
use crate::matmul::Element;

pub use window::Window;

/// Numbers of the rows of a block, which stay in the level 2 cache.
const BLOCK: usize = 1 << 16;

/// [`Mode::Auto`] takes [`Mode::Fast`] if it saves this many multiplications for each number of the
/// factors and products of matrices of a point: for an algebra whose transforms are straight code, and for the others.
const SAVED: [f64; 2] = [1.0, 12.0];

/// A product for [`Mode::Exact`] takes as long as one of so many columns, or a multiple of them.
const COLUMNS: usize = 8;

/// Rows of a block are a multiple of this.
const GRAIN: usize = 12;

/// A convolution in 1, 2 or 3 dimensions: a [`Linear`] layer of the channels and taps, at each point of
/// the output. It is a cross-correlation: the kernel is not reversed.
///
/// | array | shape, row-major |
/// |---|---|
/// | x | (batch, inputs, size, blades) |
/// | y | (batch, outputs, output size, blades) |
/// | weights | (blades, outputs, inputs, kernel) |
/// | bias | (blades, outputs) |
///
/// Padding counts as zeros. In [`Mode::Exact`] a number of the output is one chain of fused
/// multiply-adds. It begins at the bias and goes over the taps, for each over the input channels, for
/// each over the blades of the input. Threads may share the weights and split the batch: a range of
/// images has the bits of the whole.
///
/// The input is copied once, with its padding, in [`Mode::Fast`] in the forms of its matrices; adjacent
/// points are rows of the products of matrices.
///
/// ```
/// use hotloops::clifford::{Conv, Mode, Signature, Window};
///
/// // Differences of adjacent complex numbers.
/// let conv = Conv::new(Signature::new(&[-1])?, 1, 1, Window::new([2]), Mode::Exact)?;
/// let mut memory = vec![0.0f32; conv.packed_len()?];
/// let weights = conv.pack(&[-1.0, 1.0, 0.0, 0.0], None, &mut memory)?;
/// let mut workspace = vec![0.0; weights.workspace_len(1, [3])?];
/// let mut y = [0.0; 4];
/// weights.forward(1, [3], &[1.0, 0.0, 3.0, 1.0, 3.0, 5.0], &mut y, &mut workspace)?;
/// assert_eq!(y, [2.0, 1.0, 0.0, 4.0]);
/// # Ok::<(), hotloops::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Conv<const D: usize> {
    linear: Linear,
    window: Window<D>,
    inputs: usize,
    outputs: usize,
}

/// Weights of a [`Conv`] layer, packed in the caller's memory.
#[derive(Clone, Debug)]
pub struct ConvWeights<'a, T, const D: usize> {
    conv: &'a Conv<D>,
    packed: Packed<'a, T>,
}

#[derive(Clone, Debug)]
enum Packed<'a, T> {
    /// For images with their padding.
    Image(Direction, Weights<'a, T>),
    /// For rows of all taps of a point: the gradient of strides other than 1.
    Rows(LinearWeights<'a, T>),
}

/// The points of the input and of the output of a batch.
#[derive(Clone, Copy)]
struct Points<const D: usize> {
    size: [usize; D],
    output: [usize; D],
    /// Points of an input and of an output.
    counts: [usize; 2],
    /// Numbers of x and of y.
    lengths: [usize; 2],
    /// Points of all outputs, and of a block.
    rows: usize,
    block: usize,
}

impl<const D: usize> Points<D> {
    /// The points of the blocks: of a whole one, and of the last.
    fn blocks(&self) -> [usize; 2] {
        [self.block, self.rows.checked_rem(self.block).unwrap_or(0)]
    }
}

impl<const D: usize> Conv<D> {
    /// A convolution of `inputs` and `outputs` channels.
    ///
    /// # Errors
    /// [`Error::Channels`] if a number of channels is 0, [`Error::Extent`] if a number of taps, a stride
    /// or a dilation is 0, [`Error::TooLarge`] if the weights exceed the address space,
    /// [`Error::NoMemory`].
    pub fn new(
        signature: Signature,
        inputs: usize,
        outputs: usize,
        window: Window<D>,
        mode: Mode,
    ) -> Result<Self, Error> {
        const { assert!(D >= 1 && D <= 3, "1 to 3 dimensions") };
        // Any size that is long enough shows whether the window is valid.
        window.output_size([isize::MAX as usize / 128; D]).map_err(|error| match error {
            Error::TooLarge { .. } => Error::TooLarge { argument: "kernel" },
            error => error,
        })?;
        let rows = inputs.checked_mul(window.taps()?).ok_or(Error::TooLarge { argument: "weights" })?;
        let first = if mode == Mode::Auto { Mode::Fast } else { mode };
        let linear = Linear::new(signature, rows, outputs, first)?;
        let conv = Conv { linear, window, inputs, outputs };
        if mode == Mode::Auto && !conv.saves_time() {
            return Self::new(signature, inputs, outputs, window, Mode::Exact);
        }
        Ok(conv)
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

    /// The layer that is applied at each point, with an input for each channel and tap.
    #[must_use]
    pub fn linear(&self) -> &Linear {
        &self.linear
    }

    /// How the kernel is placed.
    #[must_use]
    pub fn window(&self) -> Window<D> {
        self.window
    }

    /// Numbers of the memory that [`Conv::pack`] and [`Conv::pack_backward`] fill.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if that exceeds the address space.
    pub fn packed_len(&self) -> Result<usize, Error> {
        self.linear.packed_len()
    }

    /// Packs weights, and a bias if there is one, for [`ConvWeights::forward`].
    ///
    /// # Errors
    /// As for [`Linear::pack`].
    pub fn pack<'a, T: Element>(
        &'a self,
        weights: &[T],
        bias: Option<&[T]>,
        memory: &'a mut [T],
    ) -> Result<ConvWeights<'a, T, D>, Error> {
        let [weights_len, bias_len] = self.linear.parameters();
        exactly("weights", weights_len, weights.len())?;
        bias.map_or(Ok(()), |bias| exactly("bias", bias_len, bias.len()))?;
        at_least("memory", self.packed_len()?, memory.len())?;
        let geometry = self.geometry(Direction::Forward, [0; D], [1; D]);
        let weights = self.layer(Direction::Forward).pack(&geometry, weights, bias.unwrap_or_default(), memory)?;
        Ok(ConvWeights { conv: self, packed: Packed::Image(Direction::Forward, weights) })
    }

    /// Packs weights for [`ConvWeights::backward`].
    ///
    /// # Errors
    /// As for [`Linear::pack_backward`].
    pub fn pack_backward<'a, T: Element>(
        &'a self,
        weights: &[T],
        memory: &'a mut [T],
    ) -> Result<ConvWeights<'a, T, D>, Error> {
        if self.window.stride != [1; D] {
            return Ok(ConvWeights { conv: self, packed: Packed::Rows(self.linear.pack_backward(weights, memory)?) });
        }
        exactly("weights", self.linear.parameters()[0], weights.len())?;
        at_least("memory", self.packed_len()?, memory.len())?;
        let geometry = self.geometry(Direction::Backward, [0; D], [1; D]);
        let weights = self.layer(Direction::Backward).pack(&geometry, weights, &[], memory)?;
        Ok(ConvWeights { conv: self, packed: Packed::Image(Direction::Backward, weights) })
    }

    /// The convolution that computes the output, or the gradient with respect to the input if all strides
    /// are 1: the one with the taps in reverse.
    fn layer(&self, direction: Direction) -> Layer<'_> {
        let channels = direction.of([self.inputs, self.outputs]);
        let (signature, transform) = (self.linear.signature(), self.linear.transforms.get(direction as usize));
        Layer { signature, channels, passes: &self.linear.passes, transform, direction }
    }

    /// Its points, for an input of `size` and an output of `output` points.
    fn geometry(&self, direction: Direction, size: [usize; D], output: [usize; D]) -> Geometry<D> {
        let Window { kernel, stride, padding, dilation } = self.window;
        let reach = |d: usize| ((kernel[d] - 1) * dilation[d]) as isize;
        let start = core::array::from_fn(|d| match direction {
            Direction::Forward => padding[d] as isize,
            Direction::Backward => reach(d) - padding[d] as isize,
        });
        let [source, target] = direction.of([size, output]);
        Geometry { source, target, start, kernel, stride, dilation }
    }

    /// Numbers of a point's row of inputs, and of its outputs.
    fn rows(&self) -> [usize; 2] {
        let blades = self.linear.signature().blades();
        let taps: usize = self.window.kernel.iter().product();
        [self.inputs * taps * blades, self.outputs * blades]
    }

    /// Numbers of x and of y for a batch of inputs of `size` points.
    pub(super) fn lengths(&self, batch: usize, size: [usize; D]) -> Result<[usize; 2], Error> {
        Ok(self.points(batch, size)?.lengths)
    }

    fn points(&self, batch: usize, size: [usize; D]) -> Result<Points<D>, Error> {
        let output = self.window.output_size(size)?;
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

    /// Numbers of the workspace that [`Conv::backward_weights`] needs for a batch of inputs of `size`
    /// points.
    ///
    /// # Errors
    /// As for [`Window::output_size`].
    pub fn backward_weights_len<T: Element>(&self, batch: usize, size: [usize; D]) -> Result<usize, Error> {
        let points = self.points(batch, size)?;
        let row: usize = self.rows().iter().sum();
        let [whole, last] = points.blocks().map(|rows| self.linear.backward_weights_len::<T>(rows));
        Ok(if batch == 0 { 0 } else { points.block * row + whole?.max(last?) })
    }

    /// Adds to `gw` the gradient with respect to the weights, and to `gbias` the one with respect to
    /// the bias, given the input and the gradient with respect to the output.
    ///
    /// Chains go over the batch, for each input over the points of its output, as those of
    /// [`Linear::backward_weights`] go over its batch.
    ///
    /// # Errors
    /// [`Error::Length`] if an array has the wrong length or `workspace` is shorter than
    /// [`Conv::backward_weights_len`]; those of [`Window::output_size`].
    pub fn backward_weights<T: Element>(
        &self,
        batch: usize,
        size: [usize; D],
        (x, gy): (&[T], &[T]),
        (gw, gbias): (&mut [T], Option<&mut [T]>),
        workspace: &mut [T],
    ) -> Result<(), Error> {
        let points = self.points(batch, size)?;
        exactly("x", points.lengths[0], x.len())?;
        exactly("gy", points.lengths[1], gy.len())?;
        self.linear.check_gradients(gw, gbias.as_deref())?;
        at_least("workspace", self.backward_weights_len::<T>(batch, size)?, workspace.len())?;
        if batch == 0 {
            return Ok(());
        }
        let [x_row, y_row] = self.rows();
        let (x_rows, rest) = workspace.split_at_mut(points.block * x_row);
        let (y_rows, rest) = rest.split_at_mut(points.block * y_row);
        let (products, rest) = self.linear.begin_gradient(rest);
        let mut gbias = gbias;
        for first in (0..points.rows).step_by(points.block.max(1)) {
            let rows = points.block.min(points.rows - first);
            let (x_rows, y_rows) = (&mut x_rows[..rows * x_row], &mut y_rows[..rows * y_row]);
            self.gather(&points, first, x, x_rows);
            self.rows_of_output(&points, first, gy, y_rows);
            if let Some(gbias) = &mut gbias {
                self.linear.add_bias_gradient(y_rows, gbias);
            }
            self.linear.add_to_gradient(x_rows, y_rows, products, rest)?;
        }
        self.linear.end_gradient(products, gw);
        Ok(())
    }
}

impl<T: Element, const D: usize> ConvWeights<'_, T, D> {
    /// Numbers of the workspace that [`ConvWeights::forward`] or [`ConvWeights::backward`] needs for a
    /// batch of inputs of `size` points: mainly for one image with its padding.
    ///
    /// # Errors
    /// As for [`Window::output_size`].
    pub fn workspace_len(&self, batch: usize, size: [usize; D]) -> Result<usize, Error> {
        let points = self.conv.points(batch, size)?;
        if batch == 0 {
            return Ok(0);
        }
        match &self.packed {
            Packed::Image(direction, weights) => {
                let geometry = self.conv.geometry(*direction, size, points.output);
                self.conv.layer(*direction).workspace_len(&geometry, weights)
            }
            Packed::Rows(weights) => {
                let row: usize = self.conv.rows().iter().sum();
                let [whole, last] = points.blocks().map(|rows| weights.workspace_len(rows));
                Ok(points.block * row + whole?.max(last?))
            }
        }
    }

    fn check_direction(&self, direction: Direction) -> Result<(), Error> {
        match &self.packed {
            Packed::Image(found, ..) if *found == direction => Ok(()),
            Packed::Image(found, ..) => Err(Error::Option { argument: "weights", value: *found as i32 }),
            Packed::Rows(weights) => weights.check_direction(direction),
        }
    }

    /// y = the convolution of x with the weights, plus the bias, for `batch` inputs of `size` points.
    ///
    /// # Errors
    /// [`Error::Length`] if `x` or `y` has the wrong length, or `workspace` is shorter than
    /// [`ConvWeights::workspace_len`]; [`Error::Option`] if the weights were packed by
    /// [`Conv::pack_backward`]; those of [`Window::output_size`].
    pub fn forward(
        &self,
        batch: usize,
        size: [usize; D],
        x: &[T],
        y: &mut [T],
        workspace: &mut [T],
    ) -> Result<(), Error> {
        self.check_direction(Direction::Forward)?;
        let points = self.conv.points(batch, size)?;
        exactly("x", points.lengths[0], x.len())?;
        exactly("y", points.lengths[1], y.len())?;
        at_least("workspace", self.workspace_len(batch, size)?, workspace.len())?;
        self.run(&points, batch, x, y, workspace)
    }

    /// The gradient with respect to x, given the gradient with respect to y, for `batch` inputs of
    /// `size` points.
    ///
    /// If all strides are 1, a number of it is one chain over the taps in reverse, for each over the
    /// output channels and their blades, like a number of the output. Otherwise it is the sum of the
    /// layer's gradients at the points of the output, in ascending order.
    ///
    /// # Errors
    /// As for [`ConvWeights::forward`], with weights of [`Conv::pack_backward`].
    pub fn backward(
        &self,
        batch: usize,
        size: [usize; D],
        gy: &[T],
        gx: &mut [T],
        workspace: &mut [T],
    ) -> Result<(), Error> {
        self.check_direction(Direction::Backward)?;
        let points = self.conv.points(batch, size)?;
        exactly("gy", points.lengths[1], gy.len())?;
        exactly("gx", points.lengths[0], gx.len())?;
        at_least("workspace", self.workspace_len(batch, size)?, workspace.len())?;
        self.run(&points, batch, gy, gx, workspace)
    }

    /// The product with images or with rows, whose lengths are right.
    fn run(
        &self,
        points: &Points<D>,
        batch: usize,
        from: &[T],
        to: &mut [T],
        workspace: &mut [T],
    ) -> Result<(), Error> {
        if batch == 0 {
            return Ok(());
        }
        let weights = match &self.packed {
            Packed::Image(direction, weights) => {
                let geometry = self.conv.geometry(*direction, points.size, points.output);
                let layer = self.conv.layer(*direction);
                return layer.run(&geometry, weights, (batch, from, to), workspace);
            }
            Packed::Rows(weights) => weights,
        };
        let [x_row, y_row] = self.conv.rows();
        let (x_rows, rest) = workspace.split_at_mut(points.block * x_row);
        let (y_rows, rest) = rest.split_at_mut(points.block * y_row);
        to.fill(T::ZERO);
        for first in (0..points.rows).step_by(points.block.max(1)) {
            let rows = points.block.min(points.rows - first);
            let (x_rows, y_rows) = (&mut x_rows[..rows * x_row], &mut y_rows[..rows * y_row]);
            self.conv.rows_of_output(points, first, from, y_rows);
            weights.backward(rows, y_rows, x_rows, rest)?;
            self.conv.scatter(points, first, x_rows, to);
        }
        Ok(())
    }
}
