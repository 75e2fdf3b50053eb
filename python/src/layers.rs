//! `hotloops.clifford.Layer`: linear layers and convolutions.

use hotloops::Error;
use hotloops::clifford::{Linear, Mode, Signature, Window};
use numpy::PyUntypedArrayMethods;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arguments::{choice, counts, integer, name, optional_count, optional_counts, squares};
use crate::arrays::{elements, wrong, zeros};
use crate::clifford::{Array, Real, Same, of_one_type, signature};
use crate::nets::{Net, Nets, net};
use crate::raised;
use crate::threads::{self, Watch, on, on_raising};

/// Multiply-adds from which on threads share a call.
const SHARED: usize = 1 << 23;

/// Multiply-adds of a unit of work, some milliseconds.
const UNIT: usize = 1 << 28;

/// Work of a weight of a new layer, in elements.
const WORK_OF_WEIGHT: usize = 16;

/// Points of padding, and from tap to tap, at most: more exceed the address space with any kernel.
const MAX_POINTS: usize = isize::MAX as usize / 256;

/// Rows, or inputs, of a batch that a thread computes are a multiple of this: blocks of a linear layer.
const GRAIN: usize = 48;

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
/// Each has the same bits on every CPU, for every batch and any number of threads.
///
/// `stride` and `dilation` are at least 1, `padding` at least 0. `mode` is "exact", "fast" or "auto". A layer can be
/// pickled.
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

#[pymethods]
impl Layer {
    #[new]
    #[pyo3(signature = (
        squares, weights, bias = None, *, stride = None, padding = None, dilation = None, mode = "auto"
    ))]
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
        for (name, values) in [("padding", window.padding), ("dilation", window.dilation)] {
            if values.iter().any(|&value| value > MAX_POINTS) {
                return Err(wrong(name, format_args!("expected at most {MAX_POINTS}, found {values:?}")));
            }
        }
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
        let raise = |error| match error {
            Error::Channels { .. } => wrong("weights", error),
            Error::TooLarge { argument: "kernel" } | Error::Extent { .. } => {
                wrong("weights, dilation", "the dilated kernel exceeds the address space")
            }
            error => raised(error),
        };
        let (py, work) = (weights.py(), shape.iter().product::<usize>().saturating_mul(WORK_OF_WEIGHT));
        let nets = match &both {
            Same::Single([w, b]) => {
                let parameters = (elements(w), bias.map(|_| elements(b)));
                on_raising(py, Some(1), work, raise, |watch| net(of, shapes, mode, parameters, watch)).map(Nets::Single)
            }
            Same::Double([w, b]) => {
                let parameters = (elements(w), bias.map(|_| elements(b)));
                on_raising(py, Some(1), work, raise, |watch| net(of, shapes, mode, parameters, watch)).map(Nets::Double)
            }
        };
        Ok(Layer { nets: nets?, of, channels: [inputs, outputs], window, dimensions })
    }

    /// The arguments of a new layer that is equal, for pickle and copies.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let keywords = PyDict::new(py);
        keywords.set_item("mode", self.mode())?;
        if self.dimensions > 0 {
            let Window { stride, padding, dilation, .. } = &self.window;
            for (name, values) in [("stride", stride), ("padding", padding), ("dilation", dilation)] {
                keywords.set_item(name, &values[..self.dimensions])?;
            }
        }
        let [weights, bias] = match &self.nets {
            Nets::Single(net) => self.parameters(py, net.parameters())?,
            Nets::Double(net) => self.parameters(py, net.parameters())?,
        };
        Ok(((self.of.squares().to_vec(), weights, bias).into_pyobject(py)?, keywords))
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

    /// The arrays of weights and bias.
    fn parameters<'py, T: Real>(
        &self,
        py: Python<'py>,
        (weights, bias): (&[T], Option<&[T]>),
    ) -> PyResult<[Option<Bound<'py, PyAny>>; 2]> {
        let (blades, [inputs, outputs]) = (self.of.blades(), self.channels);
        let filled = |shape: &[usize], from: &[T]| {
            let (array, to) = zeros(py, shape)?;
            to.copy_from_slice(from);
            Ok::<_, PyErr>(array.into_any())
        };
        let shape = [&[blades, outputs, inputs], &self.window.kernel[..self.dimensions]].concat();
        Ok([Some(filled(&shape, weights)?), bias.map(|bias| filled(&[blades, outputs], bias)).transpose()?])
    }

    /// An error of inputs of `size` points, which the argument `name` gives.
    fn of_size(&self, name: &str, size: &[usize], error: Error) -> PyErr {
        match error {
            Error::Extent { .. } => {
                let Window { kernel, padding, dilation, .. } = &self.window;
                let [kernel, padding, dilation] = [kernel, padding, dilation].map(|all| &all[..self.dimensions]);
                let why = format_args!(
                    "inputs of {size:?} points with a padding of {padding:?} are smaller than a kernel of {kernel:?} \
                     taps with a dilation of {dilation:?}"
                );
                wrong(name, why)
            }
            error => wrong(name, error),
        }
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
        let points = net.output_size(size).map_err(|error| self.of_size("x", size, error))?;
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
        if net.output_size(&size).map_err(|error| self.of_size("size", &size, error))? != points {
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
        let points = net.output_size(size).map_err(|error| self.of_size("x", size, error))?;
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
