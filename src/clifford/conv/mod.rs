//! Convolutions over the channels of multivectors.

mod inner;
mod rows;
mod window;

use self::inner::{Inner, Packed, Points, all};
use super::layout::Direction;
use super::linear::{Linear, Mode};
use super::signature::Signature;
use crate::frame::error::{Error, at_least, exactly};
use crate::frame::pieces::{Ended, Pieces, unless_ended, whole};
use crate::matmul::Element;

pub use window::Window;

/// An array and its name for errors.
type Named<A> = (&'static str, A);

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
    inner: Inner,
}

/// Weights of a [`Conv`] layer, packed in the caller's memory.
#[derive(Clone, Debug)]
pub struct ConvWeights<'a, T, const D: usize> {
    conv: &'a Conv<D>,
    packed: Packed<'a, T>,
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
        Ok(Conv { inner: Inner::new(signature, [inputs, outputs], window, mode)? })
    }

    /// The layer that is applied at each point, with an input for each channel and tap.
    #[must_use]
    pub fn linear(&self) -> &Linear {
        &self.inner.linear
    }

    /// How the kernel is placed.
    #[must_use]
    pub fn window(&self) -> Window<D> {
        let Window { kernel, stride, padding, dilation } = &self.inner.window;
        let last = |all: &[usize]| core::array::from_fn(|d| all[all.len() - D + d]);
        Window { kernel: last(kernel), stride: last(stride), padding: last(padding), dilation: last(dilation) }
    }

    /// Elements of the memory that [`Conv::pack`] and [`Conv::pack_backward`] fill.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if that exceeds the address space.
    pub fn packed_len(&self) -> Result<usize, Error> {
        self.inner.linear.packed_len()
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
        let packed = whole(|pieces| self.inner.pack(weights, bias, memory, pieces))?;
        Ok(ConvWeights { conv: self, packed })
    }

    /// Like [`Conv::pack`]. Returns `None` as soon as `go_on`, called some times in a millisecond, returns false.
    ///
    /// # Errors
    /// As for [`Conv::pack`].
    pub fn pack_while<'a, T: Element>(
        &'a self,
        weights: &[T],
        bias: Option<&[T]>,
        memory: &'a mut [T],
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Option<ConvWeights<'a, T, D>>, Error> {
        let packed = unless_ended(self.inner.pack(weights, bias, memory, &mut Pieces::new(&mut go_on)))?;
        Ok(packed.map(|packed| ConvWeights { conv: self, packed }))
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
        let packed = whole(|pieces| self.inner.pack_backward(weights, memory, pieces))?;
        Ok(ConvWeights { conv: self, packed })
    }

    /// Like [`Conv::pack_backward`]. Returns `None` as soon as `go_on`, called some times in a millisecond, returns
    /// false.
    ///
    /// # Errors
    /// As for [`Conv::pack_backward`].
    pub fn pack_backward_while<'a, T: Element>(
        &'a self,
        weights: &[T],
        memory: &'a mut [T],
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Option<ConvWeights<'a, T, D>>, Error> {
        let packed = unless_ended(self.inner.pack_backward(weights, memory, &mut Pieces::new(&mut go_on)))?;
        Ok(packed.map(|packed| ConvWeights { conv: self, packed }))
    }

    /// Elements of x and of y for a batch of inputs of `size` points.
    pub(super) fn lengths(&self, batch: usize, size: [usize; D]) -> Result<[usize; 2], Error> {
        Ok(self.points(batch, size)?.lengths)
    }

    fn points(&self, batch: usize, size: [usize; D]) -> Result<Points, Error> {
        let output = self.window().output_size(size)?;
        self.inner.points(batch, all(size, 1), all(output, 1))
    }

    /// Elements of the workspace that [`Conv::backward_weights`] needs for a batch of inputs of `size`
    /// points.
    ///
    /// # Errors
    /// As for [`Window::output_size`].
    pub fn backward_weights_len<T: Element>(&self, batch: usize, size: [usize; D]) -> Result<usize, Error> {
        let points = self.points(batch, size)?;
        if batch == 0 { Ok(0) } else { self.inner.backward_weights_len::<T>(&points) }
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
        gradients: (&mut [T], Option<&mut [T]>),
        workspace: &mut [T],
    ) -> Result<(), Error> {
        whole(|pieces| self.weights_gradient((batch, size), (x, gy), gradients, workspace, pieces))
    }

    /// Like [`Conv::backward_weights`]. Returns false as soon as `go_on`, called before each piece of the work,
    /// returns false; the gradients are then of no use.
    ///
    /// # Errors
    /// As for [`Conv::backward_weights`].
    pub fn backward_weights_while<T: Element>(
        &self,
        batch: (usize, [usize; D]),
        data: (&[T], &[T]),
        gradients: (&mut [T], Option<&mut [T]>),
        workspace: &mut [T],
        mut go_on: impl FnMut() -> bool,
    ) -> Result<bool, Error> {
        let pieces = &mut Pieces::new(&mut go_on);
        unless_ended(self.weights_gradient(batch, data, gradients, workspace, pieces)).map(|done| done.is_some())
    }

    fn weights_gradient<T: Element>(
        &self,
        (batch, size): (usize, [usize; D]),
        (x, gy): (&[T], &[T]),
        (gw, gbias): (&mut [T], Option<&mut [T]>),
        workspace: &mut [T],
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        let points = self.points(batch, size)?;
        exactly("x", points.lengths[0], x.len())?;
        exactly("gy", points.lengths[1], gy.len())?;
        self.inner.linear.check_gradients(gw, gbias.as_deref())?;
        at_least("workspace", self.backward_weights_len::<T>(batch, size)?, workspace.len())?;
        if batch == 0 {
            return Ok(());
        }
        self.inner.backward_weights(&points, (x, gy), (gw, gbias), workspace, pieces)
    }
}

impl<T: Element, const D: usize> ConvWeights<'_, T, D> {
    /// Elements of the workspace that [`ConvWeights::forward`] or [`ConvWeights::backward`] needs for a
    /// batch of inputs of `size` points: mainly for one image with its padding.
    ///
    /// # Errors
    /// As for [`Window::output_size`].
    pub fn workspace_len(&self, batch: usize, size: [usize; D]) -> Result<usize, Error> {
        let points = self.conv.points(batch, size)?;
        if batch == 0 { Ok(0) } else { self.conv.inner.workspace_len(&points, &self.packed) }
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
        whole(|pieces| self.run(Direction::Forward, (batch, size), (("x", x), ("y", y)), workspace, pieces))
    }

    /// Like [`ConvWeights::forward`]. Returns false as soon as `go_on`, called before each piece of the work, returns
    /// false; `y` is then of no use.
    ///
    /// # Errors
    /// As for [`ConvWeights::forward`].
    pub fn forward_while(
        &self,
        batch: (usize, [usize; D]),
        (x, y): (&[T], &mut [T]),
        workspace: &mut [T],
        mut go_on: impl FnMut() -> bool,
    ) -> Result<bool, Error> {
        let (data, pieces) = ((("x", x), ("y", y)), &mut Pieces::new(&mut go_on));
        unless_ended(self.run(Direction::Forward, batch, data, workspace, pieces)).map(|done| done.is_some())
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
        whole(|pieces| self.run(Direction::Backward, (batch, size), (("gy", gy), ("gx", gx)), workspace, pieces))
    }

    /// Like [`ConvWeights::backward`]. Returns false as soon as `go_on`, called before each piece of the work, returns
    /// false; `gx` is then of no use.
    ///
    /// # Errors
    /// As for [`ConvWeights::backward`].
    pub fn backward_while(
        &self,
        batch: (usize, [usize; D]),
        (gy, gx): (&[T], &mut [T]),
        workspace: &mut [T],
        mut go_on: impl FnMut() -> bool,
    ) -> Result<bool, Error> {
        let (data, pieces) = ((("gy", gy), ("gx", gx)), &mut Pieces::new(&mut go_on));
        unless_ended(self.run(Direction::Backward, batch, data, workspace, pieces)).map(|done| done.is_some())
    }

    fn run(
        &self,
        direction: Direction,
        (batch, size): (usize, [usize; D]),
        ((from_name, from), (to_name, to)): (Named<&[T]>, Named<&mut [T]>),
        workspace: &mut [T],
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        self.packed.check_direction(direction)?;
        let points = self.conv.points(batch, size)?;
        let [from_length, to_length] = direction.of(points.lengths);
        exactly(from_name, from_length, from.len())?;
        exactly(to_name, to_length, to.len())?;
        at_least("workspace", self.workspace_len(batch, size)?, workspace.len())?;
        if batch == 0 {
            return Ok(());
        }
        self.conv.inner.run((&points, batch), &self.packed, from, to, workspace, pieces)
    }
}
