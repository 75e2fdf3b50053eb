//! `hotloops.clifford`: products and activations. Layers are in `layers.rs`.

use hotloops::Error;
use hotloops::clifford::{self, Gate, Signature};
use numpy::{Element, PyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arguments::{choice, name, squares};
use crate::arrays::{Floats, complained, contiguous, elements, numpy, wrong, zeros};
use crate::raised;
use crate::threads::in_parts;

/// A type of numbers.
pub trait Real: clifford::Element + Element {}

impl Real for f32 {}
impl Real for f64 {}

/// An array of any number of axes.
pub type Array<'py, T> = Bound<'py, PyArrayDyn<T>>;

/// Arrays of one type, in order of rows.
pub enum Same<'py, const N: usize> {
    Single([Array<'py, f32>; N]),
    Double([Array<'py, f64>; N]),
}

impl<'py, const N: usize> Same<'py, N> {
    pub fn of(arguments: [(&str, &Bound<'py, PyAny>); N]) -> PyResult<Self> {
        let (mut single, mut double) = (Vec::new(), Vec::new());
        for (name, value) in arguments {
            match Floats::of(name, value)? {
                Floats::Single(array) => single.push(contiguous(&array)?),
                Floats::Double(array) => double.push(contiguous(&array)?),
            }
        }
        match (single.try_into(), double.try_into()) {
            (Ok(all), _) => Ok(Same::Single(all)),
            (_, Ok(all)) => Ok(Same::Double(all)),
            _ => {
                let names = arguments.map(|(name, _)| name).join(", ");
                Err(PyTypeError::new_err(format!("{names}: some are float32, others float64")))
            }
        }
    }
}

/// Calls a generic function with arrays of one type, as Python objects.
macro_rules! of_one_type {
    ($same:expr, $arrays:ident => $call:expr) => {
        match $same {
            $crate::clifford::Same::Single($arrays) => $call,
            $crate::clifford::Same::Double($arrays) => $call,
        }
    };
}
pub(crate) use of_one_type;

pub fn signature(squares: &[i8]) -> PyResult<Signature> {
    Signature::new(squares).map_err(raised)
}

/// The axes of `array` before its last ones, which must be `last`.
pub fn leading<'a, T: Real>(name: &str, array: &'a Array<'_, T>, last: &[usize]) -> PyResult<&'a [usize]> {
    let shape = array.shape();
    match shape.len().checked_sub(last.len()).filter(|&axes| shape[axes..] == *last) {
        Some(axes) => Ok(&shape[..axes]),
        None => {
            let last = last.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            Err(wrong(name, format_args!("expected shape (.., {last}), found {shape:?}")))
        }
    }
}

/// Arrays of multivectors as arrays of the same shape.
fn broadcast<'py, T: Real>(
    of: Signature,
    names: [&str; 2],
    arrays: [Array<'py, T>; 2],
) -> PyResult<[Array<'py, T>; 2]> {
    for (name, array) in names.iter().zip(&arrays) {
        leading(name, array, &[of.blades()])?;
    }
    let [x, y] = arrays;
    if x.shape() == y.shape() {
        return Ok([x, y]);
    }
    let both = numpy(x.py(), "broadcast_arrays")?.call1((&x, &y));
    let both = both.map_err(|error| complained(x.py(), &names.join(", "), error))?;
    let array = |at| contiguous(&both.get_item(at)?.cast_into::<PyArrayDyn<T>>()?);
    Ok([array(0)?, array(1)?])
}

/// A function of two multivectors.
type Binary<T> = fn(Signature, &[T], &[T], &mut [T]) -> Result<(), Error>;

fn binary<'py, T: Real>(
    of: Signature,
    names: [&str; 2],
    arrays: [Array<'py, T>; 2],
    function: Binary<T>,
) -> PyResult<Bound<'py, PyAny>> {
    let [x, y] = broadcast(of, names, arrays)?;
    let (z, result) = zeros(x.py(), x.shape())?;
    let (of_x, of_y) = (elements(&x), elements(&y));
    let work = of_x.len() * of.blades();
    in_parts(x.py(), (of_x.len(), of.blades()), work, |part| {
        function(of, &of_x[part.clone()], &of_y[part.clone()], &mut result[part])
    })?;
    Ok(z.into_any())
}

/// The names of the blades, in the order of the coefficients of a multivector.
///
/// `squares` holds the square of each generator, at most 4: 1, -1 or 0.
///
/// Raises: ValueError or TypeError with the name of a wrong argument.
///
/// >>> from hotloops import clifford
/// >>> clifford.blades((1, 1))
/// ['1', 'e1', 'e2', 'e12']
#[pyfunction]
fn blades(#[pyo3(from_py_with = squares::<name::Squares>)] squares: Vec<i8>) -> PyResult<Vec<String>> {
    let of = signature(&squares)?;
    let name = |index: usize| match of.bitmap(index) {
        0 => "1".to_owned(),
        bitmap => {
            let generators = (0..squares.len()).filter(|generator| bitmap >> generator & 1 == 1);
            generators.fold("e".to_owned(), |name, generator| name + &(generator + 1).to_string())
        }
    };
    Ok((0..of.blades()).map(name).collect())
}

/// Geometric products of multivectors, arrays of shape (.., blades), float32 or float64. The other axes are
/// broadcast as numpy does.
///
/// `x` and `y` are both float32 or both float64. `squares` holds the square of each generator, at most 4: 1, -1 or
/// 0.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> import numpy as np
/// >>> from hotloops import clifford
/// >>> e1, e2 = np.eye(4)[1:3]
/// >>> clifford.product(e1, e2, (1, 1)).tolist()
/// [0.0, 0.0, 0.0, 1.0]
#[pyfunction]
fn product<'py>(
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = squares::<name::Squares>)] squares: Vec<i8>,
) -> PyResult<Bound<'py, PyAny>> {
    let (of, names) = (signature(&squares)?, ["x", "y"]);
    of_one_type!(Same::of([("x", x), ("y", y)])?, all => binary(of, names, all, clifford::geometric_product))
}

/// Sandwich products `r x ~r`, where ~r is the reverse of r: x rotated by a rotor r. Shapes as for `product`.
///
/// `r`, `x` and `squares` as `x`, `y` and `squares` of `product`.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> import numpy as np
/// >>> from hotloops import clifford
/// >>> quarter = [0.5 ** 0.5, 0, 0, -0.5 ** 0.5]                       # from e1 to e2
/// >>> clifford.sandwich(quarter, [0, 1, 0, 0], (1, 1)).round(6).tolist()
/// [0.0, 0.0, 1.0, 0.0]
#[pyfunction]
fn sandwich<'py>(
    r: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = squares::<name::Squares>)] squares: Vec<i8>,
) -> PyResult<Bound<'py, PyAny>> {
    let (of, names) = (signature(&squares)?, ["r", "x"]);
    of_one_type!(Same::of([("r", r), ("x", x)])?, all => binary(of, names, all, clifford::sandwich))
}

/// The triples of grades (of x, of the product, of y) that occur in products of blades: the rows of the
/// weights of `weighted_product`.
///
/// `squares` holds the square of each generator, at most 4: 1, -1 or 0.
/// Raises: ValueError or TypeError with the name of a wrong argument.
///
/// >>> from hotloops import clifford
/// >>> clifford.paths((1,))
/// [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]
#[pyfunction]
fn paths(#[pyo3(from_py_with = squares::<name::Squares>)] squares: Vec<i8>) -> PyResult<Vec<(usize, usize, usize)>> {
    Ok(clifford::paths(signature(&squares)?).map(|[x, z, y]| (x, z, y)).collect())
}

fn weighted<'py, T: Real>(of: Signature, [weights, x, y]: [Array<'py, T>; 3]) -> PyResult<Bound<'py, PyAny>> {
    let [x, y] = broadcast(of, ["x", "y"], [x, y])?;
    let n_paths = clifford::paths(of).count();
    let channels = match *weights.shape() {
        [rows, channels] if rows == n_paths => channels,
        _ => {
            return Err(wrong(
                "weights",
                format_args!("expected shape ({n_paths}, channels), found {:?}", weights.shape()),
            ));
        }
    };
    leading("x, weights", &x, &[channels, of.blades()])?;
    let (z, result) = zeros(x.py(), x.shape())?;
    let (weights, of_x, of_y) = (elements(&weights), elements(&x), elements(&y));
    let row = (channels * of.blades()).max(1);
    in_parts(x.py(), (of_x.len(), row), of_x.len() * of.blades(), |part| {
        clifford::weighted_product(of, weights, &of_x[part.clone()], &of_y[part.clone()], &mut result[part])
    })?;
    Ok(z.into_any())
}

/// Geometric products with a weight for each path and channel: `weights` has shape (paths, channels), one row
/// for each element of `paths(squares)`; `x` and `y` have shape (.., channels, blades).
///
/// All are float32, or all float64. `squares` holds the square of each generator, at most 4: 1, -1 or 0.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
#[pyfunction]
fn weighted_product<'py>(
    weights: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = squares::<name::Squares>)] squares: Vec<i8>,
) -> PyResult<Bound<'py, PyAny>> {
    let of = signature(&squares)?;
    of_one_type!(Same::of([("weights", weights), ("x", x), ("y", y)])?, all => weighted(of, all))
}

fn norms<'py, T: Real>(of: Signature, [x]: [Array<'py, T>; 1]) -> PyResult<Bound<'py, PyAny>> {
    let shape = [leading("x", &x, &[of.blades()])?, &[of.squares().len() + 1]].concat();
    let (norms, result) = zeros(x.py(), &shape)?;
    let of_x = elements(&x);
    let grades = of.squares().len() + 1;
    in_parts(x.py(), (of_x.len() / of.blades(), 1), of_x.len(), |part| {
        let result = &mut result[part.start * grades..part.end * grades];
        clifford::grade_norms(of, &of_x[part.start * of.blades()..part.end * of.blades()], result)
    })?;
    Ok(norms.into_any())
}

/// Squared norms of the parts of each grade, of shape (.., grades), for multivectors of shape (.., blades): the
/// sum of +-x[p]^2 with the sign of ~e_p e_p.
///
/// `x` is float32 or float64. `squares` holds the square of each generator, at most 4: 1, -1 or 0.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> from hotloops import clifford
/// >>> clifford.grade_norms([1.0, 2.0, 3.0, 4.0], (1, -1)).tolist()
/// [1.0, -5.0, -16.0]
#[pyfunction]
fn grade_norms<'py>(
    x: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = squares::<name::Squares>)] squares: Vec<i8>,
) -> PyResult<Bound<'py, PyAny>> {
    let of = signature(&squares)?;
    of_one_type!(Same::of([("x", x)])?, all => norms(of, all))
}

/// The gate of a word. `parameters` are its weights and bias, which the gates without parameters have not.
fn gate_of<'a, T: Real>(
    (word, of): (&str, Signature),
    parameters: Option<[&'a Array<'_, T>; 2]>,
) -> PyResult<(Gate<'a, T>, Option<usize>)> {
    let grades = of.squares().len() + 1;
    let each = match (word, parameters) {
        ("linear", _) => of.blades(),
        ("silu", _) => grades,
        (_, Some(_)) => return Err(wrong("weights, bias", format_args!("gate {word:?} has none"))),
        ("mean", _) => return Ok((Gate::Mean, None)),
        ("gelu", _) => return Ok((Gate::Gelu, None)),
        _ => return Ok((Gate::Sum, None)),
    };
    let Some([weights, bias]) = parameters else {
        return Err(wrong("weights", format_args!("gate {word:?} needs weights and a bias")));
    };
    let &[channels, _] = weights.shape() else { return Err(wrong("weights", "expected 2 axes")) };
    leading("weights", weights, &[each])?;
    let shape = if word == "silu" { &[channels, grades][..] } else { &[channels] };
    if bias.shape() != shape {
        return Err(wrong(
            "bias",
            format_args!("expected shape {shape:?} for these weights, found {:?}", bias.shape()),
        ));
    }
    let (weights, bias) = (elements(weights), elements(bias));
    let gate = if word == "silu" { Gate::Silu { weights, bias } } else { Gate::Linear { weights, bias } };
    Ok((gate, Some(channels)))
}

/// Checks that `x` has the channels of a gate.
fn channels_of<T: Real>(x: &Array<'_, T>, of: Signature, channels: Option<usize>) -> PyResult<()> {
    match channels {
        Some(channels) => leading("x", x, &[channels, of.blades()]),
        None => leading("x", x, &[of.blades()]),
    }
    .map(drop)
}

fn gated<'py, T: Real>(
    of: (&str, Signature),
    x: &Array<'py, T>,
    parameters: Option<[&Array<'py, T>; 2]>,
) -> PyResult<Bound<'py, PyAny>> {
    let (gate, channels) = gate_of(of, parameters)?;
    channels_of(x, of.1, channels)?;
    let (z, result) = zeros(x.py(), x.shape())?;
    let of_x = elements(x);
    let row = channels.unwrap_or(1).max(1) * of.1.blades();
    in_parts(x.py(), (of_x.len(), row), 8 * of_x.len(), |part| {
        gate.apply(of.1, &of_x[part.clone()], &mut result[part])
    })?;
    Ok(z.into_any())
}

/// Multivectors of shape (.., blades) times a gate. With S(a) = 1 / (1 + exp(-a)), `gate` is "sum": S of the sum
/// of all blades; "mean": S of their mean; "linear": S(bias + the sum of weights times blades), with weights of
/// shape (channels, blades) and a bias of shape (channels,); "gelu": the GELU of the scalar; "silu": for each grade
/// S(weight times norm + bias), with weights and bias of shape (channels, grades), where the norm is the scalar for
/// grade 0, else that of `grade_norms`. With weights, `x` has shape (.., channels, blades).
///
/// `x`, `weights` and `bias` are all float32, or all float64. `squares` holds the square of each generator, at most
/// 4: 1, -1 or 0.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> from hotloops import clifford
/// >>> clifford.activation([1.0, 2.0, -4.0, 1.0], (1, 1)).tolist()
/// [0.5, 1.0, -2.0, 0.5]
#[pyfunction]
#[pyo3(signature = (x, squares, gate = "sum", weights = None, bias = None))]
fn activation<'py>(
    x: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = squares::<name::Squares>)] squares: Vec<i8>,
    #[pyo3(from_py_with = choice::<name::Gate>)] gate: &'static str,
    weights: Option<&Bound<'py, PyAny>>,
    bias: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let of = (gate, signature(&squares)?);
    match parameters(weights, bias)? {
        None => of_one_type!(Same::of([("x", x)])?, all => gated(of, &all[0], None)),
        Some([weights, bias]) => {
            let all = Same::of([("x", x), ("weights", weights), ("bias", bias)])?;
            of_one_type!(all, all => gated(of, &all[0], Some([&all[1], &all[2]])))
        }
    }
}

/// Weights and bias, or neither.
fn parameters<'a, 'py>(
    weights: Option<&'a Bound<'py, PyAny>>,
    bias: Option<&'a Bound<'py, PyAny>>,
) -> PyResult<Option<[&'a Bound<'py, PyAny>; 2]>> {
    match (weights, bias) {
        (None, None) => Ok(None),
        (Some(weights), Some(bias)) => Ok(Some([weights, bias])),
        (None, _) => Err(wrong("weights", "is None, but there is a bias")),
        (_, None) => Err(wrong("bias", "is None, but there are weights")),
    }
}

fn gated_backward<'py, T: Real>(
    of: (&str, Signature),
    [x, gz]: [&Array<'py, T>; 2],
    parameters: Option<[&Array<'py, T>; 2]>,
) -> PyResult<Bound<'py, PyTuple>> {
    let (py, (gate, channels)) = (x.py(), gate_of(of, parameters)?);
    channels_of(x, of.1, channels)?;
    if gz.shape() != x.shape() {
        return Err(wrong("gz", format_args!("expected shape {:?}, that of x, found {:?}", x.shape(), gz.shape())));
    }
    let (gx, to_x) = zeros(py, x.shape())?;
    let (x, gz, work) = (elements(x), elements(gz), 16 * x.len());
    if let Some([weights, bias]) = parameters {
        let ((gw, to_w), (gbias, to_bias)) = (zeros(py, weights.shape())?, zeros(py, bias.shape())?);
        let row = channels.unwrap_or(1).max(1) * of.1.blades();
        // The chains of the gradients go on from part to part.
        in_parts(py, (x.len(), row), work, |part| {
            gate.backward(of.1, (&x[part.clone()], &gz[part.clone()]), &mut to_x[part], (&mut *to_w, &mut *to_bias))
        })?;
        return (gx, gw, gbias).into_pyobject(py);
    }
    in_parts(py, (x.len(), of.1.blades()), work, |part| {
        gate.backward(of.1, (&x[part.clone()], &gz[part.clone()]), &mut to_x[part], (&mut [], &mut []))
    })?;
    (gx, py.None(), py.None()).into_pyobject(py)
}

/// The gradients of `activation` with respect to x, weights and bias, given `gz`, the gradient with respect to its
/// result: (gx, gw, gbias), the last two None without weights.
///
/// `x`, `squares`, `gate`, `weights` and `bias` as for `activation`; `gz` has the shape of `x`.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
#[pyfunction]
#[pyo3(signature = (x, gz, squares, gate = "sum", weights = None, bias = None))]
fn activation_backward<'py>(
    x: &Bound<'py, PyAny>,
    gz: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = squares::<name::Squares>)] squares: Vec<i8>,
    #[pyo3(from_py_with = choice::<name::Gate>)] gate: &'static str,
    weights: Option<&Bound<'py, PyAny>>,
    bias: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let of = (gate, signature(&squares)?);
    match parameters(weights, bias)? {
        None => of_one_type!(Same::of([("x", x), ("gz", gz)])?, all => gated_backward(of, [&all[0], &all[1]], None)),
        Some([weights, bias]) => {
            let all = Same::of([("x", x), ("gz", gz), ("weights", weights), ("bias", bias)])?;
            of_one_type!(all, all => gated_backward(of, [&all[0], &all[1]], Some([&all[2], &all[3]])))
        }
    }
}

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = crate::submodule(parent, "clifford")?;
    module.add_function(wrap_pyfunction!(blades, &module)?)?;
    module.add_function(wrap_pyfunction!(product, &module)?)?;
    module.add_function(wrap_pyfunction!(sandwich, &module)?)?;
    module.add_function(wrap_pyfunction!(paths, &module)?)?;
    module.add_function(wrap_pyfunction!(weighted_product, &module)?)?;
    module.add_function(wrap_pyfunction!(grade_norms, &module)?)?;
    module.add_function(wrap_pyfunction!(activation, &module)?)?;
    module.add_function(wrap_pyfunction!(activation_backward, &module)?)?;
    module.add_class::<crate::layers::Layer>()?;
    Ok(())
}
