//! `hotloops.clifford.Layer`: linear layers and convolutions.

use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

use hotloops::Error;
use hotloops::clifford::{Conv, ConvWeights, Linear, LinearWeights, Mode, Signature, Window};
use numpy::PyUntypedArrayMethods;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arguments::{choice, counts, integer, name, optional_count, optional_counts, squares};
use crate::arrays::{elements, room, wrong, zeros};
use crate::clifford::{Array, Real, Same, of_one_type, signature};
use crate::raised;
use crate::threads::{self, Stop, Watch, on};

/// Multiply-adds from which on threads share a call.
const SHARED: usize = 1 << 23;

/// Multiply-adds of a unit of work, some milliseconds.
const UNIT: usize = 1 << 28;

/// Rows, or inputs, of a batch that a thread computes are a multiple of this: blocks of a linear layer.
const GRAIN: usize = 48;

/// A linear layer or a convolution.
trait Kind: Send + Sync + Sized + 'static {
    /// Packed weights.
    type Weights<T: Real>: Send + Sync;

    fn linear(&self) -> &Linear;

    fn packed_len(&self) -> Result<usize, Error>;

    /// Packs weights for the gradient if `is_backward`; these have no bias.
    fn pack<T: Real>(
        &'static self,
        is_backward: bool,
        parameters: (&[T], Option<&[T]>),
        memory: &'static mut [T],
    ) -> Result<Self::Weights<T>, Error>;

    /// Points of an output in each dimension, for an input of `size` points.
    fn output_size(&self, size: &[usize]) -> Result<Vec<usize>, Error>;

    /// The product with the weights, of `size` points. Returns false if the call was interrupted.
    fn run<T: Real>(
        weights: &Self::Weights<T>,
        is_backward: bool,
        batch: (usize, &[usize]),
        data: (&[T], &mut [T]),
        watch: &Watch,
    ) -> Result<bool, Error>;

    /// Adds the gradients with respect to weights and bias. Returns false if the call was interrupted.
    fn add_gradients<T: Real>(
        &self,
        batch: (usize, &[usize]),
        data: (&[T], &[T]),
        gradients: (&mut [T], &mut [T]),
        watch: &Watch,
    ) -> Result<bool, Error>;
}

impl Kind for Linear {
    type Weights<T: Real> = LinearWeights<'static, T>;

    fn linear(&self) -> &Linear {
        self
    }

    fn packed_len(&self) -> Result<usize, Error> {
        Linear::packed_len(self)
    }

    fn pack<T: Real>(
        &'static self,
        is_backward: bool,
        (weights, bias): (&[T], Option<&[T]>),
        memory: &'static mut [T],
    ) -> Result<Self::Weights<T>, Error> {
        if is_backward { self.pack_backward(weights, memory) } else { Linear::pack(self, weights, bias, memory) }
    }

    fn output_size(&self, _: &[usize]) -> Result<Vec<usize>, Error> {
        Ok(Vec::new())
    }

    fn run<T: Real>(
        weights: &Self::Weights<T>,
        is_backward: bool,
        (batch, _): (usize, &[usize]),
        (from, to): (&[T], &mut [T]),
        _: &Watch,
    ) -> Result<bool, Error> {
        let workspace = &mut room(weights.workspace_len(batch)?, T::ZERO)?;
        match is_backward {
            true => weights.backward(batch, from, to, workspace)?,
            false => weights.forward(batch, from, to, workspace)?,
        }
        Ok(true)
    }

    fn add_gradients<T: Real>(
        &self,
        (batch, _): (usize, &[usize]),
        (x, gy): (&[T], &[T]),
        (gw, gbias): (&mut [T], &mut [T]),
        watch: &Watch,
    ) -> Result<bool, Error> {
        let workspace = &mut room(self.backward_weights_len::<T>(batch)?, T::ZERO)?;
        self.backward_weights_while(batch, (x, gy), (gw, Some(gbias)), workspace, || watch.goes_on())
    }
}

/// The numbers of a slice of `D`.
fn array<const D: usize>(numbers: &[usize]) -> [usize; D] {
    core::array::from_fn(|d| numbers[d])
}

impl<const D: usize> Kind for Conv<D> {
    type Weights<T: Real> = ConvWeights<'static, T, D>;

    fn linear(&self) -> &Linear {
        Conv::linear(self)
    }

    fn packed_len(&self) -> Result<usize, Error> {
        Conv::packed_len(self)
    }

    fn pack<T: Real>(
        &'static self,
        is_backward: bool,
        (weights, bias): (&[T], Option<&[T]>),
        memory: &'static mut [T],
    ) -> Result<Self::Weights<T>, Error> {
        if is_backward { self.pack_backward(weights, memory) } else { Conv::pack(self, weights, bias, memory) }
    }

    fn output_size(&self, size: &[usize]) -> Result<Vec<usize>, Error> {
        self.window().output_size(array(size)).map(Vec::from)
    }

    fn run<T: Real>(
        weights: &Self::Weights<T>,
        is_backward: bool,
        (batch, size): (usize, &[usize]),
        data: (&[T], &mut [T]),
        watch: &Watch,
    ) -> Result<bool, Error> {
        let workspace = &mut room(weights.workspace_len(batch, array(size))?, T::ZERO)?;
        match is_backward {
            true => weights.backward_while((batch, array(size)), data, workspace, || watch.goes_on()),
            false => weights.forward_while((batch, array(size)), data, workspace, || watch.goes_on()),
        }
    }

    fn add_gradients<T: Real>(
        &self,
        (batch, size): (usize, &[usize]),
        data: (&[T], &[T]),
        (gw, gbias): (&mut [T], &mut [T]),
        watch: &Watch,
    ) -> Result<bool, Error> {
        let (batch, gradients) = ((batch, array(size)), (gw, Some(gbias)));
        let workspace = &mut room(self.backward_weights_len::<T>(batch.0, batch.1)?, T::ZERO)?;
        self.backward_weights_while(batch, data, gradients, workspace, || watch.goes_on())
    }
}

/// Numbers that stay where they are until they are dropped.
struct Fixed<T>(NonNull<[T]>);

// SAFETY: it owns the numbers, and gives no access to them.
unsafe impl<T: Send> Send for Fixed<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Fixed<T> {}

impl<T> Drop for Fixed<T> {
    fn drop(&mut self) {
        // SAFETY: the numbers of a box, to which no reference is left.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// Packed weights. The fields are dropped in this order: the weights borrow the others.
struct Packed<K: Kind, T: Real> {
    weights: K::Weights<T>,
    _memory: Fixed<T>,
    _kind: Arc<K>,
}

impl<K: Kind, T: Real> Packed<K, T> {
    fn new(kind: &Arc<K>, is_backward: bool, parameters: (&[T], Option<&[T]>)) -> Result<Self, Error> {
        let memory = Fixed(NonNull::from(Box::leak(room(kind.packed_len()?, T::ZERO)?.into_boxed_slice())));
        // SAFETY: both live, in their places, until the weights are dropped; nothing else uses the memory.
        let (borrowed, numbers) = unsafe { (&*Arc::as_ptr(kind), &mut *memory.0.as_ptr()) };
        let weights = borrowed.pack(is_backward, parameters, numbers)?;
        Ok(Packed { weights, _memory: memory, _kind: Arc::clone(kind) })
    }
}

/// A layer with its weights, and those for the gradient once it is computed.
struct Trained<K: Kind, T: Real> {
    kind: Arc<K>,
    weights: Vec<T>,
    forward: Packed<K, T>,
    backward: OnceLock<Packed<K, T>>,
}

/// A layer whose number of dimensions is not known.
trait Net<T>: Send + Sync {
    fn linear(&self) -> &Linear;

    fn output_size(&self, size: &[usize]) -> Result<Vec<usize>, Error>;

    /// Products of `batch` inputs of `size` points, or of gradients, `rows` of them together.
    fn run(
        &self,
        is_backward: bool,
        batch: (usize, &[usize]),
        rows: usize,
        data: (&[T], &mut [T]),
        watch: &Watch,
    ) -> Result<(), Stop>;

    fn add_gradients(
        &self,
        batch: (usize, &[usize]),
        data: (&[T], &[T]),
        gradients: (&mut [T], &mut [T]),
        watch: &Watch,
    ) -> Result<(), Stop>;
}

impl<K: Kind, T: Real> Net<T> for Trained<K, T> {
    fn linear(&self) -> &Linear {
        self.kind.linear()
    }

    fn output_size(&self, size: &[usize]) -> Result<Vec<usize>, Error> {
        self.kind.output_size(size)
    }

    fn run(
        &self,
        is_backward: bool,
        (batch, size): (usize, &[usize]),
        rows: usize,
        (from, to): (&[T], &mut [T]),
        watch: &Watch,
    ) -> Result<(), Stop> {
        let packed = match (is_backward, self.backward.get()) {
            (false, _) => &self.forward,
            (true, Some(packed)) => packed,
            (true, None) => {
                let packed = Packed::new(&self.kind, true, (&self.weights, None))?;
                self.backward.get_or_init(|| packed)
            }
        };
        if rows >= batch {
            return finished(K::run(&packed.weights, is_backward, (batch, size), (from, to), watch));
        }
        let [each, each_result] = [from.len() / batch * rows, to.len() / batch * rows];
        watch.each(from.chunks(each).zip(to.chunks_mut(each_result)), |part, data| {
            let some = rows.min(batch - part * rows);
            finished(K::run(&packed.weights, is_backward, (some, size), data, watch))
        })?;
        Ok(())
    }

    fn add_gradients(
        &self,
        batch: (usize, &[usize]),
        data: (&[T], &[T]),
        gradients: (&mut [T], &mut [T]),
        watch: &Watch,
    ) -> Result<(), Stop> {
        finished(self.kind.add_gradients(batch, data, gradients, watch))
    }
}

/// An interruption, of work that has returned false.
fn finished(is_done: Result<bool, Error>) -> Result<(), Stop> {
    if is_done? { Ok(()) } else { Err(Stop::Interrupted) }
}

/// A layer for one of the types.
enum Nets {
    Single(Box<dyn Net<f32>>),
    Double(Box<dyn Net<f64>>),
}

/// A layer that maps channels of multivectors: each output is a sum over input channels of geometric products `x w`,
/// plus the bias.
///
/// `squares` holds the square of each generator. With `weights` of shape (blades, outputs, inputs) the layer is
/// linear: x has shape (.., inputs, blades), the result (.., outputs, blades). With one to three more axes, those of
/// a kernel, it is a convolution (a cross-correlation, as torch's): x has shape (.., inputs, *size, blades).
/// `stride`, `padding` and `dilation` are a number, or one for each of these axes. `bias` has shape (blades, outputs).
/// All are float32, or all float64; the weights are copied. These are the layouts of cliffordlayers.
///
/// Mode "exact": chains of fused multiply-adds in a fixed order. "fast": by an isomorphic algebra of matrices, with
/// 1/4 to 3/4 of the multiplications and an error of at most `error_factor`. "auto": the faster one for large batches.
/// Each has the same bits on every CPU with fused multiply-add, for every batch and any number of threads.
///
/// `stride` and `dilation` are at least 1, `padding` at least 0. `mode` is "exact", "fast" or "auto".
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError.
///
/// >>> import numpy as np
/// >>> from hotloops import clifford
/// >>> weights = np.zeros((4, 1, 1)); weights[3] = 2                # 2 e12
/// >>> layer = clifford.Layer((1, 1), weights)
/// >>> layer(np.array([[1.0, 0, 0, 0]])).tolist()
/// [[0.0, 0.0, 0.0, 2.0]]
#[pyclass(frozen, module = "hotloops.clifford")]
pub struct Layer {
    nets: Nets,
    of: Signature,
    /// Channels of the input and of the output.
    channels: [usize; 2],
    /// How a convolution places its kernel; behind its last dimension, and for a linear layer, one tap.
    window: Window<3>,
    /// Dimensions of a convolution, or 0.
    dimensions: usize,
}

/// A number for each dimension.
fn each(name: &str, value: Option<&Bound<'_, PyAny>>, default: usize, dimensions: usize) -> PyResult<[usize; 3]> {
    let Some(value) = value else { return Ok([default; 3]) };
    if dimensions == 0 {
        return Err(wrong(name, "the weights have no axes of a kernel"));
    }
    let is_number = value.len().is_err();
    if is_number {
        return integer(name, value).map(|number| [number; 3]);
    }
    let numbers = counts(name, value)?;
    if numbers.len() != dimensions {
        return Err(wrong(name, format_args!("expected {dimensions} numbers, found {}", numbers.len())));
    }
    Ok(core::array::from_fn(|d| numbers.get(d).copied().unwrap_or(default)))
}

fn net<T: Real>(
    of: Signature,
    ([outputs, inputs], window): ([usize; 2], (usize, Window<3>)),
    mode: Mode,
    (weights, bias): (&[T], Option<&[T]>),
) -> Result<Box<dyn Net<T>>, Error> {
    fn trained<K: Kind, T: Real>(kind: K, (weights, bias): (&[T], Option<&[T]>)) -> Result<Box<dyn Net<T>>, Error> {
        let kind = Arc::new(kind);
        let forward = Packed::new(&kind, false, (weights, bias))?;
        let mut copy = room(weights.len(), T::ZERO)?;
        copy.copy_from_slice(weights);
        Ok(Box::new(Trained { kind, weights: copy, forward, backward: OnceLock::new() }))
    }
    fn first<const D: usize>(window: &Window<3>) -> Window<D> {
        let [kernel, stride, padding, dilation] =
            [&window.kernel, &window.stride, &window.padding, &window.dilation].map(|all| array(all));
        Window { kernel, stride, padding, dilation }
    }
    let (parameters, (dimensions, window)) = ((weights, bias), window);
    match dimensions {
        0 => trained(Linear::new(of, inputs, outputs, mode)?, parameters),
        1 => trained(Conv::new(of, inputs, outputs, first::<1>(&window), mode)?, parameters),
        2 => trained(Conv::new(of, inputs, outputs, first::<2>(&window), mode)?, parameters),
        _ => trained(Conv::new(of, inputs, outputs, first::<3>(&window), mode)?, parameters),
    }
}

#[pymethods]
impl Layer {
    #[new]
    #[pyo3(signature = (squares, weights, bias = None, *, stride = None, padding = None, dilation = None, mode = "auto"))]
    fn new(
        #[pyo3(from_py_with = squares::<name::Squares>)] squares: Vec<i8>,
        weights: &Bound<'_, PyAny>,
        bias: Option<&Bound<'_, PyAny>>,
        stride: Option<&Bound<'_, PyAny>>,
        padding: Option<&Bound<'_, PyAny>>,
        dilation: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = choice::<name::Mode>)] mode: &'static str,
    ) -> PyResult<Self> {
        let of = signature(&squares)?;
        let mode = match mode {
            "exact" => Mode::Exact,
            "fast" => Mode::Fast,
            _ => Mode::Auto,
        };
        // Without a bias the weights stand in for it.
        let both = Same::of([("weights", weights), ("bias", bias.unwrap_or(weights))])?;
        let shape = of_one_type!(&both, all => all[0].shape().to_vec());
        let (outputs, inputs, kernel) = match shape[..] {
            [blades, outputs, inputs, ref kernel @ ..] if blades == of.blades() && kernel.len() <= 3 => {
                (outputs, inputs, kernel)
            }
            _ => {
                let expected =
                    format_args!("expected shape ({}, outputs, inputs, ..), found {shape:?}", of.blades()).to_string();
                return Err(wrong("weights", expected));
            }
        };
        let dimensions = kernel.len();
        let window = Window {
            kernel: core::array::from_fn(|d| kernel.get(d).copied().unwrap_or(1)),
            stride: each("stride", stride, 1, dimensions)?,
            padding: each("padding", padding, 0, dimensions)?,
            dilation: each("dilation", dilation, 1, dimensions)?,
        };
        for (name, values) in [("stride", window.stride), ("dilation", window.dilation), ("weights", window.kernel)] {
            if values.contains(&0) {
                return Err(wrong(name, format_args!("expected at least 1 in each dimension, found {values:?}")));
            }
        }
        let of_bias = of_one_type!(&both, all => all[1].shape().to_vec());
        if bias.is_some() && of_bias != [of.blades(), outputs] {
            let expected = format!("expected shape ({}, {outputs}), found {of_bias:?}", of.blades());
            return Err(wrong("bias", expected));
        }
        let shapes = ([outputs, inputs], (dimensions, window));
        let nets = match &both {
            Same::Single([w, b]) => net(of, shapes, mode, (elements(w), bias.map(|_| elements(b)))).map(Nets::Single),
            Same::Double([w, b]) => net(of, shapes, mode, (elements(w), bias.map(|_| elements(b)))).map(Nets::Double),
        };
        Ok(Layer { nets: nets.map_err(raised)?, of, channels: [inputs, outputs], window, dimensions })
    }

    /// The mode that the layer uses: "exact" or "fast".
    #[getter]
    fn mode(&self) -> &'static str {
        match self.linear().mode() {
            Mode::Exact => "exact",
            _ => "fast",
        }
    }

    /// A bound of the rounding error: a coefficient of the result differs from the exact one by at most this
    /// factor times the sum, over input channels and taps, of the Euclidean lengths of input and weight multiplied,
    /// plus that of the bias.
    #[getter]
    fn error_factor(&self) -> f64 {
        match &self.nets {
            Nets::Single(_) => self.linear().error_factor::<f32>(),
            Nets::Double(_) => self.linear().error_factor::<f64>(),
        }
    }

    /// The layer's outputs for `x`. `threads=None` means one for each core if the product is large.
    /// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
    #[pyo3(signature = (x, *, threads = None))]
    fn __call__<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = optional_count::<name::Threads>)] threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match (&self.nets, Same::of([("x", x)])?) {
            (Nets::Single(net), Same::Single([x])) => self.forward(&**net, &x, threads),
            (Nets::Double(net), Same::Double([x])) => self.forward(&**net, &x, threads),
            _ => Err(self.mixed("x")),
        }
    }

    /// The gradient with respect to x, given `gy`, the gradient with respect to the output. A convolution needs the
    /// points `size` of its input if there are several that give as many points of the output; the default is the
    /// smallest.
    ///
    /// `threads` as for a call.
    /// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
    #[pyo3(signature = (gy, size = None, *, threads = None))]
    fn backward<'py>(
        &self,
        gy: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = optional_counts::<name::Size>)] size: Option<Vec<usize>>,
        #[pyo3(from_py_with = optional_count::<name::Threads>)] threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match (&self.nets, Same::of([("gy", gy)])?) {
            (Nets::Single(net), Same::Single([gy])) => self.gradient(&**net, &gy, size, threads),
            (Nets::Double(net), Same::Double([gy])) => self.gradient(&**net, &gy, size, threads),
            _ => Err(self.mixed("gy")),
        }
    }

    /// The gradients with respect to weights and bias, given `x` and `gy`, that of the output.
    ///
    /// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
    fn gradients<'py>(&self, x: &Bound<'py, PyAny>, gy: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
        match (&self.nets, Same::of([("x", x), ("gy", gy)])?) {
            (Nets::Single(net), Same::Single([x, gy])) => self.of_parameters(&**net, &x, &gy),
            (Nets::Double(net), Same::Double([x, gy])) => self.of_parameters(&**net, &x, &gy),
            _ => Err(self.mixed("x, gy")),
        }
    }
}

impl Layer {
    fn linear(&self) -> &Linear {
        match &self.nets {
            Nets::Single(net) => net.linear(),
            Nets::Double(net) => net.linear(),
        }
    }

    fn mixed(&self, names: &str) -> PyErr {
        let of_weights = if matches!(self.nets, Nets::Single(_)) { "float32" } else { "float64" };
        PyTypeError::new_err(format!("{names}: expected {of_weights}, as the weights"))
    }

    /// The inputs or outputs of an array, and the points of each.
    fn batch<'a, T: Real>(
        &self,
        name: &str,
        array: &'a Array<'_, T>,
        channels: usize,
    ) -> PyResult<(&'a [usize], &'a [usize])> {
        let (shape, blades) = (array.shape(), self.of.blades());
        let split = shape.len().checked_sub(2 + self.dimensions).map(|outer| shape.split_at(outer));
        match split {
            Some((outer, [found, size @ .., last])) if [*found, *last] == [channels, blades] => Ok((outer, size)),
            _ => {
                let sizes = ["", " size,", " height, width,", " depth, height, width,"][self.dimensions];
                Err(wrong(name, format_args!("expected shape (.., {channels},{sizes} {blades}), found {shape:?}")))
            }
        }
    }

    /// Fills an array of `channels` with the products of another one, for layers with inputs of `size` points.
    fn multiply<'py, T: Real>(
        &self,
        (net, is_backward): (&dyn Net<T>, bool),
        (from, outer, size): (&Array<'py, T>, &[usize], &[usize]),
        (channels, points): (usize, &[usize]),
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = from.py();
        let shape = [outer, &[channels], points, &[self.of.blades()]].concat();
        let (array, to) = zeros(py, &shape)?;
        let batch = if outer.contains(&0) { 0 } else { outer.iter().product() };
        let taps: usize = self.window.kernel.iter().product();
        let each = self.linear().multiplications() * self.channels.iter().product::<usize>() * taps;
        let work =
            (from.len() / (self.of.blades() * self.channels[usize::from(is_backward)]).max(1)).saturating_mul(each);
        let from = elements(from);
        let grain = if self.dimensions == 0 { GRAIN } else { 1 };
        let run = |watch: &Watch| {
            let of_thread = batch.div_ceil(watch.threads());
            let of_unit = (UNIT / (work / batch.max(1)).max(1)).max(1);
            let rows = of_thread.min(of_unit).next_multiple_of(grain);
            net.run(is_backward, (batch, size), rows, (from, to), watch)
        };
        // A small product is not divided, whatever the number of threads.
        threads::check(threads)?;
        on(py, if work < SHARED { Some(1) } else { threads }, work, run)?;
        Ok(array.into_any())
    }

    fn forward<'py, T: Real>(
        &self,
        net: &dyn Net<T>,
        x: &Array<'py, T>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let [inputs, outputs] = self.channels;
        let (outer, size) = self.batch("x", x, inputs)?;
        let points = net.output_size(size).map_err(raised)?;
        self.multiply((net, false), (x, outer, size), (outputs, &points), threads)
    }

    fn gradient<'py, T: Real>(
        &self,
        net: &dyn Net<T>,
        gy: &Array<'py, T>,
        size: Option<Vec<usize>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let [inputs, outputs] = self.channels;
        let (outer, points) = self.batch("gy", gy, outputs)?;
        let smallest = |(d, points): (usize, &usize)| {
            let Window { kernel, stride, padding, dilation } = self.window;
            let steps = (points.max(&1) - 1).saturating_mul(stride[d]);
            let reach = steps.saturating_add((kernel[d] - 1).saturating_mul(dilation[d])).saturating_add(1);
            reach.saturating_sub(padding[d].saturating_mul(2))
        };
        let size = size.unwrap_or_else(|| points.iter().enumerate().map(smallest).collect());
        if size.len() != self.dimensions {
            return Err(wrong("size", format_args!("expected {} numbers, found {}", self.dimensions, size.len())));
        }
        if net.output_size(&size).map_err(raised)? != points {
            return Err(wrong("gy", format_args!("inputs of {size:?} points have not outputs of {points:?}")));
        }
        self.multiply((net, true), (gy, outer, &size), (inputs, &size), threads)
    }

    fn of_parameters<'py, T: Real>(
        &self,
        net: &dyn Net<T>,
        x: &Array<'py, T>,
        gy: &Array<'py, T>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (py, [inputs, outputs], blades) = (x.py(), self.channels, self.of.blades());
        let (outer, size) = self.batch("x", x, inputs)?;
        let points = net.output_size(size).map_err(raised)?;
        let expected = [outer, &[outputs], &points, &[blades]].concat();
        if gy.shape() != expected {
            return Err(wrong("gy", format_args!("expected shape {expected:?} for this x, found {:?}", gy.shape())));
        }
        let kernel = &self.window.kernel[..self.dimensions];
        let (gw, to_w) = zeros(py, &[&[blades, outputs, inputs], kernel].concat())?;
        let (gbias, to_bias) = zeros(py, &[blades, outputs])?;
        let batch = if outer.contains(&0) { 0 } else { outer.iter().product() };
        let (x, gy) = (elements(x), elements(gy));
        let work = x.len().saturating_mul(outputs).saturating_mul(kernel.iter().product());
        on(py, Some(1), work, |watch| net.add_gradients((batch, size), (x, gy), (to_w, to_bias), watch))?;
        (gw, gbias).into_pyobject(py)
    }
}
